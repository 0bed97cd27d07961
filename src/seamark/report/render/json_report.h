// The report as one JSON document, "schema": "seamark-report/1" (docs/report.md). Keys are only ever
// added; what was not measured is null with a *_reason beside it.
#pragma once

#include <string>

#include "seamark/analysis/summary.h"
#include "seamark/report/render/render_options.h"

namespace seamark::report {

// Needs Detail::kMessages for the messages of failures. Width, color and unicode are ignored.
std::string render_json(const analysis::Summary& summary, const RenderOptions& options);

}  // namespace seamark::report
