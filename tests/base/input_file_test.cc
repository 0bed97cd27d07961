#include "seamark/base/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <string>

namespace seamark {
namespace {

using ::testing::HasSubstr;

class InputFile : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_.path() / name).native(); }
  const TempDir folder_ = std::move(TempDir::make().value());
};

// Each would be waited for, or read, for ever.
TEST_F(InputFile, WhatIsNoRegularFileIsRefused) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  const UniqueFd listening(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path("socket").c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(listening.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_THAT(read_file(path("fifo")).error().message(), HasSubstr("it is a FIFO, no regular file"));
  EXPECT_THAT(read_file(path("socket")).error().message(), HasSubstr("it is a socket, no regular file"));
  EXPECT_THAT(read_file("/dev/zero").error().message(), HasSubstr("it is a device, no regular file"));
  EXPECT_FALSE(read_file(folder_.path()).ok());
  EXPECT_TRUE(read_file(path("none")).error().is(IoError::kNotFound));
}

TEST_F(InputFile, ADescriptorOfOursIsReadAsItIs) {
  Pipe pipe = std::move(make_pipe().value());
  ASSERT_TRUE(write_all(pipe.write.get(), "through the pipe"));
  pipe.write.reset();
  EXPECT_EQ(*read_file(fmt::format("/dev/fd/{}", pipe.read.get())), "through the pipe");
  ASSERT_TRUE(write_file(path("file"), "text"));
  const UniqueFd file = std::move(open_file(path("file"), O_RDONLY).value());
  for (int i = 0; i < 2; ++i) EXPECT_EQ(*read_file(fmt::format("/dev/fd/{}", file.get())), "text");
  EXPECT_TRUE(is_descriptor_name("/dev/stdin"));
  EXPECT_TRUE(is_descriptor_name("/proc/self/fd/7"));
  EXPECT_FALSE(is_descriptor_name("/dev/zero"));
  EXPECT_FALSE(is_descriptor_name("/dev/fd/x"));
}

// In a process of its own: the limit and the signal are the process's.
TEST_F(InputFile, ALimitOfFileSizesIsAsAFullDisk) {
  const auto write_beyond = [this] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const Status written = write_file(path("long"), std::string(100'000, 'x'));
    ::_exit(!written && written.error().is(IoError::kNoSpace) ? 0 : 1);
  };
  EXPECT_EXIT(write_beyond(), ::testing::ExitedWithCode(0), "");
  EXPECT_FALSE(std::filesystem::exists(path("long")));
}

}  // namespace
}  // namespace seamark
