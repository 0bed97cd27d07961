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
  if (bytes.size() >= limits_.tail_bytes) tail_.clear();  // what is kept has no gaps
  tail_ += bytes.substr(bytes.size() - std::min(bytes.size(), limits_.tail_bytes));
  // Trimmed only now and then: erasing at the front moves what stays.
  if (tail_.size() > 2 * limits_.tail_bytes) tail_.erase(0, tail_.size() - limits_.tail_bytes);
}

std::string Capture::since_mark(std::uint64_t end) const {
  const std::uint64_t kept_from = offset_ - tail_.size();
  end = std::clamp(end, mark_, offset_);
  const std::uint64_t last_from = end - std::min<std::uint64_t>(end, limits_.tail_bytes);
  const std::uint64_t from = std::min(std::max({mark_, kept_from, last_from}), end);
  // Where even the end is kept no more there is nothing left of it.
  const std::string_view last =
      end < kept_from ? std::string_view() : std::string_view(tail_).substr(from - kept_from, end - from);
  if (last.size() == end - mark_) return std::string(last);
  return fmt::format("[... {} bytes left out ...]\n{}", end - mark_ - last.size(), last);
}

std::optional<std::uint64_t> Capture::find_since_mark(std::string_view text) const {
  const std::uint64_t kept_from = offset_ - tail_.size();
  const std::size_t place = tail_.find(text, mark_ > kept_from ? mark_ - kept_from : 0);
  if (place == std::string::npos) return std::nullopt;
  return kept_from + place;
}

}  // namespace seamark::proc
