#include "seamark/cli/exhibits.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "seamark/analysis/beyond.h"
#include "seamark/analysis/study_figures.h"
#include "seamark/base/text.h"
#include "seamark/cli/charts.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/rendering.h"
#include "seamark/report/build/exhibit_text.h"
#include "seamark/report/page/html_study.h"

namespace seamark::cli {
namespace {

using analysis::Exhibit;
using analysis::ResultSet;

constexpr std::size_t kToDoRows = 20;  // per target, for people
constexpr std::string_view kOperators = "missing-operators";
constexpr std::initializer_list<Format> kTableFormats = {Format::kTerminal, Format::kMarkdown, Format::kJson,
                                                         Format::kCsv, Format::kLatex};

std::vector<std::string> keys_of(const ResultSet& findings) {
  std::vector<std::string> keys;
  keys.reserve(findings.devices.size());
  for (const analysis::DeviceResult& device : findings.devices) keys.push_back(device.key);
  return keys;
}

// "A:B" as two devices.
Result<std::pair<std::size_t, std::size_t>> pair_from(const ResultSet& findings, const std::string& text) {
  const std::size_t colon = text.find(':');
  std::vector<std::size_t> found;
  for (const std::string& key :
       {text.substr(0, colon), colon == std::string::npos ? "" : text.substr(colon + 1)}) {
    const std::optional<std::size_t> device = findings.device(key);
    if (!device) {
      return Error(CliError::kUnknownName, fmt::format("'{}': there is no device '{}'", text, key),
                   fmt::format("two of these, as A:B: {}", join(keys_of(findings), ", ")));
    }
    found.push_back(*device);
  }
  return std::pair{found[0], found[1]};
}

// The points of every figure are for programs: people get the tables unless they ask.
bool is_for_people(Format format) { return format == Format::kTerminal || format == Format::kLatex; }

// Who asks for the to-do gets the operators with it.
bool asks_for(const std::string& pattern, std::string_view id) {
  return glob_match(pattern, id) || (id == kOperators && glob_match(pattern, "to-do"));
}

Result<std::vector<Exhibit>> chosen(std::vector<Exhibit> all, const std::vector<std::string>& only) {
  if (only.empty()) return all;
  std::vector<std::string> ids;
  ids.reserve(all.size());
  for (const Exhibit& one : all) ids.push_back(one.id);
  std::vector<Exhibit> out;
  for (const std::string& pattern : only) {
    bool any = false;
    for (const Exhibit& one : all) {
      if (!asks_for(pattern, one.id)) continue;
      any = true;
      out.push_back(one);
    }
    if (any) continue;
    const std::optional<std::string> near = nearest(pattern, ids);
    return Error(CliError::kUnknownName, fmt::format("there is no table or figure '{}'", pattern),
                 near ? fmt::format("did you mean '{}'?", *near) : join(ids, ", "));
  }
  return out;
}

Result<analysis::ExhibitChoice> choice_of(const ReportCommand& command, const ResultSet& findings) {
  analysis::ExhibitChoice choice;
  if (!command.pair.empty()) {
    const auto pair = pair_from(findings, command.pair);
    if (!pair) return pair.error();
    choice.pair = *pair;
  }
  for (const std::string& text : command.generations) {
    const auto pair = pair_from(findings, text);
    if (!pair) return pair.error();
    choice.generations.push_back(*pair);
  }
  return choice;
}

Result<ExitCode> draw_figures(const Context& context, const ReportCommand& command, const ResultSet& findings,
                              const analysis::BeyondOptions& beyond, Format format) {
  std::vector<Exhibit> all = analysis::study_figures(findings, beyond.choice);
  for (Exhibit& one : analysis::drawn_beyond(findings, beyond)) all.push_back(std::move(one));
  const Result<std::vector<Exhibit>> figures = chosen(std::move(all), command.only);
  if (!figures) {
    return figures.error().within(fmt::format(
        "'{}' draws figures alone", command.format.empty() ? ending_of(command.output) : command.format));
  }
  const auto theme =
      command.theme.empty() ? report::ChartTheme::kLight : report::chart_theme_from(command.theme);
  if (!theme)
    return Error(CliError::kUsage, fmt::format("there is no theme '{}'", command.theme), "light or dark");
  if (Status drawn = write_charts(context, *figures, findings, format, *theme, command.output); !drawn)
    return drawn.error();
  return ExitCode::kDone;
}

}  // namespace

bool is_baseline(const Context& context, const std::string& store) {
  std::error_code ec;
  if (store.empty() || store.find('/') != std::string::npos || std::filesystem::exists(store, ec))
    return false;
  return std::filesystem::is_directory(context.baselines() / store, ec);
}

bool wants_operators(const ReportCommand& command) {
  const std::vector<std::string>& only = command.only;
  if (only.empty()) {
    const Result<Format> format = choose_format(command.format, command.output, kTableFormats);
    return format && !is_for_people(*format);
  }
  return std::any_of(only.begin(), only.end(),
                     [](const std::string& pattern) { return asks_for(pattern, kOperators); });
}

Result<ExitCode> report_exhibits(const Context& context, const ReportCommand& command, const ResultSet& own,
                                 const analysis::BeyondOptions& of_store, const ResultSet* by_study) {
  const ResultSet& findings = by_study != nullptr ? *by_study : own;
  const Result<analysis::ExhibitChoice> asked = choice_of(command, findings);
  if (!asked) return asked.error();
  const analysis::ExhibitChoice& choice = *asked;
  analysis::BeyondOptions beyond = of_store;
  beyond.choice = choice;
  if (const auto drawing = chart_format_of(command))
    return draw_figures(context, command, findings, beyond, *drawing);
  const Result<Format> format = choose_format(command.format, command.output, kTableFormats);
  if (!format) return format.error();
  std::vector<Exhibit> all = analysis::study_tables(findings, choice);
  all.push_back(analysis::headlines(findings, choice));
  for (Exhibit& figure : analysis::study_figures(findings, choice)) all.push_back(std::move(figure));
  std::vector<std::string> only = command.only;
  const bool for_people = is_for_people(*format);
  beyond.to_do_rows = for_people ? kToDoRows : 0;
  for (Exhibit& one : analysis::beyond_study(own, beyond)) all.push_back(std::move(one));
  if (only.empty() && for_people) only = {"table-*", "headlines"};
  const Result<std::vector<Exhibit>> exhibits = chosen(std::move(all), only);
  if (!exhibits) return exhibits.error();
  const report::RenderOptions render = render_options(context, command.output);
  const std::string text = report::render_exhibits(*format, findings, *exhibits, render);
  if (Status status = write_output(text, command.output); !status) return status.error();
  return ExitCode::kDone;
}

namespace {

bool wants_page(const ReportCommand& command) {
  const std::string name = command.format.empty() ? ending_of(command.output) : command.format;
  return name == "html" || name == "htm";
}

Result<ExitCode> baseline_page(const Context& context, const ReportCommand& command,
                               const analysis::Study& study, const ResultSet& findings) {
  if (!command.only.empty()) {
    return Error(CliError::kUsage, "a page has all tables and figures: --only chooses none of them",
                 fmt::format("leave it out, or choose a format of tables: {}", format_names(kTableFormats)));
  }
  if (Status status = no_page_on_terminal(context, command.output); !status) return status.error();
  const Result<analysis::ExhibitChoice> choice = choice_of(command, findings);
  if (!choice) return choice.error();
  const std::vector<Exhibit> tables = analysis::study_tables(findings, *choice);
  const Exhibit headlines = analysis::headlines(findings, *choice);
  const std::vector<Exhibit> beyond =
      analysis::beyond_study(findings, {*choice, nullptr, {}, kToDoRows, nullptr});
  const report::PageCharts charts = study_charts(context, analysis::study_figures(findings, *choice));
  const report::StudyPage page{study, findings, tables, headlines, beyond, charts};
  const std::string text = report::render_study_html(page, render_options(context, command.output));
  if (Status status = write_output(text, command.output); !status) return status.error();
  return ExitCode::kDone;
}

}  // namespace

Result<ExitCode> report_baseline(const Context& context, const ReportCommand& command,
                                 const std::string& store) {
  if (!command.selection.targets.empty() || !command.baseline.empty()) {
    return Error(CliError::kUsage, fmt::format("{} is a published study: it has devices, no targets", store),
                 "choose two of its devices with --pair A:B");
  }
  const Result<analysis::Study> study = analysis::Study::load(context.baselines(), store);
  if (!study) return study.error();
  const ResultSet findings = analysis::findings_of(*study, context.registry.frameworks());
  return wants_page(command) ? baseline_page(context, command, *study, findings)
                             : report_exhibits(context, command, findings);
}

}  // namespace seamark::cli
