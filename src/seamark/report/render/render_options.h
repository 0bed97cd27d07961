// What the renderers of this room share: how wide, with which characters, in colour or not.
#pragma once

#include <cstdint>
#include <string>

#include "seamark/analysis/summary.h"
#include "seamark/model/format.h"

namespace seamark::analysis {
struct ResultSet;
}  // namespace seamark::analysis

namespace seamark::report {

struct PageCharts;

struct RenderOptions {
  int width = 100;           // terminal columns; below 60 counts as 60
  bool color = false;        // only where the output is a terminal that wants it
  bool unicode = true;       // box lines and dashes; false: ASCII
  int rows = 3;              // slowest and fastest functions listed per target (terminal, markdown)
  std::string tool_version;  // of Seamark, shown in the head; empty: not shown
  const analysis::ResultSet* findings = nullptr;  // html: how often functions are used; nullptr: not known
  const PageCharts* charts = nullptr;  // html: drawn with `findings`; nullptr: none (html_charts.h)
  std::string usage_source;            // html: in what those calls were counted
};

// How much of the store the format shows: what to ask summarize() for.
analysis::Detail detail_for(Format format);

// Dispatches to the renderer of the format (a badge is of one target). The result ends with a newline.
std::string render(Format format, const analysis::Summary& summary, const RenderOptions& options);

}  // namespace seamark::report
