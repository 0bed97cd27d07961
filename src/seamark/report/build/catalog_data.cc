// What `seamark catalog` tells, in each format.
#include <fmt/format.h>

#include <initializer_list>
#include <string_view>

#include "seamark/base/text.h"
#include "seamark/catalog/names.h"
#include "seamark/catalog/rows.h"
#include "seamark/report/build/catalog_report.h"
#include "seamark/report/document/document_formats.h"
#include "seamark/report/render/data_parts.h"

namespace seamark::report {
namespace {

std::string csv_row(std::initializer_list<std::string_view> fields) {
  std::vector<std::string> escaped;
  for (std::string_view field : fields) escaped.push_back(csv_field(one_line(field)));
  return join(escaped, ",") + "\r\n";
}

Value head_value(const CatalogueHead& head) {
  Value value;
  value.set("framework", head.framework).set("version", head.version);
  value.set("rule_version", head.rule_version).set("functions", head.functions);
  value.set("flat", head.flat).set("flat_all", head.flat_all).set("modules", head.modules);
  return value;
}

Value catalogue_value(const WalkedCatalogue& walked) {
  const auto& [catalogue, rules] = walked;
  Value item = head_value(catalogue.head);
  item.set("names_hash", catalog::hash_of_names(catalogue));
  item.set("study_functions", rules.study_functions == 0 ? Value() : Value(rules.study_functions));
  item.set("study_version", text_or_null(rules.study_version));
  item.set("frozen", text_or_null(frozen_note(catalogue, rules)));
  item.set(
      "excluded", list_value(catalogue.exclusions, [](const CatalogueExclusion& one) {
        Value row;
        return row.set("reason", one.reason).set("count", one.count).set("examples", text_list(one.examples));
      }));
  item.set("modules_not_imported", list_value(catalogue.broken, [](const CatalogueBroken& one) {
             Value row;
             return row.set("module", one.module).set("error", one.error);
           }));
  item.set("catalogue", list_value(catalogue.functions, catalog::function_row));
  return item;
}

std::string catalogue_json(const std::vector<WalkedCatalogue>& walked, const RenderOptions& options) {
  Value top = headed_value("seamark-catalog/1", options);
  top.set("catalogues", list_value(walked, catalogue_value));
  return dump_json_pretty(top);
}

std::string catalogue_csv(const std::vector<WalkedCatalogue>& walked) {
  std::string out = csv_row({"framework", "version", "name", "kind", "class", "module", "deprecated",
                             "documented", "signature", "declared", "aliases"});
  for (const WalkedCatalogue& one : walked) {
    const CatalogueHead& head = one.catalogue.head;
    for (const CatalogueFunction& function : one.catalogue.functions) {
      out += csv_row({head.framework, head.version, function.name, function.kind, function.holder,
                      function.module, function.deprecated, function.documented ? "1" : "0",
                      function.signature, join(function.declared, " "), join(function.aliases, " ")});
    }
  }
  return out;
}

std::string diff_json(const CatalogueHead& before, const CatalogueHead& after,
                      const catalog::CatalogueDiff& diff, const RenderOptions& options) {
  Value top = headed_value("seamark-catalog-diff/1", options);
  top.set("before", head_value(before)).set("after", head_value(after));
  top.set("added", text_list(diff.added)).set("removed", text_list(diff.removed));
  top.set("renamed", list_value(diff.renamed, [](const auto& one) {
            Value row;
            return row.set("from", one.from).set("to", one.to);
          }));
  top.set("deprecated", list_value(diff.deprecated, [](const auto& one) {
            Value row;
            return row.set("name", one.name).set("why", text_or_null(one.why));
          }));
  top.set("new_names", text_list(diff.new_names)).set("unchanged", diff.unchanged);
  return dump_json_pretty(top);
}

std::string diff_csv(const catalog::CatalogueDiff& diff) {
  std::string out = csv_row({"change", "name", "to", "why"});
  for (const std::string& name : diff.added) out += csv_row({"added", name, "", ""});
  for (const std::string& name : diff.removed) out += csv_row({"removed", name, "", ""});
  for (const auto& row : diff.renamed) out += csv_row({"renamed", row.from, row.to, ""});
  for (const auto& row : diff.deprecated) out += csv_row({"deprecated", row.name, "", row.why});
  for (const std::string& name : diff.new_names) out += csv_row({"new-name", name, "", ""});
  return out;
}

Value cover_value(const catalog::FunctionCover& row) {
  Value function;
  function.set("name", row.function->name).set("kind", row.function->kind).set("status", name_of(row.cover));
  function.set("level", row.suite.empty() ? Value() : Value(name_of(row.level)));
  return function.set("suite", text_or_null(row.suite)).set("reason", text_or_null(row.reason));
}

Value band_value(const catalog::CallBand& band) {
  Value item;
  item.set("percent", band.percent).set("functions", band.functions).set("calls", band.calls);
  item.set("curated", band.curated);
  for (std::size_t level = catalog::kLevels; level-- > 0;)
    item.set(name_of(static_cast<catalog::Level>(level + 1)), band.by_level[level]);
  return item.set("no_case", band.uncovered);
}

Value coverage_value(const CoveredCatalogue& covered) {
  const catalog::Coverage& coverage = covered.coverage;
  Value item = head_value(coverage.head);
  item.set("total", coverage.total).set("deprecated", coverage.deprecated);
  Value statuses;
  for (std::size_t status = 0; status < catalog::kCovers; ++status) {
    const auto cover = static_cast<catalog::Cover>(status + 1);
    const bool has_levels = cover == catalog::Cover::kCurated || cover == catalog::Cover::kAutomatic;
    Value row;
    row.set("functions", coverage.count(cover));
    for (std::size_t level = catalog::kLevels; has_levels && level-- > 0;)
      row.set(name_of(static_cast<catalog::Level>(level + 1)), coverage.counts[status][level]);
    statuses.set(name_of(cover), std::move(row));
  }
  item.set("statuses", std::move(statuses));
  item.set("usage", text_or_null(covered.usage)).set("by_calls", list_value(coverage.by_calls, band_value));
  Value reasons{Value::Object{}};
  for (const auto& [reason, count] : coverage.reasons) reasons.set(reason, count);
  item.set("not_testable", std::move(reasons)).set("frozen", text_or_null(covered.frozen));
  item.set("not_listed", text_list(covered.not_listed));
  item.set("not_in_catalogue", text_list(coverage.unmatched));
  item.set("deprecated_with_cases", text_list(coverage.deprecated_covered));
  return item.set("catalogue", list_value(coverage.functions, cover_value));
}

std::string coverage_json(const std::vector<CoveredCatalogue>& covered, const RenderOptions& options) {
  Value top = headed_value("seamark-coverage/1", options);
  top.set("coverage", list_value(covered, coverage_value));
  return dump_json_pretty(top);
}

std::string coverage_csv(const std::vector<CoveredCatalogue>& covered) {
  std::string out =
      csv_row({"framework", "version", "name", "kind", "status", "level", "suite", "reason", "calls"});
  for (const CoveredCatalogue& one : covered) {
    const CatalogueHead& head = one.coverage.head;
    for (const catalog::FunctionCover& row : one.coverage.functions) {
      out += csv_row({head.framework, head.version, row.function->name, row.function->kind,
                      name_of(row.cover), row.suite.empty() ? "" : name_of(row.level), row.suite, row.reason,
                      fmt::format("{}", row.calls)});
    }
  }
  return out;
}

}  // namespace

std::string render_catalogues(Format format, const std::vector<WalkedCatalogue>& walked,
                              const RenderOptions& options) {
  if (format == Format::kJson) return catalogue_json(walked, options);
  if (format == Format::kCsv) return catalogue_csv(walked);
  return render(format, "catalogue", catalogue_document(walked), options);
}

std::string render_diff(Format format, const catalog::CatalogueDiff& diff, const CatalogueHead& before,
                        const CatalogueHead& after, const RenderOptions& options) {
  if (format == Format::kJson) return diff_json(before, after, diff, options);
  if (format == Format::kCsv) return diff_csv(diff);
  return render(format, "what a version changed", diff_document(diff, before, after), options);
}

std::string render_coverage(Format format, const std::vector<CoveredCatalogue>& covered,
                            const RenderOptions& options) {
  if (format == Format::kJson) return coverage_json(covered, options);
  if (format == Format::kCsv) return coverage_csv(covered);
  return render(format, "coverage", coverage_document(covered), options);
}

}  // namespace seamark::report
