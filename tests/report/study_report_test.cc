#include "seamark/report/study_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "golden.h"
#include "sample_summary.h"
#include "seamark/base/fd.h"
#include "seamark/base/text.h"

namespace seamark::report {
namespace {

using analysis::Now;
using analysis::StudyComparison;
using analysis::StudyLine;
using analysis::StudyTarget;
using ::testing::HasSubstr;
using ::testing::Not;

StudyComparison comparison(const std::string& word = {}) {
  StudyComparison out;
  out.title = "A study" + word;
  out.source = "a paper" + word;
  out.devices = "TPU v3-8" + word;
  out.store = "seamark.db" + word;
  out.runs.emplace_back();
  out.runs.back().info.uuid = "0b8f3c2e-51aa-4c63-9a57-6f2f1f0f7a11";
  out.runs.back().info.subset_note = "one core case per function." + word;
  out.rules_version = "7d1f";
  out.missing = {"torch" + word};
  StudyTarget target;
  target.target = "jax/tpu-v3+aot" + word;
  target.compiled_only = true;
  target.framework = "jax" + word;
  target.version_then = "0.4.8";
  target.versions_now = {"0.10.2" + word};
  target.compilers = {"libtpu 0.0.42.1" + word};
  target.then.functions = 63;
  target.then.tpu = {61, 0, 2};
  target.then.tpu_percent = {97, 0, 3};
  target.now = {5, 2, 1, 1, 1};
  target.published = {4, 2, 1, 0, 1};
  target.published_without_host_only = {3, 2, 1, 0, 0};
  target.categories = {{Category::kNotImplemented, 2, 2}, {Category::kFloatPrecision, 1, 0}};
  target.without_host_only = analysis::agreement_of({1, 0, 0, 3});
  target.host_only = analysis::agreement_of({});
  target.all = analysis::agreement_of({1, 0, 0, 3});
  auto line = [&](const char* name, bool published, Now now) -> StudyLine& {
    StudyLine& one = target.lines.emplace_back();
    one.name = name + word;
    one.published = published;
    one.now = now;
    return one;
  };
  line("jax.numpy.add", true, Now::kPasses).verdict = Verdict::kPass;
  StudyLine& eig = line("jax.numpy.linalg.eig", false, Now::kFails);
  eig.verdict = Verdict::kFail;
  eig.category = Category::kNotImplemented;
  eig.rule = "jax-no-rule";
  eig.case_name = "jax.numpy.linalg.eig/eig[f32,8x8]";
  eig.type = "NotImplementedError" + word;
  eig.message = "MLIR translation rule for primitive 'eig' not found for platform tpu" + word;
  StudyLine& lu = line("jax.scipy.linalg.lu", true, Now::kPasses);
  lu.verdict = Verdict::kPartial;
  lu.category = Category::kNotImplemented;
  lu.message = "Only F32 and C64 types are implemented in LuDecomposition" + word;
  line("jax.numpy.cos", true, Now::kPasses).verdict = Verdict::kPass;
  StudyLine& size = line("jax.numpy.size", true, Now::kUnchecked);
  size.host_only = true;
  size.reason = "host-only: there is no device program to compile" + word;
  out.targets.push_back(target);
  return out;
}

RenderOptions wide(int width) {
  RenderOptions options;
  options.width = width;
  options.tool_version = "0.1.0";
  return options;
}

TEST(StudyReport, Golden) {
  expect_golden("study_80.txt", render_study(Format::kTerminal, comparison(), wide(80)));
  expect_golden("study_120.txt", render_study(Format::kTerminal, comparison(), wide(120)));
  expect_golden("study.md", render_study(Format::kMarkdown, comparison(), wide(100)));
  const std::string json = render_study(Format::kJson, comparison(), wide(100));
  expect_golden("study.json", json);
  EXPECT_EQ(parse_json(json).value().string_or("schema", ""), "seamark-compare-study/1");
  EXPECT_THROW((void)render_study(Format::kHtml, comparison(), wide(100)), std::logic_error);
}

TEST(StudyReport, WhatExecutedRuns) {
  StudyComparison executed = comparison();
  executed.targets.front().compiled_only = false;
  const std::string text = render_study(Format::kTerminal, executed, wide(100));
  EXPECT_THAT(text, HasSubstr("3 run (1 in part)"));
  EXPECT_THAT(text, Not(HasSubstr("compiles")));
  EXPECT_THAT(text, Not(HasSubstr("lower bound")));
}

TEST(StudyReport, HostileTextStaysText) {
  const StudyComparison hostile = comparison(testing::hostile_text(5));
  for (const int width : {60, 80, 120}) {
    const std::string text = render_study(Format::kTerminal, hostile, wide(width));
    EXPECT_TRUE(is_utf8(text));
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    for (const std::string_view line : split_lines(text)) {
      EXPECT_LE(display_width(line), static_cast<std::size_t>(width)) << line;
    }
  }
  const std::string markdown = render_study(Format::kMarkdown, hostile, wide(100));
  // Outside of code spans nothing is markup.
  EXPECT_THAT(std::string(split_lines(markdown).front()), Not(HasSubstr("<script>")));
  for (const std::string_view line : split_lines(markdown)) {
    if (line.starts_with("|")) {
      EXPECT_TRUE(line.ends_with("|")) << line;
    }
  }
  EXPECT_TRUE(parse_json(render_study(Format::kJson, hostile, wide(100))).ok());
}

}  // namespace
}  // namespace seamark::report
