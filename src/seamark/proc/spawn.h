// Between fork and exec, for child.cc: only async-signal-safe calls are allowed there, so everything
// that allocates is prepared before.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/proc/child.h"

namespace seamark::proc {

// Returns the pid once exec has succeeded.
Result<pid_t> spawn_process(const SpawnOptions& options);

}  // namespace seamark::proc
