#include "seamark/run/unit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "seamark/run/case_book.h"

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
  Attempt first(CaseBook& book, Outcome outcome, const std::string& message = "") {
    return end(book, book.take_main().value(), outcome, message);
  }
  Attempt solo(CaseBook& book, Outcome outcome, const std::string& message = "") {
    return end(book, book.take_solo().value(), outcome, message);
  }
  Attempt end(CaseBook& book, Job job, Outcome outcome, const std::string& message) {
    Attempt made = attempt(job.phase, outcome, message);
    events_ = book.record(job.unit, made);
    return made;
  }
  PlannedTarget target_;
  Plan plan_;
  std::vector<std::pair<std::string, Value>> events_;
};

TEST_F(CaseBookTest, PassesNeedNothingMore) {
  CaseBook book(plan_, target_);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(first(book, Outcome::kPass).attempt, 1);
  EXPECT_TRUE(book.all_settled());
  EXPECT_EQ(book.progress().pass, 4u);
  EXPECT_EQ(book.solo_waiting(), 0u);
}

TEST_F(CaseBookTest, SameFailureOfOneFunctionIsConfirmedOnce) {
  CaseBook book(plan_, target_);
  EXPECT_EQ(first(book, Outcome::kFail, "no kernel at 0x1234").confirmed_by, "");
  EXPECT_EQ(first(book, Outcome::kFail, "no kernel at 0xffff").confirmed_by, "f/a");
  EXPECT_EQ(first(book, Outcome::kFail, "no kernel at 0x1234").confirmed_by, "");  // another function
  EXPECT_EQ(book.solo_waiting(), 2u);
  EXPECT_FALSE(book.unit(0).settled());
  EXPECT_TRUE(book.unit(1).settled());
  const Attempt again = solo(book, Outcome::kFail, "no kernel at 0x77");
  EXPECT_EQ(again.attempt, 2);
  EXPECT_EQ(again.phase, Phase::kConfirm);
  EXPECT_EQ(book.unit(0).outcome(), Outcome::kFail);
}

TEST_F(CaseBookTest, ARefutedFailureReopensThoseThatReliedOnIt) {
  CaseBook book(plan_, target_);
  first(book, Outcome::kFail, "x");
  first(book, Outcome::kFail, "x");
  EXPECT_EQ(book.progress().fail, 1u);
  solo(book, Outcome::kPass);
  EXPECT_THAT(events_, SizeIs(1));
  EXPECT_EQ(book.unit(0).outcome(), Outcome::kFlaky);
  EXPECT_FALSE(book.unit(1).settled());
  EXPECT_EQ(book.progress().fail, 0u);
  EXPECT_EQ(book.progress().flaky, 1u);
  solo(book, Outcome::kFail, "x");
  EXPECT_EQ(book.unit(1).outcome(), Outcome::kFail);
  EXPECT_EQ(book.progress().fail, 1u);
}

TEST_F(CaseBookTest, CrashesAndTimeoutsAreAlwaysRunAgain) {
  CaseBook book(plan_, target_);
  first(book, Outcome::kCrash, "killed by SIGSEGV");
  first(book, Outcome::kCrash, "killed by SIGSEGV");
  first(book, Outcome::kTimeout, "no answer");
  EXPECT_EQ(book.solo_waiting(), 3u);
}

TEST_F(CaseBookTest, NothingIsRunAgainWhenNotAskedTo) {
  plan_.confirm = false;
  CaseBook book(plan_, target_);
  first(book, Outcome::kCrash, "killed by SIGSEGV");
  EXPECT_EQ(book.solo_waiting(), 0u);
  EXPECT_EQ(book.unit(0).outcome(), Outcome::kCrash);
}

TEST_F(CaseBookTest, AGivenBackJobIsTheNextAgain) {
  CaseBook book(plan_, target_);
  const Job a = book.take_main().value();
  const Job b = book.take_main().value();
  book.give_back(b);
  book.give_back(a);
  EXPECT_EQ(book.take_main()->unit, 0u);
  EXPECT_EQ(book.take_main()->unit, 1u);
  EXPECT_EQ(book.progress().running, 2u);
}

TEST_F(CaseBookTest, ResumeContinuesAConfirmation) {
  CaseBook before(plan_, target_);
  const std::string signature = first(before, Outcome::kFail, "x").signature;
  target_.prior = {{"hash f/a", 1, Phase::kCorrectness, Outcome::kFail, signature, ""},
                   {"hash f/b", 1, Phase::kCorrectness, Outcome::kFail, signature, "f/a"},
                   {"hash g/a", 1, Phase::kCorrectness, Outcome::kPass, "", ""},
                   {"hash nothing planned", 1, Phase::kCorrectness, Outcome::kPass, "", ""}};
  CaseBook book(plan_, target_);
  EXPECT_EQ(book.main_waiting(), 1u);
  EXPECT_EQ(book.solo_waiting(), 1u);
  EXPECT_EQ(book.progress().done, 2u);
  EXPECT_EQ(solo(book, Outcome::kPass).attempt, 2);
  EXPECT_FALSE(book.unit(1).settled());  // it relied on the first
}

TEST_F(CaseBookTest, ResumeKnowsThatAConfirmationWasRefuted) {
  target_.prior = {{"hash f/a", 1, Phase::kCorrectness, Outcome::kFail, "s", ""},
                   {"hash f/a", 2, Phase::kConfirm, Outcome::kPass, "", ""},
                   {"hash f/b", 1, Phase::kCorrectness, Outcome::kFail, "s", "f/a"}};
  CaseBook book(plan_, target_);
  EXPECT_EQ(book.take_solo()->unit, 1u);
}

TEST_F(CaseBookTest, ErrorsAreRunAgainWhenAskedTo) {
  target_.prior = {{"hash f/a", 1, Phase::kCorrectness, Outcome::kError, "", ""},
                   {"hash f/b", 1, Phase::kCorrectness, Outcome::kPass, "", ""}};
  EXPECT_EQ(CaseBook(plan_, target_).main_waiting(), 2u);
  plan_.rerun_errors = true;
  CaseBook book(plan_, target_);
  EXPECT_EQ(book.main_waiting(), 3u);
  EXPECT_EQ(first(book, Outcome::kPass).attempt, 2);
  EXPECT_EQ(book.unit(0).outcome(), Outcome::kPass);
}

TEST_F(CaseBookTest, TimingsMissing) {
  CaseBook book(plan_, target_);
  first(book, Outcome::kPass);
  first(book, Outcome::kFail, "x");
  EXPECT_EQ(book.timings_missing(0, 3), 3);
  EXPECT_EQ(book.timings_missing(1, 3), 0);
  EXPECT_EQ(book.timings_missing(2, 3), 0);
  Attempt timing = attempt(Phase::kTiming, Outcome::kPass);
  book.record(0, timing);
  EXPECT_EQ(timing.attempt, 2);
  EXPECT_EQ(book.timings_missing(0, 3), 2);
  EXPECT_EQ(book.progress().pass, 1u);
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
