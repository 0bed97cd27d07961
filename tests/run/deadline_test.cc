#include "seamark/run/deadline.h"

#include <gtest/gtest.h>

#include "seamark/base/clock.h"

namespace seamark::run {
namespace {

using std::chrono::milliseconds;
using Step = Deadline::Step;

class DeadlineTest : public ::testing::Test {
 protected:
  Deadline start() {
    return {clock_.monotonic_ns(),
            {milliseconds(1000), milliseconds(300), milliseconds(50), milliseconds(80)}};
  }
  void pass(int ms) { clock_.advance_ns(std::int64_t{ms} * 1'000'000); }
  Step step(Deadline& deadline) { return deadline.advance(clock_.monotonic_ns()); }
  FakeClock clock_;
};

TEST_F(DeadlineTest, ClimbsStepByStep) {
  Deadline deadline = start();
  EXPECT_EQ(step(deadline), Step::kNone);
  pass(299);
  EXPECT_EQ(step(deadline), Step::kNone);
  pass(1);
  EXPECT_EQ(step(deadline), Step::kSlow);
  EXPECT_EQ(step(deadline), Step::kNone);
  EXPECT_FALSE(deadline.expired());
  pass(700);
  EXPECT_EQ(deadline.next_ns(), clock_.monotonic_ns());
  EXPECT_EQ(step(deadline), Step::kTerminate);
  EXPECT_TRUE(deadline.expired());
  EXPECT_EQ(step(deadline), Step::kNone);
  pass(50);
  EXPECT_EQ(step(deadline), Step::kKill);
  pass(79);
  EXPECT_EQ(step(deadline), Step::kNone);
  pass(1);
  EXPECT_EQ(step(deadline), Step::kGiveUp);
  EXPECT_EQ(deadline.next_ns(), Deadline::kNever);
  pass(10'000);
  EXPECT_EQ(step(deadline), Step::kNone);
}

TEST_F(DeadlineTest, GraceStartsWhenTermWasSentNotWhenItWasDue) {
  Deadline deadline = start();
  pass(5000);  // the machine slept
  EXPECT_EQ(step(deadline), Step::kSlow);
  EXPECT_EQ(step(deadline), Step::kTerminate);
  EXPECT_EQ(step(deadline), Step::kNone);
  pass(50);
  EXPECT_EQ(step(deadline), Step::kKill);
}

TEST_F(DeadlineTest, NoNoticeWhenItWouldComeAfterTheEnd) {
  Deadline deadline(clock_.monotonic_ns(),
                    {milliseconds(10), milliseconds(60'000), milliseconds(5), milliseconds(5)});
  pass(10);
  EXPECT_EQ(step(deadline), Step::kTerminate);
}

TEST_F(DeadlineTest, ExpireJumpsToTermOrKill) {
  Deadline gentle = start();
  gentle.expire(clock_.monotonic_ns());
  EXPECT_EQ(step(gentle), Step::kTerminate);
  Deadline hard = start();
  hard.expire(clock_.monotonic_ns(), true);
  EXPECT_TRUE(hard.expired());
  EXPECT_EQ(step(hard), Step::kKill);
  hard.expire(clock_.monotonic_ns());  // nothing goes back
  EXPECT_EQ(step(hard), Step::kNone);
  pass(80);
  EXPECT_EQ(step(hard), Step::kGiveUp);
}

TEST_F(DeadlineTest, TheDefaultNeverExpires) {
  Deadline never;
  pass(1'000'000'000);
  EXPECT_EQ(step(never), Step::kNone);
  EXPECT_EQ(never.next_ns(), Deadline::kNever);
}

}  // namespace
}  // namespace seamark::run
