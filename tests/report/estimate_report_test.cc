#include "seamark/report/build/estimate_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "golden.h"
#include "sample_summary.h"
#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/report/build/show_report.h"

namespace seamark::report {
namespace {

using analysis::Summary;
using ::testing::HasSubstr;
using ::testing::Not;

Summary estimated(const std::string& word = {}) {
  Summary summary;
  summary.study = "A study" + word;
  analysis::TargetEstimates tpu;
  tpu.target = "jax/tpu-v3+aot" + word;
  tpu.device = "tpu-v3";
  tpu.device_summary = "one TensorCore of a TPU v3" + word;
  tpu.compilers = {"libtpu 0.0.42.1" + word};
  tpu.functions = 3;
  tpu.by_cycles = 2;
  tpu.by_optimal = 3;
  tpu.by_roofline = 3;
  tpu.median_cycles_s.value = 31.8e-6;
  tpu.median_optimal_s.value = 9.5e-9;
  tpu.median_roofline_s.value = 29.1e-9;
  tpu.gaps = {{"cycles", "the compiler gives no cycles" + word, 1}};
  analysis::TargetEstimates gpu = tpu;
  gpu.target = "jax/cuda-h100+aot" + word;
  gpu.device_summary = "an NVIDIA H100 SXM5, 80 GB";
  gpu.compilers.clear();
  gpu.by_cycles = gpu.by_optimal = 0;
  gpu.gaps = {{"cycles", "only TPU compilers estimate cycles", 3}};
  summary.estimates = {tpu, gpu};
  analysis::EstimatePair pair;
  pair.framework = "jax";
  pair.tpu = tpu.target;
  pair.gpu = gpu.target;
  auto row = [&](const char* name, double tpu_s, double gpu_s, std::optional<double> published) {
    analysis::EstimateRow one;
    one.function = name + word;
    one.cases = 1;
    one.tpu_s = tpu_s;
    one.gpu_s = gpu_s;
    one.ratio = tpu_s / gpu_s;
    one.tpu_cycles_s =
        published ? analysis::Measured{3e-7, {}} : analysis::Measured{std::nullopt, "none" + word};
    one.published_ratio = published;
    if (published) one.published_tpu_s = 0.0297;
    if (published) one.published_gpu_s = 0.1305;
    pair.rows.push_back(one);
  };
  row("jax.numpy.dot", 60e-9, 5e-9, 0.25);
  row("jax.numpy.add", 29.1e-9, 3.9e-9, 0.228);
  row("jax.lax.top_k", 5e-9, 6e-9, std::nullopt);
  pair.median_ratio.value = 7.46;
  pair.slower = 2;
  pair.far_slower = 1;
  pair.memory_alone = 2;
  pair.published = 2;
  pair.rank_correlation.reason = "fewer than 3 functions have a published ratio";
  summary.estimate_pairs = {pair};
  return summary;
}

RenderOptions wide(int width) {
  RenderOptions options;
  options.width = width;
  return options;
}

TEST(EstimateReport, Golden) {
  const Summary summary = estimated();
  const Glyphs glyphs = Glyphs::of(true);
  const Section section = estimate_section(summary, 3, glyphs);
  expect_golden("estimates_80.txt", terminal_text(section, wide(80)));
  expect_golden("estimates_120.txt", terminal_text(section, wide(120)));
  expect_golden("estimates.md", markdown_text(Document{.head = {}, .sections = {section}}));
  Value json(Value::Object{{"estimates", estimates_json(summary)}, {"pairs", estimate_pairs_json(summary)}});
  expect_golden("estimates.json", dump_json_pretty(json));
}

TEST(EstimateReport, OnlyTheEndsOfLongTables) {
  const std::string text = terminal_text(estimate_section(estimated(), 1, Glyphs::of(true)), wide(120));
  EXPECT_THAT(text, HasSubstr("jax.numpy.dot"));
  EXPECT_THAT(text, HasSubstr("jax.lax.top_k"));
  EXPECT_THAT(text, Not(HasSubstr("jax.numpy.add")));
}

TEST(EstimateReport, NothingWhereNothingWasEstimated) {
  const Glyphs glyphs = Glyphs::of(true);
  EXPECT_TRUE(estimate_section(testing::sample_summary(), 3, glyphs).blocks.empty());
  EXPECT_TRUE(estimate_json(std::nullopt).is_null());
}

TEST(EstimateReport, EveryFormatSaysThatItIsAnEstimate) {
  const Summary summary = estimated();
  const Section section = estimate_section(summary, 3, Glyphs::of(true));
  for (const std::string& text :
       {terminal_text(section, wide(100)), markdown_text(Document{.head = {}, .sections = {section}}),
        html_text(section)}) {
    EXPECT_THAT(text, HasSubstr("Estimates, never measurements"));
  }
  EXPECT_THAT(dump_json(estimates_json(summary)), HasSubstr(R"("evidence":"estimated")"));
}

TEST(EstimateReport, ShowHasThemByCase) {
  Summary summary = testing::sample_summary();
  for (analysis::FunctionRow& function : summary.functions) {
    if (function.name != "jax.numpy.add") continue;
    analysis::Estimate estimate;
    estimate.cycles_s.reason = "the compiler gives no cycles";
    estimate.optimal_s.value = 9.5e-9;
    estimate.roofline_s.value = 29.1e-9;
    estimate.roofline_note = "memory";
    function.cases.front().cells[7].estimated = estimate;
  }
  std::erase_if(summary.functions, [](const auto& row) { return row.name != "jax.numpy.add"; });
  const std::string text = terminal_text(show_document(summary, {}, wide(140)), wide(140));
  EXPECT_THAT(text, HasSubstr("ESTIMATED"));
  EXPECT_THAT(text, HasSubstr("29.1 ns"));
  EXPECT_THAT(text, HasSubstr("no cycles: the compiler gives no cycles"));
}

TEST(EstimateReport, HostileTextStaysText) {
  const Summary summary = estimated(testing::hostile_text(3));
  const Section section = estimate_section(summary, 3, Glyphs::of(true));
  const std::string terminal = terminal_text(section, wide(80));
  const std::string markdown = markdown_text(Document{.head = {}, .sections = {section}});
  const std::string page = html_text(section);
  for (const std::string& text : {terminal, markdown, page}) {
    EXPECT_TRUE(is_utf8(text));
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
  }
  for (const std::string_view line : split_lines(terminal)) EXPECT_LE(display_width(line), 80u) << line;
  EXPECT_THAT(page, Not(HasSubstr("<script>")));
  for (const std::string_view line : split_lines(markdown)) {
    if (line.starts_with('|')) {
      EXPECT_TRUE(line.ends_with('|')) << line;
    }
  }
}

}  // namespace
}  // namespace seamark::report
