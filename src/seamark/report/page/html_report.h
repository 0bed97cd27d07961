// The report as one self-contained HTML file: no network; readable without its scripts, light and dark,
// printable.
#pragma once

#include <string>

#include "seamark/analysis/summary.h"
#include "seamark/report/render/render_options.h"

namespace seamark::report {

// Needs Detail::kMessages for the texts of failures. Width, color and unicode are ignored.
std::string render_html(const analysis::Summary& summary, const RenderOptions& options);

}  // namespace seamark::report
