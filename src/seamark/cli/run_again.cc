#include "seamark/cli/run_again.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "seamark/base/fd.h"
#include "seamark/base/home.h"
#include "seamark/base/text.h"
#include "seamark/cli/errors.h"
#include "seamark/proc/run_command.h"

namespace seamark::cli {

namespace {

Result<ExitCode> run_again(const Context& context, const Settings& settings, const Selection& selection,
                           const std::vector<std::string>& what, std::string input = {}) {
  proc::CommandOptions options;
  options.input = std::move(input);
  std::vector<std::string>& argv = options.spawn.argv;
  argv = {executable_path().native(), "run", "--store", settings.store, "--no-timing"};
  argv.insert(argv.end(), what.begin(), what.end());
  for (const std::string& python : selection.python) argv.insert(argv.end(), {"--python", python});
  if (context.common.config) argv.insert(argv.end(), {"--config", *context.common.config});
  if (context.common.no_config) argv.emplace_back("--no-config");
  if (context.common.quiet) argv.emplace_back("--quiet");
  proc::Signals signals;
  options.signals = &signals;
  options.spawn.die_with_parent = true;
  options.on_output = [](proc::OutputStream, std::string_view text) { (void)write_all(STDERR_FILENO, text); };
  const Result<proc::CommandResult> ran = proc::run_command(options);
  if (!ran) return Error(CliError::kEnvironment, ran.error().message(), ran.error().remedy());
  if (ran->interrupted) return ExitCode::kInterrupted;
  if (ran->success()) return ExitCode::kDone;
  return Error(CliError::kEnvironment, fmt::format("the cases could not be run: {}", ran->text()),
               "`seamark targets` tells what can be run here");
}

}  // namespace

Result<ExitCode> run_functions(const Context& context, const Settings& settings,
                               const audit::Answers& answers, const std::vector<std::string>& functions,
                               const Selection& selection) {
  std::vector<std::string> what = {"--cases", "core"};
  for (const auto& [framework, target] : answers.targets) {
    if (!target.empty()) what.insert(what.end(), {"--target", target});
  }
  what.insert(what.end(), {"--functions", "-"});
  return run_again(context, settings, selection, what, join(functions, "\n") + "\n");
}

Result<ExitCode> run_suite(const Context& context, const Settings& settings, const std::string& target,
                           const std::string& suite, const Selection& selection) {
  return run_again(context, settings, selection, {"--cases", "all", "--target", target, "--suite", suite});
}

}  // namespace seamark::cli
