// Text into Markdown: the only way by which anything of a result gets into it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace seamark::report::markdown {

// One line in which no character means anything to Markdown or HTML. An URL is not linked either.
std::string plain(std::string_view raw);
// A code span. Inside one only backticks and, in tables, pipes mean anything.
std::string code(std::string_view raw);
// One row of a table. Cells are markup.
std::string line(const std::vector<std::string>& cells);
// A folded part. Both are markup.
std::string details(const std::string& heading, const std::string& body);

}  // namespace seamark::report::markdown
