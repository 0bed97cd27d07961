// What every verb needs: where things lie, what is known, how to speak to the user.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/agent/commands.h"
#include "seamark/base/clock.h"
#include "seamark/base/result.h"
#include "seamark/cli/exit_codes.h"
#include "seamark/cli/live_line.h"
#include "seamark/cli/options.h"
#include "seamark/cli/settings.h"
#include "seamark/cli/terminal.h"
#include "seamark/target/doctor.h"
#include "seamark/target/environment.h"
#include "seamark/target/recipe.h"
#include "seamark/target/registry.h"
#include "seamark/target/worker_environment.h"

namespace seamark::cli {

struct Context {
  std::filesystem::path home;
  std::filesystem::path cache;
  CommonOptions common;
  std::string as_typed;
  Settings settings;  // without the verb's own flags
  target::Registry registry;
  target::Recipes recipes;
  target::Environments environments;
  target::WorkerEnvironment worker_environment;  // with what the settings pass
  Terminal out;                                  // standard output
  Terminal err;

  // The published studies, a folder each.
  [[nodiscard]] std::filesystem::path baselines() const { return home / "data" / "baselines"; }
  [[nodiscard]] std::filesystem::path boot() const { return home / "python" / "seamark_agent" / "boot.py"; }
};

Result<Context> make_context(const Invocation& invocation);

// The context's settings with what a verb was told. A config's choice of targets is one of what to run, and
// none of what to list or show. kUsage.
Result<Settings> settings_for(const Context& context, const Selection& selection);

// Writes everything to `file`, whole or not at all; "" and "-" are standard output. kOutput; a reader that
// went away (`| head`) is none.
Status write_output(std::string_view text, const std::string& file = {});
// The same, as the end of a verb.
Result<ExitCode> end_with(std::string_view text, const std::string& file = {});

// A name that a user gave; "" is none. kUsage.
Status check_framework(const Context& context, const std::string& name);
// The baselines of the frameworks; of those alone that have a file in data/FOLDER where a folder is named.
std::vector<std::string> baselines_with(const Context& context, std::string_view folder = {});
// "seamark targets install torch-cpu jax-cpu": what makes these targets usable.
std::string install_command(const Context& context, std::span<const std::string> targets);

// Examines targets with a line of progress on stderr.
std::vector<target::TargetStatus> examine(const Context& context, const Settings& settings,
                                          std::span<const target::TargetEntry* const> targets, bool refresh,
                                          LiveLine& line, proc::Signals* signals);

// With the user's own interpreters; nothing is asked of the agent. Borrows the context.
target::Doctor doctor_of(const Context& context, const Settings& settings);

// The interpreter that serves a target, where it is there.
std::optional<target::Interpreter> usable_python(const target::Doctor& doctor,
                                                 const target::TargetEntry& entry);

// The interpreter that would serve a target; where there is none, any that can list files of cases:
// another target's, else python3. kEnvironment.
Result<target::Interpreter> python_for(const Context& context, const target::Doctor& doctor,
                                       const target::TargetEntry& entry);

agent::AgentProgram agent_program(const Context& context, const target::TargetEntry& entry,
                                  const target::Interpreter& interpreter, proc::Signals* signals = nullptr);

}  // namespace seamark::cli
