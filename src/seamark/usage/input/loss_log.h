// Tells the sink what was lost, counts it, and knows when that ends the reading (--strict).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "seamark/base/result.h"
#include "seamark/usage/input/corpus.h"

namespace seamark::usage {

class LossLog {
 public:
  LossLog(SourceSink& sink, bool strict) : sink_(sink), strict_(strict) {}

  void lose(Loss loss);
  [[nodiscard]] std::uint64_t count() const { return count_; }
  // Tells the sink that so much was read; it may want no more.
  void advance(std::uint64_t bytes);
  // Set by the first loss where that is the end, and by a sink that wants no more.
  [[nodiscard]] const std::optional<Error>& stop() const { return stop_; }

 private:
  SourceSink& sink_;
  bool strict_;
  std::uint64_t count_ = 0;
  std::optional<Error> stop_;
};

}  // namespace seamark::usage
