// The function matrix (declared in html_parts.h). Thousands of rows: a cell is one element with two lines of
// text (the style sheet knows the first), and end tags that HTML lets one leave out are left out.
#include <fmt/format.h>

#include <algorithm>

#include "seamark/base/text.h"
#include "seamark/report/html_parts.h"
#include "seamark/report/html_text.h"

namespace seamark::report::html {

using analysis::FunctionCell;
using analysis::FunctionRow;
using analysis::Summary;
using analysis::TargetRow;

namespace {

// Elements from the start (see LongRows): more than a window shows.
constexpr std::size_t kFirstRows = 100;

bool has_functions(const std::string& framework, const Summary& summary) {
  return std::any_of(summary.functions.begin(), summary.functions.end(),
                     [&](const FunctionRow& row) { return row.framework == framework; });
}

// The first line: the latency where there is one, else the verdict.
std::string headline(const FunctionCell& cell, const FunctionTimes& times, const TargetRow& target,
                     const Glyphs& glyphs) {
  const Standing standing = standing_of(cell);
  if (standing == Standing::kPass && target.compiled_only) return "compiles";
  std::string out;
  if (standing == Standing::kPartial) out = fmt::format("{} of {}", cell.core_passed, cell.core_cases);
  if (cell.core_passed > 0 && times.warm_s.value) {
    out += (out.empty() ? "" : ", ") + seconds_text(times.warm_s, glyphs);
  }
  return out.empty() ? standing_text(standing) : out;
}

std::string remarks(const FunctionCell& cell, const FunctionTimes& times, const TargetRow& target,
                    const Glyphs& glyphs) {
  std::vector<std::string> parts;
  if (cell.category) parts.emplace_back(name_of(*cell.category));
  if (cell.core_passed > 0) parts.push_back(level_of(cell.evidence));
  if (times.warm_ratio.value && !target.compiled_only) {
    const std::string ratio = ratio_text(*times.warm_ratio.value, glyphs);
    parts.push_back(cell.slow_warm ? element("b", "", ratio + " slow") : ratio);
  } else if (cell.slow_warm) {
    parts.push_back(element("b", "", "slow"));
  }
  if (cell.slow_cold && !cell.slow_warm) parts.push_back(element("b", "", "slow cold"));
  if (cell.on_device == false) parts.push_back(element("u", "", "on host"));
  if (cell.flaky) parts.emplace_back("flaky");
  if (cell.no_device_work && cell.verdict != Verdict::kNotRun) parts.emplace_back("no device work");
  return join(parts, " · ");
}

std::string matrix_cell(const FunctionRow& function, std::size_t t, const Summary& summary,
                        const Glyphs& glyphs) {
  const TargetRow& target = summary.targets[t];
  const FunctionCell& cell = function.cells[t];
  const Standing standing = standing_of(cell);
  if (standing == Standing::kNotPlanned) return "<td class=none>";
  const Look look = look_of(standing);
  const FunctionTimes times = times_of(function, t, summary);
  const std::string more = remarks(cell, times, target, glyphs);
  return fmt::format("<td class={}>{} {}{}",
                     target.compiled_only ? fmt::format("\"{} aot\"", look.css) : std::string(look.css),
                     look.sign, headline(cell, times, target, glyphs), more.empty() ? more : "\n" + more);
}

std::string target_head(const TargetRow& target, const Glyphs& glyphs) {
  const std::string shown = replace_all(replace_all(line(target.target), "/", "/<wbr>"), "+", "<wbr>+");
  return fmt::format("<th scope=\"col\">{}{}</th>", link(anchor('t', target.target), shown),
                     level_tag(level_text(target, glyphs), target.compiled_only));
}

std::string use_text(const analysis::FoundFunction* use) {
  if (use == nullptr) return {};
  if (!use->decile) return "no call seen";
  return fmt::format("{} · tenth {}", plural(*use->calls, "call"), *use->decile);
}

std::string row_head(const FunctionRow& function, const Uses& uses) {
  std::string more = use_text(uses.of(function));
  if (function.host_only) more = more.empty() ? "host-only" : "host-only · " + more;
  return fmt::format("<tr><th scope=row>{}{}", link(anchor('f', function.name), name(function.name)),
                     more.empty() ? more : "<small>" + more + "</small>");
}

std::string matrix(const std::string& framework, const Summary& summary, const Uses& uses,
                   const Glyphs& glyphs) {
  const std::vector<std::size_t> targets = targets_of(framework, summary);
  std::string head = "<th scope=\"col\" class=\"corner\">function</th>";
  for (const std::size_t t : targets) head += target_head(summary.targets[t], glyphs);
  LongRows rows;
  for (const FunctionRow& function : summary.functions) {
    if (function.framework != framework) continue;
    std::string row = row_head(function, uses);
    for (const std::size_t t : targets) row += matrix_cell(function, t, summary, glyphs);
    rows.add(row + '\n', kFirstRows);
  }
  return element("h3", "", line(framework)) + long_table("matrix", "Functions of " + framework, head, rows);
}

std::string legend_key(const char* css, const char* sign, const char* word) {
  return fmt::format("<span class=\"key\"><i class=\"cell {}\">{}</i>{}</span>", css, sign, word);
}

std::string legend(const Summary& summary) {
  std::string out = legend_key("pass", "✓", "pass") + legend_key("partial", "◐", "partial") +
                    legend_key("fail", "✕", "fail") + legend_key("notrun", "○", "not run") +
                    legend_key("onref", "≡", "fails on the reference too") +
                    legend_key("unanswered", "?", "unanswered") + legend_key("nowork", "∅", "no device work");
  if (any_compiled_only(summary)) out += legend_key("pass aot", "✓", "compiles, never executed");
  return element("p", "legend", out);
}

}  // namespace

std::string matrix_section(const Summary& summary, const Uses& uses, const Glyphs& glyphs) {
  std::string out;
  for (const std::string& framework : frameworks_of(summary)) {
    if (has_functions(framework, summary)) out += matrix(framework, summary, uses, glyphs);
  }
  if (out.empty()) out = "<p>No functions.</p>";
  std::string note =
      "Colour and sign are the verdict over a function's core cases; the text is the mean warm latency of "
      "those "
      "cases where they were timed, then what the verdict rests on and the ratio to the baseline (geometric "
      "mean, like with like).";
  if (!uses.source().empty()) {
    note +=
        fmt::format(" Calls as counted in {}: tenth 1 holds the most called functions.", line(uses.source()));
  }
  return section("functions", "Functions and targets", note, legend(summary) + out);
}

}  // namespace seamark::report::html
