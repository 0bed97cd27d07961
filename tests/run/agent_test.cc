// The real agent and its selftest adapter, from listing to timing. SEAMARK_TEST_PYTHON names an interpreter
// that has NumPy; without one the end-to-end runs are skipped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "run_fixture.h"
#include "seamark/agent/commands.h"
#include "seamark/proc/run_command.h"

namespace seamark::run {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class RealAgentTest : public RunTest, public ::testing::WithParamInterface<WorkerMode> {
 protected:
  RealAgentTest() {
    plan_.boot = std::string(SEAMARK_SOURCE_DIR) + "/python/seamark_agent/boot.py";
    const char* named = std::getenv("SEAMARK_TEST_PYTHON");
    python_ = named != nullptr ? named : "python3";
    hello_ = Value(Value::Object{});
    hello_.set("name", "selftest/cpu")
        .set("framework", "selftest")
        .set("adapter", "selftest")
        .set("device", "cpu");
    hello_.set("mode", "").set("options", Value(Value::Object{}));
    proc::CommandOptions options;
    options.spawn.argv = {python_, "-c", "import numpy"};
    has_numpy_ = proc::run_command(options).value().success();
  }
  PlannedTarget& add_selftest(WorkerMode mode) {
    const agent::AgentProgram program{python_, plan_.boot, {}};
    const std::vector<std::string> suites = {"selftest"};
    Result<std::vector<CaseInfo>> cases = agent::list_cases(program, suites);
    if (!cases) throw std::runtime_error(cases.error().message());
    PlannedTarget& target = add_target("selftest/cpu", mode, {});
    target.hello = hello_;
    target.interpreter = python_;
    target.suites = suites;
    for (const CaseInfo& info : *cases) {
      target.cases.push_back({info.name, info.function, info.hash, info.timeout_s, true});
    }
    return target;
  }
  std::string python_;
  Value hello_;
  bool has_numpy_ = false;
};

TEST_P(RealAgentTest, ListsRunsAndTimes) {
  if (!has_numpy_) GTEST_SKIP() << "no NumPy in " << python_ << ": set SEAMARK_TEST_PYTHON";
  plan_.recheck_share = 1;
  const std::size_t count = add_selftest(GetParam()).cases.size();
  ASSERT_GE(count, 5u);
  const Finished finished = run_to_end();
  EXPECT_EQ(finished.counts.pass, count);
  EXPECT_EQ(finished.counts.timed, count);
  EXPECT_THAT(finished.unusable, IsEmpty());
  EXPECT_THAT(sink_.events_of("protocol-error"), IsEmpty());
  for (const PlannedCase& planned : plan_.targets[0].cases) {
    SCOPED_TRACE(planned.name);
    const std::vector<Attempt> attempts = sink_.of(planned.name);
    ASSERT_THAT(attempts, SizeIs(3));
    EXPECT_TRUE(attempts[0].cpu_s.has_value());
    EXPECT_EQ(attempts[0].latency.warm_median_s, std::nullopt);
    const Attempt& timing = attempts.back();
    EXPECT_EQ(timing.phase, Phase::kTiming);
    EXPECT_GT(timing.latency.warm_median_s.value_or(-1), 0);
    EXPECT_FALSE(timing.operations.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, RealAgentTest,
                         ::testing::Values(WorkerMode::kFork, WorkerMode::kPersistent, WorkerMode::kProcess),
                         [](const auto& mode) { return std::string(name_of(mode.param)); });

TEST_F(RealAgentTest, AFrameworkThatDoesNotImportMakesTheTargetUnusable) {
  PlannedTarget& target = add_target("nothing/cpu", WorkerMode::kFork, {"f/a", "f/b"});
  target.interpreter = python_;
  target.hello = hello_;
  Value options{Value::Object{}};
  options.set("import", "no_such_framework_anywhere");
  target.hello.set("options", options);
  target.suites = {"selftest"};
  const Finished finished = run_to_end();
  EXPECT_THAT(finished.unusable, SizeIs(1));
  EXPECT_EQ(only("f/a").outcome, Outcome::kSkip);
  EXPECT_THAT(only("f/b").reason, ::testing::HasSubstr("no_such_framework_anywhere"));
}

}  // namespace
}  // namespace seamark::run
