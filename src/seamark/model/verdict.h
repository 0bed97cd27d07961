// From attempts to the outcome of a case, from the outcomes of cases to the verdict of a function: the rules
// of docs/method.md, "Verdicts", for running and for reporting alike.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "seamark/base/heap_optional.h"
#include "seamark/base/interned_string.h"
#include "seamark/model/outcome.h"

namespace seamark {

// Pass, fail, timeout, crash and flaky were run; skip, error and nothing were not.
[[nodiscard]] bool was_run(std::optional<Outcome> outcome);
[[nodiscard]] bool failed(std::optional<Outcome> outcome);  // fail, timeout, crash, flaky

// What of an attempt decides.
struct AttemptDigest {
  Phase phase = Phase::kCorrectness;
  Outcome outcome = Outcome::kError;
  std::string signature;  // of fail, timeout and crash
};

// The attempts of a case, folded one by one to what case_outcome() says of all of them.
class OutcomeFold {
 public:
  // The signature of a failure; of any other outcome it does not count.
  void add(Phase phase, Outcome outcome, const InternedString& signature);
  [[nodiscard]] std::optional<Outcome> outcome() const;
  [[nodiscard]] int checks() const { return checks_; }                             // attempts but for timing
  [[nodiscard]] std::optional<Outcome> first() const { return agreed_[0].first; }  // of those that ran

 private:
  // Attempts that ran, as far as they agree.
  struct Agreed {
    std::optional<Outcome> first;
    bool flaky = false;
  };
  void add_to(std::size_t which, Outcome outcome, const InternedString& signature);

  int checks_ = 0;
  std::optional<Outcome> not_run_;
  std::array<Agreed, 2> agreed_;  // all; those that ran alone
  bool confirmed_ : 1 = false;
  bool rechecked_ : 1 = false;
  HeapOptional<std::array<InternedString, 2>> signatures_;  // of each one's first, where that failed
};

// The outcome of a case over its attempts. Timing attempts check nothing and do not count; skips and
// errors count only where there is nothing else, an error before a skip; the rest agree (same outcome, and
// for failures same signature) or the case is flaky. Where both a confirmation and a recheck ran, the first
// attempt came of a worker that served many and is suspected: those alone count. nullopt when no attempt
// checked anything: not attempted.
[[nodiscard]] std::optional<Outcome> case_outcome(std::span<const AttemptDigest> attempts);

// Whether a failure of this category says nothing of the device: a bridge's, or a package or library that the
// environment lacks.
[[nodiscard]] bool is_unanswered(Category category);

// One case of a function on a target, as the verdict sees it.
struct CaseStanding {
  std::optional<Outcome> outcome;  // nullopt: planned, not attempted
  bool core = false;
  bool fails_on_reference = false;  // fails, and the same way on the reference target
  bool unanswered = false;          // fails, each time, in a bridge or in a way that is_unanswered()
  bool unchecked = false;           // passes, and shows no more than that nothing was raised
};

struct FunctionStanding {
  // Over the core cases without those that fail the same way on the reference and without unanswered ones.
  // nullopt: nothing else was run, or it is `unchecked`: the function is in no denominator.
  std::optional<Verdict> verdict;
  Verdict uncorrected = Verdict::kNotRun;  // over all core cases
  bool flaky = false;                      // a core case is flaky (counted as failed)
  bool fails_on_reference = false;         // at least one core case does
  bool unanswered = false;                 // at least one core case is
  bool unchecked = false;                  // nothing fails, and no core case that passes checks a result
};

[[nodiscard]] FunctionStanding function_standing(std::span<const CaseStanding> cases);

// Suites whose cases come from the framework itself (docs/suites.md). What of these fails on the
// reference is marked there too: nobody promised that it passes, as is done of a case written by hand.
inline constexpr std::array<std::string_view, 3> kAutomaticSuites = {"opinfo", "harness", "generated"};
[[nodiscard]] bool is_automatic(std::string_view suite);

}  // namespace seamark
