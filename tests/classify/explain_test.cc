#include "seamark/classify/explain.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "../known_frameworks.h"
#include "seamark/base/text.h"

namespace seamark::classify {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

RuleSet shipped() { return RuleSet::load(SEAMARK_SOURCE_DIR "/data/classification").value(); }

TEST(ErrorTexts, ATypeBeforeTheMessageIsTaken) {
  const ParsedError one = parse_error_text("  torch.OutOfMemoryError: CUDA out of memory\nmore\n");
  EXPECT_EQ(one.type, "torch.OutOfMemoryError");
  EXPECT_EQ(one.message, "CUDA out of memory\nmore");
  EXPECT_EQ(parse_error_text("KeyError").type, "KeyError");
  EXPECT_EQ(parse_error_text("KeyError").message, "");
  EXPECT_EQ(parse_error_text("torch._C._LinAlgError: singular").type, "torch._C._LinAlgError");
}

TEST(ErrorTexts, AStatusIsNoType) {
  for (const char* text : {"UNIMPLEMENTED: no", "RESOURCE_EXHAUSTED: Out of memory", "the error: it",
                           "\"dot\" not implemented for 'Bool'", "x y: z", ""}) {
    EXPECT_EQ(parse_error_text(text).type, "") << text;
    EXPECT_EQ(parse_error_text(text).message, text);
  }
}

TEST(ErrorTexts, OfATracebackTheLastExceptionCounts) {
  const ParsedError one = parse_error_text(
      "epoch 1\nTraceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    f()\n"
      "KeyError: 'x'\n\nDuring handling of the above exception, another exception occurred:\n\n"
      "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n    g()\n    ^^^\n"
      "jax.errors.JaxRuntimeError: UNIMPLEMENTED: Only F32\n    at 0x1\n");
  EXPECT_EQ(one.type, "jax.errors.JaxRuntimeError");
  EXPECT_EQ(one.message, "UNIMPLEMENTED: Only F32\n    at 0x1");
  EXPECT_EQ(parse_error_text("Traceback (most recent call last):\n  cut").type, "");
}

TEST(Explain, EveryExampleOfARuleIsFoundAgain) {
  const RuleSet rules = shipped();
  for (const Rule& rule : rules.rules()) {
    const std::string framework = rule.framework == "*" ? "torch" : rule.framework;
    const bool died = rule.outcome == Outcome::kCrash;
    const std::string text =
        rule.example_type.empty() || died ? rule.example : rule.example_type + ": " + rule.example;
    const auto found = explain_error(rules, text, framework, known_frameworks());
    const bool of_family = std::any_of(rule.any.begin(), rule.any.end(), [](const std::string& part) {
      return part.find("{family}") != std::string::npos;
    });
    if (!rule.modes.empty() || of_family) {  // a text does not say on which target it was seen
      for (const TextMatch& match : found) EXPECT_NE(match.rule->id, rule.id);
      continue;
    }
    if (!rule.families.empty()) {  // nor whose own device it asks for: another's
      ASSERT_EQ(found.size(), 1U) << rule.id;
      EXPECT_EQ(found[0].rule->category, Category::kNotImplemented) << rule.id << " by " << found[0].rule->id;
      continue;
    }
    ASSERT_EQ(found.size(), 1U) << rule.id;
    EXPECT_EQ(found[0].rule->category, rule.category) << rule.id << " by " << found[0].rule->id;
    EXPECT_FALSE(found[0].type_assumed);
  }
}

std::string odd_rule(std::string_view framework) {
  return fmt::format(
      "[[rule]]\nid = \"{0}\"\nframework = \"{0}\"\nall = [\"odd\"]\ncategory = \"type\"\n"
      "example = \"odd\"\nsource = \"here\"\n",
      framework);
}

TEST(Explain, FrameworksThatDifferAreAllNamed) {
  const RuleSet rules = RuleSet::parse(odd_rule("torch") + odd_rule("jax"), "r.toml").value();
  const auto found = explain_error(rules, "ValueError: odd", "", known_frameworks());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_THAT(found[0].frameworks, ElementsAre("torch"));
  EXPECT_THAT(found[1].frameworks, ElementsAre("jax"));
  EXPECT_EQ(explain_error(rules, "ValueError: odd", "jax", known_frameworks()).size(), 1U);
  EXPECT_TRUE(explain_error(rules, "ValueError: odd", "tensorflow", known_frameworks()).empty());
  EXPECT_TRUE(explain_error(rules, "ValueError: even", "", known_frameworks()).empty());
}

TEST(Explain, AFrameworksOwnRuleComesBeforeAGeneralOne) {
  const RuleSet rules = RuleSet::parse(odd_rule("torch") + odd_rule("*"), "r.toml").value();
  const auto found = explain_error(rules, "ValueError: odd", "", known_frameworks());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rule->id, "torch");
  const auto general = explain_error(rules, "ValueError: odd", "jax", known_frameworks());
  ASSERT_EQ(general.size(), 1U);
  EXPECT_EQ(general[0].rule->id, "*");
  const RuleSet alone = RuleSet::parse(odd_rule("*"), "r.toml").value();
  EXPECT_THAT(explain_error(alone, "ValueError: odd", "", known_frameworks())[0].frameworks,
              ElementsAre("torch", "tensorflow", "jax"));
}

TEST(Explain, AnUnknownTypeIsAssumedAndSaid) {
  const RuleSet rules = shipped();
  const auto found = explain_error(rules, "module 'jax' has no attribute 'api'", "jax", known_frameworks());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rule->category, Category::kRemoved);
  EXPECT_TRUE(found[0].type_assumed);
  EXPECT_TRUE(
      explain_error(rules, "ValueError: module 'jax' has no attribute 'api'", "jax", known_frameworks())
          .empty());
}

TEST(Explain, ATypeAloneNeverMatchesATextWithoutOne) {
  const RuleSet rules = RuleSet::parse(
                            "[[rule]]\nid = \"n\"\ntype = [\"NotImplementedError\"]\n"
                            "category = \"not-implemented\"\nexample = \"x\"\n"
                            "example_type = \"NotImplementedError\"\nsource = \"here\"\n",
                            "r.toml")
                            .value();
  EXPECT_TRUE(explain_error(rules, "anything at all", "", known_frameworks()).empty());
  EXPECT_EQ(explain_error(rules, "NotImplementedError", "", known_frameworks()).size(), 1U);
}

TEST(Explain, HostileTextsAreQuick) {
  const RuleSet rules = shipped();
  const auto start = std::chrono::steady_clock::now();
  for (const std::string& part : {std::string("Traceback (most recent call last):\n"), std::string("A"),
                                  std::string("\n"), std::string("A:\n "), std::string(1, '\0')}) {
    std::string text;
    while (text.size() < (1 << 20)) text += part;
    static_cast<void>(explain_error(rules, text, "", known_frameworks()));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(Explanations, EveryCategoryHasOne) {
  const Result<Explanations> texts = Explanations::load(SEAMARK_SOURCE_DIR "/data/explain.toml");
  ASSERT_TRUE(texts.ok()) << texts.error().message();
  EXPECT_EQ(texts->all().size(), 13U);
  EXPECT_THAT(texts->of(Category::kDynamicShape).meaning, HasSubstr("shapes"));
}

// Half of all failures are of this category: what is said of all of them names no operator.
TEST(Explanations, TheAdviceFitsTheText) {
  const Explanations texts = Explanations::load(SEAMARK_SOURCE_DIR "/data/explain.toml").value();
  for (const std::string& advice : texts.of(Category::kNotImplemented).advice)
    EXPECT_THAT(advice, testing::Not(HasSubstr("eig")));
  const RuleSet rules = shipped();
  const auto found =
      explain_error(rules,
                    "RuntimeError: The operator aten::view appears to be a view operator, but it "
                    "has no implementation for the backend \"lazy:0\".",
                    "", known_frameworks());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].rule->advice, HasSubstr("reshape"));
}

TEST(Explanations, MistakesAreNamed) {
  const auto refused = [](std::string_view toml) {
    const Result<Explanations> texts = Explanations::parse(toml, "e.toml");
    EXPECT_FALSE(texts.ok());
    if (texts.ok()) return std::string();
    EXPECT_TRUE(texts.error().is(ClassifyError::kBadRule));
    EXPECT_THAT(texts.error().message(), HasSubstr("e.toml"));
    return texts.error().message();
  };
  EXPECT_THAT(refused("[[category]]\nname = \"type\"\nmeaning = \"m\"\nadvice = [\"a\"]"),
              HasSubstr("not-implemented"));
  EXPECT_THAT(refused("[[category]]\nname = \"typo\"\nmeaning = \"m\"\nadvice = [\"a\"]"), HasSubstr("typo"));
  EXPECT_THAT(refused("[[category]]\nname = \"type\"\nmeaning = \"m\""), HasSubstr("advice"));
  EXPECT_TRUE(Explanations::load("/nonexistent/e.toml").error().is(ClassifyError::kUnreadable));
}

TEST(Categories, AreReadAsTyped) {
  EXPECT_EQ(category_as_typed(" Float_Precision "), Category::kFloatPrecision);
  EXPECT_EQ(category_as_typed("dynamic shape"), Category::kDynamicShape);
  EXPECT_FALSE(category_as_typed("dynamic"));
}

}  // namespace
}  // namespace seamark::classify
