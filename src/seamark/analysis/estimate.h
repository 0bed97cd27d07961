// What a compiled program would take on its device, from what its compiler said and published peak rates.
// Never a measurement: an estimate knows nothing of launch overhead, transfers or contention.
#pragma once

#include <string>
#include <string_view>

#include "seamark/analysis/devices.h"
#include "seamark/analysis/stats.h"
#include "seamark/base/value.h"

namespace seamark::analysis {

// Warm seconds of one call, by three methods that are never mixed.
struct Estimate {
  Measured cycles_s;          // the compiler's estimated cycles over the device's clock
  std::string cycles_note;    // what limits them
  Measured optimal_s;         // what the compiler expects at best
  Measured roofline_s;        // no faster: max(flops / peak rate, bytes / memory bandwidth)
  bool memory_bound = false;  // the roofline is that of memory
  std::string roofline_note;  // which of the two it is, and what the compiler did not say
};

// `compiled` is an attempt's document of that name (untrusted), `dtype` its case's.
Estimate estimate_of(const Value& compiled, const Device& device, std::string_view dtype);

}  // namespace seamark::analysis
