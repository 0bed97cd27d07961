#include "seamark/analysis/places.h"

#include <numeric>

namespace seamark::analysis {

std::vector<Place> places(const ResultSet& findings, const std::vector<std::size_t>& devices) {
  std::vector<Place> out;
  for (const FrameworkResult& framework : findings.frameworks) {
    for (const std::size_t device : devices) out.push_back({&findings, &framework, device});
  }
  return out;
}

std::vector<std::size_t> all_devices(const ResultSet& findings) {
  std::vector<std::size_t> out(findings.devices.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

Place place_of(const ResultSet& findings, std::string_view target, std::string_view framework) {
  return {&findings, findings.framework(framework), *findings.device(target.substr(target.find('/') + 1))};
}

std::vector<TargetPlace> target_places(const ResultSet& findings, const Summary* summary) {
  std::vector<TargetPlace> out;
  if (summary == nullptr) return out;
  for (std::size_t t = 0; t < summary->targets.size(); ++t) {
    const TargetRow& row = summary->targets[t];
    out.push_back({place_of(findings, row.target, row.framework), &row, t});
  }
  return out;
}

std::vector<const FrameworkResult*> frameworks_of(const ResultSet& findings) {
  std::vector<const FrameworkResult*> out;
  for (const FrameworkResult& one : findings.frameworks) out.push_back(&one);
  return out;
}

std::vector<TimedFunction> timed_functions(const std::vector<const FrameworkResult*>& frameworks,
                                           DevicePair pair, std::size_t extremes) {
  std::vector<TimedFunction> out;
  for (const FrameworkResult* framework : frameworks) {
    const std::vector<PairTime> times = pair_times(framework->functions, pair.first, pair.second);
    for (std::size_t i = 0; i < times.size(); ++i) {
      const bool inner = i >= extremes && i + extremes < times.size();
      if (extremes == 0 || !inner) out.push_back({times[i], framework});
    }
  }
  return out;
}

std::map<int, CountsResult> by_decile(const Place& place) {
  std::map<int, CountsResult> out;
  for (const FunctionResult& function : place.framework->functions) {
    if (function.decile) out[*function.decile].add(function.on[place.at]);
  }
  return out;
}

}  // namespace seamark::analysis
