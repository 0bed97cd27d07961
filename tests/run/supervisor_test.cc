// Real workers that misbehave for real: each bad case ends as what it is, every other case is unharmed.
#include "seamark/run/supervisor.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>

#include "run_fixture.h"
#include "seamark/proc/exit_state.h"
#include "seamark/proc/subreaper.h"

namespace seamark::run {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class EveryMode : public RunTest, public ::testing::WithParamInterface<WorkerMode> {
 protected:
  // Runs "f/ok#1", the bad case, "f/ok#2", "f/ok#3", and checks that the good ones are unharmed.
  Finished run_with(const std::string& bad) {
    add_target("fake/cpu", GetParam(), {"f/ok#1", bad, "f/ok#2", "f/ok#3"});
    const Finished finished = run_to_end();
    for (const char* good : {"f/ok#1", "f/ok#2", "f/ok#3"}) expect_pass(good);
    EXPECT_EQ(finished.counts.done, 4u);
    EXPECT_THAT(finished.unusable, IsEmpty());
    EXPECT_THAT(proc::list_descendants(::getpid()), IsEmpty());
    return finished;
  }
  void expect_crash(const std::string& bad, int signal, const std::string& text) {
    const Finished finished = run_with(bad);
    const std::vector<Attempt> attempts = sink_.of(bad);
    ASSERT_EQ(attempts.size(), 2u);
    EXPECT_EQ(attempts[1].phase, Phase::kConfirm);
    for (const Attempt& attempt : attempts) {
      EXPECT_EQ(attempt.outcome, Outcome::kCrash);
      EXPECT_EQ(attempt.failure->type, "signal");
      EXPECT_THAT(attempt.failure->message, HasSubstr(text));
      ASSERT_TRUE(attempt.wait_status.has_value());
      EXPECT_EQ(proc::ExitState::from_wait_status(*attempt.wait_status).signal(), signal);
      EXPECT_FALSE(attempt.latency.warm_median_s.has_value());
    }
    EXPECT_EQ(attempts[0].signature, attempts[1].signature);
    EXPECT_EQ(finished.counts.crash, 1u);
    EXPECT_EQ(finished.counts.pass, 3u);
  }
};

INSTANTIATE_TEST_SUITE_P(Modes, EveryMode,
                         ::testing::Values(WorkerMode::kFork, WorkerMode::kPersistent, WorkerMode::kProcess),
                         [](const auto& mode) { return std::string(name_of(mode.param)); });

TEST_P(EveryMode, PassesAndSkips) {
  const Finished finished = run_with("g/skip");
  const Attempt skipped = only("g/skip");
  EXPECT_EQ(skipped.outcome, Outcome::kSkip);
  EXPECT_EQ(skipped.reason, "not for this device");
  EXPECT_EQ(skipped.max_abs_err, 0.5);
  EXPECT_EQ(skipped.max_rel_err, std::nullopt);  // it is not finite
  EXPECT_EQ(skipped.max_ulp_err, 2);
  EXPECT_EQ(finished.counts.pass, 3u);
  EXPECT_EQ(finished.counts.skip, 1u);
  EXPECT_EQ(finished.counts.attempts, 4u);
  const Attempt passed = only("f/ok#2");
  EXPECT_EQ(passed.attempt, 1);
  EXPECT_EQ(passed.mode, GetParam());
  EXPECT_EQ(passed.evidence, Evidence::kExecuted);
  EXPECT_EQ(passed.latency.warm_reason, "not timed: correctness phase");
  EXPECT_GT(passed.wall_s, 0);
  EXPECT_EQ(passed.cpu_s, 0.001);
  EXPECT_GT(passed.started_unix_us, 1'700'000'000'000'000);
  EXPECT_THAT(passed.capture, IsEmpty());
}

TEST_P(EveryMode, FailIsConfirmedAlone) {
  run_with("g/fail");
  const std::vector<Attempt> attempts = sink_.of("g/fail");
  ASSERT_EQ(attempts.size(), 2u);
  EXPECT_EQ(attempts[0].phase, Phase::kCorrectness);
  EXPECT_EQ(attempts[1].phase, Phase::kConfirm);
  EXPECT_EQ(attempts[1].attempt, 2);
  EXPECT_EQ(attempts[0].signature, attempts[1].signature);
  EXPECT_THAT(attempts[0].capture, HasSubstr("about to fail"));
  EXPECT_EQ(attempts[1].mode, GetParam() == WorkerMode::kPersistent ? WorkerMode::kProcess : GetParam());
}

// Two cases are in flight: the second may have written before the answer of the first is read.
TEST_P(EveryMode, OutputBelongsToTheCaseThatWroteIt) {
  plan_.confirm = false;
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back(fmt::format("g/say:case{:02}", i));
  names.emplace_back("g/abort");
  add_target("fake/cpu", GetParam(), names);
  run_to_end();
  for (int i = 0; i < 40; ++i) {
    const std::string word = fmt::format("case{:02}", i);
    EXPECT_EQ(only("g/say:" + word).capture, fmt::format("{0} begins\n{0} ends\n", word));
  }
  EXPECT_EQ(only("g/abort").capture, "bad things\n");
}

TEST_P(EveryMode, Segfault) { expect_crash("g/segv", SIGSEGV, "SIGSEGV"); }
TEST_P(EveryMode, Abort) {
  expect_crash("g/abort", SIGABRT, "SIGABRT");
  EXPECT_THAT(sink_.of("g/abort")[0].capture, HasSubstr("bad things"));
}
TEST_P(EveryMode, KilledFromOutside) { expect_crash("g/kill", SIGKILL, "not by Seamark"); }

TEST_P(EveryMode, EarlyExitIsACrash) {
  run_with("g/exit:0");
  const std::vector<Attempt> attempts = sink_.of("g/exit:0");
  ASSERT_EQ(attempts.size(), 2u);
  EXPECT_EQ(attempts[0].outcome, Outcome::kCrash);
  EXPECT_EQ(attempts[0].failure->type, "exit");
  EXPECT_EQ(attempts[0].failure->message, "exited with code 0");
}

// Where other cases ran before it in the same process, that is suspected, and the case runs alone once more.
TEST_P(EveryMode, CrashOnlyOnceIsFlaky) {
  const bool shared = GetParam() == WorkerMode::kPersistent;
  const Finished finished = run_with("g/abort_once");
  const std::vector<Attempt> attempts = sink_.of("g/abort_once");
  ASSERT_EQ(attempts.size(), shared ? 3u : 2u);
  EXPECT_EQ(attempts[0].outcome, Outcome::kCrash);
  EXPECT_EQ(attempts[1].outcome, Outcome::kPass);
  EXPECT_EQ(finished.counts.flaky, shared ? 0u : 1u);
  EXPECT_THAT(sink_.events_of("flip"), SizeIs(1));
}

TEST_P(EveryMode, HangIgnoringTermIsATimeout) {
  PlannedTarget& target = add_target("fake/cpu", GetParam(), {"f/ok#1", "g/hang", "f/ok#2"});
  target.cases[1].timeout_s = 0.3;
  const auto before = std::chrono::steady_clock::now();
  const Finished finished = run_to_end();
  const auto took = std::chrono::steady_clock::now() - before;
  expect_pass("f/ok#1");
  expect_pass("f/ok#2");
  const std::vector<Attempt> attempts = sink_.of("g/hang");
  ASSERT_EQ(attempts.size(), 2u);
  EXPECT_EQ(attempts[0].outcome, Outcome::kTimeout);
  EXPECT_EQ(attempts[0].failure->type, "timeout");
  EXPECT_EQ(attempts[0].failure->message, "no answer within 0.3 s");
  EXPECT_GT(attempts[0].wall_s, 0.3 + 0.2 - 0.01);
  EXPECT_THAT(attempts[0].capture, HasSubstr("hanging"));
  EXPECT_EQ(proc::ExitState::from_wait_status(attempts[0].wait_status.value()).signal(), SIGKILL);
  EXPECT_EQ(finished.counts.timeout, 1u);
  EXPECT_THAT(listener_.slow, Each("g/hang"));
  EXPECT_THAT(listener_.slow, SizeIs(2));
  EXPECT_LT(took, std::chrono::seconds(10));
  EXPECT_THAT(proc::list_descendants(::getpid()), IsEmpty());
}

TEST_P(EveryMode, OutputIsDrainedWhileACaseIsEnded) {
  plan_.confirm = false;
  add_target("fake/cpu", GetParam(), {"g/chatty_hang", "f/ok#1"}).cases[0].timeout_s = 0.2;
  run_to_end();
  EXPECT_EQ(only("g/chatty_hang").outcome, Outcome::kTimeout);
  EXPECT_LE(only("g/chatty_hang").capture.size(), 20'000u);
  expect_pass("f/ok#1");
}

TEST_P(EveryMode, AnAnswerAfterTheDeadlineIsATimeout) {
  plan_.confirm = false;
  add_target("fake/cpu", GetParam(), {"g/late", "f/ok#1"}).cases[0].timeout_s = 0.2;
  run_to_end();
  EXPECT_EQ(only("g/late").outcome, Outcome::kTimeout);
  expect_pass("f/ok#1");
}

TEST_P(EveryMode, BrokenWireIsAnError) {
  for (const std::string bad : {"g/garbage", "g/nan", "g/out_of_order", "g/unknown_id", "g/huge", "g/forge",
                                "g/forge:0123456789abcdef"}) {
    SCOPED_TRACE(bad);
    plan_.targets.clear();
    sink_ = MemorySink();
    const Finished finished = run_with(bad);
    const Attempt attempt = only(bad);
    EXPECT_EQ(attempt.outcome, Outcome::kError);
    EXPECT_THAT(attempt.reason, HasSubstr("broke the wire"));
    EXPECT_EQ(finished.counts.error, 1u);
    // A worker that has served others breaks it twice: the second time in a worker of the case's own.
    EXPECT_THAT(sink_.events_of("protocol-error"), SizeIs(GetParam() == WorkerMode::kPersistent ? 2 : 1));
  }
}

TEST_P(EveryMode, AnAnswerThatTheEndContradictsIsAnError) {
  run_with("g/die_after");
  const Attempt attempt = only("g/die_after");
  EXPECT_EQ(attempt.outcome, Outcome::kError);
  EXPECT_EQ(attempt.reason, "it answered 'pass', and then exited with code 7");
  EXPECT_EQ(attempt.wait_status, 7 << 8);
}

TEST_P(EveryMode, DeathInTheMiddleOfALine) {
  run_with("g/midline");
  const std::vector<Attempt> attempts = sink_.of("g/midline");
  if (GetParam() == WorkerMode::kFork) {  // a forked child has no wire: the worker broke it
    ASSERT_EQ(attempts.size(), 1u);
    EXPECT_EQ(attempts[0].outcome, Outcome::kError);
    EXPECT_THAT(attempts[0].reason, HasSubstr("no strict JSON"));
    return;
  }
  ASSERT_EQ(attempts.size(), 2u);
  EXPECT_EQ(attempts[0].outcome, Outcome::kCrash);
  EXPECT_EQ(attempts[0].failure->message, "exited with code 9");
}

TEST_P(EveryMode, LeakedGrandchildIsKilledAndTold) {
  run_with("g/leak");
  expect_pass("g/leak");
  const std::vector<Value> leaks = sink_.events_of("leak");
  ASSERT_THAT(leaks, SizeIs(1));
  ASSERT_EQ(leaks[0].find("processes")->as_array().size(), 1u);
  EXPECT_THAT(leaks[0].find("processes")->as_array()[0].as_string(), HasSubstr("sleep"));
}

TEST_P(EveryMode, LeakedGrandchildOfADeadWorkerDoesNotHoldUs) {
  plan_.confirm = false;
  run_with("g/leak_and_die");
  EXPECT_EQ(only("g/leak_and_die").failure->message, "exited with code 5");
  EXPECT_THAT(sink_.events_of("leak"), SizeIs(1));
}

TEST_P(EveryMode, LeakInASessionOfItsOwnIsFoundAtTheEnd) {
  run_with("g/leak_session");
  expect_pass("g/leak_session");
  EXPECT_THAT(sink_.events_of("leak"), SizeIs(1));
}

TEST_P(EveryMode, FloodOfOutputIsNoHarm) {
  run_with("g/flood");
  expect_pass("g/flood");
}

TEST_P(EveryMode, MemoryHogIsAnError) {
  PlannedTarget& target = add_target("fake/cpu", GetParam(), {"f/ok#1", "g/hog:400", "f/ok#2"});
  target.memory = {MemoryMethod::kResident, std::int64_t{150} << 20};
  run_to_end();
  expect_pass("f/ok#1");
  expect_pass("f/ok#2");
  const Attempt hog = only("g/hog:400");
  EXPECT_EQ(hog.outcome, Outcome::kError);
  EXPECT_THAT(hog.reason, AllOf(HasSubstr("resident"), HasSubstr("memory limit of 150")));
}

TEST_P(EveryMode, AMemoryHogsChildIsTheCasesOwn) {
  const std::vector<std::string> hogs = {"g/hog_child:400", "g/hog_session:400", "g/hog_orphan:400"};
  PlannedTarget& target =
      add_target("fake/cpu", GetParam(), {"f/ok#1", hogs[0], "f/ok#2", hogs[1], hogs[2], "f/ok#3"});
  target.memory = {MemoryMethod::kResident, std::int64_t{150} << 20};
  run_to_end();
  for (const char* name : {"f/ok#1", "f/ok#2", "f/ok#3"}) expect_pass(name);
  for (const std::string& name : hogs) {
    const Attempt hog = only(name);
    EXPECT_EQ(hog.outcome, Outcome::kError) << name;
    EXPECT_THAT(hog.reason, AllOf(HasSubstr("resident in "), HasSubstr("memory limit of 150"))) << name;
  }
  EXPECT_THAT(proc::list_descendants(::getpid()), IsEmpty());
}

// Each of four children is below the limit.
TEST_P(EveryMode, AnAddressSpaceLimitHoldsForAllProcessesOfACase) {
  PlannedTarget& target = add_target("fake/cpu", GetParam(), {"f/ok#1", "g/hog_children:100", "f/ok#2"});
  target.memory = {MemoryMethod::kAddressSpace, std::int64_t{150} << 20};
  run_to_end();
  expect_pass("f/ok#1");
  expect_pass("f/ok#2");
  const Attempt hog = only("g/hog_children:100");
  EXPECT_EQ(hog.outcome, Outcome::kError);
  EXPECT_THAT(hog.reason, AllOf(HasSubstr("resident in "), HasSubstr("memory limit of 150")));
}

TEST_P(EveryMode, AFaultNearTheLimitIsNotTheFunctions) {
  for (const MemoryMethod method : {MemoryMethod::kAddressSpace, MemoryMethod::kResident}) {
    PlannedTarget& target =
        add_target(std::string("fake/") + std::string(name_of(method)), GetParam(), {"g/hog_segv:140"});
    target.memory = {method, std::int64_t{150} << 20};
  }
  run_to_end();
  const std::vector<Attempt> faults = sink_.of("g/hog_segv:140");
  ASSERT_THAT(faults, SizeIs(2));
  for (const Attempt& fault : faults) {
    EXPECT_EQ(fault.outcome, Outcome::kError);
    EXPECT_THAT(fault.reason, AllOf(HasSubstr("SIGSEGV"), HasSubstr("near the memory limit of 150")));
  }
}

TEST_P(EveryMode, AFaultFarFromTheLimitIsTheFunctions) {
  PlannedTarget& target = add_target("fake/cpu", GetParam(), {"g/segv"});
  target.memory = {MemoryMethod::kAddressSpace, std::int64_t{150} << 20};
  run_to_end();
  for (const Attempt& fault : sink_.of("g/segv")) EXPECT_EQ(fault.outcome, Outcome::kCrash);
}

TEST_P(EveryMode, PagesThatChildrenShareCountOnce) {
  PlannedTarget& target = add_target("fake/cpu", GetParam(), {"g/share:100"});
  target.memory = {MemoryMethod::kResident, std::int64_t{150} << 20};
  run_to_end();
  expect_pass("g/share:100");
}

TEST_P(EveryMode, AllocationFailureUnderOurAddressSpaceLimitIsAnError) {
  PlannedTarget& target = add_target("fake/cpu", GetParam(), {"g/bad_alloc"});
  target.memory = {MemoryMethod::kAddressSpace, std::int64_t{1} << 30};
  run_to_end();
  EXPECT_EQ(only("g/bad_alloc").outcome, Outcome::kError);
  EXPECT_THAT(only("g/bad_alloc").reason, HasSubstr("memory limit"));
}

TEST_P(EveryMode, AWorkerThatNeverStartsIsTriedOnce) {
  add_target("fake/cpu", GetParam(), {"f/ok#1", "f/ok#2", "f/ok#3"}, "exit");
  add_target("fake/good", GetParam(), {"f/ok#4"});
  const Finished finished = run_to_end();
  for (const char* name : {"f/ok#1", "f/ok#2", "f/ok#3"}) {
    EXPECT_EQ(only(name).outcome, Outcome::kError);
    EXPECT_THAT(only(name).reason, HasSubstr("ended before it was ready: exited with code 1"));
  }
  expect_pass("f/ok#4");
  EXPECT_THAT(finished.unusable, SizeIs(1));
  ASSERT_THAT(sink_.events_of("worker-failed"), SizeIs(1));
  EXPECT_THAT(sink_.events_of("worker-failed")[0].string_or("output", ""), HasSubstr("cannot import"));
}

TEST_P(EveryMode, AnUnusableTargetIsSkippedWithTheReason) {
  add_target("fake/cpu", GetParam(), {"f/ok#1", "f/ok#2"}, "unusable");
  const Finished finished = run_to_end();
  EXPECT_EQ(only("f/ok#1").outcome, Outcome::kSkip);
  EXPECT_EQ(only("f/ok#2").reason, "no g++ (install g++)");
  EXPECT_EQ(finished.unusable.at("fake/cpu"), "no g++ (install g++)");
  EXPECT_THAT(sink_.events_of("worker-unusable"), SizeIs(1));
}

TEST_P(EveryMode, AHangingStartIsEnded) {
  plan_.start_timeout = std::chrono::milliseconds(300);
  add_target("fake/cpu", GetParam(), {"f/ok#1"}, "hang");
  run_to_end();
  EXPECT_EQ(only("f/ok#1").outcome, Outcome::kError);
  EXPECT_THAT(only("f/ok#1").reason, HasSubstr("not ready within 0.3 s"));
}

TEST_P(EveryMode, GarbageInsteadOfReady) {
  add_target("fake/cpu", GetParam(), {"f/ok#1"}, "garbage");
  run_to_end();
  EXPECT_EQ(only("f/ok#1").outcome, Outcome::kError);
  EXPECT_THAT(only("f/ok#1").reason, HasSubstr("broke the wire"));
}

// It has had no case, so none is blamed: it counts as a start that failed.
TEST_P(EveryMode, GarbageBehindReady) {
  add_target("fake/cpu", GetParam(), {"f/ok#1"}, "ready_and_garbage");
  run_to_end();
  EXPECT_EQ(only("f/ok#1").outcome, Outcome::kError);
  EXPECT_THAT(only("f/ok#1").reason, HasSubstr("broke the wire"));
  EXPECT_THAT(sink_.events_of("worker-started"), SizeIs(3));
}

TEST_P(EveryMode, MissingInterpreter) {
  add_target("fake/cpu", GetParam(), {"f/ok#1"}).interpreter = "/nowhere/python";
  run_to_end();
  EXPECT_EQ(only("f/ok#1").outcome, Outcome::kError);
  EXPECT_THAT(only("f/ok#1").reason, HasSubstr("/nowhere/python"));
}

TEST_P(EveryMode, OneConfirmationStandsForTheSameFailureOfAFunction) {
  add_target("fake/cpu", GetParam(), {"g/fail#1", "g/fail#2", "g/fail:other", "h/fail#4"});
  const Finished finished = run_to_end();
  EXPECT_THAT(sink_.of("g/fail#1"), SizeIs(2));
  EXPECT_THAT(sink_.of("g/fail#2"), SizeIs(1));
  EXPECT_EQ(only("g/fail#2").confirmed_by, "g/fail#1");
  EXPECT_THAT(sink_.of("g/fail:other"), SizeIs(2));  // another message
  EXPECT_THAT(sink_.of("h/fail#4"), SizeIs(2));      // another function
  EXPECT_EQ(finished.counts.fail, 4u);
}

TEST_P(EveryMode, ManyCasesOnSeveralWorkers) {
  std::vector<std::string> names;
  names.reserve(81);
  for (int i = 0; i < 60; ++i) names.push_back("f/ok#" + std::to_string(i));
  names.emplace_back("g/segv");
  for (int i = 60; i < 80; ++i) names.push_back("f/ok#" + std::to_string(i));
  add_target("fake/a", GetParam(), names).slots = 2;
  plan_.jobs = 3;
  const Finished finished = run_to_end();
  EXPECT_EQ(finished.counts.pass, 80u);
  EXPECT_EQ(finished.counts.crash, 1u);
  EXPECT_EQ(listener_.last_progress.at("fake/a").done, 81u);
  EXPECT_EQ(listener_.last_progress.at("fake/a").running, 0u);
}

}  // namespace
}  // namespace seamark::run
