#include "seamark/proc/capture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "helper.h"
#include "seamark/proc/poll_loop.h"

namespace seamark::proc {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

class CaptureTest : public ::testing::Test {
 protected:
  CaptureTest() : dir_(TempDir::make().value()), path_(dir_.path() / "out") {}
  Capture open(const CaptureLimits& limits = {}) { return Capture::open(path_, limits).value(); }
  TempDir dir_;
  std::filesystem::path path_;
};

void put(const Capture& capture, std::string_view text) {
  ASSERT_TRUE(write_all(capture.write_fd(), text).ok());
}

void drain_to_end(Capture& capture) {
  PollLoop loop;
  loop.watch(capture.read_fd(), 0);
  do {
    static_cast<void>(loop.wait(10.0));
  } while (capture.drain() == ReadState::kOpen);
}

TEST_F(CaptureTest, FileOffsetsAndMarks) {
  Capture capture = open();
  put(capture, "before\n");
  EXPECT_EQ(capture.drain(), ReadState::kOpen);
  EXPECT_EQ(capture.offset(), 7u);
  capture.mark();
  EXPECT_EQ(capture.since_mark(), "");
  put(capture, "of the case");
  EXPECT_EQ(capture.drain(), ReadState::kOpen);
  EXPECT_EQ(capture.since_mark(), "of the case");
  EXPECT_EQ(capture.marked_offset(), 7u);
  capture.close_write_fd();
  EXPECT_EQ(capture.drain(), ReadState::kEnd);
  EXPECT_EQ(capture.read_fd(), -1);
  EXPECT_EQ(*read_file(path_), "before\nof the case");
  EXPECT_TRUE(capture.file_error().ok());
}

TEST_F(CaptureTest, EndsWhereATextStands) {
  Capture capture = open({.tail_bytes = 12});
  put(capture, "<end>");
  capture.drain();
  capture.mark();
  EXPECT_EQ(capture.find_since_mark("<end>"), std::nullopt);  // before the mark
  put(capture, "one<end>two");
  capture.drain();
  EXPECT_EQ(capture.find_since_mark("<end>"), 8u);
  EXPECT_EQ(capture.since_mark(8), "one");
  EXPECT_EQ(capture.since_mark(5), "");
  EXPECT_EQ(capture.since_mark(1000), "one<end>two");
  capture.mark_at(13);
  EXPECT_EQ(capture.since_mark(), "two");
  put(capture, "0123456789abcdef0123456789");
  capture.drain();
  EXPECT_EQ(capture.since_mark(16), "[... 3 bytes left out ...]\n");  // kept no more
  EXPECT_EQ(capture.find_since_mark("two"), std::nullopt);
}

TEST_F(CaptureTest, KeepsTheTailAndSaysWhatIsMissing) {
  Capture capture = open({.tail_bytes = 10});
  for (int i = 0; i < 100; ++i) {
    put(capture, "0123456789abcdef");
    capture.drain();
  }
  capture.mark();
  put(capture, "0123456789");
  capture.drain();
  EXPECT_EQ(capture.since_mark(), "0123456789");
  put(capture, "xyz");
  capture.drain();
  EXPECT_EQ(capture.since_mark(), "[... 3 bytes left out ...]\n3456789xyz");
}

TEST_F(CaptureTest, TheFileIsBounded) {
  Capture capture = open({.max_file_bytes = 5, .tail_bytes = 100});
  put(capture, "abc");
  capture.drain();
  put(capture, "defgh");
  capture.drain();
  EXPECT_EQ(*read_file(path_), "abcde");
  EXPECT_EQ(capture.offset(), 8u);
  EXPECT_EQ(capture.since_mark(), "abcdefgh");
}

TEST_F(CaptureTest, AChildThatWritesMuchNeverBlocks) {
  Capture capture = open({.max_file_bytes = 1 << 20, .tail_bytes = 1 << 10});
  SpawnOptions options = helper("flood");
  options.fds = {{capture.write_fd(), 1}, {capture.write_fd(), 2}};
  Child child = started(options);
  capture.close_write_fd();
  drain_to_end(capture);
  EXPECT_EQ(child.reap(), ExitState::exited(0));
  EXPECT_EQ(capture.offset(), (std::uint64_t{32} << 20) + 3);
  EXPECT_THAT(capture.since_mark(), StartsWith("[... "));
  EXPECT_THAT(capture.since_mark(), EndsWith("xxEND"));
  EXPECT_EQ(std::filesystem::file_size(path_), std::uintmax_t{1} << 20);
}

TEST_F(CaptureTest, AFullDiskStopsTheFileOnly) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
  Capture capture = Capture::open("/dev/full").value();
  put(capture, "text");
  EXPECT_EQ(capture.drain(), ReadState::kOpen);
  EXPECT_FALSE(capture.file_error().ok());
  EXPECT_TRUE(capture.file_error().error().is(IoError::kNoSpace));
  EXPECT_EQ(capture.since_mark(), "text");
}

TEST_F(CaptureTest, MemoryOnlyAndErrors) {
  Capture capture = Capture::open({}).value();
  put(capture, "x");
  capture.drain();
  EXPECT_EQ(capture.since_mark(), "x");
  EXPECT_FALSE(Capture::open(dir_.path() / "no" / "file").ok());
}

}  // namespace
}  // namespace seamark::proc
