#include "seamark/usage/input/corpus.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <iterator>

#include "seamark/base/fd.h"
#include "seamark/base/input_file.h"
#include "seamark/base/text.h"
#include "seamark/usage/input/byte_source.h"
#include "seamark/usage/input/files_reader.h"
#include "seamark/usage/input/folder_walk.h"
#include "seamark/usage/input/input_kind.h"
#include "seamark/usage/input/jsonl_reader.h"
#include "seamark/usage/input/parquet_reader.h"
#include "seamark/usage/input/url_name.h"
#include "seamark/usage/input/url_reader.h"

namespace seamark::usage {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kFolderShard = 32u << 20;

// Equal for equal paths, sizes and times of change.
std::string identity_of(InputKind kind, const std::vector<FoundFile>& files) {
  std::uint64_t hash = fnv1a64(std::to_string(static_cast<int>(kind)));
  for (const FoundFile& file : files) {
    const std::string facts = fmt::format("{} {} {}", hash, file.bytes, file.changed_ns);
    const std::string_view fields[] = {facts, file.path.native()};
    hash = fnv1a64_fields(fields);
  }
  return to_hex(hash);
}

fs::path absolute(const std::string& input) {
  std::error_code error;
  fs::path path = fs::canonical(input, error);
  return error ? fs::path(input) : path;
}

class Finder {
 public:
  // `urls`: what was found of each that will be added.
  Finder(const CorpusOptions& options, std::vector<std::vector<Shard>> urls)
      : options_(options), urls_(std::move(urls)) {}

  Status add(const std::string& input) {
    if (input == "-") return add_stream(input, "standard input", "-");
    if (is_url(input)) return add_url();
    struct stat info{};
    if (::stat(input.c_str(), &info) != 0) {
      return Error(UsageError::kNotFound, io_error(errno, fmt::format("cannot open {}", input)).message(),
                   "inputs are files, folders, URLs and - for standard input");
    }
    if (S_ISDIR(info.st_mode)) return add_folder(input);
    if (S_ISREG(info.st_mode)) return add_file(input);
    if (is_descriptor_name(input)) return add_stream(input, input, input);  // <(zcat ...)
    return Error(UsageError::kUnknownKind,
                 fmt::format("{} is {}, no regular file", input, irregular_kind(fs::status(input).type())),
                 "inputs are files, folders, URLs and - for standard input");
  }

  std::vector<Shard> take() { return std::move(shards_); }

 private:
  Status add_stream(const std::string& input, std::string name, fs::path file) {
    if (options_.kind != InputKind::kDetect && options_.kind != InputKind::kJsonl) {
      return Error(UsageError::kUnknownKind, fmt::format("{} can only be read as JSON lines", input),
                   "give the file or the folder itself");
    }
    Shard shard;
    shard.name = std::move(name);
    shard.files = {std::move(file)};
    shards_.push_back(std::move(shard));
    return {};
  }

  Status add_url() {
    std::ranges::move(urls_[next_url_++], std::back_inserter(shards_));
    return {};
  }

  Status add_file(const std::string& input) {
    InputKind kind = options_.kind;
    if (kind == InputKind::kDetect) {
      const Result<InputKind> found = kind_of_file(input);
      if (!found) return found.error();
      kind = *found;
    }
    FoundFile file;
    if (!look_at(absolute(input), file)) {
      return Error(UsageError::kNotFound, fmt::format("{} is no longer there", input));
    }
    const fs::path root = file.path.parent_path();
    add_shard(kind, input, root, {file});
    return {};
  }

  Status add_folder(const std::string& input) {
    const fs::path root = absolute(input);
    Status status;
    const auto failed = [&](const fs::path& folder, const std::string& why) {
      // What lies below cannot be counted: it is told when the shard is read, by a file that is not there.
      unreadable_.push_back({folder, 0, 0});
      if (folder == root)
        status = Error(UsageError::kNotFound, fmt::format("cannot read {}: {}", input, why));
    };
    unreadable_.clear();
    InputKind kind = options_.kind;
    std::vector<FoundFile> files;
    if (kind == InputKind::kDetect || kind == InputKind::kFiles)
      files = walk_folder(root, is_python_name, failed);
    if (!status) return status;
    if (!files.empty() || kind == InputKind::kFiles) {
      if (files.empty()) return nothing_in(input, ".py or .ipynb");
      for (FoundFile& folder : unreadable_) files.push_back(std::move(folder));
      cut(input, root, std::move(files));
      return {};
    }
    files = walk_folder(
        root,
        [&](std::string_view name) {
          const InputKind named = kind_of_name(name);
          return named != InputKind::kDetect && (kind == InputKind::kDetect || kind == named);
        },
        failed);
    if (!status) return status;
    if (files.empty()) return nothing_in(input, ".py, .ipynb, .jsonl, .json.gz, .json.zst or .parquet");
    for (FoundFile& file : files) {
      const fs::path shown = fs::path(input) / file.path.lexically_relative(root);
      const InputKind named = kind_of_name(file.path.filename().string());
      const fs::path folder = file.path.parent_path();
      add_shard(named, shown.lexically_normal().string(), folder, {file});
    }
    return {};
  }

  static Error nothing_in(const std::string& input, std::string_view what) {
    return Error(UsageError::kUnknownKind, fmt::format("there is no {} file in {}", what, input),
                 "virtual environments, version control and links are passed over; a folder that is named "
                 "itself is not");
  }

  // A folder into parts of a size that is worth a thread's while and worth not reading again.
  void cut(const std::string& input, const fs::path& root, std::vector<FoundFile> files) {
    std::vector<std::vector<FoundFile>> parts(1);
    std::uint64_t bytes = 0;
    for (FoundFile& file : files) {
      if (bytes >= kFolderShard) {
        parts.emplace_back();
        bytes = 0;
      }
      bytes += file.bytes;
      parts.back().push_back(std::move(file));
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      std::string name = parts.size() == 1 ? input : fmt::format("{} ({} of {})", input, i + 1, parts.size());
      add_shard(InputKind::kFiles, std::move(name), root, parts[i]);
    }
  }

  void add_shard(InputKind kind, std::string name, fs::path root, const std::vector<FoundFile>& files) {
    Shard shard;
    shard.name = std::move(name);
    shard.kind = kind;
    shard.root = std::move(root);
    shard.identity = identity_of(kind, files);
    for (const FoundFile& file : files) {
      shard.bytes += file.bytes;
      shard.files.push_back(file.path);
    }
    shards_.push_back(std::move(shard));
  }

  const CorpusOptions& options_;
  std::vector<std::vector<Shard>> urls_;
  std::size_t next_url_ = 0;
  std::vector<Shard> shards_;
  std::vector<FoundFile> unreadable_;
};

}  // namespace

Result<std::vector<Shard>> find_shards(std::span<const std::string> inputs, const CorpusOptions& options) {
  std::vector<std::string> urls;
  std::ranges::copy_if(inputs, std::back_inserter(urls), is_url);
  Result<std::vector<std::vector<Shard>>> found = find_urls(urls, options);
  if (!found) return found.error();
  Finder finder(options, std::move(*found));
  for (const std::string& input : inputs) {
    const Status status = finder.add(input);
    if (!status) return status.error();
  }
  return finder.take();
}

Result<ShardRead> read_shard(const Shard& shard, const CorpusOptions& options, SourceSink& sink) {
  if (shard.kind == InputKind::kFiles) return read_files(shard, options, sink);
  if (shard.kind == InputKind::kParquet) return read_parquet(shard, options, sink);
  if (!shard.url.empty()) return read_url(shard, options, sink);
  Result<std::unique_ptr<RawInput>> input = open_input(shard.files.front());
  if (!input) return input.error();
  const std::unique_ptr<ByteSource> source = unpack(std::move(*input));
  return JsonlReader(shard.name, options, sink).read(*source);
}

}  // namespace seamark::usage
