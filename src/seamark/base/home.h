// Where Seamark's own files lie, and where it may keep what it can make again.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "seamark/base/result.h"

namespace seamark {

enum class HomeError { kNotFound = 1 };
constexpr std::string_view room_of(HomeError) { return "home"; }

// The folder that holds `data/` and `python/`. The first of these that does:
//   $SEAMARK_HOME                    (set but not a home: an error, nothing else is tried)
//   <folder of the executable>/../_home           a wheel
//   <folder of the executable>/../share/seamark   cmake --install
//   the source tree that was built                a build tree
Result<std::filesystem::path> find_home();

// The same with everything given, for tests.
struct HomeQuery {
  std::optional<std::string> override_path;
  std::filesystem::path executable;
  std::filesystem::path source_dir;
};
Result<std::filesystem::path> find_home(const HomeQuery& query);

// Absolute, symbolic links resolved; empty when the system does not say.
[[nodiscard]] std::filesystem::path executable_path();

// $SEAMARK_CACHE, $XDG_CACHE_HOME/seamark, ~/.cache/seamark (~/Library/Caches/seamark on macOS); not
// made here. Relative values of XDG_CACHE_HOME are ignored, as its specification says.
[[nodiscard]] std::filesystem::path user_cache_dir();

// $XDG_STATE_HOME/seamark, ~/.local/state/seamark (~/Library/Application Support/seamark on macOS); empty
// where there is no home. What is in it cannot be made again.
[[nodiscard]] std::filesystem::path user_state_dir();

// nullopt when unset or empty.
[[nodiscard]] std::optional<std::string> environment_variable(std::string_view name);

}  // namespace seamark
