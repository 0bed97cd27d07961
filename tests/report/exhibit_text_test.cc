// The study's tables in each format, over the sample of sample_summary.h and over what the study published.
#include "seamark/report/build/exhibit_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "../known_frameworks.h"
#include "golden.h"
#include "sample_summary.h"
#include "seamark/analysis/beyond.h"
#include "seamark/analysis/study_figures.h"
#include "seamark/analysis/study_tables.h"
#include "seamark/base/csv.h"
#include "seamark/base/value.h"
#include "seamark/report/document/document.h"

namespace seamark::report {
namespace {

using analysis::Datum;
using analysis::Exhibit;
using analysis::ResultSet;
using analysis::Unit;
using ::testing::HasSubstr;
using ::testing::Not;

ResultSet published() {
  const auto folder = std::filesystem::path(SEAMARK_SOURCE_DIR) / "data" / "baselines" / "grand-illusion";
  return analysis::findings_of(analysis::Study::load(folder).value(), known_frameworks());
}

std::vector<Exhibit> tables_of(const ResultSet& findings) {
  std::vector<Exhibit> out = analysis::study_tables(findings);
  out.push_back(analysis::headlines(findings));
  return out;
}

std::string render(Format format, const ResultSet& findings, const std::vector<Exhibit>& exhibits) {
  return render_exhibits(format, findings, exhibits, {});
}

TEST(ExhibitText, Golden) {
  const ResultSet study = published();
  expect_golden("exhibits.txt", render(Format::kTerminal, study, tables_of(study)));
  expect_golden("exhibits.md", render(Format::kMarkdown, study, tables_of(study)));
  const ResultSet sample = analysis::findings_of(testing::sample_summary(), known_frameworks());
  expect_golden("exhibits_sample.tex", render(Format::kLatex, sample, tables_of(sample)));
  expect_golden("exhibits_sample.txt", render(Format::kTerminal, sample, tables_of(sample)));
}

TEST(ExhibitText, GoldenOfMissingOperators) {
  const analysis::Summary summary = testing::sample_summary();
  std::vector<analysis::TargetOperators> operators;
  for (const analysis::TargetRow& target : summary.targets) operators.push_back({target.target, 0, 0, {}});
  analysis::TargetOperators& lazy = operators.at(1);
  ASSERT_EQ(lazy.target, "torch/lazy");
  UsageTable usage;
  for (std::size_t f = 0; f < summary.functions.size(); ++f) {
    if (summary.functions[f].framework != "torch") continue;
    UsageRow& row = usage.rows.emplace_back();
    row.framework = "torch";
    row.function = summary.functions[f].name;
    row.calls = static_cast<std::int64_t>(1000 * (f + 1));
    if (lazy.operators.empty()) lazy.operators.push_back({"aten::nonzero", true, true, {}, 1, 9});
    if (lazy.operators.size() == 1) lazy.operators.push_back({"aten::_unique2", true, false, {f}, 1, 1});
    lazy.operators[0].functions.push_back(f);
  }
  lazy.held_back = 9;
  lazy.unnamed = 2;
  const ResultSet findings = analysis::findings_of(summary, known_frameworks(), &usage);
  const auto exhibit = [&](std::size_t rows) {
    return analysis::missing_operators(findings, {{}, &summary, "a corpus", rows, &operators});
  };
  expect_golden("operators.txt", render(Format::kTerminal, findings, {exhibit(20)}));
  expect_golden("operators.html", html_text(exhibit_section(exhibit(20), true)));
  expect_golden("operators.md", render(Format::kMarkdown, findings, {exhibit(0)}));
  expect_golden("operators.csv", render(Format::kCsv, findings, {exhibit(0)}));
  expect_golden("operators.json", render(Format::kJson, findings, {exhibit(0)}));
}

TEST(ExhibitText, JsonAndCsvHoldEveryCell) {
  const ResultSet study = published();
  std::vector<Exhibit> all = tables_of(study);
  for (Exhibit& figure : analysis::study_figures(study)) all.push_back(std::move(figure));
  std::size_t cells = 0;
  for (const Exhibit& one : all) cells += one.rows.size() * one.columns.size();
  const auto rows = parse_csv(render(Format::kCsv, study, all), "exhibits.csv");
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(rows->size(), cells + 1);
  const Result<Value> json = parse_json(render(Format::kJson, study, all));
  ASSERT_TRUE(json.ok()) << json.error().message();
  EXPECT_EQ(json->find("exhibits")->as_array().size(), all.size());
}

TEST(ExhibitText, NoTextIsMarkup) {
  ResultSet findings = published();
  const std::string hostile = "\x1b[31m<script>x</script>|`\\end{table}%$_\n=1";
  findings.title = hostile;
  findings.devices[0].note = hostile;
  Exhibit exhibit{"table-1", hostile,   {{"a", hostile, Unit::kText}, {"b", "b", Unit::kCount}},
                  {},        {hostile}, {}};
  exhibit.rows.push_back({Datum::of(hostile), Datum::none(Unit::kCount, hostile)});
  for (const Format format :
       {Format::kTerminal, Format::kMarkdown, Format::kLatex, Format::kCsv, Format::kJson}) {
    const std::string text = render(format, findings, {exhibit});
    EXPECT_THAT(text, Not(HasSubstr("\x1b[31m"))) << static_cast<int>(format);
    if (format == Format::kMarkdown) {
      EXPECT_THAT(text, Not(HasSubstr("<script>")));
    }
    if (format == Format::kLatex) {
      EXPECT_THAT(text, Not(HasSubstr("\\end{table}")));
      EXPECT_THAT(text, HasSubstr("\\textbackslash{}end\\{table\\}\\%\\$\\_"));
    }
  }
}

}  // namespace
}  // namespace seamark::report
