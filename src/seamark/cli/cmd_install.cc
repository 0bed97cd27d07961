// `seamark targets install NAME...`: makes environments.
#include <fmt/format.h>
#include <unistd.h>

#include "seamark/cli/context.h"
#include "seamark/cli/verbs.h"
#include "seamark/proc/signals.h"

namespace seamark::cli {
namespace {

class InstallCommand final : public Command {
 public:
  explicit InstallCommand(Options& options) {
    options.argument("NAME", names_, "Environments to make").required();
    options.value("--python", python_, "PATH", "The Python to build on (default: a fitting one on PATH)");
  }

  Result<ExitCode> run(Context& context) const override {
    std::vector<const target::Recipe*> recipes;
    for (const std::string& name : names_) {
      const Result<const target::Recipe*> recipe = context.recipes.need(name);
      if (!recipe) return recipe.error();
      recipes.push_back(*recipe);
    }
    proc::Signals signals;
    const SystemClock clock;
    LiveLine line(STDERR_FILENO, context.err, clock);
    const auto note = [&](std::string_view text) {
      if (!context.common.quiet) line.print(text);
    };
    target::InstallOptions options;
    options.python = python_;
    options.signals = &signals;
    if (!context.common.quiet) {
      options.on_progress = [&line](std::string_view text, bool is_step) {
        is_step ? line.print(text) : line.show(text);
      };
    }
    for (const target::Recipe* recipe : recipes) {
      if (const auto there = context.environments.installed(*recipe)) {
        note(fmt::format("{}: is there ({})", recipe->name, there->folder.native()));
        continue;
      }
      const Result<target::Environment> made = context.environments.install(*recipe, options);
      line.clear();
      if (!made) return made.error();
    }
    note("next: seamark targets");
    return ExitCode::kDone;
  }

 private:
  std::vector<std::string> names_;
  std::string python_;
};

}  // namespace

Verb install_verb() {
  return {"install", "Make environments, such as torch-cpu",
          "Each goes into a virtual environment of its own below the cache folder (SEAMARK_CACHE). What an\n"
          "interrupted installation left is gone on with.",
          make_command<InstallCommand>, "targets"};
}

}  // namespace seamark::cli
