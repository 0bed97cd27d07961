// Tables and figures of exhibits as HTML.
#pragma once

#include <string>

#include "seamark/analysis/exhibit.h"

namespace seamark::report::html {

// "Table 1: Portability ...", "Figure 3: ..."; of others the title alone.
std::string exhibit_title(const analysis::Exhibit& exhibit);
// Its rows, with the reason in place of a number that is not there; empty without rows.
std::string exhibit_table(const analysis::Exhibit& exhibit);
// Its notes as a list; empty without any.
std::string exhibit_notes(const analysis::Exhibit& exhibit);
// Title, table and notes; `folded`: under a summary that unfolds.
std::string exhibit_block(const analysis::Exhibit& exhibit, bool folded);

}  // namespace seamark::report::html
