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
std::optional<double> geometric_mean(std::span<const double> values);  // nullopt unless all > 0

// Distribution-free interval of the median from order statistics with at least the given coverage;
// nullopt when there are too few values for it (fewer than 6 at 95%).
std::optional<Interval> median_interval(std::span<const double> values, double level = 0.95);

// Interval of the ratio of two positive quantities, each measured several times, by Welch's t on the
// logarithms; nullopt unless both have at least 2 values, all positive.
std::optional<Interval> log_ratio_interval(std::span<const double> numerator,
                                           std::span<const double> denominator, double level = 0.95);

}  // namespace seamark::analysis
