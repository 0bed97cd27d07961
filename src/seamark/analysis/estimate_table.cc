#include "seamark/analysis/estimate_table.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "seamark/analysis/study.h"

namespace seamark::analysis {

namespace {

using Method = Measured Estimate::*;

// The estimate of a case that counts: a core case that passes.
const Estimate* estimate_at(const CaseSlot& one, std::size_t target) {
  const CaseCell& cell = one.row.cells[target];
  return one.facts[target].core && cell.estimated ? &*cell.estimated : nullptr;
}

// The mean over a function's cases that have one; else the first reason.
Measured mean_of(const FunctionSlot& function, std::size_t target, Method method) {
  double sum = 0;
  int cases = 0;
  Measured out;
  for (const CaseSlot& one : function.cases) {
    const Estimate* estimate = estimate_at(one, target);
    if (estimate == nullptr) continue;
    const Measured& measured = estimate->*method;
    if (measured.value) {
      sum += *measured.value;
      ++cases;
    } else if (out.reason.empty()) {
      out.reason = measured.reason;
    }
  }
  if (cases == 0) return out;
  return {sum / cases, {}};
}

bool has_estimate(const FunctionSlot& function, std::size_t target) {
  return std::any_of(function.cases.begin(), function.cases.end(),
                     [&](const CaseSlot& one) { return estimate_at(one, target) != nullptr; });
}

class TargetTally {
 public:
  TargetTally(TargetEstimates& out, const std::vector<FunctionSlot>& functions, std::size_t target)
      : out_(out), functions_(functions), target_(target) {}

  void fill() {
    for (const FunctionSlot& function : functions_) out_.functions += has_estimate(function, target_);
    add("cycles", &Estimate::cycles_s, out_.by_cycles, out_.median_cycles_s);
    add("optimal", &Estimate::optimal_s, out_.by_optimal, out_.median_optimal_s);
    add("roofline", &Estimate::roofline_s, out_.by_roofline, out_.median_roofline_s);
    std::stable_sort(out_.gaps.begin(), out_.gaps.end(),
                     [](const EstimateGap& a, const EstimateGap& b) { return a.functions > b.functions; });
  }

 private:
  void add(const char* name, Method method, int& count, Measured& middle) {
    std::vector<double> values;
    for (const FunctionSlot& function : functions_) {
      if (!has_estimate(function, target_)) continue;
      const Measured mean = mean_of(function, target_, method);
      if (mean.value) {
        values.push_back(*mean.value);
      } else {
        count_gap(name, mean.reason);
      }
    }
    count = static_cast<int>(values.size());
    middle.value = median(values);
    if (!middle.value) middle.reason = "no function has one";
  }

  void count_gap(const char* method, const std::string& reason) {
    for (EstimateGap& gap : out_.gaps) {
      if (gap.method != method || gap.reason != reason) continue;
      ++gap.functions;
      return;
    }
    out_.gaps.push_back({method, reason, 1});
  }

  TargetEstimates& out_;
  const std::vector<FunctionSlot>& functions_;
  std::size_t target_;
};

// nullopt unless a core case has a bound on both sides.
std::optional<EstimateRow> row_of(const FunctionSlot& function, std::size_t tpu, std::size_t gpu) {
  EstimateRow row;
  row.memory_alone = true;
  double cycles = 0;
  for (const CaseSlot& one : function.cases) {
    const Estimate* on_tpu = estimate_at(one, tpu);
    const Estimate* on_gpu = estimate_at(one, gpu);
    // Another hash is another case.
    if (on_tpu == nullptr || on_gpu == nullptr || one.facts[tpu].case_id != one.facts[gpu].case_id) continue;
    if (!on_tpu->roofline_s.value || !on_gpu->roofline_s.value) continue;
    ++row.cases;
    row.memory_alone = row.memory_alone && on_tpu->memory_bound && on_gpu->memory_bound;
    row.tpu_s += *on_tpu->roofline_s.value;
    row.gpu_s += *on_gpu->roofline_s.value;
    if (on_tpu->cycles_s.value) {
      cycles += *on_tpu->cycles_s.value;
    } else if (row.tpu_cycles_s.reason.empty()) {
      row.tpu_cycles_s.reason = on_tpu->cycles_s.reason;
    }
  }
  if (row.cases == 0 || !(row.tpu_s > 0) || !(row.gpu_s > 0)) return std::nullopt;
  row.function = function.row.name;
  row.ratio = row.tpu_s / row.gpu_s;
  row.tpu_s /= row.cases;
  row.gpu_s /= row.cases;
  if (row.tpu_cycles_s.reason.empty()) row.tpu_cycles_s.value = cycles / row.cases;
  return row;
}

void add_published(EstimateRow& row, const std::string& framework, const Study* study) {
  const StudyFunction* published = study == nullptr ? nullptr : study->find(framework, row.function);
  if (published == nullptr) return;
  row.published_tpu_s = published->tpu_s;
  row.published_gpu_s = published->gpu_s;
  row.published_ratio = published->tpu_over_gpu;
}

void sum_up(EstimatePair& pair) {
  std::vector<double> ratios;
  std::vector<double> estimated;
  std::vector<double> published;
  for (const EstimateRow& row : pair.rows) {
    ratios.push_back(row.ratio);
    pair.slower += row.ratio > 1;
    pair.far_slower += row.ratio > 10;
    pair.memory_alone += row.memory_alone;
    if (!row.published_ratio) continue;
    estimated.push_back(row.ratio);
    published.push_back(*row.published_ratio);
  }
  pair.published = static_cast<int>(published.size());
  pair.median_ratio.value = median(ratios);
  pair.rank_correlation.value = spearman(estimated, published);
  if (!pair.rank_correlation.value) {
    pair.rank_correlation.reason = published.size() < 3 ? "fewer than 3 functions have a published ratio"
                                                        : "the ratios of one side are all equal";
  }
}

EstimatePair pair_of(const Collected& collected, std::size_t tpu, std::size_t gpu, const Study* study) {
  EstimatePair pair;
  pair.framework = collected.targets[tpu].framework;
  pair.tpu = collected.targets[tpu].target;
  pair.gpu = collected.targets[gpu].target;
  for (const FunctionSlot& function : collected.functions) {
    if (function.row.framework != pair.framework) continue;
    std::optional<EstimateRow> row = row_of(function, tpu, gpu);
    if (!row) continue;
    add_published(*row, pair.framework, study);
    pair.rows.push_back(std::move(*row));
  }
  std::stable_sort(pair.rows.begin(), pair.rows.end(),
                   [](const EstimateRow& a, const EstimateRow& b) { return a.ratio > b.ratio; });
  sum_up(pair);
  return pair;
}

bool on(const TargetRow& row, std::string_view family) { return row.device.starts_with(family); }

}  // namespace

void fill_estimates(Summary& summary, const Collected& collected, const std::vector<bool>& wanted,
                    const SummaryOptions& options) {
  if (options.devices == nullptr) return;
  const std::vector<TargetRow>& targets = collected.targets;
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const Device* device = wanted[t] ? options.devices->of_target(targets[t].target) : nullptr;
    if (device == nullptr) continue;
    TargetEstimates out;
    out.target = targets[t].target;
    out.device = device->name;
    out.device_summary = device->summary;
    out.compilers = targets[t].compilers;
    TargetTally(out, collected.functions, t).fill();
    if (out.functions > 0) summary.estimates.push_back(std::move(out));
  }
  for (std::size_t tpu = 0; tpu < targets.size(); ++tpu) {
    for (std::size_t gpu = 0; gpu < targets.size(); ++gpu) {
      if (!wanted[tpu] || !wanted[gpu] || targets[tpu].framework != targets[gpu].framework) continue;
      if (!on(targets[tpu], "tpu-") || !(on(targets[gpu], "cuda-") || on(targets[gpu], "rocm-"))) continue;
      EstimatePair pair = pair_of(collected, tpu, gpu, options.study);
      if (!pair.rows.empty()) summary.estimate_pairs.push_back(std::move(pair));
    }
  }
  if (options.study != nullptr && !summary.estimates.empty()) summary.study = options.study->title();
}

}  // namespace seamark::analysis
