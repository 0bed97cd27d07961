// What changed between two sides: runs, stores, targets or framework versions. Docs: docs/compare.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/analysis/stats.h"
#include "seamark/analysis/summary.h"
#include "seamark/base/result.h"
#include "seamark/classify/rules.h"
#include "seamark/store/store.h"

namespace seamark::analysis {

// In JSON, SARIF and --fail-on by name.
enum class ChangeKind : std::uint8_t {
  kNewFailure,       // passed before, fails now
  kAddedFailure,     // fails now, and before there was nothing to compare with
  kUnexpectedPass,   // an expected failure passes
  kCategoryChanged,  // fails on both sides, in another category
  kFlaky,            // flaky now, and was not
  kNotRun,           // ran before; now skipped, at error or not attempted
  kSlower,
  kDropped,         // a target, function or case is gone
  kWeakerEvidence,  // passes on both sides, now on less evidence
  kStale,           // an expectation that fits nothing any more
  kNewPass,         // failed before, passes now
  kNewlyRun,        // passes now; before it was planned and not run
  kNoLongerFlaky,   // was flaky, and passes or fails steadily
  kFaster,
  kAdded,  // a target, function or case is new
};
inline constexpr std::size_t kChangeKinds = 15;
std::string_view name_of(ChangeKind kind);         // "new-failure"
std::string_view description_of(ChangeKind kind);  // a sentence
bool is_regression(ChangeKind kind);               // up to and with kStale

enum class Clock : std::uint8_t { kWarm, kCold };

// A case on both sides.
enum class Presence : std::uint8_t {
  kBoth,       // the same case: same name, same hash
  kAdded,      // only now
  kDropped,    // only before
  kRedefined,  // same name, but the case itself was changed: never compared
};
std::string_view name_of(Presence presence);  // "both", "added", "dropped", "redefined"

struct CaseDelta {
  std::size_t function = 0;  // in PairDelta::functions
  std::string name;
  std::string suite;
  bool core = false;  // on either side
  Presence presence = Presence::kBoth;
  std::optional<CaseCell> before;
  std::optional<CaseCell> after;
  std::string not_compared;   // why its outcomes were not compared; empty: they were
  std::optional<Ratio> warm;  // after / before; above 1 is slower
  std::optional<Ratio> cold;
  bool changed = false;          // there is a Change of it
  bool expected = false;         // it fails now, and an expectation says so
  std::string expected_comment;  // the reason that the expectation gives
};

enum class FunctionStatus : std::uint8_t { kAdded, kDropped, kChanged, kUnchanged, kNotCompared };
std::string_view name_of(FunctionStatus status);  // "added", ..., "not-compared"

struct FunctionDelta {
  std::string framework;
  std::string name;
  bool host_only = false;
  FunctionStatus status = FunctionStatus::kUnchanged;
  std::optional<Verdict> before;  // nullopt: not there, cases only, or fails on the reference
  std::optional<Verdict> after;
};

struct Change {
  ChangeKind kind = ChangeKind::kNewFailure;
  std::string target;                     // where: the side's own name of it
  std::string function;                   // empty: the whole target
  std::string case_name;                  // empty: the whole function
  std::optional<std::size_t> case_index;  // in PairDelta::cases
  Clock clock = Clock::kWarm;             // of kSlower and kFaster
  std::optional<Ratio> ratio;             // of kSlower and kFaster
  std::string detail;                     // one line more; raw text of results is never in it
  bool expected = false;                  // an expectation allows it: no finding
  std::string expected_comment;           // the expectation's reason
  bool finding = false;                   // --fail-on asked for it: see Gate
};

// What of a ratio has to be exceeded before it says anything.
struct Floor {
  double value = 1;
  std::string source;  // "measured ...", "given", "assumed: no case was timed twice on either side"
};

// The median over cases (or functions) of after / before, paired.
struct Overall {
  Measured median;
  std::optional<Interval> interval;  // of the paired sign test
  int cases = 0;
  bool of_functions = false;  // paired by function: the earlier side has no times of cases
};

struct StatusCounts {
  void add(FunctionStatus status);
  int added = 0;
  int dropped = 0;
  int changed = 0;
  int unchanged = 0;
  int not_compared = 0;
};

// Why cases were not compared, most first.
struct ReasonCount {
  std::string reason;
  int cases = 0;
};

// One target before, one target now; mostly the same name.
struct PairDelta {
  TargetRow before;
  TargetRow after;
  Floor floor;
  Overall warm;
  Overall cold;
  StatusCounts function_counts;
  StatusCounts case_counts;  // redefined ones are not compared
  int unstable = 0;          // ratios left out of account: a side was too unstable
  std::vector<ReasonCount> not_compared;
  std::vector<FunctionDelta> functions;  // by name
  std::vector<CaseDelta> cases;          // by function, then name
  std::vector<Change> changes;           // by kind, function, case
  [[nodiscard]] const std::string& target() const { return after.target; }
};

// A difference of circumstances: what else than the change under test may stand behind a result.
struct Drift {
  std::string target;  // empty: of the whole side
  std::string what;    // "host cpu", "torch", "package numpy"
  std::string before;
  std::string after;
};

// What is to be compared. Borrowed.
struct Operand {
  store::Store* store = nullptr;
  store::RunChoice run;
  std::string label;                 // as the user wrote it
  std::vector<std::string> targets;  // exact names; empty: all
  bool one_target = false;           // the user named the one in `targets` as this side
};

struct OperandFacts {
  std::string label;
  std::string store;
  std::vector<RunFacts> runs;
};

struct CompareOptions {
  std::optional<double> floor;  // replaces the measured one; 1 and up
  double assumed_floor = 1.25;  // where none was measured
};

// How the expectations of a file fared. Filled by apply_expectations().
struct ExpectationFacts {
  std::string file;  // empty: none was read
  int entries = 0;
  int matched = 0;     // a failure is there as expected
  int not_judged = 0;  // of targets that were not compared, or of cases that were not run
};

// A kind of change that the earlier side has nothing for, and why.
struct Unanswered {
  ChangeKind kind = ChangeKind::kNewFailure;
  std::string reason;
};

struct Comparison {
  OperandFacts before;
  OperandFacts after;
  std::string rules_version;
  std::vector<PairDelta> pairs;    // in order of addition of the later side
  std::vector<Change> of_targets;  // targets of one side only, and stale expectations
  std::vector<Drift> drifts;
  std::vector<Unanswered> unanswered;  // of a published study; no store has any
  ExpectationFacts expectations;
  std::string gate;           // what counted as a finding, as text
  bool drift_counts = false;  // each drift is a finding too
  int findings = 0;
};

// The median of these ratios and its interval; `none`: why there is no median where there are no ratios.
Overall overall_of(const std::vector<double>& ratios, std::string_view none);
// The greatest of what is known of the sides; assumed where none of them has cases enough that were timed
// twice.
Floor floor_of(std::span<const NoiseFloor> sides, const CompareOptions& options);

// Where each side is one target these are held against each other, else those of equal names.
// kNothing where no target is on both sides.
Result<Comparison> compare_sides(const Operand& before, const Operand& after, const classify::RuleSet& rules,
                                 const CompareOptions& options = {});

}  // namespace seamark::analysis
