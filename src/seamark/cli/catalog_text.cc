#include "seamark/cli/catalog_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "seamark/base/text.h"
#include "seamark/catalog/names.h"
#include "seamark/report/text_table.h"

namespace seamark::cli {
namespace {

using catalog::Cover;
using catalog::Level;
using report::Cell;
using report::Column;
using report::TextTable;
using report::Tone;

Column number_column(const char* head) { return {.head = head, .align = Column::Align::kRight}; }

std::int64_t count_if(const Catalogue& catalogue, bool (*test)(const CatalogueFunction&)) {
  return std::count_if(catalogue.functions.begin(), catalogue.functions.end(), test);
}

// Reasons that differ only in the library are one row.
std::string family_of(const std::string& reason) {
  for (const char* family : {"module of ", "re-export or import of ", "inherited from "}) {
    if (reason.starts_with(family)) return std::string(family) + "another library";
  }
  return reason;
}

struct Family {
  std::int64_t count = 0;
  std::string example;
};

std::string exclusions(const Catalogue& catalogue, const report::RenderOptions& options) {
  std::map<std::string, Family> families;
  for (const CatalogueExclusion& row : catalogue.exclusions) {
    Family& family = families[family_of(row.reason)];
    family.count += row.count;
    if (family.example.empty() && !row.examples.empty()) family.example = row.examples.front();
  }
  std::vector<std::pair<std::string, Family>> sorted(families.begin(), families.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.count > b.second.count; });
  TextTable table({number_column("left out"),
                   {.head = "because", .elastic = 24},
                   {.head = "for example", .optional = 1, .elastic = 20, .keep_end = true}});
  for (const auto& [reason, family] : sorted) {
    table.add_row(
        {fmt::format("{}", family.count), one_line(reason), Cell(one_line(family.example), Tone::kDim)});
  }
  return table.empty() ? std::string() : table.render(options);
}

std::string kinds_line(const Catalogue& catalogue) {
  std::map<std::string, std::int64_t> kinds;
  for (const CatalogueFunction& function : catalogue.functions) ++kinds[function.kind];
  std::vector<std::string> parts;
  for (const auto& [kind, count] : kinds) parts.push_back(fmt::format("{} {}", count, one_line(kind)));
  return join(parts, ", ");
}

std::string percent(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? "-"
                    : fmt::format("{:.1f}%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

void list_names(std::string& out, std::string_view title, const std::vector<std::string>& names) {
  if (names.empty()) return;
  out += fmt::format("\n{} ({})\n", title, names.size());
  for (const std::string& name : names) out += "  " + one_line(name) + "\n";
}

std::string note_line(const std::string& note, const report::RenderOptions& options) {
  const std::string head = "  note: ";
  return head + report::wrapped(one_line(note), report::usable_width(options), std::string(head.size(), ' '),
                                head.size());
}

std::string label(const CatalogueHead& head) {
  return fmt::format("{} {}", one_line(head.framework), one_line(head.version));
}

}  // namespace

std::string frozen_note(const Catalogue& catalogue, const catalog::Rules& rules) {
  const catalog::Frozen* frozen = rules.frozen_for(catalogue.head.version);
  if (frozen == nullptr) {
    std::vector<std::string> versions;
    for (const catalog::Frozen& one : rules.frozen) versions.push_back(one.version);
    return fmt::format("version {} is not frozen{}", catalogue.head.version,
                       versions.empty() ? "" : "; frozen: " + join(versions, ", "));
  }
  if (frozen->rule_version != catalogue.head.rule_version) {
    return fmt::format("walked by rules {}, frozen by rules {}", catalogue.head.rule_version,
                       frozen->rule_version);
  }
  const auto functions = static_cast<std::int64_t>(catalogue.functions.size());
  if (frozen->names_hash == catalog::hash_of_names(catalogue) && functions == frozen->functions) return {};
  return fmt::format(
      "differs from the frozen catalogue of {}: {} functions, frozen {} (packages that are or are "
      "not installed beside the framework decide which of its modules can be imported)",
      frozen->version, functions, frozen->functions);
}

std::string catalogue_text(const std::vector<WalkedCatalogue>& walked, const report::RenderOptions& options) {
  TextTable table({{.head = "framework"},
                   {.head = "version"},
                   number_column("functions"),
                   number_column("deprecated"),
                   number_column("documented"),
                   number_column("flat names"),
                   number_column("of the study")});
  for (const WalkedCatalogue& one : walked) {
    const CatalogueHead& head = one.catalogue.head;
    table.add_row(
        {one_line(head.framework), one_line(head.version), fmt::format("{}", head.functions),
         fmt::format("{}", count_if(one.catalogue, [](const auto& f) { return !f.deprecated.empty(); })),
         fmt::format("{}", count_if(one.catalogue, [](const auto& f) { return f.documented; })),
         fmt::format("{}", head.flat),
         one.rules.study_functions == 0
             ? std::string("-")
             : fmt::format("{} ({})", one.rules.study_functions, one.rules.study_version)});
  }
  std::string out = table.render(options);
  for (const WalkedCatalogue& one : walked) {
    const CatalogueHead& head = one.catalogue.head;
    const std::string frozen = frozen_note(one.catalogue, one.rules);
    out += report::section_heading(label(head), kinds_line(one.catalogue), options);
    out += "  ";
    out += report::wrapped(
        fmt::format("{} modules walked by rules {}; {} flat names with other libraries' functions; {}.",
                    head.modules, head.rule_version, head.flat_all, frozen.empty() ? "as frozen" : frozen),
        report::usable_width(options), "  ", 2);
    out += exclusions(one.catalogue, options);
    for (const CatalogueBroken& broken : one.catalogue.broken) {
      out += fmt::format("  cannot be imported: {}: {}\n", one_line(broken.module), one_line(broken.error));
    }
  }
  return out;
}

std::string diff_text(const CatalogueHead& before, const CatalogueHead& after,
                      const catalog::CatalogueDiff& diff, const report::RenderOptions& options) {
  std::string out = report::wrapped(
      fmt::format(
          "{} -> {}: {} functions added, {} names removed, {} names renamed, {} deprecated, {} further "
          "names, {} unchanged",
          label(before), label(after), diff.added.size(), diff.removed.size(), diff.renamed.size(),
          diff.deprecated.size(), diff.new_names.size(), diff.unchanged),
      report::usable_width(options));
  list_names(out, "added", diff.added);
  list_names(out, "removed", diff.removed);
  std::vector<std::string> lines;
  for (const auto& row : diff.renamed) lines.push_back(row.from + " -> " + row.to);
  list_names(out, "renamed", lines);
  lines.clear();
  for (const auto& row : diff.deprecated) {
    lines.push_back(row.why.empty() ? row.name : row.name + ": " + ellipsize(one_line(row.why), 120));
  }
  list_names(out, "deprecated", lines);
  list_names(out, "further names", diff.new_names);
  return out;
}

std::string coverage_text(const std::vector<CoveredCatalogue>& covered,
                          const report::RenderOptions& options) {
  std::string out;
  for (const CoveredCatalogue& one : covered) {
    const catalog::Coverage& coverage = one.coverage;
    out += report::section_heading(label(coverage.head),
                                   fmt::format("{} functions that are not deprecated, {} deprecated",
                                               coverage.total, coverage.deprecated),
                                   options);
    TextTable table({{.head = "status"},
                     number_column("functions"),
                     number_column("share"),
                     number_column("verified"),
                     number_column("executed"),
                     number_column("compiled"),
                     number_column("failed"),
                     number_column("listed")});
    for (Cover status :
         {Cover::kCurated, Cover::kAutomatic, Cover::kNotTestable, Cover::kDeclared, Cover::kNone}) {
      std::vector<Cell> cells = {std::string(name_of(status)), fmt::format("{}", coverage.count(status)),
                                 percent(coverage.count(status), coverage.total)};
      const auto& levels = coverage.counts[static_cast<std::size_t>(status) - 1];
      for (std::size_t level = catalog::kLevels; level-- > 0;) {
        const bool means_something = status == Cover::kCurated || status == Cover::kAutomatic;
        cells.emplace_back(means_something ? fmt::format("{}", levels[level]) : std::string());
      }
      table.add_row(std::move(cells));
    }
    table.add_row({"all", fmt::format("{}", coverage.total), percent(coverage.total, coverage.total)});
    out += table.render(options);
    const std::int64_t reached = coverage.count(Level::kVerified) + coverage.count(Level::kExecuted);
    out += fmt::format("  verified or executed: {} of {} ({})\n", reached, coverage.total,
                       percent(reached, coverage.total));
    for (const auto& [reason, count] : coverage.reasons) {
      const std::string head = fmt::format("  not testable: {:>5}  ", count);
      out += head + report::wrapped(one_line(reason), report::usable_width(options),
                                    std::string(head.size(), ' '), head.size());
    }
    if (!one.frozen.empty()) {
      out += note_line(one.frozen, options);
    }
    for (const std::string& note : one.not_listed) {
      out += note_line(note, options);
    }
    if (!coverage.unmatched.empty()) {
      out += fmt::format("  note: {} functions with cases are not in the catalogue ({}{})\n",
                         coverage.unmatched.size(), one_line(coverage.unmatched.front()),
                         coverage.unmatched.size() > 1 ? ", ..." : "");
    }
    if (!coverage.deprecated_covered.empty()) {
      out +=
          fmt::format("  note: {} deprecated functions have cases too\n", coverage.deprecated_covered.size());
    }
  }
  return out;
}

}  // namespace seamark::cli
