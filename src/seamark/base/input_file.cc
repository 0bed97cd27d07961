#include "seamark/base/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <system_error>

#include "seamark/base/text.h"

namespace seamark {
namespace {

namespace fs = std::filesystem;

std::optional<int> input_descriptor(std::string_view name) {
  if (name == "/dev/stdin") return 0;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!name.starts_with(folder)) continue;
    const auto number = parse_int(name.substr(folder.size()));
    if (number && *number >= 0 && *number <= INT32_MAX) return static_cast<int>(*number);
  }
  return std::nullopt;
}

}  // namespace

bool is_descriptor_name(const fs::path& path) { return input_descriptor(path.native()).has_value(); }

std::string_view irregular_kind(fs::file_type type) {
  switch (type) {
    case fs::file_type::fifo:
      return "a FIFO";
    case fs::file_type::socket:
      return "a socket";
    case fs::file_type::character:
    case fs::file_type::block:
      return "a device";
    case fs::file_type::directory:
      return "a folder";
    default:
      return {};
  }
}

Result<UniqueFd> open_input_file(const fs::path& path) {
  struct stat info{};
  if (const std::optional<int> named = input_descriptor(path.native())) {
    // A regular file is opened anew, at its beginning; a pipe or a socket cannot be.
    if (::fstat(*named, &info) == 0 && !S_ISREG(info.st_mode)) {
      UniqueFd copy(::fcntl(*named, F_DUPFD_CLOEXEC, 0));
      if (copy) return copy;
      return io_error(errno, fmt::format("cannot open {}", one_line(path.native())));
    }
  }
  std::error_code ignored;
  fs::file_type type = fs::status(path, ignored).type();
  if (type == fs::file_type::directory || irregular_kind(type).empty()) {
    // What has taken its place since cannot hold us either.
    Result<UniqueFd> fd = open_file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (!fd || ::fstat(fd->get(), &info) != 0 || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) return fd;
    type = fs::status(path, ignored).type();
  }
  return Error(
      IoError::kOther,
      fmt::format("cannot open {}: it is {}, no regular file", one_line(path.native()), irregular_kind(type)),
      "give a file");
}

}  // namespace seamark
