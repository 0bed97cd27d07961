#include "seamark/analysis/cells.h"

#include <algorithm>
#include <array>
#include <set>

namespace seamark::analysis {

namespace {

std::optional<std::size_t> index_of(const std::vector<TargetRow>& targets, const std::string& name) {
  for (std::size_t t = 0; t < targets.size(); ++t) {
    if (targets[t].target == name) return t;
  }
  return std::nullopt;
}

CellMeasured center_of(const std::vector<Timing>& timings, std::optional<double> Latency::* value) {
  CellMeasured measured;
  std::vector<double> values;
  bool paper = false;
  for (const Timing& timing : timings) {
    if (const std::optional<double>& one = timing.latency.*value) {
      values.push_back(*one);
      paper = takes_mean(timing.latency.protocol);
    }
  }
  if (values.empty()) return measured;
  if (paper) {
    double sum = 0;
    for (const double one : values) sum += one;
    measured.value = sum / static_cast<double>(values.size());
  } else {
    measured.value = median(values);
  }
  return measured;
}

CopyOnWrite<CellTimes> not_timed(const char* reason) {
  CellTimes times;
  times.cold_s.reason = times.warm_s.reason = reason;
  return CopyOnWrite<CellTimes>(std::move(times));
}

// Of a case without times, which most are: those of one reason are the same.
const CopyOnWrite<CellTimes>& why_not_timed(const CellFacts& facts, const CaseCell& cell) {
  static const CopyOnWrite<CellTimes> while_timed = not_timed("it failed while it was timed");
  static const CopyOnWrite<CellTimes> not_run = not_timed("it was not run");
  static const CopyOnWrite<CellTimes> no_pass = not_timed("it did not pass");
  static const CopyOnWrite<CellTimes> otherwise = not_timed("it was not timed in this run");
  if (facts.extras->timing_failures > 0) return while_timed;
  if (!was_run(cell.outcome)) return not_run;
  if (cell.outcome != Outcome::kPass) return no_pass;
  return otherwise;
}

CopyOnWrite<CellTimes> times_of(const CellFacts& facts, const CaseCell& cell) {
  if (facts.extras->timings.empty()) return why_not_timed(facts, cell);
  CellTimes times;
  times.cold_s = center_of(facts.extras->timings, &Latency::cold_s);
  times.warm_s = center_of(facts.extras->timings, &Latency::warm_median_s);
  for (const Timing& timing : facts.extras->timings) {
    const Latency& latency = timing.latency;
    if (!times.cold_s.value) times.cold_s.reason = latency.cold_reason;
    if (!times.warm_s.value) times.warm_s.reason = latency.warm_reason;
    if (times.cold_kind.empty()) times.cold_kind = latency.cold_kind;
    times.warm_n += latency.warm_n;
    times.unstable = times.unstable || latency.unstable;
    if (facts.extras->timings.size() == 1 && latency.warm_low_s && latency.warm_high_s) {
      times.warm_interval = Interval{*latency.warm_low_s, *latency.warm_high_s};
    }
  }
  if (facts.extras->timings.front().latency.protocol == kImportedProtocol && times.warm_n > 0)
    times.operations = static_cast<double>(times.warm_n) / static_cast<double>(facts.extras->timings.size());
  for (CellMeasured* measured : {&times.cold_s, &times.warm_s}) {
    if (!measured->value && measured->reason.empty())
      measured->reason = why_not_timed(facts, cell)->warm_s.reason;
  }
  return CopyOnWrite<CellTimes>(std::move(times));
}

bool is_steady_failure(const CaseCell& cell) {
  return failed(cell.outcome) && cell.outcome != Outcome::kFlaky;
}

CaseCell cell_of(const CellFacts& facts) {
  CaseCell cell;
  cell.planned = facts.case_id != 0;
  cell.attempts = facts.count;
  cell.outcome = facts.outcome.outcome();
  if (failed(cell.outcome)) {
    if (facts.extras->failure) {
      cell.category = facts.extras->failure->category;
      cell.error = facts.extras->failure->error;
    }
    cell.evidence = facts.any_evidence;
    cell.unconfirmed = facts.outcome.checks() == 1 && cell.error->confirmed_by.empty();
    const bool in_bridge = facts.extras->failure && facts.extras->failure->in_bridge;
    cell.unanswered =
        is_steady_failure(cell) && (in_bridge || (cell.category && is_unanswered(*cell.category)));
  } else if (cell.outcome == Outcome::kPass) {
    cell.evidence = facts.pass_evidence;
    cell.default_precision = facts.default_precision;
    cell.unchecked = facts.unchecked;
    cell.placement = facts.placement;
    cell.estimated = facts.extras->estimate;
  } else {
    cell.reason = facts.extras->reason;
  }
  cell.no_device_work = facts.no_work || facts.host_only;
  if (cell.no_device_work) cell.placement = Where::kNone;
  cell.times = times_of(facts, cell);
  return cell;
}

bool fails_the_same_way(const CaseCell& cell, const CellFacts& facts, const CaseCell& reference,
                        const CellFacts& reference_facts) {
  if (!is_steady_failure(cell) || cell.outcome != reference.outcome) return false;
  if (facts.case_id != reference_facts.case_id || !facts.extras->failure || !reference_facts.extras->failure)
    return false;
  const FailureFacts& here = *facts.extras->failure;
  const FailureFacts& there = *reference_facts.extras->failure;
  if (here.category != there.category) return false;
  if (!here.signature.empty() && here.signature == there.signature) return true;
  // The signature holds the stage, and what fails in a call on one target fails in lowering on another.
  return !here.key.empty() && here.key == there.key;
}

std::optional<Category> most_frequent(const PerCategory<int>& counts) {
  std::optional<Category> most;
  for (const Category category : all_categories()) {
    if (counts[category] > (most ? counts[*most] : 0)) most = category;
  }
  return most;
}

// Every core case that was tried does none; what was not run, or is no answer of the target, says nothing.
bool has_no_device_work(const FunctionSlot& function, std::size_t target) {
  bool any = false;
  for (const CaseSlot& one : function.cases) {
    const CaseCell& cell = one.row.cells[target];
    if (!one.facts[target].core || !cell.outcome) continue;
    if (cell.no_device_work) {
      any = true;
    } else if (was_run(cell.outcome) && !cell.fails_on_reference && !cell.unanswered) {
      return false;
    }
  }
  return any;
}

// Of a function that passes and does something there.
std::optional<bool> on_device_of(const FunctionSlot& function, std::size_t target) {
  bool all_there = true;
  for (const CaseSlot& one : function.cases) {
    if (!one.facts[target].core || one.row.cells[target].outcome != Outcome::kPass) continue;
    const CaseCell& cell = one.row.cells[target];
    if (cell.no_device_work || cell.unchecked) continue;
    if (cell.placement == Where::kHost) return false;
    if (cell.placement != Where::kDevice || cell.evidence < Evidence::kExecuted) all_there = false;
  }
  if (all_there) return true;
  return std::nullopt;
}

// See FunctionCell::only_dtypes.
std::string dtypes_that_fail(const FunctionSlot& function, std::size_t target) {
  std::set<std::string_view> failing;
  std::set<std::string_view> passing;
  for (const CaseSlot& one : function.cases) {
    const CaseCell& cell = one.row.cells[target];
    if (!one.facts[target].core || cell.fails_on_reference || cell.unanswered) continue;
    if (cell.outcome == Outcome::kPass) passing.insert(one.row.dtype);
    if (failed(cell.outcome)) failing.insert(one.row.dtype);
  }
  std::string list;
  for (const std::string_view dtype : failing) {
    if (dtype.empty() || passing.contains(dtype)) return {};
    list.append(list.empty() ? "" : " ").append(dtype);
  }
  return list;
}

FunctionCell function_cell(const FunctionSlot& function, std::size_t target) {
  FunctionCell cell;
  std::vector<CaseStanding> standings;
  std::array<std::vector<CaseStanding>, 2> kinds;  // forward, gradient
  standings.reserve(function.cases.size());
  PerCategory<int> categories;
  PerCategory<int> unanswered;
  PerCategory<int> on_reference;
  std::optional<Evidence> least;
  for (const CaseSlot& one : function.cases) {
    const CellFacts& facts = one.facts[target];
    const CaseCell& of_case = one.row.cells[target];
    if (!of_case.planned) continue;
    cell.planned = true;
    standings.push_back(
        {of_case.outcome, facts.core, of_case.fails_on_reference, of_case.unanswered, of_case.unchecked});
    if (!facts.core) continue;
    if (!of_case.no_device_work) kinds[one.row.grad ? 1 : 0].push_back(standings.back());
    ++cell.core_cases;
    if (of_case.outcome == Outcome::kPass && !of_case.unchecked) {
      ++cell.core_passed;
      cell.default_precision = cell.default_precision || of_case.default_precision;
      least = least ? std::min(*least, of_case.evidence) : of_case.evidence;
    }
    if (of_case.category) {
      PerCategory<int>& counts = of_case.fails_on_reference ? on_reference
                                 : of_case.unanswered       ? unanswered
                                                            : categories;
      ++counts[*of_case.category];
    }
    cell.slow_cold = cell.slow_cold || (of_case.cold && of_case.cold->slow);
    cell.slow_warm = cell.slow_warm || (of_case.warm && of_case.warm->slow);
  }
  if (!cell.planned) return cell;
  if (cell.core_cases == 0) {
    cell.cases_only = true;
    return cell;
  }
  const FunctionStanding standing = function_standing(standings);
  cell.verdict = standing.verdict;
  cell.uncorrected = standing.uncorrected;
  if (cell.verdict == Verdict::kPartial) cell.only_dtypes = dtypes_that_fail(function, target);
  if (!kinds[0].empty()) cell.forward = function_standing(kinds[0]).verdict;
  if (!kinds[1].empty()) cell.gradient = function_standing(kinds[1]).verdict;
  cell.flaky = standing.flaky;
  cell.fails_on_reference = standing.fails_on_reference;
  cell.unanswered = standing.unanswered;
  cell.unchecked = standing.unchecked;
  cell.category = most_frequent(cell.verdict ? categories : cell.unanswered ? unanswered : on_reference);
  cell.evidence = least.value_or(Evidence::kDeclared);
  cell.no_device_work = has_no_device_work(function, target);
  if (cell.verdict == Verdict::kPass && !cell.no_device_work) cell.on_device = on_device_of(function, target);
  return cell;
}

}  // namespace

Pairing pair_targets(Collected& collected, const SummaryOptions& options) {
  Pairing pairing;
  for (std::size_t t = 0; t < collected.targets.size(); ++t) {
    TargetRow& row = collected.targets[t];
    const std::string own_cpu = row.framework + "/cpu";
    std::string baseline = options.baseline.empty() ? collected.planned_baselines[t] : options.baseline;
    if (baseline.empty()) baseline = own_cpu;
    row.baseline = baseline == row.target ? std::string() : baseline;
    pairing.baseline.push_back(row.baseline.empty() ? std::nullopt : index_of(collected.targets, baseline));

    pairing.reference.push_back(own_cpu == row.target ? std::nullopt : index_of(collected.targets, own_cpu));
    pairing.is_reference.push_back(own_cpu == row.target);
    if (pairing.reference.back()) {
      row.reference = own_cpu;
    } else {
      row.reference_note =
          own_cpu == row.target ? "it is the reference" : own_cpu + " is not among the targets";
    }
  }
  return pairing;
}

void fill_cells(FunctionSlot& function, const Pairing& pairing, const SummaryOptions& options) {
  const std::size_t targets = pairing.reference.size();
  for (CaseSlot& one : function.cases) {
    one.row.cells.clear();
    one.row.cells.reserve(targets);
    for (const CellFacts& facts : one.facts) one.row.cells.push_back(cell_of(facts));
    for (std::size_t t = 0; t < targets; ++t) {
      CaseCell& cell = one.row.cells[t];
      if (const std::optional<std::size_t> r = pairing.reference[t]) {
        cell.fails_on_reference = fails_the_same_way(cell, one.facts[t], one.row.cells[*r], one.facts[*r]);
      } else if (pairing.is_reference[t] && is_automatic(one.row.suite)) {
        cell.fails_on_reference = is_steady_failure(cell);
      }
      // What only compiles was tried on the CPU in the same attempt, in the way in which it is compiled.
      const bool says_reference =
          one.facts[t].extras->failure && one.facts[t].extras->failure->says_reference;
      if (says_reference && !pairing.is_reference[t] && is_steady_failure(cell)) {
        cell.fails_on_reference = true;
      }
      if (cell.fails_on_reference) cell.unanswered = false;  // counted once
      const std::optional<std::size_t> b = pairing.baseline[t];
      if (!b || one.facts[t].case_id != one.facts[*b].case_id) continue;
      if (cell.outcome != Outcome::kPass || one.row.cells[*b].outcome != Outcome::kPass) continue;
      cell.cold = cold_ratio(one.facts[t], one.facts[*b], options);
      cell.warm = warm_ratio(one.facts[t], one.facts[*b], options);
    }
  }
  for (std::size_t t = 0; t < targets; ++t) function.row.cells[t] = function_cell(function, t);
}

}  // namespace seamark::analysis
