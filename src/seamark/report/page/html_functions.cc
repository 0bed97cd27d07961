// What failed, by target (declared in html_parts.h).
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "seamark/base/text.h"
#include "seamark/report/build/run_report.h"
#include "seamark/report/page/html_parts.h"
#include "seamark/report/page/html_text.h"

namespace seamark::report::html {

using analysis::CaseCell;
using analysis::CaseRow;
using analysis::FunctionRow;
using analysis::Summary;
using analysis::TargetRow;

namespace {

// The section of failures is for reading: the whole texts are among the function's details.
constexpr std::size_t kShownMessage = 400;
constexpr std::size_t kShownGroups = 30;
constexpr std::size_t kShownFunctions = 12;

std::string message_block(const CaseCell& cell) {
  std::string body;
  const std::string type = one_line(cell.error->type);
  if (!type.empty() && !cell.error->message.starts_with(cell.error->type))
    body += element("b", "", line(type)) + "\n";
  const std::string_view message = cell.error->message;
  body += text(utf8_prefix(message, kShownMessage));
  if (message.size() > kShownMessage) body += "…";
  return body.empty() ? std::string() : element("pre", "error", body);
}

std::string labels_of(const CaseCell& cell) {
  std::string out = cell.category ? category_chip(*cell.category) : std::string();
  if (cell.outcome != Outcome::kFail) out += element("span", "tag", line(outcome_text(cell)));
  if (cell.fails_on_reference) out += element("span", "tag", "fails on reference");
  if (cell.unanswered) out += element("span", "tag", "unanswered");
  if (cell.unconfirmed) out += element("span", "tag", "unconfirmed");
  return out;
}

// Functions whose telling cases say the same.
struct Group {
  const CaseRow* row = nullptr;
  std::vector<const FunctionRow*> functions;
};

std::vector<Group> groups_of(const Summary& summary, std::size_t t) {
  std::vector<Group> groups;
  std::map<std::string, std::size_t> places;  // by labels and words
  for (const FunctionRow& function : summary.functions) {
    const CaseRow* row = telling_case(function, t);
    if (row == nullptr) continue;
    const auto [at, added] =
        places.emplace(labels_of(row->cells[t]) + message_block(row->cells[t]), groups.size());
    if (added) groups.push_back({row, {}});
    groups[at->second].functions.push_back(&function);
  }
  return groups;
}

std::string group_row(const Group& group, std::size_t t) {
  const FunctionRow& first = *group.functions.front();
  std::string names;
  for (std::size_t i = 0; i < std::min(group.functions.size(), kShownFunctions); ++i) {
    const std::string& name_of_it = group.functions[i]->name;
    names += (i == 0 ? "" : "<br>") + link(anchor('f', name_of_it), name(name_of_it));
  }
  if (group.functions.size() > kShownFunctions) {
    names += element("small", "", fmt::format("and {} more", group.functions.size() - kShownFunctions));
  }
  int failing = 0;
  int planned = 0;
  for (const CaseRow& row : first.cases) {
    planned += row.cells[t].planned;
    failing += case_failed(row.cells[t]);
  }
  if (group.functions.size() == 1) {
    names += element("small", "", line(case_part(group.row->name, first.name))) +
             element("small", "", fmt::format("{} of {} cases", failing, planned));
  }
  return fmt::format("<tr><th scope=row>{}<td>{}<td>{}\n", names, labels_of(group.row->cells[t]),
                     message_block(group.row->cells[t]));
}

std::string target_failures(const Summary& summary, std::size_t t, const Glyphs& glyphs) {
  const std::vector<Group> groups = groups_of(summary, t);
  if (groups.empty()) return {};
  std::string rows;
  std::size_t functions = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    functions += groups[g].functions.size();
    if (g < kShownGroups) rows += group_row(groups[g], t);
  }
  const TargetRow& target = summary.targets[t];
  std::string out = fmt::format(
      "<h3>{} {} <span class=\"muted\">{}</span></h3>", link(anchor('t', target.target), line(target.target)),
      level_tag(target.compiled_only ? "compiled" : level_text(target, glyphs), target.compiled_only),
      plural(static_cast<std::int64_t>(functions), "function"));
  out += table(
      "failures", "Failures on " + target.target,
      "<th scope=\"col\">functions</th><th scope=\"col\">category</th><th scope=\"col\">what it said</th>",
      rows);
  if (groups.size() > kShownGroups) {
    out += fmt::format(
        "<p class=\"note\">The first {} of {} that say different things; all of them: <code>seamark report "
        "--format json</code>.</p>",
        kShownGroups, groups.size());
  }
  return out;
}

}  // namespace

std::string failure_section(const Summary& summary, const Glyphs& glyphs) {
  std::string out;
  for (std::size_t t = 0; t < summary.targets.size(); ++t) out += target_failures(summary, t, glyphs);
  if (out.empty()) out = "<p>" + line(no_failures_text(summary)) + "</p>";
  return section(
      "failures", "Failures",
      "Per function the case that tells most, functions that say the same together; the other cases, and the "
      "whole texts, are among each function's details. What fails the same way on the reference says nothing "
      "about portability and is marked.",
      out);
}

}  // namespace seamark::report::html
