// Attributes of an attempt that decide what is run again.
#pragma once

#include <algorithm>
#include <string_view>

#include "seamark/model/attempt.h"

namespace seamark::run {

inline constexpr std::string_view kCacheHit = "cache-hit";  // a compiler's answer of an earlier run
inline constexpr std::string_view kCacheConfirmed = "cache-confirmed";  // which failed again alone then

inline bool has_attribute(const Attempt& attempt, std::string_view name) {
  return std::find(attempt.attributes.begin(), attempt.attributes.end(), name) != attempt.attributes.end();
}

}  // namespace seamark::run
