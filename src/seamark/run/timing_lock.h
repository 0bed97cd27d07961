// The locks of a host that exclude each other's timing, whoever's the processes are.
#pragma once

#include <filesystem>
#include <optional>

#include "seamark/base/fd.h"
#include "seamark/base/result.h"

namespace seamark::run {

// A folder of this host that every user may put files into, none may take another's away from, and whose path
// is the same for all: /run/lock or /tmp. nullopt: there is none.
[[nodiscard]] std::optional<std::filesystem::path> shared_lock_dir(const std::filesystem::path& root = "/");

// An exclusive lock (flock) on a file that is made when missing and never removed. Another user's file will
// do: it is opened for reading alone, and never written. Freed on destruction and by the death of the
// process; children do not inherit it.
class TimingLock {
 public:
  // kLocked when another holder has it; the message names its process where the system tells. A link, or what
  // is no file, is refused.
  static Result<TimingLock> try_acquire(const std::filesystem::path& path);

 private:
  explicit TimingLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace seamark::run
