// Rules applied to one file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/audit/rule.h"
#include "seamark/audit/syntax.h"

namespace seamark::audit {

// Where a rule holds in a file.
struct Hit {
  std::size_t rule = 0;  // of those that were asked
  std::uint32_t line = 1;
  std::uint32_t column = 1;  // characters, from 1
  std::uint32_t end_line = 1;
  std::uint32_t end_column = 1;  // behind it
  std::string code;              // the line, trimmed, at most 200 bytes
  std::string ignored_because;   // `# seamark: ignore[ID] reason` stands there; "ignored" without a reason
};

// By line, column and rule. A rule holds once at a place.
[[nodiscard]] std::vector<Hit> check(const Syntax& syntax, std::span<const Rule> rules);
// The same for a file that is no Python, of that name.
[[nodiscard]] std::vector<Hit> check_lines(std::string_view name, std::string_view text,
                                           std::span<const Rule> rules);

}  // namespace seamark::audit
