#include "seamark/analysis/change.h"

#include "change_fixture.h"
#include "seamark/analysis/analysis_error.h"

namespace seamark::analysis {
namespace {

using store::make_case;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Transition {
  const char* name;
  std::vector<Attempt> (*before)(const CaseInfo&);
  std::vector<Attempt> (*after)(const CaseInfo&);
  std::vector<std::string> told;
};

std::vector<Attempt> pass(const CaseInfo& info) { return {passes(info)}; }
std::vector<Attempt> pass_unchecked(const CaseInfo& info) { return {passes(info, Evidence::kExecuted)}; }
std::vector<Attempt> fail(const CaseInfo& info) { return {fails(info)}; }
std::vector<Attempt> fail_otherwise(const CaseInfo& info) { return {fails(info, "Could not run it")}; }
std::vector<Attempt> skip(const CaseInfo& info) { return {skipped(info)}; }
std::vector<Attempt> nothing(const CaseInfo&) { return {}; }

class Transitions : public ChangeTest, public testing::WithParamInterface<Transition> {};

TEST_P(Transitions, AreTold) {
  const CaseInfo info = add_case();
  plan({info});
  before.commit(GetParam().before(info));
  after.commit(GetParam().after(info));
  EXPECT_EQ(told(compare()), GetParam().told);
}

INSTANTIATE_TEST_SUITE_P(
    All, Transitions,
    testing::Values(Transition{"Same", pass, pass, {}}, Transition{"SameFailure", fail, fail, {}},
                    Transition{"NewFailure", pass, fail, {"new-failure torch.add/1"}},
                    Transition{"NewPass", fail, pass, {"new-pass torch.add/1"}},
                    Transition{"Category", fail, fail_otherwise, {"category-changed torch.add/1"}},
                    Transition{"Flaky", pass, flaky, {"flaky torch.add/1"}},
                    Transition{"FlakyAfterFailure", fail, flaky, {"flaky torch.add/1"}},
                    Transition{"StillFlaky", flaky, flaky, {}},
                    Transition{"FlakyFails", flaky, fail, {"no-longer-flaky torch.add/1"}},
                    Transition{"FlakyPasses", flaky, pass, {"no-longer-flaky torch.add/1"}},
                    Transition{"Skipped", pass, skip, {"not-run torch.add/1"}},
                    Transition{"NotAttempted", fail, nothing, {"not-run torch.add/1"}},
                    Transition{"RunsNow", skip, pass, {"newly-run torch.add/1"}},
                    Transition{"RunsNowAndFails", nothing, fail, {"added-failure torch.add/1"}},
                    Transition{"RunsNowAndFlakes", skip, flaky, {"flaky torch.add/1"}},
                    Transition{"NeverRan", skip, nothing, {}},
                    Transition{"Weaker", pass, pass_unchecked, {"weaker-evidence torch.add/1"}},
                    Transition{"Stronger", pass_unchecked, pass, {}}),
    [](const auto& test) { return test.param.name; });

TEST_F(ChangeTest, ASideAgainstItselfHasNoChanges) {
  const CaseInfo info = add_case();
  const CaseInfo other = make_case("torch.sub", "1");
  before.add(kTarget, {info, other});
  before.commit({passes(info), fails(other), timed(info, 1e-3)});
  const classify::RuleSet rules = classify::RuleSet::parse(kSummaryRules, "rules.toml").value();
  const Comparison same = store::must(compare_sides(before.side(), before.side(), rules));
  ASSERT_EQ(same.pairs.size(), 1u);
  EXPECT_THAT(same.pairs[0].changes, IsEmpty());
  EXPECT_EQ(same.pairs[0].function_counts.unchanged, 2);
  EXPECT_DOUBLE_EQ(same.pairs[0].warm.median.value.value(), 1.0);
  EXPECT_THAT(same.drifts, IsEmpty());
}

TEST_F(ChangeTest, FunctionsAndCasesComeAndGo) {
  const CaseInfo kept = add_case();
  const CaseInfo new_case = make_case("torch.add", "2");
  const CaseInfo old_case = make_case("torch.add", "0");
  const CaseInfo old_function = make_case("torch.old", "1");
  const CaseInfo new_function = make_case("torch.new", "1");
  before.add(kTarget, {kept, old_case, old_function});
  after.add(kTarget, {kept, new_case, new_function});
  before.commit({passes(kept), passes(old_case), fails(old_function)});
  after.commit({passes(kept), passes(new_case), fails(new_function)});
  const Comparison result = compare();
  EXPECT_THAT(told(result), ElementsAre("added-failure torch.new/1", "dropped torch.add/0",
                                        "dropped torch.old", "added torch.add/2", "added torch.new"));
  const StatusCounts& functions = result.pairs[0].function_counts;
  EXPECT_EQ(functions.added, 1);
  EXPECT_EQ(functions.dropped, 1);
  EXPECT_EQ(functions.changed, 1);
  EXPECT_EQ(functions.unchanged, 0);
  const StatusCounts& cases = result.pairs[0].case_counts;
  EXPECT_EQ(cases.added, 2);
  EXPECT_EQ(cases.dropped, 2);
  EXPECT_EQ(cases.unchanged, 1);
}

TEST_F(ChangeTest, ACaseThatWasItselfChangedIsNotCompared) {
  const CaseInfo old_one = add_case();
  CaseInfo new_one = add_case();
  new_one.hash = "another";
  before.add(kTarget, {old_one});
  after.add(kTarget, {new_one});
  before.commit({passes(old_one), timed(old_one, 1e-3)});
  after.commit({fails(new_one)});
  const Comparison result = compare();
  EXPECT_THAT(told(result), ElementsAre("added-failure torch.add/1"));
  EXPECT_EQ(result.pairs[0].cases[0].presence, Presence::kRedefined);
  EXPECT_EQ(result.pairs[0].cases[0].not_compared, "the case itself was changed");
}

TEST_F(ChangeTest, ARedefinedCaseThatPassesChangesNothing) {
  CaseInfo new_one = add_case();
  new_one.hash = "another";
  before.add(kTarget, {add_case()});
  after.add(kTarget, {new_one});
  before.commit({fails(add_case())});
  after.commit({passes(new_one)});
  const Comparison result = compare();
  EXPECT_THAT(told(result), IsEmpty());
  EXPECT_EQ(result.pairs[0].functions[0].status, FunctionStatus::kNotCompared);
}

// --- times

TEST_F(ChangeTest, SlowerBeyondFloorAndInterval) {
  plan({add_case()});
  before.commit({passes(add_case()), timed(add_case(), 1e-3)});
  after.commit({passes(add_case()), timed(add_case(), 2e-3)});
  const Comparison result = compare();
  ASSERT_THAT(told(result), ElementsAre("slower torch.add/1"));
  const Ratio& ratio = *result.pairs[0].changes[0].ratio;
  EXPECT_NEAR(ratio.ratio, 2, 1e-9);
  // The corners of both medians' intervals.
  EXPECT_NEAR(ratio.interval->low, 2 * 0.99 / 1.01, 1e-9);
  EXPECT_NEAR(ratio.interval->high, 2 * 1.01 / 0.99, 1e-9);
  EXPECT_EQ(result.pairs[0].floor.value, CompareOptions().assumed_floor);
  EXPECT_THAT(result.pairs[0].floor.source, HasSubstr("assumed"));
}

TEST_F(ChangeTest, FasterIsNoRegression) {
  plan({add_case()});
  before.commit({passes(add_case()), timed(add_case(), 2e-3)});
  after.commit({passes(add_case()), timed(add_case(), 1e-3)});
  const Comparison result = compare();
  EXPECT_THAT(told(result), ElementsAre("faster torch.add/1"));
  EXPECT_FALSE(is_regression(result.pairs[0].changes[0].kind));
}

TEST_F(ChangeTest, AChangeWithinTheFloorIsNone) {
  plan({add_case()});
  before.commit({passes(add_case()), timed(add_case(), 1.0e-3)});
  after.commit({passes(add_case()), timed(add_case(), 1.2e-3)});
  EXPECT_THAT(told(compare()), IsEmpty());
  EXPECT_THAT(told(compare({.floor = 1.1})), ElementsAre("slower torch.add/1"));
}

TEST_F(ChangeTest, AnIntervalThatContainsOneIsNoChange) {
  plan({add_case()});
  before.commit(
      {passes(add_case()), store::make_timing(kTarget, add_case(), 1, {1e-3, 1e-3, 1e-3, 1e-3, 5e-3, 6e-3})});
  after.commit({passes(add_case()), timed(add_case(), 2e-3)});
  EXPECT_THAT(told(compare()), IsEmpty());
}

TEST_F(ChangeTest, SeveralProcessesGiveWelchsInterval) {
  plan({add_case()});
  before.commit({passes(add_case()), timed(add_case(), 1.00e-3, 2), timed(add_case(), 1.02e-3, 3)});
  after.commit({passes(add_case()), timed(add_case(), 2.00e-3, 2), timed(add_case(), 2.02e-3, 3)});
  const Comparison result = compare();
  ASSERT_THAT(told(result), ElementsAre("slower torch.add/1"));
  const std::vector<double> now{2.00e-3, 2.02e-3};
  const std::vector<double> then{1.00e-3, 1.02e-3};
  EXPECT_EQ(result.pairs[0].changes[0].ratio->interval, log_ratio_interval(now, then));
}

TEST_F(ChangeTest, TheFloorIsMeasuredFromRepeatedTimings) {
  std::vector<CaseInfo> cases;
  for (const char* name : {"1", "2", "3", "4", "5"}) cases.push_back(make_case("torch.add", name));
  plan(cases);
  for (const CaseInfo& info : cases) {
    before.commit({passes(info), timed(info, 1e-3, 2), timed(info, 3e-3, 3)});  // threefold noise
    after.commit({passes(info), timed(info, 4e-3, 2), timed(info, 4e-3, 3)});
  }
  const Comparison result = compare();
  EXPECT_NEAR(result.pairs[0].floor.value, 3, 1e-9);
  EXPECT_THAT(result.pairs[0].floor.source, HasSubstr("5 cases"));
  EXPECT_THAT(told(result), IsEmpty());  // twice as slow is within it
}

TEST_F(ChangeTest, AColdTimeMeasuredOnceNeedsThreeTimesTheFloor) {
  plan({add_case()});
  before.commit({passes(add_case()), timed(add_case(), 1e-3, 2, 1.0)});
  after.commit({passes(add_case()), timed(add_case(), 1e-3, 2, 3.7)});
  EXPECT_THAT(told(compare()), IsEmpty());
  const Comparison result = compare({.floor = 1.2});
  ASSERT_THAT(told(result), ElementsAre("slower torch.add/1"));
  EXPECT_EQ(result.pairs[0].changes[0].clock, Clock::kCold);
  EXPECT_FALSE(result.pairs[0].changes[0].ratio->interval);
}

TEST_F(ChangeTest, UnstableTimesAndOtherProtocolsSayNothing) {
  const CaseInfo unstable_case = add_case();
  const CaseInfo paper_case = make_case("torch.sub", "1");
  plan({unstable_case, paper_case});
  Attempt unstable = timed(unstable_case, 2e-3);
  unstable.latency.unstable = true;
  Attempt paper = timed(paper_case, 9e-3);
  paper.latency.protocol = "paper";
  before.commit(
      {passes(unstable_case), timed(unstable_case, 1e-3), passes(paper_case), timed(paper_case, 1e-3)});
  after.commit({passes(unstable_case), unstable, passes(paper_case), paper});
  const Comparison result = compare();
  EXPECT_THAT(told(result), IsEmpty());
  EXPECT_EQ(result.pairs[0].unstable, 1);
  EXPECT_FALSE(result.pairs[0].cases[1].warm);
}

TEST_F(ChangeTest, ColdKindsAreNotMixed) {
  plan({add_case()});
  Attempt process = timed(add_case(), 1e-3, 2, 100.0);
  process.latency.cold_kind = "cold-process";
  before.commit({passes(add_case()), timed(add_case(), 1e-3)});
  after.commit({passes(add_case()), process});
  EXPECT_THAT(told(compare()), IsEmpty());
}

// --- evidence

Attempt compiles(const CaseInfo& info) { return passes(info, Evidence::kCompiled); }
Attempt does_not_compile(const CaseInfo& info) {
  Attempt attempt = fails(info);
  attempt.evidence = Evidence::kLowered;
  return attempt;
}

TEST_F(ChangeTest, WhatCompilesIsNotHeldAgainstWhatRan) {
  plan({add_case()});
  before.commit({passes(add_case())});
  after.commit({compiles(add_case())});
  const Comparison result = compare();
  EXPECT_THAT(told(result), IsEmpty());
  EXPECT_EQ(result.pairs[0].function_counts.not_compared, 1);
  EXPECT_THAT(result.pairs[0].not_compared.at(0).reason, HasSubstr("only compiled now"));
}

TEST_F(ChangeTest, WhatRanAndDoesNotCompileIsANewFailure) {
  plan({add_case()});
  before.commit({passes(add_case())});
  after.commit({does_not_compile(add_case())});
  EXPECT_THAT(told(compare()), ElementsAre("new-failure torch.add/1"));
}

TEST_F(ChangeTest, WhatCompiledAndFailsToRunIsNotCompared) {
  const CaseInfo runs = make_case("torch.sub", "1");
  plan({add_case(), runs});
  before.commit({compiles(add_case()), compiles(runs)});
  after.commit({fails(add_case()), passes(runs)});
  const Comparison result = compare();
  EXPECT_THAT(told(result), IsEmpty());
  EXPECT_EQ(result.pairs[0].function_counts.not_compared, 2);
}

TEST_F(ChangeTest, CompiledIsComparedWithCompiled) {
  plan({add_case()});
  before.commit({compiles(add_case())});
  after.commit({does_not_compile(add_case())});
  EXPECT_THAT(told(compare()), ElementsAre("new-failure torch.add/1"));
}

// --- sides

TEST_F(ChangeTest, TargetsOfOneSideOnlyAreTold) {
  plan({add_case()});
  before.add("torch/cpu", {add_case()});
  after.add("torch/cuda", {add_case()});
  EXPECT_THAT(told(compare().of_targets), ElementsAre("dropped torch/cpu", "added torch/cuda"));
}

TEST_F(ChangeTest, TwoNamedTargetsAreHeldAgainstEachOther) {
  plan({add_case()});
  before.add("torch/cpu", {add_case()});
  before.commit({passes(add_case())});
  Attempt on_cpu = store::make_attempt("torch/cpu", add_case());
  before.commit({on_cpu});
  after.commit({fails(add_case())});
  before.targets = {"torch/cpu"};
  after.targets = {kTarget};
  before.one_target = after.one_target = true;
  const Comparison result = compare();
  EXPECT_EQ(result.pairs.at(0).before.target, "torch/cpu");
  EXPECT_THAT(told(result), ElementsAre("new-failure torch.add/1"));
  EXPECT_THAT(result.of_targets, IsEmpty());
}

TEST_F(ChangeTest, NothingInCommonIsAnError) {
  before.add("torch/cpu", {add_case()});
  after.add("torch/cuda", {add_case()});
  const Result<Comparison> result = try_compare();
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().is(AnalysisError::kNothing));
  EXPECT_THAT(result.error().message(), HasSubstr("torch/cpu against torch/cuda"));
}

TEST_F(ChangeTest, TargetsOfOtherFrameworksAreNotHeldAgainstEachOther) {
  before.add("torch/cpu", {add_case()});
  after.add("jax/cpu", {make_case("jax.numpy.add", "1", true, "jax")});
  before.targets = {"torch/cpu"};
  after.targets = {"jax/cpu"};
  before.one_target = after.one_target = true;
  EXPECT_FALSE(try_compare());
}

TEST_F(ChangeTest, ASideWithoutAttemptsIsNoCrash) {
  plan({add_case()});
  before.commit({passes(add_case())});
  EXPECT_THAT(told(compare()), ElementsAre("not-run torch.add/1"));
}

TEST_F(ChangeTest, DriftNamesWhatDiffers) {
  after.info().host = Value(Value::Object{{"cpu", "another cpu"}, {"cores", 2}});
  after.info().seed = 7;
  store::RunTarget target = store::make_target(kTarget);
  target.framework_version = "2.14.0";
  target.environment_lock =
      Value(Value::Object{{"python", "3.11.2"}, {"packages", Value::Array{"numpy==2.1", "extra==1"}}});
  before.add(kTarget, {add_case()});
  after.add(target, {add_case()});
  before.finish();
  after.finish();
  std::vector<std::string> texts;
  for (const Drift& drift : compare().drifts) {
    texts.push_back(drift.target + "|" + drift.what + "|" + drift.before + "|" + drift.after);
  }
  EXPECT_THAT(texts, ElementsAre("|host cpu|a cpu|another cpu", "|seed|0|7", "torch/lazy|torch|2.13.0|2.14.0",
                                 "torch/lazy|package numpy|2.0|2.1", "torch/lazy|package extra|none|1"));
}

TEST_F(ChangeTest, AnUnfinishedRunIsADrift) {
  plan({add_case()});
  before.finish();
  std::vector<std::string> whats;
  for (const Drift& drift : compare().drifts) whats.push_back(drift.what);
  EXPECT_THAT(whats, Contains("state of the run"));
}

TEST_F(ChangeTest, TheOverallRatioIsTheMedianOverCases) {
  std::vector<CaseInfo> cases;
  std::vector<double> factors{1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6};
  for (std::size_t i = 0; i < factors.size(); ++i) cases.push_back(make_case("torch.add", std::to_string(i)));
  plan(cases);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    before.commit({passes(cases[i]), timed(cases[i], 1e-3)});
    after.commit({passes(cases[i]), timed(cases[i], 1e-3 * factors[i])});
  }
  const Overall warm = compare().pairs[0].warm;
  EXPECT_EQ(warm.cases, 7);
  EXPECT_NEAR(warm.median.value.value(), 1.3, 1e-9);
  // The sign test's: of seven, the least and the greatest.
  EXPECT_NEAR(warm.interval->low, 1.0, 1e-9);
  EXPECT_NEAR(warm.interval->high, 1.6, 1e-9);
}

}  // namespace
}  // namespace seamark::analysis
