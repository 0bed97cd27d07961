// Text of results in the log of a CI, which acts upon some of its lines.
#pragma once

#include <string>
#include <string_view>

namespace seamark {

// With a space for the second character of what would be a command: "::" that begins a line (GitHub, Gitea),
// "##[", "##vso[" and "##teamcity[" anywhere. In front of "::" a line may have white space and what is not
// ASCII, which a CI passes over in part.
[[nodiscard]] std::string without_log_commands(std::string_view text);
// The same for JSON, which stays the same document: the second character is escaped. A line of JSON begins
// with no "::".
[[nodiscard]] std::string json_without_log_commands(std::string json);

}  // namespace seamark
