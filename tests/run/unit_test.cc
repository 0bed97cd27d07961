#include "seamark/run/unit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "seamark/run/case_tracker.h"

namespace seamark::run {
namespace {

using ::testing::SizeIs;

AttemptDigest digest(Outcome outcome, const std::string& signature = "", Phase phase = Phase::kCorrectness) {
  return {phase, outcome, signature};
}

// As reports see it: what happens while a case is timed does not judge it, and an error stands before a skip.
TEST(CaseUnitTest, ItsOutcomeIsTheModels) {
  CaseUnit unit;
  unit.replay(digest(Outcome::kPass), 1, std::nullopt);
  unit.replay(digest(Outcome::kCrash, "c", Phase::kTiming), 2, std::nullopt);
  EXPECT_EQ(unit.outcome(), Outcome::kPass);
  CaseUnit without;
  without.replay(digest(Outcome::kError), 1, std::nullopt);
  without.replay(digest(Outcome::kSkip), 2, std::nullopt);
  EXPECT_EQ(without.outcome(), Outcome::kError);
}

class CaseBookTest : public ::testing::Test {
 protected:
  CaseBookTest() {
    target_.name = "fake/cpu";
    target_.mode = WorkerMode::kPersistent;
    for (const char* name : {"f/a", "f/b", "g/a", "g/b"}) {
      target_.cases.push_back({name, std::string(name).substr(0, 1), std::string("hash ") + name, 0, true});
    }
    plan_.recheck_share = 0;
  }
  static Attempt attempt(Phase phase, Outcome outcome, const std::string& message = "") {
    Attempt made;
    made.phase = phase;
    made.outcome = outcome;
    if (outcome == Outcome::kFail || outcome == Outcome::kCrash || outcome == Outcome::kTimeout) {
      made.failure.emplace();
      made.failure->stage = "call";
      made.failure->type = "E";
      made.failure->message = message;
    }
    return made;
  }
  // Takes the next first run and ends it like this.
  Attempt first(CaseTracker& tracker, Outcome outcome, const std::string& message = "") {
    return end(tracker, tracker.take_main().value(), outcome, message);
  }
  Attempt solo(CaseTracker& tracker, Outcome outcome, const std::string& message = "") {
    return end(tracker, tracker.take_solo().value(), outcome, message);
  }
  Attempt end(CaseTracker& tracker, Job job, Outcome outcome, const std::string& message) {
    Attempt made = attempt(job.phase, outcome, message);
    events_ = tracker.record(job.unit, made);
    return made;
  }
  PlannedTarget target_;
  Plan plan_;
  std::vector<std::pair<std::string, Value>> events_;
};

TEST_F(CaseBookTest, PassesNeedNothingMore) {
  CaseTracker tracker(plan_, target_);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(first(tracker, Outcome::kPass).attempt, 1);
  EXPECT_TRUE(tracker.all_final());
  EXPECT_EQ(tracker.progress().pass, 4u);
  EXPECT_EQ(tracker.solo_waiting(), 0u);
}

TEST_F(CaseBookTest, SameFailureOfOneFunctionIsConfirmedOnce) {
  CaseTracker tracker(plan_, target_);
  EXPECT_EQ(first(tracker, Outcome::kFail, "no kernel at 0x1234").confirmed_by, "");
  EXPECT_EQ(first(tracker, Outcome::kFail, "no kernel at 0xffff").confirmed_by, "f/a");
  EXPECT_EQ(first(tracker, Outcome::kFail, "no kernel at 0x1234").confirmed_by, "");  // another function
  EXPECT_EQ(tracker.solo_waiting(), 2u);
  EXPECT_FALSE(tracker.unit(0).is_final());
  EXPECT_TRUE(tracker.unit(1).is_final());
  const Attempt again = solo(tracker, Outcome::kFail, "no kernel at 0x77");
  EXPECT_EQ(again.attempt, 2);
  EXPECT_EQ(again.phase, Phase::kConfirm);
  EXPECT_EQ(tracker.unit(0).outcome(), Outcome::kFail);
}

TEST_F(CaseBookTest, ARefutedFailureReopensThoseThatReliedOnIt) {
  CaseTracker tracker(plan_, target_);
  first(tracker, Outcome::kFail, "x");
  first(tracker, Outcome::kFail, "x");
  EXPECT_EQ(tracker.progress().fail, 1u);
  solo(tracker, Outcome::kPass);
  EXPECT_THAT(events_, SizeIs(1));
  EXPECT_EQ(tracker.unit(0).outcome(), Outcome::kFlaky);
  EXPECT_FALSE(tracker.unit(1).is_final());
  EXPECT_EQ(tracker.progress().fail, 0u);
  solo(tracker, Outcome::kFail, "x");
  EXPECT_EQ(tracker.unit(1).outcome(), Outcome::kFail);
  solo(tracker, Outcome::kFail, "y");  // not even alone does it agree with itself
  EXPECT_EQ(tracker.unit(0).outcome(), Outcome::kFlaky);
  EXPECT_EQ(tracker.progress().flaky, 1u);
  EXPECT_EQ(tracker.progress().fail, 1u);
}

// Other cases ran in its process before: what disagrees with two runs alone is the worker's.
TEST_F(CaseBookTest, AWorkerIsSuspectedBeforeACase) {
  CaseTracker tracker(plan_, target_);
  first(tracker, Outcome::kFail, "left behind");
  EXPECT_EQ(solo(tracker, Outcome::kPass).phase, Phase::kConfirm);
  ASSERT_THAT(events_, SizeIs(1));
  EXPECT_EQ(events_[0].first, "flip");
  EXPECT_FALSE(tracker.unit(0).is_final());
  EXPECT_EQ(solo(tracker, Outcome::kPass).phase, Phase::kRecheck);
  EXPECT_TRUE(tracker.unit(0).is_final());
  EXPECT_EQ(tracker.unit(0).outcome(), Outcome::kPass);
  EXPECT_EQ(tracker.progress().pass, 1u);
  EXPECT_EQ(tracker.progress().flaky, 0u);
}

TEST_F(CaseBookTest, APassThatOnlyTheWorkerGaveIsAFailure) {
  plan_.recheck_share = 1;
  CaseTracker tracker(plan_, target_);
  first(tracker, Outcome::kPass);
  EXPECT_EQ(solo(tracker, Outcome::kFail, "x").phase, Phase::kRecheck);
  EXPECT_EQ(solo(tracker, Outcome::kFail, "x").phase, Phase::kConfirm);
  EXPECT_EQ(tracker.unit(0).outcome(), Outcome::kFail);
}

TEST_F(CaseBookTest, FailuresOfASuspectedWorkerStandForThemselves) {
  CaseTracker tracker(plan_, target_);
  const auto end_by = [&](std::optional<Job> job, std::size_t worker, Outcome outcome, const char* message) {
    Attempt made = attempt(job->phase, outcome, message);
    events_ = tracker.record(job->unit, made, worker);
  };
  end_by(tracker.take_main(), 1, Outcome::kFail, "real");         // f/a
  end_by(tracker.take_main(), 1, Outcome::kFail, "real");         // f/b relies on it
  end_by(tracker.take_main(), 1, Outcome::kFail, "left behind");  // g/a
  end_by(tracker.take_main(), 2, Outcome::kFail, "left behind");  // g/b, of another worker
  end_by(tracker.take_solo(), 3, Outcome::kFail, "real");         // f/a, confirmed
  EXPECT_TRUE(tracker.unit(1).is_final());
  end_by(tracker.take_solo(), 4, Outcome::kPass, "");             // g/a
  end_by(tracker.take_solo(), 5, Outcome::kFail, "left behind");  // g/b was reopened, and is its own
  end_by(tracker.take_solo(), 6, Outcome::kPass, "");             // g/a again
  ASSERT_THAT(events_, SizeIs(1));
  EXPECT_EQ(events_[0].first, "worker-suspected");
  EXPECT_EQ(events_[0].second.find("worker")->as_int(), 1);
  EXPECT_FALSE(tracker.unit(1).is_final());
  EXPECT_EQ(tracker.take_solo()->unit, 1u);
}

// In a process of its own nothing came before: two results are two results.
TEST_F(CaseBookTest, WithoutSharedWorkersADifferenceIsAFlake) {
  target_.mode = WorkerMode::kFork;
  plan_.recheck_share = 1;
  CaseTracker tracker(plan_, target_);
  first(tracker, Outcome::kFail, "x");
  solo(tracker, Outcome::kPass);
  EXPECT_THAT(events_, SizeIs(1));
  EXPECT_EQ(events_[0].first, "flip");
  EXPECT_EQ(tracker.unit(0).outcome(), Outcome::kFlaky);
  EXPECT_EQ(tracker.solo_waiting(), 0u);
  first(tracker, Outcome::kPass);
  solo(tracker, Outcome::kFail, "x");
  EXPECT_THAT(events_, SizeIs(1));
  EXPECT_EQ(tracker.unit(1).outcome(), Outcome::kFlaky);
}

TEST_F(CaseBookTest, ACaseIsRepeatedAlone) {
  target_.mode = WorkerMode::kFork;
  plan_.repeat = 4;
  CaseTracker tracker(plan_, target_);
  for (int i = 0; i < 4; ++i) first(tracker, i == 1 ? Outcome::kFail : Outcome::kPass, "x");
  EXPECT_EQ(tracker.main_waiting(), 0u);
  int runs = 0;
  while (tracker.solo_waiting() > 0) {
    const Job job = *tracker.take_solo();
    EXPECT_EQ(job.phase, job.unit == 1 ? Phase::kConfirm : Phase::kRecheck);
    const bool fails = job.unit == 1 || (job.unit == 2 && ++runs == 2);
    end(tracker, job, fails ? Outcome::kFail : Outcome::kPass, "x");
    EXPECT_THAT(events_, SizeIs(fails && job.unit == 2 ? 1 : 0));
  }
  for (std::size_t i = 0; i < 4; ++i) EXPECT_THAT(tracker.unit(i).attempts(), SizeIs(4));
  EXPECT_EQ(tracker.unit(0).outcome(), Outcome::kPass);
  EXPECT_EQ(tracker.unit(1).outcome(), Outcome::kFail);
  EXPECT_EQ(tracker.unit(2).outcome(), Outcome::kFlaky);
}

// A failure rate of p is found by n attempts unless all agree: 1 - (1-p)^n - p^n (docs/run.md).
TEST_F(CaseBookTest, AFlakeIsFoundWithTheStatedProbability) {
  target_.mode = WorkerMode::kFork;
  constexpr double kRate = 0.05;
  std::uint64_t state = 1;
  const auto fails = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) * 0x1.0p-53 < kRate;
  };
  for (const auto& [repeat, stated] : {std::pair{1, 0.05}, {20, 0.64}, {60, 0.95}}) {
    plan_.repeat = repeat;
    plan_.recheck_share = 0.05;
    constexpr int kTrials = 500;
    int found = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      plan_.seed = static_cast<std::uint64_t>(trial);
      CaseTracker tracker(plan_, target_);
      for (int i = 0; i < 4; ++i) first(tracker, fails() ? Outcome::kFail : Outcome::kPass, "x");
      while (tracker.solo_waiting() > 0) solo(tracker, fails() ? Outcome::kFail : Outcome::kPass, "x");
      for (std::size_t i = 0; i < 4; ++i) found += tracker.unit(i).outcome() == Outcome::kFlaky ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(found) / (4 * kTrials), stated, 0.02) << repeat;
  }
}

TEST_F(CaseBookTest, CrashesAndTimeoutsAreAlwaysRunAgain) {
  CaseTracker tracker(plan_, target_);
  first(tracker, Outcome::kCrash, "killed by SIGSEGV");
  first(tracker, Outcome::kCrash, "killed by SIGSEGV");
  first(tracker, Outcome::kTimeout, "no answer");
  EXPECT_EQ(tracker.solo_waiting(), 3u);
}

TEST_F(CaseBookTest, NothingIsRunAgainWhenNotAskedTo) {
  plan_.confirm = false;
  CaseTracker tracker(plan_, target_);
  first(tracker, Outcome::kCrash, "killed by SIGSEGV");
  EXPECT_EQ(tracker.solo_waiting(), 0u);
  EXPECT_EQ(tracker.unit(0).outcome(), Outcome::kCrash);
}

TEST_F(CaseBookTest, AGivenBackJobIsTheNextAgain) {
  CaseTracker tracker(plan_, target_);
  const Job a = tracker.take_main().value();
  const Job b = tracker.take_main().value();
  tracker.give_back(b);
  tracker.give_back(a);
  EXPECT_EQ(tracker.take_main()->unit, 0u);
  EXPECT_EQ(tracker.take_main()->unit, 1u);
  EXPECT_EQ(tracker.progress().running, 2u);
}

TEST_F(CaseBookTest, ResumeContinuesAConfirmation) {
  CaseTracker before(plan_, target_);
  const std::string signature = first(before, Outcome::kFail, "x").signature;
  target_.prior = {{"hash f/a", 1, Phase::kCorrectness, Outcome::kFail, signature, ""},
                   {"hash f/b", 1, Phase::kCorrectness, Outcome::kFail, signature, "f/a"},
                   {"hash g/a", 1, Phase::kCorrectness, Outcome::kPass, "", ""},
                   {"hash nothing planned", 1, Phase::kCorrectness, Outcome::kPass, "", ""}};
  CaseTracker tracker(plan_, target_);
  EXPECT_EQ(tracker.main_waiting(), 1u);
  EXPECT_EQ(tracker.solo_waiting(), 1u);
  EXPECT_EQ(tracker.progress().done, 2u);
  EXPECT_EQ(solo(tracker, Outcome::kPass).attempt, 2);
  EXPECT_FALSE(tracker.unit(1).is_final());  // it relied on the first
}

TEST_F(CaseBookTest, ResumeKnowsThatAConfirmationWasRefuted) {
  target_.prior = {{"hash f/a", 1, Phase::kCorrectness, Outcome::kFail, "s", ""},
                   {"hash f/a", 2, Phase::kConfirm, Outcome::kPass, "", ""},
                   {"hash f/b", 1, Phase::kCorrectness, Outcome::kFail, "s", "f/a"}};
  CaseTracker tracker(plan_, target_);
  EXPECT_EQ(tracker.take_solo()->unit, 0u);  // its worker is suspected: once more
  EXPECT_EQ(tracker.take_solo()->unit, 1u);
}

TEST_F(CaseBookTest, ErrorsAreRunAgainWhenAskedTo) {
  target_.prior = {{"hash f/a", 1, Phase::kCorrectness, Outcome::kError, "", ""},
                   {"hash f/b", 1, Phase::kCorrectness, Outcome::kPass, "", ""}};
  EXPECT_EQ(CaseTracker(plan_, target_).main_waiting(), 2u);
  plan_.rerun_errors = true;
  CaseTracker tracker(plan_, target_);
  EXPECT_EQ(tracker.main_waiting(), 3u);
  EXPECT_EQ(first(tracker, Outcome::kPass).attempt, 2);
  EXPECT_EQ(tracker.unit(0).outcome(), Outcome::kPass);
}

TEST_F(CaseBookTest, TimingsMissing) {
  CaseTracker tracker(plan_, target_);
  first(tracker, Outcome::kPass);
  first(tracker, Outcome::kFail, "x");
  EXPECT_EQ(tracker.timings_missing(0, 3), 3);
  EXPECT_EQ(tracker.timings_missing(1, 3), 0);
  EXPECT_EQ(tracker.timings_missing(2, 3), 0);
  Attempt timing = attempt(Phase::kTiming, Outcome::kPass);
  tracker.record(0, timing);
  EXPECT_EQ(timing.attempt, 2);
  EXPECT_EQ(tracker.timings_missing(0, 3), 2);
  EXPECT_EQ(tracker.progress().pass, 1u);
}

TEST(RecheckTest, TheShareIsSeededAndAboutRight) {
  int chosen = 0;
  int other = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::string hash = "hash" + std::to_string(i);
    const bool one = chosen_for_recheck(1, "t", hash, 0.05);
    EXPECT_EQ(one, chosen_for_recheck(1, "t", hash, 0.05));
    chosen += one ? 1 : 0;
    other += one && chosen_for_recheck(2, "t", hash, 0.05) ? 1 : 0;
    EXPECT_FALSE(chosen_for_recheck(1, "t", hash, 0));
    EXPECT_TRUE(chosen_for_recheck(1, "t", hash, 1));
  }
  EXPECT_NEAR(chosen, 500, 100);
  EXPECT_LT(other, 80);
}

}  // namespace
}  // namespace seamark::run
