// What a function does in each data type, over all of its cases in it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/analysis/summary.h"

namespace seamark::analysis {

// The worst of the cases; one in which all that runs passes is kPass or kFallsBack.
enum class DtypeVerdict : std::uint8_t {
  kPass = 1,
  kFallsBack = 2,       // right, but a case of it ran on the host
  kRefused = 3,         // by design: the reference fails the same way, and no case passes
  kNotImplemented = 4,  // or of the wrong type, to the target
  kFails = 5,           // in another way: crash, time, memory, compiler
  kWrong = 6,           // another result than the reference's
  kUnknown = 7,         // not run, or what was run says nothing
};
std::string_view name_of(
    DtypeVerdict verdict);  // pass, falls-back, refused, not-implemented, fails, wrong, unknown

struct DtypeCell {
  DtypeVerdict verdict = DtypeVerdict::kUnknown;
  int passed = 0;  // and check a result
  int cases = 0;   // planned, less those that fail on the reference too where any other is
};

struct DtypeRow {
  std::string dtype;
  std::vector<std::optional<DtypeCell>> cells;  // one per Summary::targets; nullopt: no case of it is planned
};

// By kind and width: f64 f32 bf16 f16, complex, signed, unsigned, bool.
[[nodiscard]] std::span<const std::string_view> dtype_order();
// In that order, then others by name. Cases without a dtype are left out.
[[nodiscard]] std::vector<DtypeRow> dtypes_of(const FunctionRow& function);

}  // namespace seamark::analysis
