// Compiled for processors with AVX-512 VBMI2 (see CMakeLists.txt), and called on no others. Nothing of the
// standard library may be made here: the linker could give it to everyone.
#include "seamark/usage/text_kernels.h"

#ifdef __AVX512VBMI2__

#include <immintrin.h>

namespace seamark::usage {

namespace {

// The backslashes that begin an escape, of those in a block that begins with none: every other one of a run
// (G. Langdale and D. Lemire, "Parsing gigabytes of JSON per second", 3.1.1, in its newer form).
[[gnu::always_inline]] inline std::uint64_t leads_of(std::uint64_t backslashes) {
  constexpr std::uint64_t kOdd = 0xaaaaaaaaaaaaaaaau;
  return ((((backslashes << 1) | kOdd) - backslashes) ^ kOdd) & backslashes;
}

[[gnu::always_inline]] inline std::uint64_t equal(__m512i bytes, char c) {
  return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(c));
}

// The escape whose backslash stands at `from`, one that is not plain, or the end of the text.
const char* rare_escape(const char* from, const char* end, char*& to, bool& replaced) {
  if (end - from < 2) return nullptr;
  switch (from[1]) {
    case 'b':
      *to++ = '\b';
      return from + 2;
    case 'f':
      *to++ = '\f';
      return from + 2;
    case 'u':
      return unescape_unicode(from + 2, end, to, replaced);
    default:
      return nullptr;
  }
}

// 64 bytes a turn: what escapes stand for takes the place of their second bytes, and the backslashes are
// squeezed out.
Unescaped unescape(const char* from, const char* end, char* to) {
  __m512i seen = _mm512_setzero_si512();
  Unescaped result;
  while (from < end) {
    __m512i bytes = _mm512_loadu_si512(from);
    const std::uint64_t backslashes = equal(bytes, '\\');
    const std::uint64_t leads = leads_of(backslashes);
    const std::uint64_t escaped = leads << 1;
    const std::uint64_t quotes = equal(bytes, '"');
    // An escape that begins with the last byte waits for the next turn.
    std::uint64_t size = 64 - (leads >> 63);
    const std::uint64_t closing = quotes & ~escaped;
    const bool ends = closing != 0;
    if (ends) size = _tzcnt_u64(closing);

    const std::uint64_t newline = equal(bytes, 'n') & escaped;
    const std::uint64_t tab = equal(bytes, 't') & escaped;
    const std::uint64_t cr = equal(bytes, 'r') & escaped;
    const std::uint64_t plain = newline | tab | cr | backslashes | quotes | equal(bytes, '/');
    const std::uint64_t rare = _bzhi_u64(escaped & ~plain, static_cast<unsigned>(size));
    if (rare != 0) [[unlikely]]
      size = _tzcnt_u64(rare) - 1;

    bytes = _mm512_mask_mov_epi8(bytes, newline, _mm512_set1_epi8('\n'));
    bytes = _mm512_mask_mov_epi8(bytes, tab, _mm512_set1_epi8('\t'));
    bytes = _mm512_mask_mov_epi8(bytes, cr, _mm512_set1_epi8('\r'));
    const std::uint64_t kept = _bzhi_u64(~leads, static_cast<unsigned>(size));
    bytes = _mm512_maskz_compress_epi8(kept, bytes);
    seen = _mm512_or_si512(seen, bytes);
    _mm512_storeu_si512(to, bytes);
    to += _mm_popcnt_u64(kept);
    from += size;
    if (rare != 0) [[unlikely]] {
      from = rare_escape(from, end, to, result.replaced);
      if (from == nullptr) return {};
    } else if (ends) {
      if (from >= end) return {};
      result.from = from + 1;
      result.to = to;
      result.non_ascii = _mm512_movepi8_mask(seen) != 0;
      return result;
    }
  }
  return {};  // not closed
}

}  // namespace

UnescapeString avx512_unescape() {
  return __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2")
             ? &unescape
             : nullptr;
}

}  // namespace seamark::usage

#else

namespace seamark::usage {

UnescapeString avx512_unescape() { return nullptr; }

}  // namespace seamark::usage

#endif
