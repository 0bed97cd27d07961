// The report of runs as a document, and those of its sections that the page shows too.
#pragma once

#include <string>

#include "seamark/analysis/summary.h"
#include "seamark/report/document/document.h"
#include "seamark/report/render/number_text.h"
#include "seamark/report/render/render_options.h"

namespace seamark::report {

Document run_document(const analysis::Summary& summary, const RenderOptions& options);

// Slowest and fastest functions against the baseline of each target, warm and cold apart; at most `rows` of
// each.
Section latency_section(const analysis::Summary& summary, int rows, const Glyphs& glyphs);
Section note_section(const analysis::Summary& summary, const Glyphs& glyphs);

// The part of a case's name after the function's: "argsort[f32,100]".
std::string case_part(const std::string& case_name, const std::string& function);

}  // namespace seamark::report
