// Quantiles, as times and reports take them alike.
#pragma once

#include <cstddef>
#include <span>

namespace seamark {

// Between the two nearest of ascending values, linearly (type 7 of Hyndman and Fan 1996). At least one value;
// q from 0 to 1.
inline double quantile_of_sorted(std::span<const double> ascending, double q) {
  const double position = q * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  if (below + 1 >= ascending.size()) return ascending.back();
  const double share = position - static_cast<double>(below);
  return ascending[below] + share * (ascending[below + 1] - ascending[below]);
}

}  // namespace seamark
