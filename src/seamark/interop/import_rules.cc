#include "seamark/interop/import_rules.h"

#include <algorithm>

#include "seamark/base/config.h"
#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/classify/explain.h"
#include "seamark/model/target_name.h"

namespace seamark::interop {

namespace {

bool is_one_of(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool has_any(const std::vector<std::string>& parts, std::string_view text) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const std::string& part) { return text.find(part) != std::string_view::npos; });
}

// "_word" at the end.
std::string_view last_word(std::string_view name) {
  const std::size_t at = name.rfind('_');
  return at == std::string_view::npos ? std::string_view() : name.substr(at + 1);
}

// pytest marks the lines of the error itself with an E; the last block of them is the exception.
std::string error_lines(std::string_view longrepr) {
  std::string block;
  bool ended = true;
  for (const std::string_view line : split_lines(longrepr)) {
    const bool marked = line.starts_with("E  ");
    if (marked) {
      if (ended) block.clear();
      if (!block.empty()) block += '\n';
      block += trim(line.substr(1));
    }
    ended = !marked;
  }
  return block;
}

void set_type(Failure& failure, std::string_view text) {
  if (text.starts_with("assert ")) {  // pytest leaves the type out where it rewrote an assertion
    failure.type = "AssertionError";
    failure.message = std::string(text);
    return;
  }
  classify::ParsedError parsed = classify::parse_error_text(text);
  failure.type = std::move(parsed.type);
  failure.message = parsed.message.empty() ? std::string(text) : std::move(parsed.message);
}

std::vector<std::string> strip_device(const std::vector<std::string>& words, NameFacts& facts,
                                      const ImportRules& rules) {
  std::vector<std::string> kept;
  for (const std::string& word : words) {
    if (is_one_of(rules.devices, word)) {
      kept.emplace_back("*");
      continue;
    }
    const auto dtype = rules.dtypes.find(word);
    if (dtype != rules.dtypes.end() && facts.dtype.empty()) facts.dtype = dtype->second;
    kept.push_back(word);
  }
  return kept;
}

// test_add_cpu_float32, test_add_cpu; a class beside it ends in CPU.
void strip_suffix(NameFacts& facts, const ImportRules& rules) {
  std::string_view name = facts.joined.parts.back();
  std::string tail;
  const auto dtype = rules.dtypes.find(last_word(name));
  if (dtype != rules.dtypes.end()) {
    facts.dtype = dtype->second;
    tail = "_" + dtype->first;
    name.remove_suffix(tail.size());
  }
  const std::string_view device = last_word(name);
  if (!is_one_of(rules.devices, device)) return;
  const std::string upper_device = [&] {
    std::string text(device);
    for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return text;
  }();
  facts.bare = std::string(name.substr(0, name.size() - device.size() - 1));
  facts.joined.parts.back() = facts.bare + "_*" + tail;
  for (std::size_t i = facts.joined.file + 1; i + 1 < facts.joined.parts.size(); ++i) {
    std::string& part = facts.joined.parts[i];
    if (part.ends_with(upper_device)) part.resize(part.size() - upper_device.size());
  }
}

}  // namespace

Result<ImportRules> ImportRules::parse(std::string_view toml, std::string_view file) {
  const Result<Value> document = parse_toml(toml, file);
  if (!document) return Error(InteropError::kBadRules, document.error().message());
  Problems problems(file);
  TableReader top(*document, problems);
  ImportRules rules;
  rules.devices = top.strings("devices");
  rules.array_classes = top.strings("array_classes");
  rules.comparison = top.strings("comparison");
  rules.timeout = top.strings("timeout");
  rules.crash = top.strings("crash");
  for (auto& [name, ours] : top.string_map("dtypes")) rules.dtypes[name] = ours;
  if (std::optional<TableReader> table = top.table("templates")) {
    for (const std::string_view framework : kFrameworks) {
      rules.templates[std::string(framework)] = table->strings(framework);
    }
    table->finish();
  }
  top.finish();
  if (Status status = problems.status(); !status)
    return Error(InteropError::kBadRules, status.error().message(), status.error().remedy());
  return rules;
}

Result<ImportRules> ImportRules::load(const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file);
  if (!text) {
    return Error(InteropError::kBadRules, text.error().message(),
                 "the installation is not complete; set SEAMARK_HOME or install again");
  }
  return parse(*text, file.string());
}

NameFacts facts_of(const TestName& name, const ImportRules& rules) {
  NameFacts facts;
  facts.joined = name;
  facts.bare = name.parts.back();
  if (!name.parameters.empty()) {
    std::vector<std::string> words;
    for (const std::string_view word : split(name.parameters, '-')) words.emplace_back(word);
    facts.joined.parameters = join(strip_device(words, facts, rules), "-");
  }
  strip_suffix(facts, rules);
  return facts;
}

void tell_failure(ForeignTest& test, std::string_view stage, std::string_view message,
                  std::string_view longrepr, const ImportRules& rules) {
  Failure failure;
  failure.stage = std::string(stage);
  failure.traceback = bounded_text(longrepr, kMostTraceBytes);
  std::string text = bounded_text(message, kMostMessageBytes);
  if (trim(text).empty()) text = bounded_text(error_lines(failure.traceback), kMostMessageBytes);
  if (trim(text).empty()) text = bounded_text(failure.traceback, kMostMessageBytes);
  set_type(failure, trim(text));
  test.outcome = Outcome::kFail;
  if (has_any(rules.crash, failure.message)) {
    test.outcome = Outcome::kCrash;
    failure.stage = "worker";
  } else if (has_any(rules.timeout, failure.message)) {
    test.outcome = Outcome::kTimeout;
  } else if (has_any(rules.comparison, failure.message)) {
    failure.stage = "compare";
  }
  test.failure = std::move(failure);
}

}  // namespace seamark::interop
