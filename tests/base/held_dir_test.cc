#include "seamark/base/held_dir.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace seamark {
namespace {

namespace fs = std::filesystem;

class HeldDirTest : public ::testing::Test {
 protected:
  HeldDirTest() : base_(std::move(TempDir::make("held-dir-test").value())) {}
  // A folder of a process that was killed.
  [[nodiscard]] fs::path abandoned() const {
    Pipe pipe = std::move(make_pipe().value());
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("TMPDIR", base_.path().c_str(), 1);
      const HeldDir held = std::move(HeldDir::make("run").value());
      static_cast<void>(write_all(pipe.write.get(), held.path().native()));
      ::kill(::getpid(), SIGKILL);
    }
    pipe.write.reset();
    std::string path;
    while (read_available(pipe.read.get(), path).value() == ReadState::kOpen) {
    }
    ::waitpid(child, nullptr, 0);
    return path;
  }
  TempDir base_;
};

TEST_F(HeldDirTest, IsGoneWithItsHolder) {
  fs::path path;
  {
    const HeldDir held = std::move(HeldDir::make("test").value());
    path = held.path();
    EXPECT_TRUE(fs::is_directory(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(HeldDirTest, WhatAKilledProcessLeftIsRemovedAndNothingElse) {
  const fs::path left = abandoned();
  ASSERT_TRUE(write_file(left / "w1.log", "output").ok());
  ASSERT_TRUE(fs::exists(left));
  fs::create_directory(base_.path() / "seamark-held-empty");  // ended between its making and its lock
  fs::create_directory(base_.path() / "seamark-held-no-lock");
  ASSERT_TRUE(write_file(base_.path() / "seamark-held-no-lock/file", "").ok());
  fs::create_directory(base_.path() / "seamark-no-lock");
  fs::create_directory_symlink(left, base_.path() / "seamark-held-link");
  fs::create_directory(base_.path() / "others");
  ASSERT_TRUE(write_file(base_.path() / "others/.lock", "").ok());
  const fs::path held_path = base_.path() / "seamark-held-run";
  fs::create_directory(held_path);
  const FileLock held = std::move(FileLock::try_acquire(held_path / ".lock").value());

  remove_abandoned_folders(base_.path());
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(held_path));
  EXPECT_FALSE(fs::exists(base_.path() / "seamark-held-empty"));
  EXPECT_TRUE(fs::exists(base_.path() / "seamark-held-no-lock/file"));
  EXPECT_TRUE(fs::exists(base_.path() / "seamark-no-lock"));
  EXPECT_TRUE(fs::is_symlink(base_.path() / "seamark-held-link"));
  EXPECT_TRUE(fs::exists(base_.path() / "others/.lock"));
}

}  // namespace
}  // namespace seamark
