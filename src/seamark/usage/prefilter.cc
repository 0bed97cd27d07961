#include "seamark/usage/prefilter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "seamark/usage/text_kernels.h"

namespace seamark::usage {
namespace {

// The bytes of Python sources from the most common on, each about an eighteenth rarer than the one before it;
// what is not here is rarer still.
constexpr std::string_view kCommon =
    " etasrnoilf_dcmpu\\.,\"()hg='b0:1#yk-xvw2E[]TSAR3NI/C4OLqD56789PMzF@j*{}BUG%>+VHWXYKJQZ";

double frequency(char c) {
  return std::pow(17.0 / 18.0, static_cast<double>(std::min(kCommon.find(c), kCommon.size())));
}

// The two bytes that are the least likely to stand there together by chance. Neighbours are likelier than
// their frequencies say ("ch", "th").
Probe probe_for(const std::string& needle) {
  Probe best;
  best.byte.fill(static_cast<std::uint8_t>(needle.front()));  // of a needle of one byte
  double least = 8;
  for (std::size_t i = 0; i < needle.size(); ++i) {
    for (std::size_t j = i + 1; j < needle.size(); ++j) {
      const double chance = frequency(needle[i]) * frequency(needle[j]) * (j == i + 1 ? 4 : 1);
      if (chance >= least) continue;
      least = chance;
      best = {{static_cast<std::uint8_t>(needle[i]), static_cast<std::uint8_t>(needle[j])},
              {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(j)}};
    }
  }
  return best;
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// How many bytes of what lies before `at` may stand between a keyword and the name that it is for: a blank,
// part of a continued line, either of them escaped for JSON; 0: none. What is no ASCII counts too: who cannot
// tell the blanks of Unicode from letters must let both through.
std::size_t gap_before(const char* begin, const char* at) {
  const auto last = static_cast<unsigned char>(at[-1]);
  if (last <= ' ' || last == '\\' || last >= 0x7f) return 1;
  if (at - begin >= 2 && at[-2] == '\\' && std::strchr("tnrfbv", last) != nullptr) return 2;
  if (at - begin >= 6 && at[-6] == '\\' && at[-5] == 'u' && std::all_of(at - 4, at, is_hex)) return 6;
  return 0;
}

}  // namespace

bool may_be_imported(const char* begin, const char* at, std::size_t size, const char* end) {
  if (at + size < end && is_word(at[size])) return false;
  while (at > begin) {
    const std::size_t gap = gap_before(begin, at);
    if (gap == 0) break;
    at -= gap;
  }
  const std::string_view before(begin, static_cast<std::size_t>(at - begin));
  return before.ends_with(',') || before.ends_with("import") || before.ends_with("from");
}

Prefilter::Prefilter(std::span<const std::string> needles, bool imports_only)
    : needles_(needles.begin(), needles.end()), imports_only_(imports_only) {
  if (needles.size() > kMaxNeedles) {
    throw std::invalid_argument(fmt::format("{} needles, at most {}", needles.size(), kMaxNeedles));
  }
  for (const std::string& needle : needles_) {
    if (needle.empty() || needle.size() > kMaxNeedleBytes) {
      throw std::invalid_argument(fmt::format("a needle of {} bytes", needle.size()));
    }
    probes_.push_back(probe_for(needle));
    longest_ = std::max(longest_, needle.size());
  }
}

bool Prefilter::counts(const char* line, const char* at, const char* end) const {
  return std::any_of(needles_.begin(), needles_.end(), [&](const std::string& needle) {
    return static_cast<std::size_t>(end - at) >= needle.size() &&
           std::memcmp(at, needle.data(), needle.size()) == 0 &&
           (!imports_only_ || may_be_imported(line, at, needle.size(), end));
  });
}

Prefilter::Event Prefilter::next(const char* line, const char* from, const char* until,
                                 const char* end) const {
  while (true) {
    const char* at = find_event(from, until, probes_, '\n');
    if (at == until) return {};
    if (*at == '\n') return {at, true};
    if (counts(line, at, end)) return {at, false};
    from = at + 1;
  }
}

bool Prefilter::passes(std::string_view text) const {
  if (passes_all()) return true;
  const char* begin = text.data();
  const char* end = begin + text.size();
  const char* from = begin;
  while (true) {
    const char* at = find_event(from, end, probes_, '\xff');  // which is in no UTF-8
    if (at == end) return false;
    if (counts(begin, at, end)) return true;
    from = at + 1;
  }
}

}  // namespace seamark::usage
