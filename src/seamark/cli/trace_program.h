// A user's program, run so that its calls are recorded (python/seamark_trace).
#pragma once

#include <cstdint>
#include <string>

#include "seamark/audit/trace.h"
#include "seamark/base/result.h"
#include "seamark/cli/context.h"

namespace seamark::cli {

struct TraceRequest {
  std::string command;  // for the shell
  std::int64_t steps = 100;
  std::string file = "trace.json";  // where the trace is written
  std::string framework;            // whose calls are wanted; empty: of the one with the most
  bool compiled = false;            // the target compiles PyTorch's modules: how their graphs break is wanted
};

// Runs it to its end, on the CPU, and where it is compiled a second time for its graphs; what it says goes to
// standard error. kUsage where the file is there and is no trace; kNothing where no call was recorded;
// kEnvironment where it was interrupted.
Result<audit::Trace> trace_program(const Context& context, const TraceRequest& request);

}  // namespace seamark::cli
