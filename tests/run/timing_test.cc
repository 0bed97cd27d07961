// The timing stage: what is timed, by which processes, under which lock.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <set>
#include <sstream>

#include "run_fixture.h"
#include "seamark/run/timing_lock.h"

namespace seamark::run {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class TimingTest : public RunTest {
 protected:
  struct Timed {
    int pid = 0;
    std::string target;
    std::string name;
  };
  std::vector<Timed> timed() const {
    std::ifstream stream(folder_.path() / "timing.log");
    std::vector<Timed> all;
    Timed one;
    while (stream >> one.pid >> one.target >> one.name) all.push_back(one);
    return all;
  }
  std::set<int> processes_of(const std::string& function) const {
    std::set<int> pids;
    for (const Timed& one : timed()) {
      if (one.name.starts_with(function + "/")) pids.insert(one.pid);
    }
    return pids;
  }
  void time_all(PlannedTarget& target) {
    for (PlannedCase& planned : target.cases) planned.timed = true;
  }
};

TEST_F(TimingTest, OnlyPassesAreTimedAfterCorrectness) {
  PlannedTarget& target =
      add_target("fake/cpu", WorkerMode::kPersistent, {"f/ok#1", "g/fail", "f/ok#2", "f/ok#3"});
  time_all(target);
  target.cases[3].timed = false;
  const Finished finished = run_to_end();
  EXPECT_EQ(finished.counts.to_time, 2u);
  EXPECT_EQ(finished.counts.timed, 2u);
  ASSERT_THAT(sink_.of("f/ok#1"), SizeIs(2));
  const Attempt attempt = sink_.of("f/ok#1")[1];
  EXPECT_EQ(attempt.phase, Phase::kTiming);
  EXPECT_EQ(attempt.attempt, 2);
  EXPECT_EQ(attempt.latency.protocol, "full");
  EXPECT_EQ(attempt.latency.cold_kind, "cold-op");
  EXPECT_DOUBLE_EQ(attempt.latency.cold_s.value(), 0.01);
  EXPECT_NEAR(attempt.latency.warm_median_s.value(), 1.0095e-3, 1e-9);
  EXPECT_EQ(attempt.latency.warm_n, 20);
  EXPECT_TRUE(attempt.latency.warm_low_s.has_value());
  EXPECT_THAT(sink_.of("f/ok#3"), SizeIs(1));
  EXPECT_THAT(sink_.of("g/fail"), SizeIs(2));
  EXPECT_THAT(processes_of("f"), SizeIs(1));
  ASSERT_THAT(listener_.stages, SizeIs(2));
  EXPECT_EQ(listener_.stages[1], std::make_pair(RunStage::kTiming, std::size_t{2}));
}

TEST_F(TimingTest, PaperProtocolTimesInThreeProcessesPerFunction) {
  plan_.protocol = Protocol::kPaper;
  time_all(add_target("fake/cpu", WorkerMode::kFork, {"f/ok#1", "g/ok#1", "f/ok#2"}));
  run_to_end();
  EXPECT_THAT(timed(), SizeIs(9));
  EXPECT_THAT(processes_of("f"), SizeIs(3));
  EXPECT_THAT(processes_of("g"), SizeIs(3));
  ASSERT_THAT(sink_.of("f/ok#2"), SizeIs(4));
  EXPECT_EQ(sink_.of("f/ok#2")[3].attempt, 4);
  EXPECT_EQ(sink_.of("f/ok#2")[3].latency.protocol, "paper");
  EXPECT_EQ(sink_.of("f/ok#2")[3].mode, WorkerMode::kPersistent);
}

TEST_F(TimingTest, SomeCasesAreTimedASecondTimeForTheNoiseFloor) {
  plan_.repeat_share = 0.25;
  std::vector<std::string> names;
  for (int i = 0; i < 16; ++i) names.push_back(fmt::format("f/ok#{}", i));
  time_all(add_target("fake/cpu", WorkerMode::kPersistent, names));
  const Finished finished = run_to_end();
  EXPECT_EQ(finished.counts.timed, 20u);
  EXPECT_THAT(timed(), SizeIs(20));
  std::set<std::string> first;
  for (std::size_t i = 0; i < 16; ++i) first.insert(timed()[i].name);
  EXPECT_THAT(first, SizeIs(16));  // the repeats come last
  for (std::size_t i = 16; i < 20; ++i) EXPECT_THAT(sink_.of(timed()[i].name), SizeIs(3));
}

TEST_F(TimingTest, ThreeCasesAtLeastAreTimedTwiceAndAResumedRunTakesTheSame) {
  plan_.repeat_share = 0.01;
  PlannedTarget& target = add_target("fake/cpu", WorkerMode::kPersistent, {"f/ok#1", "f/ok#2"});
  time_all(target);
  target.prior = {{"hash of f/ok#1", 1, Phase::kCorrectness, Outcome::kPass, "", ""},
                  {"hash of f/ok#2", 1, Phase::kCorrectness, Outcome::kPass, "", ""},
                  {"hash of f/ok#1", 2, Phase::kTiming, Outcome::kPass, "", ""},
                  {"hash of f/ok#1", 3, Phase::kTiming, Outcome::kPass, "", ""}};
  run_to_end();
  EXPECT_THAT(sink_.of("f/ok#1"), IsEmpty());
  EXPECT_THAT(sink_.of("f/ok#2"), SizeIs(2));
}

TEST_F(TimingTest, ProcessModeTimesEachCaseInAFreshProcess) {
  time_all(add_target("fake/cpu", WorkerMode::kProcess, {"f/ok#1", "f/ok#2"}));
  run_to_end();
  EXPECT_THAT(processes_of("f"), SizeIs(2));
}

TEST_F(TimingTest, ResumeTimesOnlyWhatIsMissing) {
  plan_.protocol = Protocol::kPaper;
  PlannedTarget& target = add_target("fake/cpu", WorkerMode::kFork, {"f/ok#1", "f/ok#2"});
  time_all(target);
  target.prior = {{"hash of f/ok#1", 1, Phase::kCorrectness, Outcome::kPass, "", ""},
                  {"hash of f/ok#2", 1, Phase::kCorrectness, Outcome::kPass, "", ""},
                  {"hash of f/ok#1", 2, Phase::kTiming, Outcome::kPass, "", ""},
                  {"hash of f/ok#2", 2, Phase::kTiming, Outcome::kPass, "", ""},
                  {"hash of f/ok#1", 3, Phase::kTiming, Outcome::kPass, "", ""}};
  run_to_end();
  EXPECT_THAT(sink_.of("f/ok#1"), SizeIs(1));
  EXPECT_THAT(sink_.of("f/ok#2"), SizeIs(2));
  EXPECT_EQ(sink_.of("f/ok#2")[1].attempt, 4);
}

TEST_F(TimingTest, WaitsForTheLockWithANotice) {
  plan_.host_lock = (folder_.path() / "host.lock").string();
  std::optional<TimingLock> other(std::move(TimingLock::try_acquire(plan_.host_lock).value()));
  time_all(add_target("fake/cpu", WorkerMode::kFork, {"f/ok#1"}));
  listener_.when_notice = [&](const std::string&) {
    EXPECT_THAT(timed(), IsEmpty());
    other.reset();
  };
  const Finished finished = run_to_end();
  EXPECT_EQ(finished.counts.timed, 1u);
  ASSERT_THAT(listener_.notices, SizeIs(1));
  EXPECT_THAT(listener_.notices[0], HasSubstr("waiting for the timing lock"));
}

TEST_F(TimingTest, AnInterruptEndsTheWaitForTheLock) {
  plan_.host_lock = (folder_.path() / "host.lock").string();
  const TimingLock other = std::move(TimingLock::try_acquire(plan_.host_lock).value());
  time_all(add_target("fake/cpu", WorkerMode::kFork, {"f/ok#1"}));
  listener_.when_notice = [&](const std::string&) { ::kill(::getpid(), SIGINT); };
  const Result<RunResult> result = run();
  ASSERT_TRUE(result.ok());
  ASSERT_TRUE(std::holds_alternative<Interrupted>(*result));
  expect_pass("f/ok#1");
}

TEST_F(TimingTest, ALockThatCannotBeOpenedIsAnError) {
  plan_.host_lock = "/nowhere/at/all/host.lock";
  time_all(add_target("fake/cpu", WorkerMode::kFork, {"f/ok#1"}));
  const Result<RunResult> result = run();
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(result.error().is(RunError::kTimingLock));
}

}  // namespace
}  // namespace seamark::run
