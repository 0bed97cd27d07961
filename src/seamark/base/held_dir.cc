#include "seamark/base/held_dir.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <system_error>

namespace seamark {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLockName = ".lock";
constexpr std::string_view kOurs = "seamark-held-";  // nobody else's names begin so
constexpr int kTries = 10;

bool is_own_folder(const fs::path& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid();
}

// The lock goes last: whoever is killed meanwhile leaves a folder that can be told from others.
void remove_folder(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    std::error_code ignored;
    if (at->path().filename() != kLockName) fs::remove_all(at->path(), ignored);
  }
  fs::remove_all(folder, error);
}

}  // namespace

void remove_abandoned_folders(const fs::path& base) {
  std::error_code error;
  for (fs::directory_iterator at(base, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    const fs::path& folder = at->path();
    const fs::path lock = folder / kLockName;
    if (!folder.filename().native().starts_with(kOurs) || !is_own_folder(folder)) continue;
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(lock, ignored))) {
      ::rmdir(folder.c_str());  // only if empty: its process ended before it had the lock, or after
      continue;
    }
    if (!fs::is_regular_file(fs::symlink_status(lock, ignored))) continue;
    const Result<FileLock> held = FileLock::try_acquire(lock);
    if (held) remove_folder(folder);
  }
}

HeldDir::~HeldDir() {
  if (!path().empty()) remove_folder(path());
}

Result<HeldDir> HeldDir::make(std::string_view name) {
  std::error_code error;
  const fs::path base = fs::temp_directory_path(error);
  if (!error) remove_abandoned_folders(base);
  for (int tries = 1;; ++tries) {
    Result<TempDir> folder = TempDir::make(fmt::format("{}{}", kOurs, name));
    if (!folder) return folder.error();
    Result<FileLock> lock = FileLock::try_acquire(folder->path() / kLockName);
    // Another process may have found the lock before it was taken here, and have removed the folder.
    const bool there = fs::exists(folder->path() / kLockName, error);
    if (lock && there) return HeldDir(std::move(*lock), std::move(*folder));
    if (tries == kTries) {
      return lock ? io_error(ENOENT, "cannot keep a temporary folder") : lock.error();
    }
  }
}

}  // namespace seamark
