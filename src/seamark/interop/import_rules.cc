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

// What a name ends in: test_add_cpu_float32, and between brackets torch.add-cpu-float32.
struct Ending {
  std::string_view device;  // the last word before the dtypes, where it is a device's
  std::size_t at = 0;       // where that word begins
  std::string dtype;        // the last of them
};

Ending ending_of(std::string_view name, char separator, const ImportRules& rules,
                 const DeviceNames& devices) {
  Ending ending;
  const auto at_end = [&](const auto& dtype) {
    return name.ends_with(dtype.first) && name.size() > dtype.first.size() &&
           name[name.size() - dtype.first.size() - 1] == separator;
  };
  while (true) {
    const auto dtype = std::find_if(rules.dtypes.begin(), rules.dtypes.end(), at_end);
    if (dtype == rules.dtypes.end()) break;
    if (ending.dtype.empty()) ending.dtype = dtype->second;
    name.remove_suffix(dtype->first.size() + 1);
  }
  ending.at = name.rfind(separator) + 1;  // the first word: npos + 1
  const std::string_view word = name.substr(ending.at);
  if (is_one_of(devices.all, word)) ending.device = word;
  return ending;
}

std::string upper_ascii(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return upper;
}

// TestOpsCPU: the classes that PyTorch makes of one for each device end in its name.
bool is_class_of(std::string_view part, std::string_view device) {
  return begins_upper(part) && part.size() > device.size() && part.ends_with(upper_ascii(device));
}

// The device that a class of the test is of.
std::string_view device_of_classes(const TestName& name, const DeviceNames& devices) {
  for (std::size_t i = name.file; i + 1 < name.parts.size(); ++i) {
    for (const std::string& device : devices.all) {
      if (is_class_of(name.parts[i], device)) return device;
    }
  }
  return {};
}

// torch.add-cpu-float32: a device before the dtype is the test's. Elsewhere (copy[cpu-cuda]) it may be
// anything's.
void read_parameters(NameFacts& facts, const ImportRules& rules, const DeviceNames& devices) {
  const Ending ending = ending_of(facts.joined.parameters, '-', rules, devices);
  if (!ending.dtype.empty()) facts.device = ending.device;
  std::vector<std::string> words;
  for (const std::string_view word : split(facts.joined.parameters, '-')) {
    const auto dtype = rules.dtypes.find(word);
    if (dtype != rules.dtypes.end() && facts.dtype.empty()) facts.dtype = dtype->second;
    words.emplace_back(is_one_of(devices.own, word) ? "*" : word);
  }
  facts.joined.parameters = join(words, "-");
}

// TestOpsCPU.test_add_cpu_float32, TestOpsCPU.test_add_cpu. Where neither a class nor a dtype shows that the
// last word is the device that the test runs on, it may be what is copied to: test_copy_to_cpu.
void read_name(NameFacts& facts, bool knows_classes, const ImportRules& rules, const DeviceNames& devices) {
  const std::string name = facts.joined.parts.back();
  const std::string_view of_classes = device_of_classes(facts.joined, devices);
  Ending ending = ending_of(name, '_', rules, devices);
  if (!ending.dtype.empty()) facts.dtype = ending.dtype;
  if (!ending.device.empty() && (!ending.dtype.empty() || ending.device == of_classes || !knows_classes)) {
    facts.device = ending.device;
  } else if (!of_classes.empty()) {
    facts.device = of_classes;
  }
  // TestOpsCPU.test_add_cpu_qint8: before a dtype that is not known.
  if (ending.device.empty() && !of_classes.empty()) {
    const std::size_t at = name.rfind("_" + std::string(of_classes) + "_");
    if (at != std::string::npos) ending = {of_classes, at + 1, {}};
  }
  if (ending.device.empty() || ending.at == 0) return;
  facts.bare = name.substr(0, ending.at - 1);
  if (!is_one_of(devices.own, ending.device)) return;
  facts.joined.parts.back() = facts.bare + "_*" + name.substr(ending.at + ending.device.size());
  for (std::size_t i = facts.joined.file; i + 1 < facts.joined.parts.size(); ++i) {
    std::string& part = facts.joined.parts[i];
    for (const std::string& device : devices.own) {
      if (!is_class_of(part, device)) continue;
      part.resize(part.size() - device.size());
      break;
    }
  }
}

}  // namespace

Result<ImportRules> ImportRules::parse(std::string_view toml, std::string_view file,
                                       const Frameworks& frameworks) {
  const Result<Value> document = parse_toml(toml, file);
  if (!document) return Error(InteropError::kBadRules, document.error().message());
  Problems problems(file);
  TableReader top(*document, problems);
  ImportRules rules;
  rules.frameworks = frameworks;
  rules.array_classes = top.strings("array_classes");
  rules.comparison = top.strings("comparison");
  rules.timeout = top.strings("timeout");
  rules.crash = top.strings("crash");
  for (auto& [name, ours] : top.string_map("dtypes")) rules.dtypes[name] = ours;
  if (std::optional<TableReader> table = top.table("devices")) {
    for (const Framework& known : frameworks.all()) {
      const std::string& framework = known.name;
      for (const auto& [family, names] : table->string_map(framework)) {
        for (const std::string_view name : split(names, ' '))
          rules.devices[framework][family].emplace_back(name);
      }
    }
    table->finish();
  }
  if (std::optional<TableReader> table = top.table("templates")) {
    for (const Framework& known : frameworks.all()) {
      const std::string& framework = known.name;
      rules.templates[framework] = table->strings(framework);
    }
    table->finish();
  }
  top.finish();
  if (Status status = problems.status(); !status)
    return Error(InteropError::kBadRules, status.error().message(), status.error().remedy());
  return rules;
}

Result<ImportRules> ImportRules::load(const std::filesystem::path& file, const Frameworks& frameworks) {
  const Result<std::string> text = read_file(file);
  if (!text) {
    return Error(InteropError::kBadRules, text.error().message(),
                 "the installation is not complete; set SEAMARK_HOME or install again");
  }
  return parse(*text, file.string(), frameworks);
}

DeviceNames ImportRules::device_names(const TargetName& target) const {
  DeviceNames names;
  const auto families = devices.find(target.framework);
  if (families == devices.end()) return names;
  for (const auto& [family, called] : families->second) {
    names.all.insert(names.all.end(), called.begin(), called.end());
  }
  const auto own = families->second.find(target.family);
  if (own != families->second.end()) {
    names.own = own->second;
    return names;
  }
  const auto other = families->second.find("other");
  if (other != families->second.end()) names.own = other->second;
  names.own.push_back(target.family);
  names.all.push_back(target.family);
  return names;
}

bool NameFacts::is_of_another(const DeviceNames& devices) const {
  return !device.empty() && !is_one_of(devices.own, device);
}

NameFacts facts_of(const ExternalTest& test, const ImportRules& rules, const DeviceNames& devices) {
  NameFacts facts;
  facts.joined = test.name;
  facts.bare = test.name.parts.back();
  if (!test.name.parameters.empty()) read_parameters(facts, rules, devices);
  // Times of operations know no classes: there the last word is the device.
  const bool knows_classes = !test.timing || test.name.file + 2 < test.name.parts.size();
  read_name(facts, knows_classes, rules, devices);
  return facts;
}

void tell_failure(ExternalTest& test, std::string_view stage, std::string_view message,
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
