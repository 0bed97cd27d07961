// A temporary folder that outlives no process for long: while its process lives it holds a lock in it, and
// whoever makes the next one removes those that nobody holds (of a process that was killed).
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include "seamark/base/fd.h"

namespace seamark {

class HeldDir {
 public:
  // As TempDir::make; `name` is a part of its name.
  static Result<HeldDir> make(std::string_view name);
  HeldDir(HeldDir&&) noexcept = default;
  HeldDir& operator=(HeldDir&&) = delete;
  ~HeldDir();
  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }

 private:
  HeldDir(FileLock lock, TempDir folder) : lock_(std::move(lock)), folder_(std::move(folder)) {}
  FileLock lock_;  // freed after the folder is gone
  TempDir folder_;
};

// Removes from `base` those that nobody holds, and such as are empty and without a lock.
void remove_abandoned_folders(const std::filesystem::path& base);

}  // namespace seamark
