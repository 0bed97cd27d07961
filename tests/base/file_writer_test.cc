#include "seamark/base/file_writer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <iterator>
#include <string>

#include "seamark/base/fd.h"

namespace seamark {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class FileWriterTest : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path path(const std::string& name) const { return folder_.path() / name; }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), {}));
  }
  [[nodiscard]] static mode_t mode_of(const fs::path& file) {
    struct stat info{};
    return ::stat(file.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
  }
  TempDir folder_ = std::move(TempDir::make("seamark-test").value());
};

TEST_F(FileWriterTest, AFifoIsWrittenInItsPlace) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  const Result<UniqueFd> reader = open_file(path("fifo"), O_RDWR | O_NONBLOCK);
  ASSERT_TRUE(reader);
  EXPECT_TRUE(write_file(path("fifo"), "through the pipe"));
  EXPECT_TRUE(fs::is_fifo(path("fifo")));
  std::string got;
  EXPECT_TRUE(read_available(reader->get(), got));
  EXPECT_EQ(got, "through the pipe");
  EXPECT_EQ(files(), 1u);
}

TEST_F(FileWriterTest, ADeviceIsWrittenInItsPlace) {
  // A /dev/null of our own: a writer that replaces it harms nobody.
  if (::mknod(path("null").c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0 ||
      !open_file(path("null"), O_WRONLY)) {
    GTEST_SKIP() << "no devices can be made here";
  }
  EXPECT_TRUE(write_file(path("null"), "gone"));
  EXPECT_TRUE(fs::is_character_file(path("null")));
  EXPECT_EQ(files(), 1u);
}

TEST_F(FileWriterTest, ANamedDescriptorIsTheDescriptor) {
  const Result<Pipe> pipe = make_pipe();
  ASSERT_TRUE(pipe);
  EXPECT_TRUE(write_file(fs::path("/dev/fd") / std::to_string(pipe->write.get()), "one "));
  EXPECT_TRUE(write_file(fs::path("/proc/self/fd") / std::to_string(pipe->write.get()), "two"));
  std::string got;
  ASSERT_TRUE(set_nonblocking(pipe->read.get()));
  ASSERT_TRUE(read_available(pipe->read.get(), got));
  EXPECT_EQ(got, "one two");

  // A regular file behind it goes on where it is: nothing is cut off or replaced.
  const Result<UniqueFd> log = open_file(path("log"), O_WRONLY | O_CREAT);
  ASSERT_TRUE(log);
  ASSERT_TRUE(write_all(log->get(), "before, "));
  EXPECT_TRUE(write_file(fs::path("/dev/fd") / std::to_string(log->get()), "it, "));
  ASSERT_TRUE(write_all(log->get(), "after"));
  EXPECT_EQ(*read_file(path("log")), "before, it, after");

  const Status closed = write_file("/dev/fd/999999", "x");
  ASSERT_FALSE(closed);
  EXPECT_THAT(closed.error().message(), HasSubstr("/dev/fd/999999: Bad file descriptor"));
}

TEST_F(FileWriterTest, TheUmaskDecidesTheModeOfANewFileAndTheOldFileThatOfItsSuccessor) {
  const mode_t before = ::umask(027);
  EXPECT_TRUE(write_file(path("new"), "x"));
  EXPECT_EQ(mode_of(path("new")), 0640u);
  ASSERT_EQ(::chmod(path("new").c_str(), 0606), 0);
  EXPECT_TRUE(write_file(path("new"), "y"));
  EXPECT_EQ(mode_of(path("new")), 0606u);
  ::umask(before);
}

TEST_F(FileWriterTest, ASymbolicLinkStaysAndItsTargetIsReplaced) {
  fs::create_symlink("real", path("link"));
  fs::create_symlink(path("link"), path("link to it"));
  EXPECT_TRUE(write_file(path("link to it"), "made"));  // by a link to what is not there yet
  EXPECT_TRUE(write_file(path("link to it"), "replaced"));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_TRUE(fs::is_symlink(path("link to it")));
  EXPECT_EQ(*read_file(path("real")), "replaced");
  EXPECT_EQ(files(), 3u);

  fs::create_symlink("loop", path("loop"));
  EXPECT_FALSE(write_file(path("loop"), "x"));
  EXPECT_TRUE(fs::is_symlink(path("loop")));
}

TEST_F(FileWriterTest, WithoutACommitTheOldFileStaysAndNothingElseIsLeft) {
  ASSERT_TRUE(write_file(path("f"), "the old one"));
  {
    Result<FileWriter> writer = FileWriter::create(path("f"));
    ASSERT_TRUE(writer);
    EXPECT_EQ(files(), 2u);
    const FileWriter moved = std::move(*writer);
    EXPECT_EQ(files(), 2u);
  }
  EXPECT_EQ(*read_file(path("f")), "the old one");
  EXPECT_EQ(files(), 1u);
}

TEST_F(FileWriterTest, WritesAStream) {
  Result<FileWriter> writer = FileWriter::create(path("f"));
  ASSERT_TRUE(writer);
  std::string all;
  for (int i = 0; i < 100'000; ++i) {
    const std::string line = std::to_string(i) + "\n";
    ASSERT_TRUE(writer->write(line));
    all += line;
  }
  EXPECT_FALSE(fs::exists(path("f")));
  EXPECT_TRUE(writer->commit());
  EXPECT_EQ(*read_file(path("f")), all);
  EXPECT_EQ(files(), 1u);
}

TEST_F(FileWriterTest, WhatCannotBeWrittenIsSaidByName) {
  const auto folder = FileWriter::create(folder_.path());
  ASSERT_FALSE(folder);
  EXPECT_THAT(folder.error().message(), HasSubstr("Is a directory"));
  const Status missing = write_file(path("none") / "f", "x");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message(), HasSubstr("none/f: No such file or directory"));
  const std::string longest(255, 'x');
  EXPECT_TRUE(write_file(path(longest), "x"));
}

}  // namespace
}  // namespace seamark
