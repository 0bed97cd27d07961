#include "seamark/report/page/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "seamark/base/text.h"
#include "seamark/report/build/declared_parts.h"
#include "seamark/report/build/derive.h"
#include "seamark/report/build/estimate_report.h"
#include "seamark/report/build/run_report.h"
#include "seamark/report/build/sample_report.h"
#include "seamark/report/page/html_charts.h"
#include "seamark/report/page/html_page.h"
#include "seamark/report/page/html_parts.h"
#include "seamark/report/page/html_text.h"

namespace seamark::report {

using analysis::FunctionCounts;
using analysis::Summary;
using analysis::TargetRow;
using html::element;
using html::line;
using html::link;

namespace {

// One part of a bar. Presentation attributes of SVG, so that the page needs no style attributes.
std::string bar_part(int& at, int count, int total, const char* css) {
  if (count == 0) return {};
  const double x = 100.0 * at / total;
  const double width = 100.0 * count / total;
  at += count;
  return fmt::format("<rect class=\"{}\" x=\"{:.2f}%\" width=\"{:.2f}%\" height=\"100%\"/>", css, x, width);
}

std::string bar(const TargetRow& target) {
  const FunctionCounts& all = target.all;
  const int total = std::max(1, all.functions);
  int at = 0;
  std::string parts = bar_part(at, all.pass, total, target.compiled_only ? "b-aot" : "b-pass");
  parts += bar_part(at, all.partial, total, "b-partial");
  parts += bar_part(at, all.fail, total, "b-fail");
  parts += bar_part(at, all.functions - all.pass - all.partial - all.fail, total, "b-rest");
  const std::string label =
      fmt::format("{} {}, {} partial, {} fail, {} unanswered, {} not run, {} fail on the reference", all.pass,
                  target.compiled_only ? "compile" : "pass", all.partial, all.fail, all.unanswered,
                  all.not_run, all.fails_on_reference);
  return fmt::format("<svg class=\"bar\" role=\"img\" aria-label=\"{}\"><title>{}</title>{}</svg>", label,
                     label, parts);
}

std::string share_cell(int count, int total, const char* css, const Glyphs& glyphs) {
  if (total == 0) return element("td", "num muted", glyphs.none);
  if (count == 0) return element("td", "num zero", "0");
  return element(
      "td", std::string("num ") + css,
      fmt::format("<b>{}</b><small>{} of {}</small>", count, percent_text(count, total, glyphs), total));
}

std::string count_cell(std::int64_t count) {
  return element("td", count == 0 ? "num zero" : "num", count_text(count));
}

std::string rate_cell(const analysis::Rate& rate, const Glyphs& glyphs) {
  if (!rate.value) {
    return element("td", "num muted why", rate.reason.empty() ? glyphs.none : line(rate.reason));
  }
  return element(
      "td", "num",
      fmt::format("<b>{}</b><small>{}</small>", rate_text(rate, glyphs), rate_interval_text(rate, glyphs)));
}

std::string overview_row(const TargetRow& target, const Glyphs& glyphs) {
  const FunctionCounts& all = target.all;
  const int ran = all.pass + all.partial + all.fail;
  std::string row =
      fmt::format("<tr{}><th scope=\"row\">{}{}</th>", target.compiled_only ? " class=\"aot\"" : "",
                  link(html::anchor('t', target.target), line(target.target)),
                  html::level_tag(level_text(target, glyphs), target.compiled_only));
  row += element("td", "barcell", bar(target));
  row += share_cell(all.pass, ran, target.compiled_only ? "t-aot" : "t-pass", glyphs);
  row += share_cell(all.partial, ran, "t-partial", glyphs) + share_cell(all.fail, ran, "t-fail", glyphs);
  row +=
      element("td", all.slow_warm + all.slow_cold > 0 ? "num slow" : "num muted", slow_text(target, glyphs));
  row += count_cell(all.unanswered) + count_cell(all.not_run) + count_cell(all.fails_on_reference);
  row += rate_cell(all.runs, glyphs) + rate_cell(all.runs_on_device, glyphs);
  row += count_cell(all.no_device_work) + rate_cell(target.with_device_work.runs, glyphs);
  row += rate_cell(target.forward.runs, glyphs) + rate_cell(target.gradient.runs, glyphs);
  return row + rate_cell(all.runs_uncorrected, glyphs) + "</tr>\n";
}

std::string overview_section(const Summary& summary, const Glyphs& glyphs) {
  const TargetOrder order = order_of(summary);
  std::string rows;
  for (const std::size_t i : order.executed) rows += overview_row(summary.targets[i], glyphs);
  if (!order.compiled_only.empty()) {
    rows +=
        "<tr class=\"divider\"><th colspan=\"16\" scope=\"colgroup\">Compiled only: what passes compiles; "
        "nothing was "
        "executed</th></tr>\n";
  }
  for (const std::size_t i : order.compiled_only) rows += overview_row(summary.targets[i], glyphs);
  if (!order.unknown.empty()) {
    rows +=
        "<tr class=\"divider\"><th colspan=\"16\" scope=\"colgroup\">Not run: nothing is known of "
        "these</th></tr>\n";
  }
  for (const std::size_t i : order.unknown) rows += overview_row(summary.targets[i], glyphs);
  constexpr std::string_view head =
      "<th scope=\"col\">target</th><th scope=\"col\"><span class=\"sr\">shares</span></th>"
      "<th scope=\"col\" class=\"num\">pass</th><th scope=\"col\" class=\"num\">partial</th>"
      "<th scope=\"col\" class=\"num\">fail</th><th scope=\"col\" class=\"num\">slow<small>warm / "
      "cold</small></th>"
      "<th scope=\"col\" class=\"num\">unanswered</th><th scope=\"col\" class=\"num\">not run</th><th "
      "scope=\"col\" class=\"num\">fails "
      "on<small>reference</small></th>"
      "<th scope=\"col\" class=\"num\">runs<small>95%</small></th>"
      "<th scope=\"col\" class=\"num\">on the device<small>95%</small></th>"
      "<th scope=\"col\" class=\"num\">no device<small>work</small></th>"
      "<th scope=\"col\" class=\"num\">runs<small>with device work</small></th>"
      "<th scope=\"col\" class=\"num\">forward<small>95%</small></th>"
      "<th scope=\"col\" class=\"num\">gradient<small>95%</small></th>"
      "<th scope=\"col\" class=\"num\">runs<small>uncorrected</small></th>";
  std::string legend =
      "<p class=\"legend\"><span class=\"key\"><svg class=\"swatch\"><rect class=\"b-pass\" width=\"100%\" "
      "height=\"100%\"/>"
      "</svg>pass</span><span class=\"key\"><svg class=\"swatch\"><rect class=\"b-partial\" width=\"100%\" "
      "height=\"100%\"/>"
      "</svg>partial</span><span class=\"key\"><svg class=\"swatch\"><rect class=\"b-fail\" width=\"100%\" "
      "height=\"100%\"/>"
      "</svg>fail</span><span class=\"key\"><svg class=\"swatch\"><rect class=\"b-rest\" width=\"100%\" "
      "height=\"100%\"/>"
      "</svg>unanswered, not run, or fails on the reference</span>";
  if (!order.compiled_only.empty()) {
    legend +=
        "<span class=\"key\"><svg class=\"swatch\"><rect class=\"b-aot\" width=\"100%\" "
        "height=\"100%\"/></svg>compiles, "
        "never executed</span>";
  }
  return html::section(
      "overview", "Which functions run where",
      "Functions by their verdict over their core cases; shares are of the functions that ran. On the "
      "device: passes, and nothing fell back to the host, of those with device work. Counted apart: what "
      "fails the "
      "same way on the reference, and what is unanswered: it fails before the device could answer. Forward "
      "and "
      "gradient: over those core cases alone.",
      html::table("overview", "Functions by verdict", head, rows) + legend + "</p>");
}

std::string category_section(const Summary& summary) {
  std::set<Category> present;
  for (const analysis::TargetCategories& target : summary.categories) {
    for (const analysis::CategoryCount& count : target.categories) {
      if (count.functions > 0 || count.cases > 0 || count.unanswered > 0) present.insert(count.category);
    }
  }
  if (present.empty()) return {};
  std::string head = "<th scope=\"col\">target</th>";
  for (const Category category : present) head += fmt::format("<th scope=\"col\">{}</th>", name_of(category));
  head += "<th scope=\"col\">fails on reference</th>";
  std::string rows;
  for (const analysis::TargetCategories& target : summary.categories) {
    const bool compiled = is_compiled_only(summary, target.target);
    std::string cells;
    std::int64_t on_reference = 0;
    for (const analysis::CategoryCount& count : target.categories) on_reference += count.fails_on_reference;
    for (const Category category : present) {
      std::string cell;
      for (const analysis::CategoryCount& count : target.categories) {
        if (count.category != category || count.functions + count.cases + count.unanswered == 0) continue;
        std::string examples;
        for (const std::string& name : count.examples) {
          examples += element("small", "", link(html::anchor('f', name), html::name(name)));
        }
        cell += fmt::format(
            "<b>{}</b> <span class=\"muted\">{}{} · {}</span>{}", count.functions,
            count.functions == 1 ? "function" : "functions",
            count.unanswered > 0 ? fmt::format(", {} unanswered", count.unanswered) : std::string(),
            plural(count.cases, "case"), examples);
      }
      cells += element("td", cell.empty() ? "zero" : "", cell.empty() ? "0" : cell);
    }
    cells += element("td", on_reference == 0 ? "zero" : "",
                     on_reference == 0 ? "0" : plural(on_reference, "case"));
    rows += fmt::format("<tr><th scope=\"row\">{}{}</th>{}</tr>\n",
                        link(html::anchor('t', target.target), line(target.target)),
                        html::level_tag(compiled ? "compiled" : "executed", compiled), cells);
  }
  return html::section(
      "categories", "Failures by category",
      "Functions by the most frequent category among their failing core cases, with examples.",
      html::table("categories", "Failures by category", head, rows));
}

std::string target_facts(const TargetRow& target, const Glyphs& glyphs) {
  std::string out;
  auto fact = [&](const char* name, const std::string& value) {
    if (!value.empty()) out += fmt::format("<dt>{}</dt><dd>{}</dd>", name, value);
  };
  if (!target.usable) {
    fact("not usable", line(target.reason));
    fact("remedy", line(target.remedy));
  }
  fact("evidence", html::level_tag(level_text(target, glyphs), target.compiled_only));
  fact("framework", line(framework_text(target)));
  fact("device", line(target.device_name));
  fact("workers", std::string(name_of(target.mode)));
  fact("baseline", target.baseline.empty() ? "is its own" : line(target.baseline));
  const analysis::CaseCounts& cases = target.cases;
  std::string text =
      fmt::format("{} of {} attempted, {} pass", count_text(cases.planned - cases.not_attempted),
                  count_text(cases.planned), count_text(cases.pass));
  if (cases.skip > 0) text += fmt::format(", {} skipped", count_text(cases.skip));
  if (cases.error > 0) text += ", " + plural(cases.error, "error");
  fact("cases", text);
  fact("CPU / wall", seconds_text(target.cpu_s, glyphs) + " / " + seconds_text(target.wall_s, glyphs));
  fact("environment", line(utf8_prefix(target.environment_hash, 64)));
  return out;
}

std::string target_section(const Summary& summary, const Glyphs& glyphs) {
  std::string out;
  for (const TargetRow& target : summary.targets) {
    out += fmt::format("<article class=\"target{}\" id=\"{}\"><h3>{}</h3><dl>{}</dl></article>\n",
                       target.usable ? "" : " unusable", html::anchor('t', target.target),
                       line(target.target), target_facts(target, glyphs));
  }
  return html::section("targets", "Targets", "CPU and wall are sums over attempts.",
                       element("div", "cards", out));
}

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
    facts += fmt::format("<p class=\"banner\"><b>Subset</b> {}{}</p>\n", line(run.info.subset_note),
                         run.info.full_command.empty()
                             ? std::string()
                             : fmt::format(" Everything: <code>{}</code>", line(run.info.full_command)));
  }
  return fmt::format(
      "<header>\n<p class=\"brand\">Seamark {}</p>\n<h1>Portability report</h1>\n{}{}\n</header>\n",
      line(options.tool_version), facts, tiles(summary, glyphs));
}

std::string navigation(const Summary& summary, bool charts) {
  return fmt::format(
      "<nav aria-label=\"Sections\"><a href=\"#overview\">Overview</a><a href=\"#functions\">Functions</a>{}"
      "<a href=\"#failures\">Failures</a><a href=\"#latency\">Latency</a>{}{}<a "
      "href=\"#targets\">Targets</a><a href=\"#notes\">Notes</a></nav>\n",
      charts ? "<a href=\"#charts\">Charts</a>" : "",
      summary.estimates.empty() ? "" : "<a href=\"#estimates\">Estimates</a>",
      summary.declared.empty() ? "" : "<a href=\"#declared\">Declared</a>");
}

}  // namespace

std::string render_html(const Summary& summary, const RenderOptions& options) {
  const Glyphs glyphs = Glyphs::of(true);
  const html::Uses uses(options.findings, options.usage_source);
  html::PageParts parts = html::report_parts("Seamark: portability report");
  std::string charts;
  if (options.charts != nullptr && options.findings != nullptr) {
    html::add_charts(*options.charts, parts);
    charts = html::charts_section(*options.charts, *options.findings);
  }
  std::string out = html::page_head(parts);
  out += header(summary, options, glyphs);
  out += navigation(summary, !charts.empty());
  out += "<main>\n";
  if (summary.targets.empty()) out += "<p>Nothing to report: the run has no targets.</p>\n";
  out += overview_section(summary, glyphs) + html::matrix_section(summary, uses, glyphs) + charts;
  out += category_section(summary) + html::failure_section(summary, glyphs);
  const int all = std::numeric_limits<int>::max();
  for (const Section& section :
       {latency_section(summary, std::max(options.rows, 5), glyphs), estimate_section(summary, all, glyphs),
        sample_section(summary, glyphs), declared_section(summary.declared)}) {
    if (!section.blocks.empty()) out += html_text(section);
  }
  out += target_section(summary, glyphs) + html_text(note_section(summary, glyphs));
  out += fmt::format(
      "</main>\n<footer>Made from <code>{}</code> (schema {}), classified by rules "
      "<code>{}</code>.</footer>\n",
      line(summary.store), summary.schema_version, line(summary.rules_version));
  return out + html::page_data(summary, uses) + html::scripts_of(parts) + "</body>\n</html>\n";
}

}  // namespace seamark::report
