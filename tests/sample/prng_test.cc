#include "seamark/sample/prng.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

namespace seamark::sample {
namespace {

using testing::ElementsAre;

// What the author's own demonstration prints for state 42 and stream 54.
TEST(Pcg32, GivesThePublishedNumbers) {
  Pcg32 generator(42, 54);
  std::vector<std::uint32_t> numbers;
  for (int i = 0; i < 6; ++i) numbers.push_back(generator.next());
  EXPECT_THAT(numbers,
              ElementsAre(0xa15c02b7U, 0x7b47f409U, 0xba1d3330U, 0x83d2f293U, 0xbfa4784bU, 0xcbed606eU));
}

TEST(Pcg32, BelowIsFairAndInRange) {
  Pcg32 generator(1, 2);
  std::array<int, 7> seen = {};
  for (int i = 0; i < 70000; ++i) ++seen.at(generator.below(7));
  double chi2 = 0;
  for (const int count : seen) chi2 += std::pow(count - 10000, 2) / 10000.0;
  EXPECT_LT(chi2, 22.5);  // 6 degrees of freedom: exceeded once in a thousand
  EXPECT_EQ(generator.below(1), 0U);
  EXPECT_THROW(generator.below(0), std::invalid_argument);
}

// A bound just above half of the range throws away almost every second number: the loop is really taken.
TEST(Pcg32, BelowRejectsWhatWouldTilt) {
  constexpr std::uint32_t kBound = 0x80000001U;
  Pcg32 generator(3, 4);
  int low = 0;
  for (int i = 0; i < 20000; ++i) low += generator.below(kBound) < kBound / 2 ? 1 : 0;
  EXPECT_NEAR(low, 10000, 300);
}

TEST(Shuffle, EveryOrderIsAsLikely) {
  std::map<std::vector<int>, int> seen;
  Pcg32 generator(5, 6);
  for (int i = 0; i < 24000; ++i) {
    std::vector<int> items = {1, 2, 3, 4};
    shuffle(std::span(items), generator);
    ++seen[items];
  }
  EXPECT_EQ(seen.size(), 24U);
  for (const auto& [order, count] : seen) EXPECT_NEAR(count, 1000, 150);
}

// Golden: a change of any of these changes every sample that was ever drawn.
TEST(Shuffle, IsTheSameEverywhere) {
  std::vector<int> items(10);
  std::iota(items.begin(), items.end(), 0);
  Pcg32 generator = generator_for(0, "torch", "decile-1");
  EXPECT_THAT((std::array{generator.next(), generator.next()}), ElementsAre(3728080669U, 2888430469U));
  shuffle(std::span(items), generator);
  EXPECT_THAT(items, ElementsAre(0, 4, 7, 6, 1, 8, 9, 2, 5, 3));
  EXPECT_EQ(generator.below(1000), 410U);
}

TEST(Shuffle, SeedsFrameworksAndPurposesAreApart) {
  const auto first = [](std::uint64_t seed, const char* framework, const char* purpose) {
    return generator_for(seed, framework, purpose).next();
  };
  EXPECT_NE(first(0, "torch", "decile-1"), first(1, "torch", "decile-1"));
  EXPECT_NE(first(0, "torch", "decile-1"), first(0, "jax", "decile-1"));
  EXPECT_NE(first(0, "torch", "decile-1"), first(0, "torch", "decile-2"));
  std::vector<int> nothing;
  Pcg32 generator(0, 0);
  shuffle(std::span(nothing), generator);
  EXPECT_TRUE(nothing.empty());
}

}  // namespace
}  // namespace seamark::sample
