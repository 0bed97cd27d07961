// Processes that a child left behind: found, reaped, killed.
//
// Where the system has subreapers (Linux), orphaned grandchildren become our children, so none can
// hide. Elsewhere only what is still in a known process group is found and killed.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "seamark/proc/exit_state.h"

namespace seamark::proc {

// Makes this process the subreaper of its descendants; false where there is none. Not inherited.
bool become_subreaper();

struct ProcessInfo {
  pid_t pid = -1;
  pid_t parent = -1;
  pid_t group = -1;
  char state = '?';  // as in /proc: R, S, D, Z, ...
  std::string name;  // short, untrusted
  std::int64_t resident_bytes = 0;
  [[nodiscard]] bool zombie() const { return state == 'Z' || state == 'X'; }
};

// Everything below read /proc and give nothing where there is none.
// All processes that we may see; one scan takes about 20 microseconds a process.
[[nodiscard]] std::vector<ProcessInfo> list_processes();
// Members of a process group, zombies too.
[[nodiscard]] std::vector<ProcessInfo> list_group(pid_t group);
// Children, their children, and so on; not `root` itself.
[[nodiscard]] std::vector<ProcessInfo> list_descendants(pid_t root);

// The living of `processes` that are `root`, below it, or members of one of `groups`.
[[nodiscard]] std::vector<ProcessInfo> family_of(pid_t root, std::span<const pid_t> groups,
                                                 const std::vector<ProcessInfo>& processes);

// KILL to a group that no Child object stands for (a fork worker's case). Returns whether any was there.
bool kill_group(pid_t group);

struct Orphan {
  pid_t pid;
  ExitState state;
};
// Reaps our ended children that are not in `known` (pids of Child objects, running or not yet reaped):
// after become_subreaper(), the adopted orphans. Never blocks.
std::vector<Orphan> reap_orphans(std::span<const pid_t> known);
// KILLs and reaps all our descendants but `known` and the descendants of those. Waits for at most
// `timeout_s`. Returns what was found alive, for the report of leaks.
std::vector<ProcessInfo> kill_stray_descendants(std::span<const pid_t> known, double timeout_s);

}  // namespace seamark::proc
