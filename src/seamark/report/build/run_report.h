// The report of runs as a document.
#pragma once

#include <cstdint>
#include <string>

#include "seamark/analysis/summary.h"
#include "seamark/report/build/uses.h"
#include "seamark/report/document/document.h"
#include "seamark/report/render/number_text.h"
#include "seamark/report/render/render_options.h"

namespace seamark::report {

// The page has room for what failed in whose words, for the estimates of all functions, and for more of each
// target.
enum class Extent : std::uint8_t { kText, kPage };
// The first section is "overview".
Document run_document(const analysis::Summary& summary, const RenderOptions& options,
                      Extent extent = Extent::kText);

// Slowest and fastest functions against the baseline of each target, warm and cold apart; at most `rows` of
// each.
Section latency_section(const analysis::Summary& summary, int rows, const Glyphs& glyphs);
// Subset, state, noise floor, flips, proof, cost, definitions: everything that limits what the tables say.
Section note_section(const analysis::Summary& summary, const Glyphs& glyphs);
// What failed, by target, grouped by what it said and bounded; the most called first. Needs
// Detail::kMessages.
Section failure_section(const analysis::Summary& summary, const Uses& uses, const Glyphs& glyphs);

// The part of a case's name after the function's: "argsort[f32,100]".
std::string case_part(const std::string& case_name, const std::string& function);

}  // namespace seamark::report
