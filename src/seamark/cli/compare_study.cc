#include "seamark/cli/compare_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "seamark/analysis/study_compare.h"
#include "seamark/cli/compare_findings.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/rendering.h"
#include "seamark/cli/store_reading.h"
#include "seamark/report/build/study_report.h"

namespace seamark::cli {
namespace {

// What was asked for, else every target that stands for one of the study's devices; of the version asked for.
Result<std::vector<std::string>> targets_for(StoreReading& reading, const analysis::Study& study,
                                             const std::vector<std::string>& within) {
  std::vector<std::string> names = reading.targets;
  if (names.empty()) {
    const Result<std::vector<store::StoredTarget>> stored = reading.store.targets(reading.choice);
    if (!stored) return stored.error();
    names = analysis::study_targets(*stored, study);
  }
  std::erase_if(names, [&](const std::string& name) {
    return !within.empty() && std::find(within.begin(), within.end(), name) == within.end();
  });
  if (!names.empty()) return names;
  const std::string gpu = study.main_device(analysis::StudySide::kGpu).label;
  return Error(CliError::kNothing,
               fmt::format("{} holds no target of a TPU {} or {} in the chosen run",
                           reading.store.file().native(), study.tpu(), gpu),
               fmt::format("run one: seamark run --target '*/tpu-{}+aot'; or name a target with --target "
                           "(a GPU is held against the {})",
                           study.tpu(), gpu));
}

}  // namespace

Result<ExitCode> compare_with_study(const Context& context, const CompareCommand& command,
                                    const StudyRequest& request) {
  const Result<Format> format = format_for(context, command.format, command.output, compare_formats());
  if (!format) return format.error();
  const Result<analysis::Gate> asked = gate_for(command);
  if (!asked) return asked.error();
  const Result<analysis::Study> study = analysis::Study::load(context.baselines(), request.study);
  if (!study) return study.error();
  Settings settings = context.settings;
  settings.targets.clear();
  if (Status status = apply_selection(settings, command.selection); !status) return status.error();
  if (!request.store.empty()) settings.store = request.store;
  if (!request.target.empty()) settings.targets = {request.target};
  Result<StoreReading> reading = read_store(context, settings, request.run);
  if (!reading) return reading.error();
  Result<std::vector<std::string>> targets = targets_for(*reading, *study, request.within);
  if (!targets) return targets.error();
  analysis::SummaryOptions options;
  options.run = reading->choice;
  options.targets = std::move(*targets);
  options.detail = analysis::Detail::kMessages;
  options.study_rule = true;
  options.devices = &reading->devices;
  const Result<analysis::Summary> summary = analysis::summarize(reading->store, reading->rules, options);
  if (!summary) return summary.error();
  analysis::StudyOptions how;
  how.study_label = request.study;
  how.later_label = request.label.empty() ? settings.store : request.label;
  how.all_targets = reading->targets.empty();
  how.compare.floor = command.noise_floor;
  Result<analysis::StudyComparison> comparison = analysis::compare_with_study(*summary, *study, how);
  if (!comparison) return comparison.error();
  const Result<analysis::Gate> gate = asked->within(comparison->changes.unanswered);
  if (!gate) return gate.error();
  if (Status status = mark_findings(comparison->changes, context, command, *gate); !status)
    return status.error();
  const report::RenderOptions render = render_options(context, command.output);
  const std::string text = report::render_study(*format, *comparison, render);
  if (Status status = write_output(text, command.output); !status) return status.error();
  return comparison->changes.findings == 0 ? ExitCode::kDone : ExitCode::kFindings;
}

}  // namespace seamark::cli
