#include "seamark/proc/signals.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "helper.h"
#include "seamark/proc/poll_loop.h"

namespace seamark::proc {
namespace {

class SignalsTest : public ::testing::TestWithParam<Signals::Method> {};

INSTANTIATE_TEST_SUITE_P(Methods, SignalsTest,
                         ::testing::Values(Signals::Method::kBest, Signals::Method::kSelfPipe));

TEST_P(SignalsTest, CountsTheFirstAndTheSecondInterrupt) {
  Signals signals(GetParam());
  PollLoop loop(&signals);
  EXPECT_EQ(signals.interrupts(), 0);
  ::kill(::getpid(), SIGINT);
  EXPECT_TRUE(loop.wait(5.0).empty());
  EXPECT_EQ(signals.interrupts(), 1);
  ::kill(::getpid(), SIGTERM);
  EXPECT_TRUE(loop.wait(5.0).empty());
  EXPECT_EQ(signals.interrupts(), 2);
}

TEST_P(SignalsTest, AnInterruptEndsAWaitEarly) {
  Signals signals(GetParam());
  PollLoop loop(&signals);
  Child sender = started(shell("sleep 0.1; kill -INT " + std::to_string(::getpid())));
  const auto start = std::chrono::steady_clock::now();
  while (signals.interrupts() == 0 && seconds_since(start) < 10) static_cast<void>(loop.wait(10.0));
  EXPECT_EQ(signals.interrupts(), 1);
  EXPECT_LT(seconds_since(start), 5.0);
}

TEST_P(SignalsTest, AnInterruptBeforeTheWaitIsNotLost) {
  Signals signals(GetParam());
  PollLoop loop(&signals);
  ::kill(::getpid(), SIGHUP);
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(loop.wait(10.0).empty());
  EXPECT_LT(seconds_since(start), 5.0);
  EXPECT_EQ(signals.interrupts(), 1);
}

TEST_P(SignalsTest, TheEndOfAChildEndsAWait) {
  Signals signals(GetParam());
  PollLoop loop(&signals);
  Child child = started(shell("sleep 0.05"));
  const auto start = std::chrono::steady_clock::now();
  while (!child.try_wait() && seconds_since(start) < 10) static_cast<void>(loop.wait(10.0));
  EXPECT_LT(seconds_since(start), 5.0);
  EXPECT_TRUE(signals.take_child_ended());
  EXPECT_FALSE(signals.take_child_ended());
  EXPECT_EQ(signals.interrupts(), 0);
  EXPECT_EQ(child.reap(), ExitState::exited(0));
}

TEST_P(SignalsTest, ChildrenDoNotInheritIt) {
  const Signals signals(GetParam());
  SpawnOptions options = helper("state");
  Result<Pipe> pipe = make_pipe();
  ASSERT_TRUE(pipe.ok());
  options.fds = {{pipe->write.get(), 1}};
  Child child = started(options);
  pipe->write.reset();
  ASSERT_TRUE(end_of(child));
  std::string text;
  ASSERT_TRUE(read_available(pipe->read.get(), text).ok());
  EXPECT_NE(text.find("signals=\n"), std::string::npos) << text;
}

TEST_P(SignalsTest, RestoresWhatWas) {
  struct sigaction before{}, after{};
  sigset_t mask_before, mask_after;
  ::sigaction(SIGINT, nullptr, &before);
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask_before);
  {
    const Signals signals(GetParam());
  }
  ::sigaction(SIGINT, nullptr, &after);
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask_after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) {
    EXPECT_EQ(::sigismember(&mask_before, signal), ::sigismember(&mask_after, signal));
  }
}

TEST_P(SignalsTest, AnIgnoredHangupStaysIgnored) {
  ::signal(SIGHUP, SIG_IGN);
  {
    Signals signals(GetParam());
    PollLoop loop(&signals);
    ::kill(::getpid(), SIGHUP);
    EXPECT_TRUE(loop.wait(0.02).empty());
    EXPECT_EQ(signals.interrupts(), 0);
  }
  ::signal(SIGHUP, SIG_DFL);
}

TEST(Signals, BlockedOutsideOfTheWait) {
  Signals signals;
  if (signals.wait_mask() == nullptr) GTEST_SKIP() << "no ppoll here";
  ::kill(::getpid(), SIGINT);
  EXPECT_EQ(signals.interrupts(), 0);  // pending
  PollLoop loop(&signals);
  EXPECT_TRUE(loop.wait(0.0).empty());
  EXPECT_EQ(signals.interrupts(), 1);
}

TEST(Signals, OnlyOneAtATime) {
  const Signals first;
  EXPECT_THROW(const Signals second, std::logic_error);
}

}  // namespace
}  // namespace seamark::proc
