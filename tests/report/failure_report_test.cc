// The order of what failed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "../known_frameworks.h"
#include "sample_summary.h"
#include "seamark/analysis/result_set.h"
#include "seamark/report/build/run_report.h"

namespace seamark::report {
namespace {

using analysis::Summary;
using ::testing::ElementsAre;

UsageTable calls(const std::vector<std::pair<std::string, std::int64_t>>& of) {
  UsageTable table;
  for (const auto& [name, count] : of) {
    UsageRow row;
    row.framework = name.starts_with("tf.") ? "tensorflow" : "torch";
    row.function = name;
    row.tier = UsageTier::kResolved;
    row.calls = count;
    table.rows.push_back(row);
  }
  return table;
}

// Functions and, where they are known, calls of the rows of one target.
std::vector<std::string> rows(const Section& section, const std::string& target) {
  const auto& table = std::get<TextTable>(section.blocks.front());
  std::vector<std::string> out;
  bool inside = false;
  for (const TextTable::Row& row : table.rows()) {
    if (row.is_section) inside = row.section.starts_with(target + ",");
    if (row.is_section || !inside) continue;
    std::string text;
    for (const Span& span : row.cells[0].spans) text += span.text;
    if (table.columns()[1].head == "calls") text += " " + row.cells[1].spans.front().text;
    out.push_back(text);
  }
  return out;
}

TEST(FailureReport, TheMostCalledComesFirst) {
  const Summary summary = testing::sample_summary();
  const Glyphs glyphs = Glyphs::of(true);
  const Section unknown = failure_section(summary, Uses(nullptr), glyphs);
  EXPECT_THAT(rows(unknown, "torch/lazy"), ElementsAre("torch.nn.functional.pixel_shuffle", "torch.ormqr"));
  const UsageTable table = calls({{"torch.ormqr", 1500}, {"torch.nn.functional.pixel_shuffle", 7}});
  const analysis::ResultSet findings = analysis::findings_of(summary, known_frameworks(), &table);
  const Section known = failure_section(summary, Uses(&findings), glyphs);
  EXPECT_THAT(rows(known, "torch/lazy"),
              ElementsAre("torch.ormqr 1,500", "torch.nn.functional.pixel_shuffle 7"));
}

TEST(FailureReport, WhatSaysNothingOfTheDeviceComesLast) {
  const Section section = failure_section(testing::sample_summary(), Uses(nullptr), Glyphs::of(true));
  EXPECT_THAT(rows(section, "jax/tpu-v3+aot"),
              ElementsAre("jax.numpy.linalg.eig", "jax.numpy.nonzero", "jax.scipy.linalg.sqrtm"));
  Summary late = testing::sample_summary();
  for (analysis::FunctionRow& function : late.functions) {
    if (function.name == "jax.numpy.linalg.eig") function.name = "jax.z";  // its failure is a real one
  }
  std::stable_sort(late.functions.begin(), late.functions.end(),
                   [](const auto& a, const auto& b) { return a.name < b.name; });
  EXPECT_EQ(rows(failure_section(late, Uses(nullptr), Glyphs::of(true)), "jax/tpu-v3+aot").front(), "jax.z");
}

TEST(FailureReport, FunctionsOfARowAreOrderedToo) {
  Summary summary = testing::sample_summary();
  for (analysis::FunctionRow& function : summary.functions) {
    if (!function.name.starts_with("tf.")) continue;
    for (analysis::CaseRow& row : function.cases) {
      for (analysis::CaseCell& cell : row.cells) {
        if (cell.outcome != Outcome::kFail) continue;
        cell.error.edit().message = "the same";
        cell.error.edit().type = "Error";
      }
    }
  }
  const UsageTable table = calls({{"tf.numpy_function", 20}, {"tf.io.decode_raw", 3}});
  const analysis::ResultSet findings = analysis::findings_of(summary, known_frameworks(), &table);
  const Section section = failure_section(summary, Uses(&findings), Glyphs::of(true));
  EXPECT_EQ(rows(section, "tensorflow/cpu+xla").front(), "tf.numpy_function, tf.io.decode_raw 23");
}

}  // namespace
}  // namespace seamark::report
