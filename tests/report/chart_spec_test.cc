// The figures as Vega-Lite: each form as a golden file, every number of a row in the drawing's data, and
// names of results nowhere else. That they can be drawn, and what is drawn then, is
// tests/python/test_charts.py.
#include "seamark/report/render/chart_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <vector>

#include "../known_frameworks.h"
#include "golden.h"
#include "seamark/analysis/study_figures.h"

namespace seamark::report {
namespace {

using analysis::Chart;
using analysis::Datum;
using analysis::Exhibit;
using analysis::ResultSet;
using analysis::Unit;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kHostile =
    "</script><script>alert(1)</script> {\"expr\": \"alert(1)\"} ' + alert(1)";

ResultSet published() {
  const auto folder = std::filesystem::path(SEAMARK_SOURCE_DIR) / "data" / "baselines" / "grand-illusion";
  return analysis::findings_of(analysis::Study::load(folder).value(), known_frameworks());
}

ResultSet a_store() {
  ResultSet out;
  out.title = "/somewhere/seamark.db";
  out.source = "run latest, rules 1";
  out.time_note = "medians";
  out.known = known_frameworks();
  out.devices = {{"cpu", "cpu", ""}, {"tpu+aot", "tpu+aot", "compiled only: what passes compiles"}};
  return out;
}

Datum seconds(double value) { return Datum::of(Unit::kSeconds, value); }

// One figure of each form, small.
std::vector<Exhibit> small_figures() {
  const auto text = [](const char* key) { return analysis::ExhibitColumn{key, key, Unit::kText}; };
  const auto percent = [](const char* key) { return analysis::ExhibitColumn{key, key, Unit::kPercent}; };
  const auto count = [](const char* key) { return analysis::ExhibitColumn{key, key, Unit::kCount}; };
  const auto time = [](const char* key, const char* head) {
    return analysis::ExhibitColumn{key, head, Unit::kSeconds};
  };
  std::vector<Exhibit> out;
  out.push_back({"figure-1",
                 "Time per function",
                 {text("framework"), text("function"), time("a_s", "cpu"), time("b_s", "gpu")},
                 {},
                 {},
                 Chart::kScatter});
  out.back().rows = {{Datum::of("torch"), Datum::of("torch.cat"), seconds(2e-5), seconds(4e-3)},
                     {Datum::of("jax"), Datum::of(std::string(kHostile)), seconds(0.5), seconds(0.1)}};
  out.push_back({"figure-2",
                 "Density",
                 {text("framework"),
                  text("device"),
                  time("seconds", "time"),
                  {"density", "density per decade", Unit::kRatio}},
                 {},
                 {},
                 Chart::kDensity});
  out.back().rows = {{Datum::of("torch"), Datum::of("cpu"), seconds(1e-5), Datum::of(Unit::kRatio, 0.25)},
                     {Datum::of("torch"), Datum::of("gpu"), seconds(1e-3), Datum::of(Unit::kRatio, 0.75)}};
  out.push_back({"figure-3",
                 "Functions faster on",
                 {text("framework"), percent("faster_percent"), count("functions")},
                 {},
                 {},
                 Chart::kBars});
  out.back().rows = {{Datum::of("tensorflow"), Datum::share(3, 4), Datum::of(Unit::kCount, 4)}};
  out.push_back({"figure-4",
                 "Failures by decile",
                 {text("framework"), text("device"), count("decile"), percent("partial_percent"),
                  percent("complete_percent"), percent("failing_percent"), count("functions")},
                 {},
                 {},
                 Chart::kStackedBars});
  out.back().rows = {{Datum::of("jax"), Datum::of("cpu"), Datum::of(Unit::kCount, 1), Datum::share(1, 4),
                      Datum::share(2, 4), Datum::share(3, 4), Datum::of(Unit::kCount, 4)},
                     {Datum::of("jax"), Datum::of("tpu+aot"), Datum::of(Unit::kCount, 2), Datum::share(0, 0),
                      Datum::share(0, 0), Datum::share(0, 0), Datum::of(Unit::kCount, 0)}};
  out.push_back({"figure-5",
                 "Failures of the most used",
                 {text("framework"), text("device"), percent("partial_percent"), percent("complete_percent"),
                  percent("failing_percent")},
                 {},
                 {},
                 Chart::kStackedBars});
  const Datum together = Datum::none(Unit::kPercent, "published together alone");
  out.back().rows = {
      {Datum::of("jax"), Datum::of("cpu"), Datum::share(1, 4), Datum::share(0, 4), Datum::share(1, 4)},
      {Datum::of("jax"), Datum::of("tpu+aot"), together, together, Datum::of(Unit::kPercent, 46)}};
  out.push_back(
      {"figure-6",
       "By category",
       {text("framework"), text("device"), text("category"), count("functions"), percent("percent")},
       {},
       {},
       Chart::kStackedBars});
  out.back().rows = {{Datum::of("jax"), Datum::of("cpu"), Datum::of("not-implemented"),
                      Datum::of(Unit::kCount, 3), Datum::share(3, 4)},
                     {Datum::of("jax"), Datum::of("cpu"), Datum::of("type"), Datum::of(Unit::kCount, 1),
                      Datum::share(1, 4)}};
  out.push_back(
      {"figure-7",
       "Newer",
       {text("framework"), text("generations"), {"factor", "by", Unit::kRatio}, percent("faster_percent")},
       {},
       {},
       Chart::kBars});
  out.back().rows = {
      {Datum::of("jax"), Datum::of("old to new"), Datum::of(Unit::kRatio, 1.1), Datum::share(1, 2)}};
  out.push_back({"figure-8",
                 "Distribution",
                 {text("device"), time("from_s", "from"), time("to_s", "to"), count("functions")},
                 {},
                 {},
                 Chart::kHistogram});
  out.back().rows = {{Datum::of("cpu"), seconds(1e-4), seconds(1e-3), Datum::of(Unit::kCount, 7)}};
  const auto number = [](const char* key) { return analysis::ExhibitColumn{key, key, Unit::kNumber}; };
  out.push_back({"errors",
                 "How far off",
                 {text("target"),
                  text("evidence"),
                  text("dtype"),
                  {"results", "results", Unit::kTally},
                  number("median_ulp"),
                  number("p90_ulp"),
                  number("p99_ulp"),
                  number("max_ulp")},
                 {},
                 {},
                 Chart::kSpread});
  const auto ulp = [](double value) { return Datum::of(Unit::kNumber, value); };
  out.back().rows = {{Datum::of("torch/cpu"), Datum::of("verified"), Datum::of("f32"),
                      Datum::of(Unit::kTally, 9), ulp(0), ulp(1.5), ulp(12), ulp(3e37)}};
  out.push_back({"figure-9", "Nothing", {}, {}, {"no function was timed on both"}, Chart::kHistogram});
  return out;
}

TEST(ChartSpec, Golden) {
  const ResultSet findings = a_store();
  for (const Exhibit& figure : small_figures()) {
    expect_golden("charts/" + figure.id + ".vl.json", dump_json_pretty(chart_spec(figure, findings)));
  }
  expect_golden("charts/light.json", dump_json_pretty(chart_config(ChartTheme::kLight)));
  expect_golden("charts/dark.json", dump_json_pretty(chart_config(ChartTheme::kDark)));
}

// Every figure of the published study: each of its numbers is in the data, none twice as another.
TEST(ChartSpec, HoldsEveryNumberOfItsRows) {
  const ResultSet findings = published();
  for (const Exhibit& figure : analysis::study_figures(findings)) {
    const Value spec = chart_spec(figure, findings);
    const Value::Array& drawn = spec.find("data")->find("values")->as_array();
    if (figure.rows.empty()) {
      EXPECT_THAT(drawn.front().string_or("text", ""), HasSubstr("no data: pass, partial or complete"));
      continue;
    }
    ASSERT_GE(drawn.size(), figure.rows.size()) << figure.id;
    for (std::size_t r = 0; r < figure.rows.size(); ++r) {
      for (std::size_t c = 0; c < figure.columns.size(); ++c) {
        const Datum& datum = figure.rows[r][c];
        if (datum.unit == Unit::kText) continue;
        const Value* value = drawn[r].find(figure.columns[c].key);
        ASSERT_NE(value, nullptr) << figure.id << " " << figure.columns[c].key;
        EXPECT_EQ(value->is_null(), !datum.value) << figure.id << " " << figure.columns[c].key;
        if (datum.value) {
          EXPECT_EQ(value->as_number(), *datum.value) << figure.id << " " << r;
        }
      }
    }
  }
}

TEST(ChartSpec, SaysWhatItRestsOn) {
  const ResultSet study = published();
  std::string texts;
  for (const Exhibit& figure : analysis::study_figures(study)) {
    const Value spec = chart_spec(figure, study);
    texts = dump_json(*spec.find("title"));
    EXPECT_THAT(texts, HasSubstr("The Grand Illusion")) << figure.id;
    if (!figure.rows.empty()) {
      EXPECT_THAT(texts, HasSubstr("published")) << figure.id;
    }
    if (figure.id == "figure-7") {
      EXPECT_THAT(texts, HasSubstr("not published"));
    }
  }
  for (const Exhibit& figure : small_figures()) {
    texts = dump_json(*chart_spec(figure, a_store()).find("title"));
    EXPECT_THAT(texts, Not(HasSubstr("somewhere")));
    if (figure.id == "figure-1") {
      EXPECT_THAT(texts, HasSubstr("evidence: measured; medians"));
    }
    if (figure.id == "figure-4") {
      EXPECT_THAT(texts, HasSubstr("executed on cpu; compiled for tpu+aot, never executed"));
    }
  }
}

// What is not data is the same whatever functions are called, so no name can become an expression or a field.
TEST(ChartSpec, NamesOfFunctionsAreDataAlone) {
  const auto without_data = [](std::string name) {
    Exhibit figure = small_figures().front();
    figure.rows[1][1] = Datum::of(std::move(name));
    Value spec = chart_spec(figure, a_store());
    EXPECT_TRUE(spec.find("data")->find("values")->is_array());
    spec.set("data", nullptr);
    return dump_json(spec);
  };
  EXPECT_EQ(without_data(std::string(kHostile)), without_data("jax.numpy.sin"));
}

TEST(ChartSpec, ThemesByName) {
  EXPECT_EQ(chart_theme_from("dark"), ChartTheme::kDark);
  EXPECT_EQ(chart_theme_from("light"), ChartTheme::kLight);
  EXPECT_EQ(chart_theme_from("pink"), std::nullopt);
  EXPECT_EQ(chart_config(ChartTheme::kDark, "Inter").string_or("font", ""), "Inter");
}

}  // namespace
}  // namespace seamark::report
