// Takes what a child writes to stdout and stderr, so that it never blocks on a full pipe: into a file
// up to a bound, and the latest bytes into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "seamark/base/fd.h"
#include "seamark/base/result.h"

namespace seamark::proc {

struct CaptureLimits {
  std::uint64_t max_file_bytes = std::uint64_t{64} << 20;  // what comes after is counted, not written
  std::size_t tail_bytes = std::size_t{16} << 10;          // kept in memory
};

class Capture {
 public:
  // Makes the pipe and the file (truncated). An empty path: memory only.
  static Result<Capture> open(const std::filesystem::path& path, const CaptureLimits& limits = {});

  // Non-blocking; watch it for reading. -1 after the end of file was seen.
  [[nodiscard]] int read_fd() const { return read_.get(); }
  // The end for the child's fds 1 and 2; call close_write_fd() after spawn(), or the end never comes.
  [[nodiscard]] int write_fd() const { return write_.get(); }
  void close_write_fd() { write_.reset(); }

  // Takes what is there now (at most a few MiB a call: a child that writes without end cannot hold the
  // caller). kEnd when every writer has closed. An error of the file (disk full) stops writing to it,
  // is kept in file_error(), and draining goes on.
  ReadState drain();
  [[nodiscard]] const Status& file_error() const { return file_error_; }

  // Bytes taken so far: the offset of the next byte. Below max_file_bytes it is also the file's offset.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  // From here since_mark() counts.
  void mark() { mark_ = offset_; }
  void mark_at(std::uint64_t offset) { mark_ = offset; }  // an offset seen before
  [[nodiscard]] std::uint64_t marked_offset() const { return mark_; }
  // The bytes taken since mark(), at most the last tail_bytes of them; when some are missing, the first
  // line says how many ("[... 1234 bytes left out ...]"). Raw: see plain_text() and repair_utf8().
  [[nodiscard]] std::string since_mark() const { return since_mark(offset_); }
  // The same, as if nothing had come after the offset `end`.
  [[nodiscard]] std::string since_mark(std::uint64_t end) const;
  // Where `text` begins first among the bytes since mark() that are still kept.
  [[nodiscard]] std::optional<std::uint64_t> find_since_mark(std::string_view text) const;

 private:
  Capture() = default;
  void store(std::string_view bytes);

  CaptureLimits limits_;
  UniqueFd read_;
  UniqueFd write_;
  UniqueFd file_;
  Status file_error_;
  std::uint64_t offset_ = 0;
  std::uint64_t mark_ = 0;
  std::string tail_;    // the last bytes, up to twice tail_bytes, trimmed now and then
  std::string buffer_;  // reused by drain()
};

}  // namespace seamark::proc
