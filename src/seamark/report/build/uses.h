// How often the functions of a report are called, where that is known.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "seamark/analysis/result_set.h"
#include "seamark/analysis/summary.h"

namespace seamark::report {

class Uses {
 public:
  // nullptr: of none. `source`: in what calls were counted.
  explicit Uses(const analysis::ResultSet* findings, std::string source = {});
  // With calls and, where it is called at all, its decile; nullptr: not known.
  [[nodiscard]] const analysis::FunctionResult* of(const analysis::FunctionRow& function) const;
  // nullopt: not known.
  [[nodiscard]] std::optional<std::int64_t> calls_of(const analysis::FunctionRow& function) const;
  [[nodiscard]] bool any() const { return !by_name_.empty(); }
  [[nodiscard]] const std::string& source() const { return source_; }

 private:
  std::string source_;
  using Key = std::pair<std::string_view, std::string_view>;  // framework, name: of the findings
  std::map<Key, const analysis::FunctionResult*> by_name_;
};

}  // namespace seamark::report
