// Compiled for processors with AVX-512 VBMI (see CMakeLists.txt), and called on no others. Nothing of the
// standard library may be made here: the linker could give it to everyone.
#include "seamark/usage/skim.h"

#ifdef __AVX512VBMI__

#include <immintrin.h>

#include "seamark/usage/skim_body.h"

#define SEAMARK_INLINE [[gnu::always_inline]] inline

namespace seamark::usage {

namespace {

constexpr Kinds kKinds;  // of the bytes below 128; all others are parts of names

SEAMARK_INLINE __m512i load(const void* p) { return _mm512_loadu_si512(p); }
SEAMARK_INLINE __mmask64 equal(__m512i bytes, char c) {
  return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(c));
}

struct Avx512 {
  static constexpr unsigned kWidth = 64;

  SEAMARK_INLINE static Masks masks(const char* p) {
    const __m512i bytes = load(p);
    const __mmask64 others = _mm512_movepi8_mask(bytes);
    const __m512i classes =
        _mm512_maskz_permutex2var_epi8(~others, load(kKinds.of), bytes, load(kKinds.of + 64));
    const auto of = [classes](std::uint8_t wanted) {
      return static_cast<std::uint64_t>(
          _mm512_test_epi8_mask(classes, _mm512_set1_epi8(static_cast<char>(wanted))));
    };
    return {.in_name = of(kName) | others,
            .dot = of(kDot),
            .event = of(kEvent),
            .open = of(kOpen),
            .close = of(kClose),
            .space = of(kSpace)};
  }
  SEAMARK_INLINE static std::uint64_t commas(const char* p) { return equal(load(p), ','); }
  // Where a comprehension's `for` or a lambda may begin.
  SEAMARK_INLINE static std::uint64_t clauses(const char* p) {
    const __m512i first = load(p);
    const __m512i second = load(p + 1);
    const __m512i third = load(p + 2);
    return (equal(first, 'f') & equal(second, 'o') & equal(third, 'r')) |
           (equal(first, 'l') & equal(second, 'a') & equal(third, 'm'));
  }
  // Where "import" may begin.
  SEAMARK_INLINE static std::uint64_t imports(const char* p) {
    return equal(load(p), 'i') & equal(load(p + 5), 't') & equal(load(p + 2), 'p');
  }
  SEAMARK_INLINE static unsigned find(const char* p, char a, char b, char c) {
    const __m512i bytes = load(p);
    return static_cast<unsigned>(_tzcnt_u64(equal(bytes, a) | equal(bytes, b) | equal(bytes, c)));
  }
  SEAMARK_INLINE static unsigned spaces(const char* p) {
    return static_cast<unsigned>(_tzcnt_u64(~equal(load(p), ' ')));
  }
  // Where names begin whose first two characters the filter knows: for each of the 64 places.
  SEAMARK_INLINE static std::uint64_t pairs(const WordFilter& filter, const char* p) {
    return _mm512_test_epi8_mask(both(filter.first_low, filter.first_high, load(p)),
                                 both(filter.second_low, filter.second_high, load(p + 1)));
  }

 private:
  SEAMARK_INLINE static __m512i table(const std::uint8_t (&half)[16]) {
    return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(half)));
  }
  SEAMARK_INLINE static __m512i both(const std::uint8_t (&low)[16], const std::uint8_t (&high)[16],
                                     __m512i bytes) {
    const __m512i half = _mm512_set1_epi8(15);
    return _mm512_and_si512(
        _mm512_shuffle_epi8(table(low), _mm512_and_si512(bytes, half)),
        _mm512_shuffle_epi8(table(high), _mm512_and_si512(_mm512_srli_epi16(bytes, 4), half)));
  }
};

}  // namespace

const SkimFunctions* avx512_skim() {
  static constexpr SkimFunctions kFunctions{.lines = skim_lines<Avx512>,
                                            .brackets = skim_brackets<Avx512>,
                                            .last_comma = skim_last_comma<Avx512>,
                                            .find_import = find_import_in<Avx512>};
  return __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2")
             ? &kFunctions
             : nullptr;
}

}  // namespace seamark::usage

#else

namespace seamark::usage {

const SkimFunctions* avx512_skim() { return nullptr; }

}  // namespace seamark::usage

#endif
