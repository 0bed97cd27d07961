// A child process in a process group of its own.
//
// The object is passive: it starts nothing by itself, polls nothing and owns no pipe. The owner polls
// the pipes and SIGCHLD (PollLoop, Signals) and then asks try_wait().
//
// A child that has ended stays a zombie until reap(): so long its number, and with it the number of its
// group, cannot be given to another process, and signal_group() cannot hit a stranger. The order is:
//   try_wait() says that it ended -> drain the pipes -> signal_group(SIGKILL) for what it left behind
//   -> reap().
// The destructor kills the group and reaps.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/proc/environment_rule.h"
#include "seamark/proc/exit_state.h"
#include "seamark/proc/sandbox.h"

namespace seamark::proc {

enum class ProcError {
  kCannotStart = 1,  // exec failed: no such file, no permission, no such working folder
  kSystem = 2,       // the system refused: no processes, no memory, no descriptors
};
constexpr std::string_view room_of(ProcError) { return "proc"; }

struct FdMapping {
  int parent_fd = -1;  // borrowed until spawn() returns
  int child_fd = -1;   // its number in the child
};

struct SpawnOptions {
  std::vector<std::string> argv;  // argv[0] is looked up in PATH unless it holds a '/'
  std::string cwd;                // empty: the parent's
  bool inherit_environment = true;
  const EnvironmentRule* inherits = nullptr;  // of the environment; null: all. Outlives the call
  // Set (a value) or removed (nullopt), after inheriting; the last of a name wins.
  std::vector<std::pair<std::string, std::optional<std::string>>> environment;
  // Any order, swaps too. fd 0 is /dev/null unless mapped; 1 and 2 are the parent's unless mapped;
  // every other fd of the parent is closed in the child, close-on-exec or not.
  std::vector<FdMapping> fds;
  // Linux: KILL to the child when the thread that spawned it ends, also by a KILL to this process.
  bool die_with_parent = false;
  Sandbox sandbox;  // what the system refuses of it is kSystem: try_sandbox() says so before
};

// CPU time and peak memory of a reaped child and of the children that it waited for.
struct ResourceUse {
  double user_s = 0;
  double system_s = 0;
  std::int64_t max_resident_bytes = 0;
};

class Child {
 public:
  // Returns when exec has succeeded. In the child: a new process group (set on both sides), default
  // signal dispositions, an empty signal mask, RLIMIT_CORE 0. On exec failure the error names the path
  // and the reason, and nothing is left behind. Throws std::invalid_argument on an empty argv or on a
  // NUL inside a string.
  static Result<Child> spawn(const SpawnOptions& options);

  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();  // terminate_now()

  // The process and its group; valid until reap(), -1 after it and when moved from.
  [[nodiscard]] pid_t pid() const { return pid_; }

  // Has it ended? Never blocks, keeps the zombie; the same answer again once it has, also after reap().
  [[nodiscard]] std::optional<ExitState> try_wait();

  // To every process of the group; false when none is left (or already reaped).
  bool signal_group(int signal) const;
  // Is anything of the group alive beside the child's own zombie? False after reap(). Where there is no
  // /proc it cannot see past the zombie and says true only before the child has ended.
  [[nodiscard]] bool group_alive() const;

  // Blocks until it ends, frees its number. Repeated calls give the same answer.
  ExitState reap();
  // KILL to the group, then reap.
  ExitState terminate_now();
  // Forgets the process, neither killed nor reaped: for one that even KILL does not end (stuck in the
  // kernel).
  void abandon() { pid_ = -1; }
  // Known after reap().
  [[nodiscard]] const ResourceUse& usage() const { return usage_; }

 private:
  explicit Child(pid_t pid) : pid_(pid) {}
  pid_t pid_ = -1;
  std::optional<ExitState> state_;
  ResourceUse usage_;
};

}  // namespace seamark::proc
