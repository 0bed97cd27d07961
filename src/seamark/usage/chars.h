// Classes of bytes. Bytes from 0x80 are parts of identifiers, as letters of other scripts are in Python.
#pragma once

#include <array>
#include <cstdint>

namespace seamark::usage {

enum CharClass : std::uint8_t {
  kStartsName = 1,
  kInName = 2,
  kDigit = 4,
  kBlank = 8,  // space, tab, form feed, carriage return
};

constexpr std::array<std::uint8_t, 256> char_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (int c = 0; c < 256; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
    const bool digit = c >= '0' && c <= '9';
    const bool blank = c == ' ' || c == '\t' || c == '\f' || c == '\r';
    classes[static_cast<std::size_t>(c)] = static_cast<std::uint8_t>(
        (letter ? kStartsName | kInName : 0) | (digit ? kInName | kDigit : 0) | (blank ? kBlank : 0));
  }
  return classes;
}
inline constexpr std::array<std::uint8_t, 256> kCharClasses = char_classes();

inline bool is_a(char c, int classes) { return (kCharClasses[static_cast<unsigned char>(c)] & classes) != 0; }

}  // namespace seamark::usage
