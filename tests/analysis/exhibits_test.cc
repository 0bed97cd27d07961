// The study's tables and figures: from what it published they give what it printed, and follow the data.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "../known_frameworks.h"
#include "../store/store_fixture.h"
#include "seamark/analysis/result_set.h"
#include "seamark/analysis/study_figures.h"
#include "seamark/analysis/study_tables.h"
#include "seamark/base/fd.h"
#include "summary_fixture.h"

namespace seamark::analysis {
namespace {

using store::make_attempt;
using store::make_case;
using store::make_failure;
using store::make_timing;
using store::must;
using testing::HasSubstr;

const std::filesystem::path kStudyFolder =
    std::filesystem::path(SEAMARK_SOURCE_DIR) / "data" / "baselines" / "grand-illusion";

Study published() { return must(Study::load(kStudyFolder)); }

const Exhibit& exhibit(const std::vector<Exhibit>& all, const std::string& id) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Exhibit& one) { return one.id == id; });
  if (found == all.end()) throw std::out_of_range(id);
  return *found;
}

// The cell of the row whose first texts are these, in the column of this key.
const Datum& cell(const Exhibit& exhibit, const std::vector<std::string>& row, const std::string& key) {
  const auto column = std::find_if(exhibit.columns.begin(), exhibit.columns.end(),
                                   [&](const ExhibitColumn& one) { return one.key == key; });
  if (column == exhibit.columns.end()) throw std::out_of_range(key);
  for (const std::vector<Datum>& line : exhibit.rows) {
    bool same = true;
    for (std::size_t i = 0; i < row.size(); ++i) same = same && line[i].text == row[i];
    if (same) return line[static_cast<std::size_t>(column - exhibit.columns.begin())];
  }
  throw std::out_of_range(row.front());
}

double value(const Datum& datum) { return datum.value.value(); }

TEST(StudyExhibits, Table1And8AreThoseOfTheStudy) {
  const std::vector<Exhibit> tables = study_tables(findings_of(published(), known_frameworks()));
  ASSERT_EQ(tables.size(), 8u);
  const Exhibit& counts = exhibit(tables, "table-8");
  EXPECT_EQ(value(cell(counts, {"PyTorch"}, "tpu-v3-8_pass")), 36);
  EXPECT_EQ(value(cell(counts, {"TensorFlow"}, "t4_fail")), 9);
  EXPECT_EQ(value(cell(counts, {"JAX"}, "t4_pass")), 62);
  const Exhibit& percent = exhibit(tables, "table-1");
  const Datum& agrees = cell(percent, {"TensorFlow"}, "tpu-v3-8_pass_percent");
  EXPECT_NEAR(value(agrees), 100.0 * 46 / 65, 1e-9);
  EXPECT_EQ(agrees.printed, std::nullopt);  // 71 is what 70.8 rounds to
  const Datum& contradicts = cell(percent, {"PyTorch"}, "tpu-v3-8_pass_percent");
  EXPECT_NEAR(value(contradicts), 100.0 * 36 / 64, 1e-9);
  EXPECT_EQ(contradicts.printed, 57);
  EXPECT_LT(contradicts.interval->low, 57);
}

TEST(StudyExhibits, WhatOnlyWasPrintedIsTaken) {
  const std::vector<Exhibit> tables = study_tables(findings_of(published(), known_frameworks()));
  EXPECT_EQ(value(cell(exhibit(tables, "table-3"), {"TensorFlow"}, "a100_fail_percent")), 12);
  const Exhibit& use = exhibit(tables, "table-4");
  EXPECT_EQ(value(cell(use, {"PyTorch"}, "tpu-v3-8_top_percent")), 46);
  const Datum& all = cell(use, {"PyTorch"}, "t4_all_percent");
  EXPECT_NEAR(value(all), 100.0 * 5 / 63, 1e-9);
  EXPECT_EQ(all.printed, 10);
}

TEST(StudyExhibits, LatenciesAndExtremes) {
  const std::vector<Exhibit> tables = study_tables(findings_of(published(), known_frameworks()));
  const Exhibit& torch = exhibit(tables, "table-5");
  EXPECT_EQ(torch.rows.size(), 43u);
  EXPECT_EQ(exhibit(tables, "table-6").rows.size(), 51u);
  EXPECT_EQ(exhibit(tables, "table-7").rows.size(), 61u);
  EXPECT_EQ(torch.rows.front()[0].text, "torch.argsort");
  EXPECT_NEAR(value(torch.rows.front()[3]), 6039.5, 1);
  for (std::size_t i = 1; i < torch.rows.size(); ++i) {
    EXPECT_GE(value(torch.rows[i - 1][3]), value(torch.rows[i][3]));
  }
  EXPECT_EQ(exhibit(tables, "table-2").rows.size(), 18u);  // three of either end, three frameworks
}

TEST(StudyExhibits, HeadlinesAreRecomputed) {
  const Exhibit all = headlines(findings_of(published(), known_frameworks()));
  EXPECT_EQ(all.rows.size(), 12u);
  const Datum& torch =
      cell(all, {"PyTorch", "slower on TPU v3-8 than on T4 GPU by over 10 times"}, "percent");
  EXPECT_NEAR(value(torch), 81.4, 0.05);
  EXPECT_EQ(torch.printed, std::nullopt);
  const Datum& jax = cell(all, {"JAX", "faster on TPU v3-8 than on T4 GPU"}, "percent");
  EXPECT_NEAR(value(jax), 100.0 * 55 / 61, 1e-9);
  EXPECT_EQ(jax.printed, 91.8);
  const Datum& failing = cell(all, {"PyTorch", "fail on TPU v3-8, partly or completely"}, "percent");
  EXPECT_NEAR(value(failing), 44.44, 0.01);
}

TEST(StudyExhibits, FiguresHaveDataOrSayWhyNot) {
  const std::vector<Exhibit> figures = study_figures(findings_of(published(), known_frameworks()));
  ASSERT_EQ(figures.size(), 10u);
  EXPECT_EQ(exhibit(figures, "figure-1").rows.size(), 43u + 51u + 61u);
  const Exhibit& deciles = exhibit(figures, "figure-4");
  EXPECT_TRUE(deciles.rows.empty());
  EXPECT_THAT(deciles.notes.front(), HasSubstr("published as totals"));
  EXPECT_NEAR(value(cell(exhibit(figures, "figure-6"), {"torch", "TPU v3-8", "not-implemented"}, "percent")),
              100.0 * 9 / 26, 1e-9);
  // A density is one: it integrates to one over the decades.
  const Exhibit& density = exhibit(figures, "figure-2");
  double sum = 0;
  double last = 0;
  for (const std::vector<Datum>& row : density.rows) {
    if (row[0].text != "jax" || row[1].text != "T4 GPU") continue;
    const double at = std::log10(value(row[2]));
    if (sum > 0 || last != 0) sum += value(row[3]) * (at - last);
    last = at;
    if (sum == 0) sum = 1e-300;
  }
  EXPECT_NEAR(sum, 1, 0.02);
}

TEST(StudyExhibits, AChangedCopyChangesThem) {
  const std::filesystem::path copy = std::filesystem::path(::testing::TempDir()) / "changed-study";
  std::filesystem::remove_all(copy);
  std::filesystem::copy(kStudyFolder, copy);
  std::string csv = must(read_file(copy / "functions.csv"));
  const std::string row = "torch,torch.fliplr,torch.fliplr,same,table,0.201,725.480,3609.353";
  ASSERT_NE(csv.find(row), std::string::npos);
  csv.replace(csv.find(row), row.size(), "torch,torch.fliplr,torch.fliplr,same,table,0.201,0.100,0.498");
  ASSERT_TRUE(write_file(copy / "functions.csv", csv).ok());
  std::string toml = must(read_file(copy / "study.toml"));
  const std::string counts = "tpu = { success = 61, partial = 0, complete = 2 }";
  ASSERT_NE(toml.find(counts), std::string::npos);
  toml.replace(toml.find(counts), counts.size(), "tpu = { success = 60, partial = 1, complete = 2 }");
  ASSERT_TRUE(write_file(copy / "study.toml", toml).ok());
  const ResultSet changed = findings_of(must(Study::load(copy)), known_frameworks());
  const std::vector<Exhibit> tables = study_tables(changed);
  EXPECT_EQ(exhibit(tables, "table-5").rows.back()[0].text, "torch.fliplr");
  EXPECT_EQ(value(cell(exhibit(tables, "table-8"), {"JAX"}, "tpu-v3-8_partial")), 1);
  const Exhibit all = headlines(changed);
  const Datum& torch = cell(all, {"PyTorch", "slower on TPU v3-8 than on T4 GPU"}, "percent");
  EXPECT_NEAR(value(torch), 100.0 * 42 / 43, 1e-9);
  EXPECT_EQ(torch.printed, 100);
}

// Another study's devices, generations and order: nothing of it is in the code.
TEST(StudyExhibits, AStudyIsAFolderOfData) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "made-up-study";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const auto framework = [](const std::string& name) {
    return "[[framework]]\nname = \"" + name + R"("
version = "1"
functions = 4
gpu = { success = 3, partial = 0, complete = 1 }
tpu = { success = 2, partial = 1, complete = 1 }
gpu_percent = [75, 0, 25]
tpu_percent = [50, 25, 25]
other_percent = { b3 = [90, 5, 5] }
gpu_categories = { type = 1 }
tpu_categories = { type = 2 }
)";
  };
  const std::string head = R"(
title = "Made up"
source = "a test"
devices = "B2, C4"
tpu = "v4"
main = "b2:c4"
newest = "b3:c4"
generations = ["b2:b3"]
tables = ["jax", "torch"]
)";
  std::string devices;
  for (const char* key : {"b2", "b3", "c4"}) {
    devices += fmt::format("[[device]]\nkey = \"{0}\"\nlabel = \"{0} chip\"\ncolumn = \"{0}_ms\"\n", key);
  }
  EXPECT_OK(write_file(folder / "study.toml", head + devices + framework("torch") + framework("jax")));
  EXPECT_OK(write_file(folder / "functions.csv",
                       "framework,published_name,name_today,status_today,source,gpu_ms,tpu_ms,tpu_over_gpu\n"
                       "jax,jax.a,jax.a,same,table,1,4,4\n"
                       "torch,torch.a,torch.a,same,table,1,2,2\n"));
  EXPECT_OK(write_file(folder / "devices.csv", "framework,test,b2_ms,b3_ms,c4_ms\njax,a,4,2,8\n"));
  const ResultSet made_up = findings_of(must(Study::load(folder)), known_frameworks());
  const std::vector<Exhibit> tables = study_tables(made_up);
  ASSERT_EQ(tables.size(), 7u);
  EXPECT_EQ(value(cell(exhibit(tables, "table-1"), {"JAX"}, "c4_pass_percent")), 50);
  EXPECT_EQ(exhibit(tables, "table-3").title, "Generations of a device: b3 chip against b2 chip");
  EXPECT_EQ(value(cell(exhibit(tables, "table-3"), {"JAX"}, "b3_pass_percent")), 90);
  EXPECT_EQ(exhibit(tables, "table-5").title, "JAX: latency per function, c4 chip against b2 chip");
  EXPECT_EQ(value(cell(exhibit(tables, "table-6"), {"torch.a"}, "ratio")), 2);
  EXPECT_EQ(value(cell(exhibit(tables, "table-7"), {"PyTorch"}, "c4_partial")), 1);
  const std::vector<Exhibit> figures = study_figures(made_up);
  ASSERT_EQ(figures.size(), 9u);
  EXPECT_EQ(exhibit(figures, "figure-3").title, "Functions faster on b3 chip than on c4 chip");
  EXPECT_EQ(value(cell(exhibit(figures, "figure-3"), {"jax"}, "faster_percent")), 100);
  EXPECT_EQ(exhibit(figures, "figure-7").rows[0][1].text, "b2 chip to b3 chip");
  EXPECT_THAT(exhibit(figures, "figure-8").title, HasSubstr("PyTorch"));  // not said: the file's order
  EXPECT_THAT(exhibit(figures, "figure-9").title, HasSubstr("JAX"));
}

class StoreExhibits : public SummaryTest {};

TEST_F(StoreExhibits, FollowTheVerdictsAndTheTimes) {
  const CaseInfo runs = make_case("torch.a", "1");
  const CaseInfo fails = make_case("torch.b", "1");
  for (const char* target : {"torch/cpu", "torch/lazy"}) add(target, {runs, fails});
  commit({make_attempt("torch/cpu", runs), make_attempt("torch/cpu", fails),
          make_timing("torch/cpu", runs, 1, {1e-3}), make_attempt("torch/lazy", runs),
          make_failure("torch/lazy", fails, "NotImplementedError", "Could not run 'aten::y'", "s"),
          make_timing("torch/lazy", runs, 1, {4e-3})});
  UsageTable usage;
  const auto calls = [&](const char* name, std::int64_t count) {
    UsageRow row;
    row.framework = "torch";
    row.function = name;
    row.calls = count;
    usage.rows.push_back(row);
  };
  calls("torch.b", 3);
  calls("torch.a", 9);
  const ResultSet found = findings_of(summary(), known_frameworks(), &usage, nullptr, 1);
  const std::vector<Exhibit> tables = study_tables(found);
  EXPECT_EQ(value(cell(exhibit(tables, "table-8"), {"PyTorch"}, "lazy_fail")), 1);
  EXPECT_EQ(value(cell(exhibit(tables, "table-1"), {"PyTorch"}, "lazy_pass_percent")), 50);
  EXPECT_EQ(value(cell(exhibit(tables, "table-4"), {"PyTorch"}, "lazy_top_percent")), 0);
  ASSERT_EQ(exhibit(tables, "table-5").rows.size(), 1u);
  EXPECT_NEAR(value(exhibit(tables, "table-5").rows[0][3]), 4, 1e-9);
  EXPECT_THAT(exhibit(tables, "table-7").notes, ::testing::ElementsAre("no data"));
  const std::vector<Exhibit> figures = study_figures(found);
  EXPECT_EQ(value(cell(exhibit(figures, "figure-6"), {"torch", "lazy", "not-implemented"}, "functions")), 1);
  EXPECT_EQ(exhibit(figures, "figure-4").rows.size(), 4u);                // two deciles, two devices
  EXPECT_THAT(exhibit(figures, "figure-8").title, HasSubstr("PyTorch"));  // data/frameworks.toml's order
  const Study study = published();
  const std::vector<Exhibit> ordered =
      study_figures(findings_of(summary(), known_frameworks(), &usage, &study));
  EXPECT_THAT(exhibit(ordered, "figure-8").title, HasSubstr("TensorFlow"));  // the study's
}

}  // namespace
}  // namespace seamark::analysis
