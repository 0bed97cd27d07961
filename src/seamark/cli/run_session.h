// A run of `seamark run`, from what was asked to its end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "seamark/base/held_dir.h"
#include "seamark/cli/context.h"
#include "seamark/cli/engine.h"
#include "seamark/cli/live_line.h"
#include "seamark/cli/run_request.h"
#include "seamark/cli/sample_choice.h"
#include "seamark/cli/status_line.h"
#include "seamark/proc/sandbox.h"
#include "seamark/proc/signals.h"
#include "seamark/report/build/run_end_report.h"
#include "seamark/run/supervisor.h"
#include "seamark/store/run_slices.h"
#include "seamark/store/store.h"

namespace seamark::cli {

class RunCommand final : public Command {
 public:
  explicit RunCommand(Options& options);
  Result<ExitCode> run(Context& context) const override;

  RunFlags flags;
  std::vector<std::string> functions;  // globs
  std::string functions_file;          // of more of them; empty: none
  std::string case_glob;
  std::optional<double> recheck;        // a share
  std::optional<std::int64_t> repeat;   // times
  std::optional<std::string> sample;    // of the store, by name; empty: the latest
  std::string slice;                    // I/N; empty: everything
  std::string job;                      // of the slices; empty: after what is asked for
  std::string engine;                   // ray; empty: this machine
  std::string address;                  // of a cluster; empty: this machine's own
  std::optional<double> slice_seconds;  // of expected work
  double patience_s = 120;              // for a node that can run a slice
  std::string record_error;             // a reason; empty: run the cases
  bool no_confirm = false;
  bool no_cache = false;
  bool no_sandbox = false;
  bool resume = false;
  bool list = false;
  std::string format;  // of the list
  bool refresh = false;
};

using FrameworkVersion = std::pair<std::string, std::string>;

class RunSession {
 public:
  RunSession(Context& context, const RunCommand& command);

  Result<ExitCode> list();
  Result<ExitCode> run();

 private:
  Status prepare();
  [[nodiscard]] std::vector<std::string> other_flags(const RunRequest& run) const;
  Status take_up_unfinished();
  Status choose_targets();
  Result<std::vector<CaseInfo>> list_for(std::span<const target::TargetEntry* const> entries);
  [[nodiscard]] bool looks_further() const;
  [[nodiscard]] Status check_frozen(std::span<const FrameworkVersion> versions) const;
  [[nodiscard]] Status check_unasked() const;
  bool look_further(std::span<const CaseInfo> all);
  Status read_functions();
  Status prepare_slice();
  Status drop_unmatched(std::span<const CaseInfo> all);
  Status list_cases();
  Status load_sample();
  [[nodiscard]] std::vector<CaseInfo> cases_of(std::span<const CaseInfo> all,
                                               const target::TargetEntry& entry) const;
  void tell_sample(std::span<const CaseInfo> all, std::span<const target::TargetEntry* const> entries);
  Status choose();
  [[nodiscard]] std::string whole_command() const;
  Status check_free(const std::string& id);
  Status open_writer();
  Status begin_writing();
  Result<ExitCode> record_error();
  Status describe_targets();
  Result<proc::Sandbox> sandbox_for(const HeldDir& work, const std::filesystem::path& answers);
  Result<ExitCode> drive();
  Result<ExitCode> finish(const run::RunResult& result, const StatusLine& status);
  void print_summary(const report::RunEnd& end);

  // --- on more machines than this one (run_on_engine.cc)
  Result<ExitCode> run_on_engine();
  [[nodiscard]] Status check_engine() const;
  Result<std::vector<CaseInfo>> list_chosen(std::span<const target::TargetEntry* const> entries);
  Status plan_slices(std::span<const target::TargetEntry* const> entries);
  Result<store::SlicedRun> slices_there();
  [[nodiscard]] std::vector<std::string> slice_command(const target::TargetEntry& entry, const Slice& slice,
                                                       const std::string& job) const;
  [[nodiscard]] EngineTask slice_task(const target::TargetEntry& entry, const Slice& slice,
                                      const std::string& job) const;
  Status take_part(const std::filesystem::path& file, const std::string& name);
  Result<ExitCode> end_on_engine(bool interrupted);
  [[nodiscard]] bool was_named(const std::string& target) const {
    return std::find(asked_.begin(), asked_.end(), target) != asked_.end();
  }
  [[nodiscard]] double wall_s() const {
    return static_cast<double>(clock_.monotonic_ns() - start_ns_) * 1e-9;
  }

  Context& context_;
  const RunCommand& command_;
  SystemClock clock_;
  LiveLine line_;
  proc::Signals signals_;
  Settings settings_;
  RunRequest request_;
  std::vector<std::string> asked_;  // as the user wrote them
  std::vector<RunTargetPlan> targets_;
  std::vector<target::TargetStatus> unusable_;  // that were asked for by name
  std::optional<store::Store> store_;
  std::optional<store::RunWriter> writer_;
  std::string resumed_;  // uuid
  std::vector<store::DoneAttempt> done_;
  std::optional<SampleChoice> sample_;
  std::string subset_note_;  // what is left out
  store::SlicedRun sliced_;  // of it
  // Of a run on an engine.
  std::size_t planned_cases_ = 0;
  std::size_t ended_cases_ = 0;
  std::size_t failed_cases_ = 0;
  std::map<std::string, std::size_t> errors_;  // reasons
  std::set<std::string> told_apart_;           // runs
  std::int64_t start_ns_ = clock_.monotonic_ns();
  double start_cpu_s_;
};

}  // namespace seamark::cli
