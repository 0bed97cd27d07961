// What is true of an attempt beside its outcome. The agent writes these names (python/seamark_agent), stores
// and exports keep them, reports read them: each stands here once.
#pragma once

#include <algorithm>
#include <string_view>

#include "seamark/model/attempt.h"

namespace seamark::attribute {

inline constexpr std::string_view kHostFallback = "host-fallback";  // something that computes ran on the host
inline constexpr std::string_view kHostOnly = "host-only";          // the case touches no device
// No operation of the case depends on an input: there is nothing to place.
inline constexpr std::string_view kNoDeviceWork = "no-device-work";
// A compiler, such as Inductor, called the framework's own kernels for a part.
inline constexpr std::string_view kLeftToAten = "left-to-aten";
inline constexpr std::string_view kFailsOnReference = "fails-on-reference";  // as the agent itself saw
inline constexpr std::string_view kCacheHit = "cache-hit";  // a compiler's answer of an earlier run
inline constexpr std::string_view kCacheConfirmed = "cache-confirmed";    // which failed again alone then
inline constexpr std::string_view kKnownLimitation = "known-limitation";  // the framework's own list has it
// Right at the target's highest precision alone (TF32, bf16 passes): it passes, and the study counted it as
// failed.
inline constexpr std::string_view kDefaultPrecision = "default-precision";
// It shows that nothing was raised, and no more: no pass.
inline constexpr std::string_view kUnchecked = "unchecked";
// Of one call with arrays of several sizes: how many programs each compiled, compiled-by-size-1,1,0.
inline constexpr std::string_view kCompiledBySizePrefix = "compiled-by-size-";
// A risk that was seen in the compiled program, by category: risk-type, risk-float-precision.
inline constexpr std::string_view kRiskPrefix = "risk-";

}  // namespace seamark::attribute

namespace seamark {

inline bool has_attribute(const Attempt& attempt, std::string_view name) {
  return std::find(attempt.attributes.begin(), attempt.attributes.end(), name) != attempt.attributes.end();
}

}  // namespace seamark
