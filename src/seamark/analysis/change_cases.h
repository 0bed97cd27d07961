// What became of one case between two sides. Internal to the room.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "seamark/analysis/change.h"
#include "seamark/analysis/collect.h"

namespace seamark::analysis {

// Where the times of a case are, and what its targets can say. nullptr: it is not on that side.
struct CasePlaces {
  const CellFacts* before = nullptr;
  const CellFacts* after = nullptr;
  bool compiled_before = false;  // nothing was executed on the target
  bool compiled_after = false;
  double floor = 1;
};

struct CaseVerdict {
  std::vector<Change> changes;  // kind, clock, ratio and detail
  std::string not_compared;
  std::optional<Ratio> warm;
  std::optional<Ratio> cold;
  int unstable = 0;
};

// Reads presence, before and after of `one`. `tell_presence`: that it was added or dropped is a change of its
// own (its function is on both sides).
CaseVerdict judge_case(const CaseDelta& one, const CasePlaces& places, bool tell_presence);

// The whole of what is known of a ratio lies beyond `factor` (above 1: slower; its reciprocal for faster).
// Without an interval three times the factor is asked of a cold time, and a warm one says nothing.
bool beyond(const Ratio& ratio, Clock clock, double factor);

// By kind; slower and faster ones most extreme first; then function, case and clock.
void sort_changes(std::vector<Change>& changes);

}  // namespace seamark::analysis
