#include "seamark/report/build/first_screen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "golden.h"
#include "sample_summary.h"
#include "seamark/analysis/result_set.h"
#include "seamark/base/text.h"

namespace seamark::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

RenderOptions options_of(int width) {
  RenderOptions options;
  options.width = width;
  options.tool_version = "0.1.0";
  return options;
}

// The sample with these targets alone.
analysis::Summary with_targets(const std::function<bool(const std::string&)>& wanted) {
  analysis::Summary summary = testing::sample_summary();
  for (std::size_t at = summary.targets.size(); at-- > 0;) {
    if (wanted(summary.targets[at].target)) continue;
    const auto place = static_cast<std::ptrdiff_t>(at);
    summary.targets.erase(summary.targets.begin() + place);
    for (analysis::FunctionRow& function : summary.functions)
      function.cells.erase(function.cells.begin() + place);
  }
  analysis::RunFacts& run = summary.runs.front();
  run.info.options = Value().set("cases", "quick").set("shipped_sample", "study");
  run.attempted = run.planned;
  return summary;
}

// As many as quickstart has: six that execute and two that only compile.
analysis::Summary eight_targets() {
  return with_targets([](const std::string& target) { return target != "torch/cuda"; });
}

// Each function of the summary with its calls.
analysis::ResultSet called(const analysis::Summary& summary,
                           const std::vector<std::pair<std::string, std::int64_t>>& calls) {
  analysis::ResultSet findings;
  for (const analysis::FunctionRow& function : summary.functions) {
    analysis::FrameworkResult& framework = findings.frameworks.emplace_back();
    framework.name = function.framework;
    analysis::FunctionResult& one = framework.functions.emplace_back();
    one.name = function.name;
    for (const auto& [name, count] : calls) {
      if (name == function.name) one.calls = count;
    }
  }
  return findings;
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(FirstScreen, EightTargetsAreOneScreen) {
  const analysis::Summary summary = eight_targets();
  ASSERT_EQ(summary.targets.size(), 8U);
  const analysis::ResultSet findings =
      called(summary, {{"torch.ormqr", 1234}, {"tf.numpy_function", 321}, {"tf.io.decode_raw", 0}});
  RenderOptions options = options_of(80);
  options.findings = &findings;
  const std::string text = first_screen(summary, {}, options);
  EXPECT_LE(lines_of(text), 24U) << text;
  for (const std::string_view line : split_lines(text)) EXPECT_LE(display_width(line), 80U) << line;
  expect_golden("screen_80.txt", text);
}

TEST(FirstScreen, WhatIsShortHasASentenceForEachTarget) {
  const std::string one = first_screen(
      with_targets([](const std::string& target) { return target == "torch/lazy"; }), {}, options_of(100));
  EXPECT_THAT(one, HasSubstr("torch/lazy runs 4 of 6 functions"));
  EXPECT_LE(lines_of(one), 24U) << one;
  EXPECT_THAT(first_screen(eight_targets(), {}, options_of(100)), Not(HasSubstr("torch/lazy runs")));
}

TEST(FirstScreen, ItsFailuresAreThoseThatCodeCallsMost) {
  const analysis::Summary summary = eight_targets();
  std::vector<std::string> failing;
  for (const analysis::FunctionRow& function : summary.functions) {
    if (std::any_of(function.cells.begin(), function.cells.end(),
                    [](const auto& cell) { return cell.verdict == Verdict::kFail; }))
      failing.push_back(function.name);
  }
  ASSERT_GE(failing.size(), 3U);
  const analysis::ResultSet findings = called(summary, {{failing.back(), 5000}, {failing.front(), 20}});
  RenderOptions options = options_of(140);
  options.findings = &findings;
  const std::string text = first_screen(summary, {}, options);
  const std::size_t most = text.find(failing.back());
  const std::size_t next = text.find(failing.front());
  ASSERT_NE(most, std::string::npos) << text;
  ASSERT_NE(next, std::string::npos) << text;
  EXPECT_LT(most, next) << text;
  EXPECT_THAT(text, HasSubstr("5,000"));
}

TEST(FirstScreen, WhatWasNotTestedStandsWithItsCommand) {
  ScreenPlaces places;
  places.store_flag = " --store gpu.db";
  const std::string text = first_screen(eight_targets(), places, options_of(140));
  EXPECT_THAT(text, HasSubstr("  not tested  functions not in the sample study, non-core cases\n"
                              "              seamark run --store gpu.db\n"));
  EXPECT_THAT(text, HasSubstr("seamark report --store gpu.db -o report.html"));
  EXPECT_THAT(text, HasSubstr("seamark report --store gpu.db --full"));
  places.chosen = " --run f159";
  EXPECT_THAT(first_screen(eight_targets(), places, options_of(140)),
              HasSubstr("seamark report --store gpu.db --run f159 --full"));
  places.page = "/tmp/gpu.html";
  const std::string written = first_screen(eight_targets(), places, options_of(140));
  EXPECT_THAT(written, HasSubstr("/tmp/gpu.html\n"));
  EXPECT_THAT(written, Not(HasSubstr("-o report.html")));

  analysis::Summary stopped = eight_targets();
  stopped.runs.front().info.options = Value();
  stopped.runs.front().info.state = store::RunState::kInterrupted;
  stopped.runs.front().planned = 40;
  stopped.runs.front().attempted = 30;
  EXPECT_THAT(first_screen(stopped, {}, options_of(140)),
              HasSubstr("10 planned cases\n              seamark run --resume\n"));
  stopped.runs.front().attempted = 40;
  EXPECT_THAT(first_screen(stopped, {}, options_of(140)), Not(HasSubstr("not tested")));
  stopped.runs.front().info.options = Value().set("shipped_sample", "all");  // leaves nothing out
  EXPECT_THAT(first_screen(stopped, {}, options_of(140)), Not(HasSubstr("not tested")));
}

TEST(FirstScreen, ATargetOfWhichNothingIsKnownSaysWhy) {
  const std::string text = first_screen(testing::sample_summary(), {}, options_of(140));
  EXPECT_THAT(text, HasSubstr("  not tested  torch/cuda\n              seamark targets\n"));
}

TEST(FirstScreen, TextOfOthersCannotSteerTheTerminal) {
  for (const int width : {60, 80, 140}) {
    ScreenPlaces places;
    places.page = testing::hostile_text(7);
    const std::string text = first_screen(testing::hostile_summary(), places, options_of(width));
    EXPECT_TRUE(is_utf8(text));
    for (const char c : text) ASSERT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n') << text;
    EXPECT_EQ(text.find("\xe2\x80\xae"), std::string::npos) << "a bidirectional override";
    for (const std::string_view line : split_lines(text)) {
      EXPECT_LE(display_width(line), static_cast<std::size_t>(width)) << line;
    }
  }
}

}  // namespace
}  // namespace seamark::report
