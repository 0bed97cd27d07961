// What an input is, by its first bytes and its name.
#pragma once

#include <filesystem>
#include <string_view>

#include "seamark/base/result.h"
#include "seamark/usage/input/corpus.h"

namespace seamark::usage {

// Of a regular file; kUnknownKind says what it looks like instead, kNotFound that it cannot be read.
Result<InputKind> kind_of_file(const std::filesystem::path& path);

// The same of a name and its first bytes.
Result<InputKind> kind_of_bytes(std::string_view path, std::string_view first_bytes);

// Does the name say that the file is a shard of a corpus (.jsonl, .json.gz, .parquet ...)? kDetect: it does
// not.
[[nodiscard]] InputKind kind_of_name(std::string_view name);

}  // namespace seamark::usage
