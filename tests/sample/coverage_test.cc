#include <gtest/gtest.h>

#include "coverage_simulation.h"

namespace seamark::sample {
namespace {

constexpr int kSamples = 250;

// 95% intervals over populations that are known. The seeds are fixed: this passes or fails always.
TEST(Coverage, IntervalsHoldWhatTheyClaim) {
  for (const Scenario& scenario : scenarios()) {
    const Coverage coverage = Simulation(scenario).run(kSamples);
    const std::string where = fmt::format("{}, {} seen, {} never seen, {} answer", scenario.name,
                                          scenario.seen, scenario.never_seen, scenario.answers);
    // Two standard errors of the simulation below the level.
    EXPECT_GE(coverage.held_functions, 0.95 - 0.028) << where;
    EXPECT_GE(coverage.held_calls, 0.95 - 0.028) << where;
    EXPECT_GE(coverage.held_bounds, 0.95 - 0.028) << where;
    // They say something: an interval from 0 to 1 would hold everything.
    EXPECT_LT(coverage.width_functions, scenario.never_seen > 0 ? 0.6 : 0.4) << where;
    EXPECT_LT(coverage.width_calls, scenario.answers < 1 ? 0.4 : 0.25) << where;
    // All five of the first tenth are in the top once in 55 samples; with nonresponse more are empty.
    EXPECT_LE(coverage.silent, kSamples / (scenario.answers < 1 ? 8 : 30)) << where;
  }
}

TEST(Coverage, EstimatesOfFunctionsAreUnbiased) {
  for (const Scenario& scenario : scenarios()) {
    if (scenario.never_seen > 0 || scenario.answers < 1) continue;
    const Coverage coverage = Simulation(scenario).run(kSamples);
    EXPECT_NEAR(coverage.mean_functions, coverage.functions, 0.013) << scenario.name << scenario.seen;
    EXPECT_NEAR(coverage.mean_calls, coverage.calls, 0.015) << scenario.name << scenario.seen;
  }
}

}  // namespace
}  // namespace seamark::sample
