// What every fuzz target needs: a broken property ends the process, as a sanitizer's finding does.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "seamark/base/result.h"
#include "seamark/base/text.h"

namespace seamark::fuzz {

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

// An error can be shown: it says something, in UTF-8, and not the whole input again.
inline void require_presentable(const Error& error) {
  require(!error.message().empty(), "an error without a message");
  require(is_utf8(error.message()) && is_utf8(error.remedy()), "an error that is not UTF-8");
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// The parts before and after the first NUL byte; without one the second is empty.
inline std::pair<std::string_view, std::string_view> two_texts(std::string_view bytes) {
  const std::size_t nul = bytes.find('\0');
  if (nul == std::string_view::npos) return {bytes, {}};
  return {bytes.substr(0, nul), bytes.substr(nul + 1)};
}

}  // namespace seamark::fuzz
