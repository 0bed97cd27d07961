// `seamark run` as a verb's own step.
#pragma once

#include <string>
#include <vector>

#include "seamark/audit/join.h"
#include "seamark/base/result.h"
#include "seamark/cli/context.h"

namespace seamark::cli {

// Runs the core cases of these functions on the targets of the answers, untimed, into the settings' store;
// what it says goes to standard error. kEnvironment where it could not begin; else how it ended.
Result<ExitCode> run_functions(const Context& context, const Settings& settings,
                               const audit::Answers& answers, const std::vector<std::string>& functions,
                               const Selection& selection);

// Runs every case of a suite on one target likewise.
Result<ExitCode> run_suite(const Context& context, const Settings& settings, const std::string& target,
                           const std::string& suite, const Selection& selection);

}  // namespace seamark::cli
