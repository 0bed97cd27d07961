#include "seamark/base/clock.h"

#include <fmt/format.h>
#include <time.h>

#include <chrono>
#include <cmath>

namespace seamark {
namespace {

struct tm utc_parts(std::int64_t unix_us) {
  std::int64_t seconds = unix_us / 1'000'000;
  if (unix_us % 1'000'000 < 0) --seconds;
  const auto when = static_cast<time_t>(seconds);
  struct tm parts{};
  ::gmtime_r(&when, &parts);
  return parts;
}

// Three figures: 4.21, 35.0, 812.
std::string three_figures(double number) {
  if (number < 9.995) return fmt::format("{:.2f}", number);
  if (number < 99.95) return fmt::format("{:.1f}", number);
  return fmt::format("{:.0f}", number);
}

}  // namespace

double thread_cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::int64_t SystemClock::monotonic_ns() const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::int64_t SystemClock::unix_us() const {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string format_utc(std::int64_t unix_us) {
  const struct tm t = utc_parts(unix_us);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday,
                     t.tm_hour, t.tm_min, t.tm_sec);
}

std::string format_duration(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds < 0) return "-" + format_duration(-seconds);
  if (seconds == 0) return "0 s";
  if (seconds < 999.5e-9) return three_figures(seconds * 1e9) + " ns";
  if (seconds < 999.5e-6) return three_figures(seconds * 1e6) + " us";
  if (seconds < 999.5e-3) return three_figures(seconds * 1e3) + " ms";
  if (seconds < 99.95) return three_figures(seconds) + " s";
  if (seconds < 3599.5) {
    const auto whole = std::llround(seconds);
    return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  }
  if (seconds > 1e12) return fmt::format("{:.3g} s", seconds);
  const auto minutes = std::llround(seconds / 60);
  return fmt::format("{}h{:02}m", minutes / 60, minutes % 60);
}

std::string format_bytes(std::uint64_t bytes) {
  static constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (amount >= 1023.95 && unit + 1 < std::size(kUnits)) {
    amount /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", amount, kUnits[unit]);
}

}  // namespace seamark
