#include "seamark/report/build/declared_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample_summary.h"
#include "seamark/report/build/show_report.h"
#include "seamark/report/page/html_report.h"
#include "seamark/report/render/json_report.h"

namespace seamark::report {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

DeclaredFunction function(const std::string& name, DeclaredState state, int cases, int named,
                          std::vector<std::string> missing = {}) {
  DeclaredFunction made;
  made.name = name;
  made.state = state;
  made.cases = cases;
  made.named = named;
  made.missing = std::move(missing);
  made.operators = {"aten::detach"};
  return made;
}

std::vector<Declared> mps() {
  Declared declared;
  declared.head = {.framework = "torch",
                   .version = "2.13.0+cpu",
                   .device = "MPS",
                   .family = "mps",
                   .package = "torch",
                   .package_version = "2.13.0",
                   .source = "native_functions.yaml",
                   .note = "a remark",
                   .taken_unix_us = 1'795'258'920'000'000};
  declared.functions = {function("torch.add", DeclaredState::kNamed, 4, 4),
                        function("torch.ormqr", DeclaredState::kMissing, 2, 0, {"aten::ormqr"}),
                        function("torch.slogdet", DeclaredState::kPartial, 3, 1, {"a", "b", "c", "d", "e"}),
                        function("torch.Tensor.size", DeclaredState::kNoOperator, 1, 1)};
  declared.functions[1].dtypes = {"f32", "f64"};
  declared.functions[1].dtypes_missing = {"f64"};
  return {declared};
}

RenderOptions plain() {
  RenderOptions options;
  options.width = 100;
  return options;
}

TEST(DeclaredParts, EachStateSaysWhatAVersionNamesAndNoMore) {
  const Declared declared = mps().front();
  const auto said = [&](std::size_t i) { return declared_sentence(declared.head, declared.functions[i]); };
  EXPECT_EQ(said(0), "torch 2.13.0 names a kernel for every operator that its 4 core cases call");
  EXPECT_EQ(said(1), "torch 2.13.0 names no kernel for aten::ormqr");
  EXPECT_EQ(
      said(2),
      "torch 2.13.0 names a kernel for every operator in 1 of 3 core cases, none for a, b, c, d and 1 more");
  EXPECT_EQ(said(3), "nothing to declare: its 1 core case calls no operator");
  DeclaredFunction unknown;
  unknown.note = "skipped: no GPU";
  EXPECT_EQ(declared_sentence(declared.head, unknown), "not known: skipped: no GPU");
}

TEST(DeclaredParts, ShowHasItApartFromAttempts) {
  analysis::Summary summary = ::seamark::report::testing::sample_summary_with_attempts();
  EXPECT_THAT(terminal_text(show_document(summary, {}, plain()), plain()), Not(HasSubstr("DECLARED")));
  summary.declared = mps();
  const std::string text = terminal_text(show_document(summary, {}, plain()), plain());
  EXPECT_THAT(text, HasSubstr("DECLARED, NOT ATTEMPTED"));
  EXPECT_THAT(text, HasSubstr("torch 2.13.0 names no kernel for aten::ormqr"));
  EXPECT_THAT(text, HasSubstr("a remark"));
  EXPECT_THAT(text, Not(HasSubstr("aten::detach")));
}

TEST(DeclaredParts, ReportsHaveATableOfTheirOwnOnlyWhereSomethingIsDeclared) {
  analysis::Summary summary = ::seamark::report::testing::sample_summary();
  const std::string before = render(Format::kTerminal, summary, plain());
  EXPECT_THAT(before, Not(HasSubstr("DECLARED")));
  EXPECT_THAT(declared_section(std::vector<Declared>{}).blocks, IsEmpty());
  summary.declared = mps();
  const std::string text = render(Format::kTerminal, summary, plain());
  EXPECT_THAT(text, HasSubstr("DECLARED, NOT ATTEMPTED"));
  EXPECT_THAT(text, HasSubstr("does not say that the"));
  // Nothing else changed: no verdict and no rate counts it.
  std::string without = text;
  const std::string section = terminal_text(declared_section(summary.declared), plain());
  ASSERT_NE(without.find(section), std::string::npos);
  without.erase(without.find(section), section.size());
  EXPECT_EQ(without, before);
}

TEST(DeclaredParts, JsonHasEveryFunction) {
  analysis::Summary summary = ::seamark::report::testing::sample_summary();
  summary.declared = mps();
  const Result<Value> document = parse_json(render_json(summary, plain()));
  ASSERT_TRUE(document);
  const Value& one = document->find("declared")->as_array().at(0);
  EXPECT_EQ(one.string_or("evidence", ""), "declared");
  EXPECT_EQ(one.string_or("device", ""), "MPS");
  EXPECT_EQ(one.string_or("package_version", ""), "2.13.0");
  EXPECT_EQ(one.find("counts")->number_or("missing", -1), 1);
  const Value& ormqr = one.find("functions")->as_array().at(1);
  EXPECT_EQ(ormqr.string_or("state", ""), "missing");
  EXPECT_EQ(ormqr.find("operators_missing")->as_array().at(0).as_string(), "aten::ormqr");
  EXPECT_EQ(ormqr.find("dtypes")->string_or("f32", ""), "named");
  EXPECT_EQ(ormqr.find("dtypes")->string_or("f64", ""), "missing");
}

TEST(DeclaredParts, DataTypesStandBesideTheMeasuredOnes) {
  analysis::Summary summary = ::seamark::report::testing::sample_summary_with_attempts();
  const std::string before = terminal_text(show_document(summary, {}, plain()), plain());
  summary.declared = mps();
  DeclaredFunction& declared = summary.declared[0].functions[0];
  declared.name = summary.functions[0].name;
  for (const analysis::CaseRow& row : summary.functions[0].cases) declared.dtypes.push_back(row.dtype);
  declared.dtypes_missing = {declared.dtypes.front()};
  const std::string shown = terminal_text(show_document(summary, {}, plain()), plain());
  EXPECT_THAT(before, Not(HasSubstr("declared: MPS")));
  EXPECT_THAT(shown, HasSubstr("declared: MPS"));
  EXPECT_THAT(shown, HasSubstr("data types: "));
  const std::string page = render_html(summary, plain());
  EXPECT_THAT(page, HasSubstr("\"dd\":[[\"MPS\","));
}

TEST(DeclaredParts, AReportCountsHowOftenDeclaringWasWrong) {
  analysis::Summary summary = ::seamark::report::testing::sample_summary();
  summary.declared = mps();
  summary.declared[0].head.family = "cpu";
  DeclaredFunction declared;
  for (const analysis::FunctionRow& function : summary.functions) {
    if (function.framework != "torch" || function.host_only) continue;
    declared.name = function.name;
    declared.dtypes = declared.dtypes_missing = {"f32"};
    summary.declared[0].functions.push_back(declared);
  }
  EXPECT_THAT(terminal_text(declared_section(summary), plain()), HasSubstr("not named and runs: "));
  const Value value = declared_value(summary.declared, &summary);
  const Value& check = value.as_array().at(0).find("dtype_checks")->as_array().at(0);
  EXPECT_EQ(check.string_or("target", ""), "torch/cpu");
  EXPECT_EQ(check.number_or("dtypes", 0), 7);
  EXPECT_EQ(check.find("missing_runs")->as_array().size(), 6U);
}

TEST(DeclaredParts, NothingOfAStoreIsMarkupInHtml) {
  std::vector<Declared> declared = mps();
  declared[0].head.package = "<script>alert(1)</script>";
  declared[0].functions[1].name = "<img src=x>";
  declared[0].functions[1].missing = {"\"><b>"};
  const std::string page = html_text(declared_section(declared));
  EXPECT_THAT(page, HasSubstr("Declared, not attempted"));
  EXPECT_THAT(page, HasSubstr("id=\"declared\""));
  for (const char* raw : {"<script>", "<img", "\"><b>"}) EXPECT_THAT(page, Not(HasSubstr(raw)));
}

TEST(DeclaredParts, GapsAndCsvNameTheOperators) {
  const std::string gaps = terminal_text(declared_section(mps()), plain());
  EXPECT_THAT(gaps, HasSubstr("torch.slogdet"));
  EXPECT_THAT(gaps, HasSubstr("1/3"));
  EXPECT_THAT(gaps, Not(HasSubstr("torch.add")));
  const std::string csv = declared_csv(mps());
  EXPECT_THAT(
      csv,
      HasSubstr(
          "torch,2.13.0+cpu,MPS,mps,torch,2.13.0,torch.ormqr,missing,0,2,0,aten::ormqr,f32 f64,f64,\r\n"));
}

}  // namespace
}  // namespace seamark::report
