// `seamark report`: what a store holds, in one of several formats.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "seamark/analysis/findings.h"
#include "seamark/analysis/study.h"
#include "seamark/analysis/summary.h"
#include "seamark/base/fd.h"
#include "seamark/cli/charts.h"
#include "seamark/cli/context.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/exhibits.h"
#include "seamark/cli/rendering.h"
#include "seamark/cli/store_reading.h"
#include "seamark/report/render_options.h"
#include "seamark/sample/usage_file.h"

namespace seamark::cli {
namespace {

// How often functions are called, and `corpus` in words: of a corpus that the store has, by default of the
// one that was counted last by names and as a whole; else as counted once over PyPI's packages.
Result<UsageTable> usage_for(const Context& context, StoreReading& reading, const std::string& label) {
  std::optional<std::string> chosen;
  if (!label.empty()) chosen = label;
  const Result<std::vector<store::UsageCorpus>> corpora = reading.store.usage_corpora();
  if (!corpora) return corpora.error();
  for (const store::UsageCorpus& corpus : *corpora) {
    if (!chosen && corpus.protocol == "names" && corpus.complete) chosen = corpus.label;
  }
  if (chosen) {
    Result<UsageTable> usage = reading.store.usage(chosen);
    if (usage) usage->corpus = "the store's corpus " + *chosen;
    return usage;
  }
  const std::filesystem::path file = context.home / "data" / "usage" / "calls.csv";
  const Result<std::string> csv = read_file(file);
  if (!csv) return csv.error();
  Result<UsageTable> usage = sample::parse_usage_csv(*csv, file.string());
  if (usage) usage->corpus = "the packages of PyPI that data/usage/calls.csv covers";
  return usage;
}

// The study's tables of the chosen run, and what goes beyond them.
Result<ExitCode> report_tables(const Context& context, const ReportCommand& command,
                               const Settings& settings) {
  Result<StoreReading> reading = read_store(context, settings, command.run);
  if (!reading) return reading.error();
  analysis::SummaryOptions options;
  options.run = reading->choice;
  options.targets = reading->targets;
  options.detail = analysis::Detail::kNone;
  options.slow_factor = command.slow_factor;
  options.baseline = command.baseline;
  if (Status status = check_baseline(*reading, command.baseline); !status) return status.error();
  const Result<analysis::Summary> summary = analysis::summarize(reading->store, reading->rules, options);
  if (!summary) return summary.error();
  const Result<UsageTable> usage = usage_for(context, *reading, command.usage);
  if (!usage) return usage.error();
  return report_exhibits(context, command, analysis::findings_of(*summary, &*usage), &*summary,
                         usage->corpus);
}

// Options of the tables ask for them, as does a drawing.
bool wants_tables(const ReportCommand& command) {
  return command.tables || !command.pair.empty() || !command.generations.empty() || !command.only.empty() ||
         !command.usage.empty() || chart_format_of(command).has_value();
}

}  // namespace

Result<ExitCode> run_report(Context& context, const ReportCommand& command) {
  Settings settings = context.settings;
  settings.targets.clear();  // a config's choice of what to run is no choice of what to show
  if (Status status = apply_selection(settings, command.selection); !status) return status.error();
  if (is_baseline(context, settings.store)) return report_baseline(context, command, settings.store);
  if (wants_tables(command)) return report_tables(context, command, settings);
  const Result<Format> format = choose_format(
      command.format, command.output,
      {Format::kTerminal, Format::kMarkdown, Format::kJson, Format::kCsv, Format::kHtml, Format::kBadge});
  if (!format) return format.error();
  if (*format == Format::kHtml) {
    if (Status status = no_page_on_terminal(context, command.output); !status) return status.error();
  }
  Result<StoreReading> reading = read_store(context, settings, command.run);
  if (!reading) return reading.error();
  analysis::SummaryOptions options;
  options.run = reading->choice;
  options.targets = reading->targets;
  options.detail = report::detail_for(*format);
  options.slow_factor = command.slow_factor;
  options.baseline = command.baseline;
  if (Status status = check_baseline(*reading, command.baseline); !status) return status.error();
  const std::filesystem::path study_folder = context.home / "data" / "baselines" / "grand-illusion";
  std::optional<analysis::Study> study;
  std::error_code ec;
  if (std::filesystem::exists(study_folder, ec)) {
    Result<analysis::Study> loaded = analysis::Study::load(study_folder);
    if (!loaded) return loaded.error();
    study = std::move(*loaded);
  }
  options.devices = &reading->devices;
  options.study = study ? &*study : nullptr;
  const Result<analysis::Summary> summary = analysis::summarize(reading->store, reading->rules, options);
  if (!summary) return summary.error();
  if (*format == Format::kBadge && summary->targets.size() != 1) {
    return Error(CliError::kUsage,
                 fmt::format("a badge is of one target, this run has {}", summary->targets.size()),
                 "choose it with --target NAME");
  }
  report::RenderOptions render = render_options(context, command.output);
  std::optional<analysis::Findings> findings;
  report::PageCharts charts;
  if (*format == Format::kHtml) {
    const Result<UsageTable> usage = usage_for(context, *reading, command.usage);
    if (!usage) return usage.error();
    findings = analysis::findings_of(*summary, &*usage);
    render.findings = &*findings;
    charts = page_charts(context, *findings);
    render.charts = &charts;
    render.usage_source = usage->corpus;
  }
  if (Status status = write_output(report::render(*format, *summary, render), command.output); !status) {
    return status.error();
  }
  return ExitCode::kDone;
}

}  // namespace seamark::cli
