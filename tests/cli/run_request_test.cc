#include "seamark/cli/run_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "seamark/cli/errors.h"

namespace seamark::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PlanTest : public ::testing::Test {
 protected:
  RunTargetPlan target(const std::string& name, std::size_t cases = 1) {
    RunTargetPlan wanted;
    wanted.standing.target = registry_.find(name);
    wanted.standing.usable = true;
    wanted.standing.interpreter = target::Interpreter{"/venv/bin/python", "--python", "", {}};
    for (std::size_t i = 0; i < cases; ++i) {
      CaseInfo info;
      info.name = name + std::to_string(i);
      info.hash = "h" + std::to_string(i);
      info.core = true;
      info.timeout_s = 60;
      wanted.cases.push_back(std::move(info));
    }
    return wanted;
  }
  run::Plan plan(std::vector<RunTargetPlan> targets, int jobs = 2,
                 std::vector<store::DoneAttempt> done = {}) {
    return make_plan(request_, targets, done, jobs, {"/home/boot.py", "/work", "/locks", "/answers", {}});
  }
  target::Registry registry_ = std::move(
      target::Registry::load(std::filesystem::path(SEAMARK_SOURCE_DIR) / "data" / "targets.toml").value());
  RunRequest request_{{"torch/cpu"}, {"curated"}, {}, "full", std::nullopt, 3, std::nullopt, true, {}};
};

TEST_F(PlanTest, ARunGoesOnWithItsShippedSample) {
  request_.choice.sample = ShippedSample{"today", {}};
  store::RunInfo info;
  info.options = request_.to_value();
  const Result<RunRequest> again = RunRequest::from_run(info);
  ASSERT_TRUE(again.ok());
  ASSERT_TRUE(again->choice.sample.has_value());
  EXPECT_EQ(again->choice.sample->name, "today");
}

TEST_F(PlanTest, FillsAPlanThatRunAccepts) {
  const run::Plan made = plan({target("torch/cpu", 40), target("jax/tpu-v3+aot", 2)});
  EXPECT_TRUE(run::check(made)) << run::check(made).error().message();
  const run::PlannedTarget& cpu = made.targets[0];
  EXPECT_EQ(cpu.mode, WorkerMode::kFork);
  EXPECT_EQ(cpu.memory.method, run::MemoryMethod::kAddressSpace);
  EXPECT_EQ(cpu.memory.bytes, std::int64_t{4096} << 20);
  EXPECT_EQ(cpu.exit_evidence, Evidence::kExecuted);
  EXPECT_EQ(cpu.timeout_s, 900);
  EXPECT_EQ(cpu.cases[0].timeout_s, 60);
  EXPECT_TRUE(cpu.cases[0].timed);
  EXPECT_EQ(cpu.device_lock, "");
  const run::PlannedTarget& aot = made.targets[1];
  EXPECT_EQ(aot.exit_evidence, Evidence::kCompiled);
  EXPECT_EQ(aot.memory.method, run::MemoryMethod::kResident);
  EXPECT_EQ(aot.device_lock, "");
  EXPECT_EQ(aot.cache_dir, "/answers");
  EXPECT_EQ(cpu.cache_dir, "");  // what is executed is never answered from an earlier run
  EXPECT_THAT(aot.environment, ::testing::Contains(::testing::Pair("ALLOW_MULTIPLE_LIBTPU_LOAD", "1")));
  EXPECT_EQ(made.seed, 3U);
  EXPECT_FALSE(made.rerun_errors);
  EXPECT_EQ(made.recheck_share, run::Plan{}.recheck_share);
  EXPECT_TRUE(made.confirm);
  request_.recheck_share = 0;
  request_.confirm = false;
  request_.repeat = 20;
  EXPECT_FALSE(plan({target("torch/cpu")}).confirm);
  EXPECT_EQ(plan({target("torch/cpu")}).repeat, 20);
  EXPECT_EQ(plan({target("torch/cpu")}).recheck_share, 0);
}

TEST_F(PlanTest, ADeviceIsTimedUnderItsOwnLock) {
  EXPECT_THAT(plan({target("torch/cuda")}).targets[0].device_lock, HasSubstr("cuda.lock"));
}

TEST_F(PlanTest, ATimeoutOfTheRunReplacesThoseOfCases) {
  request_.timeout_s = 5;
  const run::Plan made = plan({target("torch/cpu")});
  EXPECT_EQ(made.targets[0].timeout_s, 5);
  EXPECT_EQ(made.targets[0].cases[0].timeout_s, 0);
}

TEST_F(PlanTest, SlotsShareTheJobsAndAreWorthTheirStart) {
  EXPECT_EQ(plan({target("torch/cpu", 1000)}, 16).targets[0].slots, 16);
  EXPECT_EQ(plan({target("torch/cpu", 20)}, 16).targets[0].slots, 2);
  EXPECT_EQ(plan({target("torch/cpu", 1000), target("torch/lazy", 1000)}, 16).targets[0].slots, 8);
  EXPECT_EQ(plan({target("torch/cuda", 1000)}, 16).targets[0].slots, 1);
}

TEST_F(PlanTest, WhatIsDoneGoesToItsTarget) {
  store::DoneAttempt done;
  done.target = "torch/lazy";
  done.case_hash = "h0";
  done.outcome = Outcome::kPass;
  const run::Plan made = plan({target("torch/cpu"), target("torch/lazy")}, 2, {done});
  EXPECT_TRUE(made.targets[0].prior.empty());
  ASSERT_EQ(made.targets[1].prior.size(), 1U);
  EXPECT_EQ(made.targets[1].prior[0].outcome, Outcome::kPass);
  EXPECT_TRUE(made.rerun_errors);
}

TEST_F(PlanTest, ARequestSurvivesTheStore) {
  request_.choice = {{"torch.s*"}, "*f32*", "quick", "first"};
  request_.timeout_s = 2.5;
  request_.recheck_share = 0.25;
  request_.confirm = false;
  request_.repeat = 20;
  store::RunInfo info;
  info.options = request_.to_value();
  info.protocol = "paper";
  info.seed = 9;
  const Result<RunRequest> back = RunRequest::from_run(info);
  ASSERT_TRUE(back);
  EXPECT_THAT(back->targets, ElementsAre("torch/cpu"));
  EXPECT_THAT(back->choice.functions, ElementsAre("torch.s*"));
  EXPECT_EQ(back->choice.cases, "quick");
  EXPECT_EQ(back->timeout_s, 2.5);
  EXPECT_EQ(back->protocol, "paper");
  EXPECT_EQ(back->seed, 9);
  EXPECT_EQ(back->recheck_share, 0.25);
  EXPECT_FALSE(back->confirm);
  EXPECT_EQ(back->repeat, 20);
  EXPECT_FALSE(RunRequest::from_run(store::RunInfo{}));
}

TEST_F(PlanTest, ADeadlineOfTheStoreThatNoClockHoldsIsNotTaken) {
  request_.timeout_s = 1e300;
  store::RunInfo info;
  info.options = request_.to_value();
  const Result<RunRequest> back = RunRequest::from_run(info);
  ASSERT_TRUE(back);
  EXPECT_FALSE(back->timeout_s);
}

TEST_F(PlanTest, AQuickRunTimesNothingWhereEachCaseTakesSeconds) {
  std::vector<RunTargetPlan> targets = {target("torch/cpu"), target("torch/cpu+inductor")};
  for (RunTargetPlan& one : targets) {
    for (CaseInfo& info : one.cases) info.quick = true;
  }
  request_.choice.cases = "quick";
  request_.choice.time = "first";
  const run::Plan first = plan(targets);
  EXPECT_TRUE(first.targets[0].cases[0].timed);
  EXPECT_FALSE(first.targets[1].cases[0].timed);
  EXPECT_THAT(subset_note(request_, targets), HasSubstr("on torch/cpu+inductor, untimed,"));
  request_.choice.time = "core";
  EXPECT_TRUE(plan(targets).targets[1].cases[0].timed);
}

TEST_F(PlanTest, ASubsetSaysSoWithTheCommandForTheRest) {
  const std::vector<RunTargetPlan> targets = {target("torch/cpu"), target("torch/cpu+inductor")};
  EXPECT_EQ(subset_note(request_, targets), "");
  EXPECT_EQ(full_command(request_, "seamark run"), "");
  request_.choice.cases = "quick";
  EXPECT_EQ(
      subset_note(request_, targets),
      "of each function one forward and one gradient case on torch/cpu+inductor, core cases elsewhere.");
  const std::vector<RunTargetPlan> compiling = {target("jax/cpu"), target("jax/tpu-v3+aot")};
  EXPECT_EQ(subset_note(request_, compiling), "core cases only.");
  EXPECT_EQ(full_command(request_, "seamark run --cases quick -j 2"), "seamark run --cases all -j 2");
  EXPECT_EQ(full_command(request_, "seamark run --cases=quick"), "seamark run --cases=all");
  EXPECT_EQ(full_command(request_, "seamark run --resume --cases quick"), "seamark run --cases all");
  EXPECT_EQ(full_command(request_, "seamark run"), "seamark run --cases all");
  request_.choice.sample = ShippedSample{"study", {"torch.sum"}};
  EXPECT_EQ(subset_note(request_, compiling), "functions of the sample 'study'; core cases only.");
  EXPECT_EQ(full_command(request_, "seamark run --sample study --cases quick"),
            "seamark run --sample all --cases all");
  request_.choice.cases = "all";
  EXPECT_EQ(subset_note(request_, compiling), "functions of the sample 'study'.");
  request_.choice.sample = ShippedSample{"all", {}};
  EXPECT_EQ(subset_note(request_, compiling), "");
}

}  // namespace
}  // namespace seamark::cli
