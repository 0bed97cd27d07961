// Small populations for the tests of this room.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "seamark/model/usage.h"
#include "seamark/sample/draw.h"
#include "seamark/sample/strata.h"

namespace seamark::sample {

// torch.f0001 ... with calls falling from `first`; some are equal.
inline std::vector<Counted> falling(int functions, std::int64_t first = 100000) {
  std::vector<Counted> out;
  for (int i = 1; i <= functions; ++i) {
    Counted one;
    one.function = fmt::format("torch.f{:04}", i);
    one.calls = std::max<std::int64_t>(1, first / i);
    one.references = functions - i;
    one.files = 1 + one.calls / 3;
    out.push_back(std::move(one));
  }
  return out;
}

inline UsageRow usage_row(std::string function, std::int64_t calls, UsageTier tier = UsageTier::kResolved) {
  UsageRow row;
  row.framework = "torch";
  row.function = std::move(function);
  row.tier = tier;
  row.calls = calls;
  row.files = calls;
  return row;
}

inline std::vector<std::string> names_of(const FrameworkDraw& draw, SampleRole role) {
  std::vector<std::string> names;
  for (const SampledFunction& one : draw.functions) {
    if (one.role == role) names.push_back(one.function);
  }
  return names;
}

template <typename T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message());
  return std::move(*result);
}

}  // namespace seamark::sample
