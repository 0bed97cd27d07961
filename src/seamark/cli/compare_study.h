// `seamark compare` where a side is a published study.
#pragma once

#include <string>

#include "seamark/base/result.h"
#include "seamark/cli/context.h"

namespace seamark::cli {

// The chosen run of `store` (empty: the settings') beside the study `name`.
Result<ExitCode> compare_with_study(const Context& context, const CompareCommand& command,
                                    const std::string& name, const std::string& store,
                                    const std::string& run);

}  // namespace seamark::cli
