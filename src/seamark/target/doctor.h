// Which targets are usable here, and why the others are not. Cheap checks come first; what they leave is
// asked of the agent (`probe`), once per environment, target and hardware: the answers are kept.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "seamark/base/value.h"
#include "seamark/proc/signals.h"
#include "seamark/target/environment.h"
#include "seamark/target/lock.h"
#include "seamark/target/recipe.h"
#include "seamark/target/registry.h"

namespace seamark::target {

// Where a target's Python comes from.
struct Interpreter {
  std::string path;         // as given, or absolute
  std::string origin;       // "environment torch-cpu", "--python", "seamark.toml", "the active environment"
  std::string environment;  // recipe, when it is one of ours
  Variables variables;      // that its workers get besides the target's
};

// A user's own interpreters: of all targets, or of those that a glob names.
struct OwnPython {
  std::string pattern;  // glob of targets; "*" for all
  std::string path;
  std::string origin;
};

struct TargetStatus {
  const TargetEntry* target = nullptr;
  bool usable = false;
  std::string reason;  // why not
  std::string remedy;
  std::string to_install;  // the environment whose installation is the remedy; empty: none is
  std::string framework_version;
  std::string device;
  std::string python;                      // version
  std::optional<Interpreter> interpreter;  // nullopt: there is none
  Value facts;                             // the agent's whole answer; null when it was not asked
  Value lock;                              // of the environment; null when it was not asked
  bool from_cache = false;
};

struct DoctorOptions {
  std::filesystem::path home;                       // holds python/
  std::filesystem::path cache_dir;                  // answers are kept below it; empty: nowhere
  std::vector<OwnPython> own;                       // the first that fits a target is taken
  bool refresh = false;                             // ask again
  const proc::EnvironmentRule* inherits = nullptr;  // of our environment; null: all. Outlives the doctor
  std::chrono::milliseconds deadline = std::chrono::seconds(180);  // of one probe
  std::function<void(const TargetEntry&)> on_probe;                // one is started; called before it, by one
                                                                   // thread at a time
};

class Doctor {
 public:
  // All are borrowed and outlive it.
  Doctor(const Registry& registry, const Recipes& recipes, const Environments& environments,
         DoctorOptions options);

  // In the order given. `signals`, when given: an interrupt ends the probes, and what was not answered is
  // unusable for that reason.
  [[nodiscard]] std::vector<TargetStatus> examine(std::span<const TargetEntry* const> targets,
                                                  proc::Signals* signals = nullptr) const;

  // The interpreter that would serve a target, without starting it.
  [[nodiscard]] std::optional<Interpreter> interpreter_for(const TargetEntry& target) const;

  // Variables of a worker: the interpreter's, then the target's.
  [[nodiscard]] static Variables worker_variables(const TargetEntry& target, const Interpreter& interpreter);

 private:
  [[nodiscard]] TargetStatus cheap(const TargetEntry& target) const;
  [[nodiscard]] std::string environment_to_install(const TargetEntry& target) const;
  struct Locks {  // of environments, each asked for once; also lets one caller at a time into on_probe
    std::mutex mutex;
    std::map<std::string, Value> by_interpreter;
  };
  void ask(TargetStatus& standing, Locks& locks, proc::Signals* signals) const;
  void ask_all(std::span<TargetStatus* const> standings, proc::Signals* signals) const;
  void ask_agent(TargetStatus& standing, proc::Signals* signals) const;

  const Registry& registry_;
  const Recipes& recipes_;
  const Environments& environments_;
  DoctorOptions options_;
};

}  // namespace seamark::target
