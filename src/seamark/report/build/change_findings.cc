// A comparison as checks and findings (declared in change_report.h).
#include <fmt/format.h>

#include <utility>

#include "seamark/base/text.h"
#include "seamark/model/verdict.h"
#include "seamark/report/build/change_report.h"
#include "seamark/report/build/change_text.h"

namespace seamark::report {

using analysis::CaseDelta;
using analysis::Change;
using analysis::ChangeKind;
using analysis::Comparison;
using analysis::PairDelta;

namespace {

// Regressions, then drift.
std::vector<FindingRule> change_rules() {
  std::vector<FindingRule> rules;
  for (std::size_t k = 0; k <= static_cast<std::size_t>(ChangeKind::kStale); ++k) {
    const auto kind = static_cast<ChangeKind>(k);
    rules.push_back({std::string(name_of(kind)), std::string(description_of(kind)), "error"});
  }
  rules.push_back(
      {"drift", "Something else than the change under test differs between the sides.", "warning"});
  return rules;
}

// How a failure stands to the earlier side.
std::string baseline_state(ChangeKind kind) {
  if (kind == ChangeKind::kDropped || kind == ChangeKind::kNotRun || kind == ChangeKind::kStale)
    return "absent";
  if (kind == ChangeKind::kCategoryChanged || kind == ChangeKind::kWeakerEvidence) return "updated";
  return "new";
}

Finding finding_of(const Change& change, const PairDelta* pair) {
  Finding finding;
  finding.rule = name_of(change.kind);
  if (is_regression(change.kind)) finding.level = change.finding ? "error" : "note";
  finding.fails = change.finding;
  finding.place = fmt::format("{} on {}", place_of(change), one_line(change.target));
  const std::string statement = statement_of(change, pair, Glyphs::of(true));
  finding.text = heading_of(change.kind) + (statement.empty() ? "" : ": " + statement);
  finding.target = change.target;
  finding.function = change.function;
  finding.case_name = change.case_name;
  finding.baseline_state = baseline_state(change.kind);
  if (change.ratio) finding.fingerprint_salt = change.clock == analysis::Clock::kWarm ? "warm" : "cold";
  if (change.expected)
    finding.suppressed_because = change.expected_comment.empty() ? "expected" : change.expected_comment;
  return finding;
}

Finding finding_of(const analysis::Drift& drift, const Comparison& comparison) {
  Finding finding;
  finding.rule = "drift";
  finding.fails = comparison.drift_counts;
  finding.level = finding.fails ? "error" : "warning";
  finding.text = drift_text(drift);
  finding.target = drift.target.empty() ? comparison.after.label : drift.target;
  finding.fingerprint_salt = drift.what;
  finding.baseline_state = "new";
  return finding;
}

std::string group_of(const std::string& target, const std::string& function) {
  return one_line(target) + (function.empty() ? "" : "." + one_line(function));
}

// Why a case without a failing finding does not pass.
std::pair<std::string, std::string> no_answer_of(const CaseDelta& one) {
  if (!one.after) return {"dropped", "it is not on the later side"};
  const std::string standing = standing_text(*one.after);
  if (one.expected)
    return {"expected-failure", one.expected_comment.empty() ? standing : one.expected_comment};
  if (!was_run(one.after->outcome)) return {"not-run", standing};
  if (failed(one.after->outcome)) return {"no-finding", standing};
  return {};
}

Check check_of(const CaseDelta& one, const PairDelta& pair) {
  const std::string& function = pair.functions[one.function].name;
  Check check;
  check.group = group_of(pair.target(), function);
  const bool prefixed = one.name.starts_with(function + "/");
  check.name = one_line(prefixed ? std::string_view(one.name).substr(function.size() + 1) : one.name);
  check.no_answer = no_answer_of(one);
  if (one.after && failed(one.after->outcome)) check.error = one.after->error->message;
  return check;
}

// Adds the changes. One of no single case is a check of its own where it fails.
void add_changes(CheckSuite& suite, const std::vector<Change>& changes, const PairDelta* pair) {
  for (const Change& change : changes) {
    const std::size_t at = suite.findings.size();
    suite.findings.push_back(finding_of(change, pair));
    if (pair != nullptr && change.case_index) {
      suite.checks[*change.case_index].findings.push_back(at);
    } else if (change.finding) {
      const std::string name = one_line(change.case_name);
      suite.checks.push_back({.group = group_of(change.target, change.function),
                              .name = std::string(name_of(change.kind)) + (name.empty() ? "" : " " + name),
                              .findings = {at},
                              .no_answer = {},
                              .error = {}});
    }
  }
}

CheckSuite suite_of(const PairDelta& pair, const Comparison& comparison) {
  CheckSuite suite;
  suite.name = pair_title(pair);
  if (!comparison.after.runs.empty())
    suite.timestamp = iso_text(comparison.after.runs.front().info.started_unix_us);
  suite.properties = {{"before", side_text(comparison.before)},
                      {"after", side_text(comparison.after)},
                      {"fail-on", comparison.gate},
                      {"noise-floor", fmt::format("{:.3g} ({})", pair.floor.value, pair.floor.source)}};
  for (const std::string& text : unanswered_texts(comparison))
    suite.properties.emplace_back("not-answered", text);
  for (const CaseDelta& one : pair.cases) suite.checks.push_back(check_of(one, pair));
  add_changes(suite, pair.changes, &pair);
  return suite;
}

CheckSuite rest_of(const Comparison& comparison) {
  CheckSuite suite;
  suite.name = "targets and expectations";
  add_changes(suite, comparison.of_targets, nullptr);
  for (const analysis::Drift& drift : comparison.drifts) {
    if (comparison.drift_counts) {
      suite.checks.push_back({.group = "drift",
                              .name = one_line((drift.target.empty() ? "" : drift.target + " ") + drift.what),
                              .findings = {suite.findings.size()},
                              .no_answer = {},
                              .error = {}});
    }
    suite.findings.push_back(finding_of(drift, comparison));
  }
  return suite;
}

}  // namespace

Findings changes_findings(const Comparison& comparison) {
  Findings findings{.name = "seamark compare", .rules = change_rules(), .suites = {}, .properties = {}};
  for (const PairDelta& pair : comparison.pairs) findings.suites.push_back(suite_of(pair, comparison));
  findings.suites.push_back(rest_of(comparison));
  findings.properties.set("before", side_text(comparison.before)).set("after", side_text(comparison.after));
  findings.properties.set("failOn", comparison.gate).set("findings", comparison.findings);
  if (!comparison.unanswered.empty())
    findings.properties.set("notAnswered", text_list(unanswered_texts(comparison)));
  return findings;
}

}  // namespace seamark::report
