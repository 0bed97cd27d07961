// Runs a plan: starts workers, feeds them, watches deadlines and memory, blames deaths, confirms failures,
// and commits every attempt to a sink. One thread, one poll loop.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <variant>

#include "seamark/base/result.h"
#include "seamark/proc/signals.h"
#include "seamark/run/attempt_sink.h"
#include "seamark/run/plan.h"
#include "seamark/run/status_listener.h"

namespace seamark::run {

// Of final cases over all targets; those of an earlier part of the run included.
struct RunCounts {
  std::size_t cases = 0;  // planned
  std::size_t done = 0;   // have an outcome; the rest was not reached
  std::size_t pass = 0, fail = 0, timeout = 0, crash = 0, skip = 0, error = 0, flaky = 0;
  std::size_t attempts = 0;            // committed by this part of the run
  std::size_t to_time = 0, timed = 0;  // timing attempts wanted, and made
};

struct Finished {
  RunCounts counts;
  std::map<std::string, std::string> unusable;  // target -> why its worker could not serve
};

// The user stopped it; everything that ended was committed. A later run of the same plan, with what the
// store then holds as `prior`, does the rest.
struct Interrupted {
  RunCounts counts;
  bool killed = false;  // by a second interrupt: what was running is lost
};

using RunResult = std::variant<Finished, Interrupted>;

// The first interrupt that `signals` counts (one from before the call too) means "finish what runs, start
// nothing more", the second "kill". An error of the sink comes back as it was given, after all workers have
// been killed. Makes this process a subreaper: orphans of workers become its children and are reaped.
Result<RunResult> run(const Plan& plan, AttemptSink& sink, StatusListener& listener, proc::Signals& signals);

}  // namespace seamark::run
