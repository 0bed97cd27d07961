// The study's tables and figures of a store or of a published baseline, for `seamark report --tables`.
#pragma once

#include <string>

#include "seamark/analysis/beyond.h"
#include "seamark/analysis/result_set.h"
#include "seamark/base/result.h"
#include "seamark/cli/context.h"
#include "seamark/cli/report_command.h"

namespace seamark::cli {

// A baseline's name given as --store where there is no such file.
bool is_baseline(const Context& context, const std::string& store);

// Whether what is asked for tells of operators, for which a store has to be read again.
bool wants_operators(const ReportCommand& command);

// Tables, figures and headlines in the study's order; `only` keeps these ids (globs). kUnknownName names a
// device or an exhibit that is not there.
// `of_store`: its summary, whose calls count, and operators where they are wanted; none of a published study.
// `by_study`: what the study's exhibits rest on, where that differs from the store's `own` findings.
Result<ExitCode> report_exhibits(const Context& context, const ReportCommand& command,
                                 const analysis::ResultSet& own, const analysis::BeyondOptions& of_store = {},
                                 const analysis::ResultSet* by_study = nullptr);

// `seamark report` of the baseline that `store` names: a page where HTML is asked for, else as above.
Result<ExitCode> report_baseline(const Context& context, const ReportCommand& command,
                                 const std::string& store);

}  // namespace seamark::cli
