// SARIF 2.1.0 documents. Locations are logical: a target, a function, a case; a store knows no files.
#pragma once

#include <string>
#include <string_view>

#include "seamark/base/value.h"

namespace seamark::report::sarif {

struct Finding {
  std::string rule;
  int rule_index = 0;
  std::string level;  // error, warning, note, none
  std::string message;
  std::string target;
  std::string function;            // empty: of the whole target
  std::string case_name;           // empty: of the whole function
  std::string baseline_state;      // new, unchanged, updated, absent; empty: not said
  std::string fingerprint_salt;    // tells apart what has the same rule and place
  std::string suppressed_because;  // empty: not suppressed
};

// "new-failure" is also named NewFailure, as rules are.
Value rule(std::string_view id, std::string_view description, std::string_view level);
Value result(const Finding& finding);
// One run. `properties` is an object of the run.
std::string document(const std::string& tool_version, Value rules, Value results, Value properties);

}  // namespace seamark::report::sarif
