// Time: a clock that tests can replace, and how times are written.
#pragma once

#include <cstdint>
#include <string>

namespace seamark {

class Clock {
 public:
  virtual ~Clock() = default;
  // Never goes back; only differences mean anything.
  [[nodiscard]] virtual std::int64_t monotonic_ns() const = 0;
  // Microseconds since 1970, UTC.
  [[nodiscard]] virtual std::int64_t unix_us() const = 0;
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] std::int64_t monotonic_ns() const override;
  [[nodiscard]] std::int64_t unix_us() const override;
};

// CPU time that the calling thread has taken.
[[nodiscard]] double thread_cpu_seconds();

// Moves only when told to.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(std::int64_t unix_us = 1'700'000'000'000'000) : unix_us_(unix_us) {}
  [[nodiscard]] std::int64_t monotonic_ns() const override { return monotonic_ns_; }
  [[nodiscard]] std::int64_t unix_us() const override { return unix_us_; }
  void advance_ns(std::int64_t ns) {
    monotonic_ns_ += ns;
    pending_ns_ += ns;
    unix_us_ += pending_ns_ / 1000;
    pending_ns_ %= 1000;
  }
  void advance_s(double seconds) { advance_ns(static_cast<std::int64_t>(seconds * 1e9)); }

 private:
  std::int64_t monotonic_ns_ = 1'000'000'000;
  std::int64_t pending_ns_ = 0;
  std::int64_t unix_us_;
};

// "2026-11-21T11:20:05Z".
[[nodiscard]] std::string format_utc(std::int64_t unix_us);
// Three figures and a unit for people: "812 ns", "4.21 us", "35.0 ms", "1.25 s", "3m07s", "2h05m".
[[nodiscard]] std::string format_duration(double seconds);
// "17 B", "4.2 KiB", "1.3 GiB".
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

}  // namespace seamark
