#include "seamark/proc/child.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helper.h"
#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/proc/subreaper.h"

namespace seamark::proc {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

bool exists(pid_t pid) { return ::kill(pid, 0) == 0; }

// Reads until `text` has come or the pipe ends.
std::string read_until(int fd, std::string_view text) {
  std::string got;
  char c = 0;
  while (got.find(text) == std::string::npos && ::read(fd, &c, 1) == 1) got += c;
  return got;
}

// Runs to the end with stdout in a pipe.
std::string output_of(SpawnOptions options, ExitState* state = nullptr) {
  Pipe pipe = std::move(make_pipe().value());
  options.fds.push_back({pipe.write.get(), 1});
  Child child = started(options);
  pipe.write.reset();
  std::string out;
  char buffer[4096];
  ssize_t got = 0;
  while ((got = ::read(pipe.read.get(), buffer, sizeof buffer)) > 0)
    out.append(buffer, static_cast<std::size_t>(got));
  const ExitState end = child.reap();
  if (state != nullptr) *state = end;
  return out;
}

TEST(Child, ExitCodeAndReap) {
  Child child = started(shell("exit 3"));
  const pid_t pid = child.pid();
  EXPECT_EQ(end_of(child), ExitState::exited(3));
  EXPECT_TRUE(exists(pid));  // the zombie keeps the number
  EXPECT_EQ(child.try_wait(), ExitState::exited(3));
  EXPECT_EQ(child.reap(), ExitState::exited(3));
  EXPECT_FALSE(exists(pid));
  EXPECT_EQ(child.pid(), -1);
  EXPECT_EQ(child.try_wait(), ExitState::exited(3));
  EXPECT_EQ(child.reap(), ExitState::exited(3));
  EXPECT_FALSE(child.signal_group(SIGTERM));
}

TEST(Child, TryWaitDoesNotBlock) {
  Child child = started(shell("exec sleep 100"));
  EXPECT_EQ(child.try_wait(), std::nullopt);
  EXPECT_TRUE(child.group_alive());
  EXPECT_EQ(child.terminate_now(), ExitState::signalled(SIGKILL));
}

TEST(Child, RealCrashesAreSignals) {
  EXPECT_EQ(started(helper("segv")).reap(), ExitState::signalled(SIGSEGV));
  EXPECT_EQ(started(helper("abort")).reap(), ExitState::signalled(SIGABRT));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_EQ(started(helper("segv-by-pointer")).reap(), ExitState::signalled(SIGSEGV));
#endif
}

TEST(Child, StartsClean) {
  // Everything that must not reach the child: blocked and ignored signals, an inheritable fd, a core limit.
  sigset_t block, old;
  ::sigemptyset(&block);
  ::sigaddset(&block, SIGUSR1);
  ::sigaddset(&block, SIGCHLD);
  ::pthread_sigmask(SIG_BLOCK, &block, &old);
  ::signal(SIGPIPE, SIG_IGN);
  const UniqueFd inheritable(::open("/dev/null", O_RDONLY));
  ASSERT_EQ(::fcntl(inheritable.get(), F_GETFD), 0);

  const std::string state = output_of(helper("state"));
  EXPECT_THAT(state, HasSubstr("fds=0 1 2 \n"));
  EXPECT_THAT(state, HasSubstr("signals=\n"));
  EXPECT_THAT(state, HasSubstr("core=0\n"));
  EXPECT_THAT(state, HasSubstr("group=1\n"));

  ::signal(SIGPIPE, SIG_DFL);
  ::pthread_sigmask(SIG_SETMASK, &old, nullptr);
}

TEST(Child, FdMappingsMaySwapAndOverlap) {
  Pipe a = std::move(make_pipe().value());
  Pipe b = std::move(make_pipe().value());
  SpawnOptions options = shell("echo a >&$1; echo b >&$2", {});
  // The child's numbers are the parent's of the other: both directions at once.
  const int first = a.write.get(), second = b.write.get();
  ASSERT_LT(first, 10);
  ASSERT_LT(second, 10);
  options.argv = {"/bin/sh", "-c",
                  "echo a >&" + std::to_string(second) + "; echo b >&" + std::to_string(first)};
  options.fds = {{first, second}, {second, first}};
  Child child = started(options);
  a.write.reset();
  b.write.reset();
  EXPECT_EQ(read_until(a.read.get(), "\n"), "a\n");
  EXPECT_EQ(read_until(b.read.get(), "\n"), "b\n");
  EXPECT_TRUE(child.reap().success());
}

TEST(Child, OneFdMayBeMappedTwiceAndOthersAreClosed) {
  Pipe pipe = std::move(make_pipe().value());
  SpawnOptions options = helper("state");
  options.fds = {{pipe.write.get(), 1}, {pipe.write.get(), 7}};
  Child child = started(options);
  pipe.write.reset();
  EXPECT_THAT(read_until(pipe.read.get(), "\n"), StartsWith("fds=0 1 2 7 \n"));
  child.reap();
}

TEST(Child, EnvironmentAndFolder) {
  ASSERT_EQ(::setenv("SEAMARK_TEST_KEPT", "kept", 1), 0);
  ASSERT_EQ(::setenv("SEAMARK_TEST_GONE", "gone", 1), 0);
  SpawnOptions options = shell("echo \"$SEAMARK_TEST_KEPT,$SEAMARK_TEST_GONE,$SEAMARK_TEST_NEW,$(pwd)\"");
  options.environment = {
      {"SEAMARK_TEST_GONE", std::nullopt}, {"SEAMARK_TEST_NEW", "first"}, {"SEAMARK_TEST_NEW", "a b=c"}};
  options.cwd = "/";
  EXPECT_EQ(output_of(options), "kept,,a b=c,/\n");
  options.inherit_environment = false;
  EXPECT_EQ(output_of(options), ",,a b=c,/\n");
}

TEST(Child, FindsProgramsInTheChildsPath) {
  SpawnOptions options;
  options.argv = {"sh", "-c", "exit 4"};
  EXPECT_EQ(started(options).reap(), ExitState::exited(4));
  options.environment = {{"PATH", "/nowhere"}};
  EXPECT_THAT(Child::spawn(options).error().message(), HasSubstr("cannot start sh: no such program in PATH"));
}

TEST(Child, ExecFailureNamesPathAndReason) {
  const TempDir dir = std::move(TempDir::make().value());
  SpawnOptions options;
  options.argv = {"/no/such/program"};
  auto failed = Child::spawn(options);
  ASSERT_FALSE(failed.ok());
  EXPECT_TRUE(failed.error().is(ProcError::kCannotStart));
  EXPECT_EQ(failed.error().message(), "cannot start /no/such/program: No such file or directory");

  const auto data = dir.path() / "data";
  ASSERT_TRUE(write_file(data, "no program").ok());
  options.argv = {data.native()};
  EXPECT_THAT(Child::spawn(options).error().message(), HasSubstr("data: Permission denied"));
  ASSERT_EQ(::chmod(data.c_str(), 0755), 0);
  EXPECT_THAT(Child::spawn(options).error().message(), HasSubstr("not a program of this system"));
  ASSERT_TRUE(write_file(data, "#!/no/interpreter\n").ok());
  EXPECT_THAT(Child::spawn(options).error().message(), HasSubstr("interpreter or loader is missing"));

  options = shell("exit 0");
  options.cwd = "/no/such/folder";
  EXPECT_THAT(Child::spawn(options).error().message(),
              HasSubstr("working folder /no/such/folder: No such file or directory"));
  // No failed start left a zombie.
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(Child, BrokenContractsThrow) {
  EXPECT_THROW(static_cast<void>(Child::spawn({})), std::invalid_argument);
  SpawnOptions options = shell("exit 0");
  options.argv.emplace_back("a\0b", 3);
  EXPECT_THROW(static_cast<void>(Child::spawn(options)), std::invalid_argument);
  options = shell("exit 0");
  options.environment = {{"A=B", "c"}};
  EXPECT_THROW(static_cast<void>(Child::spawn(options)), std::invalid_argument);
}

TEST(Child, DestructorKillsTheGroupWithItsGrandchildren) {
  Pipe pipe = std::move(make_pipe().value());
  pid_t grandchild = -1, child_pid = -1;
  {
    SpawnOptions options = shell("sleep 100 & echo $!; wait");
    options.fds = {{pipe.write.get(), 1}};
    const Child child = started(options);
    pipe.write.reset();
    child_pid = child.pid();
    grandchild = static_cast<pid_t>(parse_int(trim(read_until(pipe.read.get(), "\n"))).value());
    EXPECT_TRUE(exists(grandchild));
  }
  EXPECT_FALSE(exists(child_pid));
  // Nobody holds the pipe any more.
  char c = 0;
  EXPECT_EQ(::read(pipe.read.get(), &c, 1), 0);
}

TEST(Child, GroupOutlivesItsLeaderAndCanStillBeKilled) {
  Child child = started(shell("sleep 100 & exit 0"));
  EXPECT_EQ(end_of(child), ExitState::exited(0));
  EXPECT_TRUE(child.group_alive());  // the sleeper
  EXPECT_TRUE(child.signal_group(SIGKILL));
  EXPECT_TRUE(eventually([&] { return !child.group_alive(); }));
  EXPECT_EQ(child.reap(), ExitState::exited(0));
}

TEST(Child, MoveLeavesNothingBehind) {
  Child a = started(shell("exec sleep 100"));
  const pid_t pid = a.pid();
  Child b = std::move(a);
  EXPECT_EQ(a.pid(), -1);  // NOLINT(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
  EXPECT_EQ(b.pid(), pid);
}

TEST(Child, UsageIsKnownAfterReap) {
  Child child = started(helper("burn"));
  child.reap();
  EXPECT_GT(child.usage().user_s, 0.01);
  EXPECT_GT(child.usage().max_resident_bytes, 100'000);
}

TEST(Child, ManyStartsLeakNoFds) {
  const int before = ::open("/dev/null", O_RDONLY);
  ::close(before);
  for (int i = 0; i < 50; ++i) {
    started(shell("exit 0")).reap();
    SpawnOptions missing;
    missing.argv = {"/no/such/program"};
    EXPECT_FALSE(Child::spawn(missing).ok());
  }
  const int after = ::open("/dev/null", O_RDONLY);
  ::close(after);
  EXPECT_EQ(before, after);
}

#ifdef __linux__
TEST(Child, DiesWithItsParent) {
  Pipe pipe = std::move(make_pipe().value());
  const pid_t parent = ::fork();
  if (parent == 0) {
    SpawnOptions options = shell("echo $$; exec sleep 100");
    options.fds = {{pipe.write.get(), 1}};
    options.die_with_parent = true;
    const Child child = started(options);  // NOLINT(clang-analyzer-deadcode.DeadStores): held
    ::pause();
    ::_exit(0);
  }
  pipe.write.reset();
  const auto pid = static_cast<pid_t>(parse_int(trim(read_until(pipe.read.get(), "\n"))).value());
  EXPECT_TRUE(exists(pid));
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  char c = 0;
  EXPECT_EQ(::read(pipe.read.get(), &c, 1), 0);  // ends only when the sleeper has
}
#endif

}  // namespace
}  // namespace seamark::proc
