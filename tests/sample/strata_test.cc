#include "seamark/sample/strata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "sample_makers.h"

namespace seamark::sample {
namespace {

using testing::HasSubstr;

TEST(Deciles, AreAsEqualAsCanBe) {
  for (const std::int64_t n : {10, 11, 99, 425, 1078, 1455}) {
    std::array<std::int64_t, kDeciles> sizes = {};
    int before = 1;
    for (std::int64_t rank = 1; rank <= n; ++rank) {
      const int decile = decile_of(rank, n);
      EXPECT_GE(decile, before);
      before = decile;
      ++sizes.at(static_cast<std::size_t>(decile - 1));
    }
    EXPECT_EQ(before, kDeciles);
    for (const std::int64_t size : sizes) {
      EXPECT_GE(size, n / kDeciles) << n;
      EXPECT_LE(size, n / kDeciles + 1) << n;
    }
  }
  EXPECT_EQ(decile_of(1, 3), 4);  // fewer than ten: some tenths are empty
  EXPECT_EQ(decile_of(3, 3), 10);
}

TEST(Ranking, TiesAreDrawnNotAlphabetical) {
  std::vector<Counted> equal;
  for (const char c : std::string("abcdefgh")) {
    Counted one;
    one.function = std::string("torch.") + c;
    one.calls = 5;
    equal.push_back(one);
  }
  std::set<std::string> firsts;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Ranking ranking = rank_functions(equal, Frequency::kCalls, seed, "torch");
    ASSERT_EQ(ranking.seen.size(), 8U);
    firsts.insert(ranking.seen.front().function);
  }
  EXPECT_EQ(firsts.size(), 8U);
}

TEST(Ranking, TheOrderOfTheInputDoesNotMatter) {
  std::vector<Counted> functions = falling(50);
  const Ranking one = rank_functions(functions, Frequency::kCalls, 7, "torch");
  std::reverse(functions.begin(), functions.end());
  const Ranking other = rank_functions(functions, Frequency::kCalls, 7, "torch");
  for (std::size_t i = 0; i < one.seen.size(); ++i) EXPECT_EQ(one.seen[i].function, other.seen[i].function);
}

TEST(Ranking, EachFrequencyHasItsOwnOrder) {
  std::vector<Counted> functions(3);
  functions[0] = {.function = "torch.a", .calls = 9, .references = 0, .files = 1};
  functions[1] = {.function = "torch.b", .calls = 0, .references = 20, .files = 2};
  functions[2] = {.function = "torch.c", .calls = 3, .references = 3, .files = 3};
  const Ranking calls = rank_functions(functions, Frequency::kCalls, 0, "torch");
  ASSERT_EQ(calls.seen.size(), 2U);
  EXPECT_EQ(calls.seen[0].function, "torch.a");
  ASSERT_EQ(calls.never_seen.size(), 1U);
  EXPECT_EQ(calls.never_seen[0].function, "torch.b");
  EXPECT_EQ(rank_functions(functions, Frequency::kUses, 0, "torch").seen[0].function, "torch.b");
  EXPECT_EQ(rank_functions(functions, Frequency::kFiles, 0, "torch").seen[0].function, "torch.c");
}

TEST(Ranking, WhatWasNeverSeenMovesNothingThatWas) {
  std::vector<Counted> functions(40);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    functions[i].function = fmt::format("torch.g{}", i);
    functions[i].calls = 1;
  }
  const Ranking before = rank_functions(functions, Frequency::kCalls, 3, "torch");
  for (int i = 0; i < 30; ++i) functions.push_back({.function = fmt::format("torch.a{}", i)});
  const Ranking after = rank_functions(functions, Frequency::kCalls, 3, "torch");
  ASSERT_EQ(after.never_seen.size(), 30U);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(before.seen[i].function, after.seen[i].function);
}

Catalogue small_catalogue() {
  Catalogue catalogue;
  catalogue.head.framework = "torch";
  catalogue.head.version = "2.13.0";
  for (const char* name : {"torch.nn.Linear", "torch.relu", "torch.rare"}) {
    CatalogueFunction function;
    function.name = name;
    function.kind = "function";
    catalogue.functions.push_back(function);
  }
  catalogue.functions[1].aliases = {"torch.nn.functional.relu"};
  return catalogue;
}

TEST(Population, NamesOfOneFunctionAreOne) {
  UsageTable usage;
  usage.rows = {usage_row("torch.relu", 5), usage_row("torch.nn.functional.relu", 7),
                usage_row("torch.gone", 9), usage_row("torch.relu", 100, UsageTier::kInferred),
                usage_row("torch.nn.Linear", 2)};
  const Catalogue catalogue = small_catalogue();
  const FramePopulation population = must(population_of(usage, "torch", &catalogue, {UsageTier::kResolved}));
  ASSERT_EQ(population.functions.size(), 3U);
  EXPECT_EQ(population.functions[2].function, "torch.relu");
  EXPECT_EQ(population.functions[2].calls, 12);
  EXPECT_EQ(population.functions[1].calls, 0);
  EXPECT_EQ(population.frame.version, "2.13.0");
  EXPECT_EQ(population.frame.seen, 2);
  EXPECT_EQ(population.frame.never_seen, 1);
  EXPECT_EQ(population.frame.unknown_names, 1);
  EXPECT_EQ(population.frame.unknown_calls, 9);
  EXPECT_EQ(population.frame.calls, 14);
  const FramePopulation both =
      must(population_of(usage, "torch", &catalogue, {UsageTier::kResolved, UsageTier::kInferred}));
  EXPECT_EQ(both.functions[2].calls, 112);
}

TEST(Population, WithoutACatalogueEveryNameIsAFunction) {
  UsageTable usage;
  usage.rows = {usage_row("torch.relu", 5), usage_row("torch.gone", 9)};
  const FramePopulation population = must(population_of(usage, "torch", nullptr, {UsageTier::kResolved}));
  EXPECT_EQ(population.functions.size(), 2U);
  EXPECT_EQ(population.frame.unknown_names, 0);
  const auto none = population_of(usage, "jax", nullptr, {UsageTier::kResolved});
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message(), HasSubstr("jax"));
  EXPECT_THAT(none.error().remedy(), HasSubstr("seamark usage"));
}

TEST(Population, BareSpellingsJoinNothing) {
  UsageTable usage;
  usage.rows = {usage_row("size", 5, UsageTier::kBare)};
  EXPECT_TRUE(population_of(usage, "torch", nullptr, {UsageTier::kBare}));
  EXPECT_FALSE(population_of(usage, "torch", nullptr, {UsageTier::kBare, UsageTier::kResolved}));
  const Catalogue catalogue = small_catalogue();
  EXPECT_FALSE(population_of(usage, "torch", &catalogue, {UsageTier::kBare}));
}

}  // namespace
}  // namespace seamark::sample
