// Told of a run's progress while it runs; cli's status line is one. Calls come from the thread that called
// run(); none may block or throw.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

#include "seamark/base/value.h"
#include "seamark/model/attempt.h"

namespace seamark::run {

enum class RunStage { kCorrectness, kTiming };

// Of one target in one stage. A case counts once, when it is final: after its confirmation too.
struct TargetProgress {
  std::string_view target;
  std::size_t planned = 0;  // cases of this stage (timing: what passed and is to be timed)
  std::size_t done = 0;     // final, those of an earlier part of the run included
  std::size_t pass = 0, fail = 0, timeout = 0, crash = 0, skip = 0, error = 0, flaky = 0;
  std::size_t running = 0;
};

class StatusListener {
 public:
  virtual ~StatusListener() = default;
  virtual void on_stage(RunStage /*stage*/, std::size_t /*planned*/, std::size_t /*done*/) {}
  virtual void on_started(std::string_view /*target*/, std::string_view /*case_name*/, Phase /*phase*/) {}
  // Every attempt, after it was committed.
  virtual void on_attempt(const Attempt& /*attempt*/, const TargetProgress& /*progress*/) {}
  // Once per open case, when it runs longer than Plan::slow_after.
  virtual void on_slow(std::string_view /*target*/, std::string_view /*case_name*/,
                       std::chrono::milliseconds /*so_far*/, std::chrono::milliseconds /*deadline*/) {}
  // The same kinds and details as AttemptSink::event: worker-started, worker-died, leak, flip, ...
  virtual void on_event(std::string_view /*kind*/, const Value& /*detail*/) {}
  // Something that a user should read now: "waiting for the timing lock ...".
  virtual void on_notice(std::string_view /*text*/) {}
  // At least every tick_period() while the run waits: a chance to redraw.
  virtual void on_tick() {}
  [[nodiscard]] virtual std::chrono::milliseconds tick_period() const { return std::chrono::seconds(1); }
};

}  // namespace seamark::run
