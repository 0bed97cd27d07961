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
#include "seamark/report/declared_parts.h"
#include "seamark/store/store.h"
#include "seamark/target/python_search.h"

namespace seamark::cli {
namespace {

using target::TargetEntry;

Result<std::string> format_of(const CatalogCommand& command) {
  std::string format = command.format;
  if (format.empty()) {
    format = ending_of(command.output);
    if (format != "json" && format != "csv") format.clear();
  }
  if (format.empty()) return std::string("terminal");
  if (format == "jsonl") {
    return Error(CliError::kUsage, "declared evidence has no JSON lines",
                 "say --format json or --format csv");
  }
  return format;
}

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
                   "`seamark targets install torch-cpu tensorflow-cpu`, or name a Python with --python");
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

std::string terminal_text(const Context& context, const CatalogCommand& command,
                          const std::vector<Declared>& declared) {
  const report::RenderOptions options = render_options(context, command.output);
  return report::declared_section(declared, options) + report::declared_gaps(declared, options);
}

}  // namespace

Result<ExitCode> run_declared(Context& context, const CatalogCommand& command, Settings settings) {
  const Result<std::string> format = format_of(command);
  if (!format) return format.error();
  const std::filesystem::path file = settings.store;
  const Result<std::vector<Declared>> declared = DeclaredSession(context, std::move(settings)).gather();
  if (!declared) return declared.error();
  Result<store::Store> store = store::Store::open(file, store::OpenMode::kWrite);
  if (!store) return store.error();
  if (Status saved = store->save_declared(*declared); !saved) return saved.error();
  const std::string text = *format == "json"  ? dump_json_pretty(report::declared_value(*declared))
                           : *format == "csv" ? report::declared_csv(*declared)
                                              : terminal_text(context, command, *declared);
  if (Status status = write_output(text, command.output); !status) return status.error();
  return ExitCode::kDone;
}

}  // namespace seamark::cli
