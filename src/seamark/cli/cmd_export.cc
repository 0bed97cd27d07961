// `seamark export`: one row per attempt.
#include <fmt/format.h>
#include <unistd.h>

#include "seamark/base/fd.h"
#include "seamark/cli/context.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/rendering.h"
#include "seamark/cli/store_reading.h"
#include "seamark/interop/export.h"
#include "seamark/store/attempt_columns.h"

namespace seamark::cli {

Result<ExitCode> run_export(Context& context, const ExportCommand& command) {
  if (command.columns) {
    const std::string text = dump_json_pretty(store::describe_columns());
    if (Status status = write_output(text, command.output); !status) return status.error();
    return ExitCode::kDone;
  }
  if (command.output.empty())
    return Error(CliError::kUsage, "-o is missing: where to write",
                 "-o attempts.csv, or -o - for standard output");
  const std::optional<Format> named =
      format_from(command.format.empty() ? ending_of(command.output) : command.format);
  if (named != Format::kCsv && named != Format::kJsonl) {
    return Error(CliError::kUsage,
                 fmt::format("the name '{}' does not say which format it is to be", command.output),
                 "say --format csv or --format jsonl");
  }
  Settings settings = context.settings;
  settings.targets.clear();
  if (Status status = apply_selection(settings, command.selection); !status) return status.error();
  Result<StoreReading> reading = read_store(context, settings, command.run);
  if (!reading) return reading.error();
  const interop::ExportOptions options{reading->choice, reading->targets, command.function, *named};
  const Result<std::int64_t> rows =
      interop::export_attempts(reading->store, reading->rules, options, command.output);
  if (!rows) return rows.error();
  if (!context.common.quiet && command.output != "-") {
    (void)write_all(STDERR_FILENO, fmt::format("{} attempts written to {}\n", *rows, command.output));
  }
  return ExitCode::kDone;
}

}  // namespace seamark::cli
