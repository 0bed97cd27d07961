// Counts the shards of a corpus, one a thread, the largest first. A thread that has none left helps the
// others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/model/usage_shard.h"
#include "seamark/usage/input/corpus.h"
#include "seamark/usage/resolve/vocabulary.h"
#include "seamark/usage/scan/name_finder.h"

namespace seamark::usage {

struct CountProgress {
  std::uint64_t bytes = 0;  // uncompressed, of the shards in work too
  std::uint64_t losses = 0;
  std::size_t shards = 0;  // ended
};

// One call at a time.
class CountSink {
 public:
  virtual ~CountSink() = default;
  // One shard, whole, in the order in which they end, from the thread that counted it. An error ends the
  // count.
  virtual Status take(std::size_t shard, UsageShard counted) = 0;
  // Nothing of this shard could be counted. From the thread that tried.
  virtual void fail(std::size_t shard, const Error& error) = 0;
  // About ten times a second, from the thread that called count_shards(), and once at the end. False: stop;
  // what is in work is dropped.
  virtual bool go_on(const CountProgress& progress) = 0;
};

struct CountOptions {
  CorpusOptions corpus;
  std::vector<Framework> frameworks;  // as the finders number them
  int threads = 1;
  std::function<Result<ShardRead>(const Shard&, const CorpusOptions&, SourceSink&)> read = read_shard;
};

enum class CountEnd : std::uint8_t { kAll, kStopped };

// Errors that end it: the sink's; kHelper; with CorpusOptions::strict the first loss (kLost).
Result<CountEnd> count_shards(std::span<const Shard> shards, const CountOptions& options,
                              const MakeFinder& make_finder, CountSink& sink);

}  // namespace seamark::usage
