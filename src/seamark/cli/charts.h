// Figures drawn by the helper process: PNG and SVG files, and the scripts with which a page draws them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/analysis/exhibit.h"
#include "seamark/analysis/result_set.h"
#include "seamark/analysis/summary.h"
#include "seamark/base/result.h"
#include "seamark/cli/context.h"
#include "seamark/cli/report_command.h"
#include "seamark/model/format.h"
#include "seamark/report/page/html_charts.h"
#include "seamark/report/render/chart_spec.h"

namespace seamark::cli {

// What the command asks for, by its format or by the output's name; nullopt: no drawing.
std::optional<Format> chart_format_of(const ReportCommand& command);

// One figure into `output` (a file or, where it is no terminal, standard output), several into the folder
// `output`, which is made: figure-3.png, figure-3.vl.json. kUsage: several need a folder. kEnvironment: there
// is no vl-convert, or it could not draw. kOutput.
Status write_charts(const Context& context, std::span<const analysis::Exhibit> figures,
                    const analysis::ResultSet& findings, Format format, report::ChartTheme theme,
                    const std::string& output);

// Vega, Vega-Lite and Vega-Embed as one script: from the cache where it is whole, else asked of the helper
// and kept. kEnvironment as above; the message and the remedy are one line each.
Result<std::string> chart_scripts(const Context& context);

// All of these figures on a page; one without rows says why it has none. The scripts as below.
report::PageCharts study_charts(const Context& context, std::vector<analysis::Exhibit> figures);
// The figures of a report's page and, where there are any and they can be had, the scripts.
report::PageCharts page_charts(const Context& context, const analysis::ResultSet& findings,
                               const analysis::Summary& summary);

}  // namespace seamark::cli
