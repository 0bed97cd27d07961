// A stage decides who works on what; the supervisor's loop does the rest. Two stages: correctness, timing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "seamark/run/case_tracker.h"
#include "seamark/run/plan.h"
#include "seamark/run/recorder.h"
#include "seamark/run/status_listener.h"
#include "seamark/run/worker_pool.h"

namespace seamark::run {

// Can workers of this target start?
struct TargetHealth {
  struct Outage {
    Outcome outcome = Outcome::kError;  // kSkip: the environment says that it cannot serve this target
    std::string reason;
  };
  bool was_ready = false;
  bool computed = false;  // a case ended whose answer no earlier run had
  int failed_starts = 0;  // since a case ended
  std::optional<Outage> outage;
};

// What both stages share; everything outlives them.
struct RunState {
  const Plan& plan;
  const Clock& clock;
  StatusListener& listener;
  Recorder& recorder;
  WorkerPool& pool;
  std::vector<CaseTracker>& trackers;
  std::vector<TargetHealth> health;
  bool interrupted = false;

  // Counts a failed start. Sets the outage when it is final: never ready before, or three times without a
  // case between.
  void start_failed(std::size_t target, const WorkerFailed& failed);
  void start_succeeded(std::size_t target);
  void case_ended(std::size_t target);
};

class Stage {
 public:
  virtual ~Stage() = default;

  // Hires and hands out work, after each turn. An error ends the run.
  virtual Status schedule() = 0;
  // Nothing is left to hand out (workers may still be busy).
  [[nodiscard]] virtual bool exhausted() const = 0;
  // Start nothing more; let what runs finish.
  virtual void wind_down() = 0;

  virtual void on_failed(Worker& worker, const WorkerFailed& failed) = 0;
  virtual void on_done(Worker& worker, CaseDone done) = 0;
  virtual void on_returned(Worker& worker, Job job) = 0;
  // The next time at which schedule() has something to look at.
  [[nodiscard]] virtual std::int64_t next_ns() const { return Deadline::kNever; }
};

// Attempts that say why a case was not started.
Attempt not_started(const RunState& state, std::size_t target, const Job& job,
                    const TargetHealth::Outage& outage);

}  // namespace seamark::run
