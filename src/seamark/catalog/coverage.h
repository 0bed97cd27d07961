// What of a catalogue the suites cover. Every function that is not deprecated gets exactly one status.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/catalog/rules.h"
#include "seamark/model/case_info.h"
#include "seamark/model/catalogue.h"
#include "seamark/model/usage.h"
#include "seamark/store/records.h"

namespace seamark::catalog {

// The first that holds.
enum class Cover : std::uint8_t {
  kCurated = 1,      // a case of the curated suite
  kAutomatic = 2,    // a case of another suite
  kNotTestable = 3,  // a rule says why
  kDeclared = 4,     // the version names a kernel, no more
  kNone = 5,
};
inline constexpr std::size_t kCovers = 5;
std::string_view name_of(Cover cover);  // curated, automatic, not-testable, declared, not-covered

// How far the attempts of a store got, the best of all targets; of covered functions only.
enum class Level : std::uint8_t {
  kListed = 1,    // no attempt
  kFailed = 2,    // attempts, but none of them got as far as
  kCompiled = 3,  // lowered or compiled
  kExecuted = 4,  // ran, but was not found right
  kVerified = 5,  // ran, and was found right
};
inline constexpr std::size_t kLevels = 5;
std::string_view name_of(Level level);

struct FunctionCover {
  const CatalogueFunction* function = nullptr;  // of the catalogue
  Cover cover = Cover::kNone;
  Level level = Level::kListed;
  std::string suite;   // that covers it
  std::string reason;  // of kNotTestable; of what is covered through its class
  std::int64_t calls = 0;
};

// The functions that are called most, until a share of all calls is reached; deprecated ones too.
struct CallBand {
  int percent = 100;  // of the calls
  std::int64_t functions = 0;
  std::int64_t calls = 0;
  std::int64_t curated = 0;                      // calls of what the curated suite has
  std::int64_t uncovered = 0;                    // calls of what no suite has
  std::array<std::int64_t, kLevels> by_level{};  // calls of what a suite has, by level less 1
};

struct Coverage {
  CatalogueHead head;
  std::int64_t deprecated = 0;                                      // functions that are left out
  std::int64_t total = 0;                                           // the others: the sum of all counts
  std::array<std::array<std::int64_t, kLevels>, kCovers> counts{};  // by cover and level, each less 1
  std::map<std::string, std::int64_t> reasons;                      // of kNotTestable
  std::vector<FunctionCover> functions;         // those that are not deprecated, in the catalogue's order
  std::vector<std::string> unmatched;           // functions of cases that the catalogue does not know, sorted
  std::vector<std::string> deprecated_covered;  // deprecated ones that have cases
  std::vector<CallBand> by_calls;               // 80, 90 and 100 percent; empty where no call was counted

  [[nodiscard]] std::int64_t count(Cover cover) const;
  [[nodiscard]] std::int64_t count(Level level) const;  // of covered functions
};

// `catalogue` is borrowed. Cases of other frameworks and evidence of other versions do not count, nor do
// calls that are not resolved or inferred. The first of the rules' suites is the curated one.
[[nodiscard]] Coverage cover(const Catalogue& catalogue, const Rules& rules, std::span<const CaseInfo> cases,
                             std::span<const store::FunctionEvidence> evidence,
                             std::span<const UsageRow> usage = {});

}  // namespace seamark::catalog
