// What a run takes: its targets, and of each its cases.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "seamark/agent/agent_error.h"
#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/catalog/rules.h"
#include "seamark/cli/case_choice.h"
#include "seamark/cli/case_listing.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/run_session.h"
#include "seamark/cli/run_slicing.h"
#include "seamark/model/verdict.h"
#include "seamark/proc/run_command.h"

namespace seamark::cli {
namespace {

using target::TargetEntry;
using target::TargetStatus;

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

}  // namespace

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
void RunSession::tell_sample(std::span<const CaseInfo> all, std::span<const TargetEntry* const> entries) {
  const std::optional<ShippedSample>& shipped = request_.choice.sample;
  if (!sample_ && !shipped) return;
  if (sample_) request_.sample = sample_->to_value(all);
  if (context_.common.quiet) return;
  std::set<std::string> frameworks;
  for (const TargetEntry* entry : entries) frameworks.insert(entry->parts.framework);
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
  std::vector<const TargetEntry*> entries;
  for (const RunTargetPlan& wanted : targets_) entries.push_back(wanted.standing.target);
  tell_sample(all, entries);
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
  subset_note_ = subset_note(request_, targets_);
  if (request_.slice && !targets_.empty()) {
    sliced_ = cut(targets_, *request_.slice);
    sliced_.command = without_slice(context_.as_typed);
    sliced_.full_command = full_command(request_, sliced_.command);
    sliced_.subset_note = subset_note_;
    subset_note_ += fmt::format("{}slice {} of {}.", subset_note_.empty() ? "" : " ", request_.slice->index,
                                request_.slice->count);
  }
  if (targets_.empty()) {
    return Error(CliError::kNothing, "no usable target has one of the chosen cases",
                 "`seamark run --list` prints cases");
  }
  request_.targets.clear();
  for (const RunTargetPlan& wanted : targets_) request_.targets.push_back(wanted.standing.target->name);
  for (const TargetStatus& standing : unusable_) request_.targets.push_back(standing.target->name);
  return {};
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

// The cases of all of them, among which are those that were chosen.
Result<std::vector<CaseInfo>> RunSession::list_chosen(std::span<const TargetEntry* const> entries) {
  Result<std::vector<CaseInfo>> all = list_for(entries);
  if (all && look_further(*all)) all = list_for(entries);
  if (!all) return all.error();
  if (Status status = check_names(*all, request_.choice); !status) return status.error();
  if (Status status = load_sample(); !status) return status.error();
  return all;
}

Result<ExitCode> RunSession::list() {
  if (Status status = prepare(); !status) return status.error();
  if (Status status = check_unasked(); !status) return status.error();
  const auto selected = context_.registry.select(asked_);
  if (!selected) return selected.error();
  const Result<std::vector<CaseInfo>> all = list_chosen(*selected);
  if (!all) return all.error();
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

}  // namespace seamark::cli
