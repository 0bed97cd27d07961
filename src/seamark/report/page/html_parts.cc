#include "seamark/report/page/html_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "seamark/base/text.h"
#include "seamark/report/page/html_text.h"

namespace seamark::report::html {

using analysis::Summary;

Look look_of(CellStatus standing) {
  constexpr std::array<Look, kCellStatuses> kLooks{{{"pass", "✓"},
                                                    {"partial", "◐"},
                                                    {"fail", "✕"},
                                                    {"notrun", "○"},
                                                    {"onref", "≡"},
                                                    {"notrun", "·"},
                                                    {"unanswered", "?"},
                                                    {"nowork", "∅"},
                                                    {"unchecked", "~"},
                                                    {"none", ""}}};
  return kLooks.at(static_cast<std::size_t>(standing));
}

Look look_of(const analysis::CaseCell& cell) {
  if (!cell.outcome) return look_of(CellStatus::kNotRun);
  if (cell.fails_on_reference) return look_of(CellStatus::kFailsOnReference);
  if (cell.unanswered) return look_of(CellStatus::kUnanswered);
  if (cell.unchecked) return look_of(CellStatus::kUnchecked);
  if (cell.outcome == Outcome::kPass) return look_of(CellStatus::kPass);
  if (cell.outcome == Outcome::kFlaky) return look_of(CellStatus::kPartial);
  return look_of(case_failed(cell) ? CellStatus::kFail : CellStatus::kNotRun);
}

std::vector<std::size_t> targets_of(const std::string& framework, const Summary& summary) {
  std::vector<std::size_t> indices;
  for (std::size_t t = 0; t < summary.targets.size(); ++t) {
    if (summary.targets[t].framework == framework) indices.push_back(t);
  }
  return indices;
}

std::string level_tag(std::string_view level, bool compiled_only) {
  return element("span", compiled_only ? "level aot" : "level", line(level));
}

std::string table(std::string_view css, std::string_view label, std::string_view head,
                  std::string_view rows) {
  return fmt::format(
      "<div class=\"scroll {}\" role=\"region\" aria-label=\"{}\" tabindex=\"0\"><table>\n"
      "<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody></table></div>\n",
      css, line(label), head, rows);
}

std::string section(std::string_view id, std::string_view heading, std::string_view note,
                    std::string_view content) {
  return fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n<p class=\"note\">{}</p>\n{}</section>\n", id,
                     heading, note, content);
}

}  // namespace seamark::report::html
