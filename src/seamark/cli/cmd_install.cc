// `seamark targets install NAME...`: makes environments.
#include <fmt/format.h>
#include <unistd.h>

#include "seamark/base/text.h"
#include "seamark/cli/context.h"
#include "seamark/cli/errors.h"
#include "seamark/proc/signals.h"

namespace seamark::cli {

Result<ExitCode> run_install(Context& context, const InstallCommand& command) {
  std::vector<const target::Recipe*> recipes;
  for (const std::string& name : command.names) {
    const Result<const target::Recipe*> recipe = context.recipes.need(name);
    if (!recipe) return recipe.error();
    recipes.push_back(*recipe);
  }
  proc::Signals signals;
  const SystemClock clock;
  LiveLine line(STDERR_FILENO, context.err, clock);
  target::InstallOptions options;
  options.python = command.python;
  options.signals = &signals;
  if (!context.common.quiet) {
    options.on_progress = [&line](std::string_view text, bool is_step) {
      if (is_step) {
        line.print(text);
      } else {
        line.show(text);
      }
    };
  }
  for (const target::Recipe* recipe : recipes) {
    if (const auto there = context.environments.installed(*recipe)) {
      if (!context.common.quiet) {
        line.print(fmt::format("{}: is there ({})", recipe->name, there->folder.native()));
      }
      continue;
    }
    const Result<target::Environment> made = context.environments.install(*recipe, options);
    line.clear();
    if (!made) return made.error();
  }
  if (!context.common.quiet) line.print("next: seamark targets");
  return ExitCode::kDone;
}

}  // namespace seamark::cli
