#include "seamark/analysis/tally.h"

#include <algorithm>
#include <array>
#include <map>

namespace seamark::analysis {

namespace {

constexpr std::string_view kCompiledOnly = "compiled only: nothing was executed";
constexpr std::string_view kProofOff = "the placement proof was off";
constexpr std::string_view kUnproven = "where it ran was not proven for any of them";

template <typename Visit>
void each_case(const std::vector<FunctionSlot>& functions, std::size_t target, Visit visit) {
  for (const FunctionSlot& function : functions) {
    for (const CaseSlot& one : function.cases) {
      if (one.row.cells[target].planned) visit(function, one, one.row.cells[target], one.facts[target]);
    }
  }
}

// Null where nothing can be said: no proof, nothing executed, or no placement known at all.
Rate on_device_rate(std::int64_t on_device, std::int64_t known, std::int64_t passed, std::int64_t total,
                    const TargetRow& row, bool proof) {
  Rate rate;
  rate.count = on_device;
  rate.total = total;
  if (row.compiled_only) {
    rate.reason = kCompiledOnly;
  } else if (!proof) {
    rate.reason = kProofOff;
  } else if (passed > 0 && known == 0) {
    rate.reason = kUnproven;
  } else {
    return rate_of(on_device, total);
  }
  return rate;
}

FunctionCounts count_functions(const std::vector<FunctionSlot>& functions, std::size_t target,
                               const TargetRow& row, bool with_host_only, bool proof) {
  FunctionCounts counts;
  std::int64_t on_device = 0;
  std::int64_t known = 0;
  for (const FunctionSlot& function : functions) {
    const FunctionCell& cell = function.row.cells[target];
    if (!cell.planned || (function.row.host_only && !with_host_only)) continue;
    if (cell.cases_only) {
      ++counts.cases_only;
      continue;
    }
    ++counts.functions;
    if (!cell.verdict) ++counts.fails_on_reference;
    if (cell.verdict == Verdict::kPass) ++counts.pass;
    if (cell.verdict == Verdict::kPartial) ++counts.partial;
    if (cell.verdict == Verdict::kFail) ++counts.fail;
    if (cell.verdict == Verdict::kNotRun) ++counts.not_run;
    if (cell.uncorrected == Verdict::kPass) ++counts.uncorrected_pass;
    if (cell.uncorrected == Verdict::kPartial) ++counts.uncorrected_partial;
    if (cell.uncorrected == Verdict::kFail) ++counts.uncorrected_fail;
    if (cell.flaky) ++counts.flaky;
    if (cell.slow_cold) ++counts.slow_cold;
    if (cell.slow_warm) ++counts.slow_warm;
    if (cell.verdict != Verdict::kPass) continue;
    if (cell.on_device == true) ++on_device;
    if (cell.on_device && !function.row.host_only) ++known;
    if (!cell.on_device) ++counts.placement_unproven;
  }
  const int total = counts.pass + counts.partial + counts.fail;
  counts.runs = rate_of(counts.pass, total);
  counts.runs_uncorrected =
      rate_of(counts.uncorrected_pass,
              counts.uncorrected_pass + counts.uncorrected_partial + counts.uncorrected_fail);
  counts.runs_on_device = on_device_rate(on_device, known, counts.pass, total, row, proof);
  return counts;
}

void count_outcome(CaseCounts& counts, std::optional<Outcome> outcome) {
  if (!outcome) {
    ++counts.not_attempted;
    return;
  }
  switch (*outcome) {
    case Outcome::kPass:
      ++counts.pass;
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

// Cases of one target, all of them or the core ones, counted one by one.
class CaseTally {
 public:
  void add(const CaseCell& cell, const CellFacts& facts) {
    ++counts_.planned;
    count_outcome(counts_, cell.outcome);
    if (cell.fails_on_reference) ++counts_.fails_on_reference;
    if (cell.outcome != Outcome::kPass) return;
    if (facts.host_only || cell.fallback == false) ++on_device_;
    if (!facts.host_only && cell.fallback) ++known_;
  }

  [[nodiscard]] CaseCounts finish(const TargetRow& row, bool proof) const {
    CaseCounts counts = counts_;
    const std::int64_t ran = counts.pass + counts.fail + counts.timeout + counts.crash + counts.flaky;
    counts.runs = rate_of(counts.pass, ran - counts.fails_on_reference);
    counts.runs_uncorrected = rate_of(counts.pass, ran);
    counts.runs_on_device =
        on_device_rate(on_device_, known_, counts.pass, ran - counts.fails_on_reference, row, proof);
    return counts;
  }

 private:
  CaseCounts counts_;
  std::int64_t on_device_ = 0;
  std::int64_t known_ = 0;
};

// What passing cases rest on, and whether anything was executed.
class EvidenceTally {
 public:
  void add(const CaseCell& cell, const CellFacts& facts) {
    if (cell.outcome == Outcome::kPass) ++counts_.at(static_cast<std::size_t>(cell.evidence));
    ran_ = ran_ || facts.ran;
    executed_ = executed_ || (facts.ran && facts.any_evidence >= Evidence::kExecuted);
  }

  void finish(TargetRow& row) const {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] > 0) row.evidence.push_back({static_cast<Evidence>(i), counts_[i]});
    }
    row.compiled_only = ran_ ? !executed_ : row.target.find("+aot") != std::string::npos;
  }

 private:
  std::array<std::int64_t, static_cast<std::size_t>(Evidence::kVerified) + 1> counts_{};
  bool ran_ = false;
  bool executed_ = false;
};

Measured median_of(const std::vector<double>& ratios, const TargetRow& row) {
  Measured measured{median(ratios), {}};
  if (measured.value) return measured;
  measured.reason = row.baseline.empty() ? "it is the baseline"
                    : row.compiled_only  ? std::string(kCompiledOnly)
                                         : "no case was timed on both";
  return measured;
}

RatioRow ratio_row(const TargetRow& row, const FunctionSlot& function, const CaseSlot& one,
                   const Ratio& ratio, std::string kind) {
  return {row.target, row.baseline, function.row.name, one.row.name, std::move(kind), ratio};
}

// Per function its most extreme case, the most extreme function first.
template <typename Better>
std::vector<RatioRow> extremes(const std::vector<RatioRow>& rows, Better better) {
  std::map<std::string, const RatioRow*> best;
  for (const RatioRow& row : rows) {
    const RatioRow*& kept = best[row.function];
    if (kept == nullptr || better(row.ratio.ratio, kept->ratio.ratio)) kept = &row;
  }
  std::vector<RatioRow> sorted;
  sorted.reserve(best.size());
  for (const auto& [function, row] : best) sorted.push_back(*row);
  std::stable_sort(sorted.begin(), sorted.end(), [&](const RatioRow& a, const RatioRow& b) {
    return better(a.ratio.ratio, b.ratio.ratio);
  });
  return sorted;
}

}  // namespace

void fill_target_row(TargetRow& row, std::size_t target, const std::vector<FunctionSlot>& functions,
                     bool proof) {
  EvidenceTally evidence;
  CaseTally all;
  CaseTally core;
  std::vector<double> warm;
  std::vector<double> cold;
  std::int64_t rechecked = 0;
  std::int64_t flipped = 0;
  // Once over the cells: of a large run they are what takes long to fetch.
  each_case(functions, target,
            [&](const FunctionSlot&, const CaseSlot&, const CaseCell& cell, const CellFacts& facts) {
              evidence.add(cell, facts);
              all.add(cell, facts);
              if (facts.core) core.add(cell, facts);
              if (cell.warm) warm.push_back(cell.warm->ratio);
              if (cell.cold) cold.push_back(cell.cold->ratio);
              rechecked += facts.rechecked;
              flipped += facts.flipped;
              if (facts.timing_failures > 0 && facts.timings.empty()) ++row.timing_failures;
            });
  evidence.finish(row);
  row.all = count_functions(functions, target, row, true, proof);
  row.without_host_only = count_functions(functions, target, row, false, proof);
  row.cases = all.finish(row, proof);
  row.core_cases = core.finish(row, proof);
  row.ratios_warm = static_cast<int>(warm.size());
  row.ratios_cold = static_cast<int>(cold.size());
  row.median_ratio_warm = median_of(warm, row);
  row.median_ratio_cold = median_of(cold, row);
  row.median_ratio_warm_interval = median_interval(warm);
  row.median_ratio_cold_interval = median_interval(cold);
  row.flips = rate_of(flipped, rechecked, "no pass was run again alone");
  if (!row.cpu_s.value) row.cpu_s.reason = "no attempt says its CPU time";
}

TargetCategories categories_of(const TargetRow& row, std::size_t target,
                               const std::vector<FunctionSlot>& functions) {
  std::map<Category, CategoryCount> counts;
  for (const FunctionSlot& function : functions) {
    for (const CaseSlot& one : function.cases) {
      const CaseCell& cell = one.row.cells[target];
      if (!cell.category) continue;
      CategoryCount& count = counts[*cell.category];
      ++(cell.fails_on_reference ? count.fails_on_reference : count.cases);
    }
    const FunctionCell& cell = function.row.cells[target];
    if (!cell.category || (cell.verdict != Verdict::kPartial && cell.verdict != Verdict::kFail)) continue;
    CategoryCount& count = counts[*cell.category];
    ++count.functions;
    if (count.examples.size() < 3) count.examples.push_back(function.row.name);
  }
  TargetCategories categories{row.target, {}};
  for (auto& [category, count] : counts) {
    count.category = category;
    categories.categories.push_back(std::move(count));
  }
  std::stable_sort(categories.categories.begin(), categories.categories.end(),
                   [](const CategoryCount& a, const CategoryCount& b) {
                     return a.functions != b.functions ? a.functions > b.functions : a.cases > b.cases;
                   });
  return categories;
}

TargetRatios ratios_of(const TargetRow& row, std::size_t target, const std::vector<FunctionSlot>& functions,
                       bool has_baseline) {
  TargetRatios ratios{row.target, row.baseline, {}, {}, {}, {}, {}};
  std::vector<RatioRow> warm;
  std::vector<RatioRow> cold;
  if (row.ratios_warm + row.ratios_cold > 0)
    each_case(functions, target,
              [&](const FunctionSlot& function, const CaseSlot& one, const CaseCell& cell, const CellFacts&) {
                if (cell.warm) warm.push_back(ratio_row(row, function, one, *cell.warm, "warm"));
                if (cell.cold) cold.push_back(ratio_row(row, function, one, *cell.cold, cell.cold_kind));
              });
  ratios.warm = extremes(warm, std::greater<>());
  ratios.cold = extremes(cold, std::greater<>());
  ratios.warm_fastest = extremes(warm, std::less<>());
  ratios.cold_fastest = extremes(cold, std::less<>());
  if (!warm.empty() || !cold.empty()) return ratios;
  ratios.reason = row.compiled_only ? std::string(kCompiledOnly)
                  : !has_baseline   ? row.baseline + " is not among the targets"
                                    : "no case was timed on both";
  return ratios;
}

NoiseFloor noise_of(const TargetRow& row, std::size_t target, const std::vector<FunctionSlot>& functions,
                    bool& timed) {
  NoiseFloor noise;
  noise.target = row.target;
  timed = false;
  std::vector<double> spreads;
  each_case(functions, target,
            [&](const FunctionSlot&, const CaseSlot&, const CaseCell&, const CellFacts& facts) {
              std::vector<double> medians;
              for (const Timing& timing : facts.timings) {
                if (timing.latency.warm_median_s && *timing.latency.warm_median_s > 0)
                  medians.push_back(*timing.latency.warm_median_s);
              }
              timed = timed || !facts.timings.empty();
              if (medians.size() < 2) return;
              const auto [low, high] = std::minmax_element(medians.begin(), medians.end());
              spreads.push_back(*high / *low);
            });
  noise.cases = static_cast<int>(spreads.size());
  noise.median = {median(spreads), {}};
  noise.p95 = {quantile(spreads, 0.95), {}};
  if (spreads.empty()) noise.median.reason = noise.p95.reason = "no case was timed twice on this target";
  return noise;
}

}  // namespace seamark::analysis
