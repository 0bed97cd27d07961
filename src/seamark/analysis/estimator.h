// What a sample says of the whole catalogue: design-based estimates with intervals (docs/sample.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "seamark/analysis/stats.h"

namespace seamark::analysis {

enum class Answer : std::uint8_t {
  kPass,
  kFail,
  kNone,  // drawn, but nothing is known of it: nonresponse
};

struct UnitOutcome {
  Answer answer = Answer::kNone;
  double size = 0;  // what it weighs: its calls. Not negative.
};

// Drawn at random from `functions`, or all of them.
struct StratumOutcome {
  std::string name;
  bool certain = false;        // everything in it is drawn, by design
  std::int64_t functions = 0;  // at least as many as units
  double size = 0;             // sum over its functions, at least that of the units
  std::vector<UnitOutcome> units;
};

// A share of failures, 0 to 1.
struct ShareEstimate {
  std::optional<double> value;  // as if what did not answer failed as often as what did, stratum by stratum
  std::optional<double> low;    // interval of that; of the certain ones, what did not answer may be anything
  std::optional<double> high;
  std::string reason;  // why there is no value
  double best = 0;     // nothing failed of what did not answer
  double worst = 0;    // all of it did
  double lowest = 0;   // low of best
  double highest = 0;  // high of worst: whatever the nonresponse hides, up to chance
};

struct DesignEstimate {
  std::int64_t functions = 0;  // that it speaks for
  double size = 0;             // their calls
  std::int64_t drawn = 0;
  std::int64_t answered = 0;
  std::int64_t failed = 0;
  ShareEstimate of_functions;
  ShareEstimate of_size;  // "what share of real calls would break?"; no value where nothing was called
};

// Throws std::invalid_argument where a stratum has more units than functions, or 0 < level < 1 does not hold.
DesignEstimate design_estimate(std::span<const StratumOutcome> strata, double level = 0.95);

// Clopper and Pearson's interval for a share, for counts that need not be whole (Korn and Graubard).
// 0 <= failed <= n, n > 0.
Interval exact_interval(double failed, double n, double level);

}  // namespace seamark::analysis
