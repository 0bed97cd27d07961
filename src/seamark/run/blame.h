// Turns what a worker said, or how it died, into an Attempt. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "seamark/agent/wire.h"
#include "seamark/model/attempt.h"
#include "seamark/proc/exit_state.h"
#include "seamark/run/plan.h"

namespace seamark::run {

// When and how one execution took place.
struct AttemptContext {
  Phase phase = Phase::kCorrectness;
  WorkerMode mode = WorkerMode::kFork;
  std::string protocol = "full";  // of a timing attempt
  std::int64_t started_unix_us = 0;
  double wall_s = 0;
  std::string capture;  // used for failures only
};

// Why a case has no answer, or one that does not count.
struct WorkerExit {
  enum class Cause {
    kDied,      // by itself
    kTimeout,   // we ended it at its deadline
    kMemory,    // we ended it above its memory limit
    kProtocol,  // we ended its worker, which broke the wire
  };
  Cause cause = Cause::kDied;
  std::optional<proc::ExitState> exit;  // nullopt: not known
  double timeout_s = 0;
  std::string detail;               // of kMemory and kProtocol: a sentence
  std::optional<Outcome> answered;  // what the case had answered before
  std::int64_t resident_bytes = 0;  // above the size after import, the most that was seen; 0: not looked at
  bool out_of_memory = false;       // the kernel ended a process for want of memory meanwhile
};

Attempt attempt_from_end(const PlannedTarget& target, const PlannedCase& planned, agent::End end,
                         AttemptContext context);
Attempt attempt_from_exit(const PlannedTarget& target, const PlannedCase& planned,
                          const WorkerExit& worker_exit, AttemptContext context);
// A case that could not be started: kSkip or kError, and why.
Attempt attempt_not_started(const PlannedTarget& target, const PlannedCase& planned, Outcome outcome,
                            std::string reason, AttemptContext context);

}  // namespace seamark::run
