// One worker process and its pipes: starts it, sends to it, reads from it. The owner polls the session's
// descriptors and decides about deadlines and kills.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "seamark/agent/commands.h"
#include "seamark/agent/protocol_state.h"
#include "seamark/agent/wire.h"
#include "seamark/base/fd.h"
#include "seamark/proc/capture.h"
#include "seamark/proc/child.h"

namespace seamark::agent {

struct SessionOptions {
  AgentProgram program;
  Hello hello;                     // its work_dir exists and becomes the worker's working folder
  std::vector<std::string> names;  // the plan
  std::string capture_path;        // empty: in memory only
  proc::Sandbox sandbox;
};

class Session {
 public:
  // Spawns the worker and queues hello and plan. kInterpreterMissing, kStartFailed.
  static Result<Session> start(const SessionOptions& options);

  // Non-blocking; -1 when closed. Watch write_fd() only while wants_write().
  [[nodiscard]] int read_fd() const { return from_.get(); }
  [[nodiscard]] int write_fd() const { return to_.get(); }
  [[nodiscard]] bool wants_write() const { return to_ && !pending_.empty(); }
  [[nodiscard]] int capture_fd() const { return capture_.read_fd(); }

  void send_run(std::int64_t id, Phase phase);
  // Nothing can be sent after it.
  void send_stop();
  // Writes what fits. A reader that is gone is no error here: the read side tells the story.
  void flush();

  // Reads what is there (at most about 1 MiB) and appends the events. `violation` is set when the worker
  // broke the wire: `events` holds what came before it, and nothing more is read.
  struct ReadResult {
    bool end = false;  // end of file
    std::optional<Error> violation;
  };
  ReadResult read_events(std::vector<Event>& events);
  void close_wire() { from_.reset(); }

  [[nodiscard]] proc::Child& child() { return child_; }
  [[nodiscard]] const proc::Child& child() const { return child_; }
  [[nodiscard]] proc::Capture& capture() { return capture_; }
  [[nodiscard]] const ProtocolState& protocol_state() const { return protocol_; }

 private:
  Session(proc::Child child, proc::Capture capture, UniqueFd to, UniqueFd keys, UniqueFd from,
          WorkerMode mode)
      : child_(std::move(child)),
        capture_(std::move(capture)),
        to_(std::move(to)),
        keys_(std::move(keys)),
        from_(std::move(from)),
        protocol_(mode) {}
  std::optional<Error> take_lines(std::vector<Event>& events);
  // Of the front, by a pipe of its own: while a case runs, no other's is there to be taken (docs/wire.md).
  void give_nonce();

  proc::Child child_;
  proc::Capture capture_;
  UniqueFd to_;
  UniqueFd keys_;
  UniqueFd from_;
  ProtocolState protocol_;
  LineSplitter splitter_;
  std::string pending_;  // not yet written
  bool stopping_ = false;
  std::string buffer_;              // reused by read_events()
  std::vector<std::string> lines_;  // reused by read_events()
};

// An error of spawning the interpreter, in the agent's words.
Error start_error(const std::string& interpreter, const Error& cause);

}  // namespace seamark::agent
