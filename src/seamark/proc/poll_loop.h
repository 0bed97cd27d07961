// Waits for descriptors, signals and a timeout in one place (ppoll; poll and a self-pipe elsewhere).
//
// It calls nobody back: wait() hands out what is ready and the caller acts on it. So the set may be
// changed freely between waits; an event for an fd that the caller closed while acting on an earlier
// event of the same turn is the caller's to skip.
#pragma once

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/proc/signals.h"

namespace seamark::proc {

struct PollEvent {
  int fd = -1;
  std::uint64_t tag = 0;  // as given to watch()
  bool readable = false;  // data, end of file or an error: read() tells which
  bool writable = false;  // room, or the reader is gone: write() tells which
};

class PollLoop {
 public:
  // `signals`, when given, outlives this; a signal ends a wait.
  explicit PollLoop(Signals* signals = nullptr);

  // Adds or changes. Throws std::invalid_argument on a negative fd.
  void watch(int fd, std::uint64_t tag, bool read = true, bool write = false);
  // Nothing happens when it is not watched. Do it before closing the fd.
  void unwatch(int fd);
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

  // Blocks until something is ready, a signal came or the timeout passed (nullopt: no timeout; 0 or
  // less: only look). Empty on timeout and on signal: ask Signals. The span is valid until the next
  // call. Throws std::system_error when the system refuses (a broken contract, like a closed fd).
  std::span<const PollEvent> wait(std::optional<double> timeout_s);

 private:
  struct Entry {
    int fd;
    short events;
    std::uint64_t tag;
  };
  int poll_once(std::optional<double> timeout_s);

  Signals* signals_;
  std::vector<Entry> entries_;
  std::vector<pollfd> polled_;
  std::vector<PollEvent> ready_;
};

}  // namespace seamark::proc
