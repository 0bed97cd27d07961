#include "seamark/catalog/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "seamark/base/config.h"
#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/catalog/names.h"

namespace seamark::catalog {

Result<Rules> Rules::parse(std::string_view toml, std::string_view file) {
  Result<Value> document = parse_toml(toml, file);
  if (!document) return document.error();
  Problems problems(file);
  TableReader top(*document, problems);
  Rules rules;
  rules.framework = top.need_string("framework");
  rules.rule_version = top.integer("rule_version", 0, {.min = 1});
  if (!top.has("rule_version")) top.problem("rule_version", "a number from 1 is needed");
  if (!top.has("root")) top.problem("root", "the modules to walk are needed");
  rules.suites = top.strings("suites");
  if (auto study = top.table("study")) {
    rules.study_version = study->need_string("version");
    rules.study_functions = study->integer("functions", 0, {.min = 1});
    study->finish();
  }
  for (TableReader& table : top.tables("not_testable")) {
    NotTestable rule;
    rule.reason = table.need_string("reason");
    rule.names = table.strings("names");
    rule.kinds = table.strings("kinds");
    if (rule.names.empty() && rule.kinds.empty()) table.problem("names", "names or kinds are needed");
    table.finish();
    rules.not_testable.push_back(std::move(rule));
  }
  for (TableReader& table : top.tables("implied")) {
    Implied rule;
    rule.reason = table.need_string("reason");
    rule.names = table.strings("names");
    table.finish();
    rules.implied.push_back(std::move(rule));
  }
  // The agent's part.
  for (const char* key :
       {"root", "owners", "discover", "modules", "module_prefixes", "environment", "function_types",
        "ufunc_types", "prefer", "avoid", "deprecated_docs", "deprecated", "extra", "exclude", "declared"}) {
    (void)top.any(key);
  }
  top.finish();
  if (Status status = problems.status(); !status) return status.error();
  rules.document = std::move(*document);
  return rules;
}

Result<std::vector<Frozen>> parse_frozen(std::string_view toml, std::string_view file) {
  const Result<Value> document = parse_toml(toml, file);
  if (!document) return document.error();
  Problems problems(file);
  TableReader top(*document, problems);
  std::vector<Frozen> list;
  for (TableReader& table : top.tables("catalogue")) {
    Frozen frozen;
    frozen.framework = table.need_string("framework");
    frozen.version = table.need_string("version");
    frozen.rule_version = table.integer("rule_version", 0, {.min = 1});
    frozen.functions = table.integer("functions", 0, {.min = 1});
    frozen.deprecated = table.integer("deprecated", 0, {.min = 0});
    frozen.flat = table.integer("flat", 0, {.min = 1});
    frozen.names_hash = table.need_string("names_hash");
    table.finish();
    list.push_back(std::move(frozen));
  }
  top.finish();
  if (Status status = problems.status(); !status) return status.error();
  return list;
}

Result<Rules> Rules::load(const std::filesystem::path& folder, std::string_view framework) {
  const std::filesystem::path file = folder / fmt::format("{}.toml", framework);
  const Result<std::string> text = read_file(file);
  if (!text) {
    return Error(
        CatalogError::kBadRules,
        fmt::format("there are no rules for a catalogue of {}: {}", framework, text.error().message()),
        "reinstall seamark");
  }
  Result<Rules> rules = parse(*text, file.string());
  if (!rules) return rules.error();
  const std::filesystem::path frozen_file = folder / "frozen.toml";
  const Result<std::string> frozen_text = read_file(frozen_file);
  if (!frozen_text) return frozen_text.error();
  Result<std::vector<Frozen>> frozen = parse_frozen(*frozen_text, frozen_file.string());
  if (!frozen) return frozen.error();
  for (Frozen& one : *frozen) {
    if (one.framework == framework) rules->frozen.push_back(std::move(one));
  }
  return rules;
}

Result<std::vector<std::string>> shipped_names(const std::filesystem::path& folder,
                                               std::string_view framework) {
  const Result<std::string> text = read_file(folder / fmt::format("{}.txt", framework));
  if (!text) return text.error();
  std::vector<std::string> names;
  for (const std::string_view line : split_lines(*text)) {
    if (!line.empty()) names.emplace_back(line);
  }
  return names;
}

Result<std::vector<std::string>> frozen_names(const std::filesystem::path& folder, std::string_view framework,
                                              std::string_view version) {
  const Result<Rules> rules = Rules::load(folder, framework);
  if (!rules) return rules.error();
  if (rules->frozen_for(version) == nullptr) return std::vector<std::string>();
  return shipped_names(folder, framework);
}

const Frozen* Rules::frozen_for(std::string_view version) const {
  const auto found = std::find_if(frozen.begin(), frozen.end(), [&](const Frozen& one) {
    return public_version(one.version) == public_version(version);
  });
  return found == frozen.end() ? nullptr : &*found;
}

}  // namespace seamark::catalog
