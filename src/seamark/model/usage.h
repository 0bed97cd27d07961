// How often code uses functions, as plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace seamark {

// How a name was found. Persisted.
enum class UsageTier : std::uint8_t {
  kResolved = 1,  // as Python binds names
  kInferred = 2,  // a method of a name bound to a known class or factory
  kUnknown = 3,   // below a framework, but no catalogue knows it
  kBare = 4,      // any identifier of that spelling, as the study counted
  // A method called on an object of unknown type: a range of the calls that are this one's.
  kPossibleLeast = 5,  // of a type that factories give, and no other known class has a method of that name
  kPossibleMost = 6,   // one of the framework's classes has
};
inline constexpr int kLastUsageTier = 6;
std::string_view name_of(UsageTier tier);  // resolved, inferred, unknown, bare, possible-least, possible-most

// Whether a call in this tier is one of the function that it names, so that such calls may be added up.
constexpr bool is_certain(UsageTier tier) {
  return tier == UsageTier::kResolved || tier == UsageTier::kInferred || tier == UsageTier::kPossibleLeast;
}

struct UsageRow {
  std::string framework;
  std::string function;  // qualified; bare in the tier kBare
  UsageTier tier = UsageTier::kResolved;
  std::int64_t calls = 0;
  std::int64_t references = 0;  // without a call
  std::int64_t files = 0;
  std::int64_t repositories = 0;
};

struct UsageImports {
  std::string framework;
  std::int64_t files = 0;  // that import it
};

// Calls of one function: what is certain, and with what is possible.
struct CallRange {
  std::int64_t least = 0;
  std::int64_t most = 0;

  void add(const UsageRow& row);  // of that function, in any tier
};

// What one corpus says. Rows by framework, tier, calls (most first), function.
struct UsageTable {
  std::string corpus;    // what was counted, as users call it
  std::string protocol;  // names, paper
  std::int64_t files = 0;
  std::int64_t bytes = 0;  // uncompressed
  std::vector<UsageImports> imports;
  std::vector<UsageRow> rows;

  [[nodiscard]] CallRange calls_of(std::string_view function) const;
};

}  // namespace seamark
