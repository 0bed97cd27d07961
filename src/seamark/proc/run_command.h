// Runs a command to its end: for one-shot commands (probe, list, pip), not for workers.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "seamark/base/result.h"
#include "seamark/proc/child.h"
#include "seamark/proc/exit_state.h"
#include "seamark/proc/signals.h"

namespace seamark::proc {

enum class OutputStream { kOut = 1, kErr = 2 };

struct CommandOptions {
  SpawnOptions spawn;    // fds 0, 1 and 2 are set here; others may be mapped
  std::string input;     // for stdin, then closed
  double timeout_s = 0;  // 0: none. Then TERM, grace_s, KILL, all to the group
  double grace_s = 2.0;
  std::size_t max_output_bytes = std::size_t{64} << 20;  // of each stream; the rest is read and dropped
  // When given, an interrupt ends the command like the timeout does (a second one kills at once).
  Signals* signals = nullptr;
  // It ends what it started itself: TERM goes to it alone; a second interrupt sends another, and a third one
  // kills, or grace_s after the second.
  bool ends_its_own = false;
  // Called with each piece as it comes, also beyond max_output_bytes.
  std::function<void(OutputStream, std::string_view)> on_output;
};

struct CommandResult {
  ExitState exit = ExitState::exited(0);
  std::string out;
  std::string err;
  bool out_truncated = false;
  bool err_truncated = false;
  bool timed_out = false;
  bool interrupted = false;
  bool leaked = false;  // processes of its group outlived it and were killed
  double wall_s = 0;
  ResourceUse usage;

  [[nodiscard]] bool success() const { return exit.success() && !timed_out && !interrupted; }
  // What went wrong in one line: "timed out after 30 s", "exited with code 1: last line of stderr".
  [[nodiscard]] std::string text() const;
};

// An Error only when it could not be started or watched; a command that fails is a result. Waits for
// the end of the process and then, for at most half a second, for the end of its output: a grandchild
// that holds the pipe cannot hold us.
Result<CommandResult> run_command(const CommandOptions& options);

}  // namespace seamark::proc
