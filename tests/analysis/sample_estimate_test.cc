#include "seamark/analysis/sample_estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../store/store_fixture.h"
#include "seamark/analysis/summary.h"

namespace seamark::analysis {
namespace {

using store::make_attempt;
using store::make_case;
using store::make_failure;
using store::make_target;
using store::must;
using testing::ElementsAre;

// A top of 2 and a stratum of 10 of which 4 were drawn.
Sample drawn() {
  Sample sample;
  sample.info.name = "small";
  sample.info.procedure = "by hand";
  sample.frames.emplace_back();
  sample.frames[0].framework = "torch";
  sample.frames[0].seen = 12;
  sample.strata = {
      {.framework = "torch", .name = "top", .functions = 2, .drawn = 2, .calls = 80},
      {.framework = "torch", .name = "decile-1", .decile = 1, .functions = 10, .drawn = 4, .calls = 20}};
  for (const char* name : {"torch.a", "torch.b", "torch.c", "torch.d", "torch.e", "torch.f"}) {
    SampledFunction one;
    one.framework = "torch";
    one.function = name;
    const bool top = sample.functions.size() < 2;
    one.role = top ? SampleRole::kTop : SampleRole::kDecile;
    one.stratum = top ? "top" : "decile-1";
    one.calls = top ? 40 : 2;
    sample.functions.push_back(one);
  }
  return sample;
}

class SampleEstimateTest : public store::StoreTest {
 protected:
  SampleEstimateTest() : store_(open()), id_(must(store_.save_sample(drawn()))) {}

  // torch.a passes, the other name of torch.b fails, torch.c passes, torch.d has half of its cases, torch.e
  // was skipped, torch.f was not planned.
  void run(const Value& sample_option) {
    store::RunInfo info;
    info.protocol = "full";
    info.options.set("sample", sample_option);
    store::RunWriter writer = must(store_.begin_run(info));
    const std::vector<CaseInfo> cases = {make_case("torch.a", "x"), make_case("torch.bb", "y"),
                                         make_case("torch.c", "z"), make_case("torch.d", "p"),
                                         make_case("torch.d", "q"), make_case("torch.e", "r")};
    ASSERT_OK(writer.add_target(make_target("torch/lazy")));
    ASSERT_OK(writer.plan("torch/lazy", cases));
    Attempt skipped = make_attempt("torch/lazy", cases[5], Outcome::kSkip);
    skipped.reason = "needs two";
    const std::vector<Attempt> attempts = {make_attempt("torch/lazy", cases[0]),
                                           make_failure("torch/lazy", cases[1], "E", "no"),
                                           make_attempt("torch/lazy", cases[2]),
                                           make_attempt("torch/lazy", cases[3]),
                                           make_failure("torch/lazy", cases[4], "E", "no"),
                                           skipped};
    ASSERT_OK(writer.commit(attempts));
    ASSERT_OK(writer.finish(store::RunState::kFinished, "", 1, 1));
  }

  [[nodiscard]] Value option() const {
    Value names{Value::Object{}};
    names.set("torch.bb", "torch.b");
    Value value;
    value.set("id", id_).set("names", std::move(names));
    return value;
  }

  Summary summary() {
    const classify::RuleSet rules = classify::RuleSet::parse("", "rules.toml").value();
    return must(summarize(store_, rules, {}));
  }

  store::Store store_;
  std::string id_;
};

TEST_F(SampleEstimateTest, VerdictsSpeakForTheirStrata) {
  run(option());
  const Summary read = summary();
  ASSERT_TRUE(read.sample);
  EXPECT_EQ(read.sample->info.name, "small");
  ASSERT_EQ(read.sample->targets.size(), 1U);
  const TargetSample& target = read.sample->targets[0];
  EXPECT_EQ(target.target, "torch/lazy");
  EXPECT_EQ(target.estimate.functions, 12);
  EXPECT_EQ(target.estimate.drawn, 6);
  EXPECT_EQ(target.estimate.answered, 4);
  EXPECT_EQ(target.estimate.failed, 2);
  EXPECT_THAT(target.unknown, ElementsAre("torch.e", "torch.f"));
  EXPECT_NEAR(*target.estimate.of_functions.value, (1 + 10 * 0.5) / 12, 1e-12);
  EXPECT_NEAR(*target.estimate.of_size.value, (40 + 20 * 0.5) / 100, 1e-12);
  EXPECT_NEAR(target.estimate.of_functions.best, (1 + 10 * 0.25) / 12, 1e-12);
  EXPECT_NEAR(target.estimate.of_functions.worst, (1 + 10 * 0.75) / 12, 1e-12);
}

TEST_F(SampleEstimateTest, OnlyRunsOfOneSampleHaveOne) {
  run(Value());
  EXPECT_FALSE(summary().sample);
  Value other;
  other.set("id", "ffffffffffffffff");
  run(other);
  EXPECT_FALSE(summary().sample);  // the store does not have it
  run(option());
  EXPECT_TRUE(summary().sample);
}

}  // namespace
}  // namespace seamark::analysis
