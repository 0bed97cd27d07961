// What only one worker mode has, and how a run is stopped and resumed; with real workers, as
// supervisor_test.cc.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>

#include "run_fixture.h"
#include "seamark/proc/exit_state.h"
#include "seamark/proc/subreaper.h"
#include "seamark/run/supervisor.h"

namespace seamark::run {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::SizeIs;

// ---- what only one mode has

TEST_F(RunTest, FailureThatPassesAloneIsTheWorkersAndAFlip) {
  add_target("fake/cpu", WorkerMode::kPersistent, {"f/ok#1", "g/fail_shared#1", "g/fail_shared#2"});
  const Finished finished = run_to_end();
  // The second relied on the confirmation of the first, which was refuted: it was run again itself.
  EXPECT_THAT(sink_.of("g/fail_shared#1"), SizeIs(3));
  EXPECT_THAT(sink_.of("g/fail_shared#2"), SizeIs(3));
  EXPECT_EQ(finished.counts.pass, 3u);
  EXPECT_EQ(finished.counts.flaky, 0u);
  EXPECT_THAT(sink_.events_of("flip"), SizeIs(2));
  EXPECT_THAT(sink_.events_of("worker-suspected"), SizeIs(2));
}

TEST_F(RunTest, AFlakeOfAForkIsAFlipToo) {
  add_target("fake/cpu", WorkerMode::kFork, {"f/ok#1", "g/abort_once"});
  EXPECT_EQ(run_to_end().counts.flaky, 1u);
  EXPECT_THAT(sink_.events_of("flip"), SizeIs(1));
}

TEST_F(RunTest, AWorkerThatIsSpentIsReplaced) {
  add_target("fake/cpu", WorkerMode::kPersistent,
             {"f/ok#1", "g/spent", "f/ok#2", "f/ok#3", "g/spent#2", "g/restored"});
  const Finished finished = run_to_end();
  EXPECT_EQ(finished.counts.pass, 6u);
  for (const char* name : {"f/ok#1", "g/spent", "f/ok#2", "f/ok#3", "g/spent#2", "g/restored"})
    expect_pass(name);
  EXPECT_THAT(sink_.events_of("worker-started"), SizeIs(3));
  EXPECT_THAT(sink_.events_of("worker-died"), IsEmpty());
  const std::vector<Value> told = sink_.events_of("poison");
  ASSERT_THAT(told, SizeIs(3));
  EXPECT_EQ(told[0].string_or("case", ""), "g/spent");
  EXPECT_EQ(told[0].find("changed")->as_array()[0].as_string(), "torch.add");
  EXPECT_TRUE(told[0].find("replaced")->as_bool());
  EXPECT_FALSE(told[2].find("replaced")->as_bool());
}

TEST_F(RunTest, WhatACompilerSaidInAnEarlierRunIsNotRunAgain) {
  plan_.recheck_share = 1;
  add_target("fake/aot", WorkerMode::kPersistent,
             {"f/cached_pass#1", "f/cached_confirmed#1", "f/cached_confirmed#2", "g/cached#1", "g/cached#2"});
  const Finished finished = run_to_end();
  EXPECT_EQ(finished.counts.fail, 4u);
  const Attempt pass = only("f/cached_pass#1");
  EXPECT_EQ(pass.outcome, Outcome::kPass);
  EXPECT_THAT(pass.latency.cold_reason, HasSubstr("earlier run"));
  // Its own run alone, when it was kept, stands for it; and it for another of the same signature.
  EXPECT_EQ(only("f/cached_confirmed#1").confirmed_by, "f/cached_confirmed#1");
  EXPECT_EQ(only("f/cached_confirmed#2").confirmed_by, "f/cached_confirmed#1");
  // A failure that nobody has run again alone is run again, once per signature.
  ASSERT_THAT(sink_.of("g/cached#1"), SizeIs(2));
  EXPECT_EQ(sink_.of("g/cached#1")[1].phase, Phase::kConfirm);
  EXPECT_THAT(sink_.of("g/cached#1")[1].attributes, IsEmpty());
  EXPECT_EQ(only("g/cached#2").confirmed_by, "g/cached#1");
}

TEST_F(RunTest, ASecondWorkerComesOnlyForWhatNoEarlierRunAnswered) {
  plan_.jobs = 2;
  std::vector<std::string> known;
  std::vector<std::string> unknown;
  for (int i = 0; i < 20; ++i) {
    known.push_back("f/cached_pass#" + std::to_string(i));
    unknown.push_back("f/sleep:0.1#" + std::to_string(i));
  }
  PlannedTarget& target = add_target("fake/aot", WorkerMode::kPersistent, known);
  target.slots = 2;
  target.cache_dir = folder_.path().native();
  EXPECT_EQ(run_to_end().counts.pass, 20u);
  EXPECT_THAT(sink_.events_of("worker-started"), SizeIs(1));
  plan_.targets.clear();
  PlannedTarget& other = add_target("fake/aot", WorkerMode::kPersistent, unknown);
  other.slots = 2;
  other.cache_dir = folder_.path().native();
  EXPECT_EQ(run_to_end().counts.pass, 20u);
  EXPECT_THAT(sink_.events_of("worker-started"), SizeIs(3));
}

TEST_F(RunTest, RechecksAShareOfThePassesOfPersistentWorkers) {
  plan_.recheck_share = 1;
  add_target("fake/cpu", WorkerMode::kPersistent, {"f/ok#1", "g/pass_shared"});
  const Finished finished = run_to_end();
  ASSERT_THAT(sink_.of("f/ok#1"), SizeIs(2));
  EXPECT_EQ(sink_.of("f/ok#1")[1].phase, Phase::kRecheck);
  EXPECT_EQ(finished.counts.pass, 1u);
  EXPECT_EQ(finished.counts.fail, 1u);  // twice alone: its pass was the worker's
  ASSERT_THAT(sink_.events_of("flip"), SizeIs(1));
  EXPECT_EQ(sink_.events_of("flip")[0].string_or("case", ""), "g/pass_shared");
}

TEST_F(RunTest, ConfirmationsMayComeFromForksOfOneProcess) {
  plan_.recheck_share = 1;
  run::PlannedTarget& target = add_target("fake/cpu", WorkerMode::kPersistent,
                                          {"f/ok#1", "g/fail_shared#1", "g/segv", "h/fail", "f/ok#2"});
  target.confirm = WorkerMode::kFork;
  target.slots = 1;
  const Finished finished = run_to_end();
  for (const char* name : {"f/ok#1", "g/fail_shared#1", "g/segv", "h/fail", "f/ok#2"}) {
    const std::vector<Attempt> attempts = sink_.of(name);
    ASSERT_THAT(attempts, SizeIs(std::string(name) == "g/fail_shared#1" ? 3 : 2)) << name;
    EXPECT_EQ(attempts[0].mode, WorkerMode::kPersistent) << name;
    EXPECT_EQ(attempts[1].mode, WorkerMode::kFork) << name;
  }
  EXPECT_EQ(sink_.of("g/segv")[1].outcome, Outcome::kCrash);
  EXPECT_EQ(finished.counts.pass, 3u);  // one of them fails only where another case ran before
  EXPECT_EQ(finished.counts.crash, 1u);
  EXPECT_EQ(finished.counts.fail, 1u);
  // One that served, one after the crash, one to fork from.
  EXPECT_THAT(sink_.events_of("worker-started"), SizeIs(3));
}

TEST_F(RunTest, PersistentWorkersAreSharedAndRestartedAfterACrash) {
  plan_.confirm = false;
  add_target("fake/cpu", WorkerMode::kPersistent, {"f/ok#1", "f/ok#2", "g/segv", "f/ok#3", "f/ok#4"});
  run_to_end();
  EXPECT_THAT(sink_.events_of("worker-started"), SizeIs(2));
}

TEST_F(RunTest, AWorkerThatStartsOnceAndNeverAgain) {
  add_target("fake/cpu", WorkerMode::kPersistent, {"f/ok#1", "g/segv", "f/ok#2"}, "once");
  const Finished finished = run_to_end();
  expect_pass("f/ok#1");
  EXPECT_EQ(only("f/ok#2").outcome, Outcome::kError);
  EXPECT_EQ(sink_.of("g/segv").front().outcome, Outcome::kCrash);
  EXPECT_EQ(finished.unusable.size(), 1u);
  EXPECT_THAT(sink_.events_of("worker-failed"), SizeIs(3));
}

TEST_F(RunTest, AForkedChildThatAnswersAndDoesNotEnd) {
  add_target("fake/cpu", WorkerMode::kFork, {"g/exit_hang", "f/ok#1"});
  run_to_end();
  EXPECT_EQ(only("g/exit_hang").reason, "it answered 'pass', and then did not end");
  expect_pass("f/ok#1");
  EXPECT_THAT(sink_.events_of("exit-hung"), SizeIs(1));
  EXPECT_THAT(sink_.events_of("worker-started"), SizeIs(1));  // the zygote lived on
}

TEST_F(RunTest, TheZygoteSurvivesCrashesOfItsChildren) {
  plan_.confirm = false;
  add_target("fake/cpu", WorkerMode::kFork, {"g/segv", "f/ok#1", "g/abort", "f/ok#2"});
  run_to_end();
  EXPECT_THAT(sink_.events_of("worker-started"), SizeIs(1));
}

// A case that writes to the wire itself can name any process: it must not be signalled.
TEST_F(RunTest, APidThatIsNoneOfOursIsNotSignalled) {
  plan_.confirm = false;
  // The group of this test itself: it would not survive.
  const std::string lie = "g/lying_pid:" + std::to_string(::getpgrp());
  add_target("fake/cpu", WorkerMode::kFork, {lie, "f/ok#1"}).cases[0].timeout_s = 0.5;
  run_to_end();
  EXPECT_THAT(only(lie).outcome, ::testing::AnyOf(Outcome::kError, Outcome::kTimeout));
  expect_pass("f/ok#1");
}

// ---- interrupts and the sink

TEST_F(RunTest, FirstInterruptFinishesWhatRuns) {
  add_target("fake/cpu", WorkerMode::kFork, {"f/sleep:0.3#1", "f/ok#2", "f/ok#3", "f/ok#4", "f/ok#5"});
  listener_.when_started = [](const std::string& name) {
    if (name == "f/sleep:0.3#1") ::kill(::getpid(), SIGINT);
  };
  const Result<RunResult> result = run();
  ASSERT_TRUE(result.ok());
  ASSERT_TRUE(std::holds_alternative<Interrupted>(*result));
  const Interrupted interrupted = std::get<Interrupted>(*result);
  EXPECT_FALSE(interrupted.killed);
  expect_pass("f/sleep:0.3#1");
  EXPECT_EQ(interrupted.counts.done, sink_.attempts.size());
  EXPECT_LE(sink_.attempts.size(), 2u);  // what was in flight
  EXPECT_THAT(sink_.of("f/ok#5"), IsEmpty());
  EXPECT_THAT(proc::list_descendants(::getpid()), IsEmpty());
}

TEST_F(RunTest, SecondInterruptKills) {
  add_target("fake/cpu", WorkerMode::kFork, {"f/ok#1", "g/hang", "f/ok#3"});
  listener_.when_started = [](const std::string& name) {
    if (name == "g/hang") ::kill(::getpid(), SIGINT);
  };
  listener_.when_notice = [](const std::string& text) {
    if (text.find("again to kill") != std::string::npos) ::kill(::getpid(), SIGTERM);
  };
  const auto before = std::chrono::steady_clock::now();
  const Result<RunResult> result = run();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(5));
  ASSERT_TRUE(result.ok());
  ASSERT_TRUE(std::holds_alternative<Interrupted>(*result));
  EXPECT_TRUE(std::get<Interrupted>(*result).killed);
  expect_pass("f/ok#1");
  EXPECT_THAT(sink_.of("g/hang"), IsEmpty());
  EXPECT_THAT(proc::list_descendants(::getpid()), IsEmpty());
}

TEST_F(RunTest, InterruptWhileAWorkerStarts) {
  add_target("fake/cpu", WorkerMode::kPersistent, {"f/ok#1"}, "hang");
  listener_.when_notice = [](const std::string&) {};
  proc::Signals signals;
  ::kill(::getpid(), SIGINT);
  const Result<RunResult> result = seamark::run::run(plan_, sink_, listener_, signals);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(std::holds_alternative<Interrupted>(*result));
  EXPECT_THAT(sink_.attempts, IsEmpty());
  EXPECT_THAT(proc::list_descendants(::getpid()), IsEmpty());
}

TEST_F(RunTest, ASinkThatFailsStopsTheRun) {
  std::vector<std::string> names;
  names.reserve(50);
  for (int i = 0; i < 50; ++i) names.push_back("f/sleep:0.01#" + std::to_string(i));
  add_target("fake/cpu", WorkerMode::kPersistent, names);
  sink_.fail_after = 2;
  const Result<RunResult> result = run();
  ASSERT_FALSE(result.ok());
  // A commit holds what ended since the one before: at times more than one.
  EXPECT_THAT(result.error().message(),
              MatchesRegex(fmt::format(
                  "{} results of this run are stored, [1-9][0-9]* are lost: no space left on device",
                  sink_.attempts.size())));
  EXPECT_EQ(sink_.commits, 3u);
  EXPECT_LT(listener_.started.size(), 20u);
  EXPECT_THAT(proc::list_descendants(::getpid()), IsEmpty());
}

TEST_F(RunTest, ResumeRunsOnlyWhatIsMissing) {
  add_target("fake/cpu", WorkerMode::kFork, {"f/ok#1", "g/fail#1", "f/sleep:0.2", "g/fail#2", "f/ok#2"});
  listener_.when_started = [](const std::string& name) {
    if (name == "f/sleep:0.2") ::kill(::getpid(), SIGINT);
  };
  ASSERT_TRUE(std::holds_alternative<Interrupted>(run().value()));
  const std::size_t first = sink_.attempts.size();
  EXPECT_THAT(sink_.of("f/ok#2"), IsEmpty());
  for (const Attempt& a : sink_.attempts) {
    plan_.targets[0].prior.push_back(
        {a.case_hash, a.attempt, a.phase, a.outcome, a.signature, a.confirmed_by});
  }
  listener_.when_started = nullptr;
  const Finished finished = run_to_end();
  EXPECT_EQ(finished.counts.attempts, sink_.attempts.size() - first);
  for (const char* name : {"f/ok#1", "f/sleep:0.2", "f/ok#2"}) expect_pass(name);
  EXPECT_THAT(sink_.of("g/fail#1"), SizeIs(2));
  EXPECT_THAT(sink_.of("g/fail#2"), SizeIs(1));
  EXPECT_EQ(finished.counts.done, 5u);
  EXPECT_EQ(finished.counts.fail, 2u);
}

TEST_F(RunTest, ABadPlanIsRefused) {
  add_target("fake/cpu", WorkerMode::kFork, {"f/ok#1", "f/ok#1"});
  const Result<RunResult> result = run();
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(result.error().is(RunError::kBadPlan));
  EXPECT_THAT(result.error().message(), HasSubstr("f/ok#1"));
}

}  // namespace
}  // namespace seamark::run
