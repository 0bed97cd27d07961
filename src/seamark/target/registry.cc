#include "seamark/target/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/model/case_info.h"

namespace seamark::target {
namespace {

constexpr std::int64_t kMostMemoryMib = std::int64_t{16} << 20;  // 16 TiB

std::string_view name_of(MemoryRule rule) {
  switch (rule) {
    case MemoryRule::kNone:
      return "none";
    case MemoryRule::kRlimit:
      return "rlimit";
    case MemoryRule::kWatch:
      return "watch";
  }
  return "none";
}

MemoryRule memory_rule_from(std::string_view name) {
  if (name == "none") return MemoryRule::kNone;
  return name == "rlimit" ? MemoryRule::kRlimit : MemoryRule::kWatch;
}

// Plain letters, so that it can be a file's stem and a Python module's name.
bool is_identifier(std::string_view text) {
  if (text.empty() || (text.front() >= '0' && text.front() <= '9')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// Takes the keys that are given; the others stay. A relative path is of `folder`.
void apply_texts(TargetEntry& entry, TableReader& table, const std::filesystem::path& folder) {
  entry.summary = table.string("summary", entry.summary);
  entry.adapter = table.string("adapter", entry.adapter);
  if (!folder.empty() && entry.adapter.ends_with(".py")) {
    entry.adapter = (folder / entry.adapter).lexically_normal().native();
    std::error_code error;
    if (!std::filesystem::is_regular_file(entry.adapter, error))
      table.problem("adapter", fmt::format("there is no file {}", entry.adapter));
  } else if (!is_identifier(entry.adapter)) {
    table.problem("adapter",
                  "expected the name of an adapter, such as torch_eager, a file such as ./my_adapter.py, or "
                  "`like = \"torch/cuda\"`");
  }
  entry.device = table.string("device", entry.device.empty() ? entry.parts.family : entry.device);
  if (entry.device.empty())
    table.problem("device", "expected the name of a device, such as cuda, or no such key");
  entry.baseline = table.string("baseline", entry.baseline);
  entry.reference = table.string("reference", entry.reference);
  entry.hardware = table.string("hardware", entry.hardware);
  entry.remedy = table.string("remedy", entry.remedy);
}

// Ray's names of what a node has, with how much of it one worker takes.
void read_resources(Value& into, TableReader& table) {
  const Value* said = table.any("resources");
  if (said == nullptr) return;
  const bool good =
      said->is_object() &&
      std::all_of(said->as_object().begin(), said->as_object().end(), [](const Value::Member& one) {
        return one.second.is_number() && one.second.as_number() > 0;
      });
  if (good) {
    into = *said;
  } else {
    table.problem("resources", "expected a table of numbers above 0, such as { GPU = 1 }");
  }
}

void apply_lists(TargetEntry& entry, TableReader& table) {
  read_resources(entry.resources, table);
  if (table.has("environments")) entry.environments = table.strings("environments");
  if (table.has("requires")) entry.requires_programs = table.strings("requires");
  if (table.has("packages")) entry.packages = table.strings("packages");
  if (table.has("variables")) entry.variables = table.string_map("variables");
  const Value* options = table.any("options");
  if (options != nullptr && !options->is_object()) {
    table.problem("options", "expected a table, such as { import = \"my_plugin\" }");
  } else if (options != nullptr) {
    for (const auto& [key, value] : options->as_object()) entry.options.set(key, value);
  }
}

void apply_limits(TargetEntry& entry, TableReader& table) {
  const std::string worker = table.choice("worker", name_of(entry.worker), {"fork", "persistent", "process"});
  entry.worker = worker_mode_from(worker).value_or(entry.worker);
  const std::string confirm = table.choice("confirm", name_of(entry.confirm), {"process", "fork"});
  entry.confirm = worker_mode_from(confirm).value_or(entry.confirm);
  const std::string evidence = table.choice("evidence", name_of(entry.evidence),
                                            {"declared", "lowered", "compiled", "executed", "verified"});
  entry.evidence = evidence_from(evidence).value_or(entry.evidence);
  entry.memory_rule =
      memory_rule_from(table.choice("memory_limit", name_of(entry.memory_rule), {"none", "rlimit", "watch"}));
  entry.memory_mib = table.integer("memory_mib", entry.memory_mib, {.min = 0, .max = kMostMemoryMib});
  entry.threads = static_cast<int>(table.integer("threads", entry.threads, {.min = 1, .max = 1024}));
  entry.slots = static_cast<int>(table.integer("slots", entry.slots, {.min = 0, .max = 256}));
  entry.network = table.boolean("network", entry.network);
  entry.quick = table.boolean("quick", entry.quick);
  entry.dynamo = table.boolean("dynamo", entry.dynamo);
  entry.timeout_s = table.number("timeout_s", entry.timeout_s);
  if (!(entry.timeout_s > 0) || entry.timeout_s > kMostTimeoutSeconds) {
    table.problem("timeout_s", "expected seconds above 0 and at most 1000000");
  }
}

void apply(TargetEntry& entry, TableReader& table, const std::filesystem::path& folder) {
  apply_texts(entry, table, folder);
  apply_lists(entry, table);
  apply_limits(entry, table);
  table.finish();
}

HardwareCheck read_hardware(TableReader& table) {
  HardwareCheck check;
  check.name = table.need_string("name");
  check.systems = table.strings("systems");
  check.paths = table.strings("paths");
  check.variables = table.strings("variables");
  for (TableReader& file : table.tables("files_containing")) {
    const std::string path = file.need_string("path");
    check.files_containing.emplace_back(path, file.need_string("text"));
    file.finish();
  }
  read_resources(check.resources, table);
  check.missing = table.need_string("missing");
  check.remedy = table.need_string("remedy");
  table.finish();
  return check;
}

}  // namespace

Value TargetEntry::hello() const {
  Value value;
  value.set("name", name);
  value.set("framework", parts.framework);
  value.set("family", parts.family);
  value.set("generation", parts.generation);
  value.set("mode", parts.mode);
  value.set("adapter", adapter);
  value.set("device", device);
  value.set("options", options);
  value.set("worker", seamark::name_of(worker));
  value.set("confirm", seamark::name_of(confirm));
  value.set("quick", quick);
  value.set("evidence", seamark::name_of(evidence));
  value.set("baseline", baseline);
  value.set("reference", reference);
  value.set("memory_limit", name_of(memory_rule));
  value.set("memory_mib", memory_mib);
  value.set("threads", threads);
  value.set("timeout_s", timeout_s);
  value.set("environments", text_list(environments));
  Value names{Value::Object{}};
  for (const auto& [key, text] : variables) names.set(key, text);
  value.set("variables", std::move(names));
  value.set("summary", summary);
  return value;
}

Result<Registry> Registry::load(const std::filesystem::path& file, Frameworks frameworks) {
  const Result<std::string> text = read_file(file);
  if (!text) {
    return Error(TargetError::kUnreadable, text.error().message(), "reinstall Seamark, or set SEAMARK_HOME");
  }
  return parse(*text, file.native(), std::move(frameworks));
}

Result<Registry> Registry::parse(std::string_view toml, std::string_view file, Frameworks frameworks) {
  const Result<Value> document = parse_toml(toml, file);
  if (!document) return Error(TargetError::kBadEntry, document.error().message());
  Problems problems(file);
  TableReader reader(*document, problems);
  Registry registry;
  registry.frameworks_ = std::move(frameworks);
  registry.extend(reader, problems);
  reader.finish();
  if (Status status = problems.status(); !status) {
    return Error(TargetError::kBadEntry, status.error().message(), status.error().remedy());
  }
  return registry;
}

std::string Registry::baseline_of(const std::string& framework) const {
  const Framework* const known = frameworks_.find(framework);
  return known == nullptr ? framework + "/cpu" : known->baseline;
}

std::string Registry::first_for(const std::string& framework, const std::string& to) const {
  const auto found = std::find_if(targets_.begin(), targets_.end(), [&](const TargetEntry& one) {
    return one.parts.framework == framework && stands_for(one.name, to);
  });
  return found == targets_.end() ? "" : found->name;
}

TargetEntry Registry::fresh_entry(TargetName parts) const {
  TargetEntry entry;
  entry.name = parts.str();
  entry.baseline = entry.reference = baseline_of(parts.framework);
  entry.parts = std::move(parts);
  entry.options = Value(Value::Object{});
  return entry;
}

// A new entry that takes what it does not say from another one.
TargetEntry Registry::like_entry(TargetName parts, const TargetEntry& model) const {
  TargetEntry entry = model;
  entry.name = parts.str();
  if (parts.framework != entry.parts.framework)
    entry.baseline = entry.reference = baseline_of(parts.framework);
  entry.device.clear();  // the family, unless said
  entry.parts = std::move(parts);
  entry.resources = Value();
  entry.hardware.clear();  // its own device is not seen by another's signs
  entry.summary = "like " + model.name;
  return entry;
}

void Registry::extend(TableReader& document, Problems& problems, const std::filesystem::path& folder) {
  const bool from_user = !folder.empty();
  for (TableReader& table : document.tables("hardware")) {
    HardwareCheck check = read_hardware(table);
    std::erase_if(hardware_, [&](const HardwareCheck& known) { return known.name == check.name; });
    hardware_.push_back(std::move(check));
  }
  for (TableReader& table : document.tables("target")) {
    const std::string name = table.need_string("name");
    const std::string like = table.string("like");
    if (name.empty()) {
      table.finish();
      continue;
    }
    Result<TargetName> parts = TargetName::parse(name);
    if (!parts) {
      table.problem("name", parts.error().message());
      continue;
    }
    const TargetEntry* model = like.empty() ? nullptr : find(like);
    if (!like.empty() && model == nullptr) {
      table.problem("like", fmt::format("there is no target '{}' above this one", like));
      continue;
    }
    auto known = std::find_if(targets_.begin(), targets_.end(),
                              [&](const TargetEntry& entry) { return entry.name == name; });
    if (known != targets_.end() && (!from_user || known->from_user)) {
      table.problem("name", fmt::format("the target '{}' is defined twice", name));
      continue;
    }
    TargetEntry entry = model != nullptr          ? like_entry(std::move(parts.value()), *model)
                        : known != targets_.end() ? *known
                                                  : fresh_entry(std::move(parts.value()));
    entry.from_user = from_user;
    apply(entry, table, folder);
    if (!entry.hardware.empty() && hardware(entry.hardware) == nullptr) {
      table.problem("hardware", fmt::format("there is no [[hardware]] named '{}'", entry.hardware));
    }
    if (known != targets_.end()) {
      *known = std::move(entry);
    } else {
      targets_.push_back(std::move(entry));
    }
  }
  for (TargetEntry& entry : targets_) {
    // A framework without its usual baseline here: its targets are compared with themselves alone.
    const std::string usual = baseline_of(entry.parts.framework);
    if (entry.baseline == usual && find(usual) == nullptr) entry.baseline = entry.name;
    if (entry.reference == usual && find(usual) == nullptr) entry.reference = entry.name;
    if (find(entry.baseline) == nullptr || find(entry.reference) == nullptr) {
      problems.add(0, fmt::format("target '{}': its baseline '{}' or reference '{}' is no target", entry.name,
                                  entry.baseline, entry.reference));
    }
  }
}

const TargetEntry* Registry::find(std::string_view name) const {
  const auto found = std::find_if(targets_.begin(), targets_.end(),
                                  [&](const TargetEntry& entry) { return entry.name == name; });
  return found == targets_.end() ? nullptr : &*found;
}

const HardwareCheck* Registry::hardware(std::string_view name) const {
  const auto found = std::find_if(hardware_.begin(), hardware_.end(),
                                  [&](const HardwareCheck& check) { return check.name == name; });
  return found == hardware_.end() ? nullptr : &*found;
}

Result<std::vector<const TargetEntry*>> Registry::select(std::span<const std::string> patterns) const {
  std::vector<bool> chosen(targets_.size(), patterns.empty());
  for (const std::string& pattern : patterns) {
    bool any = false;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      if (targets_[i].name == pattern || (has_glob(pattern) && glob_match(pattern, targets_[i].name))) {
        chosen[i] = any = true;
      }
    }
    if (any) continue;
    std::vector<std::string> names;
    names.reserve(targets_.size());
    for (const TargetEntry& entry : targets_) names.push_back(entry.name);
    const std::optional<std::string> near = has_glob(pattern) ? std::nullopt : nearest(pattern, names);
    return Error(TargetError::kUnknownTarget,
                 has_glob(pattern) ? fmt::format("no target matches '{}'", pattern)
                                   : fmt::format("there is no target '{}'", pattern),
                 near ? fmt::format("did you mean '{}'? `seamark targets` lists all of them", *near)
                      : "`seamark targets` lists all of them");
  }
  std::vector<const TargetEntry*> selected;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (chosen[i]) selected.push_back(&targets_[i]);
  }
  return selected;
}

}  // namespace seamark::target
