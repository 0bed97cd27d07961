// The report as CSV (RFC 4180), one row per function and target; columns in docs/report.md.
#pragma once

#include <string>

#include "seamark/analysis/summary.h"
#include "seamark/report/render/render_options.h"

namespace seamark::report {

// Needs Detail::kNone. Text that a spreadsheet would take for a formula gets an apostrophe in front.
std::string render_csv(const analysis::Summary& summary, const RenderOptions& options);

}  // namespace seamark::report
