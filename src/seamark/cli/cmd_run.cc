// `seamark run`: targets x cases, under supervision, into a store.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "seamark/agent/agent_error.h"
#include "seamark/analysis/summary.h"
#include "seamark/base/fd.h"
#include "seamark/base/held_dir.h"
#include "seamark/base/home.h"
#include "seamark/base/text.h"
#include "seamark/catalog/rules.h"
#include "seamark/cli/case_choice.h"
#include "seamark/cli/case_listing.h"
#include "seamark/cli/context.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/rendering.h"
#include "seamark/cli/run_request.h"
#include "seamark/cli/sample_choice.h"
#include "seamark/cli/status_line.h"
#include "seamark/cli/store_sink.h"
#include "seamark/cli/store_writing.h"
#include "seamark/cli/verbs.h"
#include "seamark/cli/version.h"
#include "seamark/model/case_info.h"
#include "seamark/model/verdict.h"
#include "seamark/proc/memory.h"
#include "seamark/proc/run_command.h"
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

// Of a run that names no targets: which ones an installation would add.
std::string left_out_note(const std::vector<TargetStatus>& standings) {
  std::vector<std::string> names;
  std::vector<std::string> environments;
  for (const TargetStatus& standing : standings) {
    const std::string& environment = standing.to_install;
    if (environment.empty()) continue;
    names.push_back(standing.target->name);
    if (std::find(environments.begin(), environments.end(), environment) == environments.end()) {
      environments.push_back(environment);
    }
  }
  if (names.empty()) return {};
  return fmt::format("left out: {} (for them: seamark targets install {})", join(names, ", "),
                     join(environments, " "));
}

class RunCommand final : public Command {
 public:
  explicit RunCommand(Options& options) {
    options.targets(flags.selection,
                    "Targets by name or glob, e.g. torch/cuda, 'jax/*' (default: all usable)");
    options.suites(flags.selection, "A suite by name, a .py file of yours, or a trace (default: curated)");
    options.value("-f,--function", functions, "GLOB",
                  "Only functions that this glob matches, e.g. 'torch.fft.*'");
    options.value(
        "--functions", functions_file, "FILE",
        "The same from a file, one a line (- is standard input); one without a case is told, and left "
        "out");
    options
        .value("--sample", sample, "NAME",
               "Only the functions of a sample: study (as the study drew), today (nine calls in ten), all, "
               "or one "
               "of the store (default: the latest there)")
        .takes(0, 1);
    options.value("--case", case_glob, "GLOB", "Only cases that this glob matches, e.g. '*bf16*'");
    options
        .value("--cases", flags.cases, "WHICH",
               "all, core, or quick: the core cases, of which torch/cpu+inductor takes one forward and one "
               "gradient case per function (default: all)")
        .one_of({"all", "core", "quick"});
    options
        .value("--time", flags.time, "WHICH",
               "Which cases are timed: all, core, first (a forward one per function) or none (default: "
               "core; first with --cases quick)")
        .one_of({"all", "core", "first", "none"});
    options.flag("--no-timing", flags.no_timing, "The same as --time none");
    options.value("--protocol", flags.protocol, "NAME", "full, or paper: as the study timed (default: full)")
        .one_of({"full", "paper"});
    options
        .value("--timeout", flags.timeout_s, "SECONDS",
               "Seconds that one case may take (default: the target's, 900)")
        .between(0.001, kMostTimeoutSeconds);
    options.value("--seed", flags.seed, "N", "Of inputs and rechecks (default: 0)")
        .within(0, std::int64_t{1} << 53);
    options.value("--recheck", recheck, "SHARE", "The share of passes that runs again alone (default: 0.05)")
        .between(0.0, 1.0);
    options
        .value("--repeat", repeat, "N",
               "Check each case N times, all but the first alone: finds what fails now and then (default: 1)")
        .within(1, run::kMostRepeats);
    options.flag("--no-confirm", no_confirm,
                 "Run no failure again alone: quick where much fails, but a flaky case looks like a failure");
    options.value("-j,--jobs", flags.jobs, "N", "Workers at once (default: the usable cores)").within(1, 256);
    options.store(flags.selection);
    options.python(flags.selection);
    options.flag("--resume", resume,
                 "Go on with the latest unfinished run of the store, as it was asked for");
    options.value(
        "--pass-env", flags.pass_env, "NAME",
        "A variable of your environment that cases get too (docs/run.md lists those that they get)");
    options.flag("--no-sandbox", no_sandbox,
                 "Let cases write to your home folder and use the network, as you may");
    options.flag("--no-cache", no_cache,
                 "Compile again where a compiler's answer is known from an earlier run");
    options.flag("--list", list, "Print what would be run, and run nothing");
    options
        .value("--format", format, "FORMAT",
               "Of --list: terminal (names) or jsonl: case, function, hash and targets (default: terminal)")
        .one_of({"terminal", "jsonl"});
    options.flag("--refresh", refresh, "Ask every environment again, whatever is known of it");
  }

  Result<ExitCode> run(Context& context) const override;

  RunFlags flags;
  std::vector<std::string> functions;  // globs
  std::string functions_file;          // of more of them; empty: none
  std::string case_glob;
  std::optional<double> recheck;       // a share
  std::optional<std::int64_t> repeat;  // times
  std::optional<std::string> sample;   // of the store, by name; empty: the latest
  bool no_confirm = false;
  bool no_cache = false;
  bool no_sandbox = false;
  bool resume = false;
  bool list = false;
  std::string format;  // of the list
  bool refresh = false;
};

// Of a module, without importing it: what the recipe pins, or what the interpreter's packages say. Empty: not
// known; nullopt: it is not there.
std::optional<std::string> version_in(const Context& context, const target::Interpreter& python,
                                      const std::string& module) {
  if (const target::Recipe* recipe = context.recipes.find(python.environment)) {
    const std::string& pin = recipe->packages.front();
    const std::size_t at = pin.find("==");
    return at == std::string::npos ? std::string() : pin.substr(at + 2);
  }
  proc::CommandOptions options;
  options.spawn.argv = {python.path, "-c",
                        "import sys\n"
                        "del sys.path[0]\n"  // the current folder
                        "import importlib.metadata as m, importlib.util as u\n"
                        "name = sys.argv[1]\n"
                        "print(m.version(name) if u.find_spec(name) else '')",
                        module};
  options.timeout_s = 10;
  const Result<proc::CommandResult> done = proc::run_command(options);
  if (!done || !done->success()) return std::string();
  const std::string version(trim(done->out));
  return version.empty() ? std::nullopt : std::optional(version);
}

using FrameworkVersion = std::pair<std::string, std::string>;

class RunSession {
 public:
  RunSession(Context& context, const RunCommand& command)
      : context_(context), command_(command), line_(STDERR_FILENO, context.err, clock_) {}

  Result<ExitCode> list();
  Result<ExitCode> run();

 private:
  Status prepare();
  [[nodiscard]] std::vector<std::string> other_flags(const RunRequest& run) const;
  Status take_up_unfinished();
  Status choose_targets();
  Result<std::vector<CaseInfo>> list_for(std::span<const TargetEntry* const> entries);
  [[nodiscard]] bool looks_further() const;
  [[nodiscard]] Status check_frozen(std::span<const FrameworkVersion> versions) const;
  [[nodiscard]] Status check_unasked() const;
  bool look_further(std::span<const CaseInfo> all);
  Status read_functions();
  Status drop_unmatched(std::span<const CaseInfo> all);
  Status list_cases();
  Status load_sample();
  [[nodiscard]] std::vector<CaseInfo> cases_of(std::span<const CaseInfo> all, const TargetEntry& entry) const;
  void tell_sample(std::span<const CaseInfo> all);
  Status choose();
  Status open_writer();
  Status describe_targets();
  Result<proc::Sandbox> sandbox_for(const HeldDir& work, const std::filesystem::path& answers);
  Result<ExitCode> drive();
  Result<ExitCode> finish(const run::RunResult& result, const StatusLine& status);
  void print_summary(const report::RunEnd& end);
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
  std::vector<TargetStatus> unusable_;  // that were asked for by name
  std::optional<store::Store> store_;
  std::optional<store::RunWriter> writer_;
  std::string resumed_;  // uuid
  std::vector<store::DoneAttempt> done_;
  std::optional<SampleChoice> sample_;
  std::int64_t start_ns_ = clock_.monotonic_ns();
  double start_cpu_s_ = cpu_seconds();
};

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
  return {};
}

Status RunSession::read_functions() {
  if (command_.functions_file.empty()) return {};
  constexpr std::size_t kLargest = std::size_t{4} << 20;
  std::string text;
  if (command_.functions_file == "-") {
    for (Result<ReadState> state = ReadState::kOpen; *state != ReadState::kEnd;) {
      state = read_available(STDIN_FILENO, text);
      if (!state) return state.error();
      if (text.size() > kLargest)
        return Error(CliError::kUsage, "there are too many functions", "name fewer");
    }
  } else {
    Result<std::string> whole = read_file(command_.functions_file, kLargest);
    if (!whole) return Error(CliError::kUsage, whole.error().message(), whole.error().remedy());
    text = std::move(*whole);
  }
  for (const std::string_view line : split_lines(text)) {
    if (!trim(line).empty()) request_.choice.functions.emplace_back(trim(line));
  }
  if (!request_.choice.functions.empty()) return {};
  return Error(CliError::kUsage, fmt::format("{} names no function", command_.functions_file),
               "one a line, such as torch.sort");
}

// What a file names and no case is of is left out; at least one stays.
Status RunSession::drop_unmatched(std::span<const CaseInfo> all) {
  if (command_.functions_file.empty()) return {};
  std::vector<std::string>& functions = request_.choice.functions;
  const std::vector<std::string> missing = unmatched(all, request_.choice);
  if (missing.empty()) return {};
  if (missing.size() == functions.size()) {
    return Error(CliError::kNothing, fmt::format("there is no case of {}", join(missing, ", ")),
                 "`seamark run --list` prints all cases");
  }
  std::erase_if(functions, [&](const std::string& one) {
    return std::find(missing.begin(), missing.end(), one) != missing.end();
  });
  line_.print(fmt::format("no case of {}", join(missing, ", ")));
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
  request_ = std::move(request.value());
  asked_ = request_.targets;
  resumed_ = (*latest)->uuid;
  Result<std::vector<store::DoneAttempt>> done = opened->done(resumed_);
  if (!done) return done.error();
  done_ = std::move(done.value());
  return {};
}

Status RunSession::choose_targets() {
  const auto selected = context_.registry.select(asked_);
  if (!selected) return selected.error();
  std::vector<TargetStatus> standings =
      examine(context_, settings_, *selected, command_.refresh, line_, &signals_);
  const std::string left_out = asked_.empty() ? left_out_note(standings) : std::string();
  for (TargetStatus& standing : standings) {
    if (standing.usable) {
      targets_.push_back({std::move(standing), {}});
    } else if (was_named(standing.target->name)) {
      line_.print(fmt::format("{}: not usable: {}{}", standing.target->name, standing.reason,
                              standing.remedy.empty() ? "" : "\n  " + standing.remedy));
      unusable_.push_back(std::move(standing));
    }
  }
  if (!targets_.empty() && !left_out.empty() && !context_.common.quiet) line_.print(left_out);
  if (!targets_.empty() || signals_.interrupts() > 0) return {};
  if (!asked_.empty()) {
    std::string why;
    if (unusable_.empty()) {
      for (const TargetStatus& standing : standings)
        why += fmt::format("\n  {}: {}", standing.target->name, standing.reason);
    }
    return Error(CliError::kEnvironment, "none of the targets asked for is usable here" + why,
                 "`seamark targets` says why and what to do");
  }
  return Error(CliError::kNothing, "no target is usable here yet",
               install_command(context_, baselines_with(context_)) + ", or see `seamark targets`");
}

// The sample that is asked for, or that the run which goes on was of.
Status RunSession::load_sample() {
  std::string what = command_.sample.value_or("");
  std::optional<ShippedSample>& shipped = request_.choice.sample;
  if (shipped || is_shipped_sample(what)) {
    Result<ShippedSample> sample = shipped_sample(context_.home / "data", shipped ? shipped->name : what);
    if (!sample) return sample.error();
    shipped = std::move(*sample);
    return {};
  }
  if (!command_.sample || !resumed_.empty()) {
    if (!request_.sample.is_object()) return {};
    what = request_.sample.string_or("id", "");
  }
  Result<store::Store> opened = store::Store::open(settings_.store, store::OpenMode::kRead);
  if (!opened) {
    if (!opened.error().is(store::StoreError::kMissing)) return opened.error();
    return Error(CliError::kUnknownName, fmt::format("there is no sample yet: {}", opened.error().message()),
                 "`seamark sample` draws one");
  }
  Result<SampleChoice> sample = SampleChoice::load(*opened, what);
  if (!sample) return sample.error();
  sample_.emplace(std::move(sample.value()));
  return {};
}

std::vector<CaseInfo> RunSession::cases_of(std::span<const CaseInfo> all, const TargetEntry& entry) const {
  std::vector<CaseInfo> chosen = choose_cases(all, entry.parts.framework, entry.quick, request_.choice);
  return sample_ ? sample_->choose(chosen) : chosen;
}

// What of the sample cannot be run is no failure and no pass: it is told, and reports count it as unknown.
void RunSession::tell_sample(std::span<const CaseInfo> all) {
  const std::optional<ShippedSample>& shipped = request_.choice.sample;
  if (!sample_ && !shipped) return;
  if (sample_) request_.sample = sample_->to_value(all);
  if (context_.common.quiet) return;
  std::set<std::string> frameworks;
  for (const RunTargetPlan& wanted : targets_) frameworks.insert(wanted.standing.target->parts.framework);
  for (const std::string& framework : frameworks) {
    std::vector<CaseInfo> own;
    for (const CaseInfo& info : all) {
      if (info.framework == framework) own.push_back(info);
    }
    std::vector<std::string> missing =
        sample_ ? sample_->without_case(framework, own) : sampled_without_case(*shipped, own);
    if (!sample_)
      std::erase_if(missing,
                    [&](const auto& f) { return context_.registry.frameworks().of(f) != framework; });
    if (missing.empty()) continue;
    constexpr std::size_t kShown = 6;
    const std::size_t count = missing.size();
    if (count > kShown) missing.resize(kShown);
    line_.print(fmt::format(
        "sample {}: {} of {} have no case here: {}{}{}", sample_ ? sample_->title() : shipped->name,
        count == 1 ? "1 function" : fmt::format("{} functions", count), framework, join(missing, ", "),
        count > kShown ? ", ..." : "",
        sample_ ? " (reports count them as unknown)" : " (docs/suites.md has more suites)"));
  }
}

// Whether functions that the suites lack are looked for in the automatic ones: where no suite was chosen.
bool RunSession::looks_further() const {
  const bool chosen = !command_.flags.selection.suites.empty() || request_.suites != Settings().suites;
  return !chosen && resumed_.empty();
}

// A name that no suite can know is told before a framework is imported to look further: where every
// environment that may have it is of a version whose names ship.
Status RunSession::check_frozen(std::span<const FrameworkVersion> versions) const {
  if (!looks_further()) return {};
  for (const std::string& pattern : request_.choice.functions) {
    if (has_glob(pattern)) continue;
    const std::string of = context_.registry.frameworks().of(pattern);
    std::vector<std::string> known;
    bool all_frozen = true;
    std::set<FrameworkVersion> done;
    for (const FrameworkVersion& one : versions) {
      if ((!of.empty() && one.first != of) || !done.insert(one).second) continue;
      const Result<std::vector<std::string>> names =
          catalog::frozen_names(context_.home / "data" / "catalog", one.first, one.second);
      all_frozen = all_frozen && names && !names->empty();
      if (names) known.insert(known.end(), names->begin(), names->end());
    }
    if (all_frozen && !known.empty() && std::find(known.begin(), known.end(), pattern) == known.end())
      return no_case_of(pattern, known);
  }
  return {};
}

// The same before any environment is asked whether it is usable.
Status RunSession::check_unasked() const {
  const auto selected = context_.registry.select(asked_);
  if (!selected) return selected.error();
  const bool named =
      std::ranges::any_of(request_.choice.functions, [](const auto& one) { return !has_glob(one); });
  if (!named || !looks_further()) return {};
  const target::Doctor doctor = doctor_of(context_, settings_);
  std::map<FrameworkVersion, std::optional<std::string>> known;  // by framework and interpreter
  std::vector<FrameworkVersion> versions;
  for (const TargetEntry* entry : *selected) {
    const std::optional<target::Interpreter> python = usable_python(doctor, *entry);
    const Framework* framework = context_.registry.frameworks().find(entry->parts.framework);
    if (!python || framework == nullptr) continue;
    const auto [there, added] = known.try_emplace({framework->name, python->path});
    if (added) there->second = version_in(context_, *python, framework->module);
    if (there->second) versions.emplace_back(framework->name, *there->second);
  }
  return check_frozen(versions);
}

// Whether a function is asked for that the suites do not have, where no suite was chosen: then the automatic
// ones are taken too. Listing them imports the framework.
bool RunSession::look_further(std::span<const CaseInfo> all) {
  const std::vector<std::string> missing = unmatched(all, request_.choice);
  if (missing.empty() || !looks_further()) return false;
  line_.print(fmt::format("{}: not in the suite {}; looking in {}", join(missing, ", "),
                          request_.suites.front(), join(kAutomaticSuites, ", ")));
  request_.suites.insert(request_.suites.end(), kAutomaticSuites.begin(), kAutomaticSuites.end());
  return true;
}

Status RunSession::list_cases() {
  CaseListing listing(context_, request_.suites, &signals_);
  for (RunTargetPlan& wanted : targets_) {
    const TargetEntry& entry = *wanted.standing.target;
    const auto cases = listing.of(entry, *wanted.standing.interpreter);
    if (!cases) return cases.error();
    wanted.cases = cases_of(*cases, entry);
  }
  const std::vector<CaseInfo> all = listing.all();
  std::vector<FrameworkVersion> versions;
  for (const RunTargetPlan& wanted : targets_)
    versions.emplace_back(wanted.standing.target->parts.framework, wanted.standing.framework_version);
  if (!unmatched(all, request_.choice).empty()) {
    if (Status status = check_frozen(versions); !status) return status;
  }
  if (look_further(all)) return list_cases();
  if (Status status = drop_unmatched(all); !status) return status;
  if (Status status = check_names(all, request_.choice); !status) return status;
  tell_sample(all);
  return {};
}

Status RunSession::choose() {
  if (Status status = load_sample(); !status) return status;
  if (Status status = list_cases(); !status) return status;
  for (const RunTargetPlan& wanted : targets_) {
    const TargetEntry& entry = *wanted.standing.target;
    if (wanted.cases.empty() && was_named(entry.name)) {
      line_.print(fmt::format("{}: none of the chosen cases is for {}", entry.name, entry.parts.framework));
    }
  }
  std::erase_if(targets_, [](const RunTargetPlan& wanted) { return wanted.cases.empty(); });
  if (targets_.empty()) {
    return Error(CliError::kNothing, "no usable target has one of the chosen cases",
                 "`seamark run --list` prints cases");
  }
  request_.targets.clear();
  for (const RunTargetPlan& wanted : targets_) request_.targets.push_back(wanted.standing.target->name);
  for (const TargetStatus& standing : unusable_) request_.targets.push_back(standing.target->name);
  return {};
}

Status RunSession::open_writer() {
  Result<store::Store> opened = open_for_writing(context_, settings_.store);
  if (!opened) return opened.error();
  store_ = std::move(opened.value());
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
  info.subset_note = subset_note(request_, targets_);
  info.full_command = full_command(request_, context_.as_typed);
  Result<store::RunWriter> writer = store_->begin_run(std::move(info));
  if (!writer) return writer.error();
  writer_ = std::move(writer.value());
  return {};
}

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
  end.subset_note = subset_note(request_, targets_);
  end.full_command = full_command(request_, context_.as_typed);
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
  if (counts.pass + counts.fail + counts.timeout + counts.crash + counts.flaky == 0) {
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
  if (Status status = check_unasked(); !status) return status.error();
  for (Status (RunSession::* const step)() : {&RunSession::choose_targets, &RunSession::choose,
                                              &RunSession::open_writer, &RunSession::describe_targets}) {
    const Status status = (this->*step)();
    if (signals_.interrupts() > 0 && !writer_) return ExitCode::kInterrupted;
    if (!status) return status.error();
  }
  return drive();
}

// What cannot be listed here is said, and is an error only when nothing else was.
Result<std::vector<CaseInfo>> RunSession::list_for(std::span<const TargetEntry* const> entries) {
  CaseListing listing(context_, request_.suites, &signals_);
  const target::Doctor doctor = doctor_of(context_, settings_);
  std::map<std::string, Error> failed;  // by framework
  std::set<std::string> done;
  for (const TargetEntry* entry : entries) {
    if (done.contains(entry->parts.framework)) continue;
    const Result<target::Interpreter> python = python_for(context_, doctor, *entry);
    if (!python) return python.error();
    if (const auto cases = listing.of(*entry, *python); cases) {
      done.insert(entry->parts.framework);
    } else if (cases.error().is(agent::AgentError::kInterrupted)) {
      return cases.error();
    } else {
      failed.try_emplace(entry->parts.framework, cases.error());
    }
  }
  std::vector<CaseInfo> all = listing.all();
  for (const auto& [framework, error] : failed) {
    if (all.empty()) return error;
    if (!done.contains(framework)) line_.print(error.message());
  }
  return all;
}

Result<ExitCode> RunSession::list() {
  if (Status status = prepare(); !status) return status.error();
  if (Status status = check_unasked(); !status) return status.error();
  const auto selected = context_.registry.select(asked_);
  if (!selected) return selected.error();
  Result<std::vector<CaseInfo>> all = list_for(*selected);
  if (all && look_further(*all)) all = list_for(*selected);
  if (!all) return all.error();
  if (Status status = check_names(*all, request_.choice); !status) return status.error();
  if (Status status = load_sample(); !status) return status.error();
  std::map<std::string, Value::Array> targets_of;  // by case
  for (const TargetEntry* entry : *selected) {
    for (const CaseInfo& info : cases_of(*all, *entry)) targets_of[info.name].emplace_back(entry->name);
  }
  std::string out;
  for (const CaseInfo& info : *all) {
    const auto targets = targets_of.find(info.name);
    if (targets == targets_of.end()) continue;
    out += command_.format == "jsonl" ? dump_json(Value::Object{{"case", Value(info.name)},
                                                                {"function", Value(info.function)},
                                                                {"hash", Value(info.hash)},
                                                                {"targets", Value(targets->second)}})
                                      : info.name;
    out += '\n';
  }
  if (out.empty()) return Error(CliError::kNothing, "no target has one of the chosen cases");
  return end_with(out);
}

Result<ExitCode> RunCommand::run(Context& context) const {
  if (!format.empty() && !list)
    return Error(CliError::kUsage, "--format is of --list", "`seamark report --format` writes results");
  RunSession session(context, *this);
  return list ? session.list() : session.run();
}

}  // namespace

Verb run_verb() {
  return {"run", "Run cases on targets, under supervision, into a store",
          "Examples:\n"
          "  seamark run --cases quick\n"
          "  seamark run --target torch/cpu --function 'torch.linalg.*'\n"
          "  seamark run --target torch/cuda --python ~/venv/bin/python --store gpu.db\n"
          "  seamark run --resume",
          make_command<RunCommand>};
}

}  // namespace seamark::cli
