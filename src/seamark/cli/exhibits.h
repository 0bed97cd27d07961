// The study's tables and figures of a store or of a published baseline, for `seamark report --tables`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "seamark/analysis/result_set.h"
#include "seamark/analysis/study_tables.h"
#include "seamark/base/result.h"
#include "seamark/cli/context.h"
#include "seamark/cli/report_command.h"

namespace seamark::cli {

// A baseline's name given as --store where there is no such file.
bool is_baseline(const Context& context, const std::string& store);

// Tables, figures and headlines in the study's order; `only` keeps these ids (globs). kUnknownName names a
// device or an exhibit that is not there.
// What a store has and a published study has not: its summary, the findings that go beyond the study's
// exhibits (by Seamark's rules, where `findings` are by the study's), and whose calls count.
struct StoreFindings {
  const analysis::Summary* summary = nullptr;
  const analysis::ResultSet* beyond = nullptr;
  std::string usage;
};
Result<ExitCode> report_exhibits(const Context& context, const ReportCommand& command,
                                 const analysis::ResultSet& findings, const StoreFindings& of_store = {});

// `seamark report` of the baseline that `store` names: a page where HTML is asked for, else as above.
Result<ExitCode> report_baseline(const Context& context, const ReportCommand& command,
                                 const std::string& store);

}  // namespace seamark::cli
