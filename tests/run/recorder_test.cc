// A sink that another process keeps busy; the clock moves only when told to.
#include "seamark/run/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run_fixture.h"

namespace seamark::run {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RecorderTest : public ::testing::Test {
 protected:
  void add(const std::string& name) {
    Attempt attempt;
    attempt.case_name = name;
    recorder_.add(attempt, progress_);
  }
  void wait(std::chrono::nanoseconds time) {
    clock_.advance_ns(time.count());
    recorder_.flush_if_due();
  }

  FakeClock clock_;
  MemorySink sink_;
  RecordingListener listener_;
  TargetProgress progress_;
  Recorder recorder_{sink_, listener_, clock_};
};

TEST_F(RecorderTest, WhatABusySinkDoesNotTakeWaitsAndIsTakenInOrder) {
  sink_.is_busy = true;
  add("a");
  recorder_.event("leak", Value("one"));
  wait(Recorder::kGather);
  add("b");
  recorder_.event("leak", Value("two"));
  EXPECT_THAT(listener_.notices, ElementsAre(HasSubstr("locked: results wait in memory")));
  const std::size_t tried = sink_.commits;
  wait(Recorder::kRetry / 2);
  EXPECT_EQ(sink_.commits, tried);
  EXPECT_LE(recorder_.next_ns(), clock_.monotonic_ns() + Recorder::kRetry.count());
  for (int i = 0; i < 1000; ++i) wait(Recorder::kRetry);
  EXPECT_FALSE(recorder_.error());
  EXPECT_THAT(sink_.attempts, IsEmpty());
  sink_.is_busy = false;
  wait(Recorder::kRetry);
  EXPECT_EQ(recorder_.committed(), 2u);
  EXPECT_THAT(sink_.attempts, SizeIs(2));
  EXPECT_EQ(sink_.attempts[0].case_name, "a");
  EXPECT_THAT(sink_.events_of("leak"), ElementsAre(Value("one"), Value("two")));
  EXPECT_FALSE(recorder_.is_busy());
  EXPECT_THAT(listener_.notices, SizeIs(2));
  add("c");
  wait(Recorder::kGather);
  EXPECT_EQ(recorder_.committed(), 3u);
}

TEST_F(RecorderTest, PatienceEndsWithATrueAccount) {
  add("a");
  wait(Recorder::kGather);
  sink_.is_busy = true;
  add("b");
  add("c");
  wait(Recorder::kGather);
  wait(Recorder::kPatience - Recorder::kRetry);
  EXPECT_FALSE(recorder_.error());
  wait(Recorder::kRetry);
  ASSERT_TRUE(recorder_.error());
  EXPECT_THAT(recorder_.error()->message(), HasSubstr("1 results of this run are stored, 2 are lost"));
  sink_.is_busy = false;
  wait(Recorder::kPatience);
  EXPECT_EQ(recorder_.committed(), 1u);
}

TEST_F(RecorderTest, WhatWaitsAtTheEndIsLostAndSaid) {
  sink_.is_busy = true;
  add("a");
  recorder_.close();
  ASSERT_TRUE(recorder_.error());
  EXPECT_THAT(recorder_.error()->message(), HasSubstr("0 results of this run are stored, 1 are lost"));
  EXPECT_THAT(recorder_.error()->remedy(), HasSubstr("--resume"));
}

TEST_F(RecorderTest, NoMoreIsStartedThanMayWait) {
  sink_.is_busy = true;
  for (std::size_t i = 0; i < Recorder::kMost; ++i) {
    EXPECT_FALSE(recorder_.is_full());
    add("a");
  }
  EXPECT_TRUE(recorder_.is_full());
  wait(Recorder::kGather);
  sink_.is_busy = false;
  wait(Recorder::kRetry);
  EXPECT_FALSE(recorder_.is_full());
  EXPECT_EQ(recorder_.committed(), Recorder::kMost);
}

TEST_F(RunTest, ARunGoesOnWhileItsSinkIsBusy) {
  sink_.is_busy = true;
  int started = 0;
  listener_.when_started = [&](const std::string& name) {
    if (++started == 3) sink_.is_busy = false;
    if (started > 1 && name == "f/ok#3") {
      EXPECT_GT(sink_.refused, 0u);
    }
  };
  add_target("fake/cpu", WorkerMode::kFork, {"f/ok#1", "f/sleep:0.4#2", "f/ok#3"});
  EXPECT_EQ(run_to_end().counts.pass, 3u);
  EXPECT_THAT(sink_.attempts, SizeIs(3));
  EXPECT_THAT(sink_.events_of("worker-started"), SizeIs(1));
}

}  // namespace
}  // namespace seamark::run
