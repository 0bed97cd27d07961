#include "seamark/cli/store_reading.h"

#include <fmt/format.h>

#include <algorithm>

#include "seamark/base/text.h"
#include "seamark/cli/errors.h"

namespace seamark::cli {
namespace {

Error unknown_target(const StoreReading& reading, const std::string& pattern) {
  const std::optional<std::string> near = nearest(pattern, reading.known_targets);
  return Error(CliError::kUnknownName,
               fmt::format("{} holds no target '{}' in the chosen run", reading.name, pattern),
               near ? fmt::format("did you mean '{}'?", *near)
                    : fmt::format("it holds: {}", join(reading.known_targets, ", ")));
}

}  // namespace

bool is_measured(std::string_view store) { return store == kMeasured; }

Result<store::Store> open_to_read(const Context& context, const std::string& store) {
  return is_measured(store)
             ? store::Store::open_packed(context.home / "data" / "results" / "measured.db.zst", store)
             : store::Store::open(store, store::OpenMode::kRead);
}

Result<StoreReading> read_store(const Context& context, const Settings& settings, const std::string& run,
                                std::optional<store::Store> opened) {
  Result<classify::RuleSet> rules = classify::RuleSet::load(context.home / "data" / "classification");
  if (!rules) return rules.error();
  Result<analysis::Devices> devices = analysis::Devices::load(context.home / "data" / "devices.toml");
  if (!devices) return devices.error();
  if (!opened) {
    Result<store::Store> made = open_to_read(context, settings.store);
    if (!made) return made.error();
    opened = std::move(*made);
  }
  StoreReading reading{settings.store,
                       std::move(*opened),
                       std::move(rules.value()),
                       std::move(devices.value()),
                       store::RunChoice::parse(run),
                       {},
                       {}};
  Result<std::vector<store::StoredTarget>> stored = reading.store.targets(reading.choice);
  if (!stored) return stored.error();
  for (const store::StoredTarget& one : *stored) {
    auto& known = reading.known_targets;
    if (std::find(known.begin(), known.end(), one.target.target) == known.end())
      known.push_back(one.target.target);
  }
  for (const std::string& pattern : settings.targets) {
    bool any = false;
    for (const std::string& name : reading.known_targets) {
      if (!glob_match(pattern, name)) continue;
      any = true;
      if (std::find(reading.targets.begin(), reading.targets.end(), name) == reading.targets.end()) {
        reading.targets.push_back(name);
      }
    }
    if (!any) return unknown_target(reading, pattern);
  }
  return reading;
}

Status check_baseline(const StoreReading& reading, const std::string& baseline) {
  const auto& known = reading.known_targets;
  if (baseline.empty() || std::find(known.begin(), known.end(), baseline) != known.end()) return {};
  return unknown_target(reading, baseline);
}

}  // namespace seamark::cli
