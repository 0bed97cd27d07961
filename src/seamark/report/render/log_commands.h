// Text of results in the log of a CI, which acts upon some of its lines.
#pragma once

#include <string>
#include <string_view>

namespace seamark::report {

// With a space for the second character of what would be a command: "::" that begins a line (GitHub, Gitea),
// "##[", "##vso[" and
// "##teamcity[" anywhere. A line may begin with white space.
[[nodiscard]] std::string without_log_commands(std::string_view text);

}  // namespace seamark::report
