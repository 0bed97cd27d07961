// What is known of a case without running it.
#pragma once

#include <string>
#include <vector>

#include "seamark/base/value.h"

namespace seamark {

// The longest deadline of a case, in seconds (11 days): one in nanoseconds then stays far from overflow.
inline constexpr double kMostTimeoutSeconds = 1e6;

struct CaseInfo {
  std::string name;        // torch.argsort/argsort[bf16,64x33,dim=0]
  std::string function;    // torch.argsort, as users of the framework write it today
  std::string framework;   // torch, tensorflow, jax
  std::string suite;       // curated
  std::string hash;        // hex, over source, parameters and the input generator's version
  std::string dtype;       // f32, bf16, ...; empty when the case has none
  std::string shape;       // 64x33, "scalar"; empty when the case has none
  bool core = false;       // one of the function's frozen core cases
  bool quick = false;      // a core case that a short run takes: of a function one forward, one gradient
  bool host_only = false;  // the function touches no device
  bool grad = false;
  bool large = false;    // of a size where the device counts and not the overhead; not stored
  double timeout_s = 0;  // 0: the run's default
  Value params;          // object, in the order of the header
};

}  // namespace seamark
