#include "seamark/usage/input/parquet_reader.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "seamark/usage/input/helper_source.h"
#include "seamark/usage/input/jsonl_reader.h"

namespace seamark::usage {

Result<ShardRead> read_parquet(const Shard& shard, const CorpusOptions& options, SourceSink& sink) {
  std::vector<std::string> arguments = {shard.files.front().string(), options.content_key,
                                        options.repository_key, options.path_key};
  if (!shard.url.empty()) arguments.push_back(shard.url);
  const std::string remedy = package_remedy("'seamark[parquet]' (or pyarrow)");
  Result<std::unique_ptr<HelperSource>> source =
      HelperSource::start(options.python, "parquet_lines.py", arguments, shard.name, remedy);
  if (!source) return source.error();
  Result<ShardRead> done = JsonlReader(shard.name, options, sink).read(**source);
  if ((*source)->code() == kNoPackage) {
    return Error(UsageError::kHelper,
                 fmt::format("cannot read {}: Parquet needs pyarrow, which {} does not have", shard.name,
                             options.python),
                 remedy);
  }
  if ((*source)->code() == kBrokeOff) return broke_off(shard.name, (*source)->said());
  return done;
}

}  // namespace seamark::usage
