// Files that a user names to be read. A FIFO, a socket or a device might have no end, or no beginning.
#pragma once

#include <filesystem>
#include <string_view>

#include "seamark/base/fd.h"
#include "seamark/base/result.h"

namespace seamark {

// /dev/stdin, /dev/fd/N and /proc/self/fd/N, also as a shell's <(...): what was opened already, on purpose.
[[nodiscard]] bool is_descriptor_name(const std::filesystem::path& path);

// "a FIFO", "a socket", "a device", "a folder"; empty: a regular file, or none.
[[nodiscard]] std::string_view irregular_kind(std::filesystem::file_type type);

// To read. Regular files, folders (which cannot be read) and the descriptors of this process; anything else
// is kOther, and is not waited for.
Result<UniqueFd> open_input_file(const std::filesystem::path& path);

}  // namespace seamark
