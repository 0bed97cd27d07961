#include "seamark/cli/case_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "seamark/cli/errors.h"

namespace seamark::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

CaseInfo make(const std::string& name, const std::string& framework, bool core, bool first) {
  CaseInfo info;
  info.name = name;
  info.function = name.substr(0, name.find('/'));
  info.framework = framework;
  info.core = core;
  info.quick = first;
  return info;
}

const std::vector<CaseInfo> kCases = {
    make("torch.sum/sum[f32]", "torch", true, true),   make("torch.sum/sum[bf16]", "torch", true, false),
    make("torch.sum/odd[f32]", "torch", false, false), make("torch.sort/sort[f32]", "torch", true, true),
    make("jax.numpy.add/add[f32]", "jax", true, true),
};

std::vector<std::string> names(const std::vector<CaseInfo>& cases) {
  std::vector<std::string> found;
  found.reserve(cases.size());
  for (const CaseInfo& info : cases) found.push_back(info.name);
  return found;
}

TEST(ChooseCases, TakesThoseOfTheFramework) {
  EXPECT_EQ(choose_cases(kCases, "torch", false, {}).size(), 4U);
  EXPECT_THAT(names(choose_cases(kCases, "jax", false, {})), ElementsAre("jax.numpy.add/add[f32]"));
}

TEST(ChooseCases, QuickTakesTheQuickCasesWhereATargetSaysSoAndTheCoreCasesElsewhere) {
  const CaseChoice quick{{}, "", "quick", "first"};
  EXPECT_THAT(names(choose_cases(kCases, "torch", true, quick)),
              ElementsAre("torch.sum/sum[f32]", "torch.sort/sort[f32]"));
  EXPECT_THAT(names(choose_cases(kCases, "torch", false, quick)),
              ElementsAre("torch.sum/sum[f32]", "torch.sum/sum[bf16]", "torch.sort/sort[f32]"));
}

TEST(ChooseCases, GlobsOfFunctionsAndCases) {
  EXPECT_EQ(choose_cases(kCases, "torch", false, {{"torch.so*", "torch.sum"}, "", "core", "core"}).size(),
            3U);
  EXPECT_THAT(names(choose_cases(kCases, "torch", false, {{}, "*[bf16]", "all", "core"})),
              ElementsAre("torch.sum/sum[bf16]"));
}

TEST(IsTimed, FollowsTheWord) {
  EXPECT_TRUE(is_timed(kCases[2], "all"));
  EXPECT_FALSE(is_timed(kCases[2], "core"));
  EXPECT_TRUE(is_timed(kCases[1], "core"));
  EXPECT_FALSE(is_timed(kCases[1], "first"));
  EXPECT_TRUE(is_timed(kCases[0], "first"));
  CaseInfo gradient = kCases[0];
  gradient.grad = true;
  EXPECT_FALSE(is_timed(gradient, "first"));
  EXPECT_FALSE(is_timed(kCases[0], "none"));
  CaseInfo large = kCases[2];
  large.large = true;
  EXPECT_TRUE(is_timed(large, "core"));
  EXPECT_TRUE(is_timed(large, "first"));
  EXPECT_FALSE(is_timed(large, "none"));
}

TEST(ShippedSamples, AreTheStudysFunctionsAndThoseOfNineCallsInTen) {
  const std::filesystem::path data = std::filesystem::path(SEAMARK_SOURCE_DIR) / "data";
  EXPECT_TRUE(is_shipped_sample("study") && is_shipped_sample("today") && is_shipped_sample("all"));
  EXPECT_FALSE(is_shipped_sample("") || is_shipped_sample("autumn"));
  EXPECT_EQ(shipped_sample(data, "study").value().functions.size(), 199U);
  const std::vector<std::string> today = shipped_sample(data, "today").value().functions;
  EXPECT_GT(today.size(), 500U);
  EXPECT_TRUE(std::is_sorted(today.begin(), today.end()));
  EXPECT_TRUE(std::binary_search(today.begin(), today.end(), "torch.matmul"));
  EXPECT_THAT(shipped_sample(data, "all").value().functions, ::testing::IsEmpty());
  EXPECT_FALSE(shipped_sample("/nowhere", "today"));
}

TEST(ShippedSamples, ChooseCasesAndTellWhatHasNone) {
  CaseChoice choice;
  choice.sample = ShippedSample{"today", {"jax.numpy.dot", "torch.sort", "torch.stack"}};
  EXPECT_THAT(names(choose_cases(kCases, "torch", false, choice)), ElementsAre("torch.sort/sort[f32]"));
  EXPECT_THAT(sampled_without_case(*choice.sample, kCases), ElementsAre("jax.numpy.dot", "torch.stack"));
}

TEST(CheckNames, SuggestsTheNearest) {
  EXPECT_TRUE(check_names(kCases, {{"torch.sum", "jax.*"}, "*f32*", "all", "core"}));
  const Status function = check_names(kCases, {{"torch.sun"}, "", "all", "core"});
  ASSERT_FALSE(function);
  EXPECT_EQ(exit_code_of(function.error()), ExitCode::kUsage);
  EXPECT_THAT(function.error().remedy(), HasSubstr("did you mean 'torch.sum'?"));
  EXPECT_THAT(check_names(kCases, {{"tf.*"}, "", "all", "core"}).error().message(),
              HasSubstr("matches 'tf.*'"));
  EXPECT_THAT(check_names(kCases, {{}, "torch.sum/sum[f64]", "all", "core"}).error().remedy(),
              HasSubstr("torch.sum/sum[f32]"));
}

}  // namespace
}  // namespace seamark::cli
