// Files of Python, one by one.
#pragma once

#include "seamark/base/result.h"
#include "seamark/usage/input/corpus.h"

namespace seamark::usage {

// kLost where the options are strict.
Result<ShardRead> read_files(const Shard& shard, const CorpusOptions& options, SourceSink& sink);

}  // namespace seamark::usage
