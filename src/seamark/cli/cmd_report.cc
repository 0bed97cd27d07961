// `seamark report`: what a store holds, in one of several formats.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "seamark/analysis/result_set.h"
#include "seamark/analysis/study.h"
#include "seamark/analysis/summary.h"
#include "seamark/cli/charts.h"
#include "seamark/cli/context.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/exhibits.h"
#include "seamark/cli/rendering.h"
#include "seamark/cli/report_command.h"
#include "seamark/cli/shipped_usage.h"
#include "seamark/cli/store_reading.h"
#include "seamark/cli/verbs.h"
#include "seamark/report/build/first_screen.h"
#include "seamark/report/document/document_formats.h"
#include "seamark/report/render/render_options.h"

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
  Result<UsageFile> shipped = read_usage_file(context, shipped_usage(context));
  if (!shipped) return shipped.error();
  shipped->table.corpus = "the packages of PyPI that data/usage/calls.csv covers";
  return std::move(shipped->table);
}

constexpr std::size_t kPageOperators = 20;  // per target

// The store and what is asked of the chosen run, for any format.
struct ReportRequest {
  StoreReading reading;
  analysis::SummaryOptions options;
};

Result<ReportRequest> request_for(const Context& context, const ReportCommand& command,
                                  const Settings& settings) {
  Result<StoreReading> reading = read_store(context, settings, command.run_choice);
  if (!reading) return reading.error();
  if (Status status = check_baseline(*reading, command.baseline); !status) return status.error();
  analysis::SummaryOptions options;
  options.run = reading->choice;
  options.targets = reading->targets;
  options.slow_factor = command.slow_factor;
  options.study_rule = command.rule == "study";
  options.baseline = command.baseline;
  return ReportRequest{std::move(*reading), std::move(options)};
}

// The study that a store stands beside, where its folder is there.
Result<std::optional<analysis::Study>> default_study(const Context& context) {
  const std::filesystem::path folder = context.baselines() / analysis::kDefaultStudy;
  if (std::error_code error; !std::filesystem::exists(folder, error)) return std::optional<analysis::Study>();
  Result<analysis::Study> study = analysis::Study::load(folder);
  if (!study) return study.error();
  return std::optional(std::move(*study));
}

// The findings on which the study's tables and figures rest: by its rule, which counts what is right at the
// highest precision alone as failed. nullopt: `summary` is by that rule, or has nothing that it would count
// so.
Result<std::optional<analysis::ResultSet>> findings_by_study(
    const Context& context, const ReportCommand& command, ReportRequest& request,
    const analysis::Summary& summary, const UsageTable& usage, const analysis::Study* study) {
  const bool any =
      std::any_of(summary.targets.begin(), summary.targets.end(),
                  [](const analysis::TargetRow& one) { return one.cases.default_precision > 0; });
  if (!command.rule.empty() || !any) return std::optional<analysis::ResultSet>();
  analysis::SummaryOptions options = request.options;
  options.study_rule = true;
  options.detail = analysis::Detail::kNone;  // verdicts alone
  const Result<analysis::Summary> by_study =
      analysis::summarize(request.reading.store, request.reading.rules, options);
  if (!by_study) return by_study.error();
  return std::optional(analysis::findings_of(*by_study, context.registry.frameworks(), &usage, study));
}

// The study's tables of the chosen run, and what goes beyond them.
Result<ExitCode> report_tables(const Context& context, const ReportCommand& command,
                               const Settings& settings) {
  Result<ReportRequest> request = request_for(context, command, settings);
  if (!request) return request.error();
  auto& [reading, options] = *request;
  const bool operators = wants_operators(command);
  options.detail = operators ? analysis::Detail::kMessages : analysis::Detail::kNone;
  const Result<analysis::Summary> summary = analysis::summarize(reading.store, reading.rules, options);
  if (!summary) return summary.error();
  const Result<UsageTable> usage = usage_for(context, reading, command.usage);
  if (!usage) return usage.error();
  const Result<std::optional<analysis::Study>> study = default_study(context);
  if (!study) return study.error();
  const analysis::Study* published = study->has_value() ? &**study : nullptr;
  const analysis::ResultSet findings =
      analysis::findings_of(*summary, context.registry.frameworks(), &*usage, published);
  const Result<std::optional<analysis::ResultSet>> by_study =
      findings_by_study(context, command, *request, *summary, *usage, published);
  if (!by_study) return by_study.error();
  std::optional<std::vector<analysis::TargetOperators>> missing;
  if (operators) {
    auto read = analysis::missing_operators(reading.store, reading.rules, *summary, options);
    if (!read) return read.error();
    missing = std::move(*read);
  }
  return report_exhibits(context, command, findings,
                         {{}, &*summary, usage->corpus, 0, missing ? &*missing : nullptr},
                         by_study->has_value() ? &**by_study : nullptr);
}

// Options of the tables ask for them, as does a drawing.
bool wants_tables(const ReportCommand& command) {
  return command.tables || !command.pair.empty() || !command.generations.empty() || !command.only.empty() ||
         !command.usage.empty() || chart_format_of(command).has_value();
}

Formats report_formats() { return report::documents_and({Format::kJson, Format::kCsv, Format::kBadge}); }

// The page that was written of the store's latest run, where it is no older than that.
std::string page_of(const ReportCommand& command, const analysis::Summary& summary) {
  const bool whole = command.run_choice.empty() || command.run_choice == "latest";
  if (!whole || !command.selection.targets.empty() || summary.runs.size() != 1) return {};
  const std::optional<std::int64_t> ended_us = summary.runs.front().info.ended_unix_us;
  std::error_code error;
  const std::filesystem::path page =
      std::filesystem::absolute(summary.store, error).replace_extension(".html");
  const auto written = std::filesystem::last_write_time(page, error);
  if (error || !ended_us) return {};
  const auto at = std::chrono::file_clock::to_sys(written).time_since_epoch();
  const std::int64_t at_us = std::chrono::duration_cast<std::chrono::microseconds>(at).count();
  return at_us >= *ended_us ? page.native() : std::string();
}

// For people at a terminal; the rest is asked for.
Result<ExitCode> report_screen(const Context& context, const ReportCommand& command,
                               const ReportRequest& request, const analysis::Summary& summary,
                               const UsageTable& usage) {
  report::RenderOptions render = render_options(context, command.output);
  const analysis::ResultSet findings =
      analysis::findings_of(summary, context.registry.frameworks(), &usage, request.options.study);
  render.findings = &findings;
  report::ScreenPlaces places;
  const std::string store = request.reading.store.file().native();
  if (store != Settings().store) places.store_flag = " --store " + shell_word(store);
  places.fixed = is_measured(store);
  if (!command.run_choice.empty()) places.chosen = " --run " + shell_word(command.run_choice);
  for (const std::string& target : command.selection.targets)
    places.chosen += " --target " + shell_word(target);
  if (!places.fixed) places.page = page_of(command, summary);
  return end_with(report::first_screen(summary, places, render), command.output);
}

Result<ExitCode> report_run(const Context& context, const ReportCommand& command, const Settings& settings) {
  if (format_from(command.format.empty() ? ending_of(command.output) : command.format) == Format::kLatex)
    return Error(CliError::kUsage, "latex is for tables", "add --tables");
  const Result<Format> format = format_for(context, command.format, command.output, report_formats());
  if (!format) return format.error();
  Result<ReportRequest> request = request_for(context, command, settings);
  if (!request) return request.error();
  auto& [reading, options] = *request;
  options.detail = report::detail_for(*format);
  const Result<std::optional<analysis::Study>> study = default_study(context);
  if (!study) return study.error();
  options.devices = &reading.devices;
  options.study = study->has_value() ? &**study : nullptr;
  const Result<analysis::Summary> summary = analysis::summarize(reading.store, reading.rules, options);
  if (!summary) return summary.error();
  if (*format == Format::kBadge && summary->targets.size() != 1) {
    return Error(CliError::kUsage,
                 fmt::format("a badge is of one target, this run has {}", summary->targets.size()),
                 "choose it with --target NAME");
  }
  if (*format == Format::kTerminal && !command.full) {
    const Result<UsageTable> usage = usage_for(context, reading, command.usage);
    if (!usage) return usage.error();
    return report_screen(context, command, *request, *summary, *usage);
  }
  report::RenderOptions render = render_options(context, command.output);
  std::optional<analysis::ResultSet> findings;
  report::PageCharts charts;
  if (*format == Format::kHtml) {
    const Result<UsageTable> usage = usage_for(context, reading, command.usage);
    if (!usage) return usage.error();
    findings = analysis::findings_of(*summary, context.registry.frameworks(), &*usage, options.study);
    render.findings = &*findings;
    const Result<std::optional<analysis::ResultSet>> by_study =
        findings_by_study(context, command, *request, *summary, *usage, options.study);
    if (!by_study) return by_study.error();
    charts = page_charts(context, by_study->has_value() ? **by_study : *findings, *summary);
    const auto operators = analysis::missing_operators(reading.store, reading.rules, *summary, options);
    if (!operators) return operators.error();
    charts.operators =
        analysis::missing_operators(*findings, {{}, &*summary, usage->corpus, kPageOperators, &*operators});
    render.charts = &charts;
    render.usage_source = usage->corpus;
  }
  return end_with(report::render(*format, *summary, render), command.output);
}

}  // namespace

ReportCommand::ReportCommand(Options& options) {
  options.store(selection);
  options.run(run_choice);
  options.output(format, output,
                 report::documents_and({Format::kJson, Format::kCsv, Format::kBadge, Format::kLatex,
                                        Format::kPng, Format::kSvg, Format::kVegaLite}),
                 "; latex is for tables, the last three are for figures",
                 "Write to this file; several figures: into this folder");
  options.flag("--full", full, "On a terminal: every table and note, not the first screen alone");
  options.targets(selection, "Only these targets");
  options.value("--baseline", baseline, "TARGET",
                "The target that ratios refer to (default: each target's own)");
  options.flag(
      "--tables", tables,
      fmt::format("The study's Tables 1 to 8 and the data of its Figures 1 to 10; --store {} gives those "
                  "that it published",
                  analysis::kDefaultStudy));
  options.value("--pair", pair, "A:B", "With --tables: the two devices to compare");
  options.value("--generations", generations, "OLD:NEW",
                "With --tables: an older and a newer device (again for more)");
  options.value("--only", only, "ID", "With --tables or figures: only these (globs)");
  options.value("--theme", theme, "light|dark", "Of drawings (default: light)").one_of({"light", "dark"});
  options.value("--usage", usage, "LABEL",
                "With --tables: whose calls count, a corpus of the store (default: the last, else the "
                "shipped counts)");
  options
      .value("--rule", rule, "RULE",
             "What is right at a device's highest precision alone passes (seamark) or fails (study); "
             "default: seamark, "
             "and study for the study's tables and figures")
      .one_of({"seamark", "study"});
  options
      .value("--slow-factor", slow_factor, "X",
             "How many times the baseline's time is intolerable (default: 10)")
      .between(1.0, 1e6);
}

Result<ExitCode> ReportCommand::run(Context& context) const {
  const Result<Settings> settings = settings_for(context, selection);
  if (!settings) return settings.error();
  if (is_baseline(context, settings->store)) return report_baseline(context, *this, settings->store);
  return wants_tables(*this) ? report_tables(context, *this, *settings)
                             : report_run(context, *this, *settings);
}

Verb report_verb() {
  return {"report", "Show what a store holds: verdicts, failures, ratios",
          fmt::format("Examples:\n"
                      "  seamark report\n"
                      "  seamark report --full\n"
                      "  seamark report --format html -o report.html\n"
                      "  seamark report --tables --pair cpu:lazy\n"
                      "  seamark report --only to-do --only calls-weighted\n"
                      "  seamark report --tables --store {0} --only 'table-*'\n"
                      "  seamark report --only figure-1 -o figure.svg\n"
                      "  seamark report --store {0} --format png -o charts/\n"
                      "  seamark report --store {0} --format html -o study.html",
                      analysis::kDefaultStudy),
          make_command<ReportCommand>};
}

}  // namespace seamark::cli
