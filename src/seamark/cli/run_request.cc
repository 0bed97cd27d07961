#include "seamark/cli/run_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "seamark/base/home.h"
#include "seamark/base/text.h"
#include "seamark/cli/errors.h"
#include "seamark/model/case_info.h"
#include "seamark/store/run_slices.h"
#include "seamark/target/protection.h"

namespace seamark::cli {
namespace {

constexpr std::size_t kCasesPerSlot = 16;  // fewer do not pay for a worker's start

std::vector<std::string> texts_of(const Value& document, std::string_view key) {
  std::vector<std::string> texts;
  const Value* list = document.find(key);
  if (list == nullptr || !list->is_array()) return texts;
  for (const Value& item : list->as_array()) {
    if (item.is_string()) texts.push_back(item.as_string());
  }
  return texts;
}

// The folder is open to all, and holds other programs' files too.
std::string lock_file(const std::filesystem::path& folder, std::string_view device) {
  return (folder / fmt::format("seamark-timing-{}.lock", device)).native();
}

std::string device_lock(const target::TargetEntry& entry, const std::filesystem::path& folder) {
  const bool on_host =
      entry.device == "cpu" || entry.device == "lazy" || entry.evidence < Evidence::kExecuted;
  return on_host ? std::string() : lock_file(folder, entry.parts.family);
}

run::MemoryLimit memory_limit(const target::TargetEntry& entry) {
  using target::MemoryRule;
  if (entry.memory_rule == MemoryRule::kNone || entry.memory_mib == 0) return {};
  return {entry.memory_rule == MemoryRule::kRlimit ? run::MemoryMethod::kAddressSpace
                                                   : run::MemoryMethod::kResident,
          entry.memory_mib << 20};
}

int slots_for(const target::TargetEntry& entry, std::size_t cases, std::size_t targets, int jobs) {
  if (entry.slots > 0) return entry.slots;
  const int share = std::max(1, jobs / static_cast<int>(std::max<std::size_t>(targets, 1)));
  const int useful = static_cast<int>(std::min<std::size_t>(cases / kCasesPerSlot + 1, 256));
  return std::min(share, useful);
}

// A cache that the user keeps outside of what is closed stays where it is.
target::Variables compiler_caches(const PlanPlaces& places) {
  target::Variables variables;
  if (places.sandbox.read_only.empty() || places.environment == nullptr) return variables;
  for (const auto& [name, folder] : places.environment->caches) {
    const std::optional<std::string> own = environment_variable(name);
    if (own && !target::is_within(*own, places.sandbox.read_only)) continue;
    variables.emplace_back(name, (places.work_dir / "caches" / folder).native());
  }
  return variables;
}

run::PlannedTarget plan_target(const RunRequest& request, const RunTargetPlan& wanted, std::size_t targets,
                               int jobs, const PlanPlaces& places) {
  const target::TargetEntry& entry = *wanted.standing.target;
  run::PlannedTarget planned;
  planned.name = entry.name;
  planned.hello = entry.hello();
  planned.interpreter = wanted.standing.interpreter->path;
  planned.environment = compiler_caches(places);
  const target::Variables own = target::Doctor::worker_variables(entry, *wanted.standing.interpreter);
  planned.environment.insert(planned.environment.end(), own.begin(), own.end());
  planned.mode = entry.worker;
  planned.confirm = entry.confirm;
  planned.slots = slots_for(entry, wanted.cases.size(), targets, jobs);
  planned.timeout_s = request.timeout_s.value_or(entry.timeout_s);
  planned.memory = memory_limit(entry);
  planned.threads = entry.threads;
  planned.network = entry.network;
  planned.suites = request.suites;
  planned.exit_evidence = std::min(entry.evidence, Evidence::kExecuted);
  planned.device_lock = device_lock(entry, places.lock_dir);
  if (entry.evidence < Evidence::kExecuted) planned.cache_dir = places.cache_dir.native();
  const bool executes = entry.evidence >= Evidence::kExecuted;  // nothing else has a latency
  // Compiling each case anew for its first call takes longer than all the rest of a quick run.
  const bool too_dear = entry.quick && request.choice.cases == "quick" && request.choice.time == "first";
  for (const CaseInfo& info : wanted.cases) {
    planned.cases.push_back({info.name, info.function, info.hash, request.timeout_s ? 0 : info.timeout_s,
                             executes && !too_dear && is_timed(info, request.choice.time)});
  }
  return planned;
}

bool takes_sample(const RunRequest& request) {
  return request.choice.sample && !request.choice.sample->functions.empty();
}

std::string note_of_cases(const RunRequest& request, std::span<const RunTargetPlan> targets) {
  if (request.choice.cases == "all") return {};
  if (request.choice.cases == "core") return "core cases only.";
  std::vector<std::string> quick;
  for (const RunTargetPlan& wanted : targets) {
    if (wanted.standing.target->quick) quick.push_back(wanted.standing.target->name);
  }
  if (quick.empty()) return "core cases only.";
  return fmt::format("of each function one forward and one gradient case on {}{}, core cases elsewhere.",
                     join(quick, ", "), request.choice.time == "first" ? ", untimed" : "");
}

// The command with `all` in the place of what the flag says there; behind it, where it came from elsewhere.
std::string with_all(std::string command, std::string_view flag, std::string_view value) {
  for (const char* between : {" ", "="}) {
    const std::string said = fmt::format("{}{}{}", flag, between, value);
    const std::size_t at = command.find(said);
    if (at != std::string::npos)
      return command.replace(at, said.size(), fmt::format("{}{}all", flag, between));
  }
  return fmt::format("{} {} all", command, flag);
}

}  // namespace

Value RunRequest::to_value() const {
  Value value;
  value.set("targets", text_list(targets));
  value.set("suites", text_list(suites));
  value.set("functions", text_list(choice.functions));
  value.set("case", choice.case_glob);
  value.set("cases", choice.cases);
  value.set("time", choice.time);
  value.set("timeout_s", timeout_s ? Value(*timeout_s) : Value());
  value.set("recheck_share", recheck_share ? Value(*recheck_share) : Value());
  if (!confirm) value.set("confirm", false);
  if (choice.sample) value.set("shipped_sample", choice.sample->name);
  if (repeat > 1) value.set("repeat", repeat);
  value.set("sample", sample);
  return value;
}

Result<RunRequest> RunRequest::from_run(const store::RunInfo& info) {
  RunRequest request;
  request.targets = texts_of(info.options, "targets");
  request.suites = texts_of(info.options, "suites");
  request.choice.functions = texts_of(info.options, "functions");
  request.choice.case_glob = info.options.string_or("case", "");
  request.choice.cases = info.options.string_or("cases", "all");
  request.choice.time = info.options.string_or("time", "core");
  if (const std::string shipped = info.options.string_or("shipped_sample", ""); is_shipped_sample(shipped))
    request.choice.sample = ShippedSample{shipped, {}};
  const double timeout = info.options.number_or("timeout_s", 0);
  if (timeout > 0 && timeout <= kMostTimeoutSeconds) request.timeout_s = timeout;
  const double recheck = info.options.number_or("recheck_share", -1);
  if (recheck >= 0 && recheck <= 1) request.recheck_share = recheck;
  const Value* confirm = info.options.find("confirm");
  request.confirm = confirm == nullptr || !confirm->is_bool() || confirm->as_bool();
  const double repeat = info.options.number_or("repeat", 1);
  if (repeat >= 1 && repeat <= run::kMostRepeats) request.repeat = static_cast<int>(repeat);
  const Value* sample = info.options.find("sample");
  if (sample != nullptr && sample->is_object()) request.sample = *sample;
  if (const store::SlicedRun sliced = store::sliced_run(info); !sliced.slices.empty() && !sliced.joined)
    request.slice = sliced.slices.front().slice;
  request.protocol = info.protocol;
  request.seed = info.seed;
  if (request.targets.empty() || request.suites.empty()) {
    return Error(CliError::kUsage, fmt::format("the run {} does not say what it was asked for", info.uuid),
                 "start a new run without --resume");
  }
  return request;
}

run::Plan make_plan(const RunRequest& request, std::span<const RunTargetPlan> targets,
                    std::span<const store::DoneAttempt> done, int jobs, const PlanPlaces& places) {
  run::Plan plan;
  plan.boot = places.boot.native();
  plan.work_dir = places.work_dir.native();
  plan.inherits = places.environment == nullptr ? nullptr : &places.environment->rule;
  plan.sandbox = places.sandbox;
  plan.host_lock = lock_file(places.lock_dir, "cpu");  // every timing needs the host's processors
  plan.jobs = jobs;
  plan.protocol = request.protocol == "paper" ? run::Protocol::kPaper : run::Protocol::kFull;
  plan.seed = static_cast<std::uint64_t>(request.seed);
  if (request.recheck_share) plan.recheck_share = *request.recheck_share;
  plan.confirm = request.confirm;
  plan.repeat = request.repeat;
  plan.rerun_errors = !done.empty();
  for (const RunTargetPlan& wanted : targets) {
    run::PlannedTarget planned = plan_target(request, wanted, targets.size(), jobs, places);
    for (const store::DoneAttempt& attempt : done) {
      if (attempt.target != planned.name) continue;
      planned.prior.push_back({attempt.case_hash, attempt.attempt, attempt.phase, attempt.outcome,
                               attempt.signature, attempt.confirmed_by});
    }
    plan.targets.push_back(std::move(planned));
  }
  return plan;
}

std::string subset_note(const RunRequest& request, std::span<const RunTargetPlan> targets) {
  std::string of_cases = note_of_cases(request, targets);
  if (!takes_sample(request)) return of_cases;
  return fmt::format("functions of the sample '{}'{}{}", request.choice.sample->name,
                     of_cases.empty() ? "." : "; ", of_cases);
}

std::string full_command(const RunRequest& request, std::string_view as_typed) {
  std::string command(as_typed);
  if (takes_sample(request)) command = with_all(std::move(command), "--sample", request.choice.sample->name);
  if (request.choice.cases != "all") command = with_all(std::move(command), "--cases", request.choice.cases);
  if (command == as_typed) return {};
  return replace_all(command, " --resume", "");  // another choice does not go on with this run
}

}  // namespace seamark::cli
