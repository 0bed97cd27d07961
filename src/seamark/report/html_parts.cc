#include "seamark/report/html_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "seamark/base/text.h"
#include "seamark/report/html_text.h"
#include "seamark/report/terminal_parts.h"

namespace seamark::report::html {

using analysis::RatioRow;
using analysis::Summary;
using analysis::TargetRatios;

namespace {

std::string plain_table(std::string_view head, std::string_view rows) {
  return fmt::format("<table>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody></table>", head, rows);
}

std::string scrolling(std::string_view css, std::string_view label, std::string_view content) {
  return fmt::format("<div class=\"scroll {}\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">{}</div>\n",
                     css, line(label), content);
}

std::string ratio_rows(const std::vector<RatioPick>& picks, const Glyphs& glyphs) {
  std::string out;
  for (const RatioPick& pick : picks) {
    bool first = true;
    for (const RatioRow* row : pick.rows) {
      const analysis::Ratio& ratio = row->ratio;
      out += fmt::format("<tr{}>", first ? " class=\"first\"" : "");
      out += element("td", "muted", first ? line(pick.label) : "");
      out += fmt::format("<th scope=\"row\">{}<small>{}</small></th>",
                         link(anchor('f', row->function), name(row->function)),
                         line(case_part(row->case_name, row->function)));
      out += element("td", "num", seconds_text(ratio.target_s, glyphs));
      out += element("td", "num", seconds_text(ratio.baseline_s, glyphs));
      out += element("td", ratio.slow ? "num strong slow" : "num strong", ratio_text(ratio.ratio, glyphs));
      const std::string why = ratio.interval_reason.empty() ? "no interval" : ratio.interval_reason;
      out +=
          element("td", "num muted", ratio.interval ? interval_text(ratio.interval, glyphs, "") : line(why));
      const std::string remark = ratio_remark(ratio);
      out += element("td", "", remark.empty() ? "" : element("span", "tag slow", line(remark)));
      out += "</tr>\n";
      first = false;
    }
  }
  return out;
}

std::string ratio_caption(const TargetRatios& ratios, const Summary& summary, const Glyphs& glyphs) {
  std::string text;
  for (const analysis::TargetRow& row : summary.targets) {
    if (row.target != ratios.target) continue;
    if (row.median_ratio_warm.value) {
      text += fmt::format("warm, median {} over {}", ratio_text(*row.median_ratio_warm.value, glyphs),
                          plural(row.ratios_warm, "case"));
    }
    if (row.median_ratio_cold.value) {
      text += fmt::format("{}cold, median {} over {}", text.empty() ? "" : " · ",
                          ratio_text(*row.median_ratio_cold.value, glyphs), plural(row.ratios_cold, "case"));
    }
  }
  return fmt::format("<h3>{} <span class=\"muted\">against</span> {}</h3><p class=\"note\">{}</p>",
                     link(anchor('t', ratios.target), line(ratios.target)), line(ratios.baseline), text);
}

}  // namespace

Uses::Uses(const analysis::Findings* findings, std::string source) : source_(std::move(source)) {
  if (findings == nullptr) return;
  for (const analysis::FoundFramework& framework : findings->frameworks) {
    for (const analysis::FoundFunction& one : framework.functions) {
      if (one.calls) by_name_.emplace(Key{framework.name, one.name}, &one);
    }
  }
}

const analysis::FoundFunction* Uses::of(const analysis::FunctionRow& function) const {
  const auto at = by_name_.find(Key{function.framework, function.name});
  return at == by_name_.end() ? nullptr : at->second;
}

Look look_of(Standing standing) {
  switch (standing) {
    case Standing::kPass:
      return {"pass", "✓"};
    case Standing::kPartial:
      return {"partial", "◐"};
    case Standing::kFail:
      return {"fail", "✕"};
    case Standing::kNotRun:
      return {"notrun", "○"};
    case Standing::kFailsOnReference:
      return {"onref", "≡"};
    case Standing::kCasesOnly:
      return {"notrun", "·"};
    case Standing::kUnanswered:
      return {"unanswered", "?"};
    case Standing::kNoDeviceWork:
      return {"notrun", "∅"};
    case Standing::kNotPlanned:
      return {"none", ""};
  }
  return {"none", ""};
}

Look look_of(const analysis::CaseCell& cell) {
  if (!cell.outcome) return {"notrun", "○"};
  if (cell.fails_on_reference) return {"onref", "≡"};
  if (cell.unanswered) return {"unanswered", "?"};
  switch (*cell.outcome) {
    case Outcome::kPass:
      return {"pass", "✓"};
    case Outcome::kFlaky:
      return {"partial", "◐"};
    case Outcome::kFail:
    case Outcome::kTimeout:
    case Outcome::kCrash:
      return {"fail", "✕"};
    case Outcome::kSkip:
    case Outcome::kError:
      return {"notrun", "○"};
  }
  return {"notrun", "○"};
}

std::vector<std::size_t> targets_of(const std::string& framework, const Summary& summary) {
  std::vector<std::size_t> indices;
  for (std::size_t t = 0; t < summary.targets.size(); ++t) {
    if (summary.targets[t].framework == framework) indices.push_back(t);
  }
  return indices;
}

std::string category_chip(Category category) { return element("span", "tag cat", name_of(category)); }

std::string level_tag(std::string_view level, bool compiled_only) {
  return element("span", compiled_only ? "level aot" : "level", line(level));
}

std::string table(std::string_view css, std::string_view label, std::string_view head,
                  std::string_view rows) {
  return scrolling(css, label, plain_table(head, rows));
}

std::string long_table(std::string_view css, std::string_view label, std::string_view head,
                       const LongRows& rows) {
  std::string inside = plain_table(head, rows.first);
  if (!rows.rest.empty()) inside += element("noscript", "", plain_table(head, rows.rest));
  return scrolling(css, label, inside);
}

std::string section(std::string_view id, std::string_view heading, std::string_view note,
                    std::string_view content) {
  return fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n<p class=\"note\">{}</p>\n{}</section>\n", id,
                     heading, note, content);
}

std::string latency_section(const Summary& summary, const Glyphs& glyphs, int rows) {
  std::string out;
  std::string without;
  for (const TargetRatios& ratios : summary.ratios) {
    if (ratios.warm.empty() && ratios.cold.empty()) {
      const std::string why = ratios.reason.empty() ? "no case was timed on both sides" : ratios.reason;
      without += element("li", "", link(anchor('t', ratios.target), line(ratios.target)) + ": " + line(why));
      continue;
    }
    out += ratio_caption(ratios, summary, glyphs);
    out += table(
        "ratios", "Ratios of " + ratios.target,
        "<th scope=\"col\">time</th><th scope=\"col\">function</th><th scope=\"col\" "
        "class=\"num\">target</th>"
        "<th scope=\"col\" class=\"num\">baseline</th><th scope=\"col\" class=\"num\">ratio</th>"
        "<th scope=\"col\" class=\"num\">95%</th><th scope=\"col\"><span class=\"sr\">remark</span></th>",
        ratio_rows(ratio_picks(ratios.warm, ratios.warm_fastest, rows), glyphs) +
            ratio_rows(ratio_picks(ratios.cold, ratios.cold_fastest, rows), glyphs));
  }
  if (!without.empty()) out += "<p class=\"note\">No ratios:</p>" + element("ul", "plain", without);
  if (out.empty()) out = "<p>No target has another as its baseline.</p>";
  return section(
      "latency", "Slowest and fastest against the baseline",
      "Per function its most extreme case; above 1 is slower. Warm is the median in steady state, cold the "
      "first call with tracing and compiling. Intervals cover at least 95%. What was only compiled has no "
      "times.",
      out);
}

}  // namespace seamark::report::html
