// The bytes of one input, decompressed as they come: plain, gz (any number of members) or zstd (any number of
// frames), told apart by the first bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/usage/usage_error.h"

namespace seamark::usage {

// Where the stored bytes come from.
class RawInput {
 public:
  virtual ~RawInput() = default;
  // At most out.size() bytes; 0: the end.
  virtual Result<std::size_t> read(std::span<char> out) = 0;
};

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills `out` from its beginning, all of it unless the end comes first: fewer bytes, and then 0, are the
  // end. Never fails: what is wrong with the input is among the problems, and what came before it is given.
  virtual std::size_t read(std::span<char> out) = 0;
  // What was wrong with the bytes given so far, each told once.
  [[nodiscard]] std::vector<std::string> take_problems() { return std::exchange(problems_, {}); }

 protected:
  std::vector<std::string> problems_;
};

enum class Packing : std::uint8_t { kPlain, kGz, kZstd };
[[nodiscard]] Packing packing_of(std::string_view first_bytes);

// "-" is standard input. kNotFound.
Result<std::unique_ptr<RawInput>> open_input(const std::filesystem::path& path);
// Borrows the descriptor.
std::unique_ptr<RawInput> fd_input(int fd);
// Reads the first bytes to see how the input is packed.
std::unique_ptr<ByteSource> unpack(std::unique_ptr<RawInput> input);

}  // namespace seamark::usage
