// Parquet, through a helper process: python/seamark_helper/parquet_lines.py in Seamark's own Python writes
// one JSON object a row, and the reader of lines takes it from there.
#pragma once

#include "seamark/base/result.h"
#include "seamark/usage/input/corpus.h"

namespace seamark::usage {

// kHelper: no such Python, or none with pyarrow. kLost where the options are strict.
Result<ShardRead> read_parquet(const Shard& shard, const CorpusOptions& options, SourceSink& sink);

}  // namespace seamark::usage
