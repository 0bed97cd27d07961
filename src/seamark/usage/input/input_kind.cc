#include "seamark/usage/input/input_kind.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <array>
#include <string>

#include "seamark/base/text.h"
#include "seamark/usage/input/byte_source.h"
#include "seamark/usage/input/folder_walk.h"
#include "seamark/usage/input/json_text.h"

namespace seamark::usage {
namespace {

constexpr std::size_t kLookedAt = 4096;

Error unknown(std::string_view path, std::string_view what, std::string_view remedy) {
  return Error(UsageError::kUnknownKind, fmt::format("{} {}", path, what), std::string(remedy));
}

bool ends_with_any(std::string_view name, std::initializer_list<std::string_view> endings) {
  for (const std::string_view ending : endings) {
    if (name.ends_with(ending)) return true;
  }
  return false;
}

Result<std::string> first_bytes(const std::filesystem::path& path) {
  Result<std::unique_ptr<RawInput>> input = open_input(path);
  if (!input) return input.error();
  std::string bytes(kLookedAt, '\0');
  const Result<std::size_t> got = (*input)->read(bytes);
  if (!got) return Error(UsageError::kNotFound, fmt::format("{}: {}", path.string(), got.error().message()));
  bytes.resize(*got);
  return bytes;
}

}  // namespace

InputKind kind_of_name(std::string_view name) {
  const std::string small = lower_ascii(name);
  if (small.ends_with(".parquet")) return InputKind::kParquet;
  std::string_view bare = small;
  for (const std::string_view packed : {".gz", ".zst", ".zstd"}) {
    if (bare.ends_with(packed)) bare.remove_suffix(packed.size());
  }
  const bool packed = bare.size() < small.size();
  if (ends_with_any(bare, {".jsonl", ".ndjson"}) || (packed && bare.ends_with(".json")))
    return InputKind::kJsonl;
  return InputKind::kDetect;
}

Result<InputKind> kind_of_file(const std::filesystem::path& path) {
  if (is_python_name(path.filename().string())) return InputKind::kFiles;
  const Result<std::string> read = first_bytes(path);
  if (!read) return read.error();
  return kind_of_bytes(path.string(), *read);
}

Result<InputKind> kind_of_bytes(std::string_view path, std::string_view bytes) {
  const std::string name = lower_ascii(path.substr(path.rfind('/') + 1));
  if (is_python_name(name)) return InputKind::kFiles;
  if (ends_with_any(name, {".tar", ".tar.gz", ".tgz", ".tar.zst", ".tar.bz2", ".tar.xz", ".zip", ".whl"}) ||
      bytes.starts_with("PK\x03\x04")) {
    return unknown(path, "is an archive", "unpack it, and give the folder");
  }
  if (bytes.starts_with("PAR1")) return InputKind::kParquet;
  if (packing_of(bytes) != Packing::kPlain) return InputKind::kJsonl;
  if (bytes.starts_with("BZh") || bytes.starts_with("\xfd"
                                                    "7zXZ")) {
    return unknown(path, "is packed in a way that is not read here",
                   "unpack it into a pipe: bzcat or xzcat FILE | seamark usage -");
  }
  const std::string_view text = trim(without_bom(bytes));
  if (text.starts_with('{')) return InputKind::kJsonl;
  if (const InputKind named = kind_of_name(name); named != InputKind::kDetect) return named;
  if (text.starts_with('[')) {
    return unknown(path, "is one JSON array", "write one object a line: jq -c '.[]' FILE | seamark usage -");
  }
  return unknown(path, "is neither JSON lines, Parquet, .py nor .ipynb, by its name and its first bytes",
                 "where you know what it is, say so with --kind");
}

}  // namespace seamark::usage
