#include "seamark/base/file_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <optional>
#include <random>
#include <system_error>
#include <utility>

#include "seamark/base/text.h"

namespace seamark {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBufferBytes = std::size_t{256} << 10;

// The descriptor of this process that `name` stands for. Opening such a name again would fail for a socket,
// and begin a regular file anew.
std::optional<int> descriptor_named(std::string_view name) {
  if (name == "-" || name == "/dev/stdout") return STDOUT_FILENO;
  if (name == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!name.starts_with(folder)) continue;
    const auto number = parse_int(name.substr(folder.size()));
    if (number && *number >= 0 && *number <= INT32_MAX) return static_cast<int>(*number);
  }
  return std::nullopt;
}

// The file itself when `path` is a symbolic link, also to a file that is not there yet.
fs::path followed(fs::path path) {
  constexpr int kMostLinks = 40;
  for (int i = 0; i < kMostLinks; ++i) {
    std::error_code error;
    const fs::path to = fs::read_symlink(path, error);
    if (error) break;
    path = to.is_absolute() ? to : path.parent_path() / to;
  }
  return path;
}

// Nobody can guess it, and so put something in its place.
std::string temporary_name() {
  std::random_device random;
  return fmt::format(".seamark-{:08x}{:08x}.tmp", random(), random());
}

int sync(int fd) {
  int rc = 0;
  do {
    rc = ::fsync(fd);
  } while (rc != 0 && errno == EINTR);
  // Some file systems know no sync.
  return rc != 0 && errno != EINVAL && errno != ENOTSUP ? errno : 0;
}

}  // namespace

Error FileWriter::failed(int error_number) const {
  return io_error(error_number, fmt::format("cannot write {}", name_));
}

Result<FileWriter> FileWriter::create(const fs::path& path) {
  FileWriter writer(path == "-" ? "standard output" : one_line(path.native()));
  if (const std::optional<int> fd = descriptor_named(path.native())) {
    writer.fd_.reset(::fcntl(*fd, F_DUPFD_CLOEXEC, 0));
    if (!writer.fd_) return writer.failed(errno);
    return writer;
  }
  struct stat old{};
  const bool there = ::stat(path.c_str(), &old) == 0;
  if (!there && errno != ENOENT) return writer.failed(errno);
  if (there && S_ISDIR(old.st_mode)) return writer.failed(EISDIR);
  if (there && !S_ISREG(old.st_mode)) {
    writer.fd_.reset(::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
    if (!writer.fd_) return writer.failed(errno);
    return writer;
  }
  writer.target_ = followed(path);
  const mode_t mode = there ? old.st_mode & 0777 : 0666;
  const fs::path temporary = writer.target_.parent_path() / temporary_name();
  writer.fd_.reset(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!writer.fd_) return writer.failed(errno);
  writer.temporary_ = temporary;
  if (there) {
    // Whose it was, where we may: root does not take a user's file away.
    static_cast<void>(::fchown(writer.fd_.get(), old.st_uid, old.st_gid));
    if (::fchmod(writer.fd_.get(), mode) != 0) return writer.failed(errno);
  }
  return writer;
}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : name_(std::move(other.name_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      fd_(std::move(other.fd_)),
      buffer_(std::move(other.buffer_)) {}

FileWriter::~FileWriter() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status FileWriter::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() < kBufferBytes) return {};
  return flush();
}

Status FileWriter::flush() {
  if (Status done = write_all(fd_.get(), buffer_); !done) {
    return done.error().within(fmt::format("cannot write {}", name_));
  }
  buffer_.clear();
  return {};
}

Status FileWriter::commit() {
  if (Status done = flush(); !done) return done;
  if (temporary_.empty()) return {};
  if (const int error_number = sync(fd_.get())) return failed(error_number);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) return failed(errno);
  temporary_.clear();
  // The new name must last too; a folder that cannot be opened or synced is no reason to fail.
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  if (const auto opened = open_file(folder, O_RDONLY | O_DIRECTORY)) ::fsync(opened->get());
  return {};
}

}  // namespace seamark
