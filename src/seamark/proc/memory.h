// How much memory processes hold and how much there is. nullopt where the system does not say.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace seamark::proc {

// Resident set size in bytes, as last seen by the kernel; about 5 microseconds.
[[nodiscard]] std::optional<std::int64_t> resident_bytes(pid_t pid);
// Sums over a process group, and over a process and its descendants. Pages shared after a fork count
// once for every process: subtract the size after import per process, or read it as an upper bound.
[[nodiscard]] std::optional<std::int64_t> group_resident_bytes(pid_t group);
[[nodiscard]] std::optional<std::int64_t> tree_resident_bytes(pid_t root);

// Of the machine, or of the container when a cgroup limits us to less.
[[nodiscard]] std::optional<std::int64_t> physical_memory_bytes();
// What could be taken now without swapping, never above physical_memory_bytes().
[[nodiscard]] std::optional<std::int64_t> available_memory_bytes();

// CPUs that this process may run on (affinity and cgroup quota, rounded up), at least 1.
[[nodiscard]] int usable_cpus();

}  // namespace seamark::proc
