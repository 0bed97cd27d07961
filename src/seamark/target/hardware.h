// The machine's hardware, as far as it shows without a framework. Looks at a few paths only.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "seamark/base/value.h"

namespace seamark::target {

// One kind of hardware, present when any of its signs is seen.
struct HardwareCheck {
  std::string name;
  std::vector<std::string> systems;    // "Darwin-arm64": the system itself is the sign
  std::vector<std::string> paths;      // exist; '*', '?' and [a-z] in the last part
  std::vector<std::string> variables;  // are set and not empty
  std::vector<std::pair<std::string, std::string>> files_containing;  // path ('*' in any part), text
  std::string missing;  // why a target that needs it is unusable
  std::string remedy;
  Value resources = nullptr;  // what Ray calls it, and how much of it a worker takes; null: nothing
};

// `root` stands for "/", for tests.
[[nodiscard]] bool is_present(const HardwareCheck& check, const std::filesystem::path& root = "/");

// Everything that was seen, as text that changes when a device comes, goes or gets another driver; for
// keys of caches.
[[nodiscard]] std::string hardware_fingerprint(const std::filesystem::path& root = "/");

// "Linux-x86_64", "Darwin-arm64".
[[nodiscard]] std::string system_name();

}  // namespace seamark::target
