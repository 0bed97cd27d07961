#include "seamark/analysis/drift.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "seamark/base/text.h"

namespace seamark::analysis {

namespace {

constexpr std::string_view kNothing = "none";

std::string text_of(const Value* value) {
  if (value == nullptr || value->is_null()) return std::string(kNothing);
  return value->is_string() ? value->as_string() : dump_json(*value);
}

class Finder {
 public:
  void differ(const std::string& target, std::string what, std::string before, std::string after) {
    if (before.empty()) before = kNothing;
    if (after.empty()) after = kNothing;
    if (before == after) return;
    found_.push_back({target, std::move(what), std::move(before), std::move(after)});
  }

  // Every key of either object.
  void objects(const std::string& prefix, const Value& before, const Value& after) {
    for (const std::string& key : keys_of(before, after)) {
      differ({}, prefix + key, text_of(before.find(key)), text_of(after.find(key)));
    }
  }

  // The same difference of several targets stands once.
  [[nodiscard]] std::vector<Drift> merged() const {
    std::vector<Drift> out;
    for (const Drift& one : found_) {
      const auto same = std::find_if(out.begin(), out.end(), [&](const Drift& other) {
        return other.what == one.what && other.before == one.before && other.after == one.after &&
               other.target.empty() == one.target.empty();
      });
      if (same == out.end()) {
        out.push_back(one);
      } else if (!one.target.empty()) {
        same->target += ", " + one.target;
      }
    }
    return out;
  }

 private:
  static std::vector<std::string> keys_of(const Value& before, const Value& after) {
    std::vector<std::string> keys;
    for (const Value* one : {&before, &after}) {
      if (!one->is_object()) continue;
      for (const auto& [key, value] : one->as_object()) {
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
      }
    }
    return keys;
  }

  std::vector<Drift> found_;
};

std::string complete(const store::RunInfo& run) {
  return run.state == store::RunState::kFinished ? "finished" : std::string(name_of(run.state));
}

void compare_runs(Finder& finder, const store::RunInfo& before, const store::RunInfo& after) {
  finder.objects("host ", before.host, after.host);
  finder.differ({}, "protocol", before.protocol, after.protocol);
  finder.differ({}, "seed", std::to_string(before.seed), std::to_string(after.seed));
  finder.differ({}, "state of the run", complete(before), complete(after));
  for (const char* key : {"suites", "functions", "case", "cases", "sample", "time"}) {
    finder.differ({}, std::string("run's option ") + key, text_of(before.options.find(key)),
                  text_of(after.options.find(key)));
  }
  const auto on = [](bool flag) { return std::string(flag ? "on" : "off"); };
  finder.differ({}, "reference check", on(before.reference), on(after.reference));
  finder.objects("version of ", before.versions, after.versions);
}

// "numpy==2.0" by name.
std::map<std::string, std::string> packages_of(const Value& lock) {
  std::map<std::string, std::string> out;
  const Value* list = lock.find("packages");
  if (list == nullptr || !list->is_array()) return out;
  for (const Value& one : list->as_array()) {
    if (!one.is_string()) continue;
    const std::string& text = one.as_string();
    const std::size_t at = text.find("==");
    if (at == std::string::npos) {
      out[text] = "there";
    } else {
      out[text.substr(0, at)] = text.substr(at + 2);
    }
  }
  return out;
}

void compare_packages(Finder& finder, const std::string& name, const Value& before, const Value& after) {
  const auto old_ones = packages_of(before);
  const auto new_ones = packages_of(after);
  for (const auto& [package, version] : old_ones) {
    const auto now = new_ones.find(package);
    finder.differ(name, "package " + package, version, now == new_ones.end() ? std::string() : now->second);
  }
  for (const auto& [package, version] : new_ones) {
    if (!old_ones.contains(package)) finder.differ(name, "package " + package, {}, version);
  }
}

void compare_targets(Finder& finder, const std::string& name, const store::RunTarget& before,
                     const store::RunTarget& after) {
  finder.differ(name, after.framework, before.framework_version, after.framework_version);
  finder.differ(name, "device", before.device_name, after.device_name);
  const bool same_target = before.target == after.target;
  if (same_target) {
    finder.differ(name, "worker mode", std::string(name_of(before.mode)), std::string(name_of(after.mode)));
  }
  const Value& old_lock = before.environment_lock;
  const Value& new_lock = after.environment_lock;
  if (!old_lock.is_object() || !new_lock.is_object()) return;
  for (const char* key : {"python", "implementation", "driver"}) {
    finder.differ(name, key, text_of(old_lock.find(key)), text_of(new_lock.find(key)));
  }
  compare_packages(finder, name, old_lock, new_lock);
}

// Where runs are joined, what the latest of them says.
const store::RunTarget* find_target(const std::vector<store::StoredTarget>& targets,
                                    const std::string& name) {
  const store::RunTarget* found = nullptr;
  for (const store::StoredTarget& one : targets) {
    if (one.target.target == name) found = &one.target;
  }
  return found;
}

}  // namespace

std::vector<Drift> drifts_between(const DriftSide& before, const DriftSide& after,
                                  const std::vector<std::pair<std::string, std::string>>& pairs) {
  Finder finder;
  if (!before.runs.empty() && !after.runs.empty()) {
    compare_runs(finder, before.runs.front().info, after.runs.front().info);
  }
  for (const auto& [old_name, new_name] : pairs) {
    const store::RunTarget* old_one = find_target(before.targets, old_name);
    const store::RunTarget* new_one = find_target(after.targets, new_name);
    if (old_one != nullptr && new_one != nullptr) compare_targets(finder, new_name, *old_one, *new_one);
  }
  return finder.merged();
}

}  // namespace seamark::analysis
