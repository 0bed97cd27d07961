#include "seamark/analysis/stats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

namespace seamark::analysis {
namespace {

void expect_interval(const std::optional<Interval>& interval, double low, double high,
                     double tolerance = 1e-9) {
  ASSERT_TRUE(interval.has_value());
  EXPECT_NEAR(interval->low, low, tolerance);
  EXPECT_NEAR(interval->high, high, tolerance);
}

// Values of SciPy 1.17.1 and NumPy.

// scipy.stats.binomtest(k, n).proportion_ci(0.95, method="wilson")
TEST(Stats, WilsonAsSciPy) {
  expect_interval(wilson(0, 10), 0, 0.27753279986288926);
  expect_interval(wilson(10, 10), 0.7224672001371109, 1);
  expect_interval(wilson(7, 10), 0.39677814746114526, 0.892208732593699);
  expect_interval(wilson(28, 63), 0.328470960118918, 0.5668036176131765);
  expect_interval(wilson(1, 63), 0.002807494213869284, 0.08458525459438396);
  expect_interval(wilson(500, 1000), 0.4690696003681042, 0.5309303996318958);
  expect_interval(wilson(28, 63, 0.99), 0.29626392937436896, 0.6032117596597217);
  const Rate rate = rate_of(28, 63);
  EXPECT_DOUBLE_EQ(rate.value.value(), 28.0 / 63);
  expect_interval(rate.interval, 0.328470960118918, 0.5668036176131765);
}

// numpy.quantile(x, q)
TEST(Stats, QuantilesAsNumPy) {
  const std::vector<double> x = {3.1, 0.4, 2.7, 9.9, 1.6, 5.2, 4.4, 7.3, 0.9, 6.1, 2.2, 8.8};
  EXPECT_DOUBLE_EQ(quantile(x, 0).value(), 0.4);
  EXPECT_NEAR(quantile(x, 0.05).value(), 0.675, 1e-12);
  EXPECT_NEAR(quantile(x, 0.25).value(), 2.05, 1e-12);
  EXPECT_NEAR(median(x).value(), 3.75, 1e-12);
  EXPECT_NEAR(quantile(x, 0.95).value(), 9.295, 1e-12);
  EXPECT_DOUBLE_EQ(quantile(x, 1).value(), 9.9);
}

// scipy.stats.quantile_test(numpy.arange(1, n + 1), q=0, p=0.5).confidence_interval(0.95)
TEST(Stats, MedianIntervalsAsSciPy) {
  const auto ranks = [](int n) {
    std::vector<double> values;
    for (int i = n; i >= 1; --i) values.push_back(i);
    return median_interval(values);
  };
  EXPECT_FALSE(ranks(5).has_value());
  expect_interval(ranks(6), 1, 6);
  expect_interval(ranks(7), 1, 7);
  expect_interval(ranks(9), 2, 8);
  expect_interval(ranks(12), 3, 10);
  expect_interval(ranks(17), 5, 13);
  expect_interval(ranks(25), 8, 18);
  expect_interval(ranks(30), 10, 21);
  expect_interval(ranks(101), 41, 61);
}

// numpy.exp(scipy.stats.ttest_ind(numpy.log(a), numpy.log(b), equal_var=False).confidence_interval(0.95))
TEST(Stats, LogRatioIntervalsAsSciPy) {
  const std::vector<double> a = {1.1, 1.3, 0.9, 1.2};
  const std::vector<double> b = {0.11, 0.10, 0.13};
  expect_interval(log_ratio_interval(a, b), 7.435917734669429, 13.167034143672577);
  EXPECT_FALSE(log_ratio_interval(a, std::vector{1.0}).has_value());
  EXPECT_FALSE(log_ratio_interval(a, std::vector{1.0, 0.0}).has_value());
  expect_interval(log_ratio_interval(std::vector{2.0, 2.0}, std::vector{1.0, 1.0}), 2, 2);
}

TEST(Stats, TheMedianOfNothingIsNothing) {
  EXPECT_FALSE(median({}).has_value());
  EXPECT_FALSE(quantile({}, 0.1).has_value());
  EXPECT_FALSE(median_interval({}).has_value());
  EXPECT_FALSE(wilson(0, 0).has_value());
  const Rate rate = rate_of(0, 0, "nothing");
  EXPECT_FALSE(rate.value.has_value());
  EXPECT_FALSE(rate.interval.has_value());
  EXPECT_EQ(rate.reason, "nothing");
}

TEST(Stats, BrokenContractsThrow) {
  EXPECT_THROW(static_cast<void>(wilson(2, 1)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(wilson(-1, 1)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(wilson(1, 1, 1.0)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(median_interval(std::vector{1.0}, 0.0)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(quantile(std::vector{1.0}, 1.5)), std::invalid_argument);
}

TEST(Stats, TheMedianIntervalCovers) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> draw(0, 1);  // median 1
  for (const std::size_t n : {6U, 9U, 20U, 51U}) {
    int covered = 0;
    constexpr int kTrials = 2000;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<double> values(n);
      for (double& value : values) value = draw(random);
      const Interval interval = median_interval(values).value();
      if (interval.low <= 1 && 1 <= interval.high) ++covered;
    }
    EXPECT_GE(covered, kTrials * 0.94) << n;
    EXPECT_LT(covered, kTrials) << n;  // and is no cheat
  }
}

// scipy.stats.spearmanr
TEST(Stats, SpearmanAsSciPy) {
  const std::vector<double> x = {1, 2, 3, 4, 5};
  EXPECT_NEAR(spearman(x, std::vector<double>{5, 6, 7, 8, 7}).value(), 0.8207826816681233, 1e-12);
  EXPECT_NEAR(spearman(x, std::vector<double>{9, 7, 5, 3, 1}).value(), -1, 1e-12);
  EXPECT_EQ(spearman(x, std::vector<double>{2, 2, 2, 2, 2}), std::nullopt);
  EXPECT_EQ(spearman(std::vector<double>{1, 2}, std::vector<double>{1, 2}), std::nullopt);
  EXPECT_THROW((void)spearman(x, std::vector<double>{1}), std::invalid_argument);
}

// By hand: po = 17/20; pe = 6/20 x 5/20 + 14/20 x 15/20 = 0.6; kappa = 0.25 / 0.4.
TEST(Stats, Agreement) {
  const Agreement agreement =
      agreement_of({.fail_failed = 4, .fail_ran = 2, .pass_failed = 1, .pass_ran = 13});
  EXPECT_DOUBLE_EQ(agreement.agreement.value.value(), 0.85);
  EXPECT_DOUBLE_EQ(agreement.precision.value.value(), 4.0 / 6);
  EXPECT_DOUBLE_EQ(agreement.recall.value.value(), 0.8);
  EXPECT_DOUBLE_EQ(agreement.always_pass.value.value(), 0.75);
  EXPECT_NEAR(agreement.kappa.value.value(), 0.625, 1e-12);
  EXPECT_NEAR(agreement_of({0, 0, 1, 19}).kappa.value.value(), 0,
              1e-12);  // "pass" of everything predicts nothing
  EXPECT_EQ(agreement_of({0, 0, 0, 20}).kappa.value, std::nullopt);
  EXPECT_EQ(agreement_of({}).agreement.value, std::nullopt);
  EXPECT_FALSE(agreement_of({}).kappa.reason.empty());
}

}  // namespace
}  // namespace seamark::analysis
