// Classes of bytes. Bytes from 0x80 are parts of identifiers, as letters of other scripts are in Python.
#pragma once

#include <array>
#include <cstdint>

namespace seamark::usage {

enum CharClass : std::uint8_t {
  kStartsName = 1,
  kInName = 2,
  kDigit = 4,
  kBlank = 8,      // space, tab, form feed
  kSkipped = 16,   // what may have to be skipped between tokens: blanks, line ends, comments
  kInString = 32,  // what a string goes on with, whichever it is
};

constexpr std::array<std::uint8_t, 256> char_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (int c = 0; c < 256; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
    const bool digit = c >= '0' && c <= '9';
    const bool blank = c == ' ' || c == '\t' || c == '\f';
    const bool skipped = blank || c == '\n' || c == '#' || c == '\\';
    const bool in_string = c != '"' && c != '\'' && c != '\\' && c != '\n';
    const int all = (letter ? kStartsName | kInName : 0) | (digit ? kInName | kDigit : 0) |
                    (blank ? kBlank : 0) | (skipped ? kSkipped : 0) | (in_string ? kInString : 0);
    classes[static_cast<std::size_t>(c)] = static_cast<std::uint8_t>(all);
  }
  return classes;
}
inline constexpr std::array<std::uint8_t, 256> kCharClasses = char_classes();

inline bool is_a(char c, int classes) { return (kCharClasses[static_cast<unsigned char>(c)] & classes) != 0; }

// Behind the name that p is in; what is no part of it stands behind it.
inline const char* name_end(const char* p) {
  while (is_a(*p, kInName)) ++p;
  return p;
}

}  // namespace seamark::usage
