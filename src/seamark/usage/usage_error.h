// The errors of the usage room.
#pragma once

#include <string_view>

namespace seamark::usage {

enum class UsageError {
  kNotFound = 1,     // an input that does not exist, or cannot be opened
  kUnknownKind = 2,  // neither its name nor its first bytes say what it is
  kLost = 3,         // --strict, and something could not be counted
  kBadRules = 4,     // data/usage
  kHelper = 5,       // Parquet and URLs need packages in Seamark's own Python
  kStopped = 6,      // the sink wanted no more
  kUnavailable = 7,  // a URL that cannot be read now, or broke off
};
constexpr std::string_view room_of(UsageError) { return "usage"; }

}  // namespace seamark::usage
