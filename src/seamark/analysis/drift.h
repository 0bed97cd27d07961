// Differences between two sides besides the change under test. Internal to the room.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "seamark/analysis/change.h"
#include "seamark/store/records.h"

namespace seamark::analysis {

struct DriftSide {
  std::vector<RunFacts> runs;                // latest start first
  std::vector<store::StoredTarget> targets;  // in order of addition
};

// `pairs`: names of targets that were held against each other, before and after. By target, then what; what
// several targets share stands once, with their names joined by ", ".
std::vector<Drift> drifts_between(const DriftSide& before, const DriftSide& after,
                                  const std::vector<std::pair<std::string, std::string>>& pairs);

}  // namespace seamark::analysis
