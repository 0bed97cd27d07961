// More of this against SciPy, with drawn samples: tests/python/test_statistics.py.
#include "seamark/analysis/association.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace seamark::analysis {
namespace {

// scipy.stats.kendalltau(x, y, method="asymptotic"), scipy.stats.spearmanr(x, y)
TEST(Association, RanksWithTies) {
  const std::vector<double> x = {1, 2, 2, 3, 4, 4, 4, 5};
  const std::vector<double> y = {2, 1, 3, 3, 3, 5, 4, 5};
  const Correlation tau = kendall(x, y);
  EXPECT_EQ(tau.pairs, 8);
  EXPECT_NEAR(tau.value.value(), 18.0 / 24, 1e-12);  // 19 pairs agree, 1 does not; 4 ties on either side
  EXPECT_LT(tau.interval->low, *tau.value);
  EXPECT_GT(tau.interval->high, *tau.value);
  EXPECT_GT(spearman_test(x, y).value.value(), *tau.value);
}

TEST(Association, OfAPerfectOrder) {
  const std::vector<double> x = {1, 2, 3, 4, 5, 6};
  const std::vector<double> down = {6, 5, 4, 3, 2, 1};
  EXPECT_DOUBLE_EQ(kendall(x, x).value.value(), 1);
  EXPECT_DOUBLE_EQ(kendall(x, down).value.value(), -1);
  EXPECT_EQ(kendall(x, down).interval, std::nullopt);  // none on Fisher's scale
  EXPECT_DOUBLE_EQ(spearman_test(x, down).value.value(), -1);
  EXPECT_DOUBLE_EQ(spearman_test(x, x).p.value(), 0);
}

TEST(Association, SaysWhyThereIsNothingToSay) {
  const std::vector<double> two = {1, 2};
  EXPECT_EQ(kendall(two, two).reason, "fewer than 3 pairs");
  const std::vector<double> same = {7, 7, 7, 7};
  const std::vector<double> varied = {1, 2, 3, 4};
  EXPECT_EQ(kendall(same, varied).reason, "one side is the same for all pairs");
  EXPECT_EQ(spearman_test(varied, same).value, std::nullopt);
  EXPECT_THROW(kendall(two, same), std::invalid_argument);
  EXPECT_EQ(cochran_armitage({}).reason, "nothing ran");
  const std::vector<TrendGroup> none = {{1, 0, 5}, {2, 0, 5}};
  EXPECT_EQ(cochran_armitage(none).reason, "nothing fails");
  const std::vector<TrendGroup> one = {{1, 2, 5}};
  EXPECT_EQ(cochran_armitage(one).reason, "all are in one group");
  const std::vector<TrendGroup> bad = {{1, 6, 5}};
  EXPECT_THROW(cochran_armitage(bad), std::invalid_argument);
}

TEST(Association, TrendOfASmallTableIsExact) {
  // 2 failures among 2 and 2: all in the second group is 1 of 6 ways, all in the first is as far.
  const std::vector<TrendGroup> groups = {{1, 0, 2}, {2, 2, 2}};
  const Trend trend = cochran_armitage(groups);
  EXPECT_TRUE(trend.exact);
  EXPECT_NEAR(trend.p.value(), 2.0 / 6, 1e-12);
  EXPECT_NEAR(trend.z.value(), 2, 1e-12);  // the square root of n times a correlation of 1
}

TEST(Association, TrendOfALargeTableIsNormal) {
  const std::vector<TrendGroup> falling = {{1, 90, 200}, {2, 60, 200}, {3, 30, 200}};
  const Trend trend = cochran_armitage(falling);
  EXPECT_FALSE(trend.exact);
  EXPECT_LT(trend.z.value(), -6);
  EXPECT_LT(trend.p.value(), 1e-9);
}

TEST(Association, AFewHeavyCallsSayLess) {
  EXPECT_EQ(weighted_share(1, 0).value, std::nullopt);
  EXPECT_DOUBLE_EQ(weighted_share(30, 120).value.value(), 0.25);
  const auto heavy = weighted_interval(100, 1000, 910'000);
  const auto even = weighted_interval(100, 1000, 10'000);
  EXPECT_GT(heavy->high - heavy->low, even->high - even->low);
  EXPECT_EQ(weighted_interval(0, 0, 0), std::nullopt);
}

}  // namespace
}  // namespace seamark::analysis
