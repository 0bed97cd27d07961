// Classes of bytes. Bytes from 0x80 are parts of identifiers, as letters of other scripts are in Python.
#pragma once

#include <array>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace seamark::usage {

enum CharClass : std::uint8_t {
  kStartsName = 1,
  kInName = 2,
  kDigit = 4,
  kBlank = 8,     // space, tab, form feed
  kSkipped = 16,  // what may have to be skipped between tokens: blanks, line ends, comments
};

constexpr std::array<std::uint8_t, 256> char_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (int c = 0; c < 256; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
    const bool digit = c >= '0' && c <= '9';
    const bool blank = c == ' ' || c == '\t' || c == '\f';
    const bool skipped = blank || c == '\n' || c == '#' || c == '\\';
    const int all = (letter ? kStartsName | kInName : 0) | (digit ? kInName | kDigit : 0) |
                    (blank ? kBlank : 0) | (skipped ? kSkipped : 0);
    classes[static_cast<std::size_t>(c)] = static_cast<std::uint8_t>(all);
  }
  return classes;
}
inline constexpr std::array<std::uint8_t, 256> kCharClasses = char_classes();

inline bool is_a(char c, int classes) { return (kCharClasses[static_cast<unsigned char>(c)] & classes) != 0; }

// Behind the name that p is in; 16 bytes behind it can be read.
inline const char* name_end(const char* p) {
#ifdef __SSE2__
  for (;; p += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i lower = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
    // Signed: bytes from 0x80 are below zero.
    const __m128i letter = _mm_and_si128(_mm_cmpgt_epi8(lower, _mm_set1_epi8('a' - 1)),
                                         _mm_cmplt_epi8(lower, _mm_set1_epi8('z' + 1)));
    const __m128i digit = _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8('0' - 1)),
                                        _mm_cmplt_epi8(bytes, _mm_set1_epi8('9' + 1)));
    const __m128i other = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('_')), bytes);
    const int in = _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(letter, digit), other));
    if (in != 0xffff) return p + __builtin_ctz(~static_cast<unsigned>(in));
  }
#else
  while (is_a(*p, kInName)) ++p;
  return p;
#endif
}

}  // namespace seamark::usage
