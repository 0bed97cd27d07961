// The charts of the HTML report: the study's figures of the report's own targets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "seamark/analysis/exhibit.h"
#include "seamark/analysis/result_set.h"
#include "seamark/report/page/html_page.h"

namespace seamark::report {

// What a page needs to draw. Borrowed by RenderOptions.
struct PageCharts {
  std::vector<analysis::Exhibit> figures;  // those with rows are drawn, others say why they have none
  std::string
      library;  // a script that defines seamarkVega(), which defines vegaEmbed(); empty: there is none
  std::string missing;          // why there is none, and what to do
  analysis::Exhibit operators;  // that targets lack: a table below the failures; without rows: none
};

namespace html {

// The section "Charts" with its data; without a library the figures' tables and one line that says how to get
// the drawings. Empty where no figure has rows.
std::string charts_section(const PageCharts& charts, const analysis::ResultSet& findings);
// Adds what draws them to the page's styles and scripts; nothing without a library or a figure. Borrows
// `charts`.
void add_charts(const PageCharts& charts, PageParts& parts);

}  // namespace html
}  // namespace seamark::report
