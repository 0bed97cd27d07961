#include "seamark/sample/make_sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../known_frameworks.h"
#include "sample_makers.h"

namespace seamark::sample {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;

UsageTable table(int functions, const std::vector<std::string>& frameworks) {
  UsageTable usage;
  for (const std::string& framework : frameworks) {
    for (int i = 0; i < functions; ++i) {
      UsageRow row =
          usage_row(fmt::format("{}.f{}", framework == "tensorflow" ? "tf" : framework, i), 1 + i % 40);
      row.framework = framework;
      usage.rows.push_back(row);
    }
  }
  return usage;
}

std::vector<std::string> of_framework(const Sample& sample, const std::string& framework) {
  std::vector<std::string> names;
  for (const SampledFunction& one : sample.functions) {
    if (one.framework == framework) names.push_back(fmt::format("{} {}", name_of(one.role), one.function));
  }
  return names;
}

TEST(MakeSample, AddingAFrameworkChangesNothingInAnother) {
  SampleRequest request;
  request.known = known_frameworks();
  request.usage = "a.csv";
  const Sample alone = must(make_sample(table(200, {"torch"}), {}, request));
  const Sample both = must(make_sample(table(200, {"torch", "jax"}), {}, request));
  EXPECT_THAT(alone.frames, SizeIs(1));
  ASSERT_THAT(both.frames, SizeIs(2));
  EXPECT_EQ(both.frames[0].framework, "jax");
  EXPECT_EQ(of_framework(alone, "torch"), of_framework(both, "torch"));
  request.frameworks = {"torch"};
  EXPECT_EQ(of_framework(must(make_sample(table(200, {"torch", "jax"}), {}, request)), "torch"),
            of_framework(alone, "torch"));
}

TEST(MakeSample, SaysHowItWasDrawn) {
  SampleRequest request;
  request.known = known_frameworks();
  request.usage = "a.csv";
  request.draw.seed = 12;
  request.draw.exclude = {{"torch.f3", "why"}};
  request.draw.replace = {};
  const Sample sample = must(make_sample(table(60, {"torch", "tensorflow"}), {}, request));
  EXPECT_EQ(sample.info.seed, 12U);
  EXPECT_EQ(sample.info.generator, "pcg32/lemire/fisher-yates-1");
  EXPECT_THAT(sample.info.procedure, HasSubstr("the 20 most frequent by calls"));
  EXPECT_EQ(sample.info.population, "seen");
  EXPECT_EQ(sample.info.usage, "a.csv");
  EXPECT_EQ(dump_json(*sample.info.parameters.find("exclude")), "[\"torch.f3:why\"]");
  EXPECT_EQ(dump_json(*sample.info.parameters.find("frameworks")), "[\"tensorflow\",\"torch\"]");
}

TEST(MakeSample, AFunctionIsLeftOutByAnyOfItsNames) {
  SampleRequest request;
  request.known = known_frameworks();
  request.usage = "a.csv";
  Catalogue catalogue;
  catalogue.head.framework = "torch";
  for (int i = 0; i < 60; ++i) {
    CatalogueFunction& function = catalogue.functions.emplace_back();
    function.name = fmt::format("torch.f{}", i);
    function.kind = "function";
    function.aliases = {fmt::format("torch.other.f{}", i)};
  }
  request.draw.exclude = {{"torch.other.f3", "why"}};
  EXPECT_FALSE(make_sample(table(60, {"torch"}), {}, request));  // nothing says what that is
  const Sample sample = must(make_sample(table(60, {"torch"}), {catalogue}, request));
  EXPECT_THAT(of_framework(sample, "torch"), Contains("excluded torch.f3"));
  request.draw.exclude = {{"torch.f3", "why"}};
  EXPECT_EQ(of_framework(must(make_sample(table(60, {"torch"}), {catalogue}, request)), "torch"),
            of_framework(sample, "torch"));
}

TEST(MakeSample, AllNeedsACatalogue) {
  SampleRequest request;
  request.known = known_frameworks();
  request.all = true;
  request.draw.never_seen = 5;
  const auto none = make_sample(table(60, {"torch"}), {}, request);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message(), HasSubstr("catalogue of torch"));
  EXPECT_THAT(none.error().remedy(), HasSubstr("seamark catalog --target torch/cpu"));
  Catalogue catalogue;
  catalogue.head.framework = "torch";
  catalogue.head.version = "2.13.0";
  for (int i = 0; i < 100; ++i) {
    CatalogueFunction function;
    function.name = fmt::format("torch.f{}", i);
    catalogue.functions.push_back(function);
  }
  const Sample all = must(make_sample(table(60, {"torch"}), {catalogue}, request));
  EXPECT_EQ(all.frames.at(0).seen, 60);
  EXPECT_EQ(all.frames.at(0).never_seen, 40);
  EXPECT_EQ(all.strata.back().name, "never-seen");
  EXPECT_EQ(all.strata.back().functions, 40);
  EXPECT_EQ(all.strata.back().drawn, 5);
  // Without --population all the same catalogue changes nothing but the names that it does not know.
  request.all = false;
  request.draw.never_seen = 0;
  EXPECT_EQ(of_framework(must(make_sample(table(60, {"torch"}), {catalogue}, request)), "torch"),
            of_framework(must(make_sample(table(60, {"torch"}), {}, request)), "torch"));
}

TEST(MakeSample, WhatCannotBeMetIsAnError) {
  SampleRequest request;
  request.known = known_frameworks();
  request.tiers = {UsageTier::kInferred};
  EXPECT_THAT(make_sample(table(60, {"torch"}), {}, request).error().remedy(), HasSubstr("--tier"));
  request = {};
  request.draw.exclude = {{"jax.f1", "why"}};
  EXPECT_THAT(make_sample(table(60, {"torch"}), {}, request).error().message(), HasSubstr("jax.f1"));
  request = {};
  request.frameworks = {"jax"};
  EXPECT_THAT(make_sample(table(60, {"torch"}), {}, request).error().message(),
              HasSubstr("no function of jax"));
}

}  // namespace
}  // namespace seamark::sample
