#include "seamark/run/timing_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>

namespace seamark::run {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr fs::perms kSticky = fs::perms::all | fs::perms::sticky_bit;

class TimingLockTest : public ::testing::Test {
 protected:
  void SetUp() override { fs::permissions(folder_.path(), kSticky); }  // as /tmp

  // In a process of its own, as this user (0: as we are), who gives nothing to others by default.
  static int in_process(uid_t user, const std::function<bool()>& does) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::umask(077);
      if (user != 0 && (::setgid(user) != 0 || ::setuid(user) != 0)) ::_exit(2);
      ::_exit(does() ? 0 : 1);
    }
    int status = -1;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  [[nodiscard]] bool is_locked() const {
    const Result<TimingLock> lock = TimingLock::try_acquire(path_);
    return !lock && lock.error().is(IoError::kLocked);
  }
  [[nodiscard]] bool can_take() const { return TimingLock::try_acquire(path_).ok(); }

  TempDir folder_ = std::move(TempDir::make("seamark-lock").value());
  fs::path path_ = folder_.path() / "cpu.lock";
};

TEST_F(TimingLockTest, ExcludesAnotherProcessAndNamesItsHolder) {
  {
    const Result<TimingLock> mine = TimingLock::try_acquire(path_);
    ASSERT_TRUE(mine) << mine.error().message();
    EXPECT_EQ(in_process(0, [&] { return is_locked(); }), 0);
#ifdef __linux__
    EXPECT_THAT(TimingLock::try_acquire(path_).error().message(), HasSubstr(std::to_string(::getpid())));
#endif
  }
  EXPECT_EQ(in_process(0, [&] { return can_take(); }), 0);
}

TEST_F(TimingLockTest, AnotherUsersFileIsTheSameLock) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root, who can be another user";
  constexpr uid_t kOne = 65534;
  constexpr uid_t kOther = 65533;
  ASSERT_EQ(in_process(kOne, [&] { return can_take(); }), 0);  // makes it
  EXPECT_EQ(in_process(kOther, [&] { return can_take(); }), 0);
  const Result<TimingLock> ours = TimingLock::try_acquire(path_);
  ASSERT_TRUE(ours) << ours.error().message();
  EXPECT_EQ(in_process(kOne, [&] { return is_locked(); }), 0);
  EXPECT_EQ(in_process(kOther, [&] { return is_locked(); }), 0);
}

TEST_F(TimingLockTest, WhatIsNoFileIsRefused) {
  const fs::path target = folder_.path() / "precious";
  fs::create_symlink(target, path_);
  EXPECT_FALSE(can_take());
  EXPECT_FALSE(is_locked());
  EXPECT_FALSE(fs::exists(target));
  fs::remove(path_);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0666), 0);
  EXPECT_FALSE(can_take());
  EXPECT_FALSE(is_locked());
}

TEST_F(TimingLockTest, TheFolderIsOneThatIsOpenToAll) {
  EXPECT_EQ(shared_lock_dir(folder_.path()), std::nullopt);
  fs::create_directories(folder_.path() / "run" / "lock");
  fs::create_directories(folder_.path() / "tmp");
  EXPECT_EQ(shared_lock_dir(folder_.path()), std::nullopt);
  fs::permissions(folder_.path() / "tmp", kSticky);
  EXPECT_EQ(shared_lock_dir(folder_.path()), folder_.path() / "tmp");
  fs::permissions(folder_.path() / "run" / "lock", kSticky);
  EXPECT_EQ(shared_lock_dir(folder_.path()), folder_.path() / "run" / "lock");
}

}  // namespace
}  // namespace seamark::run
