#include "seamark/proc/exit_state.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace seamark::proc {
namespace {

TEST(ExitState, ReadsTheSystemsOwnStatuses) {
  int status = 0;
  pid_t pid = ::fork();
  if (pid == 0) ::_exit(3);
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(ExitState::from_wait_status(status), ExitState::exited(3));
  EXPECT_EQ(ExitState::from_wait_status(status).wait_status(), status);
  pid = ::fork();
  if (pid == 0) ::raise(SIGKILL);
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(ExitState::from_wait_status(status), ExitState::signalled(SIGKILL));
  EXPECT_EQ(ExitState::from_wait_status(status).wait_status(), status);
}

TEST(ExitState, Texts) {
  EXPECT_EQ(ExitState::exited(0).text(), "exited with code 0");
  EXPECT_EQ(ExitState::exited(3).text(), "exited with code 3");
  EXPECT_EQ(ExitState::signalled(SIGSEGV).text(), "killed by SIGSEGV");
  EXPECT_EQ(ExitState::signalled(SIGABRT, true).text(), "killed by SIGABRT (core dumped)");
  EXPECT_EQ(signal_name(SIGXCPU), "SIGXCPU");
  EXPECT_EQ(signal_name(77), "signal 77");
}

TEST(ExitState, Parts) {
  EXPECT_TRUE(ExitState::exited(0).success());
  EXPECT_FALSE(ExitState::exited(1).success());
  EXPECT_FALSE(ExitState::signalled(SIGTERM).success());
  EXPECT_EQ(ExitState::signalled(SIGTERM).signal(), SIGTERM);
  EXPECT_EQ(ExitState::signalled(SIGTERM).code(), 0);
  EXPECT_EQ(ExitState::signalled(SIGTERM).shell_code(), 128 + SIGTERM);
  EXPECT_EQ(ExitState::exited(7).shell_code(), 7);
  EXPECT_TRUE(ExitState::signalled(SIGSEGV, true).core_dumped());
  EXPECT_EQ(ExitState::from_wait_status(ExitState::signalled(SIGSEGV, true).wait_status()),
            ExitState::signalled(SIGSEGV, true));
}

}  // namespace
}  // namespace seamark::proc
