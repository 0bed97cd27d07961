// What a store keeps besides attempts (seamark/model/attempt.h), as plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seamark/base/value.h"
#include "seamark/model/attempt.h"
#include "seamark/model/case_info.h"

namespace seamark::store {

// Persisted: append, never renumber.
enum class RunState : std::uint8_t {
  kRunning = 1,  // also what a killed process leaves behind
  kFinished = 2,
  kInterrupted = 3,  // stopped by the user
  kFailed = 4,       // stopped by an error, see RunInfo::state_reason
};
std::string_view name_of(RunState state);  // "running", "finished", "interrupted", "failed"

struct RunInfo {
  std::string uuid;  // empty when begun: the store draws one
  RunState state = RunState::kRunning;
  std::string state_reason;
  std::string command;  // as the user typed it
  std::int64_t seed = 0;
  std::string protocol;              // full, paper
  Value host;                        // object: what the machine is (cpu, cores, memory_bytes, os, ...)
  Value versions;                    // object: seamark and what it was built with
  Value options;                     // object: whatever else the run was asked for
  bool proof = true;                 // placement proof was on
  bool reference = true;             // reference checks were on
  std::string subset_note;           // empty: everything there is was asked for
  std::string full_command;          // what runs everything; empty when this did
  std::int64_t started_unix_us = 0;  // 0 when begun: now
  std::optional<std::int64_t> ended_unix_us;
  std::optional<double> wall_s;  // summed over resumes
  std::optional<double> cpu_s;   // supervisor and workers, summed over resumes
};

// One target of one run.
struct RunTarget {
  std::string target;             // torch/cpu+inductor
  std::string framework;          // torch
  std::string framework_version;  // 2.13.0; empty when unknown
  std::string device_name;        // as the environment said
  WorkerMode mode = WorkerMode::kFork;
  std::string baseline;  // target that ratios refer to; empty: FRAMEWORK/cpu
  bool usable = true;
  std::string reason;  // why not usable
  std::string remedy;
  Value entry;             // object: the registry's entry as it was sent to the agent
  Value facts;             // object: what the probe said
  Value environment_lock;  // object or null; kept once per content
};

struct StoredTarget {
  std::int64_t id = 0;           // run_targets.id
  std::string run;               // uuid
  bool planned = false;          // there are cases to run on it
  std::string environment_hash;  // hex, empty when there is no lock
  RunTarget target;
};

// A case as one run planned it for one target.
struct PlannedCase {
  std::int64_t run_target_id = 0;
  std::int64_t case_id = 0;  // equal hash and name: equal id
  bool core = false;
  bool host_only = false;
};

struct StoredCase {
  std::int64_t id = 0;
  CaseInfo info;
};

// What the chosen runs were to do: each planned case on its target, and the cases themselves.
struct StoredPlan {
  std::vector<StoredCase> cases;     // by framework, function, then name; without params
  std::vector<PlannedCase> planned;  // by target, then case
};
// A piece for each target of what is by target.
[[nodiscard]] std::vector<std::span<const PlannedCase>> by_target(std::span<const PlannedCase> planned);

// What a resumed run needs to know of an attempt that is already committed.
struct DoneAttempt {
  std::string target;
  std::string case_name;
  std::string case_hash;
  int attempt = 1;
  Phase phase = Phase::kCorrectness;
  Outcome outcome = Outcome::kError;
  std::string signature;
  std::string confirmed_by;
};

struct StoredEvent {
  std::string run;
  std::int64_t at_unix_us = 0;
  std::string kind;
  Value detail;
};

// How far the attempts of one function got, over all runs and targets of one framework version.
struct FunctionEvidence {
  std::string framework;
  std::string version;
  std::string function;
  bool compiled = false;  // one passed, or failed with at least this evidence
  bool executed = false;  // one passed having run, or ran and failed the comparison
  bool verified = false;  // one passed and was compared
};

// Which runs a reader takes. "latest" (by start), "all", or the unique beginning of a run's id.
struct RunChoice {
  enum class Kind : std::uint8_t { kLatest, kOne, kAll };
  Kind kind = Kind::kLatest;
  std::string id;
  static RunChoice parse(std::string_view text);  // empty: latest
  [[nodiscard]] std::string str() const;          // that parse() reads
};

// Which columns of an attempt a reader fills; the others keep their defaults.
struct AttemptColumns {
  // case_name, case_hash, mode, wait_status, started_unix_us; latency of all phases. Without it and with no
  // more than failure_text, what a pass has no use for (signature, reason, failure) may be left out of it.
  bool identity = true;
  bool failure_text = false;  // failure.message
  bool traceback = false;     // failure.traceback, capture
  bool documents = false;     // placement lists and note, reference, compiled
  bool operations = false;    // operations without samples
  bool samples = false;       // warm_s and device_s of the operations (implies operations)
  static AttemptColumns all() { return {true, true, true, true, true, true}; }
};

struct AttemptFilter {
  RunChoice run;
  std::vector<std::string> targets;  // exact names; empty: all
  std::string function;              // exact name; empty: all
  AttemptColumns columns;
  // In the order in which they were committed where that is quicker: it mostly is, as they lie in that order.
  bool as_committed = false;
};

struct StoredAttempt {
  std::int64_t id = 0;
  std::int64_t run_target_id = 0;
  std::int64_t case_id = 0;
  Attempt attempt;
};

// A run that was not made here, as a whole.
struct RunBundle {
  RunInfo info;  // with its uuid and, once it is over, its state
  std::vector<RunTarget> targets;
  std::vector<Attempt> attempts;
  std::vector<std::pair<std::string, CaseInfo>> plan;  // target, case
  std::vector<std::pair<std::string, Value>> events;   // kind, detail
  bool renumber = false;  // attempts come after those of the same case and target that are there
  bool exported = false;  // says all that an export does: what a run of that id has must be the same
};

struct SavedRun {
  bool is_new = true;
  std::int64_t added = 0;         // attempts
  std::int64_t known = 0;         // that were there already, and stay as they are
  std::string conflict;           // what the run of that id has otherwise: nothing is added to it
  std::vector<std::string> kept;  // what the store says otherwise of cases and targets, and stays
};

// What came of one store that was merged into another.
struct MergedStore {
  struct Refused {
    std::string run;
    std::string difference;
  };
  std::int64_t runs = 0;      // added
  std::int64_t attempts = 0;  // added
  std::int64_t known = 0;     // runs that are there already, the same
  std::vector<Refused> refused;
  std::vector<std::string> live;        // runs that are still going on, and left out
  std::int64_t slices = 0;              // joined, of targets
  std::vector<std::string> unfinished;  // slices that have not ended, and are left out
  struct Apart {
    std::string run;         // that has what was kept apart
    std::string difference;  // of the environments
  };
  std::vector<Apart> apart;  // slices, each with the run that it is in
  // Added.
  std::int64_t catalogues = 0;
  std::int64_t declared = 0;
  std::int64_t corpora = 0;
  std::int64_t shards = 0;  // of usage, that corpora lacked
  std::int64_t samples = 0;
  std::int64_t other_known = 0;   // of those, what is there already, the same
  std::vector<std::string> kept;  // what is there and said otherwise, and stays as it is
};

}  // namespace seamark::store
