// `seamark run --engine ray`: the run in slices, each a task of a cluster, joined as they come.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "seamark/base/text.h"
#include "seamark/cli/engine.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/run_session.h"
#include "seamark/cli/run_slicing.h"
#include "seamark/cli/store_writing.h"
#include "seamark/cli/version.h"
#include "seamark/report/render/number_text.h"
#include "seamark/target/lock.h"

namespace seamark::cli {
namespace {

using target::TargetEntry;

constexpr double kSliceSeconds = 60;   // of expected work, unless said
constexpr double kUnknownSeconds = 1;  // of a case that no run has

void add(std::vector<std::string>& argv, const char* flag, const std::string& value) {
  argv.insert(argv.end(), {flag, value});
}

std::string shortest(double value) { return fmt::format("{}", value); }

// The seconds of every case in earlier runs, all attempts together, by target.
using Seconds = std::map<std::string, std::map<std::string, double>>;

Result<Seconds> earlier_seconds(store::Store& store) {
  Seconds out;
  const Result<std::vector<store::RunInfo>> runs = store.runs();
  if (!runs) return runs.error();
  if (runs->empty()) return out;
  store::AttemptFilter filter;
  filter.run = {store::RunChoice::Kind::kAll, {}};
  const Status read = store.for_each_attempt(filter, [&](const store::StoredAttempt& stored) {
    out[stored.attempt.target][stored.attempt.case_name] += stored.attempt.wall_s;
    return true;
  });
  if (!read) return read.error();
  return out;
}

std::vector<double> seconds_of(std::span<const CaseInfo> cases, const std::map<std::string, double>& known) {
  double sum = 0;
  std::size_t count = 0;
  for (const CaseInfo& info : cases) {
    if (const auto there = known.find(info.name); there != known.end()) {
      sum += there->second;
      ++count;
    }
  }
  const double usual = count == 0 ? kUnknownSeconds : sum / static_cast<double>(count);
  std::vector<double> out;
  for (const CaseInfo& info : cases) {
    const auto there = known.find(info.name);
    out.push_back(there == known.end() ? usual : there->second);
  }
  return out;
}

// What came of a slice, for the live line and the end.
struct Came {
  std::set<std::string> cases;
  std::set<std::string> failed;
  std::map<std::string, std::size_t> errors;  // reasons
};

// What a node knows a sample of this store by.
Status write_seed(const SampleChoice& sample, const std::filesystem::path& file) {
  Result<store::Store> seed = store::Store::open(file, store::OpenMode::kWrite);
  return seed ? sample.save(*seed) : Status(seed.error());
}

Result<Came> what_came(store::Store& part) {
  Came came;
  store::AttemptFilter filter;
  filter.columns.failure_text = true;
  const Status read = part.for_each_attempt(filter, [&](const store::StoredAttempt& stored) {
    const Attempt& attempt = stored.attempt;
    came.cases.insert(attempt.case_name);
    const bool failed = attempt.outcome == Outcome::kFail || attempt.outcome == Outcome::kTimeout ||
                        attempt.outcome == Outcome::kCrash;
    if (failed) came.failed.insert(attempt.case_name);
    if (attempt.outcome == Outcome::kError) ++came.errors[attempt.reason];
    return true;
  });
  if (!read) return read.error();
  return came;
}

}  // namespace

// What a slice is asked for, the same as was asked for here.
std::vector<std::string> RunSession::slice_command(const TargetEntry& entry, const Slice& slice,
                                                   const std::string& job) const {
  std::vector<std::string> argv = {"run"};
  if (settings_.config_file.empty()) {
    argv.emplace_back("--no-config");
  } else {
    add(argv, "--config", std::filesystem::absolute(settings_.config_file).native());
  }
  add(argv, "--target", entry.name);
  add(argv, "--slice", slice.str());
  add(argv, "--job", job);
  add(argv, "--store", std::string(kPart));
  add(argv, "--jobs", "1");
  for (const std::string& suite : request_.suites) add(argv, "--suite", suite);
  for (const std::string& function : request_.choice.functions) add(argv, "--function", function);
  if (!request_.choice.case_glob.empty()) add(argv, "--case", request_.choice.case_glob);
  if (request_.choice.sample) add(argv, "--sample", request_.choice.sample->name);
  if (sample_) add(argv, "--sample", request_.sample.string_or("id", ""));
  add(argv, "--cases", request_.choice.cases);
  add(argv, "--time", request_.choice.time);
  add(argv, "--protocol", request_.protocol);
  add(argv, "--seed", std::to_string(request_.seed));
  add(argv, "--repeat", std::to_string(request_.repeat));
  if (request_.timeout_s) add(argv, "--timeout", shortest(*request_.timeout_s));
  if (request_.recheck_share) add(argv, "--recheck", shortest(*request_.recheck_share));
  if (!request_.confirm) argv.emplace_back("--no-confirm");
  for (const target::OwnPython& own : settings_.python)
    add(argv, "--python", (own.pattern == "*" ? "" : own.pattern + "=") + own.path);
  for (const std::string& name : settings_.pass_env) add(argv, "--pass-env", name);
  if (command_.no_sandbox) argv.emplace_back("--no-sandbox");
  if (command_.no_cache) argv.emplace_back("--no-cache");
  return argv;
}

EngineTask RunSession::slice_task(const TargetEntry& entry, const Slice& slice,
                                  const std::string& job) const {
  EngineTask task;
  task.name = fmt::format("slice {} of {}", slice.str(), entry.name);
  task.resources = engine_resources(context_, entry);
  // Made once a node: where it is there, this ends at once.
  const bool own = std::ranges::any_of(
      settings_.python, [&](const target::OwnPython& one) { return glob_match(one.pattern, entry.name); });
  if (!own && !entry.environments.empty())
    task.commands.push_back({"targets", "install", entry.environments.front(), "--quiet"});
  task.commands.push_back(slice_command(entry, slice, job));
  task.last_resort = task.commands.back();
  add(task.last_resort, "--record-error", std::string(kWhy));
  return task;
}

// What is asked of the cluster: of each target its cases, and in how many slices.
Status RunSession::plan_slices(std::span<const TargetEntry* const> entries) {
  Result<std::vector<CaseInfo>> all = list_chosen(entries);
  if (!all) return all.error();
  tell_sample(*all, entries);
  const Result<Seconds> known = earlier_seconds(*store_);
  if (!known) return known.error();
  for (const TargetEntry* entry : entries) {
    const std::vector<CaseInfo> cases = cases_of(*all, *entry);
    if (cases.empty()) {
      if (was_named(entry->name))
        line_.print(
            fmt::format("{}: none of the chosen cases is for {}", entry->name, entry->parts.framework));
      continue;
    }
    const auto times = known->find(entry->name);
    const std::vector<double> seconds =
        seconds_of(cases, times == known->end() ? std::map<std::string, double>() : times->second);
    planned_cases_ += cases.size();
    request_.targets.push_back(entry->name);
    if (resumed_.empty())
      sliced_.asked[entry->name] = slices_for(cases, seconds, command_.slice_seconds.value_or(kSliceSeconds));
  }
  if (!request_.targets.empty()) return {};
  return Error(CliError::kNothing, "no target has one of the chosen cases",
               "`seamark run --list` prints cases");
}

Status RunSession::check_engine() const {
  if (request_.slice) return Error(CliError::kUsage, "--engine makes the slices: leave out --slice");
  if (asked_.empty()) {
    return Error(CliError::kUsage, "name the targets of the cluster with --target",
                 "its nodes are not this machine, so that what is usable here says nothing of them");
  }
  return {};
}

// With the slices of the run, and of those beside it whose environments differ.
Result<store::SlicedRun> RunSession::slices_there() {
  const Result<std::vector<store::RunInfo>> runs = store_->runs();
  if (!runs) return runs.error();
  store::SlicedRun out;
  for (const store::RunInfo& run : *runs) {
    if (run.uuid != writer_->uuid() && !run.uuid.starts_with(writer_->uuid() + "~")) continue;
    const store::SlicedRun sliced = store::sliced_run(run);
    if (run.uuid == writer_->uuid()) out.asked = sliced.asked;
    out.slices.insert(out.slices.end(), sliced.slices.begin(), sliced.slices.end());
  }
  return out;
}

Status RunSession::take_part(const std::filesystem::path& file, const std::string& name) {
  Result<store::Store> part = store::Store::open(file, store::OpenMode::kRead);
  if (!part) return part.error();
  const Result<Came> came = what_came(*part);
  if (!came) return came.error();
  const auto merged = store_->merge_stores({&*part, 1}, false);
  if (!merged) return merged.error();
  for (const auto& [run, why] : merged->front().refused)
    line_.print(fmt::format("{}: refused: {}", name, why));
  for (const std::string& what : merged->front().unfinished)
    line_.print(fmt::format("{} has not ended", what));
  for (const auto& [run, difference] : merged->front().apart) {
    if (told_apart_.insert(run).second)
      line_.print(fmt::format("kept apart, as the run {}: another environment: {}", run, difference));
  }
  ended_cases_ += came->cases.size();
  failed_cases_ += came->failed.size();
  for (const auto& [reason, count] : came->errors) errors_[reason] += count;
  return {};
}

Result<ExitCode> RunSession::end_on_engine(bool interrupted) {
  const Result<store::SlicedRun> there = slices_there();
  if (!there) return there.error();
  const std::string missing = there->missing_text();
  store::RunState state = missing.empty() ? store::RunState::kFinished : store::RunState::kInterrupted;
  const Status finished = writer_->finish(state, interrupted ? "interrupted by the user" : missing, 0, 0);
  if (!finished) return finished.error();
  report::RunEnd told;
  told.store = settings_.store;
  told.interrupted = interrupted || !missing.empty();
  told.engine = " --engine ray";
  if (!command_.address.empty()) told.engine += " --address " + shell_word(command_.address);
  if (!settings_.config_file.empty())
    told.engine += " --config " + shell_word(settings_.config_file.native());
  told.cases = planned_cases_;
  told.settled = ended_cases_;
  told.wall_s = wall_s();
  told.subset_note = subset_note_;
  told.full_command = sliced_.full_command;
  told.errors.assign(errors_.begin(), errors_.end());
  std::sort(told.errors.begin(), told.errors.end(),
            [](const auto& a, const auto& b) { return a.second > b.second; });
  if (!missing.empty() && !interrupted) line_.print(missing);
  if (!context_.common.quiet) print_summary(told);
  if (interrupted) return ExitCode::kInterrupted;
  return missing.empty() && errors_.empty() ? ExitCode::kDone : ExitCode::kEnvironment;
}

Result<ExitCode> RunSession::run_on_engine() {
  if (Status good = check_engine(); !good) return good.error();
  const auto selected = context_.registry.select(asked_);
  if (!selected) return selected.error();
  Result<store::Store> opened = open_for_writing(context_, settings_.store);
  if (!opened) return opened.error();
  store_ = std::move(*opened);
  request_.targets.clear();
  if (Status planned = plan_slices(*selected); !planned) return planned.error();
  subset_note_ = request_.choice.cases == "all" ? "" : fmt::format("{} cases.", request_.choice.cases);
  if (request_.choice.sample && !request_.choice.sample->functions.empty())
    subset_note_ =
        fmt::format("functions of the sample '{}'. {}", request_.choice.sample->name, subset_note_);
  sliced_.command = context_.as_typed;
  sliced_.subset_note = subset_note_;
  sliced_.full_command = whole_command();
  sliced_.joined = sliced_.engine = true;
  if (Status begun = begin_writing(); !begun) return begun.error();
  const Result<store::SlicedRun> there = slices_there();
  if (!there) return there.error();
  std::vector<EngineTask> tasks;
  for (const auto& [target, indices] : there->missing()) {
    const TargetEntry* entry = context_.registry.find(target);
    if (entry == nullptr) continue;
    for (const std::int64_t index : indices)
      tasks.push_back(slice_task(*entry, {index, there->asked.at(target)}, writer_->uuid()));
  }
  if (!context_.common.quiet)
    line_.print(fmt::format("{} {} in {}, into {}", resumed_.empty() ? "running" : "going on with",
                            report::plural(static_cast<std::int64_t>(planned_cases_), "case"),
                            report::plural(static_cast<std::int64_t>(tasks.size()), "slice"),
                            settings_.store));
  EngineEvents events;
  events.tell = [this](std::string_view line) {
    if (!context_.common.quiet) line_.print(plain_text(line));
  };
  events.take = [&](std::size_t task, const std::filesystem::path& part) {
    return take_part(part, tasks[task].name);
  };
  events.progress = [&](std::size_t ended, std::size_t running) {
    if (!context_.common.quiet)
      line_.show(fmt::format("{} of {} slices, {} running; {} cases, {} failed", ended, tasks.size(), running,
                             ended_cases_, failed_cases_));
  };
  EngineOptions options{command_.address, command_.patience_s, {}};
  const Result<HeldDir> folder = HeldDir::make("run");
  if (!folder) return folder.error();
  if (sample_) {
    options.seed = folder->path() / "seed.db";
    if (Status written = write_seed(*sample_, options.seed); !written) return written.error();
  }
  Result<bool> interrupted = false;
  if (!tasks.empty()) interrupted = run_tasks(context_, options, tasks, events, signals_);
  line_.clear();
  if (!interrupted) {
    (void)writer_->finish(store::RunState::kFailed, interrupted.error().message(), 0, 0);
    return interrupted.error();
  }
  return end_on_engine(*interrupted);
}

}  // namespace seamark::cli
