#include "seamark/interop/function_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "seamark/base/csv.h"
#include "seamark/base/text.h"
#include "seamark/model/target_name.h"

namespace seamark::interop {

namespace {

constexpr std::size_t kCandidatesNamed = 4;

std::vector<std::string> listed(const std::set<std::string>* functions) {
  if (functions == nullptr) return {};
  return {functions->begin(), functions->end()};
}

template <typename Index>
std::vector<std::string> look_up(const Index& index, std::string_view name) {
  const auto found = index.find(name);
  return listed(found == index.end() ? nullptr : &found->second);
}

std::string flat_of(std::string_view name) { return replace_all(name, ".", "_"); }

// Users of TensorFlow write tf, tests the framework's name.
std::vector<std::string> roots_of(const std::string& framework, const Frameworks& frameworks) {
  const Framework* const known = frameworks.find(framework);
  if (known == nullptr || known->root == framework) return {framework};
  return {known->root, framework};
}

// One function, or none with the reason; nothing at all where there is no candidate.
Mapped only(const std::vector<std::string>& found, const char* rule, std::string_view asked) {
  Mapped mapped;
  if (found.empty()) return mapped;
  if (found.size() == 1) {
    mapped.function = found.front();
    mapped.rule = rule;
    return mapped;
  }
  const std::vector<std::string> named(
      found.begin(), found.begin() + static_cast<std::ptrdiff_t>(std::min(found.size(), kCandidatesNamed)));
  mapped.reason = fmt::format(
      "'{}' could be {}{}", asked, join(named, ", "),
      found.size() > named.size() ? fmt::format(" or {} more", found.size() - named.size()) : std::string());
  return mapped;
}

bool says_something(const Mapped& mapped) { return !mapped.function.empty() || !mapped.reason.empty(); }

std::string_view stem_of(std::string_view file) {
  if (file.starts_with("test_")) file.remove_prefix(5);
  for (const std::string_view ending : {"_tests", "_test"}) {
    if (file.ends_with(ending)) {
      file.remove_suffix(ending.size());
      break;
    }
  }
  return file;
}

}  // namespace

KnownFunctions::KnownFunctions(std::string framework, const ImportRules& rules)
    : framework_(std::move(framework)), rules_(rules) {}

void KnownFunctions::add(std::string_view name, std::string_view function) {
  const std::string own(function);
  functions_.insert(own);
  exact_[std::string(name)].insert(own);
  rooted_[flat_of(name)].insert(own);
  const std::vector<std::string> roots = roots_of(framework_, rules_.frameworks);
  for (const std::string& root : roots) {
    if (!name.starts_with(root + ".")) continue;
    const std::string_view rest = name.substr(root.size() + 1);
    flat_[flat_of(rest)].insert(own);
    for (const std::string& other : roots) {
      exact_[other + "." + std::string(rest)].insert(own);
      rooted_[other + "_" + flat_of(rest)].insert(own);
    }
  }
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return;
  for (const std::string_view part : split(name.substr(0, dot), '.')) {
    if (!part.empty() && (part[0] < 'A' || part[0] > 'Z')) modules_.emplace(part);
  }
  const auto& classes = rules_.array_classes;
  if (std::find(classes.begin(), classes.end(), name.substr(0, dot)) != classes.end())
    array_methods_.insert(own);
  last_[std::string(name.substr(dot + 1))].insert(own);
  folded_[lower_ascii(name.substr(dot + 1))].insert(own);
}

std::vector<std::string> KnownFunctions::exact(std::string_view name) const { return look_up(exact_, name); }

std::vector<std::string> KnownFunctions::flat_with_root(std::string_view name) const {
  return look_up(rooted_, name);
}

std::vector<std::string> KnownFunctions::flat(std::string_view name) const {
  const std::vector<std::string> rooted = flat_with_root(name);
  return rooted.empty() ? look_up(flat_, name) : rooted;
}

std::vector<std::string> KnownFunctions::last(std::string_view name) const {
  const std::string folded = lower_ascii(name);
  std::vector<std::string> found;
  if (folded != name) found = look_up(last_, name);
  if (found.empty()) found = look_up(folded_, folded);
  std::vector<std::string> others;
  bool alike = true;
  for (const std::string& one : found) {
    if (array_methods_.contains(one)) continue;
    const auto parts = split(one, '.');
    alike = alike && parts.back() == name && parts.size() > 1 && !begins_upper(parts[parts.size() - 2]);
    others.push_back(one);
  }
  return others.empty() || !alike ? found : others;
}

Result<std::vector<MapRow>> parse_map(std::string_view csv, std::string_view file,
                                      const Frameworks& frameworks) {
  const auto rows = parse_csv(csv, file);
  const std::string remedy = "its columns are a glob of test ids, a function, and perhaps a framework";
  if (!rows) return Error(InteropError::kBadInput, rows.error().message(), remedy);
  std::vector<MapRow> out;
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const std::vector<std::string>& row = (*rows)[i];
    if (i == 0 && row.size() >= 2 && trim(row[1]) == "function") continue;
    if (row.size() < 2 || row.size() > 3 || trim(row[0]).empty()) {
      return Error(InteropError::kBadInput,
                   fmt::format("{}: row {}: expected NODEID-GLOB,FUNCTION[,FRAMEWORK]", file, i + 1), remedy);
    }
    MapRow one{std::string(trim(row[0])), std::string(trim(row[1])), {}};
    if (row.size() == 3) one.framework = std::string(trim(row[2]));
    if ((!one.framework.empty() && !frameworks.has(one.framework)) ||
        one.function.find_first_of(" /[]\t") != std::string::npos || !is_utf8(one.glob + one.function) ||
        one.function.size() > kMostNameBytes) {
      return Error(InteropError::kBadInput,
                   fmt::format("{}: row {}: '{}' is no function of {}", file, i + 1,
                               bounded_name(one.function), frameworks.listed()),
                   remedy);
    }
    out.push_back(std::move(one));
  }
  return out;
}

Mapped FunctionMap::find(const ExternalTest& test, const NameFacts& facts) const {
  const std::string key = test.name.key();
  for (const MapRow& row : rows_) {
    if (!row.framework.empty() && row.framework != known_.framework()) continue;
    if (!glob_match(row.glob, test.id) && !glob_match(row.glob, key)) continue;
    Mapped mapped;
    mapped.left_out = row.function.empty() || row.function == "-";
    mapped.rule = "map";
    if (mapped.left_out) return mapped;
    const std::vector<std::string> known = known_.exact(row.function);
    mapped.function = known.size() == 1 ? known.front() : row.function;
    return mapped;
  }
  if (const Mapped found = by_parameters(test.name); says_something(found)) return found;
  if (const Mapped found = by_operator(facts); says_something(found)) return found;
  if (const Mapped found = by_test(test.name, facts); says_something(found)) return found;
  if (const Mapped found = by_file(test.name); says_something(found)) return found;
  Mapped none;
  none.reason = "neither its name nor its file names a function that is known";
  return none;
}

// test_foo[torch.add-cpu-float32]
Mapped FunctionMap::by_parameters(const TestName& name) const {
  std::set<std::string> found;
  for (const std::string_view word : split(name.parameters, '-')) {
    if (word.find('.') == std::string_view::npos) continue;
    for (std::string& one : known_.exact(word)) found.insert(std::move(one));
  }
  return only({found.begin(), found.end()}, "parameter", name.parameters);
}

// test_out_linalg_det_cpu_float32
Mapped FunctionMap::by_operator(const NameFacts& facts) const {
  const auto templates = rules_.templates.find(known_.framework());
  if (facts.joined.parts.back() == facts.bare || templates == rules_.templates.end()) return {};
  std::set<std::string> found;
  std::string asked;
  for (const std::string& one : templates->second) {
    if (!facts.bare.starts_with(one + "_")) continue;
    const std::string_view rest = std::string_view(facts.bare).substr(one.size() + 1);
    for (std::string& function : known_.flat(rest)) {
      asked = rest;
      found.insert(std::move(function));
    }
  }
  return only({found.begin(), found.end()}, "operator", asked);
}

// test_x_torch_nn_functional_relu, with or without device and dtype: from the framework's name to the end.
Mapped FunctionMap::by_test(const TestName& name, const NameFacts& facts) const {
  if (name.file + 1 >= name.parts.size()) return {};
  const std::string& bare = facts.bare;
  for (const std::string& root : roots_of(known_.framework(), rules_.frameworks)) {
    const std::size_t at = ("_" + bare).find("_" + root + "_");
    if (at == std::string::npos) continue;
    const std::string_view asked = std::string_view(bare).substr(at);
    if (const Mapped found = only(known_.flat_with_root(asked), "name", asked); says_something(found))
      return found;
  }
  return {};
}

// The study's: a file is named after its function.
Mapped FunctionMap::by_file(const TestName& name) const {
  if (name.file + 1 >= name.parts.size()) return {};  // a test that says no file
  const std::string_view stem = stem_of(name.parts.at(name.file));
  std::vector<std::string_view> names = {stem};
  // TensorFlow's: argmax_op_test.py.
  if (stem.ends_with("_op")) names.push_back(stem.substr(0, stem.size() - 3));
  Mapped doubt;
  for (const std::string_view one : names) {
    if (one.empty()) continue;
    const std::vector<std::string> by_last =
        known_.is_module(one) ? std::vector<std::string>() : known_.last(one);
    for (const std::vector<std::string>& found : {known_.exact(one), known_.flat(one), by_last}) {
      Mapped mapped = only(found, "file", one);
      if (!mapped.function.empty()) return mapped;
      if (!mapped.reason.empty() && doubt.reason.empty()) doubt = std::move(mapped);
      if (!doubt.reason.empty()) break;
    }
  }
  return doubt;
}

}  // namespace seamark::interop
