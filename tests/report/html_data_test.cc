// The data of the page's scripts say what the summary says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "../known_frameworks.h"
#include "sample_summary.h"
#include "seamark/analysis/result_set.h"
#include "seamark/base/value.h"
#include "seamark/report/page/html_parts.h"

namespace seamark::report::html {
namespace {

using analysis::Summary;
using ::testing::HasSubstr;
using ::testing::Not;

Value document_of(const std::string& text, const std::string& id) {
  const std::string open = "<script type=\"application/json\" id=\"" + id + "\">";
  const std::size_t from = text.find(open);
  if (from == std::string::npos) throw std::runtime_error("no " + id);
  const std::size_t inside = from + open.size();
  return parse_json(text.substr(inside, text.find("</script>", inside) - inside)).value();
}

TEST(HtmlData, TheIndexHasEachCellOfEachFunction) {
  const Summary summary = testing::sample_summary();
  const Value index = document_of(page_data(summary, Uses(nullptr)), "seamark-index");
  const Value::Array& functions = index.find("functions")->as_array();
  ASSERT_EQ(functions.size(), summary.functions.size());
  for (std::size_t f = 0; f < functions.size(); ++f) {
    EXPECT_EQ(functions[f].string_or("n", ""), summary.functions[f].name);
    EXPECT_EQ(functions[f].find("u"), nullptr) << "use is not known";
    const std::vector<std::size_t> targets = targets_of(summary.functions[f].framework, summary);
    const Value::Array& cells = functions[f].find("c")->as_array();
    ASSERT_EQ(cells.size(), targets.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const CellStatus standing = standing_of(summary.functions[f].cells[targets[i]]);
      EXPECT_EQ(cells[i].is_int(), standing == CellStatus::kNotPlanned);
      if (!cells[i].is_array()) continue;
      EXPECT_EQ(cells[i].as_array()[0].as_int(), static_cast<int>(standing));
    }
  }
}

TEST(HtmlData, TheCasesHaveTheirWordsAndTimes) {
  const Summary summary = testing::sample_summary();
  const Value part = document_of(page_data(summary, Uses(nullptr)), "seamark-cases-0");
  const Value::Array& words = part.find("words")->as_array();
  std::size_t planned = 0;
  for (std::size_t f = 0; f < summary.functions.size(); ++f) {
    const Value::Array& cases = part.find("functions")->as_array()[f].as_array();
    const std::vector<std::size_t> targets = targets_of(summary.functions[f].framework, summary);
    ASSERT_EQ(cases.size(), summary.functions[f].cases.size());
    for (std::size_t c = 0; c < cases.size(); ++c) {
      const Value::Array& cells = cases[c].as_array()[5].as_array();
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const analysis::CaseCell& cell = summary.functions[f].cases[c].cells[targets[i]];
        ASSERT_EQ(cells[i].is_array(), cell.planned);
        if (!cell.planned) continue;
        ++planned;
        const Value::Array& said =
            words[static_cast<std::size_t>(cells[i].as_array()[0].as_int())].as_array();
        if (!cell.error->message.empty()) {
          EXPECT_EQ(said.at(5).as_string(), cell.error->message);
        }
        if (cell.times->warm_s.value) {
          EXPECT_NEAR(cells[i].as_array().at(3).as_number(), *cell.times->warm_s.value,
                      *cell.times->warm_s.value * 0.005);
        }
      }
    }
  }
  EXPECT_GT(planned, 10u);
}

TEST(HtmlData, ACaseWithoutDeviceWorkSaysSo) {
  Summary summary = testing::sample_summary();
  const auto flags_of_first = [&] {
    const Value part = document_of(page_data(summary, Uses(nullptr)), "seamark-cases-0");
    const Value& row = part.find("functions")->as_array()[0].as_array()[0];
    return row.as_array()[5].as_array()[0].as_array()[1].as_int();
  };
  EXPECT_EQ(flags_of_first() & 512, 0);
  const std::size_t target = targets_of(summary.functions[0].framework, summary).front();
  summary.functions[0].cases[0].cells[target].placement = Where::kNone;
  EXPECT_EQ(flags_of_first() & 512, 512);
}

TEST(HtmlData, UseStandsBesideTheFunctionsThatItIsKnownOf) {
  const Summary summary = testing::sample_summary();
  UsageTable table;
  UsageRow row;
  row.framework = summary.functions[0].framework;
  row.function = summary.functions[0].name;
  row.tier = UsageTier::kResolved;
  row.calls = 1234;
  table.rows = {row};
  const analysis::ResultSet findings = analysis::findings_of(summary, known_frameworks(), &table);
  const Uses uses(&findings, "a <corpus>");
  const Value index = document_of(page_data(summary, uses), "seamark-index");
  const Value* use = index.find("functions")->as_array()[0].find("u");
  ASSERT_NE(use, nullptr);
  EXPECT_EQ(use->as_array().at(0).as_int(), 1234);
  EXPECT_EQ(use->as_array().at(1).as_int(), 1);
  const std::string table_text = matrix_section(summary, uses, Glyphs::of(true));
  EXPECT_THAT(table_text, HasSubstr("counted in a &lt;corpus&gt;"));
  EXPECT_THAT(matrix_section(summary, Uses(nullptr), Glyphs::of(true)), Not(HasSubstr("Calls")));
}

}  // namespace
}  // namespace seamark::report::html
