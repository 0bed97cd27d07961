#include "seamark/run/latency.h"

#include <gtest/gtest.h>

#include <numeric>

namespace seamark::run {
namespace {

std::vector<double> ramp(int n) {
  std::vector<double> samples(static_cast<std::size_t>(n));
  std::iota(samples.begin(), samples.end(), 1.0);
  return samples;
}

TEST(LatencyTest, OrderStatisticsIntervalOfTheMedian) {
  // Ranks from the binomial tables for 95%.
  const std::vector<std::pair<int, std::pair<int, int>>> known = {
      {6, {1, 6}}, {8, {1, 8}}, {9, {2, 8}}, {10, {2, 9}}, {20, {6, 15}}, {50, {18, 33}}, {100, {40, 61}}};
  for (const auto& [n, ranks] : known) {
    const SampleSummary summary = summarize(ramp(n));
    ASSERT_TRUE(summary.has_interval) << n;
    EXPECT_EQ(summary.low, ranks.first) << n;
    EXPECT_EQ(summary.high, ranks.second) << n;
  }
  EXPECT_FALSE(summarize(ramp(5)).has_interval);
  EXPECT_FALSE(summarize(ramp(1)).has_interval);
  const SampleSummary many = summarize(ramp(5000));
  EXPECT_LT(many.low, 2500);
  EXPECT_GT(many.low, 2400);
}

TEST(LatencyTest, MedianQuartilesMinimum) {
  const SampleSummary summary = summarize(std::vector<double>{4, 1, 3, 2, 5});
  EXPECT_EQ(summary.median, 3);
  EXPECT_EQ(summary.min, 1);
  EXPECT_EQ(summary.iqr, 2);
  EXPECT_EQ(summarize(std::vector<double>{1, 2}).median, 1.5);
}

TEST(LatencyTest, SpreadAndDriftAreUnstable) {
  std::vector<double> steady(40, 1.0);
  for (std::size_t i = 0; i < steady.size(); i += 2) steady[i] = 1.01;
  EXPECT_FALSE(summarize(steady).unstable);
  std::vector<double> wide = steady;
  for (std::size_t i = 0; i < wide.size(); i += 2) wide[i] = 1.5;
  EXPECT_TRUE(summarize(wide).unstable);
  std::vector<double> drifting(40, 1.0);
  for (std::size_t i = 20; i < 40; ++i) drifting[i] = 1.12;
  EXPECT_TRUE(summarize(drifting).unstable);
}

TEST(LatencyTest, MeanOverTheOperations) {
  TimedOperation a;
  a.cold_s = 1;
  a.warm_s = std::vector<double>(10, 2.0);
  TimedOperation b;
  b.cold_s = 3;
  b.warm_s = std::vector<double>(20, 4.0);
  const std::vector<TimedOperation> both = {a, b};
  const Latency latency = summarize(both, "full", "cold-op");
  EXPECT_EQ(latency.cold_s, 2.0);
  EXPECT_EQ(latency.warm_median_s, 3.0);
  EXPECT_EQ(latency.warm_low_s, 3.0);
  EXPECT_EQ(latency.warm_min_s, 3.0);
  EXPECT_EQ(latency.warm_iqr_s, 0.0);
  EXPECT_EQ(latency.warm_n, 10);
  EXPECT_EQ(latency.protocol, "full");
}

TEST(LatencyTest, WhatOneOperationLacksIsNullWithItsReason) {
  TimedOperation a;
  a.cold_s = 1;
  a.warm_s = {2.0};
  TimedOperation b;
  b.cold_reason = "cached";
  b.warm_reason = "too slow";
  const std::vector<TimedOperation> both = {a, b};
  const Latency latency = summarize(both, "full", "cold-op");
  EXPECT_EQ(latency.cold_s, std::nullopt);
  EXPECT_EQ(latency.cold_reason, "cached");
  EXPECT_EQ(latency.warm_median_s, std::nullopt);
  EXPECT_EQ(latency.warm_reason, "too slow");
  const std::vector<TimedOperation> one = {a};
  const Latency single = summarize(one, "paper", "cold-op");
  EXPECT_EQ(single.warm_median_s, 2.0);
  EXPECT_EQ(single.warm_low_s, std::nullopt);
  EXPECT_EQ(single.warm_iqr_s, std::nullopt);
  EXPECT_EQ(summarize(std::span<const TimedOperation>(), "full", "").warm_reason, "the worker timed nothing");
}

}  // namespace
}  // namespace seamark::run
