// All workers of a run and the loop that they are polled in.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "seamark/base/clock.h"
#include "seamark/proc/poll_loop.h"
#include "seamark/proc/signals.h"
#include "seamark/run/worker.h"

namespace seamark::run {

class WorkerPool {
 public:
  struct Item {
    std::size_t worker;  // its number
    WorkerEvent event;
  };

  // Both outlive this.
  WorkerPool(const Clock& clock, proc::Signals& signals)
      : clock_(clock), signals_(signals), loop_(&signals) {}

  // Starts a worker; spec.number is set here. The pointer is valid until its WorkerGone was taken.
  Result<Worker*> spawn(WorkerSpec spec);
  [[nodiscard]] Worker* find(std::size_t number) const;
  [[nodiscard]] const std::vector<std::unique_ptr<Worker>>& workers() const { return workers_; }
  [[nodiscard]] bool empty() const { return workers_.empty(); }

  void give(Worker& worker, std::size_t id, Phase phase) {
    collect(worker, [&](auto& n) { worker.give(id, phase, n); });
  }
  void kill(Worker& worker) {
    collect(worker, [&](auto& n) { worker.kill(n); });
  }
  void kill_all();

  // Waits until something happens, at most until `until_ns`. Does not wait when there are events already.
  void wait(std::int64_t until_ns);
  // What happened since the last call, in order. Afterwards drop_gone() may be called.
  std::vector<Item> take_events() { return std::exchange(events_, {}); }
  void drop_gone();
  // Whatever workers left behind in other groups: killed, their names returned.
  std::vector<std::string> clear_strays();

 private:
  template <typename Action>
  void collect(Worker& worker, Action action) {
    scratch_.clear();
    action(scratch_);
    for (WorkerEvent& event : scratch_) events_.push_back({worker.spec().number, std::move(event)});
  }
  [[nodiscard]] std::vector<pid_t> pids() const;

  const Clock& clock_;
  proc::Signals& signals_;
  proc::PollLoop loop_;
  Worker::Groups groups_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Item> events_;
  std::vector<WorkerEvent> scratch_;
  std::size_t last_number_ = 0;
};

}  // namespace seamark::run
