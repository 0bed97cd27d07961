// Estimated latencies in each format. Every text says that they are no measurements.
#pragma once

#include <optional>
#include <string>

#include "seamark/analysis/summary.h"
#include "seamark/base/value.h"
#include "seamark/report/document/document.h"
#include "seamark/report/render/number_text.h"

namespace seamark::report {

// Words of the legend, the same in each format.
std::string estimate_meaning();
// What limits an estimate, and why there is none by some method: "roofline: memory; no cycles: ...".
std::string estimate_remark(const analysis::Estimate& estimate);

// Of each TPU against each GPU `rows` functions of either end. Without blocks where nothing was estimated.
Section estimate_section(const analysis::Summary& summary, int rows, const Glyphs& glyphs);

Value estimate_json(const std::optional<analysis::Estimate>& estimate);
Value estimates_json(const analysis::Summary& summary);
Value estimate_pairs_json(const analysis::Summary& summary);

}  // namespace seamark::report
