#include "summary_fixture.h"

namespace seamark::analysis {
namespace {

using store::make_attempt;
using store::make_case;
using store::make_timing;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(SummaryTest, RatiosAreOfLikeAndLike) {
  const CaseInfo slow = make_case("torch.slow", "1");
  const CaseInfo fast = make_case("torch.fast", "1");
  const CaseInfo tiny = make_case("torch.tiny", "1");
  const CaseInfo unmatched = make_case("torch.unmatched", "1");
  const CaseInfo failing = make_case("torch.failing", "1");
  const std::vector<CaseInfo> cases = {slow, fast, tiny, unmatched, failing};
  for (const char* target : {"torch/cpu", "torch/lazy"}) {
    add(target, cases);
    for (const CaseInfo& one : cases) commit({make_attempt(target, one)});
  }
  const auto samples = [](double median) {
    std::vector<double> values;
    for (int i = -5; i <= 5; ++i) values.push_back(median * (1 + 0.01 * i));
    return values;
  };
  commit({make_timing("torch/cpu", slow, 1e-3, samples(1e-3)),
          make_timing("torch/lazy", slow, 40e-3, samples(20e-3)),
          make_timing("torch/cpu", fast, 1e-3, samples(1e-3)),
          make_timing("torch/lazy", fast, 25e-3, samples(0.5e-3)),
          make_timing("torch/cpu", tiny, 1e-6, samples(1e-6)),
          make_timing("torch/lazy", tiny, 50e-6, samples(50e-6))});
  Attempt paper = make_timing("torch/lazy", unmatched, 1, samples(1));
  paper.latency.protocol = "paper";
  commit({make_timing("torch/cpu", unmatched, 1e-3, samples(1e-3)), paper});
  Attempt failed_timing = make_timing("torch/lazy", failing, 1, samples(1));
  failed_timing.outcome = Outcome::kTimeout;
  commit({make_timing("torch/cpu", failing, 1, samples(1)), failed_timing});

  const Summary s = summary();
  const auto cell = [&](const char* function) { return function_of(s, function).cases[0].cells[1]; };
  ASSERT_TRUE(cell("torch.slow").warm.has_value());
  const Ratio warm = *cell("torch.slow").warm;
  EXPECT_NEAR(warm.ratio, 20, 1e-9);
  EXPECT_NEAR(warm.interval->low, 20e-3 * 0.95 / (1e-3 * 1.05), 1e-9);
  EXPECT_NEAR(warm.interval->high, 20e-3 * 1.05 / (1e-3 * 0.95), 1e-9);
  EXPECT_TRUE(warm.slow);
  EXPECT_EQ(warm.target_n, 11);
  EXPECT_FALSE(warm.noisy);
  // Once measured: 40 times is beyond three times the factor, 25 times is not.
  EXPECT_TRUE(cell("torch.slow").cold->slow);
  EXPECT_FALSE(cell("torch.slow").cold->interval.has_value());
  EXPECT_EQ(cell("torch.slow").cold->interval_reason, "a cold time was measured once");
  EXPECT_FALSE(cell("torch.fast").cold->slow);
  EXPECT_FALSE(cell("torch.fast").warm->slow);
  // 50 times slower, but below a millisecond.
  EXPECT_NEAR(cell("torch.tiny").warm->ratio, 50, 1e-9);
  EXPECT_FALSE(cell("torch.tiny").warm->slow);
  // Another protocol; a timing that failed.
  EXPECT_FALSE(cell("torch.unmatched").warm.has_value());
  EXPECT_FALSE(cell("torch.failing").warm.has_value());
  EXPECT_EQ(cell("torch.failing").outcome, Outcome::kPass);
  EXPECT_EQ(cell("torch.failing").times->warm_s.reason, "it failed while it was timed");
  EXPECT_EQ(s.targets[1].timing_failures, 1);

  EXPECT_EQ(s.targets[1].all.slow_warm, 1);
  EXPECT_EQ(s.targets[1].all.slow_cold, 1);
  EXPECT_EQ(s.targets[1].ratios_warm, 3);
  EXPECT_NEAR(s.targets[1].median_ratio_warm.value.value(), 20, 1e-9);
  EXPECT_FALSE(s.targets[0].median_ratio_warm.value.has_value());
  EXPECT_EQ(s.targets[0].median_ratio_warm.reason, "it is the baseline");
  ASSERT_EQ(s.ratios.size(), 1);
  std::vector<std::string> order;
  for (const RatioRow& row : s.ratios[0].warm) order.push_back(row.function);
  EXPECT_THAT(order, ElementsAre("torch.tiny", "torch.slow", "torch.fast"));
  EXPECT_EQ(s.ratios[0].warm_fastest[0].function, "torch.fast");
  EXPECT_EQ(s.ratios[0].cold[0].kind, "cold-op");
  ASSERT_EQ(s.noise.size(), 2);
  EXPECT_FALSE(s.noise[1].median.value.has_value());
  EXPECT_THAT(s.noise[1].median.reason, HasSubstr("timed twice"));
}

TEST_F(SummaryTest, SeveralTimingAttemptsGiveIntervalsAndNoise) {
  const CaseInfo info = make_case("torch.sum", "1");
  for (const char* target : {"torch/cpu", "torch/lazy"}) {
    add(target, {info});
    commit({make_attempt(target, info)});
  }
  for (int i = 0; i < 3; ++i) {
    Attempt cpu = make_timing("torch/cpu", info, 1e-3 * (1 + 0.1 * i), {1e-3 * (1 + 0.1 * i)}, 2 + i);
    Attempt lazy = make_timing("torch/lazy", info, 50e-3, {2e-3}, 2 + i);
    cpu.latency.protocol = lazy.latency.protocol = "paper";
    commit({cpu, lazy});
  }
  const Summary s = summary();
  const CaseCell& cell = s.functions[0].cases[0].cells[1];
  EXPECT_NEAR(cell.cold->baseline_s, 1.1e-3, 1e-12);  // the mean of three, as in the study
  EXPECT_EQ(cell.cold->interval,
            log_ratio_interval(std::vector{50e-3, 50e-3, 50e-3}, std::vector{1e-3, 1.1e-3, 1.2e-3}));
  EXPECT_TRUE(cell.cold->slow);
  EXPECT_FALSE(cell.warm->slow);
  EXPECT_EQ(s.noise[0].cases, 1);
  EXPECT_NEAR(s.noise[0].median.value.value(), 1.2, 1e-9);
  EXPECT_NEAR(s.noise[1].p95.value.value(), 1.0, 1e-9);
}

}  // namespace
}  // namespace seamark::analysis
