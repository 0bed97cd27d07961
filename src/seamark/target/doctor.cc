#include "seamark/target/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <system_error>
#include <thread>

#include "seamark/base/fd.h"
#include "seamark/base/held_dir.h"
#include "seamark/base/home.h"
#include "seamark/base/text.h"
#include "seamark/proc/memory.h"
#include "seamark/proc/run_command.h"
#include "seamark/target/installation.h"
#include "seamark/target/probe_cache.h"
#include "seamark/target/python_search.h"

namespace seamark::target {
namespace {

constexpr double kFindSeconds = 30;
constexpr std::size_t kMostAtOnce = 4;
constexpr std::size_t kMostErrorText = 2000;
constexpr std::size_t kMostAnswer = std::size_t{1} << 20;

// The agent's answers are untrusted: text for a terminal, of a length that fits there.
std::string told(const Value& answer, std::string_view key) {
  return std::string(utf8_prefix(one_line(answer.string_or(key, "")), kMostErrorText));
}

// One of the alternatives is there: "g++|clang++"; "$CXX" is what the variable names.
bool has_one_of(std::string_view alternatives) {
  for (std::string_view name : split(alternatives, '|')) {
    if (!name.empty() && name.front() == '$') {
      const std::optional<std::string> value = environment_variable(name.substr(1));
      if (!value) continue;
      const std::vector<std::string_view> words = split_words(*value);
      if (!words.empty() && find_program(words.front())) return true;
    } else if (find_program(name)) {
      return true;
    }
  }
  return false;
}

std::optional<std::string> missing_program(const TargetEntry& target) {
  for (const std::string& alternatives : target.requires_programs) {
    if (!has_one_of(alternatives)) return replace_all(alternatives, "|", " or ");
  }
  return std::nullopt;
}

// What must be importable, besides Python itself.
std::vector<std::string> modules_of(const TargetEntry& target, const Frameworks& frameworks) {
  std::vector<std::string> modules = target.packages;
  if (const Framework* known = frameworks.find(target.parts.framework)) modules.push_back(known->module);
  return modules;
}

// The first of these that the interpreter does not have; empty when it has all. Imports none of them.
Result<std::string> missing_module(const std::string& interpreter, const std::vector<std::string>& modules,
                                   const Variables& variables, proc::Signals* signals,
                                   const proc::EnvironmentRule* inherits) {
  proc::CommandOptions command;
  command.spawn.inherits = inherits;
  command.spawn.argv = {interpreter, "-c",
                        "import sys\nif sys.path and sys.path[0] == '': del sys.path[0]\n"
                        "import importlib.util\n"
                        "print(next((n for n in sys.argv[1:] if importlib.util.find_spec(n) is None), ''))"};
  command.spawn.argv.insert(command.spawn.argv.end(), modules.begin(), modules.end());
  command.spawn.environment.assign(variables.begin(), variables.end());
  command.timeout_s = kFindSeconds;
  command.signals = signals;
  const Result<proc::CommandResult> result = proc::run_command(command);
  if (!result) return Error(TargetError::kNoPython, result.error().message());
  if (!result->success()) {
    return Error(TargetError::kNoPython,
                 fmt::format("{} does not run: it {}", interpreter, one_line(result->text())));
  }
  return std::string(trim(result->out));
}

std::optional<Interpreter> active_python() {
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const std::optional<std::string> prefix = environment_variable(name);
    if (!prefix) continue;
    if (const std::optional<std::string> path = find_program(*prefix + "/bin/python")) {
      return Interpreter{*path, fmt::format("the active environment (${})", name), "", {}};
    }
  }
  if (const std::optional<std::string> path = find_program("python3")) {
    return Interpreter{*path, "python3 on PATH", "", {}};
  }
  return std::nullopt;
}

void refuse(TargetStatus& standing, std::string reason, std::string remedy) {
  standing.usable = false;
  standing.reason = std::move(reason);
  standing.remedy = std::move(remedy);
}

void take_answer(TargetStatus& standing, const Value& answer) {
  standing.facts = answer;
  standing.usable = answer.bool_or("usable", false);
  standing.framework_version = told(answer, "framework_version");
  standing.device = told(answer, "device");
  standing.python = told(answer, "python");
  if (standing.usable) return;
  standing.reason = told(answer, "reason");
  standing.remedy = told(answer, "remedy");
  if (standing.reason.empty()) standing.reason = "its probe gave no reason";
}

}  // namespace

Doctor::Doctor(const Registry& registry, const Recipes& recipes, const Environments& environments,
               DoctorOptions options)
    : registry_(registry), recipes_(recipes), environments_(environments), options_(std::move(options)) {}

std::optional<Interpreter> Doctor::interpreter_for(const TargetEntry& target) const {
  for (const OwnPython& own : options_.own) {
    if (!glob_match(own.pattern, target.name)) continue;
    const std::optional<std::string> path = find_program(own.path);
    return Interpreter{path.value_or(own.path), own.origin, "", {}};
  }
  for (const std::string& name : target.environments) {
    const Recipe* recipe = recipes_.find(name);
    if (recipe == nullptr) continue;
    if (const std::optional<Environment> there = environments_.installed(*recipe)) {
      return Interpreter{there->interpreter, "environment " + name, name, clean_python_variables()};
    }
  }
  return target.environments.empty() ? active_python() : std::nullopt;
}

// The smallest of the environments that serve it: one may be preferred where it is, and large.
std::string Doctor::environment_to_install(const TargetEntry& target) const {
  const auto size = [&](const std::string& name) {
    const Recipe* recipe = recipes_.find(name);
    return recipe == nullptr ? std::numeric_limits<std::int64_t>::max() : recipe->download_mib;
  };
  const auto& names = target.environments;
  return *std::min_element(names.begin(), names.end(),
                           [&](const std::string& a, const std::string& b) { return size(a) < size(b); });
}

Variables Doctor::worker_variables(const TargetEntry& target, const Interpreter& interpreter) {
  Variables variables = interpreter.variables;
  variables.insert(variables.end(), target.variables.begin(), target.variables.end());
  return variables;
}

TargetStatus Doctor::cheap(const TargetEntry& target) const {
  TargetStatus standing;
  standing.target = &target;
  standing.usable = true;
  standing.interpreter = interpreter_for(target);
  if (const HardwareCheck* check = registry_.hardware(target.hardware);
      check != nullptr && !is_present(*check)) {
    refuse(standing, check->missing, check->remedy);
  } else if (!standing.interpreter && !target.environments.empty()) {
    standing.to_install = environment_to_install(target);
    refuse(standing, fmt::format("the environment '{}' is not installed", standing.to_install),
           fmt::format("seamark targets install {}", standing.to_install));
  } else if (!standing.interpreter || !find_program(standing.interpreter->path)) {
    refuse(standing,
           standing.interpreter ? fmt::format("there is no program {} ({})", standing.interpreter->path,
                                              standing.interpreter->origin)
                                : "no Python was found",
           "name the interpreter that has the framework with --python");
  } else if (const std::optional<std::string> program = missing_program(target)) {
    refuse(standing, fmt::format("needs {} on PATH", *program),
           target.remedy.empty() ? fmt::format("install {}", *program) : target.remedy);
  }
  return standing;
}

void Doctor::ask_agent(TargetStatus& standing, proc::Signals* signals) const {
  const TargetEntry& target = *standing.target;
  const Interpreter& interpreter = *standing.interpreter;
  Result<HeldDir> scratch = HeldDir::make("probe");
  proc::CommandOptions command;
  command.spawn.argv = {interpreter.path, (options_.home / "python" / "seamark_agent" / "boot.py").native(),
                        "probe", "--target", dump_json(target.hello())};
  command.spawn.inherits = options_.inherits;
  for (const auto& [name, value] : worker_variables(target, interpreter)) {
    command.spawn.environment.emplace_back(name, value);
  }
  if (scratch) command.spawn.environment.emplace_back("SEAMARK_WORK_DIR", scratch->path().native());
  command.timeout_s = std::chrono::duration<double>(options_.deadline).count();
  command.max_output_bytes = kMostAnswer;
  command.signals = signals;
  const Result<proc::CommandResult> result = proc::run_command(command);
  const std::string look =
      fmt::format("look at what `{} -c 'import {}'` says", interpreter.path, target.parts.framework);
  if (!result) return refuse(standing, result.error().message(), result.error().remedy());
  if (result->interrupted) return refuse(standing, "the probe was interrupted", "");
  if (!result->success()) {
    return refuse(standing, fmt::format("its probe {}", one_line(result->text())), look);
  }
  const std::vector<std::string_view> lines = split_lines(trim(result->out));
  const Result<Value> answer = parse_json(lines.empty() ? std::string_view() : lines.back());
  if (!answer || !answer->is_object()) return refuse(standing, "its probe printed no answer", look);
  take_answer(standing, *answer);
}

void Doctor::ask(TargetStatus& standing, Locks& locks, proc::Signals* signals) const {
  const Interpreter& interpreter = *standing.interpreter;
  const Variables variables = worker_variables(*standing.target, interpreter);
  const std::vector<std::string> modules = modules_of(*standing.target, registry_.frameworks());
  if (interpreter.environment.empty() && !modules.empty()) {
    const Result<std::string> missing =
        missing_module(interpreter.path, modules, variables, signals, options_.inherits);
    if (!missing) return refuse(standing, missing.error().message(), missing.error().remedy());
    if (!missing->empty()) {
      return refuse(standing,
                    fmt::format("{} ({}) has no {}", interpreter.path, interpreter.origin, *missing),
                    standing.target->environments.empty()
                        ? fmt::format("name an interpreter that has {} with --python", *missing)
                        : fmt::format("name another with --python, or seamark targets install {}",
                                      environment_to_install(*standing.target)));
    }
  }
  if (options_.on_probe) {
    const std::scoped_lock guard(locks.mutex);
    options_.on_probe(*standing.target);
  }
  ask_agent(standing, signals);
  if (!standing.usable) return;
  const std::scoped_lock guard(locks.mutex);
  auto known = locks.by_interpreter.find(interpreter.path);
  if (known == locks.by_interpreter.end()) {
    Result<Value> lock = environment_lock(interpreter.path, variables, signals, options_.inherits);
    if (!lock) return refuse(standing, lock.error().message(), lock.error().remedy());
    known = locks.by_interpreter.emplace(interpreter.path, std::move(lock.value())).first;
  }
  standing.lock = known->second;
}

// Each probe imports a framework, seconds of one core: as many at once as there are cores, up to a few.
void Doctor::ask_all(std::span<TargetStatus* const> standings, proc::Signals* signals) const {
  Locks locks;
  std::atomic<std::size_t> next = 0;
  // What a thread throws is a fault of the target that it asks, not the end of the process.
  const auto ask_or_refuse = [&](TargetStatus& standing) {
    try {
      ask(standing, locks, signals);
    } catch (const std::exception& broken) {
      refuse(standing, fmt::format("asking it failed: {}", one_line(broken.what())), "");
    }
  };
  const auto work = [&] {
    for (std::size_t i = next++; i < standings.size(); i = next++) {
      if (signals != nullptr && signals->interrupts() > 0) {
        refuse(*standings[i], "the probe was interrupted", "");
      } else {
        ask_or_refuse(*standings[i]);
      }
    }
  };
  const std::size_t cores = std::min<std::size_t>(static_cast<std::size_t>(proc::usable_cpus()), kMostAtOnce);
  std::vector<std::jthread> helpers;
  const auto hire = [&] {
    try {
      helpers.emplace_back(work);
      return true;
    } catch (const std::system_error&) {
      return false;  // no more threads are to be had: those that are there do it
    }
  };
  for (std::size_t i = 1; i < std::min(cores, standings.size()); ++i) {
    if (!hire()) break;
  }
  work();
}

std::vector<TargetStatus> Doctor::examine(std::span<const TargetEntry* const> targets,
                                          proc::Signals* signals) const {
  const ProbeCache cache(options_.cache_dir.empty() ? options_.cache_dir : options_.cache_dir / "probes",
                         options_.home);
  std::vector<TargetStatus> standings;
  std::vector<std::optional<ProbeKey>> keys;
  for (const TargetEntry* target : targets) {
    TargetStatus& standing = standings.emplace_back(cheap(*target));
    std::optional<ProbeKey>& key = keys.emplace_back();
    if (!standing.usable) continue;
    key = cache.key(*target, standing.interpreter->path, worker_variables(*target, *standing.interpreter));
    std::optional<ProbeAnswer> kept = key && !options_.refresh ? cache.find(*key) : std::nullopt;
    if (!kept) continue;
    take_answer(standing, kept->facts);
    standing.lock = std::move(kept->lock);
    standing.from_cache = true;
  }
  std::vector<TargetStatus*> open;
  for (TargetStatus& standing : standings) {
    if (standing.usable && !standing.from_cache) open.push_back(&standing);
  }
  ask_all(open, signals);
  for (std::size_t i = 0; i < standings.size(); ++i) {
    const TargetStatus& standing = standings[i];
    // What does not work is asked again: a user who mends it must see that.
    if (keys[i] && standing.usable && !standing.from_cache) {
      cache.keep(*keys[i], {standing.facts, standing.lock});
    }
  }
  return standings;
}

}  // namespace seamark::target
