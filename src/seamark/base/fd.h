// File descriptors, whole files and file locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "seamark/base/result.h"

namespace seamark {

enum class IoError {
  kNotFound = 1,
  kPermission = 2,
  kNoSpace = 3,   // disk or quota full
  kTooLarge = 4,  // more than the caller's bound
  kLocked = 5,
  kClosed = 6,  // the other end of a pipe is gone
  kOther = 7,
};
constexpr std::string_view room_of(IoError) { return "io"; }

// "cannot open FILE: No such file or directory" for an errno value.
[[nodiscard]] Error io_error(int error_number, std::string_view what_failed);

// Owns one descriptor, -1 when empty. close() errors are ignored: what must be durable is synced first.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
  }
  ~UniqueFd() { reset(); }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }
  explicit operator bool() const { return valid(); }
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

// Both ends close on exec.
Result<Pipe> make_pipe();
Status set_nonblocking(int fd, bool on = true);
// Opens with O_CLOEXEC; `flags` and `mode` as for open(2).
Result<UniqueFd> open_file(const std::filesystem::path& path, int flags, int mode = 0644);

enum class ReadState { kOpen, kEnd };
// Appends to `out` what can be read now, at most `max_bytes`, from a non-blocking fd; kEnd at end of
// file. EINTR is handled; nothing to read is kOpen with `out` unchanged.
Result<ReadState> read_available(int fd, std::string& out, std::size_t max_bytes = std::size_t{1} << 20);

// Writes everything; waits in poll when a non-blocking fd is full. kClosed when the reader is gone
// (needs SIGPIPE ignored: proc::Signals does that).
Status write_all(int fd, std::string_view bytes);
// Writes what fits now and says how many bytes (0 when a non-blocking fd is full).
Result<std::size_t> write_some(int fd, std::string_view bytes);

// kTooLarge when the file holds more than `max_bytes`.
Result<std::string> read_file(const std::filesystem::path& path,
                              std::size_t max_bytes = std::size_t{64} << 20);
// Whole or not at all, as FileWriter does it.
Status write_file(const std::filesystem::path& path, std::string_view bytes);
// mkdir -p.
Status make_directories(const std::filesystem::path& path);

// A folder below the system's temporary folder (TMPDIR is honoured), mode 0700, removed with what is
// in it on destruction.
class TempDir {
 public:
  static Result<TempDir> make(std::string_view prefix = "seamark");
  TempDir(TempDir&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TempDir& operator=(TempDir&&) = delete;
  ~TempDir();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  explicit TempDir(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

// An advisory exclusive lock (flock) on a file that is made when missing and never removed. Freed on
// destruction and by the death of the process; children do not inherit it.
class FileLock {
 public:
  // kLocked when another holder has it; the message names its process where it is known.
  static Result<FileLock> try_acquire(const std::filesystem::path& path);

 private:
  explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace seamark
