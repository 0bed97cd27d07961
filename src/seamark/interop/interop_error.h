// The errors of the interop room.
#pragma once

#include <string_view>

namespace seamark::interop {

enum class InteropError {
  kUnwritable = 1,  // the file or its folder; a full disk
  kBadInput = 3,    // a file that is not what it is said to be, or of no form that is known
  kUnreadable = 4,  // a file that is not there or cannot be read
  kLost = 5,        // a part of a file, where nothing may be lost
  kBadRules = 6,    // data/import
};
constexpr std::string_view room_of(InteropError) { return "interop"; }

}  // namespace seamark::interop
