// Takes a run's results. The run room knows no store: cli gives a sink that writes to one.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "seamark/base/result.h"
#include "seamark/model/attempt.h"

namespace seamark::run {

enum class SinkError {
  kBusy = 1,  // not now: another process writes
};
constexpr std::string_view room_of(SinkError) { return "sink"; }

class AttemptSink {
 public:
  virtual ~AttemptSink() = default;
  // Durable when it returns: all attempts or none. kBusy: they are given again later; another error stops the
  // run (exit code 3).
  virtual Status commit(std::span<const Attempt> attempts) = 0;
  // A fact about the run itself. Kinds, each with target, worker, pid and mode where they apply:
  //   worker-started   framework_version, device, facts, start_s, import_cpu_s, memory_limit, memory_bytes
  //   worker-failed, worker-unusable   reason, remedy, output (before it was ready)
  //   worker-died      exit (with no case open)
  //   protocol-error   what (the open case is an error)
  //   leak             case, processes, pipe_held (told and killed)
  //   flip             case, phase, before, alone (persistent worker and fresh process disagree)
  //   exit-hung, exit-after-answer   case, exit (a worker or a forked child after its last answer)
  //   unkillable       left behind: not even KILL ended it
  virtual Status event(std::string_view kind, const Value& detail) = 0;
};

}  // namespace seamark::run
