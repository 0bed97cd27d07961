#include "seamark/report/page/html_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "seamark/base/text.h"
#include "seamark/report/build/derive.h"
#include "seamark/report/build/exhibit_text.h"
#include "seamark/report/build/run_report.h"
#include "seamark/report/build/target_sentence.h"
#include "seamark/report/page/html_charts.h"
#include "seamark/report/page/html_page.h"
#include "seamark/report/page/html_parts.h"
#include "seamark/report/page/html_text.h"

namespace seamark::report {

using analysis::Summary;
using html::element;
using html::line;

namespace {

constexpr int kLeastRows = 5;  // of the slowest and fastest functions

std::string tiles(const Summary& summary, const Glyphs& glyphs) {
  std::string out;
  auto tile = [&](const std::string& value, const std::string& label) {
    out += fmt::format("<div><b>{}</b><span>{}</span></div>", value, label);
  };
  std::int64_t cases = 0;
  for (const analysis::FunctionRow& row : summary.functions)
    cases += static_cast<std::int64_t>(row.cases.size());
  std::int64_t planned = 0;
  std::int64_t attempted = 0;
  std::optional<double> wall;
  for (const analysis::RunFacts& run : summary.runs) {
    planned += run.planned;
    attempted += run.attempted;
    if (run.info.wall_s) wall = wall.value_or(0) + *run.info.wall_s;
  }
  tile(count_text(static_cast<std::int64_t>(summary.functions.size())), "functions");
  tile(count_text(cases), "cases");
  tile(count_text(static_cast<std::int64_t>(summary.targets.size())), "targets");
  tile(percent_text(attempted, planned, glyphs),
       fmt::format("of {} planned cases attempted", count_text(planned)));
  tile(wall ? seconds_text(*wall, glyphs) : std::string(glyphs.none), "wall time");
  return element("div", "tiles", out);
}

std::string header(const Summary& summary, const RenderOptions& options, const Glyphs& glyphs) {
  std::string facts;
  for (const analysis::RunFacts& run : summary.runs) {
    facts +=
        fmt::format("<p class=\"facts\">Run <code>{}</code> · {} · {}</p>\n", line(short_id(run.info.uuid)),
                    utc_text(run.info.started_unix_us), store::name_of(run.info.state));
  }
  for (const analysis::RunFacts& run : summary.runs) {
    if (run.info.subset_note.empty()) continue;
    facts += fmt::format(
        "<details class=\"banner\"><summary><b>Subset</b> <span>{}</span></summary>{}</details>\n",
        line(run.info.subset_note),
        run.info.full_command.empty()
            ? std::string()
            : fmt::format("<p>Everything: <code>{}</code></p>", line(run.info.full_command)));
  }
  return fmt::format(
      "<header>\n<p class=\"brand\">Seamark {}</p>\n<h1>Portability report</h1>\n{}{}\n</header>\n",
      line(options.tool_version), facts, tiles(summary, glyphs));
}

// What is known of each target, in a sentence.
std::string sentences(const Summary& summary, const Glyphs& glyphs) {
  std::string list;
  for (std::size_t t = 0; t < summary.targets.size(); ++t) {
    const std::string& target = summary.targets[t].target;
    const std::string sentence = target_sentence(summary, t, glyphs);
    const std::size_t name = one_line(target).size();
    list += element("li", "",
                    html::link(html::anchor('t', target), line(sentence.substr(0, name))) + " " +
                        line(sentence.substr(name)) + ".");
  }
  return html::section(
      "summary", "In short",
      "Functions that pass of those that ran, where these ran, and the median of their warm latency "
      "against the baseline.",
      element("ul", "sentences", list));
}

// Empty where none is named as missing.
std::string operators_section(const RenderOptions& options) {
  const bool any = options.charts != nullptr && !options.charts->operators.rows.empty();
  return any ? html_text(exhibit_section(options.charts->operators, true)) : std::string();
}

std::string navigation(const Summary& summary, bool charts, bool operators) {
  return fmt::format(
      "<nav aria-label=\"Sections\"><a href=\"#summary\">Summary</a><a href=\"#failures\">Failures</a><a "
      "href=\"#functions\">Functions</a><a href=\"#overview\">Verdicts</a>{}{}<a "
      "href=\"#latency\">Latency</a>{}{}<a "
      "href=\"#targets\">Targets</a><a href=\"#notes\">Notes</a></nav>\n",
      charts ? "<a href=\"#charts\">Charts</a>" : "",
      operators ? "<a href=\"#missing-operators\">Operators</a>" : "",
      summary.estimates.empty() ? "" : "<a href=\"#estimates\">Estimates</a>",
      summary.declared.empty() ? "" : "<a href=\"#declared\">Declared</a>");
}

}  // namespace

std::string render_html(const Summary& summary, const RenderOptions& options) {
  const Glyphs glyphs = Glyphs::of(true);
  const Uses uses(options.findings, options.usage_source);
  html::PageParts parts = html::report_parts("Seamark: portability report");
  std::string charts;
  if (options.charts != nullptr && options.findings != nullptr) {
    html::add_charts(*options.charts, parts);
    charts = html::charts_section(*options.charts, *options.findings);
  }
  const std::string operators = operators_section(options);
  std::string out = html::page_head(parts) + header(summary, options, glyphs);
  out += navigation(summary, !charts.empty(), !operators.empty()) + "<main>\n";
  if (summary.targets.empty())
    out += "<p>Nothing to report: the run has no targets.</p>\n";
  else
    out += sentences(summary, glyphs);
  RenderOptions page_options = options;
  page_options.unicode = true;
  page_options.rows = std::max(options.rows, kLeastRows);
  std::string failures;
  std::string rest;
  for (const Section& section : run_document(summary, page_options, Extent::kPage).sections) {
    if (section.id == "failures") {
      failures = html_text(section);
      rest += operators;
      continue;
    }
    rest += html_text(section);
    if (section.id == "overview") rest += charts;
  }
  out += failures + html::matrix_section(summary, uses, glyphs) + rest;
  out += fmt::format(
      "</main>\n<footer>Made from <code>{}</code> (schema {}), classified by rules "
      "<code>{}</code>.</footer>\n",
      line(summary.store), summary.schema_version, line(summary.rules_version));
  return out + html::page_data(summary, uses) + html::scripts_of(parts) + "</body>\n</html>\n";
}

}  // namespace seamark::report
