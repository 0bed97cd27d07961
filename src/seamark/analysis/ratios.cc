// The ratio of a case's time on a target to its time on the baseline.

#include <numeric>

#include "seamark/analysis/cells.h"

namespace seamark::analysis {

namespace {

constexpr double kSingleMeasurementMargin = 3;

// One side: a value per timing attempt, all of one protocol and kind.
struct Operand {
  std::vector<double> values;
  std::string protocol;
  std::string kind;                  // of a cold time
  std::optional<Interval> interval;  // of the only attempt
  std::int64_t n = 0;
  bool unstable = false;
  [[nodiscard]] double center() const {
    // The study takes the mean of its runs; otherwise an outlier shall not count.
    if (takes_mean(protocol))
      return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    return median(values).value();
  }
};

Operand warm_side(const CellFacts& cell) {
  Operand side;
  for (const Timing& timing : cell.extras->timings) {
    const Latency& latency = timing.latency;
    if (!timing.executed || !latency.warm_median_s || *latency.warm_median_s <= 0) continue;
    if (!side.values.empty() && latency.protocol != side.protocol) continue;
    side.protocol = latency.protocol;
    side.values.push_back(*latency.warm_median_s);
    side.n += latency.warm_n;
    side.unstable = side.unstable || latency.unstable;
    side.interval.reset();
    if (side.values.size() == 1 && latency.warm_low_s && latency.warm_high_s && *latency.warm_low_s > 0) {
      side.interval = Interval{*latency.warm_low_s, *latency.warm_high_s};
    }
  }
  return side;
}

Operand cold_side(const CellFacts& cell) {
  Operand side;
  for (const Timing& timing : cell.extras->timings) {
    const Latency& latency = timing.latency;
    if (!timing.executed || !latency.cold_s || *latency.cold_s <= 0) continue;
    if (!side.values.empty() && (latency.protocol != side.protocol || latency.cold_kind != side.kind))
      continue;
    side.protocol = latency.protocol;
    side.kind = latency.cold_kind;
    side.values.push_back(*latency.cold_s);
    ++side.n;
  }
  return side;
}

std::optional<Ratio> ratio_of(const Operand& target, const Operand& baseline) {
  if (target.values.empty() || baseline.values.empty()) return std::nullopt;
  if (target.protocol != baseline.protocol || target.kind != baseline.kind) return std::nullopt;
  Ratio ratio;
  ratio.target_s = target.center();
  ratio.baseline_s = baseline.center();
  ratio.ratio = ratio.target_s / ratio.baseline_s;
  ratio.target_n = target.n;
  ratio.baseline_n = baseline.n;
  ratio.noisy = target.unstable || baseline.unstable;
  if (target.values.size() > 1 && baseline.values.size() > 1) {
    ratio.interval = log_ratio_interval(target.values, baseline.values);
  } else if (target.interval && baseline.interval) {
    // The corners of two independent 95% intervals: at least 95% for their ratio, as the deviations
    // of both add up to more than the deviation of the difference of the logarithms.
    ratio.interval = Interval{target.interval->low / baseline.interval->high,
                              target.interval->high / baseline.interval->low};
  }
  return ratio;
}

}  // namespace

std::optional<Ratio> warm_ratio(const CellFacts& target, const CellFacts& baseline,
                                const SummaryOptions& options) {
  if (target.extras->timings.empty() || baseline.extras->timings.empty()) return std::nullopt;
  std::optional<Ratio> ratio = ratio_of(warm_side(target), warm_side(baseline));
  if (!ratio) return ratio;
  if (!ratio->interval) ratio->interval_reason = "too few samples for an interval";
  ratio->slow =
      ratio->interval && ratio->interval->low > options.slow_factor && ratio->target_s > options.slow_floor_s;
  return ratio;
}

std::optional<Ratio> cold_ratio(const CellFacts& target, const CellFacts& baseline,
                                const SummaryOptions& options) {
  if (target.extras->timings.empty() || baseline.extras->timings.empty()) return std::nullopt;
  std::optional<Ratio> ratio = ratio_of(cold_side(target), cold_side(baseline));
  if (!ratio) return ratio;
  double least = ratio->ratio / kSingleMeasurementMargin;
  if (ratio->interval) {
    least = ratio->interval->low;
  } else {
    ratio->interval_reason = "a cold time was measured once";
  }
  ratio->slow = least > options.slow_factor && ratio->target_s > options.slow_floor_s;
  return ratio;
}

}  // namespace seamark::analysis
