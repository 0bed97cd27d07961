// A window on the stored bytes of an input, for the decompressors of this room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/usage/input/byte_source.h"

namespace seamark::usage {

class StoredBytes {
 public:
  explicit StoredBytes(std::unique_ptr<RawInput> input);

  // What is there and not yet consumed.
  [[nodiscard]] std::span<std::uint8_t> window() { return {buffer_.data() + begin_, end_ - begin_}; }
  void consume(std::size_t bytes) { begin_ += bytes; }
  // How many bytes were consumed so far.
  [[nodiscard]] std::uint64_t offset() const { return taken_ - (end_ - begin_); }
  // Makes the window at least `bytes` long where the input has so many; false: it has not.
  bool want(std::size_t bytes);
  // Past the window, straight into `out`; 0: the end. Only where the window is empty.
  std::size_t read_directly(std::span<char> out);
  // Why reading stopped before the end; empty: it did not.
  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  std::size_t read_some(char* to, std::size_t room);

  std::unique_ptr<RawInput> input_;
  std::vector<std::uint8_t> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t taken_ = 0;
  bool ended_ = false;
  std::string failure_;
};

// ISA-L's inflate; zstd's streaming decoder.
std::unique_ptr<ByteSource> unpack_gz(StoredBytes bytes);
std::unique_ptr<ByteSource> unpack_zstd(StoredBytes bytes);

}  // namespace seamark::usage
