#include "seamark/run/timing_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/sysmacros.h>
#endif

#include <cerrno>
#include <utility>

#include "seamark/base/text.h"

namespace seamark::run {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOpenToAll = S_ISVTX | S_IWOTH | S_IXOTH;
constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;  // O_NONBLOCK: a FIFO in its place cannot hold us

// First without O_CREAT: where files of others are protected (fs.protected_regular), that flag alone would be
// refused on one of another user's.
Result<UniqueFd> open_lock(const fs::path& path) {
  for (bool again = true;; again = false) {
    Result<UniqueFd> there = open_file(path, kFlags);
    if (there || !there.error().is(IoError::kNotFound)) return there;
    Result<UniqueFd> made = open_file(path, kFlags | O_CREAT | O_EXCL, 0644);
    if (!made && again) continue;                 // another may have made it meanwhile
    if (made) (void)::fchmod(made->get(), 0644);  // whatever the umask
    return made;
  }
}

// "process 12" of Linux's table of locks, else "another process".
std::string holder_of(const struct stat& file) {
  std::string holder = "another process";
#ifdef __linux__
  const Result<std::string> table = read_file("/proc/locks");
  if (!table) return holder;
  const std::string id = fmt::format("{:02x}:{:02x}:{}", major(file.st_dev), minor(file.st_dev), file.st_ino);
  for (const std::string_view line : split_lines(*table)) {  // 1: FLOCK ADVISORY WRITE PID DEVICE:INODE 0 EOF
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() > 5 && words[1] == "FLOCK" && words[5] == id && parse_int(words[4]).value_or(0) > 0) {
      holder = fmt::format("process {}", words[4]);
    }
  }
#endif
  return holder;
}

}  // namespace

std::optional<fs::path> shared_lock_dir(const fs::path& root) {
  for (const char* name : {"run/lock", "tmp"}) {
    fs::path folder = root / name;
    struct stat status = {};
    if (::stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
        (status.st_mode & kOpenToAll) == kOpenToAll) {
      return folder;
    }
  }
  return std::nullopt;
}

Result<TimingLock> TimingLock::try_acquire(const fs::path& path) {
  Result<UniqueFd> fd = open_lock(path);
  if (!fd) return fd.error();
  struct stat status = {};
  if (::fstat(fd->get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return Error(IoError::kOther, fmt::format("{} is no file", one_line(path.native())));
  }
  int rc = 0;
  do {
    rc = ::flock(fd->get(), LOCK_EX | LOCK_NB);
  } while (rc != 0 && errno == EINTR);
  if (rc != 0 && errno == EWOULDBLOCK) {
    return Error(IoError::kLocked,
                 fmt::format("{} is locked by {}", one_line(path.native()), holder_of(status)),
                 "wait until it has ended, or end it");
  }
  if (rc != 0) return io_error(errno, fmt::format("cannot lock {}", one_line(path.native())));
  return TimingLock(std::move(*fd));
}

}  // namespace seamark::run
