#include "seamark/base/fd.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

namespace seamark {
namespace {

using ::testing::HasSubstr;

TempDir temp_dir() {
  Result<TempDir> dir = TempDir::make("seamark-test");
  if (!dir) throw std::runtime_error(dir.error().message());
  return std::move(*dir);
}

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

TEST(UniqueFd, ClosesOnceAndMoves) {
  Result<Pipe> pipe = make_pipe();
  ASSERT_TRUE(pipe.ok());
  const int number = pipe->read.get();
  EXPECT_TRUE((::fcntl(number, F_GETFD) & FD_CLOEXEC) != 0);
  {
    UniqueFd other = std::move(pipe->read);
    EXPECT_FALSE(pipe->read.valid());
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(ReadAvailable, DataNothingAndEnd) {
  Result<Pipe> pipe = make_pipe();
  ASSERT_TRUE(set_nonblocking(pipe->read.get()).ok());
  std::string out;
  EXPECT_EQ(*read_available(pipe->read.get(), out), ReadState::kOpen);
  EXPECT_EQ(out, "");
  ASSERT_TRUE(write_all(pipe->write.get(), "hello").ok());
  EXPECT_EQ(*read_available(pipe->read.get(), out, 3), ReadState::kOpen);
  EXPECT_EQ(out, "hel");
  pipe->write.reset();
  EXPECT_EQ(*read_available(pipe->read.get(), out), ReadState::kEnd);
  EXPECT_EQ(out, "hello");
}

TEST(WriteAll, WaitsForAFullNonBlockingPipe) {
  Result<Pipe> pipe = make_pipe();
  ASSERT_TRUE(set_nonblocking(pipe->write.get()).ok());
  const std::string text(1 << 20, 'x');  // more than a pipe holds
  std::string got;
  std::thread reader([&] {
    char buffer[4096];
    ssize_t n = 0;
    while ((n = ::read(pipe->read.get(), buffer, sizeof buffer)) > 0)
      got.append(buffer, static_cast<std::size_t>(n));
  });
  EXPECT_TRUE(write_all(pipe->write.get(), text).ok());
  pipe->write.reset();
  reader.join();
  EXPECT_EQ(got, text);
}

TEST(WriteAll, SaysThatTheReaderIsGone) {
  ::signal(SIGPIPE, SIG_IGN);
  Result<Pipe> pipe = make_pipe();
  pipe->read.reset();
  const Status status = write_all(pipe->write.get(), "x");
  ASSERT_FALSE(status.ok());
  EXPECT_TRUE(status.error().is(IoError::kClosed));
  ::signal(SIGPIPE, SIG_DFL);
}

TEST(Files, WriteReadAndBound) {
  const TempDir dir = temp_dir();
  const auto path = dir.path() / "f";
  ASSERT_TRUE(write_file(path, "one").ok());
  ASSERT_TRUE(write_file(path, "second").ok());
  EXPECT_EQ(*read_file(path), "second");
  EXPECT_EQ(*read_file(path, 6), "second");
  EXPECT_TRUE(read_file(path, 5).error().is(IoError::kTooLarge));
  // Nothing else is left in the folder.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 1);
}

TEST(Files, ErrorsNameTheFile) {
  const TempDir dir = temp_dir();
  const auto missing = read_file(dir.path() / "none");
  ASSERT_FALSE(missing.ok());
  EXPECT_TRUE(missing.error().is(IoError::kNotFound));
  EXPECT_THAT(missing.error().message(), HasSubstr("none: No such file or directory"));
  EXPECT_FALSE(read_file(dir.path()).ok());  // a folder
}

TEST(Files, FullDiskIsSaid) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
  Result<UniqueFd> full = open_file("/dev/full", O_WRONLY);
  ASSERT_TRUE(full.ok());
  const Status status = write_all(full->get(), "x");
  ASSERT_FALSE(status.ok());
  EXPECT_TRUE(status.error().is(IoError::kNoSpace));
  EXPECT_NE(status.error().remedy(), "");
}

TEST(TempDir, RemovesItself) {
  std::filesystem::path path;
  {
    TempDir dir = temp_dir();
    path = dir.path();
    ASSERT_TRUE(make_directories(path / "a" / "b").ok());
    ASSERT_TRUE(write_file(path / "a" / "b" / "f", "x").ok());
    const TempDir moved = std::move(dir);
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(FileLock, ExcludesAnotherHolderAndNamesIt) {
  const TempDir dir = temp_dir();
  const auto path = dir.path() / "lock";
  {
    const Result<FileLock> first = FileLock::try_acquire(path);
    ASSERT_TRUE(first.ok());
    const Result<FileLock> second = FileLock::try_acquire(path);
    ASSERT_FALSE(second.ok());
    EXPECT_TRUE(second.error().is(IoError::kLocked));
    EXPECT_THAT(second.error().message(), HasSubstr("process " + std::to_string(::getpid())));
  }
  EXPECT_TRUE(FileLock::try_acquire(path).ok());
}

TEST(FileLock, IsFreedByTheDeathOfItsHolder) {
  const TempDir dir = temp_dir();
  const auto path = dir.path() / "lock";
  Result<Pipe> pipe = make_pipe();
  const pid_t pid = ::fork();
  if (pid == 0) {
    const Result<FileLock> lock = FileLock::try_acquire(path);
    static_cast<void>(write_all(pipe->write.get(), lock.ok() ? "y" : "n"));
    ::pause();
    ::_exit(0);
  }
  char answer = 0;
  ASSERT_EQ(::read(pipe->read.get(), &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  EXPECT_FALSE(FileLock::try_acquire(path).ok());
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  EXPECT_TRUE(FileLock::try_acquire(path).ok());
}

}  // namespace
}  // namespace seamark
