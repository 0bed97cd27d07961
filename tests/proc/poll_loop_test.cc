#include "seamark/proc/poll_loop.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "helper.h"
#include "seamark/base/fd.h"

namespace seamark::proc {
namespace {

class PollLoopTest : public ::testing::Test {
 protected:
  PollLoopTest() : a_(std::move(make_pipe().value())), b_(std::move(make_pipe().value())) {}
  Pipe a_;
  Pipe b_;
  PollLoop loop_;
};

TEST_F(PollLoopTest, TimesOutEmpty) {
  loop_.watch(a_.read.get(), 1);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(loop_.wait(0.05).empty());
  EXPECT_GE(seconds_since(start), 0.049);
  EXPECT_TRUE(loop_.wait(0.0).empty());
  EXPECT_TRUE(loop_.wait(-1.0).empty());
}

TEST_F(PollLoopTest, TellsWhichIsReadable) {
  loop_.watch(a_.read.get(), 1);
  loop_.watch(b_.read.get(), 2);
  ASSERT_TRUE(write_all(b_.write.get(), "x").ok());
  const auto events = loop_.wait(5.0);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].fd, b_.read.get());
  EXPECT_EQ(events[0].tag, 2u);
  EXPECT_TRUE(events[0].readable);
  EXPECT_FALSE(events[0].writable);
}

TEST_F(PollLoopTest, EndOfFileIsReadable) {
  loop_.watch(a_.read.get(), 1);
  a_.write.reset();
  const auto events = loop_.wait(std::nullopt);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_TRUE(events[0].readable);
}

TEST_F(PollLoopTest, AGoneReaderIsWritable) {
  loop_.watch(a_.write.get(), 1, false, true);
  a_.read.reset();
  const auto events = loop_.wait(5.0);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_TRUE(events[0].writable);
}

TEST_F(PollLoopTest, WatchAgainChangesAndUnwatchRemoves) {
  loop_.watch(a_.write.get(), 1, false, true);
  EXPECT_EQ(loop_.wait(5.0).size(), 1u);
  loop_.watch(a_.write.get(), 7, false, false);
  EXPECT_TRUE(loop_.wait(0.0).empty());
  EXPECT_EQ(loop_.size(), 1u);
  loop_.unwatch(a_.write.get());
  EXPECT_EQ(loop_.size(), 0u);
  loop_.unwatch(a_.write.get());
  EXPECT_TRUE(loop_.wait(0.0).empty());
}

TEST_F(PollLoopTest, AClosedFdIsABrokenContract) {
  loop_.watch(a_.read.get(), 1);
  a_.read.reset();
  EXPECT_THROW(static_cast<void>(loop_.wait(0.0)), std::system_error);
  EXPECT_THROW(loop_.watch(-1, 1), std::invalid_argument);
}

}  // namespace
}  // namespace seamark::proc
