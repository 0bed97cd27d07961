// Signals as counters that are read between waits.
//
// While one exists, SIGINT, SIGTERM, SIGHUP and SIGCHLD are blocked everywhere but inside
// PollLoop::wait(), so no system call elsewhere is interrupted and nothing is lost; SIGPIPE is ignored.
// A SIGHUP that was ignored before (nohup) stays ignored.
// Where ppoll is missing (macOS) they are not blocked: handlers write to a self-pipe that
// PollLoop::wait() watches. Make it before any thread, in the thread that polls.
#pragma once

#include <signal.h>

#include "seamark/base/fd.h"

namespace seamark::proc {

class Signals {
 public:
  enum class Method { kBest, kSelfPipe };  // kSelfPipe: for tests of the fallback

  // Throws std::logic_error when one exists already, std::system_error when the system refuses.
  explicit Signals(Method method = Method::kBest);
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();  // restores handlers and mask

  // How many SIGINT, SIGTERM and SIGHUP came so far: 1 asks for an orderly stop, 2 or more for a kill.
  // Several that came before one wait may count as one (signals of one number do not queue).
  [[nodiscard]] int interrupts() const;
  // Did SIGCHLD come since the last call? Then try_wait() every child.
  [[nodiscard]] bool take_child_ended();

  // For PollLoop. The mask to wait with, null when the self-pipe is used.
  [[nodiscard]] const sigset_t* wait_mask() const { return self_pipe_.read ? nullptr : &wait_mask_; }
  // The self-pipe's read end, or -1.
  [[nodiscard]] int wakeup_fd() const { return self_pipe_.read.get(); }
  void drain_wakeup();

 private:
  static constexpr int kCount = 4;
  sigset_t old_mask_{};
  sigset_t wait_mask_{};
  struct sigaction old_actions_[kCount] = {};
  struct sigaction old_pipe_action_ = {};
  Pipe self_pipe_;
};

}  // namespace seamark::proc
