// What the verbs that read a store share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/analysis/devices.h"
#include "seamark/base/result.h"
#include "seamark/classify/rules.h"
#include "seamark/cli/context.h"
#include "seamark/store/store.h"

namespace seamark::cli {

struct StoreReading {
  std::string name;  // of the store, as it was given
  store::Store store;
  classify::RuleSet rules;
  analysis::Devices devices;  // published rates, for estimates
  store::RunChoice choice;
  std::vector<std::string> targets;        // exact names that the settings' patterns mean; empty: all
  std::vector<std::string> known_targets;  // of the chosen runs
};

// The name of the results that ship with Seamark: what it measured itself (scripts/results), read like a
// store.
inline constexpr std::string_view kMeasured = "measured";
// A file of that name is ./measured.
bool is_measured(std::string_view store);
// What --store names, to read it.
Result<store::Store> open_to_read(const Context& context, const std::string& store);

// Opens the settings' store, where it is not `opened` already. A target without a match in the chosen runs is
// kUnknownName.
Result<StoreReading> read_store(const Context& context, const Settings& settings, const std::string& run,
                                std::optional<store::Store> opened = {});

// Empty, or one of the chosen runs' targets; kUnknownName otherwise.
Status check_baseline(const StoreReading& reading, const std::string& baseline);

}  // namespace seamark::cli
