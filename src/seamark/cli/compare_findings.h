// What `seamark compare` does alike with two stores and with a study: the gate, known failures, the formats.
#pragma once

#include "seamark/analysis/change.h"
#include "seamark/analysis/gate.h"
#include "seamark/base/result.h"
#include "seamark/cli/compare_command.h"
#include "seamark/cli/context.h"
#include "seamark/report/build/change_report.h"
#include "seamark/report/document/document_formats.h"

namespace seamark::cli {

inline Formats compare_formats() {
  return report::documents_and({Format::kJson, Format::kJunit, Format::kSarif});
}

bool is_regular(const std::string& file);  // false where it cannot be told

Result<analysis::Gate> gate_for(const CompareCommand& command);
// Applies the file of expectations (written anew first where that is asked for) and the gate.
Status mark_findings(analysis::Comparison& comparison, const Context& context, const CompareCommand& command,
                     const analysis::Gate& gate);

}  // namespace seamark::cli
