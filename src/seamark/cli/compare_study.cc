#include "seamark/cli/compare_study.h"

#include <fmt/format.h>

#include <algorithm>

#include "seamark/analysis/study_compare.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/rendering.h"
#include "seamark/cli/store_reading.h"
#include "seamark/report/study_report.h"

namespace seamark::cli {
namespace {

Result<report::Format> format_for(const CompareCommand& command) {
  const std::string name = command.format.empty() ? ending_of(command.output) : command.format;
  const report::Format format = report::format_from(name).value_or(report::Format::kTerminal);
  const bool for_runs = name == "junit" || name == "xml" || name == "sarif";
  const bool known = format == report::Format::kTerminal || format == report::Format::kMarkdown ||
                     format == report::Format::kJson;
  if (for_runs || !known) {
    return Error(CliError::kUsage, fmt::format("a comparison with a study has no format '{}'", name),
                 "one of terminal, markdown or json");
  }
  return format;
}

// What was asked for, else every target that stands for the study's TPU.
Result<std::vector<std::string>> targets_for(const StoreReading& reading, const analysis::Study& study) {
  if (!reading.targets.empty()) return reading.targets;
  std::vector<std::string> names = analysis::study_targets(reading.known_targets, study);
  if (!names.empty()) return names;
  return Error(CliError::kNothing,
               fmt::format("{} holds no target of a TPU {} in the chosen run", reading.store.file().native(),
                           study.tpu()),
               fmt::format("run one: seamark run --target '*/tpu-{}+aot'; or name a target with --target",
                           study.tpu()));
}

}  // namespace

Result<ExitCode> compare_with_study(const Context& context, const CompareCommand& command,
                                    const std::string& name, const std::string& store,
                                    const std::string& run) {
  if (!command.fail_on.empty() || !command.expected.empty() || command.update_expected ||
      command.noise_floor) {
    return Error(
        CliError::kUsage,
        fmt::format("{} is a published study, without a verdict per function: nothing of it can fail or "
                    "be expected now",
                    name),
        "leave out --fail-on, --expected, --update-expected and --noise-floor");
  }
  const Result<report::Format> format = format_for(command);
  if (!format) return format.error();
  const Result<analysis::Study> study = analysis::Study::load(context.home / "data" / "baselines", name);
  if (!study) return study.error();
  Settings settings = context.settings;
  settings.targets.clear();
  if (Status status = apply_selection(settings, command.selection); !status) return status.error();
  if (!store.empty()) settings.store = store;
  Result<StoreReading> reading = read_store(context, settings, run);
  if (!reading) return reading.error();
  Result<std::vector<std::string>> targets = targets_for(*reading, *study);
  if (!targets) return targets.error();
  analysis::SummaryOptions options;
  options.run = reading->choice;
  options.targets = std::move(*targets);
  options.detail = analysis::Detail::kMessages;
  options.devices = &reading->devices;
  const Result<analysis::Summary> summary = analysis::summarize(reading->store, reading->rules, options);
  if (!summary) return summary.error();
  const Result<analysis::StudyComparison> comparison = analysis::compare_with_study(*summary, *study);
  if (!comparison) return comparison.error();
  const report::RenderOptions render = render_options(context, command.output);
  const std::string text = report::render_study(*format, *comparison, render);
  if (Status status = write_output(text, command.output); !status) return status.error();
  return ExitCode::kDone;
}

}  // namespace seamark::cli
