// Which Seamark this is.
#pragma once

#include <string_view>

#include "seamark/base/value.h"

namespace seamark::cli {

std::string_view version();  // 0.1.0
// For the store: {"seamark":..., "compiler":..., "build":..., "sqlite":...}.
Value build_facts();

}  // namespace seamark::cli
