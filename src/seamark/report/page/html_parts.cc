#include "seamark/report/page/html_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "seamark/base/text.h"
#include "seamark/report/page/html_text.h"

namespace seamark::report::html {

using analysis::Summary;

Uses::Uses(const analysis::ResultSet* findings, std::string source) : source_(std::move(source)) {
  if (findings == nullptr) return;
  for (const analysis::FrameworkResult& framework : findings->frameworks) {
    for (const analysis::FunctionResult& one : framework.functions) {
      if (one.calls) by_name_.emplace(Key{framework.name, one.name}, &one);
    }
  }
}

const analysis::FunctionResult* Uses::of(const analysis::FunctionRow& function) const {
  const auto at = by_name_.find(Key{function.framework, function.name});
  return at == by_name_.end() ? nullptr : at->second;
}

Look look_of(CellStatus standing) {
  switch (standing) {
    case CellStatus::kPass:
      return {"pass", "✓"};
    case CellStatus::kPartial:
      return {"partial", "◐"};
    case CellStatus::kFail:
      return {"fail", "✕"};
    case CellStatus::kNotRun:
      return {"notrun", "○"};
    case CellStatus::kFailsOnReference:
      return {"onref", "≡"};
    case CellStatus::kCasesOnly:
      return {"notrun", "·"};
    case CellStatus::kUnanswered:
      return {"unanswered", "?"};
    case CellStatus::kNoDeviceWork:
      return {"nowork", "∅"};
    case CellStatus::kNotPlanned:
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
