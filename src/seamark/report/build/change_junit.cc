// A comparison as JUnit XML (declared in change_report.h).
#include <fmt/format.h>

#include <utility>

#include "seamark/base/text.h"
#include "seamark/model/verdict.h"
#include "seamark/report/build/change_report.h"
#include "seamark/report/build/change_text.h"
#include "seamark/report/render/junit_text.h"

namespace seamark::report {

using analysis::CaseDelta;
using analysis::Change;
using analysis::Comparison;
using analysis::PairDelta;
using junit::Suite;
using junit::Test;

namespace {

std::string sentence(const Change& change, const PairDelta* pair) {
  const std::string statement = statement_of(change, pair, Glyphs::of(true));
  return heading_of(change.kind) + (statement.empty() ? "" : ": " + statement);
}

std::string class_of(const std::string& target, const std::string& function) {
  return one_line(target) + (function.empty() ? "" : "." + one_line(function));
}

// What becomes of a case without a finding.
void end_quietly(Test& test, const CaseDelta& one) {
  const auto skip = [&test](std::string type, std::string message) {
    test.end = Test::End::kSkipped;
    test.type = std::move(type);
    test.message = std::move(message);
  };
  if (!one.after) {
    skip("dropped", "it is not on the later side");
  } else if (one.expected) {
    skip("expected-failure",
         one_line(one.expected_comment.empty() ? standing_text(*one.after) : one.expected_comment));
  } else if (!was_run(one.after->outcome)) {
    skip("not-run", standing_text(*one.after));
  } else if (failed(one.after->outcome)) {
    skip("no-finding", standing_text(*one.after));
  }
}

void end_with(Test& test, const Change& change, const PairDelta* pair) {
  if (test.end != Test::End::kFailure) {
    test.end = Test::End::kFailure;
    test.type = name_of(change.kind);
    test.message = sentence(change, pair);
  }
  test.body += sentence(change, pair) + "\n";
}

Test test_of(const CaseDelta& one, const PairDelta& pair, const std::vector<const Change*>& changes) {
  Test test;
  const std::string& function = pair.functions[one.function].name;
  test.class_name = class_of(pair.target(), function);
  const bool prefixed = one.name.starts_with(function + "/");
  test.name = one_line(prefixed ? std::string_view(one.name).substr(function.size() + 1) : one.name);
  for (const Change* change : changes) {
    if (change->finding) {
      end_with(test, *change, &pair);
    } else {
      test.out += sentence(*change, &pair) + "\n";
    }
  }
  if (test.end != Test::End::kFailure) {
    end_quietly(test, one);
  } else if (one.after && failed(one.after->outcome)) {
    test.body += one.after->error->message;
  }
  return test;
}

// ResultSet that are of no single case.
Test test_of(const Change& change, const PairDelta* pair) {
  Test test;
  test.class_name = class_of(change.target, change.function);
  test.name = std::string(name_of(change.kind)) +
              (change.case_name.empty() ? std::string() : " " + one_line(change.case_name));
  end_with(test, change, pair);
  return test;
}

Suite suite_of(const PairDelta& pair, const Comparison& comparison) {
  Suite suite;
  suite.name = pair_title(pair);
  if (!comparison.after.runs.empty())
    suite.timestamp = iso_text(comparison.after.runs.front().info.started_unix_us);
  suite.properties = {{"before", side_text(comparison.before)},
                      {"after", side_text(comparison.after)},
                      {"fail-on", comparison.gate},
                      {"noise-floor", fmt::format("{:.3g} ({})", pair.floor.value, pair.floor.source)}};
  for (const std::string& text : unanswered_texts(comparison)) {
    suite.properties.emplace_back("not-answered", text);
  }
  std::vector<std::vector<const Change*>> by_case(pair.cases.size());
  for (const Change& change : pair.changes) {
    if (change.case_index) by_case[*change.case_index].push_back(&change);
  }
  for (std::size_t c = 0; c < pair.cases.size(); ++c) {
    suite.tests.push_back(test_of(pair.cases[c], pair, by_case[c]));
  }
  for (const Change& change : pair.changes) {
    if (!change.case_index && change.finding) suite.tests.push_back(test_of(change, &pair));
  }
  return suite;
}

}  // namespace

std::string changes_junit(const Comparison& comparison, const RenderOptions& /*options*/) {
  std::vector<Suite> suites;
  suites.reserve(comparison.pairs.size() + 1);
  for (const PairDelta& pair : comparison.pairs) suites.push_back(suite_of(pair, comparison));
  Suite rest;
  rest.name = "targets and expectations";
  for (const Change& change : comparison.of_targets) {
    if (change.finding) rest.tests.push_back(test_of(change, nullptr));
  }
  if (drift_is_finding(comparison)) {
    for (const analysis::Drift& drift : comparison.drifts) {
      Test test;
      test.class_name = "drift";
      test.name = one_line((drift.target.empty() ? "" : drift.target + " ") + drift.what);
      test.end = Test::End::kFailure;
      test.type = "drift";
      test.message = test.body = drift_text(drift);
      rest.tests.push_back(std::move(test));
    }
  }
  if (!rest.tests.empty()) suites.push_back(std::move(rest));
  return junit::document("seamark compare", suites);
}

}  // namespace seamark::report
