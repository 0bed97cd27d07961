// Every verb writes its files through this.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "seamark/base/fd.h"
#include "seamark/base/result.h"

namespace seamark {

// A regular file is there whole or not at all: commit() puts a new file in its place, with the mode of the
// old one, or as the umask says. The target of a symbolic link is replaced, not the link. A pipe or a device
// is written in its place. "-", "/dev/stdout", "/dev/stderr" and "/dev/fd/N" are the descriptors of this
// process.
class FileWriter {
 public:
  static Result<FileWriter> create(const std::filesystem::path& path);
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&&) = delete;
  ~FileWriter();  // without commit(): the old file stays

  Status write(std::string_view bytes);
  Status commit();

 private:
  explicit FileWriter(std::string name) : name_(std::move(name)) {}
  Status flush();
  [[nodiscard]] Error failed(int error_number) const;

  std::string name_;  // as given
  std::filesystem::path target_;
  std::filesystem::path temporary_;  // empty: written in place, or committed
  UniqueFd fd_;
  std::string buffer_;
};

}  // namespace seamark
