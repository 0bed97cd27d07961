// Programs for the tests of this room: the test binary itself, which does one thing and ends before
// main() when SEAMARK_PROC_HELPER names it (helper_test.cc).
#pragma once

#include <chrono>
#include <initializer_list>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "seamark/base/home.h"
#include "seamark/proc/child.h"

namespace seamark::proc {

// What to start for `action`.
inline SpawnOptions helper(const std::string& action) {
  SpawnOptions options;
  options.argv = {executable_path().native()};
  // The sanitizers must not turn signals into exit codes.
  const std::string plain = "handle_segv=0:handle_abort=0:handle_sigfpe=0:detect_leaks=0";
  options.environment = {{"SEAMARK_PROC_HELPER", action}, {"ASAN_OPTIONS", plain}, {"TSAN_OPTIONS", plain}};
  return options;
}

inline SpawnOptions shell(const std::string& script, std::initializer_list<std::string> arguments = {}) {
  SpawnOptions options;
  options.argv = {"/bin/sh", "-c", script, "sh"};
  options.argv.insert(options.argv.end(), arguments);
  return options;
}

inline Child started(const SpawnOptions& options) {
  Result<Child> child = Child::spawn(options);
  if (!child) throw std::runtime_error(child.error().message());
  return std::move(*child);
}

// Waits for a condition for at most ten seconds.
template <typename Condition>
bool eventually(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

// How it ended, within that time; the zombie stays.
inline std::optional<ExitState> end_of(Child& child) {
  eventually([&] { return child.try_wait().has_value(); });
  return child.try_wait();
}

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace seamark::proc
