// What an audit says: as a document, as findings, as data.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "seamark/audit/join.h"
#include "seamark/audit/project.h"
#include "seamark/classify/explain.h"
#include "seamark/report/document/document.h"
#include "seamark/report/document/finding.h"
#include "seamark/report/render/render_options.h"

namespace seamark::audit {

enum class Level : std::uint8_t { kError = 1, kWarning = 2, kNote = 3 };
[[nodiscard]] std::string_view name_of(Level level);  // error, warning, note

// One place that does not move as it is: a rule that holds there, or a function with an answer that is a
// finding.
struct Item {
  Level level = Level::kNote;
  std::string id;     // DEV03, or the answer: fails, partly, on-host, precision, slow
  std::string title;  // what is there
  std::string why;
  std::string fix;       // empty: none is known
  std::string rests_on;  // empty: not of a rule
  std::string function;  // empty: of a rule
  std::string path;
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  std::uint32_t end_line = 1;
  std::uint32_t end_column = 1;
  usage::NotebookPlace notebook;  // of a notebook, whose `line` is one of all code cells together
  std::string code;               // the line; empty: not kept
  std::size_t rank = 0;
  Effort effort = Effort::kHours;
  bool in_tests = false;
  std::string suppressed_because;  // a comment, the project's settings, the baseline; empty: it is not
};

struct Audit {
  Move move;
  Project project;
  Answers answers;
  std::span<const Rule> rules;
  std::vector<std::string> origins;  // of the results that were asked, in words
  std::vector<std::string> known;    // devices that there are results of, where there are none of `to`
  std::vector<Item> items;           // by path, line, column
  std::string run_command;           // that settles what is not known; empty: nothing can
  std::string traced;                // what the program's own calls say; empty: it was not run
  Value trace;                       // the same as data; null
};

[[nodiscard]] Level level_of(Effect effect);
// "train.py:7", "train.ipynb:cell 3:2".
[[nodiscard]] std::string place_of(const Item& item);
// In tests, examples and benchmarks an item counts one level lower.
void put_in(Item& item, std::string path, Level level);

// From what was found, for the move. `ignore`: ids that the project's settings leave out.
[[nodiscard]] std::vector<Item> items_of(const Project& project, const Answers& answers,
                                         std::span<const Rule> rules, const Move& move,
                                         const std::set<std::string>& ignore,
                                         const classify::Explanations& explanations);

// Suppresses what `ignore` names, and sorts by place.
void settle_items(std::vector<Item>& items, const std::set<std::string>& ignore);

// `full`: with every place; else the first screen alone, at most 24 lines of 80 columns.
[[nodiscard]] report::Document audit_document(const Audit& audit, bool full,
                                              const report::RenderOptions& options);
[[nodiscard]] report::Findings audit_findings(const Audit& audit, Level fail_on);
[[nodiscard]] Value audit_value(const Audit& audit, const report::RenderOptions& options);
// One item a line.
[[nodiscard]] std::string audit_lines(const Audit& audit);
// A page about one rule.
[[nodiscard]] report::Document rule_document(const Rule& rule);
// A line each.
[[nodiscard]] report::Document rules_document(std::span<const Rule> rules);

// --- baselines: what was there before is no finding

[[nodiscard]] std::string fingerprint(const Item& item);
[[nodiscard]] std::string baseline_text(std::span<const Item> items);
// Suppresses what the text has, each as often as it stands there. kBadBaseline.
Status apply_baseline(std::vector<Item>& items, std::string_view text, std::string_view file);

}  // namespace seamark::audit
