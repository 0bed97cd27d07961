// The page's charts as markup. What a browser makes of them is tests/browser/test_charts_page.py.
#include "seamark/report/page/html_charts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seamark::report {
namespace {

using analysis::Datum;
using analysis::Exhibit;
using analysis::Unit;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr std::string_view kHostile = "</script><img src=x onerror=alert(1)>";

PageCharts one_figure(std::string library) {
  PageCharts charts;
  Exhibit figure{"figure-1",
                 "Time per function",
                 {{"framework", "framework", Unit::kText},
                  {"function", "function", Unit::kText},
                  {"a_s", "cpu", Unit::kSeconds},
                  {"b_s", "gpu", Unit::kSeconds}},
                 {{Datum::of("torch"), Datum::of(std::string(kHostile)), Datum::of(Unit::kSeconds, 1e-5),
                   Datum::of(Unit::kSeconds, 2e-3)}},
                 {},
                 analysis::Chart::kScatter};
  charts.figures.push_back(std::move(figure));
  charts.figures.push_back({"figure-2", "Empty", {}, {}, {"nothing"}, analysis::Chart::kDensity});
  charts.library = std::move(library);
  charts.missing = "run `seamark targets install charts`";
  return charts;
}

TEST(HtmlCharts, AFigureWithRowsHasAPlaceDataAndATable) {
  const PageCharts charts = one_figure("window.seamarkVega = () => {};");
  const std::string section = html::charts_section(charts, {});
  EXPECT_THAT(section, HasSubstr("data-chart=\"figure-1\""));
  EXPECT_THAT(section, Not(HasSubstr("data-chart=\"figure-2\"")));
  EXPECT_THAT(section,
              HasSubstr("Figure 2: Empty</h3><p>Nothing to draw.</p><ul class=\"plain\"><li>nothing</li>"));
  EXPECT_THAT(section, HasSubstr("id=\"charts-data\""));
  EXPECT_THAT(section, HasSubstr("<td class=\"num\">2.000 ms</td>"));
  EXPECT_THAT(section, Not(HasSubstr("targets install")));
  html::PageParts parts;
  html::add_charts(charts, parts);
  EXPECT_THAT(parts.scripts, SizeIs(2));
  EXPECT_THAT(parts.styles, SizeIs(1));
}

TEST(HtmlCharts, WithoutALibraryTheTablesAndWhatToDo) {
  const PageCharts charts = one_figure("");
  const std::string section = html::charts_section(charts, {});
  EXPECT_THAT(section, HasSubstr("run `seamark targets install charts`"));
  EXPECT_THAT(section, HasSubstr("<td class=\"num\">2.000 ms</td>"));
  EXPECT_THAT(section, Not(HasSubstr("data-chart")));
  EXPECT_THAT(section, Not(HasSubstr("charts-data")));
  html::PageParts parts;
  html::add_charts(charts, parts);
  EXPECT_THAT(parts.scripts, IsEmpty());
}

TEST(HtmlCharts, HostileNamesAreNoMarkup) {
  for (const char* library : {"", "window.seamarkVega = () => {};"}) {
    const std::string section = html::charts_section(one_figure(library), {});
    EXPECT_THAT(section, Not(HasSubstr("<img")));
    EXPECT_THAT(section, HasSubstr("&lt;img src=x"));
  }
}

TEST(HtmlCharts, NothingToDrawIsNoSection) {
  PageCharts charts = one_figure("window.seamarkVega = () => {};");
  charts.figures.erase(charts.figures.begin());
  EXPECT_THAT(html::charts_section(charts, {}), IsEmpty());
  html::PageParts parts;
  html::add_charts(charts, parts);
  EXPECT_THAT(parts.scripts, IsEmpty());
  EXPECT_THAT(parts.styles, IsEmpty());
}

}  // namespace
}  // namespace seamark::report
