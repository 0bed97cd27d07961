// Asks a framework itself for its catalogue.
#pragma once

#include <cstdint>

#include "seamark/agent/commands.h"
#include "seamark/base/result.h"
#include "seamark/catalog/rules.h"
#include "seamark/model/catalogue.h"

namespace seamark::catalog {

// Walks the framework of that interpreter; takes seconds. Errors of the agent (kFailed: the framework cannot
// be imported there) and kBadRow.
Result<Catalogue> gather(const agent::AgentProgram& program, const Rules& rules, std::int64_t now_unix_us);

}  // namespace seamark::catalog
