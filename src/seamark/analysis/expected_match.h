// Whether an expectation still holds on the later side. Internal to the room.
#pragma once

#include <cstddef>
#include <vector>

#include "seamark/analysis/change_cases.h"
#include "seamark/analysis/expected.h"

namespace seamark::analysis {

enum class Fate : std::uint8_t {
  kNotJudged,       // its target was not compared, or its cases did not all run and none fails
  kHolds,           // something of it fails, with its category
  kOtherCategory,   // something of it fails, nothing with its category
  kUnexpectedPass,  // all of it ran, nothing fails
  kStale,           // its target was compared, and has no such function or case
};

struct FailingCase {
  std::size_t pair = 0;
  const CaseDelta* delta = nullptr;
};

struct ExpectationStatus {
  Fate fate = Fate::kNotJudged;
  std::vector<std::size_t> pairs;  // in which it has cases
  std::vector<FailingCase> failing;
};

ExpectationStatus standing_of(const Comparison& comparison, const Expectation& entry);

}  // namespace seamark::analysis
