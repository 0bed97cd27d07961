// The second stage: what passed is timed, one attempt at a time, while the host's and the device's lock are
// held. A fresh worker for each target (protocol full) or for each function, three times (paper).
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "seamark/run/stage.h"
#include "seamark/run/timing_lock.h"

namespace seamark::run {

class TimingStage final : public Stage {
 public:
  explicit TimingStage(RunState& state);

  [[nodiscard]] std::size_t planned() const { return planned_; }
  [[nodiscard]] std::size_t made() const { return made_; }

  Status schedule() override;
  [[nodiscard]] bool exhausted() const override { return tasks_.empty(); }
  void wind_down() override;
  void on_failed(Worker& worker, const WorkerFailed& failed) override;
  void on_done(Worker& worker, CaseDone done) override;
  void on_returned(Worker& worker, Job job) override;
  [[nodiscard]] std::int64_t next_ns() const override { return retry_lock_ns_; }

 private:
  // The cases that one worker times, in order.
  struct Task {
    std::size_t target;
    WorkerMode mode;
    std::deque<std::size_t> units;
  };
  void plan_full(std::size_t target);
  // The seeded cases that are timed a second time. They are drawn from all that were planned, whatever came
  // of them, so that a resumed run draws the same.
  [[nodiscard]] std::vector<std::size_t> repeated(std::size_t target) const;
  void plan_paper(std::size_t target);
  [[nodiscard]] bool at_work() const { return !state_.pool.empty(); }
  Result<bool> locks_held(std::size_t target);
  Result<bool> hold(const std::string& path);
  void spawn();
  void feed(Worker& worker);
  void fail_task(const TargetHealth::Outage& outage);
  void record(std::size_t target, std::size_t unit, Attempt attempt);

  RunState& state_;
  std::deque<Task> tasks_;        // the front is being worked on
  std::vector<std::size_t> ids_;  // the current worker's wire ids -> unit
  std::vector<TargetProgress> progress_;
  std::vector<std::pair<std::string, TimingLock>> locks_;
  std::int64_t retry_lock_ns_ = Deadline::kNever;
  std::string waiting_for_;
  std::size_t planned_ = 0;
  std::size_t made_ = 0;
};

}  // namespace seamark::run
