// A badge: the endpoint JSON of shields.io for one target.
#pragma once

#include <string>

#include "seamark/analysis/summary.h"

namespace seamark::report {

// Throws std::invalid_argument unless the summary is of exactly one target. Label: the target; message: the
// share of its functions that run, or compile where nothing was executed.
std::string render_badge(const analysis::Summary& summary);

}  // namespace seamark::report
