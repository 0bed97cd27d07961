// The expectations file (seamark.expected.toml): failures that are known. Docs: docs/compare.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/analysis/change.h"
#include "seamark/base/result.h"
#include "seamark/model/outcome.h"

namespace seamark::analysis {

inline constexpr std::string_view kExpectedFile = "seamark.expected.toml";

// Failures of one function, or of one case, on targets.
struct Expectation {
  std::string target;                // a name or a glob
  std::string function;              // a name or a glob; empty: `case_name` is given
  std::string case_name;             // a name or a glob; empty: `function` is given
  std::optional<Category> category;  // nullopt: any
  bool flaky = false;                // it may pass as well
  std::string suite;                 // without whose cases nothing is stale; empty: curated
  std::string reason;
  int line = 0;  // of its [[expected]]; 0: made by the tool

  [[nodiscard]] bool speaks_of(std::string_view on_target, std::string_view of_function,
                               std::string_view of_case) const;
};

class Expectations {
 public:
  // `file` is named in errors, each with its line: kSyntax or kBadField.
  static Result<Expectations> parse(std::string_view toml, std::string_view file);

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] const std::vector<Expectation>& entries() const { return entries_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string file_;
  std::string text_;  // as it was read
  std::vector<Expectation> entries_;
};

// Marks the changes and failing cases that are expected, and adds unexpected passes and stale entries. Once
// per comparison.
void apply_expectations(Comparison& comparison, const Expectations& expectations);

// The file as it is to be after this comparison: every failure of the later side has an entry. Entries that
// still hold keep their text, comments and reason, also of targets that were not compared; unexpected passes
// and stale ones go; a changed category is replaced. In order of target, function and case; the same
// comparison gives the same text. kBadData where entries are not written as [[expected]] tables.
Result<std::string> updated_expectations(const Comparison& comparison, const Expectations& expectations);

}  // namespace seamark::analysis
