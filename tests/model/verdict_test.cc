#include "seamark/model/verdict.h"

#include <gtest/gtest.h>

#include <vector>

namespace seamark {
namespace {

const AttemptDigest kPassed{Phase::kCorrectness, Outcome::kPass, {}};

AttemptDigest fail(const char* signature, Phase phase = Phase::kCorrectness,
                   Outcome outcome = Outcome::kFail) {
  return {phase, outcome, signature};
}

TEST(CaseOutcome, OverItsAttempts) {
  using Attempts = std::vector<AttemptDigest>;
  const AttemptDigest skip{Phase::kCorrectness, Outcome::kSkip, {}};
  const AttemptDigest error{Phase::kCorrectness, Outcome::kError, {}};
  const AttemptDigest recheck_pass{Phase::kRecheck, Outcome::kPass, {}};
  const AttemptDigest timing_crash{Phase::kTiming, Outcome::kCrash, "c"};
  struct Row {
    const char* name;
    Attempts attempts;
    std::optional<Outcome> expected;
  };
  const std::vector<Row> table = {
      {"nothing", {}, std::nullopt},
      {"one pass", {kPassed}, Outcome::kPass},
      {"one failure", {fail("a")}, Outcome::kFail},
      {"confirmed alone", {fail("a"), fail("a", Phase::kConfirm)}, Outcome::kFail},
      {"fails another way alone", {fail("a"), fail("b", Phase::kConfirm)}, Outcome::kFlaky},
      {"passes alone", {fail("a"), {Phase::kConfirm, Outcome::kPass, {}}}, Outcome::kFlaky},
      {"flips when rechecked", {kPassed, fail("a", Phase::kRecheck)}, Outcome::kFlaky},
      {"passes again", {kPassed, recheck_pass}, Outcome::kPass},
      {"crashes twice",
       {fail("s", Phase::kCorrectness, Outcome::kCrash), fail("s", Phase::kConfirm, Outcome::kCrash)},
       Outcome::kCrash},
      {"crash, then timeout",
       {fail("s", Phase::kCorrectness, Outcome::kCrash), fail("s", Phase::kConfirm, Outcome::kTimeout)},
       Outcome::kFlaky},
      {"a worker is suspected: it passes twice alone",
       {fail("a"), {Phase::kConfirm, Outcome::kPass, {}}, recheck_pass},
       Outcome::kPass},
      {"a worker is suspected: it fails twice alone",
       {kPassed, fail("a", Phase::kRecheck), fail("a", Phase::kConfirm)},
       Outcome::kFail},
      {"differs alone, too",
       {fail("a"), {Phase::kConfirm, Outcome::kPass, {}}, fail("a", Phase::kRecheck)},
       Outcome::kFlaky},
      {"fails in two ways alone",
       {kPassed, fail("a", Phase::kRecheck), fail("b", Phase::kConfirm)},
       Outcome::kFlaky},
      {"an error alone decides nothing",
       {fail("a"), {Phase::kConfirm, Outcome::kPass, {}}, {Phase::kRecheck, Outcome::kError, {}}},
       Outcome::kFlaky},
      {"one failure of many passes",
       {kPassed, recheck_pass, fail("a", Phase::kRecheck), recheck_pass},
       Outcome::kFlaky},
      {"an error is retried", {error, kPassed}, Outcome::kPass},
      {"error after failure", {fail("a"), {Phase::kConfirm, Outcome::kError, {}}}, Outcome::kFail},
      {"only errors", {error, error}, Outcome::kError},
      {"skip", {skip}, Outcome::kSkip},
      {"skip and error", {skip, error}, Outcome::kError},
      {"error and skip", {error, skip}, Outcome::kError},
      {"timing does not judge", {kPassed, timing_crash}, Outcome::kPass},
      {"timing alone says nothing", {timing_crash}, std::nullopt},
  };
  for (const Row& row : table) EXPECT_EQ(case_outcome(row.attempts), row.expected) << row.name;
}

CaseStanding core(std::optional<Outcome> outcome, bool on_reference = false) {
  return {.outcome = outcome, .core = true, .fails_on_reference = on_reference};
}

TEST(FunctionVerdict, OverItsCoreCases) {
  constexpr auto kP = Outcome::kPass;
  constexpr auto kF = Outcome::kFail;
  struct Row {
    const char* name;
    std::vector<CaseStanding> cases;
    std::optional<Verdict> verdict;
    Verdict uncorrected;
    bool flaky;
    bool fails_on_reference;
  };
  CaseStanding other = core(kF);
  other.core = false;
  const std::vector<Row> table = {
      {"no cases", {}, Verdict::kNotRun, Verdict::kNotRun, false, false},
      {"all pass", {core(kP), core(kP)}, Verdict::kPass, Verdict::kPass, false, false},
      {"some fail", {core(kP), core(kF)}, Verdict::kPartial, Verdict::kPartial, false, false},
      {"all fail",
       {core(kF), core(Outcome::kTimeout), core(Outcome::kCrash)},
       Verdict::kFail,
       Verdict::kFail,
       false,
       false},
      {"flaky counts as failed",
       {core(kP), core(Outcome::kFlaky)},
       Verdict::kPartial,
       Verdict::kPartial,
       true,
       false},
      {"flaky alone", {core(Outcome::kFlaky)}, Verdict::kFail, Verdict::kFail, true, false},
      {"skip and error are not run",
       {core(Outcome::kSkip), core(Outcome::kError), core(std::nullopt)},
       Verdict::kNotRun,
       Verdict::kNotRun,
       false,
       false},
      {"skip beside a pass", {core(Outcome::kSkip), core(kP)}, Verdict::kPass, Verdict::kPass, false, false},
      {"error beside a failure",
       {core(Outcome::kError), core(kF)},
       Verdict::kFail,
       Verdict::kFail,
       false,
       false},
      {"other cases never count", {core(kP), other}, Verdict::kPass, Verdict::kPass, false, false},
      {"only other cases", {other}, Verdict::kNotRun, Verdict::kNotRun, false, false},
      {"fails on the reference too", {core(kF, true)}, std::nullopt, Verdict::kFail, false, true},
      {"all that was run does",
       {core(kF, true), core(Outcome::kSkip)},
       std::nullopt,
       Verdict::kFail,
       false,
       true},
      {"one does, the other passes",
       {core(kF, true), core(kP)},
       Verdict::kPass,
       Verdict::kPartial,
       false,
       true},
      {"one does, the other fails here alone",
       {core(kF, true), core(kF)},
       Verdict::kFail,
       Verdict::kFail,
       false,
       true},
      {"one of each",
       {core(kF, true), core(kF), core(kP)},
       Verdict::kPartial,
       Verdict::kPartial,
       false,
       true},
  };
  for (const Row& row : table) {
    const FunctionStanding standing = function_standing(row.cases);
    EXPECT_EQ(standing.verdict, row.verdict) << row.name;
    EXPECT_EQ(standing.uncorrected, row.uncorrected) << row.name;
    EXPECT_EQ(standing.flaky, row.flaky) << row.name;
    EXPECT_EQ(standing.fails_on_reference, row.fails_on_reference) << row.name;
  }
}

}  // namespace
}  // namespace seamark
