#include "seamark/report/build/catalog_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "seamark/base/text.h"
#include "seamark/catalog/names.h"

namespace seamark::report {
namespace {

using catalog::Cover;
using catalog::Level;
using Align = Column::Align;

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

TextTable exclusions(const Catalogue& catalogue) {
  std::map<std::string, Family> families;
  for (const CatalogueExclusion& row : catalogue.exclusions) {
    Family& family = families[family_of(row.reason)];
    family.count += row.count;
    if (family.example.empty() && !row.examples.empty()) family.example = row.examples.front();
  }
  std::vector<std::pair<std::string, Family>> sorted(families.begin(), families.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.count > b.second.count; });
  TextTable table({{"left out", Align::kRight},
                   {.head = "because", .elastic = 24},
                   {.head = "for example", .optional = 1, .elastic = 20, .keep_end = true}});
  for (const auto& [reason, family] : sorted) {
    table.add_row({fmt::format("{}", family.count), reason, Cell(family.example, Tone::kDim)});
  }
  return table;
}

std::string kinds_line(const Catalogue& catalogue) {
  std::map<std::string, std::int64_t> kinds;
  for (const CatalogueFunction& function : catalogue.functions) ++kinds[function.kind];
  std::vector<std::string> parts;
  for (const auto& [kind, count] : kinds) parts.push_back(fmt::format("{} {}", count, kind));
  return join(parts, ", ");
}

std::string share_of(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? "-"
                    : fmt::format("{:.1f}%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string label(const CatalogueHead& head) { return fmt::format("{} {}", head.framework, head.version); }

// Of the functions that are called most: the share of their calls that each level answers for.
TextTable calls_table(const catalog::Coverage& coverage) {
  TextTable table({{"of the calls"},
                   {"functions", Align::kRight},
                   {"curated", Align::kRight},
                   {"verified", Align::kRight},
                   {"executed", Align::kRight},
                   {"compiled", Align::kRight},
                   {"failed", Align::kRight},
                   {"listed", Align::kRight},
                   {"no case", Align::kRight}});
  for (const catalog::CallBand& band : coverage.by_calls) {
    std::vector<Cell> cells = {
        band.percent == 100 ? std::string("all") : fmt::format("first {}%", band.percent),
        fmt::format("{}", band.functions), share_of(band.curated, band.calls)};
    for (std::size_t level = catalog::kLevels; level-- > 0;)
      cells.emplace_back(share_of(band.by_level[level], band.calls));
    cells.emplace_back(share_of(band.uncovered, band.calls));
    table.add_row(std::move(cells));
  }
  return table;
}

Section names_section(std::string_view title, const std::vector<std::string>& names) {
  Section section;
  section.id = title;
  section.heading = fmt::format("{} ({})", title, names.size());
  if (!names.empty()) section.blocks.emplace_back(Items{names});
  return section;
}

TextTable status_table(const catalog::Coverage& coverage) {
  TextTable table({{"status"},
                   {"functions", Align::kRight},
                   {"share", Align::kRight},
                   {"verified", Align::kRight},
                   {"executed", Align::kRight},
                   {"compiled", Align::kRight},
                   {"failed", Align::kRight},
                   {"listed", Align::kRight}});
  for (const Cover status :
       {Cover::kCurated, Cover::kAutomatic, Cover::kNotTestable, Cover::kDeclared, Cover::kNone}) {
    std::vector<Cell> cells = {std::string(name_of(status)), fmt::format("{}", coverage.count(status)),
                               share_of(coverage.count(status), coverage.total)};
    const auto& levels = coverage.counts[static_cast<std::size_t>(status) - 1];
    const bool has_levels = status == Cover::kCurated || status == Cover::kAutomatic;
    for (std::size_t level = catalog::kLevels; has_levels && level-- > 0;)
      cells.emplace_back(fmt::format("{}", levels[level]));
    table.add_row(std::move(cells));
  }
  table.add_row({"all", fmt::format("{}", coverage.total), share_of(coverage.total, coverage.total)});
  return table;
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

Document catalogue_document(const std::vector<WalkedCatalogue>& walked) {
  TextTable table({{"framework"},
                   {"version"},
                   {"functions", Align::kRight},
                   {"deprecated", Align::kRight},
                   {"documented", Align::kRight},
                   {"flat names", Align::kRight},
                   {"of the study", Align::kRight}});
  Document document;
  document.sections.push_back({"frameworks", "Catalogues", {}, {}});
  for (const auto& [catalogue, rules] : walked) {
    const CatalogueHead& head = catalogue.head;
    table.add_row(
        {head.framework, head.version, fmt::format("{}", head.functions),
         fmt::format("{}", count_if(catalogue, [](const auto& f) { return !f.deprecated.empty(); })),
         fmt::format("{}", count_if(catalogue, [](const auto& f) { return f.documented; })),
         fmt::format("{}", head.flat),
         rules.study_functions == 0 ? std::string("-")
                                    : fmt::format("{} ({})", rules.study_functions, rules.study_version)});
    const std::string frozen = frozen_note(catalogue, rules);
    Section section{head.framework, label(head), kinds_line(catalogue), {}};
    section.say(
        fmt::format("{} modules walked by rules {}; {} flat names with other libraries' functions; {}.",
                    head.modules, head.rule_version, head.flat_all, frozen.empty() ? "as frozen" : frozen));
    if (TextTable left_out = exclusions(catalogue); !left_out.empty())
      section.blocks.emplace_back(std::move(left_out));
    Items broken;
    for (const CatalogueBroken& one : catalogue.broken)
      broken.texts.push_back(fmt::format("cannot be imported: {}: {}", one.module, one.error));
    if (!broken.texts.empty()) section.blocks.emplace_back(std::move(broken));
    document.add(std::move(section));
  }
  document.sections.front().blocks.emplace_back(std::move(table));
  return document;
}

Document diff_document(const catalog::CatalogueDiff& diff, const CatalogueHead& before,
                       const CatalogueHead& after) {
  Document document;
  document.head.push_back({fmt::format("{} -> {}:", label(before), label(after)),
                           fmt::format("{} functions added, {} names removed, {} names renamed, {} "
                                       "deprecated, {} further names, {} unchanged",
                                       diff.added.size(), diff.removed.size(), diff.renamed.size(),
                                       diff.deprecated.size(), diff.new_names.size(), diff.unchanged),
                           Tone::kStrong});
  std::vector<std::string> renamed;
  for (const auto& row : diff.renamed) renamed.push_back(row.from + " -> " + row.to);
  std::vector<std::string> deprecated;
  for (const auto& row : diff.deprecated)
    deprecated.push_back(row.why.empty() ? row.name : row.name + ": " + ellipsize(one_line(row.why), 120));
  document.add(names_section("added", diff.added));
  document.add(names_section("removed", diff.removed));
  document.add(names_section("renamed", renamed));
  document.add(names_section("deprecated", deprecated));
  document.add(names_section("further names", diff.new_names));
  return document;
}

Document coverage_document(const std::vector<CoveredCatalogue>& covered) {
  Document document;
  for (const auto& [coverage, frozen, not_listed, usage] : covered) {
    Section section{coverage.head.framework,
                    label(coverage.head),
                    fmt::format("{} functions that are not deprecated, {} deprecated", coverage.total,
                                coverage.deprecated),
                    {status_table(coverage)}};
    const std::int64_t reached = coverage.count(Level::kVerified) + coverage.count(Level::kExecuted);
    if (!coverage.by_calls.empty()) section.blocks.emplace_back(calls_table(coverage));
    Items facts{{fmt::format("verified or executed: {} of {} ({})", reached, coverage.total,
                             share_of(reached, coverage.total))}};
    if (!coverage.by_calls.empty()) {
      facts.texts.push_back(
          fmt::format("calls that are certain, of functions that the catalogue knows, by {}", usage));
    }
    for (const auto& [reason, count] : coverage.reasons)
      facts.texts.push_back(fmt::format("not testable: {}: {}", count, reason));
    if (!frozen.empty()) facts.texts.push_back("note: " + frozen);
    for (const std::string& note : not_listed) facts.texts.push_back("note: " + note);
    if (!coverage.unmatched.empty()) {
      facts.texts.push_back(fmt::format("note: {} functions with cases are not in the catalogue ({}{})",
                                        coverage.unmatched.size(), coverage.unmatched.front(),
                                        coverage.unmatched.size() > 1 ? ", ..." : ""));
    }
    if (!coverage.deprecated_covered.empty()) {
      facts.texts.push_back(
          fmt::format("note: {} deprecated functions have cases too", coverage.deprecated_covered.size()));
    }
    section.blocks.emplace_back(std::move(facts));
    document.add(std::move(section));
  }
  return document;
}

}  // namespace seamark::report
