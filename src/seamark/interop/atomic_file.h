// A file that is there whole or not at all, written as a stream. Internal to the room.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "seamark/base/fd.h"
#include "seamark/base/result.h"

namespace seamark::interop {

// "-" is standard output; what is no regular file (a pipe, a device) is written in place. Everything else
// goes to a temporary file beside it, which the destructor removes unless commit() has put it in place.
class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::filesystem::path& path);
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  Status write(std::string_view bytes);
  Status commit();

 private:
  AtomicFile() = default;
  Status flush();
  [[nodiscard]] Error unwritable(const Error& why) const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;  // empty: written in place, or committed
  UniqueFd owned_;
  int fd_ = -1;
  std::string buffer_;
};

}  // namespace seamark::interop
