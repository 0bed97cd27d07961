// `seamark usage --engine ray`: shards counted in slices, each a task of a cluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/cli/context.h"
#include "seamark/cli/live_line.h"
#include "seamark/store/store.h"
#include "seamark/usage/input/corpus.h"

namespace seamark::cli {

struct EngineCount {
  std::int64_t corpus = 0;  // its number in the store
  std::span<const usage::Shard> shards;
  std::vector<std::size_t> open;                               // positions of what is to be counted
  std::vector<std::string> command;                            // of seamark, without inputs, slice and store
  std::vector<std::string> inputs;                             // as the nodes see them
  std::string address;                                         // of a cluster; empty: this machine's own
  std::map<std::string, std::string, std::less<>> catalogues;  // framework: version, of the store
};

// Puts what comes into the corpus. True: it was interrupted.
Result<bool> count_on_engine(const Context& context, store::Store& store, LiveLine& line,
                             const EngineCount& count);

}  // namespace seamark::cli
