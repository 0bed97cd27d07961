// The sections of the HTML report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "seamark/analysis/summary.h"
#include "seamark/report/build/derive.h"
#include "seamark/report/build/uses.h"
#include "seamark/report/render/number_text.h"

namespace seamark::report::html {

// Look of a verdict or an outcome: a class of the style sheet, and a sign that needs no colour.
struct Look {
  const char* css;
  const char* sign;
};
Look look_of(CellStatus standing);
Look look_of(const analysis::CaseCell& cell);

// Indices into Summary::targets of one framework.
std::vector<std::size_t> targets_of(const std::string& framework, const analysis::Summary& summary);

// The evidence in words; "compiled" stands out.
std::string level_tag(std::string_view level, bool compiled_only);

// A table that scrolls on its own when the window is narrow. `rows` is markup.
std::string table(std::string_view css, std::string_view label, std::string_view head, std::string_view rows);

std::string section(std::string_view id, std::string_view heading, std::string_view note,
                    std::string_view content);

// Functions x targets, one table per framework: heads alone, page/matrix.js makes the rows.
std::string matrix_section(const analysis::Summary& summary, const Uses& uses, const Glyphs& glyphs);
// What page/*.js reads: the element "seamark-index", and "seamark-cases-K" of the K-th 64 functions.
std::string page_data(const analysis::Summary& summary, const Uses& uses);
}  // namespace seamark::report::html
