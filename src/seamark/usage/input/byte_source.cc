#include "seamark/usage/input/byte_source.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <system_error>

#include "seamark/base/fd.h"
#include "seamark/base/input_file.h"
#include "seamark/base/text.h"
#include "seamark/usage/input/stored_bytes.h"

namespace seamark::usage {
namespace {

// Fits in the second-level cache beside what is made of it.
constexpr std::size_t kWindow = std::size_t{256} << 10;

class FdInput : public RawInput {
 public:
  explicit FdInput(int fd) : fd_(fd) {}
  explicit FdInput(UniqueFd fd) : owned_(std::move(fd)), fd_(owned_.get()) {}

  Result<std::size_t> read(std::span<char> out) override {
    ssize_t got = 0;
    do {
      got = ::read(fd_, out.data(), out.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0) return io_error(errno, "cannot read on");
    return static_cast<std::size_t>(got);
  }

 private:
  UniqueFd owned_;
  int fd_;
};

class PlainSource : public ByteSource {
 public:
  explicit PlainSource(StoredBytes bytes) : bytes_(std::move(bytes)) {}

  std::size_t read(std::span<char> out) override {
    const std::span<std::uint8_t> first = bytes_.window();
    std::size_t done = std::min(first.size(), out.size());
    std::memcpy(out.data(), first.data(), done);
    bytes_.consume(done);
    while (done < out.size()) {
      const std::size_t got = bytes_.read_directly(out.subspan(done));
      if (got == 0) break;
      done += got;
    }
    if (done < out.size() && !bytes_.failure().empty() && !told_) {
      told_ = true;
      problems_.push_back(bytes_.failure());
    }
    return done;
  }

 private:
  StoredBytes bytes_;
  bool told_ = false;
};

}  // namespace

StoredBytes::StoredBytes(std::unique_ptr<RawInput> input) : input_(std::move(input)), buffer_(kWindow) {}

std::size_t StoredBytes::read_some(char* to, std::size_t room) {
  if (ended_) return 0;
  const Result<std::size_t> got = input_->read({to, room});
  if (!got) failure_ = got.error().message();
  if (!got || *got == 0) {
    ended_ = true;
    return 0;
  }
  taken_ += *got;
  return *got;
}

bool StoredBytes::want(std::size_t bytes) {
  if (end_ - begin_ >= bytes) return true;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  while (end_ < bytes) {
    const std::size_t got = read_some(reinterpret_cast<char*>(buffer_.data()) + end_, buffer_.size() - end_);
    if (got == 0) return false;
    end_ += got;
  }
  return true;
}

std::size_t StoredBytes::read_directly(std::span<char> out) { return read_some(out.data(), out.size()); }

Packing packing_of(std::string_view first_bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(first_bytes[i]); };
  if (first_bytes.size() >= 2 && byte(0) == 0x1f && byte(1) == 0x8b) return Packing::kGz;
  if (first_bytes.size() >= 4) {
    if (first_bytes.starts_with("\x28\xb5\x2f\xfd")) return Packing::kZstd;
    // A frame to be skipped (seekable zstd, pzstd) may stand first.
    if (byte(0) >> 4 == 5 && first_bytes.substr(1).starts_with("\x2a\x4d\x18")) return Packing::kZstd;
  }
  return Packing::kPlain;
}

Result<std::unique_ptr<RawInput>> open_input(const std::filesystem::path& path) {
  if (path == "-") return fd_input(STDIN_FILENO);
  Result<UniqueFd> fd = open_input_file(path);
  if (!fd) return Error(UsageError::kNotFound, fd.error().message(), fd.error().remedy());
#ifdef POSIX_FADV_SEQUENTIAL
  (void)::posix_fadvise(fd->get(), 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
  return std::unique_ptr<RawInput>(std::make_unique<FdInput>(std::move(*fd)));
}

std::unique_ptr<RawInput> fd_input(int fd) { return std::make_unique<FdInput>(fd); }

std::unique_ptr<ByteSource> unpack(std::unique_ptr<RawInput> input) {
  StoredBytes bytes(std::move(input));
  bytes.want(4);
  const std::span<std::uint8_t> first = bytes.window();
  switch (packing_of({reinterpret_cast<const char*>(first.data()), first.size()})) {
    case Packing::kGz:
      return unpack_gz(std::move(bytes));
    case Packing::kZstd:
      return unpack_zstd(std::move(bytes));
    case Packing::kPlain:
      break;
  }
  return std::make_unique<PlainSource>(std::move(bytes));
}

}  // namespace seamark::usage
