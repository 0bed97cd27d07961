#include "seamark/analysis/association.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "seamark/analysis/estimator.h"

namespace seamark::analysis {

namespace {

constexpr double kLevel = 0.95;
constexpr double kSameDistance = 1e-9;  // sums of scores are whole numbers, expectations are not

struct Margins {
  std::int64_t total = 0;
  std::int64_t events = 0;
  std::int64_t score_of_events = 0;
  std::int64_t score = 0;
  std::int64_t square = 0;
};

Margins margins_of(std::span<const TrendGroup> groups) {
  Margins out;
  for (const TrendGroup& one : groups) {
    if (one.events < 0 || one.events > one.total || one.score < 0)
      throw std::invalid_argument(
          "a trend is of counts within their totals, at scores that are not negative");
    out.total += one.total;
    out.events += one.events;
    out.score_of_events += one.score * one.events;
    out.score += one.score * one.total;
    out.square += one.score * one.score * one.total;
  }
  return out;
}

double choose(std::int64_t n, std::int64_t k) {
  double out = 1;
  for (std::int64_t i = 1; i <= k; ++i) out = out * static_cast<double>(n - k + i) / static_cast<double>(i);
  return out;
}

// Ways to spread events over groups, by how many are spread and the sum of their scores.
class Ways {
 public:
  Ways(std::int64_t events, std::int64_t most_score)
      : width_(static_cast<std::size_t>(most_score) + 1),
        counts_((static_cast<std::size_t>(events) + 1) * width_, 0.0) {
    counts_[0] = 1;
  }

  void add(const TrendGroup& group) {
    std::vector<double> next(counts_.size(), 0.0);
    const auto events = static_cast<std::int64_t>(counts_.size() / width_) - 1;
    for (std::int64_t taken = 0; taken <= std::min(group.total, events); ++taken) {
      const double ways = choose(group.total, taken);
      const auto shift =
          static_cast<std::size_t>(taken) * width_ + static_cast<std::size_t>(taken * group.score);
      for (std::size_t at = 0; at + shift < counts_.size(); ++at) next[at + shift] += counts_[at] * ways;
    }
    counts_ = std::move(next);
  }

  [[nodiscard]] std::span<const double> of_all() const { return std::span(counts_).last(width_); }

 private:
  std::size_t width_;
  std::vector<double> counts_;
};

double exact_p(std::span<const TrendGroup> groups, const Margins& margins) {
  // No sum of scores is wider than a row: all events at the highest score.
  std::int64_t highest = 0;
  for (const TrendGroup& one : groups) highest = std::max(highest, one.score);
  Ways ways(margins.events, highest * margins.events);
  for (const TrendGroup& one : groups) ways.add(one);
  const double expected = static_cast<double>(margins.score) * static_cast<double>(margins.events) /
                          static_cast<double>(margins.total);
  const double distance = std::abs(static_cast<double>(margins.score_of_events) - expected);
  double all = 0;
  double as_far = 0;
  const std::span<const double> counts = ways.of_all();
  for (std::size_t score = 0; score < counts.size(); ++score) {
    all += counts[score];
    if (std::abs(static_cast<double>(score) - expected) >= distance - kSameDistance) as_far += counts[score];
  }
  return std::min(1.0, as_far / all);
}

// --- ranks

double choose_2(double n) { return n * (n - 1) / 2; }

// What ties do to Kendall's variance.
struct Ties {
  double pairs = 0;  // sum of t(t-1)/2
  double cubic = 0;  // of t(t-1)(t-2)
  double fifth = 0;  // of t(t-1)(2t+5)
  void add(double t) {
    pairs += choose_2(t);
    cubic += t * (t - 1) * (t - 2);
    fifth += t * (t - 1) * (2 * t + 5);
  }
};

Ties ties_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  Ties ties;
  for (std::size_t from = 0; from < values.size();) {
    std::size_t to = from;
    while (to < values.size() && values[to] == values[from]) ++to;
    ties.add(static_cast<double>(to - from));
    from = to;
  }
  return ties;
}

// Pairs out of order, counted while they are merged (Knight 1966).
double discordant(std::vector<double>& values, std::vector<double>& spare, std::size_t from, std::size_t to) {
  if (to - from < 2) return 0;
  const std::size_t middle = from + (to - from) / 2;
  double count = discordant(values, spare, from, middle) + discordant(values, spare, middle, to);
  std::size_t left = from;
  std::size_t right = middle;
  for (std::size_t at = from; at < to; ++at) {
    if (right == to || (left < middle && values[left] <= values[right])) {
      spare[at] = values[left++];
    } else {
      count += static_cast<double>(middle - left);
      spare[at] = values[right++];
    }
  }
  std::copy(spare.begin() + static_cast<std::ptrdiff_t>(from),
            spare.begin() + static_cast<std::ptrdiff_t>(to),
            values.begin() + static_cast<std::ptrdiff_t>(from));
  return count;
}

std::string why_none(std::span<const double> xs, std::span<const double> ys) {
  if (xs.size() != ys.size()) throw std::invalid_argument("a rank correlation is of pairs");
  if (xs.size() < 3) return "fewer than 3 pairs";
  const auto constant = [](std::span<const double> values) {
    return std::all_of(values.begin(), values.end(), [&](double v) { return v == values.front(); });
  };
  if (constant(xs) || constant(ys)) return "one side is the same for all pairs";
  return {};
}

std::optional<Interval> fisher_interval(double value, double variance) {
  if (!(variance > 0) || std::abs(value) >= 1) return std::nullopt;
  const double half = normal_reach(kLevel) * std::sqrt(variance);
  return Interval{std::tanh(std::atanh(value) - half), std::tanh(std::atanh(value) + half)};
}

}  // namespace

Trend cochran_armitage(std::span<const TrendGroup> groups) {
  const Margins margins = margins_of(groups);
  Trend trend;
  if (margins.total == 0) {
    trend.reason = "nothing ran";
    return trend;
  }
  if (margins.events == 0 || margins.events == margins.total) {
    trend.reason = margins.events == 0 ? "nothing fails" : "everything fails";
    return trend;
  }
  const auto n = static_cast<double>(margins.total);
  const double share = static_cast<double>(margins.events) / n;
  const auto score = static_cast<double>(margins.score);
  const double variance = share * (1 - share) * (static_cast<double>(margins.square) - score * score / n);
  if (!(variance > 0)) {
    trend.reason = "all are in one group";
    return trend;
  }
  trend.z = (static_cast<double>(margins.score_of_events) - share * score) / std::sqrt(variance);
  trend.exact = margins.total <= kExactTrend;
  trend.p = trend.exact ? exact_p(groups, margins) : normal_two_sided(*trend.z);
  return trend;
}

Correlation kendall(std::span<const double> xs, std::span<const double> ys) {
  Correlation out;
  out.pairs = static_cast<std::int64_t>(xs.size());
  out.reason = why_none(xs, ys);
  if (!out.reason.empty()) return out;
  std::vector<std::size_t> order(xs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return xs[a] != xs[b] ? xs[a] < xs[b] : ys[a] < ys[b]; });
  std::vector<double> sequence;
  double both_tied = 0;
  for (std::size_t from = 0; from < order.size();) {
    std::size_t to = from;
    while (to < order.size() && xs[order[to]] == xs[order[from]] && ys[order[to]] == ys[order[from]]) ++to;
    both_tied += choose_2(static_cast<double>(to - from));
    for (std::size_t i = from; i < to; ++i) sequence.push_back(ys[order[i]]);
    from = to;
  }
  std::vector<double> spare(sequence.size());
  const double against = discordant(sequence, spare, 0, sequence.size());
  const Ties x = ties_of({xs.begin(), xs.end()});
  const Ties y = ties_of({ys.begin(), ys.end()});
  const auto n = static_cast<double>(xs.size());
  const double all = choose_2(n);
  const double difference = all - x.pairs - y.pairs + both_tied - 2 * against;
  out.value = std::clamp(difference / std::sqrt((all - x.pairs) * (all - y.pairs)), -1.0, 1.0);
  // Kendall, Rank Correlation Methods, 1970, section 4.8: the variance of the difference with ties on both
  // sides.
  const double ordered = n * (n - 1);
  const double variance = (ordered * (2 * n + 5) - x.fifth - y.fifth) / 18 + 2 * x.pairs * y.pairs / ordered +
                          x.cubic * y.cubic / (9 * ordered * (n - 2));
  out.p = normal_two_sided(difference / std::sqrt(variance));
  if (xs.size() > 4) out.interval = fisher_interval(*out.value, 0.437 / (n - 4));
  return out;
}

Correlation spearman_test(std::span<const double> xs, std::span<const double> ys) {
  Correlation out;
  out.pairs = static_cast<std::int64_t>(xs.size());
  out.reason = why_none(xs, ys);
  if (!out.reason.empty()) return out;
  const double r = std::clamp(*spearman(xs, ys), -1.0, 1.0);
  const auto n = static_cast<double>(xs.size());
  out.value = r;
  out.p = student_two_sided(r * std::sqrt((n - 2) / ((1 + r) * (1 - r))), n - 2);
  if (xs.size() > 4) out.interval = fisher_interval(r, (1 + r * r / 2) / (n - 3));
  return out;
}

Measured weighted_share(double events, double total) {
  if (!(total > 0)) return {{}, "nothing of it is called"};
  return {events / total, {}};
}

std::optional<Interval> weighted_interval(double events, double total, double squares, double level) {
  if (!(total > 0) || !(squares > 0)) return std::nullopt;
  const double effective = total * total / squares;
  const Interval of = exact_interval(events / total * effective, effective, level);
  return Interval{of.low, of.high};
}

}  // namespace seamark::analysis
