// Failures, and every function case by case for readers without scripts (declared in html_parts.h).
#include <fmt/format.h>

#include <algorithm>

#include "seamark/base/text.h"
#include "seamark/report/html_parts.h"
#include "seamark/report/html_text.h"
#include "seamark/report/run_report.h"

namespace seamark::report::html {

using analysis::CaseCell;
using analysis::CaseRow;
using analysis::FunctionRow;
using analysis::Summary;
using analysis::TargetRow;

namespace {

constexpr std::size_t kShownMessage = 2000;
// The section of failures is for reading: the whole text is among the function's details.
constexpr std::size_t kShortMessage = 400;
constexpr std::size_t kShownFailures = 100;
// Of these, elements from the start (see LongRows): more than a table shows before it scrolls.
constexpr std::size_t kFirstFailures = 30;

std::string message_block(const CaseCell& cell, std::size_t limit) {
  std::string body;
  const std::string type = one_line(cell.error->type);
  if (!type.empty() && !cell.error->message.starts_with(cell.error->type))
    body += element("b", "", line(type)) + "\n";
  const std::string_view message = cell.error->message;
  body += text(utf8_prefix(message, limit));
  if (message.size() > limit && limit < kShownMessage) body += "…";
  return body.empty() ? std::string() : element("pre", "error", body);
}

// --- failures

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
  if (cell.unanswered) labels += element("span", "tag", "unanswered");
  if (cell.unconfirmed) labels += element("span", "tag", "unconfirmed");
  return fmt::format("<tr><th scope=row>{}<small>{}</small><small>{} of {} cases</small><td>{}<td>{}\n",
                     link(anchor('f', function.name), name(function.name)),
                     line(case_part(row->name, function.name)), failing, planned, labels,
                     message_block(cell, kShortMessage));
}

std::string target_failures(const Summary& summary, std::size_t t, const Glyphs& glyphs) {
  LongRows rows;
  std::size_t count = 0;
  for (const FunctionRow& function : summary.functions) {
    if (telling_case(function, t) == nullptr) continue;
    if (++count <= kShownFailures) rows.add(failing_row(function, t), kFirstFailures);
  }
  if (count == 0) return {};
  const TargetRow& target = summary.targets[t];
  std::string out = fmt::format(
      "<h3>{} {} <span class=\"muted\">{}</span></h3>", link(anchor('t', target.target), line(target.target)),
      level_tag(target.compiled_only ? "compiled" : level_text(target, glyphs), target.compiled_only),
      plural(static_cast<std::int64_t>(count), "function"));
  out += long_table(
      "failures", "Failures on " + target.target,
      "<th scope=\"col\">function</th><th scope=\"col\">category</th><th scope=\"col\">what it said</th>",
      rows);
  if (count > kShownFailures) {
    out += fmt::format("<p class=\"note\">The first {} of {}; the others are among the functions below.</p>",
                       kShownFailures, count_text(static_cast<std::int64_t>(count)));
  }
  return out;
}

// --- cases x targets of one function

std::string case_remarks(const CaseCell& cell, const TargetRow& target, const Glyphs& glyphs) {
  std::vector<std::string> parts;
  if (cell.category) parts.emplace_back(name_of(*cell.category));
  if (cell.outcome == Outcome::kPass) parts.push_back(level_of(cell.evidence));
  if (cell.times->cold_s.value) parts.push_back("cold " + seconds_text(cell.times->cold_s, glyphs));
  if (cell.warm && !target.compiled_only) parts.push_back(ratio_text(cell.warm->ratio, glyphs));
  if (cell.fails_on_reference) parts.emplace_back("fails on reference");
  if (cell.unanswered) parts.emplace_back("unanswered");
  if (cell.no_device_work) parts.emplace_back("no device work");
  if (cell.outcome == Outcome::kPass && cell.fallback == true) parts.emplace_back("on host");
  return join(parts, " · ");
}

std::string case_cell(const CaseCell& cell, const TargetRow& target, const Glyphs& glyphs) {
  if (!cell.planned) return "<td class=none>";
  const Look look = look_of(cell);
  std::string first = line(outcome_text(cell));
  if (cell.outcome == Outcome::kPass) {
    first = target.compiled_only       ? "compiles"
            : cell.times->warm_s.value ? seconds_text(cell.times->warm_s, glyphs)
                                       : first;
  }
  const std::string more = case_remarks(cell, target, glyphs);
  return fmt::format("<td class={}>{} {}{}",
                     target.compiled_only ? fmt::format("\"{} aot\"", look.css) : std::string(look.css),
                     look.sign, first, more.empty() ? more : "\n" + more);
}

// One failure, and where else the same was said.
struct Said {
  const CaseRow* row = nullptr;
  const CaseCell* cell = nullptr;
  std::size_t target = 0;
  int others = 0;
};

bool same_words(const CaseCell& a, const CaseCell& b) {
  return a.category == b.category && a.error->type == b.error->type && a.error->message == b.error->message &&
         a.reason == b.reason;
}

std::vector<Said> said_of(const FunctionRow& function) {
  std::vector<Said> out;
  for (const CaseRow& row : function.cases) {
    for (std::size_t t = 0; t < row.cells.size(); ++t) {
      const CaseCell& cell = row.cells[t];
      if (!cell.planned || (cell.error->message.empty() && cell.error->type.empty() && cell.reason.empty()))
        continue;
      const auto same =
          std::find_if(out.begin(), out.end(), [&](const Said& one) { return same_words(*one.cell, cell); });
      if (same == out.end())
        out.push_back({&row, &cell, t, 0});
      else
        ++same->others;
    }
  }
  return out;
}

std::string said_item(const Said& said, const FunctionRow& function, const Summary& summary) {
  const std::string words = said.cell->reason.empty() ? message_block(*said.cell, kShownMessage)
                                                      : element("pre", "error", text(said.cell->reason));
  return fmt::format(
      "<li>{}{} on {}{}{}", said.cell->category ? category_chip(*said.cell->category) : "",
      line(case_part(said.row->name, function.name)), line(summary.targets[said.target].target),
      said.others > 0 ? fmt::format(", and {} more with the same words", said.others) : "", words);
}

std::string function_details(const FunctionRow& function, const Summary& summary, const Glyphs& glyphs) {
  const std::vector<std::size_t> targets = targets_of(function.framework, summary);
  std::string head = "<th scope=\"col\" class=\"corner\">case</th>";
  for (const std::size_t t : targets) head += element("th", "", line(summary.targets[t].target));
  std::string rows;
  for (const CaseRow& row : function.cases) {
    rows += fmt::format("<tr><th scope=row>{}{}", line(case_part(row.name, function.name)),
                        row.core ? "" : "<small>not core</small>");
    for (const std::size_t t : targets) rows += case_cell(row.cells[t], summary.targets[t], glyphs);
  }
  std::string said;
  for (const Said& one : said_of(function)) said += said_item(one, function, summary);
  // The id stands inside, so that a link to it unfolds the details.
  return fmt::format(
      "<details><summary><span class=\"name\">{}</span></summary>\n<div id=\"{}\" class=\"inside\">\n{}{}"
      "</div></details>\n",
      line(function.name), anchor('f', function.name),
      table("matrix", "Cases of " + function.name, head, rows),
      said.empty() ? said : element("ul", "said", said));
}

}  // namespace

std::string failure_section(const Summary& summary, const Glyphs& glyphs) {
  std::string out;
  for (std::size_t t = 0; t < summary.targets.size(); ++t) out += target_failures(summary, t, glyphs);
  if (out.empty()) out = "<p>" + line(no_failures_text(summary)) + "</p>";
  return section(
      "failures", "Failures",
      "Per function the case that tells most; the others, and the whole texts, are among the function's "
      "details. What fails the same way on the reference says nothing about portability and is marked.",
      out);
}

std::string function_section(const Summary& summary, const Glyphs& glyphs) {
  std::string out;
  for (const FunctionRow& function : summary.functions) out += function_details(function, summary, glyphs);
  return "<noscript>" +
         section(
             "details", "Every function, case by case",
             "Warm latency in steady state where it was timed, else the outcome; then what it rests on, the "
             "first call (cold), and the ratio to the baseline.",
             out) +
         "</noscript>\n";
}

}  // namespace seamark::report::html
