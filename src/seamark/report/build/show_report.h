// Everything known of single functions, for `seamark show FUNCTION`.
#pragma once

#include <string>

#include "seamark/analysis/summary.h"
#include "seamark/model/usage.h"
#include "seamark/report/document/document.h"

namespace seamark::report {

// Every function of the summary (SummaryOptions::function chooses one), with every case, or only the
// case of this name where one is given. Shows most with Detail::kFull. Without a head where nothing matches.
// `usage`: how often code calls the function, where it is known.
Document show_document(const analysis::Summary& summary, const std::string& case_name,
                       const RenderOptions& options, const UsageTable* usage = nullptr);

}  // namespace seamark::report
