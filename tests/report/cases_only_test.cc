// Functions without a verdict: no core case on a target, or nothing that checks a result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample_summary.h"
#include "seamark/base/value.h"
#include "seamark/report/build/derive.h"
#include "seamark/report/render/render_options.h"

namespace seamark::report {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

analysis::Summary summary_with_cases_only() {
  analysis::Summary summary = testing::sample_summary();
  analysis::FunctionCell& cell = summary.functions[0].cells[0];
  cell = {};
  cell.planned = cell.cases_only = true;
  summary.targets[0].all.cases_only = 3;
  return summary;
}

TEST(CasesOnly, IsAStandingOfItsOwn) {
  const analysis::Summary summary = summary_with_cases_only();
  EXPECT_EQ(standing_of(summary.functions[0].cells[0]), CellStatus::kCasesOnly);
  EXPECT_EQ(standing_text(CellStatus::kCasesOnly), "cases only");
  RenderOptions options;
  options.width = 100;
  for (const Format format : {Format::kTerminal, Format::kMarkdown, Format::kHtml}) {
    const std::string text = render(format, summary, options);
    EXPECT_THAT(text, HasSubstr("cases only"));
    EXPECT_THAT(text, HasSubstr(summary.targets[0].target + " 3"));
    const std::string without = render(format, testing::sample_summary(), options);
    EXPECT_THAT(without.substr(0, without.find("</main>")), Not(HasSubstr("cases only")));  // scripts know it
  }
}

TEST(CasesOnly, HasNoVerdictInTheFormatsForPrograms) {
  const analysis::Summary summary = summary_with_cases_only();
  const Value document = parse_json(render(Format::kJson, summary, {})).value();
  EXPECT_EQ(document.find("targets")->as_array()[0].find("functions")->number_or("cases_only", 0), 3);
  const Value& cell = document.find("functions")->as_array()[0].find("targets")->as_array()[0];
  EXPECT_TRUE(cell.find("verdict")->is_null());
  EXPECT_TRUE(cell.find("uncorrected_verdict")->is_null());
  const std::string csv = render(Format::kCsv, summary, {});
  const std::size_t row = csv.find("\r\n") + 2;
  EXPECT_THAT(csv.substr(row, csv.find("\r\n", row) - row), Not(HasSubstr("not-run")));
}

TEST(Unchecked, IsApartFromPassInEveryFormat) {
  analysis::Summary summary = testing::sample_summary();
  RenderOptions options;
  options.width = 140;
  for (const Format format : {Format::kTerminal, Format::kMarkdown}) {
    EXPECT_THAT(render(format, summary, options), Not(HasSubstr("checked")));
  }
  analysis::FunctionRow& row = summary.functions[0];
  std::size_t t = 0;
  while (!row.cells[t].planned) ++t;
  analysis::FunctionCell& cell = row.cells[t];
  cell.verdict = std::nullopt;
  cell.unchecked = row.cases[0].cells[t].unchecked = true;
  summary.targets[0].all.unchecked = 7;
  EXPECT_EQ(standing_text(standing_of(cell)), "unchecked");
  EXPECT_EQ(outcome_text(row.cases[0].cells[t]), "unchecked");
  for (const Format format : {Format::kTerminal, Format::kMarkdown, Format::kHtml}) {
    const std::string text = render(format, summary, options);
    EXPECT_THAT(text, HasSubstr("checked"));
    EXPECT_THAT(text, HasSubstr("nothing that passes checks a result"));
  }
  const Value document = parse_json(render(Format::kJson, summary, {})).value();
  EXPECT_EQ(document.find("targets")->as_array()[0].find("functions")->number_or("unchecked", 0), 7);
  const Value& function = document.find("functions")->as_array()[0];
  EXPECT_TRUE(function.find("targets")->as_array()[0].find("unchecked")->as_bool());
  const Value& first = function.find("cases")->as_array()[0];
  EXPECT_TRUE(first.find("targets")->as_array()[0].find("unchecked")->as_bool());
  const std::string csv = render(Format::kCsv, summary, {});
  const std::size_t line = csv.find("\r\n") + 2;
  EXPECT_THAT(csv.substr(line, csv.find("\r\n", line) - line), EndsWith(",1"));
}

// What fails on the reference alone is no failure of the target, but is not nothing either.
TEST(NoFailures, TellsWhatFailedOnTheReferenceOnly) {
  analysis::Summary summary = testing::sample_summary();
  summary.categories.clear();
  for (analysis::TargetRow& target : summary.targets) target.ran = true;
  EXPECT_EQ(no_failures_text(summary), "Nothing failed.");
  analysis::CategoryCount count;
  count.category = Category::kType;
  count.fails_on_reference = 393;
  summary.categories.push_back({"torch/cpu", {count}});
  const std::string expected = "Nothing failed but what fails on the reference: torch/cpu 393 cases.";
  EXPECT_EQ(no_failures_text(summary), expected);
  EXPECT_THAT(render(Format::kTerminal, summary, {}), HasSubstr(expected));
  EXPECT_THAT(render(Format::kMarkdown, summary, {}), HasSubstr(expected));
}

TEST(NoFailures, TellsOfCasesOutsideTheCoreSet) {
  analysis::Summary summary = testing::sample_summary();
  summary.categories.clear();
  for (analysis::TargetRow& target : summary.targets) target.ran = true;
  analysis::CategoryCount count;
  count.category = Category::kType;
  count.cases = 3;
  summary.categories.push_back({"torch/lazy", {count}});
  EXPECT_EQ(no_failures_text(summary),
            "No function fails; cases that decide no verdict do: torch/lazy 3 cases.");
}

// A target that was not usable did not pass: it is unknown.
TEST(NoFailures, SaysNothingOfWhatDidNotRun) {
  analysis::Summary summary = testing::sample_summary();
  summary.categories.clear();
  const std::string unknown = "Nothing is known of torch/cuda: ";
  EXPECT_THAT(no_failures_text(summary), HasSubstr("Nothing failed. " + unknown));
  std::erase_if(summary.targets, [](const analysis::TargetRow& target) { return target.usable; });
  summary.functions.clear();
  EXPECT_THAT(no_failures_text(summary), StartsWith(unknown));
  for (const Format format : {Format::kTerminal, Format::kMarkdown}) {
    const std::string text = render(format, summary, {});
    EXPECT_THAT(text, HasSubstr("othing is known of torch/cuda"));
    EXPECT_THAT(text, Not(HasSubstr("Nothing failed")));
  }
}

}  // namespace
}  // namespace seamark::report
