// The report as GitHub-flavoured Markdown, short enough for a README or a pull request.
#pragma once

#include <string>

#include "seamark/analysis/summary.h"
#include "seamark/report/render_options.h"

namespace seamark::report {

// Needs Detail::kNone. Text of results never becomes markup.
std::string render_markdown(const analysis::Summary& summary, const RenderOptions& options);

}  // namespace seamark::report
