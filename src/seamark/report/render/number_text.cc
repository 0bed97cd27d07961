#include "seamark/report/render/number_text.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

namespace seamark::report {

namespace {

// Three significant digits for 0.1 <= value < 1000.
std::string three_digits(double value) {
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  if (value >= 9.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

std::string plain_ratio(double ratio) {
  if (ratio < 0.001) return "<0.001";
  if (ratio < 0.0995) return fmt::format("{:.3f}", ratio);
  if (ratio < 999.5) return three_digits(ratio);
  if (ratio < 1e15) return count_text(std::llround(ratio));
  return fmt::format("{:.1e}", ratio);
}

// Calendar date of days since 1970-01-01, proleptic Gregorian.
struct Moment {
  std::chrono::year_month_day date{};
  std::chrono::hh_mm_ss<std::chrono::seconds> time;
};

Moment moment_of(std::int64_t unix_us) {
  const std::chrono::sys_seconds at{std::chrono::seconds(unix_us / 1'000'000)};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  return {std::chrono::year_month_day(day), std::chrono::hh_mm_ss<std::chrono::seconds>(at - day)};
}

// Year 9999 ends here: what lies beyond is no time of a run.
constexpr std::int64_t kLatestUs = 253'402'300'799'000'000;

}  // namespace

Glyphs Glyphs::of(bool unicode) {
  if (unicode) return {"–", "µ", "×", "·", "–"};
  return {"-", "u", "x", "|", "-"};
}

std::string seconds_text(double seconds, const Glyphs& glyphs) {
  if (!std::isfinite(seconds) || seconds < 0) return glyphs.none;
  if (seconds == 0) return "0 s";
  if (seconds < 0.9995e-6) return three_digits(seconds * 1e9) + " ns";
  if (seconds < 0.9995e-3) return fmt::format("{} {}s", three_digits(seconds * 1e6), glyphs.micro);
  if (seconds < 0.9995) return three_digits(seconds * 1e3) + " ms";
  if (seconds < 119.5) return three_digits(seconds) + " s";
  if (seconds > 1e12) return glyphs.none;
  const auto whole = std::llround(seconds);
  if (whole < 7200) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string seconds_text(const analysis::Measured& measured, const Glyphs& glyphs) {
  return measured.value ? seconds_text(*measured.value, glyphs) : glyphs.none;
}

std::string ratio_text(double ratio, const Glyphs& glyphs) {
  if (!std::isfinite(ratio) || ratio < 0) return glyphs.none;
  return plain_ratio(ratio) + glyphs.times;
}

std::string interval_text(const std::optional<analysis::Interval>& interval, const Glyphs& glyphs,
                          const std::string& if_none) {
  if (!interval || !std::isfinite(interval->low) || !std::isfinite(interval->high) || interval->low < 0) {
    return if_none;
  }
  return fmt::format("{}{}{}", plain_ratio(interval->low), glyphs.range, plain_ratio(interval->high));
}

std::string percent_text(std::int64_t count, std::int64_t total, const Glyphs& glyphs) {
  if (total <= 0 || count < 0) return glyphs.none;
  const auto percent = std::lround(100.0 * static_cast<double>(count) / static_cast<double>(total));
  if (percent == 0 && count > 0) return "<1%";
  if (percent == 100 && count < total) return ">99%";
  return fmt::format("{}%", percent);
}

std::string rate_text(const analysis::Rate& rate, const Glyphs& glyphs) {
  if (!rate.value) return glyphs.none;
  return fmt::format("{} of {}", percent_text(rate.count, rate.total, glyphs), count_text(rate.total));
}

std::string rate_interval_text(const analysis::Rate& rate, const Glyphs& glyphs) {
  if (!rate.value || !rate.interval) return {};
  return fmt::format("{:.0f}{}{:.0f}%", 100 * rate.interval->low, glyphs.range, 100 * rate.interval->high);
}

std::string count_text(std::int64_t count) {
  std::string text = fmt::format("{}", count);
  const std::size_t first = count < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string plural(std::int64_t count, const std::string& one, const std::string& many) {
  if (count == 1) return "1 " + one;
  return count_text(count) + " " + (many.empty() ? one + "s" : many);
}

std::string utc_text(std::int64_t unix_us) {
  if (unix_us <= 0 || unix_us > kLatestUs) return "unknown";
  const Moment at = moment_of(unix_us);
  return fmt::format("{}-{:02}-{:02} {:02}:{:02} UTC", static_cast<int>(at.date.year()),
                     static_cast<unsigned>(at.date.month()), static_cast<unsigned>(at.date.day()),
                     at.time.hours().count(), at.time.minutes().count());
}

std::string iso_text(std::int64_t unix_us) {
  if (unix_us <= 0 || unix_us > kLatestUs) return {};
  const Moment at = moment_of(unix_us);
  return fmt::format("{}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(at.date.year()),
                     static_cast<unsigned>(at.date.month()), static_cast<unsigned>(at.date.day()),
                     at.time.hours().count(), at.time.minutes().count(), at.time.seconds().count());
}

}  // namespace seamark::report
