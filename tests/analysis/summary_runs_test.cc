#include <fmt/format.h>

#include <chrono>

#include "summary_fixture.h"

namespace seamark::analysis {
namespace {

using store::make_attempt;
using store::make_case;
using store::make_failure;
using store::make_target;
using store::make_timing;
using store::must;
using testing::ElementsAre;

TEST_F(SummaryTest, FlipsAreCounted) {
  const CaseInfo steady = make_case("torch.sum", "1");
  const CaseInfo flips = make_case("torch.sum", "2");
  const CaseInfo suspected = make_case("torch.sum", "3");
  add("torch/cpu", {steady, flips, suspected});
  commit({make_failure("torch/cpu", suspected, "E", "m", "s"),  // its worker's: alone it passes, twice
          make_attempt("torch/cpu", suspected, Outcome::kPass, 2, Phase::kConfirm),
          make_attempt("torch/cpu", suspected, Outcome::kPass, 3, Phase::kRecheck),
          make_attempt("torch/cpu", steady),
          make_attempt("torch/cpu", steady, Outcome::kPass, 2, Phase::kRecheck),
          make_attempt("torch/cpu", flips),
          make_failure("torch/cpu", flips, "E", "m", "s", 2, Phase::kRecheck)});
  const Summary s = summary();
  EXPECT_EQ(s.targets[0].flips.count, 1);
  EXPECT_EQ(s.targets[0].flips.total, 2);
  EXPECT_EQ(s.targets[0].cases.flaky, 1);
  EXPECT_EQ(s.targets[0].all.partial, 1);
}

TEST_F(SummaryTest, WhatWasNotAttemptedIsNotRun) {
  add("torch/cpu", {make_case("torch.sum", "1")});
  store::RunTarget unusable = make_target("torch/cuda");
  unusable.usable = false;
  unusable.reason = "no GPU";
  EXPECT_OK(writer_.add_target(unusable));
  const Summary s = summary();
  EXPECT_EQ(s.targets[0].all.not_run, 1);
  EXPECT_EQ(s.targets[0].cases.not_attempted, 1);
  EXPECT_FALSE(s.targets[0].all.runs.value.has_value());
  EXPECT_EQ(s.targets[0].all.runs.reason, "nothing was run");
  EXPECT_EQ(s.runs[0].planned, 1);
  EXPECT_EQ(s.runs[0].attempted, 0);
  EXPECT_FALSE(s.targets[1].usable);
  EXPECT_EQ(s.targets[1].reason, "no GPU");
  EXPECT_EQ(s.targets[1].all.functions, 0);
}

TEST_F(SummaryTest, AFilteredTargetIsStillHeldAgainstItsReference) {
  const CaseInfo info = make_case("torch.sum", "1");
  for (const char* target : {"torch/cpu", "torch/lazy"}) {
    add(target, {info});
    commit({make_failure(target, info, "E", "m", "s")});
  }
  SummaryOptions options;
  options.targets = {"torch/lazy"};
  options.detail = Detail::kFull;
  const Summary s = summary(options);
  ASSERT_EQ(s.targets.size(), 1);
  EXPECT_EQ(s.targets[0].target, "torch/lazy");
  EXPECT_EQ(s.targets[0].all.fails_on_reference, 1);
  ASSERT_EQ(s.functions[0].cells.size(), 1);
  ASSERT_EQ(s.functions[0].cases[0].cells.size(), 1);
  ASSERT_EQ(s.attempts[0][0][0].size(), 1);
  EXPECT_EQ(s.attempts[0][0][0][0].attempt.target, "torch/lazy");
}

TEST_F(SummaryTest, DetailIsReadOnDemand) {
  const CaseInfo sum = make_case("torch.sum", "1");
  const CaseInfo add_case = make_case("torch.add", "1");
  add("torch/cpu", {sum, add_case});
  commit({make_failure("torch/cpu", sum, "RuntimeError", std::string(3000, 'x') + "\xff", "s"),
          make_attempt("torch/cpu", add_case)});
  EXPECT_EQ(function_of(summary(), "torch.sum").cases[0].cells[0].error->message, "");
  EXPECT_EQ(function_of(summary(), "torch.sum").cases[0].cells[0].error->type, "RuntimeError");
  SummaryOptions options;
  options.detail = Detail::kMessages;
  EXPECT_EQ(function_of(summary(options), "torch.sum").cases[0].cells[0].error->message,
            std::string(2000, 'x'));
  EXPECT_TRUE(summary(options).attempts.empty());
  options.detail = Detail::kFull;
  options.function = "torch.sum";
  const Summary s = summary(options);
  ASSERT_EQ(s.functions.size(), 1);
  const AttemptDetail& attempt = s.attempts[0][0][0].at(0);
  EXPECT_EQ(attempt.run, writer_.uuid());
  EXPECT_EQ(attempt.attempt.failure->traceback, "Traceback");
  EXPECT_EQ(attempt.classification->category, Category::kUnclassified);
  EXPECT_TRUE(s.functions[0].cases[0].cells[0].unconfirmed);
}

TEST_F(SummaryTest, AllRunsAreJoined) {
  const CaseInfo a = make_case("torch.sum", "1");
  const CaseInfo b = make_case("torch.sum", "2");
  add("torch/cpu", {a, b});
  commit({make_failure("torch/cpu", a, "E", "m", "s"), make_attempt("torch/cpu", b)});
  store::RunInfo later;
  later.started_unix_us = 2000;
  writer_ = must(store_.begin_run(later));
  store::RunTarget target = make_target("torch/cpu");
  target.framework_version = "2.14.0";
  EXPECT_OK(writer_.add_target(target));
  EXPECT_OK(writer_.plan("torch/cpu", std::vector{a}));
  commit({make_attempt("torch/cpu", a)});

  EXPECT_EQ(summary().targets[0].cases.planned, 1);  // the latest run alone
  SummaryOptions options;
  options.run = store::RunChoice::parse("all");
  const Summary s = summary(options);
  ASSERT_EQ(s.targets.size(), 1);
  EXPECT_EQ(s.targets[0].all.pass, 1);
  EXPECT_EQ(s.targets[0].cases.pass, 2);
  EXPECT_THAT(s.targets[0].framework_versions, ElementsAre("2.13.0", "2.14.0"));
  EXPECT_EQ(s.runs.size(), 2);
  EXPECT_EQ(s.choice, "all");
  options.run = store::RunChoice::parse("aaaaaaaa");
  EXPECT_EQ(summary(options).targets[0].all.partial, 1);
}

// The figure is below a second for 20,000 attempts in a release build on an idle machine.
TEST_F(SummaryTest, TwentyThousandAttemptsAreQuick) {
  std::vector<CaseInfo> cases;
  cases.reserve(2500);
  for (int i = 0; i < 2500; ++i)
    cases.push_back(make_case(fmt::format("torch.f{}", i / 4), fmt::format("case{}", i)));
  for (int t = 0; t < 4; ++t) {
    const std::string target = t == 0 ? "torch/cpu" : fmt::format("torch/d{}", t);
    add(target, cases);
    std::vector<Attempt> attempts;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (t > 0 && i % 5 == 0) {
        attempts.push_back(
            make_failure(target, cases[i], "RuntimeError", std::string(600, 'm'), fmt::format("s{}", i)));
        attempts.push_back(make_failure(target, cases[i], "RuntimeError", std::string(600, 'm'),
                                        fmt::format("s{}", i), 2, Phase::kConfirm));
      } else {
        attempts.push_back(make_attempt(target, cases[i]));
        attempts.push_back(make_timing(target, cases[i], 1e-3, {1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 1.1e-4}));
      }
    }
    commit(attempts);
  }
  const auto start = std::chrono::steady_clock::now();
  const Summary s = summary();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("summary of 20,000 attempts: {:.3f} s\n", seconds);
  RecordProperty("summary_s", fmt::format("{:.3f}", seconds));
  EXPECT_EQ(s.targets[3].all.functions, 625);
  EXPECT_EQ(s.targets[3].cases.fail, 500);
  EXPECT_EQ(s.targets[3].ratios_warm, 2000);
  EXPECT_LT(seconds, 10);
}

}  // namespace
}  // namespace seamark::analysis
