#include "seamark/analysis/stats.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "seamark/base/quantile.h"

namespace seamark::analysis {

namespace {

void check_level(double level) {
  if (!(level > 0 && level < 1)) throw std::invalid_argument("a confidence level lies between 0 and 1");
}

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

struct LogMoments {
  double n = 0;
  double mean = 0;
  double variance_of_mean = 0;
};

std::optional<LogMoments> log_moments(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  LogMoments moments;
  moments.n = static_cast<double>(values.size());
  for (const double value : values) {
    if (!(value > 0) || !std::isfinite(value)) return std::nullopt;
    moments.mean += std::log(value) / moments.n;
  }
  double squares = 0;
  for (const double value : values) squares += std::pow(std::log(value) - moments.mean, 2);
  moments.variance_of_mean = squares / (moments.n - 1) / moments.n;
  return moments;
}

}  // namespace

std::optional<Interval> wilson(std::int64_t count, std::int64_t total, double level) {
  check_level(level);
  if (count < 0 || total < 0 || count > total)
    throw std::invalid_argument("a count lies between 0 and its total");
  if (total == 0) return std::nullopt;
  const double z = normal_reach(level);
  const auto n = static_cast<double>(total);
  const double p = static_cast<double>(count) / n;
  const double denominator = 1 + z * z / n;
  const double center = (p + z * z / (2 * n)) / denominator;
  const double half = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / denominator;
  // At the ends the bound is exact; rounding must not move it.
  return Interval{count == 0 ? 0 : std::max(0.0, center - half),
                  count == total ? 1 : std::min(1.0, center + half)};
}

Rate rate_of(std::int64_t count, std::int64_t total, std::string reason_if_none) {
  Rate rate;
  rate.count = count;
  rate.total = total;
  if (total == 0) {
    rate.reason = std::move(reason_if_none);
    return rate;
  }
  rate.value = static_cast<double>(count) / static_cast<double>(total);
  rate.interval = wilson(count, total);
  return rate;
}

std::optional<double> quantile(std::span<const double> values, double q) {
  if (!(q >= 0 && q <= 1)) throw std::invalid_argument("a quantile lies between 0 and 1");
  if (values.empty()) return std::nullopt;
  return quantile_of_sorted(sorted(values), q);
}

std::optional<double> median(std::span<const double> values) { return quantile(values, 0.5); }

std::optional<Interval> median_interval(std::span<const double> values, double level) {
  check_level(level);
  if (values.empty()) return std::nullopt;
  // The k-th smallest and the k-th largest: both miss the median with probability P(B < k), B ~ Bin(n, 1/2).
  const auto n = static_cast<double>(values.size());
  const boost::math::binomial tosses(n, 0.5);
  // The most that may be left out at either end, halving where it lies.
  std::size_t k = 0;
  for (std::size_t end = values.size() / 2; k < end;) {
    const std::size_t middle = k + (end - k) / 2;
    if (2 * boost::math::cdf(tosses, static_cast<double>(middle)) <= 1 - level) {
      k = middle + 1;
    } else {
      end = middle;
    }
  }
  if (k == 0) return std::nullopt;
  const std::vector<double> order = sorted(values);
  return Interval{order[k - 1], order[order.size() - k]};
}

std::optional<Interval> log_ratio_interval(std::span<const double> numerator,
                                           std::span<const double> denominator, double level) {
  check_level(level);
  const std::optional<LogMoments> a = log_moments(numerator);
  const std::optional<LogMoments> b = log_moments(denominator);
  if (!a || !b) return std::nullopt;
  const double difference = a->mean - b->mean;
  const double variance = a->variance_of_mean + b->variance_of_mean;
  if (variance == 0) return Interval{std::exp(difference), std::exp(difference)};
  const double freedom =
      variance * variance /
      (std::pow(a->variance_of_mean, 2) / (a->n - 1) + std::pow(b->variance_of_mean, 2) / (b->n - 1));
  const double t = boost::math::quantile(boost::math::students_t(freedom), 0.5 + level / 2);
  const double half = t * std::sqrt(variance);
  return Interval{std::exp(difference - half), std::exp(difference + half)};
}

double normal_two_sided(double z) {
  return 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), std::abs(z)));
}

double student_two_sided(double t, double freedom) {
  if (!(freedom > 0)) throw std::invalid_argument("degrees of freedom are positive");
  if (std::isinf(t)) return 0;
  return 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(freedom), std::abs(t)));
}

double fair_coin_two_sided(std::int64_t count, std::int64_t tosses) {
  if (count < 0 || count > tosses) throw std::invalid_argument("a count lies between 0 and its total");
  if (tosses == 0) return 1;
  const boost::math::binomial coin(static_cast<double>(tosses), 0.5);
  return std::min(1.0, 2 * boost::math::cdf(coin, static_cast<double>(std::min(count, tosses - count))));
}

double normal_reach(double level) {
  check_level(level);
  return boost::math::quantile(boost::math::normal(), 0.5 + level / 2);
}

std::vector<double> mid_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t from = 0; from < order.size();) {
    std::size_t to = from;
    while (to < order.size() && values[order[to]] == values[order[from]]) ++to;
    for (std::size_t i = from; i < to; ++i) ranks[order[i]] = (static_cast<double>(from + to) + 1) / 2;
    from = to;
  }
  return ranks;
}

std::optional<double> spearman(std::span<const double> xs, std::span<const double> ys) {
  if (xs.size() != ys.size()) throw std::invalid_argument("a rank correlation is of pairs");
  if (xs.size() < 3) return std::nullopt;
  const std::vector<double> a = mid_ranks(xs);
  const std::vector<double> b = mid_ranks(ys);
  const double mean = (static_cast<double>(a.size()) + 1) / 2;
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean) * (b[i] - mean);
    aa += (a[i] - mean) * (a[i] - mean);
    bb += (b[i] - mean) * (b[i] - mean);
  }
  if (aa == 0 || bb == 0) return std::nullopt;
  return ab / std::sqrt(aa * bb);
}

Agreement agreement_of(const Confusion& confusion) {
  const auto [fail_failed, fail_ran, pass_failed, pass_ran] = confusion;
  const std::int64_t total = fail_failed + fail_ran + pass_failed + pass_ran;
  Agreement out;
  out.confusion = confusion;
  out.agreement = rate_of(fail_failed + pass_ran, total, "nothing was checked on both sides");
  out.precision = rate_of(fail_failed, fail_failed + fail_ran, "no failure was predicted");
  out.recall = rate_of(fail_failed, fail_failed + pass_failed, "nothing failed");
  out.always_pass = rate_of(fail_ran + pass_ran, total, "nothing was checked on both sides");
  if (total == 0) {
    out.kappa.reason = "nothing was checked on both sides";
    return out;
  }
  const auto n = static_cast<double>(total);
  const double predicted = static_cast<double>(fail_failed + fail_ran) / n;
  const double happened = static_cast<double>(fail_failed + pass_failed) / n;
  const double by_chance = predicted * happened + (1 - predicted) * (1 - happened);
  if (by_chance == 1) {
    out.kappa.reason = "both sides say the same of everything";
  } else {
    out.kappa.value = (*out.agreement.value - by_chance) / (1 - by_chance);
  }
  return out;
}

}  // namespace seamark::analysis
