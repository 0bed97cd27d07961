#include "seamark/cli/context.h"

#include <fmt/format.h>
#include <unistd.h>

#include <span>
#include <system_error>

#include "seamark/base/fd.h"
#include "seamark/base/home.h"
#include "seamark/base/text.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/trust.h"
#include "seamark/target/python_search.h"

namespace seamark::cli {

Result<Context> make_context(const Invocation& invocation) {
  Result<std::filesystem::path> home = find_home();
  if (!home) return home.error();
  Result<Frameworks> frameworks = Frameworks::load(*home / "data" / "frameworks.toml");
  if (!frameworks) return frameworks.error();
  Result<target::Registry> registry =
      target::Registry::load(*home / "data" / "targets.toml", std::move(*frameworks));
  if (!registry) return registry.error();
  Result<target::Recipes> recipes = target::Recipes::load(*home / "data" / "environments");
  if (!recipes) return recipes.error();
  Result<target::WorkerEnvironment> environment =
      target::WorkerEnvironment::load(*home / "data" / "worker_environment.toml");
  if (!environment) return environment.error();
  const std::filesystem::path cache = user_cache_dir();
  Context context{.home = *home,
                  .cache = cache,
                  .common = invocation.common,
                  .as_typed = invocation.as_typed,
                  .settings = {},
                  .registry = std::move(registry.value()),
                  .recipes = std::move(recipes.value()),
                  .environments = target::Environments(cache / "environments"),
                  .worker_environment = std::move(environment.value()),
                  .out = describe_terminal(STDOUT_FILENO, invocation.common.color),
                  .err = describe_terminal(STDERR_FILENO, invocation.common.color)};
  const Lookup variables = [](std::string_view name) { return environment_variable(name); };
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::current_path(error);
  if (error)
    return Error(CliError::kEnvironment, fmt::format("the working folder is gone: {}", error.message()));
  const Result<std::optional<std::filesystem::path>> config =
      find_config(invocation.common, folder, variables);
  if (!config) return config.error();
  if (config->has_value()) {
    const std::filesystem::path& file = **config;
    const Result<std::string> text = read_config(file);
    if (!text) return text.error();
    const bool named = invocation.common.config || variables("SEAMARK_CONFIG");
    const bool trusted = named || TrustList::of_user().holds(file, *text);
    if (Status status = apply_config(context.settings, context.registry, *text, file, trusted); !status)
      return status.error();
  }
  if (Status status = apply_variables(context.settings, variables); !status) return status.error();
  context.worker_environment.rule.named = context.settings.pass_env;
  return context;
}

Result<Settings> settings_for(const Context& context, const Selection& selection) {
  Settings settings = context.settings;
  settings.targets.clear();
  if (Status status = apply_selection(settings, selection); !status) return status.error();
  return settings;
}

Status write_output(std::string_view text, const std::string& file) {
  const bool to_file = !file.empty() && file != "-";
  const Status written = to_file ? write_file(file, text) : write_all(STDOUT_FILENO, text);
  if (written || written.error().is(IoError::kClosed)) return {};
  if (to_file) return Error(CliError::kOutput, written.error().message(), "write to another place with -o");
  return Error(CliError::kOutput,
               fmt::format("cannot write to standard output: {}", written.error().message()));
}

Result<ExitCode> end_with(std::string_view text, const std::string& file) {
  if (Status status = write_output(text, file); !status) return status.error();
  return ExitCode::kDone;
}

std::vector<target::TargetStatus> examine(const Context& context, const Settings& settings,
                                          std::span<const target::TargetEntry* const> targets, bool refresh,
                                          LiveLine& line, proc::Signals* signals) {
  target::DoctorOptions options;
  options.home = context.home;
  options.cache_dir = context.cache;
  options.own = settings.python;
  options.refresh = refresh;
  options.inherits = &context.worker_environment.rule;
  if (!context.common.quiet) {
    options.on_probe = [&line](const target::TargetEntry& entry) {
      line.show(fmt::format("asking {} whether it is usable here ...", entry.name));
    };
  }
  const target::Doctor doctor(context.registry, context.recipes, context.environments, std::move(options));
  std::vector<target::TargetStatus> standings = doctor.examine(targets, signals);
  line.clear();
  return standings;
}

Status check_framework(const Context& context, const std::string& name) {
  if (name.empty() || context.registry.frameworks().has(name)) return {};
  return Error(CliError::kUsage, fmt::format("there is no framework '{}'", one_line(name)),
               fmt::format("there is {}", context.registry.frameworks().listed()));
}

std::vector<std::string> baselines_with(const Context& context, std::string_view folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const Framework& one : context.registry.frameworks().all()) {
    const std::filesystem::path file = context.home / "data" / folder / (one.name + ".toml");
    if (folder.empty() || std::filesystem::exists(file, ignored)) names.push_back(one.baseline);
  }
  return names;
}

std::string install_command(const Context& context, std::span<const std::string> targets) {
  std::string command = "seamark targets install";
  for (const std::string& name : targets) {
    const target::TargetEntry* const target = context.registry.find(name);
    if (target != nullptr && !target->environments.empty()) command += " " + target->environments.front();
  }
  return command;
}

target::Doctor doctor_of(const Context& context, const Settings& settings) {
  target::DoctorOptions options;
  options.own = settings.python;
  options.inherits = &context.worker_environment.rule;
  return {context.registry, context.recipes, context.environments, std::move(options)};
}

std::optional<target::Interpreter> usable_python(const target::Doctor& doctor,
                                                 const target::TargetEntry& entry) {
  std::optional<target::Interpreter> found = doctor.interpreter_for(entry);
  return found && target::find_program(found->path) ? found : std::nullopt;
}

Result<target::Interpreter> python_for(const Context& context, const target::Doctor& doctor,
                                       const target::TargetEntry& entry) {
  if (const auto own = usable_python(doctor, entry)) return *own;
  for (const target::TargetEntry& other : context.registry.targets()) {
    if (const auto found = usable_python(doctor, other)) return *found;
  }
  return Error(CliError::kEnvironment, "there is no Python to list the cases with",
               "install python3, or name an interpreter with --python");
}

agent::AgentProgram agent_program(const Context& context, const target::TargetEntry& entry,
                                  const target::Interpreter& interpreter, proc::Signals* signals) {
  return {interpreter.path, context.boot().native(), target::Doctor::worker_variables(entry, interpreter),
          signals, &context.worker_environment.rule};
}

}  // namespace seamark::cli
