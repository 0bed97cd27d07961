#include "seamark/base/clock.h"

#include <gtest/gtest.h>

#include <cmath>

namespace seamark {
namespace {

TEST(Clock, FakeMovesOnlyWhenTold) {
  FakeClock clock(1'000'000);
  const auto start = clock.monotonic_ns();
  EXPECT_EQ(clock.monotonic_ns(), start);
  clock.advance_ns(1500);
  clock.advance_ns(500);
  EXPECT_EQ(clock.monotonic_ns(), start + 2000);
  EXPECT_EQ(clock.unix_us(), 1'000'002);
  clock.advance_s(2);
  EXPECT_EQ(clock.unix_us(), 3'000'002);
}

TEST(Clock, SystemGoesForward) {
  const SystemClock clock;
  const auto a = clock.monotonic_ns();
  const auto b = clock.monotonic_ns();
  EXPECT_LE(a, b);
  EXPECT_GT(clock.unix_us(), 1'600'000'000'000'000);
}

TEST(Format, Utc) {
  EXPECT_EQ(format_utc(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(format_utc(1'795'260'005'999'999), "2026-11-21T11:20:05Z");
  EXPECT_EQ(format_utc(-1), "1969-12-31T23:59:59Z");
}

TEST(Format, Duration) {
  EXPECT_EQ(format_duration(0), "0 s");
  EXPECT_EQ(format_duration(812e-9), "812 ns");
  EXPECT_EQ(format_duration(4.21e-6), "4.21 us");
  EXPECT_EQ(format_duration(0.035), "35.0 ms");
  EXPECT_EQ(format_duration(0.9999), "1.00 s");
  EXPECT_EQ(format_duration(1.25), "1.25 s");
  EXPECT_EQ(format_duration(99.96), "1m40s");
  EXPECT_EQ(format_duration(187), "3m07s");
  EXPECT_EQ(format_duration(3599.9), "1h00m");
  EXPECT_EQ(format_duration(7500), "2h05m");
  EXPECT_EQ(format_duration(-1.5), "-1.50 s");
  EXPECT_EQ(format_duration(std::nan("")), "-");
}

TEST(Format, Bytes) {
  EXPECT_EQ(format_bytes(17), "17 B");
  EXPECT_EQ(format_bytes(4300), "4.2 KiB");
  EXPECT_EQ(format_bytes(1'048'575), "1.0 MiB");
  EXPECT_EQ(format_bytes(std::uint64_t{3} << 30), "3.0 GiB");
  EXPECT_EQ(format_bytes(~std::uint64_t{0}), "16.0 EiB");
}

}  // namespace
}  // namespace seamark
