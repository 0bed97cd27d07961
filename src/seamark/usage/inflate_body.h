// The loop over the codes of a block, compiled once for every processor and once with BMI2. It reads 8 bytes
// at once and copies 16, so it stops in time before both ends.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "seamark/usage/inflate.h"

namespace seamark::usage {
// Compiled twice, for other processors.
namespace {  // NOLINT(google-build-namespaces,misc-anonymous-namespace-in-header)

#define SEAMARK_INLINE [[gnu::always_inline]] inline

SEAMARK_INLINE std::uint64_t load_bits(const std::uint8_t* from) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, sizeof value);
  if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap64(value);
  return value;
}

template <std::size_t N>
SEAMARK_INLINE void copy_word(std::uint8_t* to, const std::uint8_t* from) {
  struct Word {
    std::uint8_t bytes[N];
  } word{};
  std::memcpy(&word, from, N);
  std::memcpy(to, &word, N);
}

// The bits and where they come from. Only the low six bits of `count` mean anything, which is all that a
// shift looks at: so whole entries of the tables can be subtracted from it.
struct BitWindow {
  const std::uint8_t* in;
  std::uint64_t bits;
  std::uint64_t count;

  // At least 56 bits afterwards, without a branch: what of the 8 bytes does not fit comes again (F. Giesen,
  // "Reading bits in far too many ways", part 2, variant 4).
  SEAMARK_INLINE void refill() {
    bits |= load_bits(in) << (count & 63);
    in += 7 - ((count >> 3) & 7);
    count |= 56;
  }
  SEAMARK_INLINE void drop(std::uint32_t entry) {
    bits >>= entry & 63;
    count -= entry;
  }
  SEAMARK_INLINE std::uint64_t peek(unsigned size) const { return bits & ((std::uint64_t{1} << size) - 1); }
};

// Length or distance: its least value and the extra bits, of the bits as they were before its code.
SEAMARK_INLINE std::uint32_t value_of(std::uint32_t entry, std::uint64_t bits) {
  const std::uint64_t own = bits & ((std::uint64_t{1} << (entry & 63)) - 1);
  return (entry >> 16) + static_cast<std::uint32_t>(own >> ((entry >> 8) & 15));
}

// May write up to 61 bytes behind the match.
SEAMARK_INLINE void copy_near(std::uint8_t* out, std::uint32_t length, std::uint32_t distance) {
  const std::uint8_t* from = out - distance;
  std::uint8_t* const end = out + length;
  if (distance >= 16) [[likely]] {
    copy_word<16>(out, from);
    // Few matches are longer than 64, and how many is hard to foresee for 32.
    copy_word<16>(out + 16, from + 16);
    copy_word<16>(out + 32, from + 32);
    copy_word<16>(out + 48, from + 48);
    for (out += 64, from += 64; out < end; out += 16, from += 16) copy_word<16>(out, from);
  } else if (distance >= 8) {
    for (; out < end; out += 8, from += 8) copy_word<8>(out, from);
  } else if (distance == 1) {
    std::memset(out, *from, length);
  } else {
    // What stands `distance` before is the same as what stands twice as far before, once that is written.
    for (std::uint32_t i = 0; i < 8; ++i) out[i] = from[i];
    const std::uint32_t stride = 8 - 8 % distance;
    for (from = out, out += stride; out < end; out += stride, from += stride) copy_word<8>(out, from);
  }
}

SEAMARK_INLINE void give_back_bytes(InflateCursor& cursor, const BitWindow& window, std::uint8_t* out) {
  const std::uint64_t count = window.count & 63;
  cursor.in = window.in - (count >> 3);
  cursor.count = count & 7;
  cursor.bits = window.bits & ((std::uint64_t{1} << cursor.count) - 1);
  cursor.out = out;
}

// kFar: a reference may reach to before the floor.
template <bool kFar>
SEAMARK_INLINE InflateStop inflate_codes(InflateCursor& cursor, const InflateTables& tables) {
  using T = InflateTables;
  // A turn reads 3 times 7 bytes and looks at 8; it writes 3 literals and a match with what is copied too
  // much.
  const std::uint8_t* const in_limit = cursor.in_end - (kInflateInput - 8);
  std::uint8_t* const out_limit = cursor.out_end - kInflateOutput;
  std::uint8_t* out = cursor.out;
  BitWindow window{cursor.in, cursor.bits, cursor.count};
  InflateStop stop = InflateStop::kNearAnEnd;
  window.refill();
  // The next entry is looked up as soon as its bits are known; refilling is never waited for.
  std::uint32_t entry = tables.literals[window.peek(T::kLiteralBits)];
  while (window.in < in_limit && out < out_limit) {
    window.refill();
    // 56 bits are there: enough for two literals of the first table, and a code with its extra bits (20).
    std::uint64_t before = window.bits;
    window.drop(entry);
    if ((entry & T::kLiteral) != 0) {
      *out++ = static_cast<std::uint8_t>(entry >> 16);
      entry = tables.literals[window.peek(T::kLiteralBits)];
      before = window.bits;
      window.drop(entry);
      if ((entry & T::kLiteral) != 0) {
        *out++ = static_cast<std::uint8_t>(entry >> 16);
        entry = tables.literals[window.peek(T::kLiteralBits)];
        before = window.bits;
        window.drop(entry);
        if ((entry & T::kLiteral) != 0) {
          *out++ = static_cast<std::uint8_t>(entry >> 16);
          entry = tables.literals[window.peek(T::kLiteralBits)];
          continue;
        }
      }
    }
    if ((entry & T::kExceptional) != 0) [[unlikely]] {
      if ((entry & T::kPointer) != 0) {
        entry = tables.literals[(entry >> 16) + window.peek((entry >> 8) & 15)];
        before = window.bits;
        window.drop(entry);
      }
      if ((entry & T::kLiteral) != 0) {
        *out++ = static_cast<std::uint8_t>(entry >> 16);
        entry = tables.literals[window.peek(T::kLiteralBits)];
        continue;
      }
      if ((entry & T::kExceptional) != 0) {
        stop = (entry & T::kEnd) != 0 ? InflateStop::kEndOfBlock : InflateStop::kInvalidCode;
        break;
      }
    }
    const std::uint32_t length = value_of(entry, before);
    // 14 bits are left at least: enough for the first table. A distance takes at most 28.
    entry = tables.distances[window.peek(T::kDistanceBits)];
    window.refill();
    if ((entry & T::kExceptional) != 0) [[unlikely]] {
      if ((entry & T::kPointer) != 0) {
        window.drop(entry);
        entry = tables.distances[(entry >> 16) + window.peek((entry >> 8) & 15)];
      }
      if ((entry & T::kExceptional) != 0) {
        stop = InflateStop::kInvalidCode;
        break;
      }
    }
    const std::uint32_t distance = value_of(entry, window.bits);
    window.drop(entry);
    entry = tables.literals[window.peek(T::kLiteralBits)];
    if constexpr (kFar) {
      const auto near = static_cast<std::size_t>(out - cursor.floor);
      if (distance > near) [[unlikely]] {
        cursor.length = length;
        cursor.distance = distance;
        stop = InflateStop::kFarMatch;
        break;
      }
    }
    copy_near(out, length, distance);
    out += length;
  }
  give_back_bytes(cursor, window, out);
  return stop;
}

SEAMARK_INLINE InflateStop inflate_codes(InflateCursor& cursor, const InflateTables& tables) {
  const auto near = static_cast<std::size_t>(cursor.out - cursor.floor);
  return near >= kInflateReach ? inflate_codes<false>(cursor, tables) : inflate_codes<true>(cursor, tables);
}

#undef SEAMARK_INLINE

}  // namespace
}  // namespace seamark::usage
