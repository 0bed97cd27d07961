// The errors of the sample room.
#pragma once

#include <string_view>

namespace seamark::sample {

enum class SampleError {
  kBadRequest = 1,  // a request that cannot be met: an exclusion of what is not there, an empty population
  kBadTable = 2,    // a usage table that cannot be read
};
constexpr std::string_view room_of(SampleError) { return "sample"; }

}  // namespace seamark::sample
