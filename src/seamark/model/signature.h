// The signature of a failure: function, stage, type, and the message without what varies by chance. Equal
// signatures: the same failure.
#pragma once

#include <string>
#include <string_view>

namespace seamark {

// Numbers, addresses and paths replaced, spaces collapsed, lines of Python stacks left out. Digits inside a
// name (float32, argsort_2d) stay.
std::string normalize_message(std::string_view message);

// 16 hex digits.
std::string signature_of(std::string_view function, std::string_view stage, std::string_view type,
                         std::string_view message);

}  // namespace seamark
