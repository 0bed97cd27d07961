// The heads of the function matrix (declared in html_parts.h); page/matrix.js makes its rows of page_data().
#include <fmt/format.h>

#include <algorithm>

#include "seamark/base/text.h"
#include "seamark/report/page/html_parts.h"
#include "seamark/report/page/html_text.h"

namespace seamark::report::html {

using analysis::FunctionRow;
using analysis::Summary;
using analysis::TargetRow;

namespace {

bool has_functions(const std::string& framework, const Summary& summary) {
  return std::any_of(summary.functions.begin(), summary.functions.end(),
                     [&](const FunctionRow& row) { return row.framework == framework; });
}

std::string target_head(const TargetRow& target, const Glyphs& glyphs) {
  const std::string shown = replace_all(replace_all(line(target.target), "/", "/<wbr>"), "+", "<wbr>+");
  return fmt::format("<th scope=\"col\">{}{}</th>", link(anchor('t', target.target), shown),
                     level_tag(level_text(target, glyphs), target.compiled_only));
}

std::string matrix(const std::string& framework, const Summary& summary, const Glyphs& glyphs) {
  std::string head = "<th scope=\"col\" class=\"corner\">function</th>";
  for (const std::size_t t : targets_of(framework, summary)) head += target_head(summary.targets[t], glyphs);
  return element("h3", "", line(framework)) + table("matrix made", "Functions of " + framework, head, "");
}

std::string legend_key(const char* css, const char* sign, const char* word) {
  return fmt::format("<span class=\"key\"><i class=\"cell {}\">{}</i>{}</span>", css, sign, word);
}

std::string legend(const Summary& summary) {
  std::string out =
      legend_key("pass", "✓", "pass") + legend_key("host", "⌂", "passes on the host, not on the device") +
      legend_key("partial", "◐", "partial") + legend_key("fail", "✕", "fail") +
      legend_key("notrun", "○", "not run") + legend_key("onref", "≡", "fails on the reference too") +
      legend_key("unanswered", "?", "unanswered") + legend_key("nowork", "∅", "no device work") +
      legend_key("unchecked", "~", "unchecked");
  if (any_compiled_only(summary)) out += legend_key("pass aot", "✓", "compiles, never executed");
  return element("p", "legend", out);
}

}  // namespace

std::string matrix_section(const Summary& summary, const Uses& uses, const Glyphs& glyphs) {
  std::string out;
  for (const std::string& framework : frameworks_of(summary)) {
    if (has_functions(framework, summary)) out += matrix(framework, summary, glyphs);
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
  out += element("noscript", "",
                 "<p>Scripts make these tables of the data in this page. Without scripts: what failed stands "
                 "below; every function and case is in the output of <code>seamark report --format "
                 "markdown</code>, <code>csv</code> and <code>json</code>.</p>");
  return section("functions", "Functions and targets", note, legend(summary) + out);
}

}  // namespace seamark::report::html
