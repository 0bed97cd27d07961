#include "seamark/model/verdict.h"

#include <algorithm>

namespace seamark {

namespace {

struct Tally {
  int passed = 0;
  int failed = 0;
};

Verdict verdict_of(const Tally& tally) {
  if (tally.passed == 0 && tally.failed == 0) return Verdict::kNotRun;
  if (tally.failed == 0) return Verdict::kPass;
  return tally.passed == 0 ? Verdict::kFail : Verdict::kPartial;
}

}  // namespace

bool failed(std::optional<Outcome> outcome) {
  return outcome == Outcome::kFail || outcome == Outcome::kTimeout || outcome == Outcome::kCrash ||
         outcome == Outcome::kFlaky;
}

bool was_run(std::optional<Outcome> outcome) { return outcome == Outcome::kPass || failed(outcome); }

void OutcomeFold::add(Phase phase, Outcome outcome, const InternedString& signature) {
  if (phase == Phase::kTiming) return;
  ++checks_;
  if (!was_run(outcome)) {
    // An error says that something was wrong here; a skip only that nothing was to be done.
    if (!not_run_ || outcome == Outcome::kError) not_run_ = outcome;
    return;
  }
  confirmed_ = confirmed_ || phase == Phase::kConfirm;
  rechecked_ = rechecked_ || phase == Phase::kRecheck;
  add_to(0, outcome, signature);
  if (phase != Phase::kCorrectness) add_to(1, outcome, signature);
}

void OutcomeFold::add_to(std::size_t which, Outcome outcome, const InternedString& signature) {
  Agreed& agreed = agreed_[which];
  if (agreed.first) {
    const bool same =
        *agreed.first == outcome && (outcome == Outcome::kPass || (*signatures_)[which] == signature);
    agreed.flaky = agreed.flaky || !same;
    return;
  }
  agreed.first = outcome;
  if (outcome == Outcome::kPass) return;
  if (!signatures_) signatures_.emplace();
  (*signatures_)[which] = signature;
}

std::optional<Outcome> OutcomeFold::outcome() const {
  const Agreed& counts = agreed_[confirmed_ && rechecked_ ? 1 : 0];
  if (counts.flaky) return Outcome::kFlaky;
  return counts.first ? counts.first : not_run_;
}

std::optional<Outcome> case_outcome(std::span<const AttemptDigest> attempts) {
  OutcomeFold fold;
  for (const AttemptDigest& one : attempts) fold.add(one.phase, one.outcome, InternedString(one.signature));
  return fold.outcome();
}

bool is_unanswered(Category category) {
  return category == Category::kBridge || category == Category::kMissingDependency;
}

FunctionStanding function_standing(std::span<const CaseStanding> cases) {
  Tally corrected;
  Tally uncorrected;
  bool checked = false;
  FunctionStanding standing;
  for (const CaseStanding& one : cases) {
    if (!one.core) continue;
    if (one.outcome == Outcome::kPass) {
      ++corrected.passed;
      ++uncorrected.passed;
      checked = checked || !one.unchecked;
    }
    if (!failed(one.outcome)) continue;
    ++uncorrected.failed;
    if (one.outcome == Outcome::kFlaky) standing.flaky = true;
    if (one.fails_on_reference) {
      standing.fails_on_reference = true;
    } else if (one.unanswered) {
      standing.unanswered = true;
    } else {
      ++corrected.failed;
    }
  }
  standing.uncorrected = verdict_of(uncorrected);
  standing.verdict = verdict_of(corrected);
  const bool left_out = standing.fails_on_reference || standing.unanswered;
  standing.unchecked = standing.verdict == Verdict::kPass && !checked;
  if (standing.unchecked) standing.verdict = std::nullopt;
  if (left_out && standing.verdict == Verdict::kNotRun) standing.verdict = std::nullopt;
  return standing;
}

bool is_automatic(std::string_view suite) {
  return std::find(kAutomaticSuites.begin(), kAutomaticSuites.end(), suite) != kAutomaticSuites.end();
}

}  // namespace seamark
