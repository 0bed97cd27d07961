// The page of a published study: what a report of a store has, as far as it was published.
#pragma once

#include <string>
#include <vector>

#include "seamark/analysis/exhibit.h"
#include "seamark/analysis/result_set.h"
#include "seamark/analysis/study.h"
#include "seamark/report/page/html_charts.h"
#include "seamark/report/render/render_options.h"

namespace seamark::report {

// Borrowed.
struct StudyPage {
  const analysis::Study& study;
  const analysis::ResultSet& findings;
  const std::vector<analysis::Exhibit>& tables;  // in the study's order
  const analysis::Exhibit& headlines;
  const std::vector<analysis::Exhibit>& beyond;  // those with rows are shown
  const PageCharts& charts;
};

// One self-contained file as render_html() makes it: readable without scripts, nothing from a network. No
// function has a verdict there: none was published.
std::string render_study_html(const StudyPage& page, const RenderOptions& options);

}  // namespace seamark::report
