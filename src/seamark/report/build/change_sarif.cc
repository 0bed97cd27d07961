// A comparison as SARIF 2.1.0 (declared in change_report.h).
#include <fmt/format.h>

#include <array>
#include <utility>

#include "seamark/base/text.h"
#include "seamark/report/build/change_report.h"
#include "seamark/report/build/change_text.h"
#include "seamark/report/render/sarif_text.h"

namespace seamark::report {

using analysis::Change;
using analysis::ChangeKind;
using analysis::Comparison;
using analysis::PairDelta;

namespace {

using Array = Value::Array;
using Object = Value::Object;

// Regressions, then drift.
constexpr std::size_t kRules = static_cast<std::size_t>(ChangeKind::kStale) + 1;

Value rules() {
  Array rules;
  for (std::size_t k = 0; k < kRules; ++k) {
    const auto kind = static_cast<ChangeKind>(k);
    rules.push_back(sarif::rule(name_of(kind), description_of(kind), "error"));
  }
  rules.push_back(sarif::rule("drift", "Something else than the change under test differs between the sides.",
                              "warning"));
  return Value(std::move(rules));
}

// How a failure stands to the earlier side.
std::string_view baseline_state(ChangeKind kind) {
  if (kind == ChangeKind::kDropped || kind == ChangeKind::kNotRun || kind == ChangeKind::kStale)
    return "absent";
  if (kind == ChangeKind::kCategoryChanged || kind == ChangeKind::kWeakerEvidence) return "updated";
  return "new";
}

Value result_of(const Change& change, const PairDelta* pair) {
  sarif::Finding finding;
  finding.rule = name_of(change.kind);
  finding.rule_index = static_cast<int>(change.kind);
  finding.level = change.finding ? "error" : "note";
  const std::string statement = statement_of(change, pair, Glyphs::of(true));
  finding.message =
      fmt::format("{} on {}: {}", place_of(change), one_line(change.target), heading_of(change.kind));
  if (!statement.empty()) finding.message += ": " + statement;
  finding.target = change.target;
  finding.function = change.function;
  finding.case_name = change.case_name;
  finding.baseline_state = baseline_state(change.kind);
  if (change.ratio) finding.fingerprint_salt = change.clock == analysis::Clock::kWarm ? "warm" : "cold";
  if (change.expected)
    finding.suppressed_because = change.expected_comment.empty() ? "expected" : change.expected_comment;
  return sarif::result(finding);
}

void add(Array& results, const std::vector<Change>& changes, const PairDelta* pair) {
  for (const Change& change : changes) {
    if (is_regression(change.kind)) results.push_back(result_of(change, pair));
  }
}

}  // namespace

std::string changes_sarif(const Comparison& comparison, const RenderOptions& options) {
  Array results;
  for (const PairDelta& pair : comparison.pairs) add(results, pair.changes, &pair);
  add(results, comparison.of_targets, nullptr);
  for (const analysis::Drift& drift : comparison.drifts) {
    sarif::Finding finding;
    finding.rule = "drift";
    finding.rule_index = static_cast<int>(kRules);
    finding.level = drift_is_finding(comparison) ? "error" : "warning";
    finding.message = drift_text(drift);
    finding.target = drift.target.empty() ? comparison.after.label : drift.target;
    finding.fingerprint_salt = drift.what;
    finding.baseline_state = "new";
    results.push_back(sarif::result(finding));
  }
  Object properties{{"before", Value(side_text(comparison.before))},
                    {"after", Value(side_text(comparison.after))},
                    {"failOn", Value(comparison.gate)},
                    {"findings", Value(comparison.findings)}};
  if (!comparison.unanswered.empty()) {
    Array texts;
    for (std::string& text : unanswered_texts(comparison)) texts.emplace_back(std::move(text));
    properties.emplace_back("notAnswered", Value(std::move(texts)));
  }
  return sarif::document(options.tool_version, rules(), Value(std::move(results)),
                         Value(std::move(properties)));
}

}  // namespace seamark::report
