#include "seamark/report/build/explain_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../known_frameworks.h"
#include "seamark/base/text.h"

namespace seamark::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ExplainReportTest : public ::testing::Test {
 protected:
  std::string said(std::string_view what, std::string_view framework = "", int width = 80) const {
    RenderOptions options;
    options.width = width;
    const std::string text =
        terminal_text(explain_document(rules_, texts_, known_frameworks(), what, framework), options);
    for (std::string_view line : split_lines(text)) {
      EXPECT_LE(display_width(line), static_cast<std::size_t>(std::max(width, 60))) << line;
    }
    return text;
  }

  classify::RuleSet rules_ = classify::RuleSet::load(SEAMARK_SOURCE_DIR "/data/classification").value();
  classify::Explanations texts_ =
      classify::Explanations::load(SEAMARK_SOURCE_DIR "/data/explain.toml").value();
};

TEST_F(ExplainReportTest, NothingListsTheCategories) {
  const std::string text = said("");
  for (const auto& one : texts_.all()) EXPECT_THAT(text, HasSubstr(std::string(name_of(one.category))));
}

TEST_F(ExplainReportTest, ACategoryIsToldWithAdviceAndExamples) {
  const std::string text = said("Dynamic_Shape");
  EXPECT_THAT(text, StartsWith("dynamic-shape: "));
  EXPECT_THAT(text, HasSubstr("WHAT PEOPLE DO ABOUT IT"));
  EXPECT_THAT(text, HasSubstr("EXAMPLES ("));
  EXPECT_THAT(said("wrong-result"), HasSubstr("How it is told"));
  EXPECT_THAT(said("timeout"), Not(HasSubstr("EXAMPLES (")));
}

TEST_F(ExplainReportTest, AFrameworkNarrowsTheExamples) {
  EXPECT_THAT(one_line(said("dynamic-shape")), HasSubstr("rule torch"));
  const std::string text = one_line(said("dynamic-shape", "jax"));
  EXPECT_THAT(text, Not(HasSubstr("rule torch")));
  EXPECT_THAT(text, HasSubstr("rule jax-"));
}

TEST_F(ExplainReportTest, AnErrorIsToldByItsRule) {
  const std::string text = said("NotImplementedError: \"dot\" not implemented for 'Bool'", "torch");
  EXPECT_THAT(text, StartsWith("type (rule torch-dtype-kernel)"));
  EXPECT_THAT(text, HasSubstr("Seen: PyTorch"));
  EXPECT_THAT(text, HasSubstr("WHAT PEOPLE DO ABOUT IT"));
  EXPECT_THAT(said("torch-dtype-kernel"), StartsWith("type (rule torch-dtype-kernel)"));
}

TEST_F(ExplainReportTest, ATracebackWillDo) {
  EXPECT_THAT(
      said("x\nTraceback (most recent call last):\n  File \"a\", line 1\nNotImplementedError: \"dot\" not "
           "implemented for 'Bool'\n",
           "torch"),
      StartsWith("type (rule torch-dtype-kernel)"));
}

TEST_F(ExplainReportTest, AnAssumedTypeIsSaid) {
  EXPECT_THAT(said("module 'jax' has no attribute 'api'"), HasSubstr("this holds if it is AttributeError"));
}

TEST_F(ExplainReportTest, WhatNoRuleKnowsIsSaidClearly) {
  const std::string text = said("ValueError: something \x1b[31melse\x1b[0m went wrong");
  EXPECT_THAT(text, StartsWith("No rule knows this error"));
  EXPECT_THAT(text, HasSubstr("unclassified"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(said("memroy"), HasSubstr("did you mean 'memory'?"));
}

TEST_F(ExplainReportTest, NarrowAndWideTerminals) {
  said("type", "", 20);
  said("type", "", 500);
}

TEST_F(ExplainReportTest, EveryRuleCanBeTold) {
  for (const classify::Rule& rule : rules_.rules()) {
    EXPECT_THAT(one_line(said(rule.id)), HasSubstr("(rule " + rule.id + ")"));
  }
}

}  // namespace
}  // namespace seamark::report
