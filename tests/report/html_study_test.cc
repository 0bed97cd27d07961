// The page of a published study as markup. What a browser makes of it is tests/browser/test_study_page.py.
#include "seamark/report/page/html_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>

#include "../known_frameworks.h"
#include "../store/store_fixture.h"
#include "seamark/analysis/beyond.h"
#include "seamark/analysis/study_figures.h"
#include "seamark/analysis/study_tables.h"
#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/base/value.h"

namespace seamark::report {
namespace {

using analysis::ResultSet;
using analysis::Study;
using store::must;
using ::testing::HasSubstr;
using ::testing::Not;

const std::filesystem::path kFolder =
    std::filesystem::path(SEAMARK_SOURCE_DIR) / "data" / "baselines" / "grand-illusion";

std::string page_of(const Study& study, const std::string& library = {}) {
  const ResultSet findings = analysis::findings_of(study, known_frameworks());
  const auto tables = analysis::study_tables(findings);
  const auto headlines = analysis::headlines(findings);
  const auto beyond = analysis::beyond_study(findings, {});
  PageCharts charts;
  charts.figures = analysis::study_figures(findings);
  charts.library = library;
  charts.missing = "run `seamark targets install charts`";
  RenderOptions options;
  options.tool_version = "0.1.0";
  return render_study_html({study, findings, tables, headlines, beyond, charts}, options);
}

std::string published() { return page_of(must(Study::load(kFolder))); }

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t start = text.find(from);
  if (start == std::string::npos) return {};
  const std::size_t at = start + from.size();
  return text.substr(at, text.find(to, at) - at);
}

std::size_t times(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST(HtmlStudy, EveryTableFigureAndContradictionIsThere) {
  const std::string page = published();
  for (int number = 1; number <= 8; ++number) {
    EXPECT_EQ(times(page, "id=\"x-table-" + std::to_string(number) + "\""), 1u) << number;
  }
  for (int number = 1; number <= 10; ++number) {
    EXPECT_EQ(times(page, "id=\"c-figure-" + std::to_string(number) + "\""), 1u) << number;
  }
  EXPECT_EQ(times(between(page, "<section id=\"contradictions\">", "</section>"), "<li>"), 6u);
  EXPECT_THAT(page, HasSubstr("arXiv 2309.07181"));
  // Printed in the text, and what its data give.
  EXPECT_THAT(between(page, "<section id=\"overview\">", "</section>"), HasSubstr("(91.8%)"));
  EXPECT_THAT(page, HasSubstr("seamark targets install charts"));
}

TEST(HtmlStudy, NoFunctionHasAVerdict) {
  const std::string page = published();
  const std::string matrix = between(page, "<section id=\"functions\">", "</section>");
  EXPECT_EQ(times(matrix, "<table>"), 3u);
  EXPECT_EQ(times(matrix, "<tr>"), 3u);  // the heads: scripts make the rows
  EXPECT_THAT(matrix, HasSubstr("Without scripts"));
  // Figure 4 is of verdicts one by one.
  EXPECT_THAT(between(page, "id=\"c-figure-4\"", "</figure>"), HasSubstr("for no single function"));
}

Value index_of(const std::string& page) {
  return must(
      parse_json(between(page, "<script type=\"application/json\" id=\"seamark-index\">", "</script>")));
}

const Value& function_of(const Value& index, const std::string& name) {
  for (const Value& function : index.find("functions")->as_array()) {
    if (function.string_or("n", "") == name) return function;
  }
  throw std::out_of_range(name);
}

TEST(HtmlStudy, TheScriptsGetEveryFunction) {
  const Value index = index_of(published());
  EXPECT_EQ(index.find("functions")->as_array().size(), 199u);
  EXPECT_EQ(index.find("targets")->as_array().size(), 6u);
  EXPECT_THAT(index.string_or("no_cases", ""), HasSubstr("for no single function"));
  std::size_t untimed = 0;
  for (const Value& function : index.find("functions")->as_array()) {
    for (const Value& cell : function.find("c")->as_array()) EXPECT_EQ(cell.as_array().at(0).as_int(), 9);
    untimed += dump_json(*function.find("r")).find("tested, no latency published") != std::string::npos;
  }
  EXPECT_EQ(untimed, 44u);
  const Value::Array& tpu = function_of(index, "torch.argsort").find("c")->as_array().at(1).as_array();
  EXPECT_DOUBLE_EQ(tpu.at(4).as_number(), 0.9482);
  EXPECT_DOUBLE_EQ(tpu.at(5).as_number(), 6040);
  const std::string remarks = dump_json(index);
  EXPECT_THAT(remarks, HasSubstr("\"removed since\""));
  EXPECT_THAT(remarks, HasSubstr("\"today torch.distributions.VonMises\""));
}

TEST(HtmlStudy, NothingIsLoadedAndNoStyleStandsInTheMarkup) {
  const std::string page = page_of(must(Study::load(kFolder)), "window.seamarkVega = () => {};");
  const std::string policy = between(page, "http-equiv=\"Content-Security-Policy\" content=\"", "\"");
  EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  EXPECT_FALSE(std::regex_search(page, std::regex("<[a-z]+ [^>]*(style|src|onclick)=")));
  EXPECT_THAT(page, HasSubstr("data-chart=\"figure-1\""));
  EXPECT_THAT(page, Not(HasSubstr("data-chart=\"figure-4\"")));
}

TEST(HtmlStudy, AChangedStudyChangesThePage) {
  std::string csv = must(read_file(kFolder / "functions.csv"));
  std::string toml = must(read_file(kFolder / "study.toml"));
  const std::string devices = must(read_file(kFolder / "devices.csv"));
  csv = replace_all(csv, "table,0.157,948.210,6039.554", "table,0.157,1.234,7.860");
  toml = replace_all(toml, "gpu = { success = 58, partial = 2, complete = 3 }",
                     "gpu = { success = 50, partial = 10, complete = 3 }");
  const std::string page = page_of(must(Study::parse(toml, "s.toml", csv, "f.csv", devices, "d.csv")));
  const Value index = index_of(page);
  EXPECT_DOUBLE_EQ(
      function_of(index, "torch.argsort").find("c")->as_array().at(1).as_array().at(4).as_number(), 0.001234);
  EXPECT_THAT(between(page, "id=\"x-table-2\"", "</table>"), Not(HasSubstr("torch.argsort")));
  EXPECT_THAT(between(page, "id=\"x-table-8\"", "</table>"), HasSubstr("<td class=\"num\">50</td>"));
  EXPECT_THAT(between(page, "id=\"t-torch/t4\"", "</tr>"), HasSubstr("50 pass, 10 in part, 3 fail"));
}

TEST(HtmlStudy, TextsOfAStudyAreNoMarkup) {
  const std::string evil = "<img src=x onerror=alert(1)></script>";
  std::string csv = must(read_file(kFolder / "functions.csv"));
  std::string toml = must(read_file(kFolder / "study.toml"));
  csv = replace_all(csv, "torch,torch.argsort,torch.argsort", "torch,torch." + evil + ",torch." + evil);
  toml = replace_all(toml, "title = \"The Grand", "title = \"" + evil);
  toml = replace_all(toml, "contradictions = [", "contradictions = [\"" + evil + "\",");
  toml = replace_all(toml, "label = \"T4 GPU\"", "label = \"" + evil + "\"");
  const Study study = must(Study::parse(toml, "s.toml", csv, "f.csv"));
  for (const char* library : {"", "window.seamarkVega = () => {};"}) {
    const std::string page = page_of(study, library);
    EXPECT_THAT(page, Not(HasSubstr("<img")));
    EXPECT_THAT(page, HasSubstr("&lt;img src=x"));
  }
}

}  // namespace
}  // namespace seamark::report
