// The sections of the HTML report that go through every function (declared in html_parts.h).
#include <fmt/format.h>

#include <algorithm>

#include "seamark/base/text.h"
#include "seamark/report/html_parts.h"
#include "seamark/report/html_text.h"
#include "seamark/report/terminal_parts.h"

namespace seamark::report::html {

using analysis::CaseCell;
using analysis::CaseRow;
using analysis::FunctionCell;
using analysis::FunctionRow;
using analysis::Summary;
using analysis::TargetRow;

namespace {

constexpr std::size_t kShownMessage = 2000;

bool has_functions(const std::string& framework, const Summary& summary) {
  return std::any_of(summary.functions.begin(), summary.functions.end(),
                     [&](const FunctionRow& row) { return row.framework == framework; });
}

std::vector<std::size_t> targets_of(const std::string& framework, const Summary& summary) {
  std::vector<std::size_t> indices;
  for (std::size_t t = 0; t < summary.targets.size(); ++t) {
    if (summary.targets[t].framework == framework) indices.push_back(t);
  }
  return indices;
}

std::string tags_of(const FunctionCell& cell) {
  std::string out;
  if (cell.on_device == false) out += element("span", "tag host", "on host");
  if (cell.flaky) out += element("span", "tag", "flaky");
  if (cell.slow_warm)
    out += element("span", "tag slow", "slow");
  else if (cell.slow_cold)
    out += element("span", "tag slow", "slow cold");
  return out;
}

std::string matrix_cell(const FunctionRow& function, std::size_t t, const Summary& summary,
                        const Glyphs& glyphs) {
  const TargetRow& target = summary.targets[t];
  const FunctionCell& cell = function.cells[t];
  const Standing standing = standing_of(cell);
  if (standing == Standing::kNotPlanned)
    return "<td class=\"absent\"><span class=\"sr\">not planned</span></td>";
  std::string out = "<td>" + verdict_chip(standing, target.compiled_only) + tags_of(cell);
  std::string second;
  if (cell.core_passed > 0) second = level_tag(level_of(cell.evidence), target.compiled_only);
  if (cell.category) second += category_chip(*cell.category);
  const FunctionTimes times = times_of(function, t, summary);
  if (times.warm_s.value) second += element("span", "time", seconds_text(times.warm_s, glyphs));
  if (times.warm_ratio.value) second += element("span", "ratio", ratio_text(*times.warm_ratio.value, glyphs));
  return out + element("div", "sub", second) + "</td>";
}

std::string target_head(const TargetRow& target, const Glyphs& glyphs) {
  return fmt::format("<th scope=\"col\">{}{}</th>", link(anchor('t', target.target), line(target.target)),
                     level_tag(level_text(target, glyphs), target.compiled_only));
}

std::string matrix(const std::string& framework, const Summary& summary, const Glyphs& glyphs) {
  const std::vector<std::size_t> targets = targets_of(framework, summary);
  std::string head = "<th scope=\"col\" class=\"corner\">function</th>";
  for (const std::size_t t : targets) head += target_head(summary.targets[t], glyphs);
  std::string rows;
  for (const FunctionRow& function : summary.functions) {
    if (function.framework != framework) continue;
    rows +=
        fmt::format("<tr><th scope=\"row\">{}{}</th>", link(anchor('f', function.name), name(function.name)),
                    function.host_only ? element("span", "tag", "host-only") : "");
    for (const std::size_t t : targets) rows += matrix_cell(function, t, summary, glyphs);
    rows += "</tr>\n";
  }
  return element("h3", "", line(framework)) + table("matrix", "Functions of " + framework, head, rows);
}

std::string message_block(const CaseCell& cell) {
  std::string body;
  const std::string type = one_line(cell.type);
  if (!type.empty() && !cell.message.starts_with(cell.type)) body += element("b", "", line(type)) + "\n";
  body += text(utf8_prefix(cell.message, kShownMessage));
  return body.empty() ? std::string() : element("pre", "error", body);
}

std::string failing_row(const FunctionRow& function, std::size_t t) {
  const CaseRow* row = telling_case(function, t);
  if (row == nullptr) return {};
  const CaseCell& cell = row->cells[t];
  int failing = 0;
  int planned = 0;
  for (const CaseRow& other : function.cases) {
    planned += other.cells[t].planned;
    failing += case_failed(other.cells[t]);
  }
  std::string labels = cell.category ? category_chip(*cell.category) : std::string();
  if (cell.outcome != Outcome::kFail) labels += element("span", "tag", line(outcome_text(cell)));
  if (cell.fails_on_reference) labels += element("span", "tag", "fails on reference");
  if (cell.unconfirmed) labels += element("span", "tag", "unconfirmed");
  return fmt::format(
      "<tr><th scope=\"row\">{}<small>{}</small><small>{} of {} "
      "cases</small></th><td>{}</td><td>{}</td></tr>\n",
      link(anchor('f', function.name), name(function.name)), line(case_part(row->name, function.name)),
      failing, planned, labels, message_block(cell));
}

std::string evidence_text(const CaseCell& cell, const TargetRow& target) {
  return cell.outcome ? level_tag(level_of(cell.evidence), target.compiled_only) : std::string();
}

std::string measured_cell(const analysis::Measured& measured, const Glyphs& glyphs) {
  if (measured.value) return element("td", "num", seconds_text(measured, glyphs));
  return element("td", "num muted why", measured.reason.empty() ? glyphs.none : line(measured.reason));
}

std::string ratio_cell(const CaseCell& cell, const Glyphs& glyphs) {
  if (!cell.warm) return element("td", "num muted", glyphs.none);
  return element("td", cell.warm->slow ? "num slow" : "num",
                 ratio_text(cell.warm->ratio, glyphs) +
                     element("small", "", interval_text(cell.warm->interval, glyphs, "")));
}

std::string placement_text(const CaseCell& cell, const TargetRow& target) {
  if (cell.outcome != Outcome::kPass) return {};
  if (target.compiled_only) return element("span", "muted", "not executed");
  if (!cell.fallback) return element("span", "muted", "not proven");
  return *cell.fallback ? element("span", "tag host", "on host") : "on device";
}

std::string case_rows(const CaseRow& row, const std::string& function, const Summary& summary,
                      const Glyphs& glyphs) {
  std::string out;
  bool first = true;
  for (std::size_t t = 0; t < row.cells.size(); ++t) {
    const CaseCell& cell = row.cells[t];
    if (!cell.planned) continue;
    const TargetRow& target = summary.targets[t];
    std::string label;
    if (first)
      label = line(case_part(row.name, function)) + (row.core ? "" : element("span", "tag", "not core"));
    out += fmt::format("<tr{}>", first ? " class=\"first\"" : "");
    out += fmt::format("<th scope=\"row\">{}</th>", label);
    out += element("td", "", link(anchor('t', target.target), line(target.target)));
    out += element("td", "",
                   outcome_chip(cell, target.compiled_only) +
                       (cell.category ? category_chip(*cell.category) : std::string()) +
                       (cell.fails_on_reference ? element("span", "tag", "fails on reference") : ""));
    out += element("td", "", evidence_text(cell, target));
    out += measured_cell(cell.cold_s, glyphs) + measured_cell(cell.warm_s, glyphs) + ratio_cell(cell, glyphs);
    out += element("td", "", placement_text(cell, target)) + "</tr>\n";
    const std::string why =
        cell.reason.empty() ? message_block(cell) : element("pre", "error", text(cell.reason));
    if (!why.empty()) out += "<tr class=\"text\"><td></td><td colspan=\"7\">" + why + "</td></tr>\n";
    first = false;
  }
  return out;
}

std::string function_details(const FunctionRow& function, const Summary& summary, const Glyphs& glyphs) {
  std::string chips;
  for (std::size_t t = 0; t < function.cells.size(); ++t) {
    const Standing standing = standing_of(function.cells[t]);
    if (standing == Standing::kNotPlanned) continue;
    chips += fmt::format("<span class=\"pair\"><span class=\"muted\">{}</span> {}</span>",
                         line(summary.targets[t].target),
                         verdict_chip(standing, summary.targets[t].compiled_only));
  }
  std::string rows;
  for (const CaseRow& row : function.cases) rows += case_rows(row, function.name, summary, glyphs);
  // The id stands inside, so that a link to it unfolds the details.
  return fmt::format(
      "<details><summary><span class=\"name\">{}</span>{}<span class=\"chips\">{}</span></summary>\n"
      "<div id=\"{}\" class=\"inside\">\n{}</div></details>\n",
      line(function.name), function.host_only ? element("span", "tag", "host-only") : "", chips,
      anchor('f', function.name),
      table("cases", "Cases of " + function.name,
            "<th scope=\"col\">case</th><th scope=\"col\">target</th><th scope=\"col\">outcome</th>"
            "<th scope=\"col\">evidence</th><th scope=\"col\" class=\"num\">cold</th><th scope=\"col\" "
            "class=\"num\">warm</th>"
            "<th scope=\"col\" class=\"num\">warm ratio</th><th scope=\"col\">placement</th>",
            rows));
}

}  // namespace

std::string matrix_section(const Summary& summary, const Glyphs& glyphs) {
  std::string out;
  for (const std::string& framework : frameworks_of(summary)) {
    if (has_functions(framework, summary)) out += matrix(framework, summary, glyphs);
  }
  if (out.empty()) out = "<p>No functions.</p>";
  return section(
      "functions", "Functions and targets",
      "The verdict over a function's core cases, what it rests on, the mean warm latency of those cases, and "
      "its ratio to the baseline (geometric mean, like with like). A dashed label means compiled only.",
      out);
}

std::string failure_section(const Summary& summary, const Glyphs& glyphs) {
  std::string out;
  for (std::size_t t = 0; t < summary.targets.size(); ++t) {
    std::string rows;
    for (const FunctionRow& function : summary.functions) rows += failing_row(function, t);
    if (rows.empty()) continue;
    const TargetRow& target = summary.targets[t];
    out += fmt::format(
        "<h3>{} {}</h3>", link(anchor('t', target.target), line(target.target)),
        level_tag(target.compiled_only ? "compiled" : level_text(target, glyphs), target.compiled_only));
    out += table(
        "failures", "Failures on " + target.target,
        "<th scope=\"col\">function</th><th scope=\"col\">category</th><th scope=\"col\">what it said</th>",
        rows);
  }
  if (out.empty()) out = "<p>Nothing failed.</p>";
  return section(
      "failures", "Failures",
      "Per function the case that tells most; the others are among the function's details. What fails the "
      "same way on the reference says nothing about portability and is marked.",
      out);
}

std::string function_section(const Summary& summary, const Glyphs& glyphs) {
  std::string out;
  for (const FunctionRow& function : summary.functions) out += function_details(function, summary, glyphs);
  return section("details", "Every function, case by case",
                 "Times are of one call: cold is the first one, warm the median in steady state.", out);
}

}  // namespace seamark::report::html
