// Reads CSV (RFC 4180).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"

namespace seamark {

enum class CsvError { kSyntax = 1 };
constexpr std::string_view room_of(CsvError) { return "csv"; }

// Rows of fields; lines end with \n or \r\n, a last one may lack it, empty lines are dropped. An open quote
// at the end and text after a closing quote are kSyntax: `file` and the line are named.
Result<std::vector<std::vector<std::string>>> parse_csv(std::string_view text, std::string_view file);

}  // namespace seamark
