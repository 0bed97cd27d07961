// Numbers as people read them: times, ratios, shares, dates. Nothing here depends on the locale.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "seamark/analysis/stats.h"

namespace seamark::report {

// Which characters may be used.
struct Glyphs {
  const char* none;   // stands for "no such number"
  const char* micro;  // of µs
  const char* times;  // of 2.0×
  const char* dot;    // separates facts in a line
  const char* range;  // between two ends
  static Glyphs of(bool unicode);
};

// Three significant digits and a unit: "812 ns", "45.2 µs", "1.20 ms", "3.41 s"; from 120 s on "2 min 41 s",
// from two hours on "2 h 05 min". Negative and non-finite numbers give Glyphs::none.
std::string seconds_text(double seconds, const Glyphs& glyphs);
std::string seconds_text(const analysis::Measured& measured, const Glyphs& glyphs);

// "14.6×", "0.92×", "1,204×", "<0.001×".
std::string ratio_text(double ratio, const Glyphs& glyphs);
// "12.1–17.8", in the digits of the ratio, without the sign; the given text when there is none.
std::string interval_text(const std::optional<analysis::Interval>& interval, const Glyphs& glyphs,
                          const std::string& if_none);

// "85%"; ">99%" and "<1%" where rounding would claim all or nothing; Glyphs::none when total is 0.
std::string percent_text(std::int64_t count, std::int64_t total, const Glyphs& glyphs);
// "85% of 63", or Glyphs::none.
std::string rate_text(const analysis::Rate& rate, const Glyphs& glyphs);
// "66–94%": Wilson's interval; empty when there is no value.
std::string rate_interval_text(const analysis::Rate& rate, const Glyphs& glyphs);

// "31,112".
std::string count_text(std::int64_t count);
// "1 case", "2 cases".
std::string plural(std::int64_t count, const std::string& one, const std::string& many = {});

// "2026-11-21 11:02 UTC"; "unknown" for 0 or less.
std::string utc_text(std::int64_t unix_us);
// "2026-11-21T11:02:33Z"; empty for 0 or less.
std::string iso_text(std::int64_t unix_us);

}  // namespace seamark::report
