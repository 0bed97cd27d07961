#include "seamark/usage/inflate_tables.h"

#include <algorithm>
#include <array>
#include <bit>

namespace seamark::usage {
namespace {

using T = InflateTables;
constexpr unsigned kLongest = T::kLongestCode;
constexpr std::size_t kMostSymbols = 288;

// Of a symbol; its code's length is yet to be added.
constexpr std::uint32_t with_extra(unsigned least, unsigned extra) { return (least << 16) | extra; }

constexpr std::array<std::uint32_t, kMostSymbols> literal_entries() {
  std::array<std::uint32_t, kMostSymbols> entries{};
  for (std::uint32_t i = 0; i < 256; ++i) entries[i] = T::kLiteral | (i << 16);
  entries[256] = T::kExceptional | T::kEnd;
  unsigned least = 3;
  for (std::uint32_t i = 0; i < 28; ++i) {
    const unsigned extra = i < 8 ? 0 : i / 4 - 1;
    entries[257 + i] = with_extra(least, extra);
    least += 1u << extra;
  }
  entries[285] = with_extra(258, 0);
  entries[286] = entries[287] = T::kExceptional;
  return entries;
}

constexpr std::array<std::uint32_t, 32> distance_entries() {
  std::array<std::uint32_t, 32> entries{};
  unsigned least = 1;
  for (std::uint32_t i = 0; i < 30; ++i) {
    const unsigned extra = i < 4 ? 0 : i / 2 - 1;
    entries[i] = with_extra(least, extra);
    least += 1u << extra;
  }
  entries[30] = entries[31] = T::kExceptional;
  return entries;
}

constexpr std::array<std::uint32_t, 19> length_entries() {
  std::array<std::uint32_t, 19> entries{};
  for (std::uint32_t i = 0; i < 19; ++i) entries[i] = i << 16;
  return entries;
}

constexpr auto kLiteralEntries = literal_entries();
constexpr auto kDistanceEntries = distance_entries();
constexpr auto kLengthEntries = length_entries();

// The symbols in the order of their codes.
struct Sorted {
  std::array<std::uint16_t, kLongest + 1> counts{};  // of codes of each length
  std::array<std::uint16_t, kMostSymbols> symbols{};
  unsigned longest = 0;
};

void sort(std::span<const std::uint8_t> lengths, Sorted& sorted) {
  for (const std::uint8_t length : lengths) ++sorted.counts[length];
  std::array<std::uint16_t, kLongest + 1> places{};
  for (unsigned i = 1; i <= kLongest; ++i) {
    if (sorted.counts[i] > 0) sorted.longest = i;
    if (i < kLongest) places[i + 1] = static_cast<std::uint16_t>(places[i] + sorted.counts[i]);
  }
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] > 0) sorted.symbols[places[lengths[i]]++] = static_cast<std::uint16_t>(i);
  }
}

enum class Shape : std::uint8_t { kInvalid, kComplete, kIncomplete };

Shape shape_of(const Sorted& sorted) {
  std::int32_t left = 1;
  for (unsigned i = 1; i <= kLongest; ++i) {
    left = 2 * left - sorted.counts[i];
    if (left < 0) return Shape::kInvalid;
  }
  if (left == 0) return Shape::kComplete;
  return sorted.longest <= 1 ? Shape::kIncomplete : Shape::kInvalid;
}

constexpr std::uint32_t with_length(std::uint32_t entry, unsigned length) {
  return entry + (length << 8) + length;
}

// Codes stand with their first bit lowest: the next one of the same length, counted from that end.
std::uint32_t next_code(std::uint32_t code, unsigned length) {
  const std::uint32_t zeros = ~code & ((1u << length) - 1);
  if (zeros == 0) return 0;  // it was the last of all
  const std::uint32_t carry = std::bit_floor(zeros);
  return (code & (carry - 1)) | carry;
}

class TableMaker {
 public:
  TableMaker(const Sorted& sorted, std::span<const std::uint32_t> entries, unsigned bits,
             std::uint32_t* table)
      : sorted_(sorted), entries_(entries), bits_(bits), table_(table) {}

  void make() {
    // A code of n bits is found by all numbers that end in it: the table is written for n bits, and doubled.
    const std::uint32_t first = std::min(sorted_.longest, bits_);
    std::size_t written = 2;
    for (unsigned length = 1; length <= first; ++length) {
      for (unsigned i = 0; i < sorted_.counts[length]; ++i) place(length, 0, table_);
      if (length < bits_) double_table(written);
    }
    for (unsigned length = first + 1; length < bits_; ++length) double_table(written);
    if (sorted_.longest > bits_) make_second_tables();
  }

 private:
  void place(unsigned length, unsigned skipped, std::uint32_t* table) {
    table[code_ >> skipped] = with_length(entries_[sorted_.symbols[symbol_++]], length - skipped);
    code_ = next_code(code_, length);
  }

  void double_table(std::size_t& written) {
    std::copy_n(table_, written, table_ + written);
    written *= 2;
  }

  void make_second_tables() {
    const std::uint32_t mask = (1u << bits_) - 1;
    std::uint32_t end = 1u << bits_;
    std::uint32_t begin = 0;
    std::uint32_t prefix = ~0u;
    unsigned second_bits = 0;
    std::array<std::uint16_t, kLongest + 1> left = sorted_.counts;
    for (unsigned length = bits_ + 1; length <= sorted_.longest; ++length) {
      for (; left[length] > 0; --left[length]) {
        if ((code_ & mask) != prefix) {
          prefix = code_ & mask;
          second_bits = second_size(left, length);
          begin = end;
          end += 1u << second_bits;
          table_[prefix] = T::kExceptional | T::kPointer | (begin << 16) | (second_bits << 8) | bits_;
        }
        const std::uint32_t entry = with_length(entries_[sorted_.symbols[symbol_++]], length - bits_);
        for (std::uint32_t at = begin + (code_ >> bits_); at < end; at += 1u << (length - bits_))
          table_[at] = entry;
        code_ = next_code(code_, length);
      }
    }
  }

  // How many bits a second table takes whose first code is `length` long: until all that they can be is
  // taken.
  unsigned second_size(const std::array<std::uint16_t, kLongest + 1>& left, unsigned length) const {
    unsigned size = length - bits_;
    std::int32_t room = (1 << size) - left[length];
    while (room > 0 && size + bits_ < sorted_.longest) {
      ++size;
      room = 2 * room - left[bits_ + size];
    }
    return size;
  }

  const Sorted& sorted_;
  std::span<const std::uint32_t> entries_;
  unsigned bits_;
  std::uint32_t* table_;
  std::uint32_t code_ = 0;
  std::size_t symbol_ = 0;
};

bool make_table(std::span<const std::uint8_t> lengths, std::span<const std::uint32_t> entries, unsigned bits,
                std::uint32_t* table, bool may_be_incomplete = true) {
  Sorted sorted;
  sort(lengths, sorted);
  const Shape shape = shape_of(sorted);
  if (shape == Shape::kInvalid || (shape == Shape::kIncomplete && !may_be_incomplete)) return false;
  if (shape == Shape::kIncomplete)
    std::fill_n(table, std::size_t{1} << bits, with_length(T::kExceptional, 1));
  TableMaker(sorted, entries, bits, table).make();
  return true;
}

}  // namespace

bool make_literal_table(std::span<const std::uint8_t> lengths, InflateTables& tables) {
  return make_table(lengths, kLiteralEntries, T::kLiteralBits, tables.literals);
}

bool make_distance_table(std::span<const std::uint8_t> lengths, InflateTables& tables) {
  return make_table(lengths, kDistanceEntries, T::kDistanceBits, tables.distances);
}

bool make_length_table(std::span<const std::uint8_t> lengths,
                       std::span<std::uint32_t, 1 << kLengthCodeBits> table) {
  return make_table(lengths, kLengthEntries, kLengthCodeBits, table.data(), false);
}

void make_fixed_tables(InflateTables& tables) {
  std::array<std::uint8_t, 288> literals{};
  for (std::size_t i = 0; i < literals.size(); ++i) {
    literals[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  }
  std::array<std::uint8_t, 32> distances{};
  distances.fill(5);
  (void)make_literal_table(literals, tables);
  (void)make_distance_table(distances, tables);
}

}  // namespace seamark::usage
