#include "seamark/analysis/study_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "seamark/analysis/change_cases.h"
#include "seamark/analysis/result_set.h"
#include "seamark/base/text.h"
#include "seamark/model/verdict.h"

namespace seamark::analysis {

namespace {

constexpr std::string_view kNoCases = "the study published nothing of single cases";
constexpr std::string_view kNotPublished = "not published";

// A function that the study lists, that the run has, or both.
struct Row {
  const StudyFunction* then = nullptr;
  const FunctionRow* now = nullptr;
};

bool is_timed(const CaseRow& row, std::size_t t) {
  const CaseCell& cell = row.cells[t];
  return row.core && cell.outcome == Outcome::kPass && cell.times->warm_s.value &&
         cell.evidence >= Evidence::kExecuted;
}

// With an interval (which a case has that was timed in one attempt), and not too unstable for one.
bool is_steady(const CaseRow& row, std::size_t t) {
  return is_timed(row, t) && row.cells[t].times->warm_interval && !row.cells[t].times->unstable;
}

// The cases that a function's time is the mean of: the steady ones, where there is none all that were timed.
std::vector<const CaseCell*> timed_cells(const FunctionRow& row, std::size_t t) {
  const bool steady =
      std::any_of(row.cases.begin(), row.cases.end(), [t](const CaseRow& one) { return is_steady(one, t); });
  std::vector<const CaseCell*> out;
  for (const CaseRow& one : row.cases) {
    if (steady ? is_steady(one, t) : is_timed(one, t)) out.push_back(&one.cells[t]);
  }
  return out;
}

// Of what was timed on both: the study's one figure against the passing core cases' warm medians.
std::map<std::string, PairTime> times_of(const std::map<std::string, Row>& rows, StudySide side,
                                         std::size_t t) {
  std::vector<FunctionResult> functions;
  for (const auto& [name, row] : rows) {
    if (row.then == nullptr || row.now == nullptr || !row.then->on(side)) continue;
    const double then = *row.then->on(side);
    FunctionResult found;
    found.name = name;
    for (const CaseCell* cell : timed_cells(*row.now, t)) {
      found.times.push_back({.seconds = {then, cell->times->warm_s.value},
                             .operations = {cell->times->operations, cell->times->operations},
                             .intervals = {Interval{then, then}, cell->times->warm_interval}});
    }
    functions.push_back(std::move(found));
  }
  std::map<std::string, PairTime> out;
  for (PairTime& time : pair_times(functions, 0, 1)) out.emplace(time.function, std::move(time));
  return out;
}

std::vector<NoiseFloor> noise_of(const Summary& summary, const std::string& target) {
  std::vector<NoiseFloor> noise;
  std::copy_if(summary.noise.begin(), summary.noise.end(), std::back_inserter(noise),
               [&](const NoiseFloor& one) { return one.target == target; });
  return noise;
}

std::string core_cases(int count) { return fmt::format("{} core {}", count, count == 1 ? "case" : "cases"); }

bool fails_altogether(const FunctionCell& cell) {
  if (cell.flaky) return false;
  return cell.verdict ? *cell.verdict == Verdict::kFail
                      : !cell.unanswered && !cell.unchecked && cell.fails_on_reference &&
                            cell.uncorrected == Verdict::kFail;
}

// One target against the study's device of its kind.
class Builder {
 public:
  Builder(const Study& study, const Summary& summary, std::size_t t, const StudyTarget& told,
          const StudyOptions& options)
      : t_(t), told_(told) {
    out_.after = summary.targets[t];
    out_.before.framework = told.framework;
    out_.before.target = told.framework + "/" + told.device.key;
    out_.before.framework_versions = {told.version_then};
    out_.before.device_name = told.device.label;
    out_.floor = floor_of(noise_of(summary, told.target), options.compare);
    for (const StudyFunction& one : study.functions()) {
      if (one.framework != told.framework) continue;
      const StudyFunction*& then = rows_[one.name_today.empty() ? one.published_name : one.name_today].then;
      if (then == nullptr || !then->on(told.side)) then = &one;
    }
    for (const FunctionRow& one : summary.functions) {
      if (one.framework == told.framework && one.cells[t].planned) rows_[one.name].now = &one;
    }
    times_ = times_of(rows_, told.side, t);
  }

  PairDelta build() {
    for (const auto& [name, row] : rows_) add_function(name, row);
    add_overall();
    if (!out_.cases.empty()) {
      ReasonCount& none = out_.not_compared.emplace_back();
      none.reason = kNoCases;
      none.cases = out_.case_counts.not_compared;
    }
    sort_changes(out_.changes);
    return std::move(out_);
  }

  [[nodiscard]] int ran() const { return ran_; }
  [[nodiscard]] int timed() const {
    return static_cast<int>(std::count_if(times_.begin(), times_.end(),
                                          [](const auto& one) { return one.second.interval.has_value(); }));
  }

 private:
  void add_function(const std::string& name, const Row& row) {
    FunctionDelta function;
    function.framework = told_.framework;
    function.name = name;
    function.status = row.then == nullptr  ? FunctionStatus::kAdded
                      : row.now == nullptr ? FunctionStatus::kDropped
                                           : FunctionStatus::kNotCompared;
    if (row.now != nullptr) {
      function.host_only = row.now->host_only;
      function.after = row.now->cells[t_].verdict;
      first_case_ = out_.cases.size();
      for (const CaseRow& one : row.now->cases) {
        if (one.cells[t_].planned) add_case(one);
      }
    }
    if (row.then == nullptr) tell(ChangeKind::kAdded, name);
    if (row.now == nullptr) {
      const bool removed = row.then->status_today == "removed";
      tell(ChangeKind::kDropped, name, removed ? "removed from the framework since" : "");
    }
    const bool ran_then = row.then != nullptr && row.then->on(told_.side);
    if (row.now != nullptr) {
      const bool whole = ran_then && judge(function, name, row);
      if (tell_cases(name, whole) && row.then != nullptr) function.status = FunctionStatus::kChanged;
    }
    out_.function_counts.add(function.status);
    out_.functions.push_back(std::move(function));
  }

  void add_case(const CaseRow& row) {
    CaseDelta one;
    one.function = out_.functions.size();
    one.name = row.name;
    one.suite = row.suite;
    one.core = row.core;
    one.presence = Presence::kAdded;
    one.after = row.cells[t_];
    one.not_compared = kNoCases;
    ++out_.case_counts.not_compared;
    out_.cases.push_back(std::move(one));
  }

  Change& tell(ChangeKind kind, const std::string& function, std::string detail = {}) {
    Change change;
    change.kind = kind;
    change.target = out_.after.target;
    change.function = function;
    change.detail = std::move(detail);
    return out_.changes.emplace_back(std::move(change));
  }

  // Of a function that ran then. True where it fails now: its cases are told with it.
  bool judge(FunctionDelta& function, const std::string& name, const Row& row) {
    const FunctionCell& cell = row.now->cells[t_];
    if (fails_altogether(cell)) {
      ++ran_;
      function.status = FunctionStatus::kChanged;
      Change& change = tell(ChangeKind::kNewFailure, name,
                            fmt::format("at least one of its tests ran on the study's {}; of {} none {} now",
                                        told_.device.label, core_cases(cell.core_cases),
                                        told_.compiled_only ? "compiles" : "passes"));
      change.case_index = telling_case();
      return true;
    }
    const bool unanswered = !cell.verdict && !cell.unchecked && cell.unanswered;
    if (cell.verdict == Verdict::kNotRun || unanswered) {
      function.status = FunctionStatus::kChanged;
      tell(ChangeKind::kNotRun, name,
           fmt::format("it ran on the study's {}{}", told_.device.label,
                       unanswered ? "; its failure now says nothing of the device" : ""))
          .case_index = skipped_case();
      return false;
    }
    const bool runs = cell.unchecked || cell.verdict == Verdict::kPass || cell.verdict == Verdict::kPartial;
    if (!runs) return false;
    ++ran_;
    // Of what compiles nothing is known: see docs/compare.md, Evidence.
    if (told_.compiled_only || cell.flaky) return false;
    function.status = FunctionStatus::kUnchanged;
    if (judge_time(name, *row.now)) function.status = FunctionStatus::kChanged;
    return false;
  }

  bool judge_time(const std::string& name, const FunctionRow& row) {
    const auto at = times_.find(name);
    if (at == times_.end()) return false;
    Ratio ratio;
    ratio.baseline_s = at->second.a_s;
    ratio.target_s = at->second.b_s;
    ratio.ratio = at->second.ratio();
    ratio.interval = at->second.interval;
    if (!ratio.interval) ratio.interval_reason = "a case's time has no interval";
    ratio.baseline_n = 1;  // one published figure
    for (const CaseCell* cell : timed_cells(row, t_)) {
      ratio.target_n += cell->times->warm_n;
      ratio.noisy = ratio.noisy || cell->times->unstable;
    }
    ratios_.push_back(ratio.ratio);
    const bool slower = ratio.ratio > 1;
    if (!beyond(ratio, Clock::kWarm, slower ? out_.floor.value : 1 / out_.floor.value)) return false;
    if (ratio.noisy) {
      ++out_.unstable;
      return false;
    }
    tell(slower ? ChangeKind::kSlower : ChangeKind::kFaster, name,
         fmt::format("then as published for {}, one figure: the interval is of the time now",
                     told_.device.label))
        .ratio = ratio;
    return true;
  }

  // What fails with nothing to hold it against, case by case. False where nothing does.
  bool tell_cases(const std::string& name, bool with_function) {
    bool any = false;
    for (std::size_t c = first_case_; c < out_.cases.size(); ++c) {
      CaseDelta& one = out_.cases[c];
      const bool flaky = one.after->outcome == Outcome::kFlaky;
      if (!failed(one.after->outcome)) continue;
      any = one.changed = true;
      if (with_function) continue;
      Change& change =
          tell(flaky ? ChangeKind::kFlaky : ChangeKind::kAddedFailure, name, std::string(kNoCases));
      change.case_name = one.name;
      change.case_index = c;
    }
    return any;
  }

  // Of the function that was added last: the failing core case that says something of the device, if there is
  // one.
  [[nodiscard]] std::optional<std::size_t> telling_case() const {
    std::optional<std::size_t> best;
    for (std::size_t c = first_case_; c < out_.cases.size(); ++c) {
      const CaseDelta& one = out_.cases[c];
      if (!one.core || !failed(one.after->outcome)) continue;
      const auto says_nothing = [](const CaseDelta& of) {
        return of.after->fails_on_reference || of.after->unanswered;
      };
      if (!best || (says_nothing(out_.cases[*best]) && !says_nothing(one))) best = c;
    }
    return best;
  }

  [[nodiscard]] std::optional<std::size_t> skipped_case() const {
    for (std::size_t c = first_case_; c < out_.cases.size(); ++c) {
      if (out_.cases[c].core && !was_run(out_.cases[c].after->outcome)) return c;
    }
    return std::nullopt;
  }

  void add_overall() {
    out_.warm = overall_of(ratios_, "no function was timed on both sides");
    out_.warm.of_functions = out_.cold.of_functions = true;
    out_.cold.median = {std::nullopt, "the study published one time per function"};
  }

  std::size_t t_;
  const StudyTarget& told_;
  std::map<std::string, Row> rows_;
  std::map<std::string, PairTime> times_;
  std::vector<double> ratios_;
  std::size_t first_case_ = 0;  // of the function at hand
  int ran_ = 0;                 // functions that ran then, and ran now or failed
  PairDelta out_;
};

// --- what else differs: a study of other years on other machines

class Circumstances {
 public:
  void differ(const std::string& target, std::string what, std::string before, std::string after) {
    if (before.empty()) before = kNotPublished;
    if (after.empty()) after = "none";
    if (before != after) drifts_.push_back({target, std::move(what), std::move(before), std::move(after)});
  }

  void of_run(const Study& study, const RunFacts& run) {
    differ({}, "cases", study.cases(), "Seamark's core cases");
    const std::string timing = run.info.protocol.empty() ? "" : ", protocol " + run.info.protocol;
    differ({}, "times", study.timing(), "median of warm calls, the mean over core cases" + timing);
    if (!run.info.host.is_object()) return;
    for (const auto& [key, value] : run.info.host.as_object()) {
      differ({}, "host " + key, {}, value.is_string() ? value.as_string() : dump_json(value));
    }
  }

  void of_target(const StudyTarget& told, const TargetRow& row) {
    differ(told.target, told.framework, told.version_then, join(told.versions_now, ", "));
    const bool compiled = told.compiled_only;
    differ(told.target, "device", told.device.label,
           compiled ? "compiled only, nothing was executed" : row.device_name);
  }

  std::vector<Drift> take() { return std::move(drifts_); }

 private:
  std::vector<Drift> drifts_;
};

std::vector<Unanswered> unanswered_of(const Study& study, int ran, int timed) {
  std::vector<Unanswered> out;
  const std::string single =
      study.not_published().empty() ? std::string(kNotPublished) : "not published: " + study.not_published();
  if (ran == 0) {
    out.push_back({ChangeKind::kNewFailure, "none of the functions that the study timed ran or failed now"});
  }
  for (const ChangeKind kind : {ChangeKind::kCategoryChanged, ChangeKind::kWeakerEvidence,
                                ChangeKind::kNewPass, ChangeKind::kNewlyRun, ChangeKind::kNoLongerFlaky}) {
    out.push_back({kind, single});
  }
  if (timed == 0) {
    const std::string reason = "no function that the study timed was timed warm, with an interval, now";
    out.push_back({ChangeKind::kSlower, reason});
    out.push_back({ChangeKind::kFaster, reason});
  }
  return out;
}

}  // namespace

Comparison changes_since(const Study& study, const Summary& summary, const StudyComparison& told,
                         const StudyOptions& options) {
  Comparison out;
  out.before = {options.study_label, study.title(), {}};
  out.after = {options.later_label, summary.store, summary.runs};
  out.rules_version = summary.rules_version;
  Circumstances circumstances;
  if (!summary.runs.empty()) circumstances.of_run(study, summary.runs.front());
  int ran = 0;
  int timed = 0;
  for (const StudyTarget& target : told.targets) {
    const auto row = std::find_if(summary.targets.begin(), summary.targets.end(),
                                  [&](const TargetRow& one) { return one.target == target.target; });
    const auto t = static_cast<std::size_t>(row - summary.targets.begin());
    Builder builder(study, summary, t, target, options);
    out.pairs.push_back(builder.build());
    ran += builder.ran();
    timed += builder.timed();
    circumstances.of_target(target, *row);
  }
  if (options.all_targets) {
    for (const std::string& framework : told.missing) {
      Change change;
      change.kind = ChangeKind::kDropped;
      change.target = framework + "/" + study.main_device(StudySide::kTpu).key;
      out.of_targets.push_back(std::move(change));
    }
  }
  out.drifts = circumstances.take();
  out.unanswered = unanswered_of(study, ran, timed);
  return out;
}

}  // namespace seamark::analysis
