// What a run has to do, as plain data. cli makes it from the registry, the suites and the store.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seamark/agent/wire.h"
#include "seamark/base/value.h"
#include "seamark/model/outcome.h"
#include "seamark/proc/environment_rule.h"
#include "seamark/proc/sandbox.h"

namespace seamark::run {

enum class RunError {
  kBadPlan = 1,
  kSink = 2,        // results could not be written: the sink's own error, passed on, has its own room
  kTimingLock = 3,  // the lock file could not be opened
  kSystem = 4,      // pipes, poll or signals failed
};
constexpr std::string_view room_of(RunError) { return "run"; }

struct PlannedCase {
  std::string name;
  std::string function;
  std::string hash;
  double timeout_s = 0;  // 0: the target's
  bool timed = false;    // timed in the timing phase when it passed
};

// An attempt that an earlier, interrupted part of this run has committed. Cases become final by these
// as if they had just ended; nothing is committed again.
struct PriorAttempt {
  std::string case_hash;
  int attempt = 1;
  Phase phase = Phase::kCorrectness;
  Outcome outcome = Outcome::kError;
  std::string signature;
  std::string confirmed_by;
};

enum class MemoryMethod {
  kNone,
  kAddressSpace,  // as kResident; and no process gets more address space above it than the machine has memory
  kResident,      // resident size above the size after import, watched by the supervisor
};
std::string_view name_of(MemoryMethod);  // "none", "address-space", "resident"

struct MemoryLimit {
  MemoryMethod method = MemoryMethod::kNone;
  std::int64_t bytes = 0;  // above the size after import
};

struct PlannedTarget {
  std::string name;  // torch/cpu+inductor
  Value hello;       // the registry's entry, for the agent: name, framework, adapter, device, mode, options
  std::string interpreter;                                       // absolute path
  std::vector<std::pair<std::string, std::string>> environment;  // on top of ours
  WorkerMode mode = WorkerMode::kFork;
  WorkerMode confirm = WorkerMode::kProcess;  // of a persistent target's confirmations and rechecks, or kFork
  int slots = 1;                              // workers at once in the correctness phase
  double timeout_s = 900;                     // default deadline of a case
  MemoryLimit memory;
  int threads = 1;
  std::vector<std::string> suites;               // for the agent: names or absolute paths
  Evidence exit_evidence = Evidence::kExecuted;  // what a crash or timeout rests on; +aot: kCompiled
  std::string cache_dir;                         // of compilers' answers; empty: none is kept or used
  std::string device_lock;                       // path of the device's timing lock; empty: the host's alone
  bool network = false;                          // its workers are not kept from the network
  std::vector<PlannedCase> cases;
  std::vector<PriorAttempt> prior;
};

enum class Protocol { kFull, kPaper };

constexpr int kMostRepeats = 10'000;

struct Plan {
  std::string boot;  // absolute path of seamark_agent/boot.py
  std::string
      work_dir;  // absolute; an existing folder of this run; every worker gets a folder of its own in it
  const proc::EnvironmentRule* inherits = nullptr;  // what workers get of our environment; null: all
  proc::Sandbox sandbox;                            // of every worker
  std::string host_lock;               // path of the timing lock file of this host; empty: no lock is taken
  std::vector<PlannedTarget> targets;  // in order of work and report
  int jobs = 1;                        // workers at once in the correctness phase
  Protocol protocol = Protocol::kFull;
  agent::TimingSettings timing;  // its protocol is set from the one above
  std::uint64_t seed = 0;
  bool confirm = true;          // run failures again alone
  bool rerun_errors = false;    // run cases again whose prior attempts are all errors or skips
  double recheck_share = 0.05;  // of the passes, run again alone
  int repeat = 1;               // times that a case is checked at least: all but the first alone
  double repeat_share =
      0.05;  // of the timed cases of a target (three at least), timed again: the noise floor

  std::chrono::milliseconds start_timeout = std::chrono::minutes(5);       // from spawn to ready
  std::chrono::milliseconds slow_after = std::chrono::seconds(60);         // first notice of a slow case
  std::chrono::milliseconds grace = std::chrono::seconds(5);               // from TERM to KILL
  std::chrono::milliseconds exit_window = std::chrono::seconds(10);        // a worker's or child's own exit
  std::chrono::milliseconds leak_window = std::chrono::milliseconds(200);  // pipes held after the exit
};

// kBadPlan: no interpreter, duplicate case or target names, shares or counts out of range.
Status check(const Plan& plan);

}  // namespace seamark::run
