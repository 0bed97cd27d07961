// Tests of association: a trend of failures over ordered groups, and rank correlations. Each gives its
// uncertainty, or the reason why nothing can be said.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "seamark/analysis/stats.h"

namespace seamark::analysis {

// One group of an ordered classification: `events` of `total`, at a score.
struct TrendGroup {
  std::int64_t score = 0;  // not negative
  std::int64_t events = 0;
  std::int64_t total = 0;
};

struct Trend {
  std::optional<double> z;  // above 0: events become more frequent as the score grows
  std::optional<double> p;  // two-sided
  bool exact = false;       // over all ways to spread the events; else of the normal distribution
  std::string reason;       // why there is none
};

// The Cochran-Armitage test of a linear trend in proportions (Cochran 1954, Armitage 1955), without a
// correction for continuity. Up to kExactTrend in all, p is exact: the chance, with the margins as they are,
// of a sum of scores at least as far from its expectation. Throws std::invalid_argument unless 0 <= events <=
// total and score >= 0.
inline constexpr std::int64_t kExactTrend = 100;
Trend cochran_armitage(std::span<const TrendGroup> groups);

struct Correlation {
  std::int64_t pairs = 0;
  std::optional<double> value;       // -1 to 1
  std::optional<Interval> interval;  // 95%
  std::optional<double> p;           // two-sided, of no association
  std::string reason;                // why there is none
};

// Kendall's tau-b (Kendall 1945); p is that of the normal distribution with the variance for ties, the
// interval Fieller, Hartley and Pearson's (1957) on Fisher's scale. No value below 3 pairs, or where one side
// does not vary; no interval below 5 pairs. Throws std::invalid_argument for spans of different lengths.
Correlation kendall(std::span<const double> xs, std::span<const double> ys);
// Spearman's; p by Student's t, the interval Bonett and Wright's (2000) on Fisher's scale.
Correlation spearman_test(std::span<const double> xs, std::span<const double> ys);

// A share of weights, held against chance as if each weight were a draw: `events` of `total`, the sum of the
// squared weights giving the effective number (Kish 1965), the interval Korn and Graubard's (1998). No value
// where total is 0.
Measured weighted_share(double events, double total);
std::optional<Interval> weighted_interval(double events, double total, double squares, double level = 0.95);

}  // namespace seamark::analysis
