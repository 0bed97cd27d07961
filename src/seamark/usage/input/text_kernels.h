// The loops over every byte of a corpus, compiled for each instruction set and chosen at run time (Highway).
#pragma once

#include <cstddef>
#include <cstdint>

#include "seamark/usage/input/prefilter.h"

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

}  // namespace seamark::usage
