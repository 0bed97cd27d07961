// What was counted in one shard of a corpus (a file of it, or a part of a folder), as plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "seamark/model/usage.h"

namespace seamark {

// Something of the input that could not be counted, or only after a repair.
struct UsageLoss {
  std::string file;
  std::int64_t line = 0;  // from 1; 0: the whole file, or not known
  std::string what;
  bool repaired = false;  // nothing is lost: bytes that are not UTF-8 were read as U+FFFD
};

struct UsageCount {
  std::string framework;
  std::string name;
  UsageTier tier = UsageTier::kResolved;
  std::int64_t calls = 0;
  std::int64_t references = 0;
  std::int64_t files = 0;
  std::vector<std::uint32_t> repositories;  // ascending positions in UsageShard::repositories
};

struct UsageShard {
  std::string name;
  std::string identity;         // empty: standard input, which is never taken for counted
  std::int64_t bytes = 0;       // uncompressed
  std::int64_t files = 0;       // of source
  std::int64_t candidates = 0;  // of them, those that were scanned
  std::int64_t losses = 0;
  std::int64_t repaired = 0;          // files with bytes that are not UTF-8
  std::vector<UsageLoss> kept;        // the first of both
  std::int64_t unresolved_stars = 0;  // star imports that no catalogue resolves
  double cpu_s = 0;
  std::vector<UsageImports> imports;
  std::vector<std::uint64_t> repositories;  // hashes, ascending
  std::vector<UsageCount> counts;           // each (framework, name, tier) once
};

}  // namespace seamark
