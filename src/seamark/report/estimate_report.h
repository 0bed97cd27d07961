// Estimated latencies in each format. Every text says that they are no measurements.
#pragma once

#include <optional>
#include <string>

#include "seamark/analysis/summary.h"
#include "seamark/base/value.h"
#include "seamark/report/number_text.h"
#include "seamark/report/render_options.h"

namespace seamark::report {

// Words of the legend, the same in each format.
std::string estimate_meaning();
// What limits an estimate, and why there is none by some method: "roofline: memory; no cycles: ...".
std::string estimate_remark(const analysis::Estimate& estimate);

// Empty where nothing was estimated.
std::string estimate_section(const analysis::Summary& summary, const RenderOptions& options,
                             const Glyphs& glyphs);
std::string estimate_markdown(const analysis::Summary& summary, const Glyphs& glyphs);

Value estimate_json(const std::optional<analysis::Estimate>& estimate);
Value estimates_json(const analysis::Summary& summary);
Value estimate_pairs_json(const analysis::Summary& summary);

// "slower on the TPU 3 of 5, over 10x 1; rank correlation ...".
std::string pair_text(const analysis::EstimatePair& pair, const Glyphs& glyphs);

// "cycles: the compiler gives no cycles (3 functions)".
std::string gap_text(const analysis::TargetEstimates& target);

}  // namespace seamark::report
