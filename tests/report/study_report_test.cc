#include "seamark/report/build/study_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "figures.h"
#include "golden.h"
#include "sample_summary.h"
#include "seamark/analysis/gate.h"
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

// The same as changes: one that fails now, one that is slower, one gone.
analysis::Comparison changes(const StudyComparison& study, const std::string& word) {
  analysis::Comparison out;
  out.before = {"grand-illusion", study.title, {}};
  out.after = {"seamark.db", study.store, study.runs};
  out.drifts = {{"", "times", "the mean of 3" + word, "median of warm calls"},
                {"jax/tpu-v3+aot", "device", "TPU v3-8", "compiled only, nothing was executed" + word}};
  out.unanswered = {{analysis::ChangeKind::kCategoryChanged, "not published: categories" + word},
                    {analysis::ChangeKind::kNewPass, "not published: categories" + word},
                    {analysis::ChangeKind::kFaster, "nothing was timed"}};
  analysis::PairDelta& pair = out.pairs.emplace_back();
  pair.before.target = "jax/tpu-v3-8" + word;
  pair.before.device_name = "TPU v3-8";
  pair.after.target = study.targets.front().target;
  pair.floor = {1.25, "assumed: fewer than 5 cases were timed twice"};
  pair.warm = {{1.5, {}}, analysis::Interval{1.2, 1.8}, 12, true};
  pair.function_counts = {0, 1, 2, 1, 0};
  pair.case_counts.not_compared = 1;
  pair.not_compared = {{"the study published nothing of single cases", 1}};
  for (const char* name : {"jax.numpy.cos", "jax.numpy.linalg.lu"}) {
    pair.functions.push_back({"jax", name + word, false, analysis::FunctionStatus::kChanged, {}, {}});
  }
  analysis::CaseDelta fails;
  fails.function = 1;
  fails.name = "jax.numpy.linalg.lu/lu[f32]" + word;
  fails.suite = "curated";
  fails.core = fails.changed = true;
  fails.presence = analysis::Presence::kAdded;
  fails.after.emplace();
  fails.after->planned = true;
  fails.after->outcome = Outcome::kFail;
  fails.after->category = Category::kNotImplemented;
  fails.after->error.edit().type = "NotImplementedError";
  fails.after->error.edit().message = "no rule" + word;
  pair.cases.push_back(fails);
  auto change = [&](analysis::ChangeKind kind, const char* function) -> analysis::Change& {
    analysis::Change& one = pair.changes.emplace_back();
    one.kind = kind;
    one.target = pair.after.target;
    one.function = function + word;
    return one;
  };
  analysis::Change& failure = change(analysis::ChangeKind::kNewFailure, "jax.numpy.linalg.lu");
  failure.case_index = 0;
  failure.detail = "at least one of its tests ran on the study's TPU v3-8";
  analysis::Change& slower = change(analysis::ChangeKind::kSlower, "jax.numpy.cos");
  slower.ratio.emplace();
  slower.ratio->baseline_s = 1e-3;
  slower.ratio->target_s = 3e-3;
  slower.ratio->ratio = 3;
  slower.ratio->interval = analysis::Interval{2.9, 3.1};
  slower.ratio->baseline_n = 1;
  slower.ratio->target_n = 40;
  change(analysis::ChangeKind::kDropped, "jax.gone");
  analysis::apply_gate(out, analysis::Gate::standard());
  return out;
}

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
  target.ran = true;
  target.compiled_only = true;
  target.framework = "jax" + word;
  target.version_then = "0.4.8";
  target.versions_now = {"0.10.2" + word};
  target.compilers = {"libtpu 0.0.42.1" + word};
  target.device = {"tpu-v3-8", "TPU v3-8" + word, "tpu_v3_8_ms"};
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
  out.changes = changes(out, word);
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
  expect_golden("study.junit.xml", render_study(Format::kJunit, comparison(), wide(100)));
  expect_golden("study.sarif", render_study(Format::kSarif, comparison(), wide(100)));
}

TEST(StudyReport, EveryFigureStandsInEveryRendering) {
  const RenderOptions everything = wide(2000);
  const Document document = study_document(comparison(), everything);
  EXPECT_EQ(document.sections.size(), 15U);
  std::size_t figures = 0;
  std::set<std::string> ids;
  for (const Section& section : document.sections) {
    const std::set<std::string> terminal = figures_of(terminal_text(section, everything));
    EXPECT_EQ(figures_of(markdown_text({.head = {}, .sections = {section}})), terminal) << section.id;
    EXPECT_EQ(figures_of(html_text(section)), terminal) << section.id;
    EXPECT_TRUE(ids.insert(section.id).second) << section.id;
    figures += terminal.size();
  }
  EXPECT_GT(figures, 40U);
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
  EXPECT_THAT(markdown, HasSubstr("**study** A study"));
  EXPECT_THAT(render_study(Format::kHtml, hostile, wide(100)), Not(HasSubstr("<script>alert")));
  for (const std::string_view line : split_lines(markdown)) {
    if (line.starts_with('|')) {
      EXPECT_TRUE(line.ends_with('|')) << line;
    }
  }
  EXPECT_TRUE(parse_json(render_study(Format::kJson, hostile, wide(100))).ok());
}

}  // namespace
}  // namespace seamark::report
