// For which devices a framework's own tables name kernels: `declared` evidence. No device was asked, so
// these are no attempts (docs/declared.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace seamark {

// Of one function and device, over the function's core cases. Persisted: append, never renumber.
enum class DeclaredState : std::uint8_t {
  kNamed = 1,       // a kernel for every operator of every case
  kPartial = 2,     // of some cases
  kMissing = 3,     // of no case
  kNoOperator = 4,  // no case calls an operator: there is nothing to declare
  kUnknown = 5,     // no case could be traced, or one calls an operator that the table does not know
};
constexpr int kLastDeclaredState = 5;
std::string_view name_of(DeclaredState state);  // "named", "partial", "missing", "no-operator", "unknown"

struct DeclaredFunction {
  std::string name;
  DeclaredState state = DeclaredState::kUnknown;
  bool host_only = false;
  int cases = 0;                            // core cases that were traced
  int named = 0;                            // of those, with a kernel for every operator
  std::vector<std::string> operators;       // that the cases call, sorted
  std::vector<std::string> missing;         // of those, without a kernel for the device, sorted
  std::vector<std::string> dtypes;          // f32, bf16: that the tables say something of, sorted
  std::vector<std::string> dtypes_missing;  // of those, without a kernel for the device, sorted
  std::string note;  // why it is unknown, or what stands for operators that only the CPU picks
};

// Whether the tables name a kernel of it for a data type; nullopt where they say nothing of that type.
std::optional<bool> named_in(const DeclaredFunction& function, std::string_view dtype);

struct DeclaredHead {
  std::string framework;        // torch
  std::string version;          // of the framework that traced the cases
  std::string device;           // CUDA, MPS, SparseCUDA, GPU, TPU
  std::string family;           // of targets: cuda, mps, tpu
  std::string package;          // that names the kernels: torch, tensorflow-tpu
  std::string package_version;  // its version
  std::string source;           // the table: native_functions.yaml, tensorflow-tpu-2.20.0.csv
  std::string note;             // what the device's column means; may be empty
  std::int64_t taken_unix_us = 0;
};

// What one version declares for one device.
struct Declared {
  DeclaredHead head;
  std::vector<DeclaredFunction> functions;  // by name
};

}  // namespace seamark
