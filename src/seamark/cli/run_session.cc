#include "seamark/cli/run_session.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "seamark/analysis/summary.h"
#include "seamark/base/fd.h"
#include "seamark/base/held_dir.h"
#include "seamark/base/home.h"
#include "seamark/base/text.h"
#include "seamark/cli/context.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/rendering.h"
#include "seamark/cli/run_request.h"
#include "seamark/cli/run_slicing.h"
#include "seamark/cli/sample_choice.h"
#include "seamark/cli/status_line.h"
#include "seamark/cli/store_sink.h"
#include "seamark/cli/store_writing.h"
#include "seamark/cli/version.h"
#include "seamark/model/case_info.h"
#include "seamark/model/verdict.h"
#include "seamark/proc/memory.h"
#include "seamark/report/build/run_end_report.h"
#include "seamark/run/supervisor.h"
#include "seamark/run/timing_lock.h"
#include "seamark/store/store.h"
#include "seamark/target/protection.h"

namespace seamark::cli {
namespace {

using target::TargetEntry;
using target::TargetStatus;

// Of this process and of what it has waited for.
double cpu_seconds() {
  double total = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage = {};
    if (::getrusage(who, &usage) != 0) continue;
    for (const timeval& time : {usage.ru_utime, usage.ru_stime}) {
      total += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    }
  }
  return total;
}

int default_jobs() { return std::min(proc::usable_cpus(), 256); }

// Of timing locks: the host's, for all of its users; where it has none, one of the user's own.
std::filesystem::path lock_dir(const Context& context) {
  if (const std::optional<std::string> named = environment_variable("SEAMARK_LOCKS")) return *named;
  return run::shared_lock_dir().value_or(context.cache / "locks");
}

}  // namespace

RunSession::RunSession(Context& context, const RunCommand& command)
    : context_(context),
      command_(command),
      line_(STDERR_FILENO, context.err, clock_),
      start_cpu_s_(cpu_seconds()) {}

Status RunSession::prepare() {
  settings_ = context_.settings;
  if (Status status = apply_run(settings_, command_.flags); !status) return status;
  context_.worker_environment.rule.named = settings_.pass_env;
  asked_ = settings_.targets;
  request_.suites = settings_.suites;
  request_.choice = {command_.functions, command_.case_glob, settings_.cases, settings_.time_or_default()};
  if (Status status = read_functions(); !status) return status;
  request_.protocol = settings_.protocol;
  request_.timeout_s = settings_.timeout_s;
  request_.seed = settings_.seed;
  request_.recheck_share = command_.recheck;
  request_.confirm = !command_.no_confirm;
  request_.repeat = static_cast<int>(command_.repeat.value_or(1));
  return prepare_slice();
}

Status RunSession::prepare_slice() {
  if (command_.slice.empty()) {
    for (const auto& [flag, value] :
         {std::pair("--job", &command_.job), {"--record-error", &command_.record_error}}) {
      if (!value->empty()) return Error(CliError::kUsage, fmt::format("{} is of --slice", flag));
    }
    return {};
  }
  const Result<Slice> slice = slice_named(command_.slice);
  if (!slice) return slice.error();
  request_.slice = *slice;
  if (!command_.job.empty() && !is_job(command_.job)) {
    return Error(CliError::kUsage, fmt::format("--job {}: that is no name", one_line(command_.job)),
                 "letters, digits and . _ -, at most 60");
  }
  return {};
}

// The flags that were given and ask for another run than this one: "--seed 5 (it has 0)".
std::vector<std::string> RunSession::other_flags(const RunRequest& run) const {
  const RunFlags& given = command_.flags;
  std::vector<std::string> other;
  const auto compare = [&](bool was_given, std::string_view flag, const std::string& wanted,
                           const std::string& has) {
    if (was_given && wanted != has)
      other.push_back(fmt::format("{} {} (it has {})", flag, wanted, has.empty() ? "none" : has));
  };
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{:g}", *value) : std::string();
  };
  const std::vector<std::string>& patterns = given.selection.targets;
  const bool same_targets =
      std::ranges::all_of(run.targets, [&](const std::string& name) { return any_glob(patterns, name); }) &&
      std::ranges::all_of(patterns, [&](const std::string& one) {
        return std::ranges::any_of(run.targets,
                                   [&](const std::string& name) { return glob_match(one, name); });
      });
  compare(!patterns.empty() && !same_targets, "--target", join(patterns, " "), join(run.targets, " "));
  compare(!given.selection.suites.empty(), "--suite", join(request_.suites, " "), join(run.suites, " "));
  compare(!command_.functions.empty(), "--function", join(command_.functions, " "),
          join(run.choice.functions, " "));
  compare(!command_.case_glob.empty(), "--case", command_.case_glob, run.choice.case_glob);
  const std::string has_slice = run.slice ? run.slice->str() : "";
  compare(!command_.slice.empty(), "--slice", command_.slice, has_slice);
  compare(given.cases.has_value(), "--cases", request_.choice.cases, run.choice.cases);
  compare(given.time || given.no_timing, "--time", request_.choice.time, run.choice.time);
  compare(given.protocol.has_value(), "--protocol", request_.protocol, run.protocol);
  compare(given.timeout_s.has_value(), "--timeout", number(request_.timeout_s), number(run.timeout_s));
  compare(given.seed.has_value(), "--seed", std::to_string(request_.seed), std::to_string(run.seed));
  compare(command_.recheck.has_value(), "--recheck", number(command_.recheck), number(run.recheck_share));
  compare(command_.repeat.has_value(), "--repeat", std::to_string(request_.repeat),
          std::to_string(run.repeat));
  if (command_.no_confirm && run.confirm) other.emplace_back("--no-confirm");
  if (const std::string wanted = command_.sample.value_or(""); !wanted.empty()) {
    const std::string has = run.choice.sample        ? run.choice.sample->name
                            : run.sample.is_object() ? run.sample.string_or("name", "")
                                                     : "all";
    compare(true, "--sample", wanted, has);
  }
  return other;
}

Status RunSession::take_up_unfinished() {
  Result<store::Store> opened = store::Store::open(settings_.store, store::OpenMode::kRead);
  if (!opened) return opened.error();
  Result<std::optional<store::RunInfo>> latest = opened->latest_unfinished_run();
  if (!latest) return latest.error();
  if (!latest->has_value()) {
    return Error(CliError::kNothing, fmt::format("{} holds no unfinished run", settings_.store),
                 "start a new one without --resume");
  }
  Result<RunRequest> request = RunRequest::from_run(**latest);
  if (!request) return request.error();
  if (const std::vector<std::string> other = other_flags(*request); !other.empty()) {
    return Error(
        CliError::kUsage,
        fmt::format("the unfinished run {} was asked for otherwise: {}", (*latest)->uuid, join(other, ", ")),
        "leave these flags out to go on with it, or leave --resume out to start a new run");
  }
  const store::SlicedRun sliced = store::sliced_run(**latest);
  if (sliced.engine == command_.engine.empty()) {
    return Error(
        CliError::kUsage,
        fmt::format("the unfinished run {} is {}", (*latest)->uuid,
                    sliced.engine ? "one of a cluster" : "one of this machine"),
        sliced.engine ? "go on with it with --resume --engine ray" : "go on with it without --engine");
  }
  request_ = std::move(request.value());
  asked_ = request_.targets;
  resumed_ = (*latest)->uuid;
  Result<std::vector<store::DoneAttempt>> done = opened->done(resumed_);
  if (!done) return done.error();
  done_ = std::move(done.value());
  return {};
}

// What leaves nothing out.
std::string RunSession::whole_command() const {
  if (!request_.slice) return full_command(request_, context_.as_typed);
  return sliced_.full_command.empty() ? sliced_.command : sliced_.full_command;
}

// Each slice has a store of its own.
Status RunSession::check_free(const std::string& id) {
  const Result<std::vector<store::RunInfo>> runs = store_->runs();
  if (!runs) return runs.error();
  if (std::ranges::none_of(*runs, [&](const auto& run) { return run.uuid == id; })) return {};
  return Error(
      CliError::kUsage, fmt::format("{} holds a slice of the run {} already", settings_.store, id),
      "give each slice a store of its own with --store, and join them with `seamark merge`; go on with "
      "one that has not ended with --resume");
}

Status RunSession::open_writer() {
  Result<store::Store> opened = open_for_writing(context_, settings_.store);
  if (!opened) return opened.error();
  store_ = std::move(opened.value());
  return begin_writing();
}

Status RunSession::begin_writing() {
  if (!resumed_.empty()) {
    Result<store::RunWriter> writer = store_->resume_run(resumed_);
    if (!writer) return writer.error();
    writer_ = std::move(writer.value());
    return {};
  }
  store::RunInfo info;
  info.command = context_.as_typed;
  info.seed = request_.seed;
  info.protocol = request_.protocol;
  info.host = target::host_facts();
  info.versions = build_facts();
  info.options = request_.to_value();
  info.subset_note = subset_note_;
  info.full_command = whole_command();
  if (sliced_.is_sliced()) store::set_slices(info.options, sliced_);
  if (request_.slice) {
    info.uuid = command_.job.empty() ? sliced_id(request_, *request_.slice, asked_) : command_.job;
    if (Status free = check_free(info.uuid); !free) return free;
  }
  Result<store::RunWriter> writer = store_->begin_run(std::move(info));
  if (!writer) return writer.error();
  writer_ = std::move(writer.value());
  return {};
}

namespace {

store::RunTarget stored_target(const TargetStatus& standing) {
  store::RunTarget stored;
  const TargetEntry& entry = *standing.target;
  stored.target = entry.name;
  stored.framework = entry.parts.framework;
  stored.framework_version = standing.framework_version;
  stored.device_name = standing.device;
  stored.mode = entry.worker;
  stored.baseline = entry.baseline;
  stored.usable = standing.usable;
  stored.reason = standing.reason;
  stored.remedy = standing.remedy;
  stored.entry = entry.hello();
  stored.facts = standing.facts.is_object() ? standing.facts : Value(Value::Object{});
  stored.environment_lock = standing.lock;
  return stored;
}

}  // namespace

Status RunSession::describe_targets() {
  for (const RunTargetPlan& wanted : targets_) {
    if (Status status = writer_->add_target(stored_target(wanted.standing)); !status) return status;
    if (Status status = writer_->plan(wanted.standing.target->name, wanted.cases); !status) return status;
  }
  for (const TargetStatus& standing : unusable_) {
    if (Status status = writer_->add_target(stored_target(standing)); !status) return status;
  }
  return {};
}

// What workers are kept from, with the folders open that they write to.
Result<proc::Sandbox> RunSession::sandbox_for(const HeldDir& work, const std::filesystem::path& answers) {
  if (command_.no_sandbox) return proc::Sandbox();
  std::error_code error;
  const std::filesystem::path temporary = std::filesystem::temp_directory_path(error);
  target::Protection protection = target::find_protection(environment_variable("HOME"), temporary);
  proc::Sandbox& sandbox = protection.sandbox;
  if (!context_.common.quiet) {
    for (const target::Safeguard& safeguard : protection.safeguards) {
      if (!safeguard.here)
        line_.print(fmt::format("without: {} (seamark targets --doctor says why)", safeguard.what));
    }
  }
  if (sandbox.read_only.empty()) return sandbox;
  for (const std::filesystem::path& folder : {work.path(), answers}) {
    if (folder.empty() || !target::is_within(folder, sandbox.read_only)) continue;
    if (Status made = make_directories(folder); !made) return made.error();
    sandbox.writable.push_back(std::filesystem::weakly_canonical(folder).native());
  }
  for (const auto& [name, folder] : context_.worker_environment.caches) {
    if (Status made = make_directories(work.path() / "caches" / folder); !made) return made.error();
  }
  return sandbox;
}

// Of a slice that machines did not survive: nothing is run, and each case says why.
Result<ExitCode> RunSession::record_error() {
  const std::string_view said = command_.record_error;
  const std::size_t first = std::min(said.find('\n'), said.size());
  for (const RunTargetPlan& wanted : targets_) {
    std::vector<Attempt> attempts;
    for (const CaseInfo& info : wanted.cases) {
      Attempt& attempt = attempts.emplace_back();
      attempt.target = wanted.standing.target->name;
      attempt.case_name = info.name;
      attempt.case_hash = info.hash;
      attempt.mode = wanted.standing.target->worker;
      attempt.evidence = Evidence::kDeclared;
      attempt.reason = said.substr(0, first);
      attempt.capture = trim(said.substr(first));
      attempt.latency.cold_reason = attempt.latency.warm_reason = "nothing was run";
      attempt.started_unix_us = clock_.unix_us();
    }
    if (Status done = writer_->commit(attempts); !done) return done.error();
  }
  const Status finished =
      writer_->finish(store::RunState::kFinished, {}, wall_s(), cpu_seconds() - start_cpu_s_);
  if (!finished) return finished.error();
  return ExitCode::kEnvironment;
}

Result<ExitCode> RunSession::drive() {
  const std::filesystem::path locks = lock_dir(context_);
  if (Status made = make_directories(locks); !made) {
    return Error(CliError::kEnvironment, made.error().message(), "set SEAMARK_LOCKS to another folder");
  }
  Result<HeldDir> work = HeldDir::make("run");
  if (!work) return work.error();
  const int jobs = settings_.jobs > 0 ? settings_.jobs : default_jobs();
  const std::filesystem::path answers =
      command_.no_cache ? std::filesystem::path() : context_.cache / "compiled";
  const Result<proc::Sandbox> sandbox = sandbox_for(*work, answers);
  if (!sandbox) return sandbox.error();
  const run::Plan plan =
      make_plan(request_, targets_, done_, jobs,
                {context_.boot(), work->path(), locks, answers, *sandbox, &context_.worker_environment});
  std::vector<std::pair<std::string, std::size_t>> shown;
  for (const run::PlannedTarget& one : plan.targets) {
    std::set<std::string> before;  // what an earlier part of the run has done of it
    for (const auto& attempt : one.prior) before.insert(attempt.case_hash);
    if (before.size() < one.cases.size()) shown.emplace_back(one.name, one.cases.size());
  }
  StatusLine status(line_, clock_, shown);
  run::StatusListener silent;
  run::StatusListener& listener = context_.common.quiet ? silent : static_cast<run::StatusListener&>(status);
  if (!context_.common.quiet) {
    std::size_t cases = 0;
    for (const RunTargetPlan& wanted : targets_) cases += wanted.cases.size();
    line_.print(fmt::format(
        "{} {} on {} targets, {} workers at once, into {}", resumed_.empty() ? "running" : "going on with",
        cases == 1 ? "1 case" : fmt::format("{} cases", cases), targets_.size(), jobs, settings_.store));
  }
  std::optional<StoreSink> sink(*writer_);
  const Result<run::RunResult> result = run::run(plan, *sink, listener, signals_);
  sink.reset();
  line_.clear();
  if (!result) {
    (void)writer_->finish(store::RunState::kFailed, result.error().message(), wall_s(),
                          cpu_seconds() - start_cpu_s_);
    return Error(result.error().within("the run stopped"));
  }
  return finish(*result, status);
}

Result<ExitCode> RunSession::finish(const run::RunResult& result, const StatusLine& status) {
  const auto* interrupted = std::get_if<run::Interrupted>(&result);
  report::RunEnd end;
  end.store = settings_.store;
  end.interrupted = interrupted != nullptr;
  const run::RunCounts& counts =
      interrupted != nullptr ? interrupted->counts : std::get<run::Finished>(result).counts;
  end.cases = counts.cases;
  end.settled = counts.done;
  end.wall_s = wall_s();
  end.cpu_s = cpu_seconds() - start_cpu_s_;
  end.errors = status.error_reasons();
  end.subset_note = subset_note_;
  end.full_command = whole_command();
  bool complete = unusable_.empty();
  if (interrupted == nullptr) {
    for (const auto& [name, reason] : std::get<run::Finished>(result).unusable) {
      complete = false;
      const auto wanted = std::find_if(
          targets_.begin(), targets_.end(),
          [&, target = name](const RunTargetPlan& one) { return one.standing.target->name == target; });
      if (wanted == targets_.end()) continue;
      wanted->standing.usable = false;
      wanted->standing.reason = reason;
      if (Status told = writer_->add_target(stored_target(wanted->standing)); !told) return told.error();
    }
  }
  const Status finished =
      writer_->finish(interrupted != nullptr ? store::RunState::kInterrupted : store::RunState::kFinished,
                      interrupted != nullptr ? "interrupted by the user" : "", end.wall_s, end.cpu_s);
  if (!finished) return finished.error();
  if (!context_.common.quiet) print_summary(end);
  if (interrupted != nullptr) return ExitCode::kInterrupted;
  const bool is_empty_slice = request_.slice && counts.cases == 0;
  if (!is_empty_slice && counts.pass + counts.fail + counts.timeout + counts.crash + counts.flaky == 0) {
    return complete ? ExitCode::kNothingRan : ExitCode::kEnvironment;
  }
  return complete && end.settled == end.cases ? ExitCode::kDone : ExitCode::kEnvironment;
}

void RunSession::print_summary(const report::RunEnd& end) {
  const auto rules = classify::RuleSet::load(context_.home / "data" / "classification");
  if (!rules) return line_.print(error_text(rules.error(), context_.err.color));
  analysis::SummaryOptions options;
  options.run = store::RunChoice::parse(writer_->uuid());
  const auto summary = analysis::summarize(*store_, *rules, options);
  if (!summary) return line_.print(error_text(summary.error(), context_.err.color));
  (void)write_output(
      report::terminal_text(report::run_end_document(*summary, end), render_options(context_)));
}

Result<ExitCode> RunSession::run() {
  if (Status status = prepare(); !status) return status.error();
  if (command_.resume) {
    if (Status status = take_up_unfinished(); !status) return status.error();
  }
  if (!command_.address.empty() && command_.engine.empty())
    return Error(CliError::kUsage, "--address is of --engine");
  if (!command_.engine.empty()) return run_on_engine();
  if (Status status = check_unasked(); !status) return status.error();
  for (Status (RunSession::* const step)() : {&RunSession::choose_targets, &RunSession::choose,
                                              &RunSession::open_writer, &RunSession::describe_targets}) {
    const Status status = (this->*step)();
    if (signals_.interrupts() > 0 && !writer_) return ExitCode::kInterrupted;
    if (!status) return status.error();
  }
  if (!command_.record_error.empty()) return record_error();
  return drive();
}

}  // namespace seamark::cli
