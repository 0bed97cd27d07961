// Functions in the order of their frequency, and the tenths of that order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/model/catalogue.h"
#include "seamark/model/sample.h"
#include "seamark/model/usage.h"
#include "seamark/sample/sample_error.h"

namespace seamark::sample {

enum class Frequency : std::uint8_t { kCalls, kUses, kFiles };
std::string_view name_of(Frequency by);  // calls; uses: calls and references; files
std::optional<Frequency> frequency_from(std::string_view name);

// One function with its counts, summed over tiers and over its names.
struct Counted {
  std::string function;
  std::int64_t calls = 0;
  std::int64_t references = 0;
  std::int64_t files = 0;

  [[nodiscard]] std::int64_t frequency(Frequency by) const;
};

// The functions of one framework, before they are ranked.
struct FramePopulation {
  SampleFrame frame;
  std::vector<Counted> functions;  // by name, each once; with a catalogue all of its functions
};

// The rows of these tiers. With a catalogue, names become canonical ones and what it does not know is left
// out and counted; without one, every name is a function. kBadRequest where nothing is left, and where
// bare names (UsageTier::kBare) meet a catalogue or another tier: they are not qualified.
Result<FramePopulation> population_of(const UsageTable& usage, std::string_view framework,
                                      const Catalogue* catalogue, const std::vector<UsageTier>& tiers);

struct Ranking {
  std::vector<Counted> seen;  // rank 1 first
  std::vector<Counted> never_seen;
};

// Ties, and the order of what was never seen, are drawn by the seed. A function is seen when its frequency
// is above 0.
Ranking rank_functions(std::vector<Counted> functions, Frequency by, std::uint64_t seed,
                       std::string_view framework);

inline constexpr int kDeciles = 10;
// Ranks from 1: the tenths are as equal as can be, and none is empty from ten functions on.
int decile_of(std::int64_t rank, std::int64_t functions);

}  // namespace seamark::sample
