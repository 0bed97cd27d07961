// The catalogue's JSON and CSV.
#include <fmt/format.h>

#include <initializer_list>
#include <string_view>

#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/catalog/names.h"
#include "seamark/catalog/rows.h"
#include "seamark/cli/catalog_text.h"
#include "seamark/cli/version.h"

namespace seamark::cli {
namespace {

std::string csv_row(std::initializer_list<std::string_view> fields) {
  std::vector<std::string> escaped;
  for (std::string_view field : fields) escaped.push_back(csv_field(one_line(field)));
  return join(escaped, ",") + "\r\n";
}

Value document(std::string_view schema) {
  Value top;
  top.set("schema", schema);
  top.set("seamark", version());
  return top;
}

Value head_value(const CatalogueHead& head) {
  Value value;
  value.set("framework", head.framework);
  value.set("version", head.version);
  value.set("rule_version", head.rule_version);
  value.set("functions", head.functions);
  value.set("flat", head.flat);
  value.set("flat_all", head.flat_all);
  value.set("modules", head.modules);
  return value;
}

}  // namespace

std::string catalogue_json(const std::vector<WalkedCatalogue>& walked) {
  Value top = document("seamark-catalog/1");
  Value list{Value::Array{}};
  for (const WalkedCatalogue& one : walked) {
    Value item = head_value(one.catalogue.head);
    item.set("names_hash", catalog::hash_of_names(one.catalogue));
    item.set("study_functions", one.rules.study_functions == 0 ? Value() : Value(one.rules.study_functions));
    item.set("study_version", text_or_null(one.rules.study_version));
    item.set("frozen", text_or_null(frozen_note(one.catalogue, one.rules)));
    Value excluded{Value::Array{}};
    for (const CatalogueExclusion& exclusion : one.catalogue.exclusions) {
      Value row;
      row.set("reason", exclusion.reason);
      row.set("count", exclusion.count);
      row.set("examples", text_list(exclusion.examples));
      excluded.push(std::move(row));
    }
    item.set("excluded", std::move(excluded));
    Value broken{Value::Array{}};
    for (const CatalogueBroken& module : one.catalogue.broken) {
      Value row;
      row.set("module", module.module);
      row.set("error", module.error);
      broken.push(std::move(row));
    }
    item.set("modules_not_imported", std::move(broken));
    Value functions{Value::Array{}};
    for (const CatalogueFunction& function : one.catalogue.functions) {
      functions.push(catalog::function_row(function));
    }
    item.set("catalogue", std::move(functions));
    list.push(std::move(item));
  }
  top.set("catalogues", std::move(list));
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
                      const catalog::CatalogueDiff& diff) {
  Value top = document("seamark-catalog-diff/1");
  top.set("before", head_value(before));
  top.set("after", head_value(after));
  top.set("added", text_list(diff.added));
  top.set("removed", text_list(diff.removed));
  Value renamed{Value::Array{}};
  for (const auto& row : diff.renamed) {
    Value item;
    item.set("from", row.from);
    item.set("to", row.to);
    renamed.push(std::move(item));
  }
  top.set("renamed", std::move(renamed));
  Value deprecated{Value::Array{}};
  for (const auto& row : diff.deprecated) {
    Value item;
    item.set("name", row.name);
    item.set("why", text_or_null(row.why));
    deprecated.push(std::move(item));
  }
  top.set("deprecated", std::move(deprecated));
  top.set("new_names", text_list(diff.new_names));
  top.set("unchanged", diff.unchanged);
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

std::string coverage_json(const std::vector<CoveredCatalogue>& covered) {
  Value top = document("seamark-coverage/1");
  Value list{Value::Array{}};
  for (const CoveredCatalogue& one : covered) {
    const catalog::Coverage& coverage = one.coverage;
    Value item = head_value(coverage.head);
    item.set("total", coverage.total);
    item.set("deprecated", coverage.deprecated);
    Value statuses;
    for (std::size_t status = 0; status < catalog::kCovers; ++status) {
      Value row;
      const auto cover = static_cast<catalog::Cover>(status + 1);
      row.set("functions", coverage.count(cover));
      for (std::size_t level = catalog::kLevels; level-- > 0;) {
        if (cover != catalog::Cover::kCurated && cover != catalog::Cover::kAutomatic) break;
        row.set(name_of(static_cast<catalog::Level>(level + 1)), coverage.counts[status][level]);
      }
      statuses.set(name_of(cover), std::move(row));
    }
    item.set("statuses", std::move(statuses));
    Value reasons{Value::Object{}};
    for (const auto& [reason, count] : coverage.reasons) reasons.set(reason, count);
    item.set("not_testable", std::move(reasons));
    item.set("frozen", text_or_null(one.frozen));
    item.set("not_listed", text_list(one.not_listed));
    item.set("not_in_catalogue", text_list(coverage.unmatched));
    item.set("deprecated_with_cases", text_list(coverage.deprecated_covered));
    Value functions{Value::Array{}};
    for (const catalog::FunctionCover& row : coverage.functions) {
      const bool has_case = !row.suite.empty();
      Value function;
      function.set("name", row.function->name);
      function.set("kind", row.function->kind);
      function.set("status", name_of(row.cover));
      function.set("level", has_case ? Value(name_of(row.level)) : Value());
      function.set("suite", text_or_null(row.suite));
      function.set("reason", text_or_null(row.reason));
      functions.push(std::move(function));
    }
    item.set("catalogue", std::move(functions));
    list.push(std::move(item));
  }
  top.set("coverage", std::move(list));
  return dump_json_pretty(top);
}

std::string coverage_csv(const std::vector<CoveredCatalogue>& covered) {
  std::string out = csv_row({"framework", "version", "name", "kind", "status", "level", "suite", "reason"});
  for (const CoveredCatalogue& one : covered) {
    const CatalogueHead& head = one.coverage.head;
    for (const catalog::FunctionCover& row : one.coverage.functions) {
      out +=
          csv_row({head.framework, head.version, row.function->name, row.function->kind, name_of(row.cover),
                   row.suite.empty() ? "" : name_of(row.level), row.suite, row.reason});
    }
  }
  return out;
}

}  // namespace seamark::cli
