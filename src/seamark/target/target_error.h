// The errors of the target room.
#pragma once

#include <string_view>

namespace seamark::target {

enum class TargetError {
  kUnreadable = 1,  // a registry or recipe file
  kBadEntry = 2,    // the problems of a file, one a line, each with file and line
  kUnknownTarget = 3,
  kUnknownEnvironment = 4,
  kNoPython = 5,     // no interpreter on PATH satisfies a recipe, or the given one is none
  kUnsupported = 6,  // a recipe is not for this system
  kInstallFailed = 7,
  kRefused = 8,  // an installation would bring packages that must not come
  kBusy = 9,     // another process installs the same environment
  kInterrupted = 10,
};
constexpr std::string_view room_of(TargetError) { return "target"; }

}  // namespace seamark::target
