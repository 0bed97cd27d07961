#include "seamark/sample/draw.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "sample_makers.h"

namespace seamark::sample {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

Ranking ranked(int functions, std::uint64_t seed = 0) {
  return rank_functions(falling(functions), Frequency::kCalls, seed, "torch");
}

DrawRequest request(std::uint64_t seed = 0) {
  DrawRequest out;
  out.seed = seed;
  return out;
}

const SampledFunction& find(const FrameworkDraw& draw, const std::string& name) {
  for (const SampledFunction& one : draw.functions) {
    if (one.function == name && one.role != SampleRole::kOverlap) return one;
  }
  throw std::runtime_error("not drawn: " + name);
}

const SampleStratum& stratum(const FrameworkDraw& draw, const std::string& name) {
  for (const SampleStratum& one : draw.strata) {
    if (one.name == name) return one;
  }
  throw std::runtime_error("no stratum " + name);
}

// Golden: the same seed and input give the same sample on every machine and with every version.
TEST(Draw, IsTheSameEverywhere) {
  DrawRequest wanted = request(42);
  wanted.top = 3;
  wanted.per_decile = 2;
  const FrameworkDraw drawn = must(draw(ranked(60, 42), "torch", wanted));
  std::string text;
  for (const SampledFunction& one : drawn.functions) {
    text += fmt::format("{}:{} ", name_of(one.role), one.function.substr(6));
  }
  EXPECT_EQ(text,
            "top:f0001 top:f0002 top:f0003 decile:f0006 overlap:f0003 decile:f0012 decile:f0011 "
            "decile:f0018 decile:f0015 decile:f0019 decile:f0024 decile:f0027 decile:f0030 "
            "decile:f0033 decile:f0036 decile:f0037 decile:f0038 decile:f0046 decile:f0047 "
            "decile:f0051 decile:f0050 decile:f0057 decile:f0058 ");
}

TEST(Draw, TakesTheTopAndSomeOfEachTenth) {
  const FrameworkDraw drawn = must(draw(ranked(1000), "torch", request()));
  EXPECT_THAT(names_of(drawn, SampleRole::kTop), SizeIs(20));
  const std::size_t overlaps = names_of(drawn, SampleRole::kOverlap).size();
  EXPECT_EQ(names_of(drawn, SampleRole::kDecile).size() + overlaps, 50U);
  std::map<int, int> per_decile;
  std::set<std::string> names;
  for (const SampledFunction& one : drawn.functions) {
    if (one.role != SampleRole::kTop) ++per_decile[one.decile];
    if (one.counts()) {
      EXPECT_TRUE(names.insert(one.function).second) << one.function;
    }
  }
  for (int decile = 1; decile <= kDeciles; ++decile) EXPECT_EQ(per_decile[decile], 5);
  EXPECT_EQ(stratum(drawn, "decile-1").functions, 80);
  EXPECT_EQ(stratum(drawn, "decile-1").drawn, 5 - static_cast<std::int64_t>(overlaps));
  EXPECT_EQ(stratum(drawn, "decile-2").functions, 100);
  EXPECT_EQ(find(drawn, "torch.f0001").inclusion, 1.0);
  EXPECT_EQ(find(drawn, names_of(drawn, SampleRole::kDecile).back()).inclusion, 0.05);
}

TEST(Draw, StrataAreThePopulationOnceOver) {
  DrawRequest wanted = request(5);
  wanted.never_seen = 7;
  std::vector<Counted> functions = falling(425);
  for (int i = 0; i < 300; ++i) functions.push_back({.function = fmt::format("torch.unseen{}", i)});
  std::int64_t calls = 0;
  for (const Counted& one : functions) calls += one.calls;
  const FrameworkDraw drawn =
      must(draw(rank_functions(functions, Frequency::kCalls, 5, "torch"), "torch", wanted));
  std::int64_t sum = 0;
  std::int64_t sum_calls = 0;
  double weighted = 0;
  for (const SampleStratum& one : drawn.strata) {
    sum += one.functions;
    sum_calls += one.calls;
    weighted += one.weight() * static_cast<double>(one.drawn);
  }
  EXPECT_EQ(sum, 725);
  EXPECT_EQ(sum_calls, calls);
  EXPECT_NEAR(weighted, 725, 1e-9);
  EXPECT_EQ(stratum(drawn, "never-seen").functions, 300);
  EXPECT_EQ(stratum(drawn, "never-seen").drawn, 7);
  EXPECT_THAT(names_of(drawn, SampleRole::kNeverSeen), SizeIs(7));
}

// The stored probabilities are true: over many seeds each function comes as often as it says.
TEST(Draw, InclusionProbabilitiesAreTrue) {
  constexpr int kSeeds = 4000;
  DrawRequest wanted = request();
  wanted.top = 5;
  wanted.per_decile = 3;
  const Ranking ranking = ranked(83);
  std::map<std::string, int> taken;
  std::map<std::string, double> said;
  for (int seed = 0; seed < kSeeds; ++seed) {
    wanted.seed = static_cast<std::uint64_t>(seed);
    for (const SampledFunction& one : must(draw(ranking, "torch", wanted)).functions) {
      if (!one.counts()) continue;
      ++taken[one.function];
      said[one.function] = one.inclusion.value();
    }
  }
  EXPECT_THAT(taken, SizeIs(83));
  for (const auto& [name, count] : taken) {
    const double p = said[name];
    const double deviation = std::sqrt(kSeeds * p * (1 - p));
    EXPECT_NEAR(count, kSeeds * p, 4.2 * deviation + 1e-9) << name;
  }
}

TEST(Draw, FrameworksDoNotMoveEachOther) {
  const FrameworkDraw a = must(draw(ranked(300), "torch", request(9)));
  const FrameworkDraw b = must(draw(ranked(300), "jax", request(9)));
  EXPECT_NE(names_of(a, SampleRole::kDecile), names_of(b, SampleRole::kDecile));
}

TEST(Draw, ExcludedFunctionsArePassedOver) {
  const FrameworkDraw before = must(draw(ranked(400), "torch", request(1)));
  const std::string top = names_of(before, SampleRole::kTop).front();
  const std::string low = names_of(before, SampleRole::kDecile).back();
  DrawRequest wanted = request(1);
  wanted.exclude = {{top, "no function of ours"}, {low, "needs a network"}};
  const FrameworkDraw after = must(draw(ranked(400), "torch", wanted));
  EXPECT_THAT(names_of(after, SampleRole::kExcluded), ElementsAre(top, low));
  EXPECT_THAT(names_of(after, SampleRole::kTop), SizeIs(20));
  EXPECT_THAT(names_of(after, SampleRole::kTop), Not(Contains(top)));
  EXPECT_EQ(names_of(after, SampleRole::kTop).back(), "torch.f0021");
  std::int64_t sum = 0;
  for (const SampleStratum& one : after.strata) sum += one.functions;
  EXPECT_EQ(sum, 398);
  EXPECT_EQ(find(after, low).reason, "needs a network");
  EXPECT_EQ(find(after, low).inclusion, std::nullopt);
  EXPECT_EQ(find(after, low).decile, 10);
}

TEST(Draw, ReplacementsComeFromTheSameTenthAndAreRecorded) {
  const FrameworkDraw before = must(draw(ranked(400), "torch", request(1)));
  const std::string low = names_of(before, SampleRole::kDecile).back();
  const std::string top = names_of(before, SampleRole::kTop).front();
  DrawRequest wanted = request(1);
  wanted.replace = {{low, "needs a network"}, {top, "no test upstream"}};
  const FrameworkDraw after = must(draw(ranked(400), "torch", wanted));
  // What was drawn before is drawn still.
  for (const std::string& name : names_of(before, SampleRole::kDecile)) {
    EXPECT_THAT(names_of(after, SampleRole::kDecile), Contains(name));
  }
  const SampledFunction& replaced = find(after, low);
  EXPECT_TRUE(replaced.is_replaced());
  EXPECT_EQ(replaced.reason, "needs a network");
  const SampledFunction& substitute = find(after, replaced.replaced_by);
  EXPECT_EQ(substitute.role, SampleRole::kReplacement);
  EXPECT_EQ(substitute.replaces, low);
  EXPECT_EQ(substitute.decile, 10);
  EXPECT_EQ(find(after, find(after, top).replaced_by).stratum, "decile-1");
  EXPECT_EQ(stratum(after, "decile-10").drawn, 6);
  // The substitute can be replaced in its turn.
  wanted.replace.push_back({replaced.replaced_by, "so does it"});
  const FrameworkDraw again = must(draw(ranked(400), "torch", wanted));
  EXPECT_EQ(stratum(again, "decile-10").drawn, 7);
  EXPECT_EQ(find(again, find(again, replaced.replaced_by).replaced_by).replaces, replaced.replaced_by);
}

TEST(Draw, NeverSeenFunctionsCanBeReplaced) {
  std::vector<Counted> functions = falling(30);
  for (int i = 0; i < 9; ++i) functions.push_back({.function = fmt::format("torch.unseen{}", i)});
  const Ranking ranking = rank_functions(functions, Frequency::kCalls, 0, "torch");
  DrawRequest wanted = request();
  wanted.never_seen = 2;
  const std::vector<std::string> first =
      names_of(must(draw(ranking, "torch", wanted)), SampleRole::kNeverSeen);
  ASSERT_THAT(first, SizeIs(2));
  wanted.replace = {{first[0], "a"}, {first[1], "b"}};
  const FrameworkDraw after = must(draw(ranking, "torch", wanted));
  EXPECT_EQ(stratum(after, "never-seen").drawn, 4);
  EXPECT_EQ(find(after, find(after, first[1]).replaced_by).replaces, first[1]);
  wanted.never_seen = 9;
  const FrameworkDraw all = must(draw(ranking, "torch", wanted));
  EXPECT_EQ(stratum(all, "never-seen").drawn, 9);
  EXPECT_THAT(find(all, first[0]).replaced_by, IsEmpty());  // none is left
  EXPECT_TRUE(find(all, first[0]).is_replaced());
}

TEST(Draw, SmallPopulationsAreTakenWhole) {
  for (const int size : {1, 3, 9, 10, 19, 21, 30}) {
    const FrameworkDraw drawn = must(draw(ranked(size), "torch", request()));
    std::int64_t sum = 0;
    std::int64_t taken = 0;
    for (const SampleStratum& one : drawn.strata) {
      sum += one.functions;
      taken += one.drawn;
      EXPECT_LE(one.drawn, one.functions);
    }
    EXPECT_EQ(sum, size);
    EXPECT_EQ(taken, size);
  }
}

TEST(Draw, WhatCannotBeMetIsAnError) {
  DrawRequest wanted = request();
  wanted.exclude = {{"torch.f0O01", "why"}};
  auto result = draw(ranked(100), "torch", wanted);
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().is(SampleError::kBadRequest));
  EXPECT_THAT(result.error().remedy(), HasSubstr("did you mean 'torch.f0001'"));
  wanted.exclude = {{"torch.f0001", "a"}, {"torch.f0001", "b"}};
  EXPECT_FALSE(draw(ranked(100), "torch", wanted));
  wanted.exclude = {{"torch.f0001", "a"}};
  wanted.replace = {{"torch.f0001", "b"}};
  result = draw(ranked(100), "torch", wanted);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(), HasSubstr("it is excluded"));
  EXPECT_FALSE(draw(Ranking{}, "torch", request()));
}

TEST(Draw, RemarksAreAFunctionAndAReason) {
  EXPECT_EQ(must(parse_remark("torch.a: needs two: GPUs ")).reason, "needs two: GPUs");
  EXPECT_EQ(must(parse_remark(" torch.a:x")).function, "torch.a");
  for (const char* bad : {"torch.a", "torch.a:", ":why", "", ":"}) EXPECT_FALSE(parse_remark(bad)) << bad;
}

}  // namespace
}  // namespace seamark::sample
