#include "seamark/analysis/estimator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "seamark/analysis/answers.h"

namespace seamark::analysis {
namespace {

using testing::HasSubstr;

StratumOutcome stratum(std::string name, std::int64_t functions, int passes, int fails, int silent = 0,
                       double size_each = 1) {
  StratumOutcome out;
  out.name = std::move(name);
  out.certain = out.name == "top";
  out.functions = functions;
  out.size = static_cast<double>(functions) * size_each;
  for (int i = 0; i < passes; ++i) out.units.push_back({Answer::kPass, size_each});
  for (int i = 0; i < fails; ++i) out.units.push_back({Answer::kFail, size_each});
  for (int i = 0; i < silent; ++i) out.units.push_back({Answer::kNone, size_each});
  return out;
}

// The textbook's values (also of R's binom.test).
TEST(ExactInterval, IsClopperAndPearsons) {
  EXPECT_NEAR(exact_interval(0, 5, 0.95).high, 0.5218238, 1e-6);
  EXPECT_EQ(exact_interval(0, 5, 0.95).low, 0);
  EXPECT_NEAR(exact_interval(5, 5, 0.95).low, 0.4781762, 1e-6);
  EXPECT_EQ(exact_interval(5, 5, 0.95).high, 1);
  EXPECT_NEAR(exact_interval(3, 10, 0.95).low, 0.06673951, 1e-7);
  EXPECT_NEAR(exact_interval(3, 10, 0.95).high, 0.6524529, 1e-6);
  EXPECT_THROW(exact_interval(6, 5, 0.95), std::invalid_argument);
  EXPECT_THROW(exact_interval(1, 5, 1), std::invalid_argument);
}

TEST(Estimate, ACensusIsExact) {
  const std::vector<StratumOutcome> strata = {stratum("top", 20, 15, 5)};
  const DesignEstimate out = design_estimate(strata);
  EXPECT_EQ(out.of_functions.value, 0.25);
  EXPECT_EQ(out.of_functions.low, 0.25);
  EXPECT_EQ(out.of_functions.high, 0.25);
  EXPECT_EQ(out.of_functions.best, 0.25);
  EXPECT_EQ(out.of_functions.highest, 0.25);
}

// Two tenths of 40 and 60 of which 1 of 5 and 3 of 5 fail, and a top of 10 with 2: by hand.
TEST(Estimate, StrataCountAsMuchAsTheyHold) {
  const std::vector<StratumOutcome> strata = {stratum("top", 10, 8, 2), stratum("decile-1", 40, 4, 1),
                                              stratum("decile-2", 60, 2, 3)};
  const DesignEstimate out = design_estimate(strata);
  EXPECT_EQ(out.functions, 110);
  EXPECT_EQ(out.drawn, 20);
  EXPECT_EQ(out.answered, 20);
  EXPECT_EQ(out.failed, 6);
  EXPECT_NEAR(*out.of_functions.value, (2 + 40 * 0.2 + 60 * 0.6) / 110, 1e-12);
  // n = 100^2 / (40^2/5 35/39 + 60^2/5 55/59) = 10.4359..., and x = 0.44 n.
  const double n = 10000 / (320.0 * 35 / 39 + 720.0 * 55 / 59);
  const Interval interval = exact_interval(0.44 * n, n, 0.95);
  EXPECT_NEAR(*out.of_functions.low, (2 + 100 * interval.low) / 110, 1e-12);
  EXPECT_NEAR(*out.of_functions.high, (2 + 100 * interval.high) / 110, 1e-12);
}

TEST(Estimate, NoFailureIsNoProof) {
  std::vector<StratumOutcome> strata = {stratum("top", 20, 20, 0)};
  for (int i = 1; i <= 10; ++i) strata.push_back(stratum("decile-" + std::to_string(i), 100, 5, 0));
  const ShareEstimate share = design_estimate(strata).of_functions;
  EXPECT_EQ(share.value, 0);
  EXPECT_EQ(share.low, 0);
  EXPECT_GT(*share.high, 0.06);  // 1 - 0.025^(1/52) is 0.068
  EXPECT_LT(*share.high, 0.071);
  for (StratumOutcome& one : strata) {
    for (UnitOutcome& unit : one.units) unit.answer = Answer::kFail;
  }
  const ShareEstimate all = design_estimate(strata).of_functions;
  EXPECT_EQ(all.value, 1);
  EXPECT_EQ(all.high, 1);
  EXPECT_GT(*all.low, 0.92);
  EXPECT_LT(*all.low, 0.94);
}

TEST(Estimate, AFinitePopulationIsKnownBetter) {
  const auto width = [](std::int64_t functions) {
    const std::vector<StratumOutcome> strata = {stratum("decile-1", functions, 3, 2)};
    const ShareEstimate share = design_estimate(strata).of_functions;
    return *share.high - *share.low;
  };
  EXPECT_LT(width(6), width(12));
  EXPECT_LT(width(12), width(1000));
  EXPECT_EQ(width(5), 0);
}

TEST(Estimate, SilenceIsBoundedNotHidden) {
  const std::vector<StratumOutcome> strata = {stratum("top", 10, 8, 0, 2), stratum("decile-1", 90, 3, 1, 1)};
  const DesignEstimate out = design_estimate(strata);
  const ShareEstimate& share = out.of_functions;
  EXPECT_EQ(out.answered, 12);
  EXPECT_NEAR(*share.value, 90 * 0.25 / 100, 1e-12);
  EXPECT_NEAR(share.best, 90 * 0.2 / 100, 1e-12);
  EXPECT_NEAR(share.worst, (2 + 90 * 0.4) / 100, 1e-12);
  EXPECT_LE(share.lowest, *share.low);
  EXPECT_GT(share.highest, *share.high);
  EXPECT_GT(*share.high, 0.25);
}

TEST(Estimate, AStratumWithoutAnAnswerHasNoValue) {
  const std::vector<StratumOutcome> strata = {stratum("top", 10, 10, 0), stratum("decile-1", 50, 0, 0, 5),
                                              stratum("decile-2", 40, 0, 0)};
  const ShareEstimate share = design_estimate(strata).of_functions;
  EXPECT_EQ(share.value, std::nullopt);
  EXPECT_EQ(share.low, std::nullopt);
  EXPECT_THAT(share.reason, HasSubstr("decile-1"));
  EXPECT_EQ(share.best, 0);
  EXPECT_EQ(share.worst, 0.9);
  EXPECT_EQ(share.highest, 0.9);
  EXPECT_EQ(design_estimate(std::span<const StratumOutcome>()).of_functions.value, std::nullopt);
}

TEST(Estimate, CallsAreWeighedByARatio) {
  StratumOutcome decile = stratum("decile-1", 50, 0, 0);
  decile.size = 1000;
  decile.units = {{Answer::kFail, 30}, {Answer::kPass, 50}, {Answer::kPass, 20}};
  StratumOutcome top = stratum("top", 2, 0, 0);
  top.size = 9000;
  top.units = {{Answer::kPass, 8000}, {Answer::kFail, 1000}};
  StratumOutcome unseen = stratum("never-seen", 500, 2, 3, 0, 0);
  const std::vector<StratumOutcome> strata = {top, decile, unseen};
  const DesignEstimate out = design_estimate(strata);
  EXPECT_NEAR(*out.of_size.value, (1000 + 1000 * 0.3) / 10000, 1e-12);
  EXPECT_NEAR(*out.of_functions.value, (1 + 50.0 / 3 + 500 * 0.6) / 552, 1e-12);
  EXPECT_GE(*out.of_size.low, 1030.0 / 10000);  // what is known to fail
  EXPECT_LE(*out.of_size.high, 1 - 8070.0 / 10000);
  const std::vector<StratumOutcome> uncalled = {unseen};
  EXPECT_EQ(design_estimate(uncalled).of_size.value, std::nullopt);
  EXPECT_THAT(design_estimate(uncalled).of_size.reason, HasSubstr("called"));
}

TEST(Estimate, MoreUnitsThanFunctionsIsABrokenContract) {
  const std::vector<StratumOutcome> strata = {stratum("decile-1", 2, 3, 0)};
  EXPECT_THROW((void)design_estimate(strata), std::invalid_argument);
}

TEST(Answers, ReplacedFunctionsAreSilent) {
  std::vector<SampleStratum> strata(2);
  strata[0] = {.framework = "torch", .name = "top", .functions = 1, .drawn = 1, .calls = 7};
  strata[1] = {.framework = "jax", .name = "top", .functions = 1, .drawn = 1, .calls = 9};
  std::vector<SampledFunction> functions(3);
  functions[0].framework = functions[1].framework = "torch";
  functions[2].framework = "jax";
  functions[0].stratum = functions[1].stratum = functions[2].stratum = "top";
  functions[0].role = SampleRole::kTop;
  functions[0].reason = "cannot be tested";
  functions[0].calls = 7;
  functions[1].role = SampleRole::kOverlap;
  functions[2].role = SampleRole::kTop;
  const auto passes = [](const SampledFunction&) { return Answer::kPass; };
  const std::vector<StratumOutcome> torch = outcomes_of(strata, functions, "torch", passes);
  ASSERT_EQ(torch.size(), 1U);
  EXPECT_TRUE(torch[0].certain);
  EXPECT_EQ(torch[0].size, 7);
  ASSERT_EQ(torch[0].units.size(), 1U);
  EXPECT_EQ(torch[0].units[0].answer, Answer::kNone);
  const std::vector<StratumOutcome> jax = outcomes_of(strata, functions, "jax", passes);
  EXPECT_EQ(jax.at(0).units.at(0).answer, Answer::kPass);
}

}  // namespace
}  // namespace seamark::analysis
