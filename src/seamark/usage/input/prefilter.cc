#include "seamark/usage/input/prefilter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

#include "seamark/usage/input/text_kernels.h"

namespace seamark::usage {
namespace {

// The bytes of Python sources from the most common on, each about an eighteenth rarer than the one before it;
// what is not here is rarer still.
constexpr std::string_view kCommon =
    " etasrnoilf_dcmpu\\.,\"()hg='b0:1#yk-xvw2E[]TSAR3NI/C4OLqD56789PMzF@j*{}BUG%>+VHWXYKJQZ";

double frequency(char c) {
  return std::pow(17.0 / 18.0, static_cast<double>(std::min(kCommon.find(c), kCommon.size())));
}

// Where the two bytes stand in the needle that are the least likely to be there together by chance, and how
// likely they are. Neighbours are likelier than their frequencies say ("ch", "th").
std::pair<std::size_t, double> rarest_pair(const std::string& needle, std::size_t distance) {
  std::pair<std::size_t, double> rarest{0, 8};
  for (std::size_t i = 0; i + distance < needle.size(); ++i) {
    const double chance = frequency(needle[i]) * frequency(needle[i + distance]) * (distance == 1 ? 4 : 1);
    if (chance < rarest.second) rarest = {i, chance};
  }
  return rarest;
}

// The distance that lets the least through of all the needles together.
std::size_t best_distance(const std::vector<std::string>& needles) {
  std::size_t best = 0;  // where there is a needle of one byte
  double least = std::numeric_limits<double>::infinity();
  std::size_t shortest = kMaxNeedleBytes;
  for (const std::string& needle : needles) shortest = std::min(shortest, needle.size());
  for (std::size_t distance = 1; distance < shortest; ++distance) {
    double chance = 0;
    for (const std::string& needle : needles) chance += rarest_pair(needle, distance).second;
    if (chance < least) {
      least = chance;
      best = distance;
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
    longest_ = std::max(longest_, needle.size());
  }
  probes_.distance = best_distance(needles_);
  for (const std::string& needle : needles_) {
    const std::size_t offset = rarest_pair(needle, probes_.distance).first;
    const std::size_t at = probes_.count++;
    probes_.first[at] = static_cast<std::uint8_t>(needle[offset]);
    probes_.second[at] = static_cast<std::uint8_t>(needle[offset + probes_.distance]);
    probes_.offset[at] = static_cast<std::uint8_t>(offset);
    const std::size_t size = std::min(needle.size(), sizeof(std::uint64_t));
    std::memcpy(&probes_.head[at], needle.data(), size);
    std::memset(&probes_.mask[at], 0xff, size);
  }
}

bool Prefilter::counts(const char* line, const char* probe, const char* end) const {
  for (std::size_t i = 0; i < needles_.size(); ++i) {
    const std::string& needle = needles_[i];
    if (probe - line < probes_.offset[i]) continue;
    const char* at = probe - probes_.offset[i];
    if (static_cast<std::size_t>(end - at) >= needle.size() &&
        std::memcmp(at, needle.data(), needle.size()) == 0 &&
        (!imports_only_ || may_be_imported(line, at, needle.size(), end))) {
      return true;
    }
  }
  return false;
}

Prefilter::Event Prefilter::next(const char* line, const char* from, const char* until,
                                 const char* end) const {
  while (true) {
    const char* at = find_event(line, from, until, probes_, '\n');
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
    const char* at = find_event(begin, from, end, probes_, '\xff');  // which is in no UTF-8
    if (at == end) return false;
    if (counts(begin, at, end)) return true;
    from = at + 1;
  }
}

}  // namespace seamark::usage
