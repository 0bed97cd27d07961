// What a run was asked for, so that it can be stored, resumed, and made into a plan.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/base/value.h"
#include "seamark/cli/case_choice.h"
#include "seamark/cli/settings.h"
#include "seamark/model/slice.h"
#include "seamark/run/plan.h"
#include "seamark/store/records.h"
#include "seamark/target/doctor.h"
#include "seamark/target/worker_environment.h"

namespace seamark::cli {

struct RunRequest {
  std::vector<std::string> targets;  // names, in order
  std::vector<std::string> suites;   // names or absolute paths
  CaseChoice choice;
  std::string protocol = "full";
  std::optional<double> timeout_s;
  std::int64_t seed = 0;
  std::optional<double> recheck_share;        // nullopt: the plan's default
  bool confirm = true;                        // run failures again alone
  Value sample;                               // SampleChoice::to_value(); null: of no sample
  std::optional<Slice> slice = std::nullopt;  // nullopt: all of it; stored as RunInfo's options say of slices
  int repeat = 1;                             // times that a case is checked

  // For RunInfo::options, and back. A store's document is untrusted: kUsage when it is none of ours.
  [[nodiscard]] Value to_value() const;
  static Result<RunRequest> from_run(const store::RunInfo& info);
};

// One target that can serve, with its cases.
struct RunTargetPlan {
  target::TargetStatus standing;
  std::vector<CaseInfo> cases;
};

struct PlanPlaces {
  std::filesystem::path boot;
  std::filesystem::path work_dir;
  std::filesystem::path lock_dir;   // of timing locks, the same for all users of the host; exists
  std::filesystem::path cache_dir;  // of compilers' answers; empty: none is kept or used
  proc::Sandbox sandbox;            // of workers
  const target::WorkerEnvironment* environment = nullptr;  // of workers; outlives the plan
};

// `done`: what earlier parts of the run have committed.
run::Plan make_plan(const RunRequest& request, std::span<const RunTargetPlan> targets,
                    std::span<const store::DoneAttempt> done, int jobs, const PlanPlaces& places);

// "of each function one forward and one gradient case on a, b, core cases elsewhere."; empty where everything
// there is was asked for.
std::string subset_note(const RunRequest& request, std::span<const RunTargetPlan> targets);
// The command that runs everything, from the one that was typed; empty where that one does.
std::string full_command(const RunRequest& request, std::string_view as_typed);

}  // namespace seamark::cli
