// The loops over every byte of a corpus, compiled for each instruction set and chosen at run time (Highway).
#pragma once

#include <cstddef>
#include <cstdint>

#include "seamark/usage/prefilter.h"

namespace seamark::usage {

// The first byte in [from, until) that is `stop`, or where a needle's probe is and its first bytes stand
// around it, none of them before `begin`; `until`: none. kSearchPadding bytes behind `until` are readable.
[[nodiscard]] const char* find_event(const char* begin, const char* from, const char* until,
                                     const Probes& probes, char stop);

struct Unescaped {
  const char* from = nullptr;  // behind the closing quote; null: the string is not closed, or not JSON
  char* to = nullptr;          // behind the text
  bool non_ascii = false;      // something in it may be no ASCII
  bool replaced = false;       // a lone surrogate has become U+FFFD
};
// The JSON string whose first byte behind the quote is `from`, as UTF-8 to `to`, which has room for end -
// from bytes and kSearchPadding. Bytes that are no UTF-8 are copied as they are, raw control characters too.
[[nodiscard]] Unescaped unescape_string(const char* from, const char* end, char* to);

// The same by other means; nullptr: not on this processor.
using UnescapeString = Unescaped (*)(const char* from, const char* end, char* to);
UnescapeString avx512_unescape();

// What unescape_string() meets behind a backslash, rarely: `from` is the byte behind "\u". Null: not JSON.
const char* unescape_unicode(const char* from, const char* end, char*& to, bool& replaced);

// For tests: how many ways this machine knows, and using one of them (-1: the best) from now on.
[[nodiscard]] int kernel_count();
void use_kernel(int index);

}  // namespace seamark::usage
