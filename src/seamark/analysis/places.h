// What exhibits go over: frameworks on devices, targets of a run, functions that two devices timed. Internal
// to the room.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seamark/analysis/result_set.h"
#include "seamark/analysis/summary.h"

namespace seamark::analysis {

// What notes say.
inline constexpr const char* kNoPair = "two devices are needed: name them with --pair A:B";
inline constexpr const char* kNothingTimed = "no function was timed on both";
inline constexpr const char* kUseUnknown = "the use of functions is not known";
inline constexpr const char* kOnlyPercentPublished =
    "without an interval: a percentage alone was published, not what it is a share of";

// A framework on a device. Borrows the findings.
struct Place {
  const ResultSet* findings;
  const FrameworkResult* framework;
  std::size_t at;  // the device
  [[nodiscard]] const std::string& name() const { return framework->name; }
  [[nodiscard]] const std::string& label() const { return framework->label; }
  [[nodiscard]] const std::string& device() const { return findings->devices[at].label; }
  [[nodiscard]] const TotalsResult& totals() const { return framework->totals[at]; }
  [[nodiscard]] const std::string& evidence() const { return totals().evidence; }
  [[nodiscard]] std::string target() const { return name() + "/" + findings->devices[at].key; }
};

// Framework by framework.
std::vector<Place> places(const ResultSet& findings, const std::vector<std::size_t>& devices);
std::vector<std::size_t> all_devices(const ResultSet& findings);

// A target of the summary that the findings are of, and its place among the summary's.
struct TargetPlace : Place {
  const TargetRow* row;
  std::size_t t;
};
// None where there is no summary.
std::vector<TargetPlace> target_places(const ResultSet& findings, const Summary* summary);
// Of a target that the findings have.
Place place_of(const ResultSet& findings, std::string_view target, std::string_view framework);

// A function that both devices timed.
struct TimedFunction : PairTime {
  const FrameworkResult* framework = nullptr;
};
// Framework by framework; of each all, or the `extremes` first and last.
std::vector<TimedFunction> timed_functions(const std::vector<const FrameworkResult*>& frameworks,
                                           DevicePair pair, std::size_t extremes = 0);
std::vector<const FrameworkResult*> frameworks_of(const ResultSet& findings);

// Verdicts by decile of use; functions that are never called are in none.
std::map<int, CountsResult> by_decile(const Place& place);
// Of the functions that `which` chooses.
template <class Which>
CountsResult counts_of(const Place& place, Which which) {
  CountsResult out;
  for (const FunctionResult& function : place.framework->functions) {
    if (std::invoke(which, function)) out.add(function.on[place.at]);
  }
  return out;
}

}  // namespace seamark::analysis
