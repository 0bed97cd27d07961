// `seamark targets`: what is usable here, why not, and what would make it so.
#include <unistd.h>

#include "seamark/base/home.h"
#include "seamark/cli/context.h"
#include "seamark/cli/rendering.h"
#include "seamark/cli/verbs.h"
#include "seamark/proc/signals.h"
#include "seamark/report/build/protection_report.h"
#include "seamark/report/build/targets_report.h"
#include "seamark/report/document/document_formats.h"

namespace seamark::cli {
namespace {

Formats target_formats() { return report::documents_and({Format::kJson}); }

class TargetsCommand final : public Command {
 public:
  explicit TargetsCommand(Options& options) {
    options.targets(selection_, "Only these, by name or glob, e.g. 'jax/*'");
    options.python(selection_);
    options.flag("--all", all_, "Each target that is not usable, with its reason; as with --target");
    options.flag("--json", json_, "The same as --format json");
    options.flag("--refresh", refresh_, "Ask every environment again, whatever is known of it");
    options.flag("--doctor", doctor_, "What protects this machine from cases, and what of it is missing");
    options.output(format_, output_, target_formats());
  }

  Result<ExitCode> run(Context& context) const override {
    const Result<Format> format = format_for(context, json_ ? "json" : format_, output_, target_formats());
    if (!format) return format.error();
    if (doctor_) {
      std::error_code error;
      const target::Protection protection =
          target::find_protection(environment_variable("HOME"), std::filesystem::temp_directory_path(error));
      return end_with(
          report::render_protection(*format, protection.safeguards, render_options(context, output_)),
          output_);
    }
    const Result<Settings> settings = settings_for(context, selection_);
    if (!settings) return settings.error();
    const auto targets = context.registry.select(settings->targets);
    if (!targets) return targets.error();
    proc::Signals signals;
    const SystemClock clock;
    LiveLine line(STDERR_FILENO, context.err, clock);
    const std::vector<target::TargetStatus> standings =
        examine(context, *settings, *targets, refresh_, line, &signals);
    if (signals.interrupts() > 0) return ExitCode::kInterrupted;
    return end_with(report::render_targets(*format, standings, all_ || !selection_.targets.empty(),
                                           render_options(context, output_)),
                    output_);
  }

 private:
  Selection selection_;
  bool all_ = false;
  bool json_ = false;
  bool refresh_ = false;
  bool doctor_ = false;
  std::string format_;
  std::string output_;
};

}  // namespace

Verb targets_verb() {
  return {"targets", "List all targets: usable here or not, why not, and what would make them so",
          "Examples:\n"
          "  seamark targets\n"
          "  seamark targets --all\n"
          "  seamark targets --target 'torch/*' --python ~/venv/bin/python\n"
          "  seamark targets --doctor\n"
          "  seamark targets install torch-cpu jax-cpu",
          make_command<TargetsCommand>};
}

}  // namespace seamark::cli
