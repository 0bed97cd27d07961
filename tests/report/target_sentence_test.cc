// What one sentence says of a target.
#include "seamark/report/build/target_sentence.h"

#include <gtest/gtest.h>

#include "sample_summary.h"

namespace seamark::report {
namespace {

using analysis::Summary;

// `pass` functions pass, `host` of them on the host, and `fail` do not.
Summary one_target(const char* target, int pass, int host, int fail) {
  Summary summary;
  analysis::TargetRow row;
  row.target = target;
  row.framework = "torch";
  row.ran = true;
  row.all.functions = pass + fail;
  row.all.pass = pass;
  row.all.fail = fail;
  row.all.runs_on_device = analysis::rate_of(pass - host, pass + fail);
  summary.targets.push_back(row);
  for (int i = 0; i < pass; ++i) {
    analysis::FunctionRow function;
    function.cells.resize(1);
    function.cells[0].on_device = i >= host;
    summary.functions.push_back(function);
  }
  return summary;
}

std::string said(const Summary& summary) { return target_sentence(summary, 0, Glyphs::of(false)); }

TEST(TargetSentence, SaysHowManyRunWhereAndHowFast) {
  Summary summary = one_target("torch/lazy", 54, 27, 9);
  analysis::TargetRow& row = summary.targets[0];
  row.baseline = "torch/cpu";
  row.median_ratio_warm.value = 7.02;
  row.median_ratio_warm_interval = analysis::Interval{6, 8};
  row.all.unanswered = 2;
  row.all.not_run = 1;
  EXPECT_EQ(said(summary),
            "torch/lazy runs 54 of 63 functions, half of them on the host, typically 7.02x slower than "
            "torch/cpu; 2 unanswered, 1 not run");
  row.median_ratio_warm.value = 0.5;
  row.median_ratio_warm_interval = analysis::Interval{0.4, 0.6};
  EXPECT_TRUE(said(summary).find("typically 2.00x faster than torch/cpu") != std::string::npos);
  row.median_ratio_warm.value = 1.1;  // its interval holds 1
  row.median_ratio_warm_interval = analysis::Interval{0.9, 1.3};
  EXPECT_TRUE(said(summary).find("typically about as fast as torch/cpu") != std::string::npos);
}

TEST(TargetSentence, NothingIsTypicalOfAFewCases) {
  Summary summary = one_target("torch/lazy", 3, 0, 0);
  summary.targets[0].baseline = "torch/cpu";
  summary.targets[0].median_ratio_warm.value = 7;
  summary.targets[0].ratios_warm = 3;
  EXPECT_EQ(said(summary),
            "torch/lazy runs 3 of 3 functions, without falling back to the host, 7.00x slower than torch/cpu "
            "over 3 "
            "cases");
}

TEST(TargetSentence, WhereIsSaidForTheFunctionsThatPass) {
  EXPECT_EQ(said(one_target("torch/lazy", 4, 4, 1)),
            "torch/lazy runs 4 of 5 functions, all of them on the host");
  EXPECT_EQ(said(one_target("torch/lazy", 1, 1, 0)), "torch/lazy runs 1 of 1 function, on the host");
  EXPECT_EQ(said(one_target("torch/lazy", 5, 2, 0)),
            "torch/lazy runs 5 of 5 functions, 2 of them on the host");
  EXPECT_EQ(said(one_target("torch/cpu", 4, 0, 0)), "torch/cpu runs 4 of 4 functions") << "where else";
  Summary unproven = one_target("torch/cuda", 4, 0, 0);
  unproven.targets[0].all.placement_unproven = 4;
  EXPECT_EQ(said(unproven), "torch/cuda runs 4 of 4 functions, all of them with unknown placement");
}

TEST(TargetSentence, WhatWasOnlyCompiledSaysSo) {
  Summary summary = one_target("torch/tpu-v5e+aot", 41, 0, 1);
  summary.targets[0].compiled_only = true;
  summary.targets[0].baseline = "torch/cpu";
  summary.targets[0].all.unanswered = 6;
  EXPECT_EQ(said(summary),
            "torch/tpu-v5e+aot compiles 41 of 42 functions; nothing was executed; 6 unanswered");
}

TEST(TargetSentence, WhatDidNotRunSaysWhy) {
  Summary summary = one_target("torch/cuda", 0, 0, 0);
  summary.targets[0].ran = false;
  EXPECT_EQ(said(summary), "torch/cuda ran nothing: none of its cases was run");
  summary.targets[0].usable = false;
  summary.targets[0].reason = "no device\nis visible\x1b[31m";
  EXPECT_EQ(said(summary), "torch/cuda ran nothing: no device is visible");
}

TEST(TargetSentence, WhatGivesNoVerdictIsCounted) {
  Summary summary = one_target("torch/lazy", 0, 0, 0);
  summary.targets[0].all.functions = 5;
  summary.targets[0].all.unanswered = 3;
  summary.targets[0].all.unchecked = 1;
  summary.targets[0].all.fails_on_reference = 1;
  EXPECT_EQ(
      said(summary),
      "torch/lazy answers for none of 5 functions; 3 unanswered, 1 fails on the reference, 1 unchecked");
  summary = one_target("torch/lazy", 0, 0, 0);
  summary.targets[0].cases.runs = analysis::rate_of(18, 20);
  EXPECT_EQ(said(summary), "torch/lazy runs 18 of 20 cases; no function has a verdict");
}

TEST(TargetSentence, AHostileNameStaysOnOneLine) {
  const Summary summary = testing::hostile_summary();
  for (std::size_t t = 0; t < summary.targets.size(); ++t) {
    const std::string text = target_sentence(summary, t, Glyphs::of(true));
    EXPECT_EQ(text.find_first_of("\n\r\x1b"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace seamark::report
