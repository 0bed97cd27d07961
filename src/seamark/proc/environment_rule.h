// Which of our variables a child inherits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace seamark::proc {

struct EnvironmentRule {
  std::vector<std::string> pass;   // names and globs
  std::vector<std::string> never;  // globs of names in capitals; they win over `pass`
  std::vector<std::string> named;  // names that pass whatever stands above

  [[nodiscard]] bool passes(std::string_view name) const;
};

}  // namespace seamark::proc
