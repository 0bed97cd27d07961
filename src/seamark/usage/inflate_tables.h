// The tables of a block's codes, out of the lengths of the codes.
#pragma once

#include <cstdint>
#include <span>

#include "seamark/usage/inflate.h"

namespace seamark::usage {

// Each takes the length of every symbol's code, 0: it has none; false: no canonical Huffman code has such
// lengths. One code alone may be a bit long, and there may be no distance codes at all; otherwise all bits
// must lead somewhere.
bool make_literal_table(std::span<const std::uint8_t> lengths, InflateTables& tables);
bool make_distance_table(std::span<const std::uint8_t> lengths, InflateTables& tables);

// Lengths of the codes that the lengths are written in, up to 7: symbol << 16 | length.
constexpr unsigned kLengthCodeBits = 7;
bool make_length_table(std::span<const std::uint8_t> lengths,
                       std::span<std::uint32_t, 1 << kLengthCodeBits> table);

// The codes of RFC 1951, 3.2.6.
void make_fixed_tables(InflateTables& tables);

}  // namespace seamark::usage
