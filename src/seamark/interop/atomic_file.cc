#include "seamark/interop/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "seamark/interop/export.h"

namespace seamark::interop {

namespace fs = std::filesystem;

namespace {
constexpr std::size_t kBufferBytes = std::size_t{256} << 10;
}

Error AtomicFile::unwritable(const Error& why) const {
  const std::string what = path_ == "-" ? "standard output" : path_.string();
  return {InteropError::kUnwritable, fmt::format("cannot write {}: {}", what, why.message()),
          why.is(IoError::kNoSpace) ? "free some space, or give another file with -o"
                                    : "give a file in a folder that can be written with -o"};
}

Result<AtomicFile> AtomicFile::create(const fs::path& path) {
  AtomicFile file;
  file.path_ = path;
  if (path == "-") {
    file.fd_ = STDOUT_FILENO;
    return file;
  }
  std::error_code ec;
  fs::path real = fs::is_symlink(path, ec) ? fs::weakly_canonical(path, ec) : path;
  if (ec) real = path;
  const fs::file_status status = fs::status(real, ec);
  if (fs::is_directory(status)) return file.unwritable(io_error(EISDIR, real.string()));
  const bool in_place = fs::exists(status) && !fs::is_regular_file(status);
  fs::path opened = real;
  int flags = O_WRONLY | O_CREAT | O_TRUNC;
  if (!in_place) {
    opened += fmt::format(".{}.tmp", getpid());
    file.path_ = std::move(real);
  }
  Result<UniqueFd> fd = open_file(opened, flags);
  if (!fd) return file.unwritable(fd.error());
  if (!in_place) file.temporary_ = std::move(opened);
  file.owned_ = std::move(*fd);
  file.fd_ = file.owned_.get();
  return file;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      owned_(std::move(other.owned_)),
      fd_(std::exchange(other.fd_, -1)),
      buffer_(std::move(other.buffer_)) {}

AtomicFile::~AtomicFile() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove(temporary_, ignored);
}

Status AtomicFile::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() < kBufferBytes) return {};
  return flush();
}

Status AtomicFile::flush() {
  if (Status done = write_all(fd_, buffer_); !done) return unwritable(done.error());
  buffer_.clear();
  return {};
}

Status AtomicFile::commit() {
  if (Status done = flush(); !done) return done;
  if (temporary_.empty()) return {};
  if (fsync(fd_) != 0) return unwritable(io_error(errno, temporary_.string()));
  std::error_code ec;
  fs::rename(temporary_, path_, ec);
  if (ec) return unwritable(io_error(ec.value(), path_.string()));
  temporary_.clear();
  return {};
}

}  // namespace seamark::interop
