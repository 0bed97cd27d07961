#include "seamark/catalog/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "seamark/base/text.h"
#include "seamark/catalog/row.h"

namespace seamark::catalog {
namespace {

constexpr int kSchema = 1;

CatalogueFunction read_function(Row& row) {
  CatalogueFunction function;
  function.name = row.text("name", true);
  function.aliases = row.texts("aliases");
  function.deprecated_aliases = row.texts("deprecated_aliases");
  function.kind = row.text("kind", true);
  function.holder = row.text("class");
  function.bases = row.texts("bases");
  function.module = row.text("module");
  function.qualname = row.text("qualname");
  function.signature = row.text("signature");
  function.signature_from = row.text("signature_from");
  function.signature_reason = row.text("signature_reason");
  function.deprecated = row.text("deprecated");
  function.documented = row.flag("documented");
  function.declared = row.texts("declared");
  function.note = row.text("note");
  return function;
}

// Takes rows in their order.
class Reader {
 public:
  std::string take(const Value& value) {
    Row row(value);
    const std::string kind = row.text("row", true);
    if (!started_ && kind != "catalog") return "is no beginning of a catalogue";
    if (ended_) return "comes after the end";
    if (kind == "catalog") {
      if (started_) return "begins a second catalogue";
      if (row.count("schema") != kSchema) return "is of another schema";
      started_ = true;
      catalogue_.head.framework = row.text("framework", true);
      catalogue_.head.version = row.text("version", true);
      catalogue_.head.rule_version = row.count("rule_version");
      catalogue_.head.python = row.text("python");
      catalogue_.head.taken_unix_us = row.count("taken_us", false);
    } else if (kind == "function") {
      catalogue_.functions.push_back(read_function(row));
    } else if (kind == "excluded") {
      catalogue_.exclusions.push_back({row.text("reason", true), row.count("count"), row.texts("examples")});
    } else if (kind == "module") {
      catalogue_.broken.push_back({row.text("name", true), row.text("error")});
    } else if (kind == "end") {
      ended_ = true;
      catalogue_.head.functions = row.count("functions");
      catalogue_.head.modules = row.count("modules");
      catalogue_.head.flat = row.count("flat");
      catalogue_.head.flat_all = row.count("flat_all");
    } else {
      return fmt::format("is of an unknown kind '{}'", kind);
    }
    return row.problem();
  }

  Result<Catalogue> finish() {
    auto& functions = catalogue_.functions;
    if (!ended_ || std::cmp_not_equal(functions.size(), catalogue_.head.functions)) {
      return Error(CatalogError::kBadRow,
                   fmt::format("the catalogue is not whole: {} functions{}", functions.size(),
                               ended_ ? fmt::format(" of {}", catalogue_.head.functions) : ", no end"),
                   "make it again with `seamark catalog`");
    }
    std::sort(functions.begin(), functions.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    const auto twice = std::adjacent_find(functions.begin(), functions.end(),
                                          [](const auto& a, const auto& b) { return a.name == b.name; });
    if (twice != functions.end()) {
      return Error(CatalogError::kBadRow, fmt::format("two functions have the name {}", twice->name));
    }
    return std::move(catalogue_);
  }

 private:
  Catalogue catalogue_;
  bool started_ = false;
  bool ended_ = false;
};

}  // namespace

Result<Catalogue> decode_rows(std::string_view lines) {
  Reader reader;
  std::size_t number = 0;
  for (std::string_view line : split_lines(lines)) {
    ++number;
    if (trim(line).empty()) continue;
    const Result<Value> value = parse_json(line, kRowLimits);
    std::string problem = value ? (value->is_object() ? reader.take(*value) : "is no object") : "is no JSON";
    if (!problem.empty()) {
      return Error(CatalogError::kBadRow,
                   fmt::format("line {} of the catalogue: it {}: {}", number, problem,
                               ellipsize(one_line(utf8_prefix(repair_utf8(line.substr(0, 400)), 160)), 120)),
                   "a catalogue is what `seamark catalog --format jsonl` writes");
    }
  }
  return reader.finish();
}

Value function_row(const CatalogueFunction& function) {
  Value row;
  row.set("row", "function");
  row.set("name", function.name);
  row.set("aliases", text_list(function.aliases));
  row.set("deprecated_aliases", text_list(function.deprecated_aliases));
  row.set("kind", function.kind);
  row.set("class", text_or_null(function.holder));
  row.set("bases", text_list(function.bases));
  row.set("module", text_or_null(function.module));
  row.set("qualname", text_or_null(function.qualname));
  row.set("signature", text_or_null(function.signature));
  row.set("signature_from", text_or_null(function.signature_from));
  row.set("signature_reason", text_or_null(function.signature_reason));
  row.set("deprecated", text_or_null(function.deprecated));
  row.set("documented", function.documented);
  row.set("declared", text_list(function.declared));
  row.set("note", text_or_null(function.note));
  return row;
}

std::string encode_rows(const Catalogue& catalogue) {
  const CatalogueHead& head = catalogue.head;
  Value first;
  first.set("row", "catalog");
  first.set("schema", kSchema);
  first.set("framework", head.framework);
  first.set("version", head.version);
  first.set("rule_version", head.rule_version);
  first.set("python", text_or_null(head.python));
  first.set("taken_us", head.taken_unix_us);
  std::string out = dump_json(first) + "\n";
  for (const CatalogueFunction& function : catalogue.functions)
    out += dump_json(function_row(function)) + "\n";
  for (const CatalogueExclusion& exclusion : catalogue.exclusions) {
    Value row;
    row.set("row", "excluded");
    row.set("reason", exclusion.reason);
    row.set("count", exclusion.count);
    row.set("examples", text_list(exclusion.examples));
    out += dump_json(row) + "\n";
  }
  for (const CatalogueBroken& broken : catalogue.broken) {
    Value row;
    row.set("row", "module");
    row.set("name", broken.module);
    row.set("error", broken.error);
    out += dump_json(row) + "\n";
  }
  Value last;
  last.set("row", "end");
  last.set("functions", head.functions);
  last.set("modules", head.modules);
  last.set("flat", head.flat);
  last.set("flat_all", head.flat_all);
  return out + dump_json(last) + "\n";
}

}  // namespace seamark::catalog
