// A stratified sample of functions, as plain values (docs/sample.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/value.h"

namespace seamark {

// What a function is in a sample's record. Persisted: append, never renumber.
enum class SampleRole : std::uint8_t {
  kTop = 1,          // among the most frequent: certain to be taken
  kDecile = 2,       // drawn from its decile
  kNeverSeen = 3,    // drawn from those that no code used
  kReplacement = 4,  // drawn from a decile for another that was replaced
  kOverlap = 5,      // drawn from its decile, and dropped there: it is among the most frequent
  kExcluded = 6,     // left out of the population before anything was drawn
};
inline constexpr int kLastSampleRole = 6;
std::string_view name_of(SampleRole role);  // top, decile, never-seen, replacement, overlap, excluded

struct SampledFunction {
  std::string framework;
  std::string function;
  SampleRole role = SampleRole::kDecile;
  std::string stratum;              // SampleStratum::name; empty: excluded
  std::int64_t rank = 0;            // from 1; 0: never seen
  int decile = 0;                   // 1 to 10; 0: never seen
  std::optional<double> inclusion;  // probability of being taken, before replacements; nullopt: excluded
  std::int64_t calls = 0;
  std::int64_t references = 0;
  std::int64_t files = 0;
  std::string reason;  // of an exclusion or a replacement
  std::string
      replaced_by;       // of a function that was replaced: nonresponse; empty with a reason: none was left
  std::string replaces;  // of a replacement

  // Drawn and so speaking for its stratum, replaced ones too.
  [[nodiscard]] bool counts() const { return role != SampleRole::kOverlap && role != SampleRole::kExcluded; }
  [[nodiscard]] bool is_replaced() const { return counts() && !reason.empty(); }
};

// The top, or what a decile holds beside them, or what was never seen; of one framework.
struct SampleStratum {
  std::string framework;
  std::string name;            // top, decile-1 ... decile-10, never-seen
  int decile = 0;              // 0: none
  std::int64_t functions = 0;  // in it
  std::int64_t drawn = 0;      // of those
  std::int64_t calls = 0;      // of all of them

  // How many functions of the stratum one that was drawn stands for.
  [[nodiscard]] double weight() const {
    return drawn > 0 ? static_cast<double>(functions) / static_cast<double>(drawn) : 0;
  }
};

// What one framework's part was drawn from.
struct SampleFrame {
  std::string framework;
  std::string version;             // of its catalogue; empty: there was none
  std::int64_t seen = 0;           // functions
  std::int64_t never_seen = 0;     // of the catalogue; 0 without one
  std::int64_t calls = 0;          // of the functions
  std::int64_t unknown_names = 0;  // that the catalogue does not know: left out
  std::int64_t unknown_calls = 0;
};

struct SampleInfo {
  std::string id;    // of its content: what was drawn equally is one sample; given by the store
  std::string name;  // unique in a store; may be empty
  std::int64_t created_unix_us = 0;
  std::uint64_t seed = 0;
  std::string generator;   // of random numbers
  std::string procedure;   // in words
  std::string population;  // seen, all
  std::string frequency;   // calls, uses, files
  std::string usage;       // where the counts come from
  Value parameters;        // object: everything else that was asked for
};

struct Sample {
  SampleInfo info;
  std::vector<SampleFrame> frames;         // by framework
  std::vector<SampleStratum> strata;       // by framework; top, deciles, never seen
  std::vector<SampledFunction> functions;  // by framework; in the order in which they were taken
};

}  // namespace seamark
