// Inputs by URL: python/seamark_helper/open_url.py in Seamark's own Python lists and streams them (fsspec).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/usage/input/corpus.h"

namespace seamark::usage {

// Of each URL a file, those that a glob matches, or a folder's shards; one start of the helper lists all.
// kNotFound; kUnknownKind; kHelper: no Python, no fsspec or no package for this kind of URL; kUnavailable.
Result<std::vector<std::vector<Shard>>> find_urls(std::span<const std::string> urls,
                                                  const CorpusOptions& options);

// JSON lines. kUnavailable: it broke off, and nothing of it counts.
Result<ShardRead> read_url(const Shard& shard, const CorpusOptions& options, SourceSink& sink);

}  // namespace seamark::usage
