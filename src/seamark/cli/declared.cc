#include "seamark/cli/declared.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "seamark/agent/agent_error.h"
#include "seamark/base/text.h"
#include "seamark/catalog/declare.h"
#include "seamark/cli/context.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/rendering.h"
#include "seamark/cli/store_writing.h"
#include "seamark/report/build/declared_parts.h"
#include "seamark/report/document/document_formats.h"
#include "seamark/store/store.h"

namespace seamark::cli {
namespace {

using target::TargetEntry;

// kEnvironment where there is no Python for it.
Result<std::vector<Declared>> gather_of(const Context& context, const Settings& settings,
                                        const TargetEntry& entry, LiveLine& line) {
  const std::string& framework = entry.parts.framework;
  if (entry.parts.family != "cpu" || !entry.parts.mode.empty()) {
    return Error(CliError::kUsage, fmt::format("'{}' is no plain CPU target", entry.name),
                 fmt::format("operators are recorded on the CPU: --target {}/cpu", framework));
  }
  Result<catalog::DeclaredRules> rules =
      catalog::DeclaredRules::load(context.home / "data" / "declared", framework);
  if (!rules) return rules.error();
  const auto python = usable_python(doctor_of(context, settings), entry);
  if (!python) return Error(CliError::kEnvironment, "there is no Python for it here");
  if (!context.common.quiet) line.show(fmt::format("recording the operators of {} ...", framework));
  Result<std::vector<Declared>> declared =
      catalog::gather_declared(agent_program(context, entry, *python), *rules, settings.suites, entry.hello(),
                               SystemClock().unix_us());
  line.clear();
  return declared;
}

// Of every framework that is asked for and can be had here; kEnvironment where that is none.
Result<std::vector<Declared>> gather_all(const Context& context, const Settings& settings) {
  std::vector<std::string> wanted = settings.targets;
  if (wanted.empty()) wanted = baselines_with(context, "declared");
  const auto entries = context.registry.select(wanted);
  if (!entries) return entries.error();
  const SystemClock clock;
  LiveLine line(STDERR_FILENO, context.err, clock);
  std::vector<Declared> all;
  std::vector<std::string> missing;
  for (const TargetEntry* entry : *entries) {
    Result<std::vector<Declared>> declared = gather_of(context, settings, *entry, line);
    if (declared) {
      std::move(declared->begin(), declared->end(), std::back_inserter(all));
      continue;
    }
    const bool absent =
        declared.error().is(agent::AgentError::kFailed) || declared.error().is(CliError::kEnvironment);
    if (!absent) return declared.error();
    missing.push_back(fmt::format("{}: {}", entry->name, declared.error().message()));
  }
  if (all.empty()) {
    return Error(CliError::kEnvironment, join(missing, "\n  "),
                 fmt::format("`{}`, or name a Python with --python",
                             install_command(context, baselines_with(context, "declared"))));
  }
  for (const std::string& note : missing) {
    if (!context.common.quiet) line.print(note);
  }
  return all;
}

}  // namespace

Result<ExitCode> print_declared(const Context& context, const Settings& settings, Format format,
                                const std::string& output) {
  const Result<std::vector<Declared>> declared = gather_all(context, settings);
  if (!declared) return declared.error();
  Result<store::Store> store = open_for_writing(context, settings.store);
  if (!store) return store.error();
  if (Status saved = store->save_declared(*declared); !saved) return saved.error();
  if (format == Format::kJson) return end_with(dump_json_pretty(report::declared_value(*declared)), output);
  if (format == Format::kCsv) return end_with(report::declared_csv(*declared), output);
  report::Document document;
  document.add(report::declared_section(*declared));
  return end_with(report::render(format, "declared", document, render_options(context, output)), output);
}

}  // namespace seamark::cli
