// `seamark export`: one row per attempt.
#include <fmt/format.h>
#include <unistd.h>

#include "seamark/base/fd.h"
#include "seamark/cli/context.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/rendering.h"
#include "seamark/cli/store_reading.h"
#include "seamark/cli/verbs.h"
#include "seamark/interop/export.h"
#include "seamark/store/attempt_columns.h"

namespace seamark::cli {
namespace {

class ExportCommand final : public Command {
 public:
  explicit ExportCommand(Options& options) {
    options.value("--format", format_, "FORMAT", "csv or jsonl (default: by the name of the output)")
        .one_of({"csv", "jsonl"});
    options.value("-o,--output", output_, "FILE", "Write to this file; - is standard output");
    options.flag("--columns", columns_, "Say what the columns are, as JSON, and nothing else")
        .excludes({"--format"});
    options.store(selection_);
    options.run(run_);
    options.targets(selection_, "Only these targets");
    options.value("-f,--function", function_, "NAME", "Only this function");
  }

  Result<ExitCode> run(Context& context) const override {
    if (columns_) return end_with(dump_json_pretty(store::describe_columns()), output_);
    if (output_.empty()) {
      return Error(CliError::kUsage, "-o is missing: where to write",
                   "-o attempts.csv, or -o - for standard output");
    }
    const std::optional<Format> format = format_from(format_.empty() ? ending_of(output_) : format_);
    if (format != Format::kCsv && format != Format::kJsonl) {
      return Error(CliError::kUsage,
                   fmt::format("the name '{}' does not say which format it is to be", output_),
                   "say --format csv or --format jsonl");
    }
    const Result<Settings> settings = settings_for(context, selection_);
    if (!settings) return settings.error();
    Result<StoreReading> reading = read_store(context, *settings, run_);
    if (!reading) return reading.error();
    const interop::ExportOptions options{reading->choice, reading->targets, function_, *format};
    const Result<std::int64_t> rows =
        interop::export_attempts(reading->store, reading->rules, options, output_);
    if (!rows) return rows.error();
    if (!context.common.quiet && is_file(output_)) {
      (void)write_all(STDERR_FILENO, fmt::format("{} attempts written to {}\n", *rows, output_));
    }
    return ExitCode::kDone;
  }

 private:
  Selection selection_;
  std::string run_;
  std::string function_;
  std::string format_;  // empty: by the output's name
  std::string output_;
  bool columns_ = false;
};

}  // namespace

Verb export_verb() {
  return {"export", "Write one row per attempt",
          "Examples:\n"
          "  seamark export -o attempts.csv\n"
          "  seamark export --run all --format jsonl -o -",
          make_command<ExportCommand>};
}

}  // namespace seamark::cli
