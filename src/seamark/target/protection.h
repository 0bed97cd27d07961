// What keeps cases from the user's own things, and what of it this machine lacks.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "seamark/proc/sandbox.h"

namespace seamark::target {

struct Safeguard {
  std::string what;    // "home folder read-only"
  bool here = false;   // on this machine
  std::string detail;  // of what is here: how; else why not
  std::string remedy;  // where it is not; may be empty
};

struct Protection {
  proc::Sandbox sandbox;  // as much as this machine permits
  std::vector<Safeguard> safeguards;
};

// `home`: the user's own folder; nullopt: there is none. Tries what the system permits (some 10 ms). A home
// that is
// "/" or the folder of temporary files cannot be closed; one that holds that folder keeps it open.
[[nodiscard]] Protection find_protection(const std::optional<std::string>& home,
                                         const std::filesystem::path& temporary);

// Whether `path` is `folder` or below it, symbolic links resolved.
[[nodiscard]] bool is_within(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace seamark::target
