// What a child is kept from, by namespaces of its own (Linux). /dev, /proc and /sys stay as they are.
#pragma once

#include <string>
#include <vector>

namespace seamark::proc {

struct Sandbox {
  std::string read_only;              // a folder, absolute, with all that is mounted below; empty: none
  std::vector<std::string> writable;  // folders below it that stay writable
  bool no_network = false;            // but for the loopback

  [[nodiscard]] bool empty() const { return read_only.empty() && !no_network; }
};

// Does this system permit it? Tried in a child of its own, a few milliseconds.
struct SandboxTrial {
  bool permitted = false;
  std::string step;      // that was refused: "make namespaces"
  int error_number = 0;  // of it
};
[[nodiscard]] SandboxTrial try_sandbox(const Sandbox& sandbox);

// For a child between fork and exec: what it needs, made before the fork.
class SandboxEntry {
 public:
  explicit SandboxEntry(const Sandbox& sandbox);
  // Async-signal-safe. nullptr: done; else the step that the system refused, and errno says why.
  [[nodiscard]] const char* enter() const;

 private:
  const char* make_namespaces() const;
  const char* close_folder() const;
  Sandbox sandbox_;
  std::string user_map_;  // "1000 1000 1"
  std::string group_map_;
};

}  // namespace seamark::proc
