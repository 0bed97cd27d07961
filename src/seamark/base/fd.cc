#include "seamark/base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "seamark/base/file_writer.h"
#include "seamark/base/input_file.h"
#include "seamark/base/text.h"

namespace seamark {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kChunk = std::size_t{64} << 10;

IoError code_of(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return IoError::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
      return IoError::kPermission;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return IoError::kNoSpace;
    case EPIPE:
      return IoError::kClosed;
    default:
      return IoError::kOther;
  }
}

std::string_view remedy_for(IoError code) {
  switch (code) {
    case IoError::kNoSpace:
      return "free some space, raise its limit (quota, ulimit -f), or use another disk";
    case IoError::kPermission:
      return "check who owns it and its permissions";
    default:
      return "";
  }
}

std::string shown(const fs::path& path) { return one_line(path.native()); }

// Appends at most `max_bytes` to `out`, or kChunk; errno is set on kFailed.
enum class ReadOnce { kData, kEnd, kWouldBlock, kFailed };

ReadOnce read_once(int fd, std::string& out, std::size_t max_bytes) {
  const std::size_t before = out.size();
  out.resize(before + std::min(max_bytes, kChunk));
  ssize_t got = 0;
  do {
    got = ::read(fd, out.data() + before, out.size() - before);
  } while (got < 0 && errno == EINTR);
  out.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (got > 0) return ReadOnce::kData;
  if (got == 0) return ReadOnce::kEnd;
  return errno == EAGAIN || errno == EWOULDBLOCK ? ReadOnce::kWouldBlock : ReadOnce::kFailed;
}

// What a regular file still has to give; 0 of anything else.
std::size_t bytes_left(int fd) {
  struct stat seen{};
  if (::fstat(fd, &seen) != 0 || !S_ISREG(seen.st_mode)) return 0;
  const off_t at = ::lseek(fd, 0, SEEK_CUR);
  return at < 0 || at >= seen.st_size ? 0 : static_cast<std::size_t>(seen.st_size - at);
}

Result<std::string> read_at_most(int fd, const fs::path& path, std::size_t max_bytes) {
  std::string out;
  const Error too_large(IoError::kTooLarge,
                        fmt::format("cannot read {}: it is longer than {} bytes", shown(path), max_bytes));
  const std::size_t expected = bytes_left(fd);
  if (expected > max_bytes) return too_large;
  out.reserve(expected + std::min(expected, kChunk));  // no copy as it grows
  while (true) {
    const std::size_t room = max_bytes - out.size() + 1;  // one more tells that there is more
    switch (read_once(fd, out, room)) {
      case ReadOnce::kData:
        break;
      case ReadOnce::kEnd:
        return out;
      case ReadOnce::kWouldBlock:
      case ReadOnce::kFailed:
        return io_error(errno, fmt::format("cannot read {}", shown(path)));
    }
    if (out.size() > max_bytes) return too_large;
  }
}

Status write_failed(int error_number) { return io_error(error_number, "cannot write"); }

}  // namespace

Error io_error(int error_number, std::string_view what_failed) {
  const IoError code = code_of(error_number);
  return Error(code, fmt::format("{}: {}", what_failed, std::generic_category().message(error_number)),
               std::string(remedy_for(code)));
}

void UniqueFd::reset(int fd) {
  const int old = std::exchange(fd_, fd);
  if (old >= 0) ::close(old);
}

Result<Pipe> make_pipe() {
  int fds[2];
#if defined(__linux__) || defined(__FreeBSD__)
  if (::pipe2(fds, O_CLOEXEC) != 0) return io_error(errno, "cannot make a pipe");
#else
  if (::pipe(fds) != 0) return io_error(errno, "cannot make a pipe");
  ::fcntl(fds[0], F_SETFD, FD_CLOEXEC);
  ::fcntl(fds[1], F_SETFD, FD_CLOEXEC);
#endif
  return Pipe{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

Status set_nonblocking(int fd, bool on) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0) return io_error(errno, "cannot ask for the flags of a descriptor");
  const int wanted = on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
  if (wanted != flags && ::fcntl(fd, F_SETFL, wanted) != 0) {
    return io_error(errno, "cannot set the flags of a descriptor");
  }
  return {};
}

Result<UniqueFd> open_file(const fs::path& path, int flags, int mode) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return io_error(errno, fmt::format("cannot open {}", shown(path)));
  return UniqueFd(fd);
}

Result<ReadState> read_available(int fd, std::string& out, std::size_t max_bytes) {
  const std::size_t limit = out.size() + max_bytes;
  while (out.size() < limit) {
    switch (read_once(fd, out, limit - out.size())) {
      case ReadOnce::kData:
        break;
      case ReadOnce::kEnd:
        return ReadState::kEnd;
      case ReadOnce::kWouldBlock:
        return ReadState::kOpen;
      case ReadOnce::kFailed:
        return io_error(errno, "cannot read");
    }
  }
  return ReadState::kOpen;
}

Result<std::size_t> write_some(int fd, std::string_view bytes) {
  ssize_t wrote = 0;
  do {
    wrote = ::write(fd, bytes.data(), bytes.size());
  } while (wrote < 0 && errno == EINTR);
  if (wrote >= 0) return static_cast<std::size_t>(wrote);
  if (errno == EAGAIN || errno == EWOULDBLOCK) return std::size_t{0};
  return io_error(errno, "cannot write");
}

Status write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const Result<std::size_t> wrote = write_some(fd, bytes);
    if (!wrote) return wrote.error();
    bytes.remove_prefix(*wrote);
    if (*wrote > 0) continue;
    pollfd ready{fd, POLLOUT, 0};
    if (::poll(&ready, 1, -1) < 0 && errno != EINTR) return write_failed(errno);
  }
  return {};
}

Result<std::string> read_file(const fs::path& path, std::size_t max_bytes) {
  const Result<UniqueFd> fd = open_input_file(path);
  if (!fd) return fd.error();
  return read_at_most(fd->get(), path, max_bytes);
}

Status write_file(const fs::path& path, std::string_view bytes) {
  Result<FileWriter> writer = FileWriter::create(path);
  if (!writer) return writer.error();
  if (Status written = writer->write(bytes); !written) return written;
  return writer->commit();
}

Status make_directories(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return io_error(error.value(), fmt::format("cannot make the folder {}", shown(path)));
  return {};
}

Result<TempDir> TempDir::make(std::string_view prefix) {
  std::error_code error;
  const fs::path base = fs::temp_directory_path(error);
  if (error) return io_error(error.value(), "cannot find the folder for temporary files");
  std::string name = (base / fmt::format("{}-XXXXXX", prefix)).native();
  if (::mkdtemp(name.data()) == nullptr) {
    return io_error(errno, fmt::format("cannot make a temporary folder in {}", shown(base)));
  }
  return TempDir(name);
}

TempDir::~TempDir() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

namespace {

Error locked_by_other(const fs::path& path, int fd) {
  std::string holder;
  if (::lseek(fd, 0, SEEK_SET) == 0) read_once(fd, holder, 32);
  const auto pid = parse_int(trim(holder));
  return Error(IoError::kLocked,
               pid ? fmt::format("{} is locked by process {}", shown(path), *pid)
                   : fmt::format("{} is locked by another process", shown(path)),
               "wait until it has ended, or end it");
}

}  // namespace

Result<FileLock> FileLock::try_acquire(const fs::path& path) {
  Result<UniqueFd> fd = open_file(path, O_RDWR | O_CREAT, 0666);
  if (!fd) return fd.error();
  int rc = 0;
  do {
    rc = ::flock(fd->get(), LOCK_EX | LOCK_NB);
  } while (rc != 0 && errno == EINTR);
  if (rc != 0 && errno == EWOULDBLOCK) return locked_by_other(path, fd->get());
  if (rc != 0) return io_error(errno, fmt::format("cannot lock {}", shown(path)));
  // Who holds it, for the others' message only: a failure to say so is none.
  if (::ftruncate(fd->get(), 0) == 0)
    static_cast<void>(write_all(fd->get(), fmt::format("{}\n", ::getpid())));
  return FileLock(std::move(*fd));
}

}  // namespace seamark
