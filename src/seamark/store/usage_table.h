// Corpora whose usage was counted, as a store keeps them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace seamark::store {

// One corpus: a label and the shards that it consists of.
struct UsageCorpus {
  std::string label;                                           // as users know it
  std::string protocol;                                        // names, paper
  std::string vocabulary;                                      // equal where names are resolved alike
  std::string options;                                         // JSON: what else decides what is counted
  std::map<std::string, std::string, std::less<>> catalogues;  // framework: version
  std::vector<std::string> inputs;                             // as given
  std::int64_t planned = 0;                                    // shards
  bool complete = false;                                       // all of them are there
  std::int64_t started_unix_us = 0;
  std::optional<std::int64_t> ended_unix_us;
  // Filled when read, summed over the shards that are there.
  std::int64_t shards = 0;
  std::int64_t bytes = 0;
  std::int64_t files = 0;
  std::int64_t candidates = 0;
  std::int64_t losses = 0;
  std::int64_t repaired = 0;  // files with bytes that are not UTF-8
  std::int64_t unresolved_stars = 0;
  double cpu_s = 0;
};

struct UsageBegin {
  std::int64_t corpus = 0;    // its number
  std::vector<bool> counted;  // of each identity: is it there?
};

// Ascending numbers as differences, each in groups of seven bits, the lowest first.
std::vector<std::uint8_t> encode_ascending(std::span<const std::uint64_t> numbers);
std::vector<std::uint8_t> encode_ascending(std::span<const std::uint32_t> numbers);
// nullopt: not whole, or not ascending.
std::optional<std::vector<std::uint64_t>> decode_ascending(std::span<const std::uint8_t> bytes);

}  // namespace seamark::store
