// How much memory processes hold, and what this process may use of the machine. nullopt where the system does
// not say.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "seamark/proc/subreaper.h"

namespace seamark::proc {

// Resident set size in bytes, as last seen by the kernel; about 5 microseconds.
[[nodiscard]] std::optional<std::int64_t> resident_bytes(pid_t pid);
// What processes hold together. A page that several map, as after a fork, counts once; the kernel walks all
// pages for that (some 10 ms a GiB). Where it does not tell, the largest process alone.
[[nodiscard]] std::int64_t held_bytes(std::span<const ProcessInfo> processes);

// `root` stands before /proc and /sys.
// How many processes the kernel ended for want of memory since the system started, of all cgroups.
[[nodiscard]] std::optional<std::int64_t> out_of_memory_kills(const std::string& root = {});
// Of the machine, or of the container when a cgroup limits us to less.
[[nodiscard]] std::optional<std::int64_t> physical_memory_bytes(const std::string& root = {});
// CPUs that this process may run on (affinity and cgroup quota, rounded up), at least 1.
[[nodiscard]] int usable_cpus(const std::string& root = {});

}  // namespace seamark::proc
