#include "seamark/proc/capture.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>

namespace seamark::proc {
namespace {

constexpr std::size_t kMostPerDrain = std::size_t{4} << 20;
constexpr std::size_t kPiece = std::size_t{256} << 10;

}  // namespace

Result<Capture> Capture::open(const std::filesystem::path& path, const CaptureLimits& limits) {
  Capture capture;
  capture.limits_ = limits;
  if (!path.empty()) {
    Result<UniqueFd> file = open_file(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (!file) return file.error();
    capture.file_ = std::move(*file);
  }
  Result<Pipe> pipe = make_pipe();
  if (!pipe) return pipe.error();
  if (Status set = set_nonblocking(pipe->read.get()); !set) return set.error();
  capture.read_ = std::move(pipe->read);
  capture.write_ = std::move(pipe->write);
  return capture;
}

ReadState Capture::drain() {
  std::size_t taken = 0;
  while (read_ && taken < kMostPerDrain) {
    buffer_.clear();
    const Result<ReadState> state = read_available(read_.get(), buffer_, kPiece);
    store(buffer_);
    taken += buffer_.size();
    // A pipe that cannot be read gives no more: the same as its end.
    if (!state || *state == ReadState::kEnd) {
      read_.reset();
    } else if (buffer_.size() < kPiece) {
      break;
    }
  }
  return read_ ? ReadState::kOpen : ReadState::kEnd;
}

void Capture::store(std::string_view bytes) {
  if (bytes.empty()) return;
  if (file_ && offset_ < limits_.max_file_bytes) {
    const std::uint64_t room = limits_.max_file_bytes - offset_;
    if (Status wrote = write_all(file_.get(), bytes.substr(0, room)); !wrote) {
      file_error_ = wrote.error().within("cannot keep the output of a process");
      file_.reset();
    }
  }
  offset_ += bytes.size();
  tail_ += bytes.substr(bytes.size() - std::min(bytes.size(), limits_.tail_bytes));
  // Trimmed only now and then: erasing at the front moves what stays.
  if (tail_.size() > 2 * limits_.tail_bytes) tail_.erase(0, tail_.size() - limits_.tail_bytes);
}

std::string Capture::since_mark() const {
  const std::uint64_t wanted = offset_ - mark_;
  const auto kept = std::min<std::uint64_t>({wanted, limits_.tail_bytes, tail_.size()});
  const std::string_view last = std::string_view(tail_).substr(tail_.size() - kept);
  if (kept == wanted) return std::string(last);
  return fmt::format("[... {} bytes left out ...]\n{}", wanted - kept, last);
}

}  // namespace seamark::proc
