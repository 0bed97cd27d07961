#include "seamark/usage/input/text_kernels.h"

#include <array>
#include <bit>
#include <cstring>

// Vectors whose length is not known when compiling cannot be kept in arrays.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "seamark/usage/input/text_kernels.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#ifndef SEAMARK_ESCAPES
#define SEAMARK_ESCAPES
namespace seamark::usage {
namespace {

// What a character behind a backslash stands for; 0: nothing, or \u.
constexpr std::array<char, 256> kPlainEscapes = [] {
  std::array<char, 256> table{};
  table['n'] = '\n';
  table['t'] = '\t';
  table['r'] = '\r';
  table['b'] = '\b';
  table['f'] = '\f';
  for (const char c : {'"', '\\', '/'}) table[static_cast<unsigned char>(c)] = c;
  return table;
}();

// The value of four hexadecimal digits; -1: they are not.
int hex4(const char* from) {
  int value = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = from[i];
    int digit = 0;
    if (c >= '0' && c <= '9') {
      digit = c - '0';
    } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
      digit = (c | 0x20) - 'a' + 10;
    } else {
      return -1;
    }
    value = value * 16 + digit;
  }
  return value;
}

void put_utf8(char32_t c, char*& to) {
  const auto put = [&](char32_t byte) { *to++ = static_cast<char>(static_cast<unsigned char>(byte)); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xc0 | (c >> 6));
  } else if (c < 0x10000) {
    put(0xe0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3f));
  } else {
    put(0xf0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3f));
    put(0x80 | ((c >> 6) & 0x3f));
  }
  put(0x80 | (c & 0x3f));
}

// Behind "\u". Null: not JSON.
const char* unescape_unicode(const char* from, const char* end, char*& to, bool& replaced) {
  if (end - from < 4) return nullptr;
  const int first = hex4(from);
  if (first < 0) return nullptr;
  from += 4;
  auto code = static_cast<char32_t>(first);
  if (code >= 0xd800 && code < 0xe000) {
    int second = -1;
    if (code < 0xdc00 && end - from >= 6 && from[0] == '\\' && from[1] == 'u') second = hex4(from + 2);
    if (second >= 0xdc00 && second < 0xe000) {
      code = 0x10000 + ((code - 0xd800) << 10) + static_cast<char32_t>(second - 0xdc00);
      from += 6;
    } else {
      code = 0xfffd;
      replaced = true;
    }
  }
  put_utf8(code, to);
  return from;
}

}  // namespace
}  // namespace seamark::usage
#endif

HWY_BEFORE_NAMESPACE();
namespace seamark::usage::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class D, class M>
HWY_INLINE std::uint64_t bits_of(D d, M mask) {
  static_assert(hn::MaxLanes(D()) <= 64);
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes, sizeof(bits));
  return bits;
}

template <std::size_t N>
struct Search {
  using D = hn::ScalableTag<std::uint8_t>;
  using V = hn::VFromD<D>;
  D d;
  V stop;
  V firsts[N == 0 ? 1 : N];
  V seconds[N == 0 ? 1 : N];
  std::size_t distance;

  Search(const Probes& probes, char stop_at)
      : stop(hn::Set(d, static_cast<std::uint8_t>(stop_at))), distance(probes.distance) {
    for (std::size_t i = 0; i < N; ++i) {
      firsts[i] = hn::Set(d, probes.first[i]);
      seconds[i] = hn::Set(d, probes.second[i]);
    }
  }

  // Zeros where it may be: which takes fewer operations than comparisons and masks.
  HWY_INLINE V at(const std::uint8_t* p) const {
    const V here = hn::LoadU(d, p);
    V differs = hn::Xor(here, stop);
    if constexpr (N > 0) {
      const V there = hn::LoadU(d, p + distance);
      for (std::size_t n = 0; n < N; ++n) {
        differs = hn::Min(differs, hn::Or(hn::Xor(here, firsts[n]), hn::Xor(there, seconds[n])));
      }
    }
    return differs;
  }

  const char* first(const char* begin, const char* from, const char* until, const Probes& probes,
                    char stop_at) const {
    const std::size_t lanes = hn::Lanes(d);
    const V zero = hn::Zero(d);
    const auto* p = reinterpret_cast<const std::uint8_t*>(from);
    const auto* last = reinterpret_cast<const std::uint8_t*>(until);
    while (p < last) {
      const V one = at(p);
      const V two = at(p + lanes);
      if (HWY_UNLIKELY(!hn::AllFalse(d, hn::Eq(hn::Min(one, two), zero)))) {
        const char* found = among(begin, p, hn::Eq(one, zero), probes, stop_at);
        if (found == nullptr) found = among(begin, p + lanes, hn::Eq(two, zero), probes, stop_at);
        if (found != nullptr) return found < until ? found : until;
      }
      // From a multiple on, so that only one of the two loads crosses lines of the cache.
      p += 2 * lanes - reinterpret_cast<std::uintptr_t>(p) % lanes;
    }
    return until;
  }

  template <class M>
  static const char* among(const char* begin, const std::uint8_t* p, M zeros, const Probes& probes,
                           char stop_at) {
    for (std::uint64_t bits = bits_of(D(), zeros); bits != 0; bits &= bits - 1) {
      const char* found = reinterpret_cast<const char*>(p) + std::countr_zero(bits);
      if (*found == stop_at || begins_needle(begin, found, probes)) return found;
    }
    return nullptr;
  }

  static bool begins_needle(const char* begin, const char* probe, const Probes& probes) {
    for (std::size_t n = 0; n < N; ++n) {
      if (probe - begin < probes.offset[n]) continue;
      std::uint64_t head = 0;
      std::memcpy(&head, probe - probes.offset[n], sizeof(head));
      if (((head ^ probes.head[n]) & probes.mask[n]) == 0) return true;
    }
    return false;
  }
};

const char* FindEvent(const char* begin, const char* from, const char* until, const Probes& probes,
                      char stop) {
  switch (probes.count) {
    case 0:
      return Search<0>(probes, stop).first(begin, from, until, probes, stop);
    case 1:
      return Search<1>(probes, stop).first(begin, from, until, probes, stop);
    case 2:
      return Search<2>(probes, stop).first(begin, from, until, probes, stop);
    case 3:
      return Search<3>(probes, stop).first(begin, from, until, probes, stop);
    case 4:
      return Search<4>(probes, stop).first(begin, from, until, probes, stop);
    case 5:
      return Search<5>(probes, stop).first(begin, from, until, probes, stop);
    case 6:
      return Search<6>(probes, stop).first(begin, from, until, probes, stop);
    case 7:
      return Search<7>(probes, stop).first(begin, from, until, probes, stop);
    case 8:
      return Search<8>(probes, stop).first(begin, from, until, probes, stop);
    default:
      return until;  // the caller's contract
  }
}

// Whole blocks are copied; then, for every backslash in the block, what follows it is copied again, two bytes
// to the left of where it was. So one wait for a comparison serves several escapes.
Unescaped UnescapeString(const char* from, const char* end, char* to) {
  const hn::CappedTag<std::uint8_t, 32> d;
  const auto quote = hn::Set(d, '"');
  const auto backslash = hn::Set(d, '\\');
  auto seen = hn::Zero(d);
  const std::size_t lanes = hn::Lanes(d);
  const auto copy = [&](const char* source) {
    const auto block = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(source));
    hn::StoreU(block, d, reinterpret_cast<std::uint8_t*>(to));
    return block;
  };
  Unescaped result;
  while (from < end) {
    const auto block = copy(from);
    seen = hn::Or(seen, block);
    std::uint64_t bits = bits_of(d, hn::Or(hn::Eq(block, quote), hn::Eq(block, backslash)));
    const char* next = from + lanes;
    while (bits != 0) {
      const char* at = next - lanes + std::countr_zero(bits);
      to += at - from;
      if (at >= end) return {};
      if (*at == '"') {
        result.from = at + 1;
        result.to = to;
        result.non_ascii = !hn::AllTrue(d, hn::Lt(seen, hn::Set(d, 0x80)));
        return result;
      }
      if (end - at < 2) return {};
      from = at + 2;
      if (const char plain = kPlainEscapes[static_cast<unsigned char>(at[1])]; HWY_LIKELY(plain != 0)) {
        *to++ = plain;
        bits &= bits - 1;
        bits &= ~(std::uint64_t{1} << (from - 1 - (next - lanes)) % 64);
      } else {
        // What it gives may be no ASCII; it is valid.
        from = at[1] == 'u' ? unescape_unicode(from, end, to, result.replaced) : nullptr;
        if (from == nullptr) return {};
        bits = 0;
        next = from;  // from here on anew
      }
      copy(from);
    }
    if (from < next) {
      to += next - from;
      from = next;
    }
  }
  return {};  // not closed
}

}  // namespace
}  // namespace seamark::usage::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace seamark::usage {
namespace {

HWY_EXPORT(FindEvent);
HWY_EXPORT(UnescapeString);

}  // namespace

const char* find_event(const char* begin, const char* from, const char* until, const Probes& probes,
                       char stop) {
  return HWY_DYNAMIC_DISPATCH(FindEvent)(begin, from, until, probes, stop);
}

Unescaped unescape_string(const char* from, const char* end, char* to) {
  return HWY_DYNAMIC_DISPATCH(UnescapeString)(from, end, to);
}

}  // namespace seamark::usage
#endif  // HWY_ONCE
