#include "seamark/analysis/tally.h"

#include <algorithm>

namespace seamark::analysis {

namespace {

constexpr std::string_view kCompiledOnly = "compiled only: nothing was executed";
constexpr std::string_view kNothingToPlace = "nothing with device work was run";
constexpr std::string_view kProofOff = "the placement proof was off";
constexpr std::string_view kAllUnknown = "where it ran is unknown for all of them";

// Null where nothing can be said: no proof, nothing executed, or no placement known at all.
Rate on_device_rate(std::int64_t on_device, std::int64_t known, std::int64_t passed, std::int64_t total,
                    const TargetRow& row, bool proof) {
  Rate rate;
  rate.count = on_device;
  rate.total = total;
  if (total == 0) {
    rate.reason = kNothingToPlace;
  } else if (row.compiled_only) {
    rate.reason = kCompiledOnly;
  } else if (!proof) {
    rate.reason = kProofOff;
  } else if (passed > 0 && known == 0) {
    rate.reason = kAllUnknown;
  } else {
    return rate_of(on_device, total);
  }
  return rate;
}

void count_outcome(CaseCounts& counts, std::optional<Outcome> outcome, bool unchecked) {
  if (!outcome) {
    ++counts.not_attempted;
    return;
  }
  switch (*outcome) {
    case Outcome::kPass:
      ++(unchecked ? counts.unchecked : counts.pass);
      break;
    case Outcome::kFail:
      ++counts.fail;
      break;
    case Outcome::kTimeout:
      ++counts.timeout;
      break;
    case Outcome::kCrash:
      ++counts.crash;
      break;
    case Outcome::kFlaky:
      ++counts.flaky;
      break;
    case Outcome::kSkip:
      ++counts.skip;
      break;
    case Outcome::kError:
      ++counts.error;
      break;
  }
}

void count_verdict(KindCounts& counts, std::optional<Verdict> verdict) {
  if (verdict == Verdict::kPass) ++counts.pass;
  if (verdict == Verdict::kPartial) ++counts.partial;
  if (verdict == Verdict::kFail) ++counts.fail;
}

void count_placement(CaseCounts& counts, Where placement) {
  switch (placement) {
    case Where::kDevice:
      ++counts.placed_device;
      break;
    case Where::kHost:
      ++counts.placed_host;
      break;
    case Where::kUnknown:
      ++counts.placed_unknown;
      break;
    case Where::kNone:
      ++counts.placed_none;
      break;
  }
}

KindCounts finished(KindCounts counts) {
  counts.runs = rate_of(counts.pass, counts.pass + counts.partial + counts.fail);
  return counts;
}

Measured median_of(const std::vector<double>& ratios, const TargetRow& row) {
  Measured measured{median(ratios), {}};
  if (measured.value) return measured;
  measured.reason = row.baseline.empty() ? "it is the baseline"
                    : row.compiled_only  ? std::string(kCompiledOnly)
                                         : "no case was timed on both";
  return measured;
}

}  // namespace

void FunctionTally::add(const FunctionCell& cell) {
  if (cell.cases_only) {
    ++counts_.cases_only;
    return;
  }
  ++counts_.functions;
  if (!cell.verdict) {
    ++(cell.unchecked    ? counts_.unchecked
       : cell.unanswered ? counts_.unanswered
                         : counts_.fails_on_reference);
  }
  if (cell.no_device_work) ++counts_.no_device_work;
  const bool ran = cell.verdict && cell.verdict != Verdict::kNotRun;
  if (ran && !cell.no_device_work) ++with_work_;
  if (cell.verdict == Verdict::kPass) ++counts_.pass;
  if (cell.verdict == Verdict::kPartial) ++counts_.partial;
  if (cell.verdict == Verdict::kFail) ++counts_.fail;
  if (cell.verdict == Verdict::kNotRun) ++counts_.not_run;
  if (cell.uncorrected == Verdict::kPass) ++counts_.uncorrected_pass;
  if (cell.uncorrected == Verdict::kPartial) ++counts_.uncorrected_partial;
  if (cell.uncorrected == Verdict::kFail) ++counts_.uncorrected_fail;
  if (cell.flaky) ++counts_.flaky;
  if (cell.default_precision) ++counts_.default_precision;
  if (cell.slow_cold) ++counts_.slow_cold;
  if (cell.slow_warm) ++counts_.slow_warm;
  if (cell.verdict != Verdict::kPass) return;
  if (cell.on_device == true) ++on_device_;
  if (cell.on_device) ++known_;
  if (!cell.on_device && !cell.no_device_work) ++counts_.placement_unproven;
}

FunctionCounts FunctionTally::finish(const TargetRow& row, bool proof) const {
  FunctionCounts counts = counts_;
  const int total = counts.pass + counts.partial + counts.fail;
  counts.runs = rate_of(counts.pass, total);
  counts.runs_uncorrected =
      rate_of(counts.uncorrected_pass,
              counts.uncorrected_pass + counts.uncorrected_partial + counts.uncorrected_fail);
  counts.runs_on_device =
      on_device_rate(on_device_, known_, known_ + counts.placement_unproven, with_work_, row, proof);
  return counts;
}

void CaseTally::add(const CaseCell& cell) {
  ++counts_.planned;
  count_outcome(counts_, cell.outcome, cell.unchecked);
  if (cell.fails_on_reference) ++counts_.fails_on_reference;
  if (cell.unanswered) ++counts_.unanswered;
  if (cell.no_device_work) ++counts_.no_device_work;
  if (cell.default_precision) ++counts_.default_precision;
  if (cell.unchecked) return;
  if (cell.outcome == Outcome::kPass) count_placement(counts_, cell.placement);
  if (!was_run(cell.outcome) || cell.fails_on_reference || cell.unanswered || cell.no_device_work) return;
  ++with_work_;
  if (cell.outcome != Outcome::kPass) return;
  ++passed_with_work_;
  if (cell.placement == Where::kDevice) ++on_device_;
  if (fell_back(cell.placement)) ++known_;
}

CaseCounts CaseTally::finish(const TargetRow& row, bool proof) const {
  CaseCounts counts = counts_;
  const std::int64_t ran = counts.pass + counts.fail + counts.timeout + counts.crash + counts.flaky;
  counts.runs = rate_of(counts.pass, ran - counts.fails_on_reference - counts.unanswered);
  counts.runs_uncorrected = rate_of(counts.pass + counts.unchecked, ran + counts.unchecked);
  counts.runs_on_device = on_device_rate(on_device_, known_, passed_with_work_, with_work_, row, proof);
  return counts;
}

void EvidenceTally::add(const CaseCell& cell, const CellFacts& facts) {
  if (cell.outcome == Outcome::kPass && !cell.unchecked)
    ++counts_.at(static_cast<std::size_t>(cell.evidence));
  ran_ = ran_ || facts.ran;
  executed_ = executed_ || (facts.ran && facts.any_evidence >= Evidence::kExecuted);
}

void EvidenceTally::finish(TargetRow& row) const {
  for (std::size_t i = 1; i < counts_.size(); ++i) {
    if (counts_[i] > 0) row.evidence.push_back({static_cast<Evidence>(i), counts_[i]});
  }
  row.compiled_only = ran_ && !executed_;
}

void Extremes::add(const FunctionSlot& function, const CaseSlot& one, const Ratio& ratio) {
  if (best_.empty() || best_.back().function != &function) {
    best_.push_back({&function, &one, &ratio});
  } else if (better(ratio, *best_.back().ratio)) {
    best_.back() = {&function, &one, &ratio};
  }
}

std::vector<RatioRow> Extremes::rows(const TargetRow& row, std::size_t target, bool warm) const {
  std::vector<Best> sorted = best_;
  std::sort(sorted.begin(), sorted.end(), [&](const Best& a, const Best& b) {
    if (better(*a.ratio, *b.ratio) || better(*b.ratio, *a.ratio)) return better(*a.ratio, *b.ratio);
    return a.function->row.name < b.function->row.name;
  });
  std::vector<RatioRow> rows;
  rows.reserve(sorted.size());
  for (const Best& best : sorted) {
    const CaseCell& cell = best.one->row.cells[target];
    rows.push_back({row.target, row.baseline, best.function->row.name, best.one->row.name,
                    warm ? std::string("warm") : cell.times->cold_kind.get(), *best.ratio});
  }
  return rows;
}

void TargetTally::add(const FunctionSlot& function) {
  for (const CaseSlot& one : function.cases) {
    if (one.row.cells[target_].planned) add_case(function, one);
  }
  const FunctionCell& cell = function.row.cells[target_];
  if (!cell.planned) return;
  functions_.add(cell);
  if (!cell.no_device_work) with_device_work_.add(cell);
  count_verdict(forward_, cell.forward);
  count_verdict(gradient_, cell.gradient);
  add_category(function);
}

void TargetTally::add_case(const FunctionSlot& function, const CaseSlot& one) {
  const CaseCell& cell = one.row.cells[target_];
  const CellFacts& facts = one.facts[target_];
  evidence_.add(cell, facts);
  cases_.add(cell);
  if (facts.core) {
    core_evidence_.add(cell, facts);
    core_cases_.add(cell);
  }
  if (cell.warm || cell.cold) add_ratios(function, one);
  if (cell.category) {
    CategoryCount& count = categories_[*cell.category];
    ++(cell.fails_on_reference ? count.fails_on_reference : count.cases);
  }
  const CellExtras& extras = *facts.extras;
  rechecked_ += extras.rechecked;
  flipped_ += extras.flipped;
  if (extras.timing_failures > 0 && extras.timings.empty()) ++timing_failures_;
  if (!extras.timings.empty()) add_timings(extras.timings);
}

void TargetTally::add_ratios(const FunctionSlot& function, const CaseSlot& one) {
  const CaseCell& cell = one.row.cells[target_];
  if (cell.warm) {
    warm_.push_back(cell.warm->ratio);
    warm_slowest_.add(function, one, *cell.warm);
    warm_fastest_.add(function, one, *cell.warm);
  }
  if (cell.cold) {
    cold_.push_back(cell.cold->ratio);
    cold_slowest_.add(function, one, *cell.cold);
    cold_fastest_.add(function, one, *cell.cold);
  }
}

void TargetTally::add_timings(const std::vector<Timing>& timings) {
  timed_ = true;
  if (timings.size() < 2) return;
  std::vector<double> medians;
  for (const Timing& timing : timings) {
    if (timing.latency.warm_median_s && *timing.latency.warm_median_s > 0)
      medians.push_back(*timing.latency.warm_median_s);
  }
  if (medians.size() < 2) return;
  const auto [low, high] = std::minmax_element(medians.begin(), medians.end());
  spreads_.push_back(*high / *low);
}

void TargetTally::add_category(const FunctionSlot& function) {
  const FunctionCell& cell = function.row.cells[target_];
  const bool fails = cell.verdict == Verdict::kPartial || cell.verdict == Verdict::kFail;
  const bool unanswered = !cell.verdict && cell.unanswered;
  if (!cell.category || (!fails && !unanswered)) return;
  CategoryCount& count = categories_[*cell.category];
  ++(fails ? count.functions : count.unanswered);
  if (count.examples.size() < 3) count.examples.push_back(function.row.name);
}

void TargetTally::fill(TargetRow& row, bool proof) const {
  // What stands beside rates of functions rests on what these rest on.
  (core_evidence_.ran() ? core_evidence_ : evidence_).finish(row);
  row.ran = evidence_.ran();
  row.all = functions_.finish(row, proof);
  row.with_device_work = with_device_work_.finish(row, proof);
  row.cases = cases_.finish(row, proof);
  row.core_cases = core_cases_.finish(row, proof);
  row.forward = finished(forward_);
  row.gradient = finished(gradient_);
  row.ratios_warm = static_cast<int>(warm_.size());
  row.ratios_cold = static_cast<int>(cold_.size());
  row.median_ratio_warm = median_of(warm_, row);
  row.median_ratio_cold = median_of(cold_, row);
  row.median_ratio_warm_interval = median_interval(warm_);
  row.median_ratio_cold_interval = median_interval(cold_);
  row.flips = rate_of(flipped_, rechecked_, "no pass was run again alone");
  row.timing_failures = timing_failures_;
  if (!row.cpu_s.value) row.cpu_s.reason = "no attempt says its CPU time";
}

TargetCategories TargetTally::categories(const TargetRow& row) const {
  TargetCategories categories{row.target, {}};
  for (const auto& [category, count] : categories_) {
    categories.categories.push_back(count);
    categories.categories.back().category = category;
  }
  std::stable_sort(categories.categories.begin(), categories.categories.end(),
                   [](const CategoryCount& a, const CategoryCount& b) {
                     const int all_a = a.functions + a.unanswered;
                     const int all_b = b.functions + b.unanswered;
                     return all_a != all_b ? all_a > all_b : a.cases > b.cases;
                   });
  return categories;
}

TargetRatios TargetTally::ratios(const TargetRow& row, bool has_baseline) const {
  TargetRatios ratios{row.target, row.baseline, {}, {}, {}, {}, {}};
  ratios.warm = warm_slowest_.rows(row, target_, true);
  ratios.cold = cold_slowest_.rows(row, target_, false);
  ratios.warm_fastest = warm_fastest_.rows(row, target_, true);
  ratios.cold_fastest = cold_fastest_.rows(row, target_, false);
  if (!warm_.empty() || !cold_.empty()) return ratios;
  ratios.reason = row.compiled_only ? std::string(kCompiledOnly)
                  : !has_baseline   ? row.baseline + " is not among the targets"
                                    : "no case was timed on both";
  return ratios;
}

NoiseFloor TargetTally::noise(const TargetRow& row) const {
  NoiseFloor noise;
  noise.target = row.target;
  noise.cases = static_cast<int>(spreads_.size());
  noise.median = {median(spreads_), {}};
  noise.p95 = {quantile(spreads_, 0.95), {}};
  if (spreads_.empty()) noise.median.reason = noise.p95.reason = "no case was timed twice on this target";
  return noise;
}

std::vector<TargetTally> tally(const Collected& collected) {
  std::vector<TargetTally> tallies;
  for (std::size_t t = 0; t < collected.targets.size(); ++t) tallies.emplace_back(t);
  for (const FunctionSlot& function : collected.functions) {
    for (TargetTally& one : tallies) one.add(function);
  }
  return tallies;
}

}  // namespace seamark::analysis
