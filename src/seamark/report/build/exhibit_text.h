// Tables and figures as sections of a document, and as CSV, JSON and LaTeX.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/analysis/exhibit.h"
#include "seamark/analysis/result_set.h"
#include "seamark/report/document/document.h"
#include "seamark/report/render/render_options.h"

namespace seamark::report {

// What was found, then the exhibits in order. CSV is long: exhibit, row, column, value, unit, printed,
// reason; times are seconds there and in JSON. Ends with a newline.
std::string render_exhibits(Format format, const analysis::ResultSet& findings,
                            std::span<const analysis::Exhibit> exhibits, const RenderOptions& options);

// Its table, where it has rows, then its notes, and why cells are empty, each reason once.
Section exhibit_section(const analysis::Exhibit& exhibit, bool unicode);
// Without blocks where there are none.
Section contradiction_section(const analysis::ResultSet& findings);

// "Table 1".
std::string number_of(const analysis::Exhibit& exhibit);
// "0.157 ms", "81.4%", "6,040×", and what was printed in its place: "44.4% (printed: 44%)".
std::string datum_text(const analysis::Datum& datum, bool unicode);

}  // namespace seamark::report
