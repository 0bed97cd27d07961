// The report on a terminal: the study's Tables 1, 8 and 2 for this store.
#pragma once

#include <string>

#include "seamark/analysis/summary.h"
#include "seamark/report/render_options.h"

namespace seamark::report {

// Needs Detail::kNone. No line is wider than options.width (60 at least), escape sequences aside.
std::string render_terminal(const analysis::Summary& summary, const RenderOptions& options);

}  // namespace seamark::report
