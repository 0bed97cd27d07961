// The summary of a timed attempt over its operations. No timing happens here.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/model/attempt.h"

namespace seamark::run {

struct SampleSummary {
  std::size_t n = 0;
  double median = 0, low = 0, high = 0, min = 0, iqr = 0;
  bool has_interval = false;  // n is too small (below 6) for a 95% interval otherwise
  bool unstable = false;      // relative IQR above 0.15, or halves more than 0.10 apart (n >= 10)
};

// Samples in the order in which they were taken; not empty, finite.
SampleSummary summarize(std::span<const double> samples);

// Mean over the operations of their cold times, medians, interval ends, minima and IQRs. A value that one
// operation lacks is null, with that operation's reason. warm_n is the smallest of the operations' counts.
Latency summarize(std::span<const TimedOperation> operations, std::string_view protocol,
                  std::string_view cold_kind);

// All null, for this reason.
Latency not_timed(std::string_view reason);

}  // namespace seamark::run
