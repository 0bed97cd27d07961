// `seamark catalog --declared`: for which devices the frameworks' own tables name kernels.
#pragma once

#include <string>

#include "seamark/base/result.h"
#include "seamark/cli/context.h"
#include "seamark/model/format.h"

namespace seamark::cli {

// Of the settings' targets, which are plain CPU ones, into their store and to `output`.
Result<ExitCode> print_declared(const Context& context, const Settings& settings, Format format,
                                const std::string& output);

}  // namespace seamark::cli
