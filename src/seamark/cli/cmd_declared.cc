// `seamark catalog --declared`: for which devices the frameworks' own tables name kernels.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "seamark/agent/agent_error.h"
#include "seamark/base/text.h"
#include "seamark/catalog/declare.h"
#include "seamark/cli/context.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/rendering.h"
#include "seamark/cli/store_writing.h"
#include "seamark/report/declared_parts.h"
#include "seamark/store/store.h"
#include "seamark/target/python_search.h"

namespace seamark::cli {
namespace {

using target::TargetEntry;

class DeclaredSession {
 public:
  DeclaredSession(Context& context, Settings settings)
      : context_(context),
        settings_(std::move(settings)),
        doctor_(doctor_of(context_, settings_)),
        line_(STDERR_FILENO, context.err, clock_) {}

  // Of every framework that is asked for and can be had here; kEnvironment where that is none.
  Result<std::vector<Declared>> gather() {
    std::vector<std::string> wanted = settings_.targets;
    if (wanted.empty()) wanted = baselines_with(context_, "declared");
    const auto entries = context_.registry.select(wanted);
    if (!entries) return entries.error();
    std::vector<Declared> all;
    for (const TargetEntry* entry : *entries) {
      Result<std::vector<Declared>> declared = of(*entry);
      if (declared) {
        for (Declared& one : *declared) all.push_back(std::move(one));
        continue;
      }
      const bool absent =
          declared.error().is(agent::AgentError::kFailed) || declared.error().is(CliError::kEnvironment);
      if (!absent) return declared.error();
      missing_.push_back(fmt::format("{}: {}", entry->name, declared.error().message()));
    }
    if (all.empty()) {
      return Error(CliError::kEnvironment, join(missing_, "\n  "),
                   fmt::format("`{}`, or name a Python with --python",
                               install_command(context_, baselines_with(context_, "declared"))));
    }
    if (!context_.common.quiet) {
      for (const std::string& note : missing_) line_.print(note);
    }
    return all;
  }

 private:
  Result<std::vector<Declared>> of(const TargetEntry& entry) {
    if (entry.parts.family != "cpu" || !entry.parts.mode.empty()) {
      return Error(CliError::kUsage, fmt::format("'{}' is no plain CPU target", entry.name),
                   fmt::format("operators are recorded on the CPU: --target {}/cpu", entry.parts.framework));
    }
    Result<catalog::DeclaredRules> rules =
        catalog::DeclaredRules::load(context_.home / "data" / "declared", entry.parts.framework);
    if (!rules) return rules.error();
    const std::optional<target::Interpreter> python = doctor_.interpreter_for(entry);
    if (!python || !target::find_program(python->path)) {
      return Error(CliError::kEnvironment, "there is no Python for it here");
    }
    if (!context_.common.quiet) {
      line_.show(fmt::format("recording the operators of {} ...", entry.parts.framework));
    }
    const agent::AgentProgram program = {python->path, context_.boot().native(),
                                         target::Doctor::worker_variables(entry, *python)};
    Result<std::vector<Declared>> declared =
        catalog::gather_declared(program, *rules, settings_.suites, entry.hello(), clock_.unix_us());
    line_.clear();
    return declared;
  }

  Context& context_;
  Settings settings_;
  target::Doctor doctor_;
  SystemClock clock_;
  LiveLine line_;
  std::vector<std::string> missing_;
};

}  // namespace

Result<ExitCode> run_declared(Context& context, const CatalogCommand& command, Settings settings) {
  const Result<Format> format =
      choose_format(command.format, command.output, {Format::kTerminal, Format::kJson, Format::kCsv});
  if (!format) return format.error();
  const std::filesystem::path file = settings.store;
  const Result<std::vector<Declared>> declared = DeclaredSession(context, std::move(settings)).gather();
  if (!declared) return declared.error();
  Result<store::Store> store = open_for_writing(context, file);
  if (!store) return store.error();
  if (Status saved = store->save_declared(*declared); !saved) return saved.error();
  const std::string text = *format == Format::kJson ? dump_json_pretty(report::declared_value(*declared))
                           : *format == Format::kCsv
                               ? report::declared_csv(*declared)
                               : report::terminal_text(report::declared_section(*declared),
                                                       render_options(context, command.output));
  if (Status status = write_output(text, command.output); !status) return status.error();
  return ExitCode::kDone;
}

}  // namespace seamark::cli
