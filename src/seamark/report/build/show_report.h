// Everything known of single functions, for `seamark show FUNCTION`.
#pragma once

#include <string>

#include "seamark/analysis/summary.h"
#include "seamark/report/render/render_options.h"

namespace seamark::report {

// Every function of the summary (SummaryOptions::function chooses one), with every case, or only the
// case of this name where one is given. Shows most with Detail::kFull. Empty when nothing matches.
std::string render_show(const analysis::Summary& summary, const std::string& case_name,
                        const RenderOptions& options);

}  // namespace seamark::report
