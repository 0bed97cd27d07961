// The errors of the analysis room.
#pragma once

#include <string_view>

namespace seamark::analysis {

enum class AnalysisError {
  kUnreadable = 1,   // a data file is missing or cannot be read
  kBadData = 2,      // a data file is wrong
  kNoSuchStudy = 3,  // no published study of that name
  kNothing = 4,      // there is nothing to compare
  kBadGate = 5,      // an unknown word of --fail-on
};
constexpr std::string_view room_of(AnalysisError) { return "analysis"; }

}  // namespace seamark::analysis
