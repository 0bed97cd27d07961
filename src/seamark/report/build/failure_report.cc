// What failed, by target (declared in run_report.h).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "seamark/base/text.h"
#include "seamark/report/build/derive.h"
#include "seamark/report/build/run_report.h"

namespace seamark::report {

using analysis::CaseCell;
using analysis::CaseRow;
using analysis::FunctionRow;
using analysis::Summary;
using analysis::TargetRow;

namespace {

// The section is for reading: the whole texts are among the function's details.
constexpr std::size_t kShownMessage = 400;
constexpr std::size_t kShownGroups = 30;
constexpr std::size_t kShownFunctions = 12;

std::string said_of(const CaseCell& cell) {
  const std::string& type = cell.error->type;
  const std::string_view message = cell.error->message;
  std::string said = type.empty() || message.starts_with(type) ? std::string() : type + ": ";
  said += utf8_prefix(message, kShownMessage);
  if (message.size() > kShownMessage) said += "…";
  if (!cell.error->failing_call.empty())
    said += "; its smallest call that fails: " + std::string(cell.error->failing_call);
  return said;
}

std::string labels_of(const CaseCell& cell) {
  std::vector<std::string> labels;
  if (cell.category) labels.emplace_back(name_of(*cell.category));
  if (cell.outcome != Outcome::kFail) labels.push_back(outcome_text(cell));
  if (cell.fails_on_reference) labels.emplace_back("fails on reference");
  if (cell.unanswered) labels.emplace_back("unanswered");
  if (cell.unconfirmed) labels.emplace_back("unconfirmed");
  return join(labels, ", ");
}

// Functions whose telling cases say the same.
struct FailureGroup {
  const CaseRow* row = nullptr;
  std::vector<const FunctionRow*> functions;
  std::int64_t calls = 0;  // of all of them
};

std::int64_t calls_of(const FunctionRow& function, const Uses& uses) {
  return uses.calls_of(function).value_or(0);
}

// What says nothing of the device comes last; else the most called first, in groups too.
std::vector<FailureGroup> groups_of(const Summary& summary, std::size_t t, const Uses& uses) {
  std::vector<FailureGroup> groups;
  std::map<std::string, std::size_t> places;  // by labels and words
  for (const FunctionRow& function : summary.functions) {
    const CaseRow* row = telling_case(function, t);
    if (row == nullptr) continue;
    const CaseCell& cell = row->cells[t];
    const auto [at, added] = places.emplace(labels_of(cell) + "\n" + said_of(cell), groups.size());
    if (added) groups.push_back({row, {}, 0});
    groups[at->second].functions.push_back(&function);
    groups[at->second].calls += calls_of(function, uses);
  }
  for (FailureGroup& group : groups) {
    std::stable_sort(
        group.functions.begin(), group.functions.end(),
        [&](const FunctionRow* a, const FunctionRow* b) { return calls_of(*a, uses) > calls_of(*b, uses); });
  }
  const auto rank = [&](const FailureGroup& group) {
    const CaseCell& cell = group.row->cells[t];
    return std::pair(cell.fails_on_reference || cell.unanswered, -group.calls);
  };
  std::stable_sort(groups.begin(), groups.end(),
                   [&](const FailureGroup& a, const FailureGroup& b) { return rank(a) < rank(b); });
  return groups;
}

// "argsort[f32,100], 2 of 3 cases": of one function.
std::string case_of(const FailureGroup& group, std::size_t t) {
  if (group.functions.size() > 1) return {};
  const FunctionRow& function = *group.functions.front();
  int failing = 0;
  int planned = 0;
  for (const CaseRow& row : function.cases) {
    planned += row.cells[t].planned;
    failing += case_failed(row.cells[t]);
  }
  return fmt::format("{}, {} of {} cases", case_part(group.row->name, function.name), failing, planned);
}

Cell functions_cell(const FailureGroup& group) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(group.functions.size(), kShownFunctions); ++i)
    names.push_back(group.functions[i]->name);
  Cell cell = Cell::functions(names);
  if (group.functions.size() > names.size())
    cell.spans.emplace_back(fmt::format(" and {} more", group.functions.size() - names.size()), Tone::kDim);
  return cell;
}

void add_target(TextTable& table, const Summary& summary, std::size_t t, const Uses& uses,
                const Glyphs& glyphs) {
  const std::vector<FailureGroup> groups = groups_of(summary, t, uses);
  if (groups.empty()) return;
  std::size_t functions = 0;
  for (const FailureGroup& group : groups) functions += group.functions.size();
  const TargetRow& target = summary.targets[t];
  table.add_section(
      fmt::format("{}, {}: {}", target.target, target.compiled_only ? "compiled" : level_text(target, glyphs),
                  plural(static_cast<std::int64_t>(functions), "function")),
      target.compiled_only ? Tone::kCompiled : Tone::kStrong);
  for (std::size_t g = 0; g < std::min(groups.size(), kShownGroups); ++g) {
    const CaseCell& cell = groups[g].row->cells[t];
    std::vector<Cell> row{functions_cell(groups[g]),
                          {case_of(groups[g], t), Tone::kDim},
                          {labels_of(cell), Tone::kBad},
                          said_of(cell)};
    if (uses.any()) row.insert(row.begin() + 1, Cell(count_text(groups[g].calls)));
    table.add_row(std::move(row));
  }
  if (groups.size() > kShownGroups) {
    table.add_note(
        fmt::format("The first {} of {} that say different things; all of them: seamark report --format json",
                    kShownGroups, groups.size()));
  }
}

}  // namespace

Section failure_section(const Summary& summary, const Uses& uses, const Glyphs& glyphs) {
  Section section{
      .id = "failures",
      .heading = "Failures",
      .note =
          "Per function the case that tells most, functions that say the same together; the other cases, "
          "and the whole texts, are among each function's details. What fails the same way on the "
          "reference says nothing about portability and is marked.",
      .blocks = {}};
  std::vector<Column> columns{{"functions"}, {"case"}, {"category"}, {"what it said"}};
  if (uses.any()) {
    columns.insert(columns.begin() + 1, Column{"calls", Column::Align::kRight});
  }
  TextTable table(std::move(columns));
  for (std::size_t t = 0; t < summary.targets.size(); ++t) add_target(table, summary, t, uses, glyphs);
  if (table.empty()) {
    section.say(no_failures_text(summary));
    return section;
  }
  if (uses.any()) section.note += " Calls are those of all functions of a row; the most called stand first.";
  section.blocks.emplace_back(std::move(table));
  return section;
}

}  // namespace seamark::report
