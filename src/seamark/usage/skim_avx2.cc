// Compiled for processors with AVX2 (see CMakeLists.txt), and called on no others. Nothing of the standard
// library may be made here: the linker could give it to everyone.
#include "seamark/usage/skim.h"

#ifdef __AVX2__

#include <immintrin.h>

#include "seamark/usage/skim_body.h"

#define SEAMARK_INLINE [[gnu::always_inline]] inline

namespace seamark::usage {

namespace {

// A byte's class is what the tables of its halves have in common.
enum Class : std::uint8_t {
  kDigit = 1,       // 3, 0 to 9
  kLetterLow = 2,   // 4 and 6, 1 to 15
  kLetterHigh = 4,  // 5 and 7, 0 to 10
  kUnderscore = 8,  // 5, 15
  kOther = 16,      // 8 to 15, all
  kQuote = 32,      // 2: " # '
  kNewline = 64,    // 0, 10
  kBackslash = 128  // 5, 12
};
constexpr std::uint8_t kNames = kDigit | kLetterLow | kLetterHigh | kUnderscore | kOther;

SEAMARK_INLINE __m256i table(const std::uint8_t (&half)[16]) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(half)));
}

constexpr std::uint8_t kAll = kOther;
constexpr std::uint8_t kLow = kLetterLow | kAll;
alignas(16) constexpr std::uint8_t kByLow[16] = {
    kDigit | kLetterHigh | kAll,           // 0
    kDigit | kLetterHigh | kLow,           // 1
    kDigit | kLetterHigh | kLow | kQuote,  // 2
    kDigit | kLetterHigh | kLow | kQuote,  // 3
    kDigit | kLetterHigh | kLow,           // 4
    kDigit | kLetterHigh | kLow,           // 5
    kDigit | kLetterHigh | kLow,           // 6
    kDigit | kLetterHigh | kLow | kQuote,  // 7
    kDigit | kLetterHigh | kLow,           // 8
    kDigit | kLetterHigh | kLow,           // 9
    kLetterHigh | kLow | kNewline,         // 10
    kLow,                                  // 11
    kLow | kBackslash,                     // 12
    kLow,                                  // 13
    kLow,                                  // 14
    kLow | kUnderscore,                    // 15
};
alignas(16) constexpr std::uint8_t kByHigh[16] = {
    kNewline,   0,           kQuote, kDigit, kLetterLow, kLetterHigh | kUnderscore | kBackslash,
    kLetterLow, kLetterHigh, kOther, kOther, kOther,     kOther,
    kOther,     kOther,      kOther, kOther,
};

SEAMARK_INLINE std::uint64_t bits(__m256i low, __m256i high) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
         static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(high))) << 32;
}

SEAMARK_INLINE __m256i load(const char* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
SEAMARK_INLINE __m256i equal(__m256i bytes, char c) { return _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(c)); }

SEAMARK_INLINE __m256i classes(__m256i bytes) {
  const __m256i half = _mm256_set1_epi8(15);
  const __m256i low = _mm256_shuffle_epi8(table(kByLow), _mm256_and_si256(bytes, half));
  const __m256i high =
      _mm256_shuffle_epi8(table(kByHigh), _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half));
  return _mm256_and_si256(low, high);
}
// Of no class among these.
SEAMARK_INLINE __m256i none_of(__m256i classes, std::uint8_t wanted) {
  return equal(_mm256_and_si256(classes, _mm256_set1_epi8(static_cast<char>(wanted))), 0);
}
SEAMARK_INLINE __m256i brackets(__m256i bytes, char round,
                                char curly) {  // [ and ] are the curly ones without a bit
  return _mm256_or_si256(equal(bytes, round), equal(_mm256_or_si256(bytes, _mm256_set1_epi8(32)), curly));
}

struct Avx2 {
  static constexpr unsigned kWidth = 32;

  SEAMARK_INLINE static Masks masks(const char* p) {
    const __m256i a = load(p);
    const __m256i b = load(p + 32);
    const __m256i class_a = classes(a);
    const __m256i class_b = classes(b);
    constexpr auto kEvents = static_cast<std::uint8_t>(~kNames);
    return {
        .in_name = ~bits(none_of(class_a, kNames), none_of(class_b, kNames)),
        .dot = bits(equal(a, '.'), equal(b, '.')),
        .event = ~bits(none_of(class_a, kEvents), none_of(class_b, kEvents)),
        .open = bits(brackets(a, '(', '{'), brackets(b, '(', '{')),
        .close = bits(brackets(a, ')', '}'), brackets(b, ')', '}')),
        .space = bits(equal(a, ' '), equal(b, ' ')),
    };
  }
  SEAMARK_INLINE static std::uint64_t commas(const char* p) {
    return bits(equal(load(p), ','), equal(load(p + 32), ','));
  }
  // Where a comprehension's `for` or a lambda may begin.
  SEAMARK_INLINE static std::uint64_t clauses(const char* p) { return bits(clause(p), clause(p + 32)); }
  SEAMARK_INLINE static __m256i clause(const char* p) {
    const __m256i first = load(p);
    const __m256i second = load(p + 1);
    const __m256i third = load(p + 2);
    const auto word = [&](char a, char b, char c) {
      return _mm256_and_si256(equal(first, a), _mm256_and_si256(equal(second, b), equal(third, c)));
    };
    return _mm256_or_si256(word('f', 'o', 'r'), word('l', 'a', 'm'));
  }
  // Where "import" may begin.
  SEAMARK_INLINE static std::uint64_t imports(const char* p) { return bits(import_at(p), import_at(p + 32)); }
  SEAMARK_INLINE static __m256i import_at(const char* p) {
    const __m256i ends = _mm256_and_si256(equal(load(p), 'i'), equal(load(p + 5), 't'));
    return _mm256_and_si256(ends, equal(load(p + 2), 'p'));
  }
  SEAMARK_INLINE static unsigned find(const char* p, char a, char b, char c) {
    const __m256i bytes = load(p);
    const __m256i found = _mm256_or_si256(_mm256_or_si256(equal(bytes, a), equal(bytes, b)), equal(bytes, c));
    return first(static_cast<std::uint32_t>(_mm256_movemask_epi8(found)));
  }
  SEAMARK_INLINE static unsigned spaces(const char* p) {
    return first(~static_cast<std::uint32_t>(_mm256_movemask_epi8(equal(load(p), ' '))));
  }
  // Where names begin whose first two characters the filter knows: for each of the 64 places.
  SEAMARK_INLINE static std::uint64_t pairs(const WordFilter& filter, const char* p) {
    return bits(pair(filter, p), pair(filter, p + 32));
  }
  SEAMARK_INLINE static __m256i pair(const WordFilter& filter, const char* p) {
    const __m256i first = both(filter.first_low, filter.first_high, load(p));
    const __m256i second = both(filter.second_low, filter.second_high, load(p + 1));
    return _mm256_cmpgt_epi8(_mm256_min_epu8(_mm256_and_si256(first, second), _mm256_set1_epi8(1)),
                             _mm256_setzero_si256());
  }
  SEAMARK_INLINE static __m256i both(const std::uint8_t (&low)[16], const std::uint8_t (&high)[16],
                                     __m256i bytes) {
    const __m256i half = _mm256_set1_epi8(15);
    return _mm256_and_si256(
        _mm256_shuffle_epi8(table(low), _mm256_and_si256(bytes, half)),
        _mm256_shuffle_epi8(table(high), _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half)));
  }
  SEAMARK_INLINE static unsigned first(std::uint32_t found) {
    return found == 0 ? 32 : static_cast<unsigned>(__builtin_ctz(found));
  }
};

}  // namespace

const SkimFunctions* avx2_skim() {
  static constexpr SkimFunctions kFunctions{.lines = skim_lines<Avx2>,
                                            .brackets = skim_brackets<Avx2>,
                                            .last_comma = skim_last_comma<Avx2>,
                                            .find_import = find_import_in<Avx2>};
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") ? &kFunctions : nullptr;
}

}  // namespace seamark::usage

#else

namespace seamark::usage {

const SkimFunctions* avx2_skim() { return nullptr; }

}  // namespace seamark::usage

#endif
