// Everything known of single functions, for `seamark show FUNCTION`.
#pragma once

#include <string>

#include "seamark/analysis/summary.h"
#include "seamark/model/usage.h"
#include "seamark/report/document/document.h"

namespace seamark::report {

struct ShowChoice {
  std::string case_name;   // this case alone; empty: all of the function
  bool full = false;       // each case in a row, and each attempt; else cases that fare alike are one row
  bool sentences = false;  // how it fares on each target, in words, first
};

// Every function of the summary (SummaryOptions::function chooses one). Shows most with Detail::kFull.
// Without a head where nothing matches. `usage`: how often code calls the function, where it is known.
Document show_document(const analysis::Summary& summary, const ShowChoice& choice,
                       const RenderOptions& options, const UsageTable* usage = nullptr);

}  // namespace seamark::report
