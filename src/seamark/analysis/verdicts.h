// From attempts to case outcomes, from case outcomes to verdicts. The rules are in docs/store.md and
// the design's section 1; nothing here reads a store.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/boxed.h"
#include "seamark/base/shared_text.h"
#include "seamark/model/outcome.h"

namespace seamark::analysis {

// What the verdicts need of one attempt.
struct AttemptFacts {
  Phase phase = Phase::kCorrectness;
  Outcome outcome = Outcome::kError;
  std::string signature;
};

// The attempts of a case, boiled down one by one, to what case_outcome() says of all of them.
class OutcomeFold {
 public:
  // The signature of what ran; of what passed or was not run it does not count.
  void add(Phase phase, Outcome outcome, const SharedText& signature);
  [[nodiscard]] std::optional<Outcome> outcome() const;
  [[nodiscard]] int checks() const { return checks_; }  // attempts but for timing

 private:
  int checks_ = 0;
  std::optional<Outcome> first_;
  std::optional<Outcome> not_run_;
  bool flaky_ = false;
  Boxed<SharedText> signature_;  // of the first, where that failed
};

// The outcome of a case over its attempts. Timing attempts check nothing and do not count; skips and
// errors count only where there is nothing else; the rest agree (same outcome, and for failures same
// signature) or the case is flaky. nullopt when no attempt checked anything: not attempted.
std::optional<Outcome> case_outcome(std::span<const AttemptFacts> attempts);

// One case of a function on a target, as the verdict sees it.
struct CaseStanding {
  std::optional<Outcome> outcome;  // nullopt: planned, not attempted
  bool core = false;
  bool fails_on_reference = false;  // fails, and the same way on the reference target
};

struct FunctionStanding {
  // Core cases without those that fail the same way on the reference. nullopt: nothing else is left
  // (fails-on-reference): the function is out of the denominator.
  std::optional<Verdict> verdict;
  Verdict uncorrected = Verdict::kNotRun;  // over all core cases
  bool flaky = false;                      // a core case is flaky (counted as failed)
  bool fails_on_reference = false;         // at least one core case does
};

FunctionStanding function_standing(std::span<const CaseStanding> cases);

// Suites whose cases come from the framework itself (docs/suites.md). What of these fails on the
// reference is marked there too: nobody promised that it passes, as is done of a case written by hand.
[[nodiscard]] bool is_automatic(std::string_view suite);

// Pass, fail, timeout, crash and flaky were run; skip, error and nothing were not.
[[nodiscard]] bool was_run(std::optional<Outcome> outcome);
[[nodiscard]] bool failed(std::optional<Outcome> outcome);  // fail, timeout, crash, flaky

}  // namespace seamark::analysis
