// The inputs of `seamark usage`, found and read. All of it is untrusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/usage/input/source.h"
#include "seamark/usage/usage_error.h"

namespace seamark::usage {

enum class InputKind : std::uint8_t {
  kDetect = 0,
  kJsonl = 1,    // one object a line with "content", "repo_name", "path"; plain, gz (several members) or zstd
  kParquet = 2,  // a column of the same names, through the helper process
  kFiles = 3,    // .py and .ipynb files: of a folder, some of them, or one
};

struct CorpusOptions {
  InputKind kind = InputKind::kDetect;
  std::string content_key = "content";
  std::string repository_key = "repo_name";
  std::string path_key = "path";
  std::vector<std::string> needles;  // a file without any of these bytes cannot use a framework; at most 8
  bool imports_only = true;          // and none counts that no import statement can name (prefilter.h)
  bool all_notebooks = false;        // a notebook that is broken is lost though it has none of them
  std::size_t max_line_bytes = 64u << 20;  // a longer line is lost, not held
  std::uint64_t max_bytes = 1ull << 40;    // of one input after decompression
  bool strict = false;                     // the first loss ends it
  std::string python = "python3";          // Seamark's own, which reads Parquet and URLs
};

// The unit of work and of resuming: one file of a corpus, or a part of a folder.
struct Shard {
  std::string name;  // as users know it
  InputKind kind = InputKind::kJsonl;
  std::string url;  // of an input by URL, as given: secrets may be in it, it is neither stored nor shown
  std::vector<std::filesystem::path> files;  // one, or those of a folder; "-" is standard input
  std::filesystem::path root;                // of a folder: paths and repositories are below it
  std::uint64_t bytes = 0;                   // as stored; 0: nobody knows
  std::string identity;  // equal when nothing says that the content differs (path, size, time of change; of a
                         // URL its checksum); empty: nothing tells (standard input), it is never resumed
};

struct ShardRead {
  std::uint64_t bytes = 0;       // uncompressed
  std::uint64_t files = 0;       // of source, those without a needle included
  std::uint64_t candidates = 0;  // handed to the sink
  std::uint64_t losses = 0;
  std::uint64_t repaired = 0;  // candidates in whose text something was no UTF-8 and has become U+FFFD
};

// In the order given, folders sorted; skips .git, virtual environments, site-packages of them, binaries.
Result<std::vector<Shard>> find_shards(std::span<const std::string> inputs, const CorpusOptions& options);

// Hands every candidate to the sink. Losses are told and counted, and do not end it (unless strict: kLost).
// One a thread; holds at most a few MiB and the longest line.
Result<ShardRead> read_shard(const Shard& shard, const CorpusOptions& options, SourceSink& sink);

}  // namespace seamark::usage
