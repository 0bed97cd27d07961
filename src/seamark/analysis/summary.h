// Summary: everything that reports show of a store, computed once; each report renders the same
// struct. A number that was not measured is nullopt with a reason beside it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "seamark/analysis/estimate.h"
#include "seamark/analysis/sample_estimate.h"
#include "seamark/analysis/stats.h"
#include "seamark/base/copy_on_write.h"
#include "seamark/base/heap_optional.h"
#include "seamark/base/interned_string.h"
#include "seamark/base/result.h"
#include "seamark/classify/rules.h"
#include "seamark/model/attempt.h"
#include "seamark/model/declared.h"
#include "seamark/store/records.h"
#include "seamark/store/store.h"

namespace seamark::analysis {

class Study;

enum class Detail : std::uint8_t {
  kNone,      // rows, counts, ratios, matrix; no texts
  kMessages,  // also the error message of each failing cell (bounded)
  kFull,      // also every attempt with its texts, operations and documents
};

struct SummaryOptions {
  store::RunChoice run;
  std::vector<std::string> targets;  // exact names; empty: all
  std::string function;              // exact name; empty: all
  Detail detail = Detail::kNone;
  double slow_factor = 10;     // the whole interval of the ratio lies beyond it, and
  double slow_floor_s = 1e-3;  // the absolute time beyond this
  std::string baseline;        // a target that replaces every target's own; empty: as planned
  // What is right at the highest precision alone fails (float-precision), as the study counted it.
  bool study_rule = false;
  const Devices* devices = nullptr;  // for estimates; nullptr: none are made
  const Study* study = nullptr;      // whose latencies stand beside estimates; nullptr: none
};

struct RunFacts {
  store::RunInfo info;
  std::int64_t planned = 0;    // cases x targets
  std::int64_t attempted = 0;  // of those, with at least one attempt in this run
};

// Why a ratio is what it is: cold with cold of the same kind, warm with warm, same protocol, same case
// hash, neither merely compiled.
struct Ratio {
  double target_s = 0;
  double baseline_s = 0;
  double ratio = 0;                  // target / baseline: above 1 is slower
  std::optional<Interval> interval;  // at least 95% coverage
  std::string interval_reason;       // why there is none
  std::int64_t target_n = 0;         // measurements behind each side
  std::int64_t baseline_n = 0;
  bool slow = false;   // beyond factor and floor; without an interval (a cold time measured once) three
                       // times the factor is asked
  bool noisy = false;  // a side was unstable
};

// Like Measured, for what there is a million of.
struct CellMeasured {
  std::optional<double> value;
  InternedString reason;
  operator Measured() const { return {value, reason}; }  // NOLINT(google-explicit-constructor)
};

// What a failure said.
struct CellError {
  InternedString rule;          // that gave the category
  InternedString type;          // exception type
  InternedString message;       // Detail::kMessages and up: at most 2,000 bytes
  InternedString confirmed_by;  // case whose solo rerun stands for this failure too
  InternedString failing_call;  // of a program: the smallest of its calls that fails alone
};

struct CellTimes {
  CellMeasured cold_s;
  InternedString cold_kind;  // cold-op, cold-process
  CellMeasured warm_s;       // median, mean over operations
  std::optional<Interval> warm_interval;
  std::int64_t warm_n = 0;
  double operations = 1;  // that times of others are the mean of: a function's mean counts each alike
  bool unstable = false;
};

// One case on one target. There is one for every case and target: what few have costs little where it is not,
// and what many have in common is there once.
struct CaseCell {
  std::optional<Outcome> outcome;           // over its attempts; nullopt: planned, not attempted
  bool planned = false;                     // false: this target does not have the case at all
  Evidence evidence = Evidence::kDeclared;  // the most that an attempt of the outcome reached
  std::optional<Category> category;         // of a failure
  bool unconfirmed = false;                 // a failure that was not run again, nor stands another for it
  bool fails_on_reference = false;  // or, on the reference itself, a case of an automatic suite that fails
  bool unanswered = false;      // a failure that says nothing of the device: a bridge's, a missing dependency
  bool no_device_work = false;  // no operation of it depends on an input, or it touches no device
  bool default_precision = false;     // a pass that is right at the highest precision alone
  bool unchecked = false;             // a pass that shows only that nothing was raised
  Where placement = Where::kUnknown;  // of its passes; kNone wherever there is no device work
  int attempts = 0;
  InternedString reason;         // of a skip or an error
  CopyOnWrite<CellError> error;  // empty texts unless it failed
  CopyOnWrite<CellTimes> times;
  HeapOptional<Ratio> cold;  // to the target's baseline
  HeapOptional<Ratio> warm;
  HeapOptional<Estimate> estimated;  // of a case that passes where the compiler said something and the
                                     // device's rates are known; never mixed with what was measured
};

struct CaseRow {
  std::string name;
  std::string hash;  // of the latest run that has it
  std::string suite;
  std::string dtype;
  std::string shape;
  bool core = false;
  bool host_only = false;
  bool grad = false;
  std::vector<CaseCell> cells;  // one per Summary::targets
};

// One function on one target.
struct FunctionCell {
  bool planned = false;     // false: of another framework, or not asked for
  bool cases_only = false;  // planned, but none of its cases is core: it has no verdict
  // Over core cases; nullopt: not planned, cases only, `unchecked`, or nothing but unanswered cases and such
  // that fail on the reference was run.
  std::optional<Verdict> verdict;
  Verdict uncorrected = Verdict::kNotRun;
  // Over the core cases with device work that take no gradient, or that take one; nullopt as above, or no
  // such case.
  std::optional<Verdict> forward;
  std::optional<Verdict> gradient;
  bool fails_on_reference = false;  // a core case does
  bool unanswered = false;          // a core case is
  bool unchecked = false;           // nothing fails, and no core case that passes checks a result
  bool no_device_work = false;      // every core case that was tried has none, or the function is host-only
  bool flaky = false;
  bool default_precision = false;  // a core case passes so
  bool slow_cold = false;          // a core case is
  bool slow_warm = false;
  std::optional<bool> on_device;  // passes, and no core case fell back to the host; nullopt: does not
                                  // pass, or unknown, or merely compiled, or no_device_work
  // Of a partial function: the dtypes that fail and that no passing core case has ("c128 f64"); empty where
  // what fails is not told by its dtype.
  InternedString only_dtypes;
  std::optional<Category> category;         // the most frequent among its failing core cases
  Evidence evidence = Evidence::kDeclared;  // the least over its passing core cases
  int core_cases = 0;
  int core_passed = 0;  // and check a result
};

struct FunctionRow {
  std::string framework;
  std::string name;
  bool host_only = false;
  std::vector<FunctionCell> cells;  // one per Summary::targets
  std::vector<CaseRow> cases;       // by name
};

// Functions of one target by verdict; one of these over all functions, one over those with device work.
struct FunctionCounts {
  // With a core case on this target; only these have verdicts. pass + partial + fail + not_run +
  // fails_on_reference + unanswered + unchecked = functions.
  int functions = 0;
  int pass = 0;  // corrected: without what fails the same way on the reference and what is unanswered
  int partial = 0;
  int fail = 0;
  int not_run = 0;
  int fails_on_reference = 0;  // no verdict: all that was run fails there too
  int unanswered = 0;          // no verdict: all that was run fails in a way that says nothing of the device
  int unchecked = 0;           // no verdict: nothing fails, and nothing that passes checks a result
  int no_device_work = 0;      // of all of these: no operation of them depends on an input, or host-only
  int cases_only = 0;          // beside `functions`: planned without a core case (idioms, for example)
  int uncorrected_pass = 0;
  int uncorrected_partial = 0;
  int uncorrected_fail = 0;
  int flaky = 0;              // also counted as partial or fail
  int default_precision = 0;  // pass or partial: a core case passes at the highest precision alone
  int slow_cold = 0;          // beside the verdict
  int slow_warm = 0;
  int placement_unproven = 0;  // pass, but nothing shows where
  Rate runs;                   // pass of pass + partial + fail
  Rate runs_uncorrected;
  Rate runs_on_device;  // pass and are on the device, of pass + partial + fail with device work. No value
                        // where nothing was executed.
};

// Functions by their verdict over those core cases with device work alone that take no gradient, or that take
// one.
struct KindCounts {
  int pass = 0;
  int partial = 0;
  int fail = 0;
  Rate runs;  // pass of all three
};

struct CaseCounts {
  std::int64_t planned = 0;
  std::int64_t pass = 0;       // and check a result
  std::int64_t unchecked = 0;  // pass, and show only that nothing was raised
  std::int64_t fail = 0;
  std::int64_t timeout = 0;
  std::int64_t crash = 0;
  std::int64_t flaky = 0;
  std::int64_t skip = 0;
  std::int64_t error = 0;
  std::int64_t not_attempted = 0;
  std::int64_t fails_on_reference = 0;  // of fail, timeout, crash and flaky
  std::int64_t unanswered = 0;          // likewise, and of no reference
  std::int64_t no_device_work = 0;      // of all
  std::int64_t default_precision = 0;   // of pass: right at the highest precision alone
  std::int64_t placed_device = 0;       // of pass, by placement: these four add up to it
  std::int64_t placed_host = 0;
  std::int64_t placed_unknown = 0;
  std::int64_t placed_none = 0;
  Rate runs;              // pass of what was run, less fails_on_reference, unanswered and unchecked
  Rate runs_uncorrected;  // pass and unchecked of what was run
  Rate runs_on_device;
};

struct EvidenceCount {
  Evidence evidence = Evidence::kDeclared;
  std::int64_t cases = 0;  // passing cases that rest on it
};

struct TargetRow {
  std::string target;
  std::string framework;
  std::vector<std::string> framework_versions;  // one, unless runs are joined
  std::string device_name;
  WorkerMode mode = WorkerMode::kFork;
  bool usable = true;
  std::string reason;  // why not
  std::string remedy;
  std::string environment_hash;
  std::string baseline;                 // empty: it is its own (the reference)
  std::string reference;                // FRAMEWORK/cpu, empty: none in this selection, or this is it
  std::string reference_note;           // why nothing is corrected, where that is so
  bool ran = false;                     // a case was run here; else nothing is known of the target
  bool compiled_only = false;           // what was run was lowered or compiled, and nothing was executed
  std::string device;                   // whose published rates estimates use (tpu-v3); empty: none are known
  std::vector<std::string> compilers;   // "libtpu 0.0.42.1", as its programs say; only with estimates
  std::vector<EvidenceCount> evidence;  // weakest first
  // By dtype of the cases: of each compared result the largest error, in units in the last place.
  std::map<std::string, std::vector<double>> ulp_errors;
  FunctionCounts all;
  FunctionCounts with_device_work;
  CaseCounts cases;  // all cases, core or not
  CaseCounts core_cases;
  KindCounts forward;  // what frameworks are compared by: like with like
  KindCounts gradient;
  int ratios_warm = 0;  // cases behind the medians below
  int ratios_cold = 0;
  Measured median_ratio_warm;  // over cases that were timed on both sides
  Measured median_ratio_cold;
  std::optional<Interval> median_ratio_warm_interval;  // of the sign test, 95%; nullopt: fewer than 6 cases
  std::optional<Interval> median_ratio_cold_interval;
  Rate flips;                        // rechecked passes that did not pass alone
  std::int64_t timing_failures = 0;  // cases that passed but could not be timed
  Measured cpu_s;                    // summed over attempts
  double wall_s = 0;                 // summed over attempts
};

struct CategoryCount {
  Category category = Category::kUnclassified;
  int functions = 0;                    // whose failing core cases have this as their most frequent category
  int unanswered = 0;                   // functions without a verdict, likewise
  std::int64_t cases = 0;               // failing cases, less those that fail on the reference
  std::int64_t fails_on_reference = 0;  // those
  std::vector<std::string> examples;    // up to three functions, by name
};

struct TargetCategories {
  std::string target;
  std::vector<CategoryCount> categories;  // most functions first
};

// One line of the table of slowest and fastest: per function its most extreme case.
struct RatioRow {
  std::string target;
  std::string baseline;
  std::string function;
  std::string case_name;
  std::string kind;  // warm, cold-op, cold-process
  Ratio ratio;
};

struct TargetRatios {
  std::string target;
  std::string baseline;
  std::string reason;          // why there are no rows
  std::vector<RatioRow> warm;  // one per function (its slowest case), slowest first
  std::vector<RatioRow> cold;
  std::vector<RatioRow> warm_fastest;  // one per function (its fastest case), fastest first
  std::vector<RatioRow> cold_fastest;
};

// The same target against itself: cases that were timed more than once.
struct NoiseFloor {
  std::string target;
  int cases = 0;
  Measured median;  // of max/min of an attempt's warm median against another's: 1 is no noise
  Measured p95;
};

// Functions of one target for which a method gave no estimate, by reason.
struct EstimateGap {
  std::string method;  // cycles, optimal, roofline
  std::string reason;
  int functions = 0;
};

// What a compiler said of one target's functions. A function's estimate is the mean over its passing core
// cases, as the study took the mean over its operations.
struct TargetEstimates {
  std::string target;
  std::string device;  // tpu-v3
  std::string device_summary;
  std::vector<std::string> compilers;
  int functions = 0;  // with a passing core case that was compiled
  int by_cycles = 0;
  int by_optimal = 0;
  int by_roofline = 0;
  Measured median_cycles_s;
  Measured median_optimal_s;
  Measured median_roofline_s;
  std::vector<EstimateGap> gaps;  // most functions first
};

// One function, TPU against GPU: roofline against roofline, over the core cases that have both.
struct EstimateRow {
  std::string function;
  int cases = 0;
  double tpu_s = 0;
  double gpu_s = 0;
  double ratio = 0;  // above 1: the TPU is slower
  bool memory_alone =
      false;  // memory decides on both sides: the ratio is that of the bandwidths and of the bytes
  Measured tpu_cycles_s;                  // the compiler's own estimate for the TPU, over the same cases
  std::optional<double> published_tpu_s;  // measured by the study, on its devices
  std::optional<double> published_gpu_s;
  std::optional<double> published_ratio;
};

struct EstimatePair {
  std::string framework;
  std::string tpu;  // targets
  std::string gpu;
  std::vector<EstimateRow> rows;  // greatest ratio first; at least one
  Measured median_ratio;
  int slower = 0;      // functions with a ratio above 1
  int far_slower = 0;  // above 10
  int memory_alone = 0;
  int published = 0;          // rows with a published ratio
  Measured rank_correlation;  // Spearman's, of estimated and published ratios
};

// One attempt, Detail::kFull.
struct AttemptDetail {
  std::string run;  // uuid
  Attempt attempt;
  std::optional<classify::Classification> classification;
};

struct Summary {
  std::string store;          // file
  std::string choice;         // latest, all, or the run's id
  std::string rules_version;  // of the classification
  int schema_version = 0;     // of the store
  double slow_factor = 0;
  double slow_floor_s = 0;
  std::vector<RunFacts> runs;                // latest start first; one unless runs are joined
  std::vector<TargetRow> targets;            // in order of addition
  std::vector<FunctionRow> functions;        // by framework, then name
  std::vector<TargetCategories> categories;  // one per target with failures
  std::vector<TargetRatios> ratios;          // one per target that has a baseline
  std::vector<NoiseFloor> noise;             // one per target that was timed
  std::vector<Declared> declared;            // of the targets' frameworks; apart from all of the above
  std::vector<TargetEstimates> estimates;    // one per target with estimates
  std::vector<EstimatePair> estimate_pairs;  // TPU against GPU, by framework
  std::optional<SampleReport> sample;        // of what population the run is a sample, and what it says of it
  std::string study;                         // whose published figures stand beside them; empty: none
  // Detail::kFull: by function row, case row and target, the attempts in order.
  std::vector<std::vector<std::vector<std::vector<AttemptDetail>>>> attempts;
};

// Errors are the store's. A run without a single attempt is a summary, not an error.
Result<Summary> summarize(store::Store& store, const classify::RuleSet& rules, const SummaryOptions& options);

}  // namespace seamark::analysis
