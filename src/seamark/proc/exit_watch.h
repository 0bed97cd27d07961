// A descriptor that becomes readable when a process ends, for the .cc files of this room.
#pragma once

#include <sys/types.h>

#include "seamark/base/fd.h"

namespace seamark::proc {

// Empty where the system has none (a pidfd is Linux 5.3): then ask now and then.
[[nodiscard]] UniqueFd watch_exit(pid_t pid);

// How often to ask where watch_exit() gives nothing.
inline constexpr double kAskAgainSeconds = 0.005;

}  // namespace seamark::proc
