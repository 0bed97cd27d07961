#include "seamark/proc/sandbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "helper.h"
#include "seamark/base/fd.h"

namespace seamark::proc {
namespace {

using ::testing::HasSubstr;

class SandboxTest : public ::testing::Test {
 protected:
  SandboxTest() : folder_(std::move(TempDir::make("seamark-sandbox").value())) {
    std::filesystem::create_directories(folder_.path() / "open");
    sandbox_.read_only = folder_.path().native();
    sandbox_.writable = {(folder_.path() / "open").native()};
    sandbox_.no_network = true;
  }
  void SetUp() override {
    const SandboxTrial trial = try_sandbox(sandbox_);
    if (!trial.permitted) GTEST_SKIP() << "the system does not " << trial.step;
  }
  // The exit code of a shell in the sandbox, whose working folder is the one that is closed.
  int run(const std::string& script) {
    SpawnOptions options = shell(script);
    options.cwd = folder_.path().native();
    options.sandbox = sandbox_;
    return started(options).reap().code();
  }
  bool has(const char* name) const { return std::filesystem::exists(folder_.path() / name); }

  TempDir folder_;
  Sandbox sandbox_;
};

TEST_F(SandboxTest, AFolderIsReadOnlyButForWhatStaysOpen) {
  EXPECT_NE(run("echo x > closed"), 0);
  EXPECT_NE(run("mkdir closed"), 0);
  EXPECT_EQ(run("echo x > open/inside"), 0);
  EXPECT_FALSE(has("closed"));
  EXPECT_TRUE(has("open/inside"));
  std::ofstream(folder_.path() / "ours") << "not in a sandbox";
  EXPECT_EQ(run("cat ours > /dev/null"), 0);  // it can be read, and /dev is as it was
  EXPECT_NE(run("rm -f ours"), 0);
}

TEST_F(SandboxTest, WhatItClosesCannotBeOpenedFromWithin) {
  EXPECT_NE(run("mount -o remount,rw,bind . 2>&1; echo x > closed"), 0);
  EXPECT_NE(run("umount . ; cd .. ; cd - ; echo x > closed"), 0);
  EXPECT_NE(run("unshare -Urm sh -c 'mount -o remount,rw,bind . ; echo x > closed'"), 0);
  EXPECT_NE(run(fmt::format("echo x > /proc/{}/root$(pwd)/closed", ::getpid())), 0);
  EXPECT_NE(run(fmt::format("cat /proc/{}/environ > /dev/null", ::getpid())), 0);
  EXPECT_FALSE(has("closed"));
}

TEST_F(SandboxTest, OnlyTheLoopbackIsThereAndUp) {
  EXPECT_EQ(run("test $(grep -c : /proc/net/dev) = 1 && grep -q lo: /proc/net/dev"), 0);
  if (::access("/usr/bin/python3", X_OK) != 0) GTEST_SKIP() << "no python3";
  EXPECT_EQ(run("/usr/bin/python3 -c 'import socket; s = socket.create_server((\"127.0.0.1\", 0)); "
                "socket.create_connection(s.getsockname())'"),
            0);
}

TEST_F(SandboxTest, DiesWithItsParentAllTheSame) {
#ifdef __linux__
  SpawnOptions options = helper("parent-death-signal");
  options.sandbox = sandbox_;
  options.die_with_parent = true;
  EXPECT_EQ(started(options).reap().code(), SIGKILL);
#endif
}

TEST_F(SandboxTest, WhoIsNotRootHasItToo) {
#ifdef __linux__
  if (::geteuid() != 0) GTEST_SKIP() << "so are the other tests";
  constexpr uid_t kNobody = 65534;
  ASSERT_EQ(::chown(folder_.path().c_str(), kNobody, kNobody), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setresgid(kNobody, kNobody, kNobody) != 0 || ::setresuid(kNobody, kNobody, kNobody) != 0)
      ::_exit(9);
    ::prctl(PR_SET_DUMPABLE, 1);  // as after an exec
    const SandboxTrial trial = try_sandbox(sandbox_);
    if (!trial.permitted) ::_exit(8);
    SpawnOptions options = helper("parent-death-signal");
    options.sandbox = sandbox_;
    options.die_with_parent = true;
    Result<Child> asked = Child::spawn(options);
    if (asked && asked->reap().code() != SIGKILL) ::_exit(7);
    ::_exit(run("mount -o remount,rw,bind . ; unshare -Urm mount -o remount,rw,bind . ; echo x > closed"));
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 8) GTEST_SKIP() << "not permitted to users";
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) != 0 && WEXITSTATUS(status) < 7) << status;
  EXPECT_FALSE(has("closed"));
#endif
}

TEST(Sandbox, WhatIsNotThereIsToldAndNothingStarts) {
  SpawnOptions options = shell("exit 0");
  options.sandbox.read_only = "/no/such/folder";
  const Result<Child> child = Child::spawn(options);
  ASSERT_FALSE(child.ok());
  EXPECT_TRUE(child.error().is(ProcError::kSystem));
  EXPECT_THAT(child.error().message(), HasSubstr("sandbox"));
  EXPECT_FALSE(try_sandbox(options.sandbox).permitted);
}

TEST(EnvironmentRule, OfNamesAndGlobs) {
  const EnvironmentRule rule{{"PATH", "CUDA_*"}, {"*TOKEN*", "*_KEY"}, {"MY_TOKEN"}};
  EXPECT_TRUE(rule.passes("PATH"));
  EXPECT_TRUE(rule.passes("CUDA_VISIBLE_DEVICES"));
  EXPECT_FALSE(rule.passes("PATHS"));
  EXPECT_FALSE(rule.passes("CUDA_TOKEN_X"));
  EXPECT_FALSE(rule.passes("CUDA_api_key"));
  EXPECT_TRUE(rule.passes("MY_TOKEN"));
}

TEST(EnvironmentRule, AChildInheritsWhatItPasses) {
  ASSERT_EQ(::setenv("SEAMARK_TEST_CLOUD_SECRET", "hunter2", 1), 0);
  ASSERT_EQ(::setenv("SEAMARK_TEST_SETTING", "on", 1), 0);
  const EnvironmentRule rule{{"PATH", "SEAMARK_*"}, {"*SECRET*"}, {}};
  SpawnOptions options =
      shell("test \"$SEAMARK_TEST_SETTING,$SEAMARK_TEST_CLOUD_SECRET,$SEAMARK_TEST_SET_SECRET\" = on,,given");
  options.inherits = &rule;
  options.environment = {{"SEAMARK_TEST_SET_SECRET", "given"}};
  EXPECT_EQ(started(options).reap(), ExitState::exited(0));
}

}  // namespace
}  // namespace seamark::proc
