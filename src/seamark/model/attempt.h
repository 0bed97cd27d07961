// One execution of one case on one target in one run, as the store keeps it and the reports read it.
// A number that was not measured is nullopt with a reason beside it, never 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "seamark/base/value.h"
#include "seamark/model/outcome.h"

namespace seamark {

struct Failure {
  std::string stage;            // setup, call, bridge, lower, compile, proof, compare, reference, worker
  std::string type;             // exception type with module (torch.cuda.OutOfMemoryError), "signal", ...
  std::string message;          // raw, bounded by the agent; may hold any text
  std::string traceback;        // raw, bounded
  std::string precision_rerun;  // "pass" or "fail" at the highest precision; empty: not rerun
  std::string failing_call;     // of a program: the smallest of its calls that fails alone, and how; one line
};

struct Placement {
  Where where = Where::kUnknown;
  std::string method;                     // how it was looked for, e.g. "dispatch-mode", "lazy-counters"
  std::vector<std::string> outputs;       // devices of the output leaves, unique
  std::vector<std::string> fallback_ops;  // ops that ran on the host instead, unique
  std::string note;                       // why it is unknown, or what is odd
};

struct TimedOperation {
  std::string name;
  std::optional<double> cold_s;
  std::string cold_reason;       // why cold_s is null
  std::vector<double> warm_s;    // raw samples, seconds per call
  std::string warm_reason;       // why warm_s is empty
  int64_t inner = 1;             // calls per sample (samples are already divided by it)
  std::vector<double> device_s;  // device events (CUDA), seconds per call
};

// Summary over an attempt's operations: the mean of the operations' values (as the study did).
struct Latency {
  std::string protocol;   // full, paper
  std::string cold_kind;  // cold-op, cold-process
  std::optional<double> cold_s;
  std::string cold_reason;
  std::optional<double> warm_median_s;
  std::optional<double> warm_low_s;  // 95% distribution-free interval of the median
  std::optional<double> warm_high_s;
  std::optional<double> warm_min_s;
  std::optional<double> warm_iqr_s;
  std::int64_t warm_n = 0;
  bool unstable = false;  // spread or drift too large to trust
  std::string warm_reason;
};

// What a timed attempt cost beside its times, as far as anything counts it.
struct Costs {
  std::optional<double> empty_s;    // an empty call in the same loop
  std::optional<double> compile_s;  // of the first call: lowering and compiling, mean of operations
  std::optional<std::int64_t> recompilations;  // by the warm calls of all operations
  std::optional<double> transfers;             // copies between host and device in a warm call
  std::optional<double> transfer_bytes;        // of these
  std::optional<std::int64_t> peak_bytes;      // device memory (CPU: resident) that one call took

  bool operator==(const Costs&) const = default;
};

struct Attempt {
  std::string target;  // torch/cpu+inductor
  std::string case_name;
  std::string case_hash;
  int attempt = 1;  // from 1 within run, target and case
  Phase phase = Phase::kCorrectness;
  WorkerMode mode = WorkerMode::kFork;
  Outcome outcome = Outcome::kError;
  Evidence evidence = Evidence::kExecuted;  // what this attempt rests on (what it reached)
  std::string reason;                       // of a skip or an error
  std::optional<Failure> failure;
  std::string signature;     // hex; same function, stage, type and normalized message: same signature
  std::string confirmed_by;  // case whose solo rerun stands for this failure too
  Placement placement;
  std::vector<TimedOperation> operations;
  Latency latency;
  Costs costs;
  // The largest difference of a compared result from its reference: absolute, relative, and in units in the
  // last place of the dtype that it was compared in. nullopt: nothing was compared, or the dtype is exact.
  std::optional<double> max_abs_err;
  std::optional<double> max_rel_err;
  std::optional<double> max_ulp_err;
  Value reference;  // object: kind, tolerance, note, ...
  Value compiled;   // object: compiler, version, flops, bytes, peak_bytes, ...; null if none
  std::vector<std::string> attributes;  // host-fallback, host-only, cache-hit, ...
  double wall_s = 0;                    // supervisor's clock, from the previous end to this end
  std::optional<double> cpu_s;          // worker's, as it said
  std::optional<int> wait_status;       // raw, when a process ended
  std::string capture;                  // tail of stdout and stderr (failures only), bounded
  std::int64_t started_unix_us = 0;
};

}  // namespace seamark
