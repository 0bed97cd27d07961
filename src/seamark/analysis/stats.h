// The statistics that reports rest on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace seamark::analysis {

struct Interval {
  double low = 0;
  double high = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

// A number, or why there is none.
struct Measured {
  std::optional<double> value;
  std::string reason;  // empty when there is a value
};

// A share of functions or cases. No value and no interval when total is 0.
struct Rate {
  std::int64_t count = 0;
  std::int64_t total = 0;
  std::optional<double> value;       // 0 to 1
  std::optional<Interval> interval;  // Wilson's, 95%
  std::string reason;                // why there is no value
};

// Wilson's score interval; nullopt when total is 0. Throws std::invalid_argument unless
// 0 <= count <= total and 0 < level < 1.
std::optional<Interval> wilson(std::int64_t count, std::int64_t total, double level = 0.95);
Rate rate_of(std::int64_t count, std::int64_t total, std::string reason_if_none = "nothing was run");

// nullopt for an empty span.
std::optional<double> median(std::span<const double> values);
// Linear interpolation between order statistics (NumPy's default), q in 0..1.
std::optional<double> quantile(std::span<const double> values, double q);

// Distribution-free interval of the median from order statistics with at least the given coverage;
// nullopt when there are too few values for it (fewer than 6 at 95%).
std::optional<Interval> median_interval(std::span<const double> values, double level = 0.95);

// Interval of the ratio of two positive quantities, each measured several times, by Welch's t on the
// logarithms; nullopt unless both have at least 2 values, all positive.
std::optional<Interval> log_ratio_interval(std::span<const double> numerator,
                                           std::span<const double> denominator, double level = 0.95);

// Spearman's rank correlation (Pearson's over mid-ranks); nullopt for fewer than 3 pairs, or where one side
// does not vary. Throws std::invalid_argument for spans of different lengths.
std::optional<double> spearman(std::span<const double> xs, std::span<const double> ys);

// The chance of something as far out or further, on either side: of a standard normal variable, of Student's
// t, of `count` heads among `tosses` fair coins. Throws std::invalid_argument unless freedom > 0 and 0 <=
// count <= tosses.
double normal_two_sided(double z);
double student_two_sided(double t, double freedom);
double fair_coin_two_sided(std::int64_t count, std::int64_t tosses);
// z with P(|Z| < z) = level.
double normal_reach(double level);

// Mid-ranks from 1: equal values share the mean of their ranks.
std::vector<double> mid_ranks(std::span<const double> values);

// What was predicted against what happened; failures are what is looked for.
struct Confusion {
  std::int64_t fail_failed = 0;  // predicted to fail, and failed
  std::int64_t fail_ran = 0;     // predicted to fail, yet ran
  std::int64_t pass_failed = 0;
  std::int64_t pass_ran = 0;
};

struct Agreement {
  Confusion confusion;
  Rate agreement;    // same on both sides, of all
  Rate precision;    // of those predicted to fail, what share failed
  Rate recall;       // of those that failed, what share was predicted to
  Rate always_pass;  // the agreement of saying "pass" of everything
  Measured kappa;    // Cohen, A coefficient of agreement for nominal scales, 1960: (po - pe) / (1 - pe)
};
Agreement agreement_of(const Confusion& confusion);

}  // namespace seamark::analysis
