#include "seamark/analysis/estimate.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace seamark::analysis {

namespace {

// A number that says something: compilers write -1 for what they do not know.
std::optional<double> known(const Value& compiled, std::string_view key) {
  const Value* value = compiled.find(key);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  const double number = value->as_number();
  if (!std::isfinite(number) || number < 0) return std::nullopt;
  return number;
}

void by_cycles(Estimate& estimate, const Value& compiled, const Device& device) {
  Measured& out = estimate.cycles_s;
  if (!device.is_tpu()) {
    out.reason = "only TPU compilers estimate cycles";
    return;
  }
  const Value* exact = compiled.find("estimated_cycles_exact");
  const std::optional<double> cycles = known(compiled, "estimated_cycles");
  if (exact != nullptr && exact->is_bool() && !exact->as_bool()) {
    out.reason = "a loop whose number of trips the program does not tell";
  } else if (!cycles) {
    out.reason = "the compiler gives no cycles";
  } else if (!device.clock_hz.value) {
    out.reason = "clock: " + device.clock_hz.reason;
  } else {
    out.value = *cycles / *device.clock_hz.value;
    if (exact == nullptr || !exact->is_bool()) estimate.cycles_note = "a loop's body counts one trip";
  }
}

void by_roofline(Estimate& estimate, const Value& compiled, const Device& device, std::string_view dtype) {
  Measured& out = estimate.roofline_s;
  const Figure& peak = device.peak_flops(dtype);
  const Figure& bandwidth = device.hbm_bytes_per_s;
  if (!peak.value || !bandwidth.value) {
    out.reason = peak.value ? "memory bandwidth: " + bandwidth.reason : "peak rate: " + peak.reason;
    return;
  }
  const std::optional<double> flops = known(compiled, "flops");
  const std::optional<double> bytes = known(compiled, "bytes");
  if (!flops && !bytes) {
    out.reason = "the compiler gives neither flops nor bytes";
    return;
  }
  const double compute = flops.value_or(0) / *peak.value;
  const double memory = bytes.value_or(0) / *bandwidth.value;
  out.value = std::max(compute, memory);
  estimate.memory_bound = memory >= compute;
  // What is missing only loosens a bound.
  if (!flops) {
    estimate.roofline_note = "bytes alone";
  } else if (!bytes) {
    estimate.roofline_note = "flops alone";
  } else {
    estimate.roofline_note = compute > memory ? "compute" : "memory";
  }
}

}  // namespace

Estimate estimate_of(const Value& compiled, const Device& device, std::string_view dtype) {
  Estimate estimate;
  by_cycles(estimate, compiled, device);
  if (const std::optional<double> optimal = known(compiled, "optimal_s"); optimal && *optimal > 0) {
    estimate.optimal_s.value = optimal;
  } else {
    estimate.optimal_s.reason = "the compiler gives no optimum";
  }
  by_roofline(estimate, compiled, device, dtype);
  return estimate;
}

}  // namespace seamark::analysis
