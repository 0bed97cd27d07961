// One step of UTF-8 decoding, for the .cc files of this room.
#pragma once

#include <cstddef>
#include <string_view>

namespace seamark::utf8 {

struct Step {
  char32_t code_point;  // of a valid character
  std::size_t length;   // bytes; of an invalid part (at least 1) when !valid
  bool valid;
};

// `text` is not empty. An invalid part is the longest prefix of a character that could have been valid.
[[nodiscard]] Step decode(std::string_view text);

}  // namespace seamark::utf8
