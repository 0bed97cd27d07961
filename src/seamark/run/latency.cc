#include "seamark/run/latency.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "seamark/base/quantile.h"

namespace seamark::run {
namespace {

constexpr double kMaxRelativeIqr = 0.15;
constexpr double kMaxDrift = 0.10;
constexpr std::size_t kMinForDrift = 10;

double median_of(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  return quantile_of_sorted(sorted, 0.5);
}

// The largest k for which [x(k), x(n+1-k)] holds the median with at least 95%: P(B(n, 1/2) < k) <= 2.5%.
// 0 when there is none.
std::size_t interval_rank(std::size_t n) {
  double log_term = -static_cast<double>(n) * std::numbers::ln2;  // log P(B = 0)
  double below = 0;
  std::size_t k = 0;
  while (k < n) {
    below += std::exp(log_term);
    if (below > 0.025) return k;
    log_term += std::log(static_cast<double>(n - k)) - std::log(static_cast<double>(k + 1));
    ++k;
  }
  return 0;
}

bool is_unstable(const SampleSummary& summary, std::span<const double> samples) {
  if (samples.size() < kMinForDrift) return false;
  if (summary.median <= 0) return true;
  if (summary.iqr / summary.median > kMaxRelativeIqr) return true;
  const std::size_t half = samples.size() / 2;
  const double drift = median_of(samples.subspan(half)) - median_of(samples.first(half));
  return std::abs(drift) / summary.median > kMaxDrift;
}

void add_cold(std::span<const TimedOperation> operations, Latency& latency) {
  double sum = 0;
  for (const TimedOperation& operation : operations) {
    if (!operation.cold_s) {
      latency.cold_reason = operation.cold_reason;
      return;
    }
    sum += *operation.cold_s;
  }
  latency.cold_s = sum / static_cast<double>(operations.size());
}

void add_warm(std::span<const TimedOperation> operations, Latency& latency) {
  SampleSummary sum;
  sum.has_interval = true;
  std::size_t smallest = 0;
  for (const TimedOperation& operation : operations) {
    if (operation.warm_s.empty()) {
      latency.warm_reason = operation.warm_reason;
      return;
    }
    const SampleSummary one = summarize(operation.warm_s);
    smallest = smallest == 0 ? one.n : std::min(smallest, one.n);
    sum.median += one.median;
    sum.low += one.low;
    sum.high += one.high;
    sum.min += one.min;
    sum.iqr += one.iqr;
    sum.has_interval = sum.has_interval && one.has_interval;
    latency.unstable = latency.unstable || one.unstable;
  }
  const auto count = static_cast<double>(operations.size());
  latency.warm_n = static_cast<std::int64_t>(smallest);
  latency.warm_median_s = sum.median / count;
  latency.warm_min_s = sum.min / count;
  if (smallest > 1) latency.warm_iqr_s = sum.iqr / count;
  if (!sum.has_interval) return;
  latency.warm_low_s = sum.low / count;
  latency.warm_high_s = sum.high / count;
}

}  // namespace

SampleSummary summarize(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  SampleSummary summary;
  summary.n = sorted.size();
  summary.median = quantile_of_sorted(sorted, 0.5);
  summary.min = sorted.front();
  summary.iqr = quantile_of_sorted(sorted, 0.75) - quantile_of_sorted(sorted, 0.25);
  if (const std::size_t rank = interval_rank(sorted.size()); rank > 0) {
    summary.low = sorted[rank - 1];
    summary.high = sorted[sorted.size() - rank];
    summary.has_interval = true;
  }
  summary.unstable = is_unstable(summary, samples);
  return summary;
}

Latency summarize(std::span<const TimedOperation> operations, std::string_view protocol,
                  std::string_view cold_kind) {
  if (operations.empty()) return not_timed("the worker timed nothing");
  Latency latency;
  latency.protocol = protocol;
  latency.cold_kind = cold_kind;
  add_cold(operations, latency);
  add_warm(operations, latency);
  return latency;
}

Latency not_timed(std::string_view reason) {
  Latency latency;
  latency.cold_reason = reason;
  latency.warm_reason = reason;
  return latency;
}

}  // namespace seamark::run
