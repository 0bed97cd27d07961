// The first stage: every case once, failures again alone, several workers at once.
#pragma once

#include <map>
#include <optional>

#include "seamark/run/stage.h"

namespace seamark::run {

class CorrectnessStage final : public Stage {
 public:
  explicit CorrectnessStage(RunState& state) : state_(state) {}

  Status schedule() override;
  [[nodiscard]] bool exhausted() const override;
  void wind_down() override;
  void on_failed(Worker& worker, const WorkerFailed& failed) override;
  void on_done(Worker& worker, CaseDone done) override;
  void on_returned(Worker& worker, Job job) override;

 private:
  struct Working {
    std::size_t serving = 0;  // workers that take many cases, or one first run
    std::size_t alone = 0;    // workers for one confirmation or recheck
  };
  void feed();
  void feed_one(Worker& worker);
  void spawn_where_needed();
  [[nodiscard]] std::vector<Working> count_working() const;
  [[nodiscard]] static bool confirms_in_workers(const PlannedTarget& planned);
  [[nodiscard]] bool wants_server(std::size_t target, const Working& working, bool first) const;
  [[nodiscard]] bool wants_alone(std::size_t target, const Working& working) const;
  void spawn(std::size_t target, std::optional<Job> only, bool alone);
  void finalize_outage(std::size_t target);
  void record(std::size_t target, const Job& job, Attempt attempt, std::size_t worker = 0);

  RunState& state_;
  std::map<std::size_t, Job> only_;  // worker number -> the one job that it was spawned for, until given
};

}  // namespace seamark::run
