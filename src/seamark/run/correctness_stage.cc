#include "seamark/run/correctness_stage.h"

#include <numeric>
#include <utility>

#include "seamark/model/attributes.h"

namespace seamark::run {

Status CorrectnessStage::schedule() {
  if (state_.interrupted) return {};
  for (std::size_t i = 0; i < state_.trackers.size(); ++i) {
    if (state_.health[i].outage) finalize_outage(i);
  }
  feed();
  spawn_where_needed();
  return {};
}

bool CorrectnessStage::exhausted() const {
  for (const CaseTracker& tracker : state_.trackers) {
    if (tracker.main_waiting() + tracker.solo_waiting() > 0) return false;
  }
  return true;
}

void CorrectnessStage::wind_down() {
  for (const std::unique_ptr<Worker>& worker : state_.pool.workers()) {
    if (const auto only = only_.find(worker->spec().number); only != only_.end()) {
      state_.trackers[worker->spec().target_index].give_back(only->second);
      only_.erase(only);
    }
    if (worker->starting()) {
      state_.pool.kill(*worker);
    } else {
      worker->stop();
    }
  }
}

void CorrectnessStage::feed() {
  for (const std::unique_ptr<Worker>& worker : state_.pool.workers()) feed_one(*worker);
}

void CorrectnessStage::feed_one(Worker& worker) {
  const std::size_t target = worker.spec().target_index;
  CaseTracker& tracker = state_.trackers[target];
  if (worker.room() == 0) return;
  if (const auto only = only_.find(worker.spec().number); only != only_.end()) {
    state_.pool.give(worker, 0, only->second.phase);
    only_.erase(only);
    worker.stop();
    return;
  }
  const bool forks = worker.spec().mode == WorkerMode::kFork;
  const bool confirms = forks && state_.plan.targets[target].mode == WorkerMode::kPersistent;
  while (worker.room() > 0) {
    // The last cases are shared out: one in flight each, rather than two with one worker.
    const std::size_t waiting = tracker.main_waiting() + tracker.solo_waiting();
    if (worker.in_flight() > 0 && waiting < count_working()[target].serving) break;
    std::optional<Job> job = forks ? tracker.take_solo() : std::nullopt;
    if (!job && !confirms) job = tracker.take_main();
    if (!job) break;
    state_.pool.give(worker, job->unit, job->phase);
  }
  if (worker.in_flight() == 0) worker.stop();
}

std::vector<CorrectnessStage::Working> CorrectnessStage::count_working() const {
  std::vector<Working> working(state_.trackers.size());
  for (const std::unique_ptr<Worker>& worker : state_.pool.workers()) {
    Working& of_target = working[worker->spec().target_index];
    ++(worker->spec().alone ? of_target.alone : of_target.serving);
  }
  return working;
}

// Confirmations come from forks of a worker that serves many; else each has a process of its own.
bool CorrectnessStage::confirms_in_workers(const PlannedTarget& planned) {
  return planned.mode != WorkerMode::kPersistent || planned.confirm == WorkerMode::kFork;
}

bool CorrectnessStage::wants_server(std::size_t target, const Working& working, bool first) const {
  const CaseTracker& tracker = state_.trackers[target];
  const PlannedTarget& planned = state_.plan.targets[target];
  const bool shares = confirms_in_workers(planned);
  const std::size_t waiting = tracker.main_waiting() + (shares ? tracker.solo_waiting() : 0);
  if (waiting == 0 || state_.health[target].outage) return false;
  if (first) return working.serving == 0 && working.alone == 0;
  if (std::cmp_greater_equal(working.serving, planned.slots)) return false;
  // Another start must be worth it, and the first must have shown that the target starts at all. Answers that
  // are known from an earlier run are all given before a second worker would be there.
  const bool one_each = planned.mode == WorkerMode::kProcess;
  const bool known = !planned.cache_dir.empty() && !state_.health[target].computed;
  return state_.health[target].was_ready && !known && (one_each || waiting > 2 * working.serving);
}

// Alone means: after the serving workers of its target have ended, so that an exclusive device is free.
bool CorrectnessStage::wants_alone(std::size_t target, const Working& working) const {
  const CaseTracker& tracker = state_.trackers[target];
  const PlannedTarget& planned = state_.plan.targets[target];
  return !confirms_in_workers(planned) && tracker.solo_waiting() > 0 && tracker.main_waiting() == 0 &&
         working.serving == 0 && std::cmp_less(working.alone, planned.slots);
}

void CorrectnessStage::spawn_where_needed() {
  // First one worker for each target in order, then confirmations, then more workers where cases wait.
  for (const int round : {0, 1, 2}) {
    for (std::size_t i = 0; i < state_.trackers.size(); ++i) {
      for (;;) {
        if (state_.pool.workers().size() >= static_cast<std::size_t>(state_.plan.jobs)) return;
        const Working working = count_working()[i];
        const bool alone = round == 1 && wants_alone(i, working);
        if (!alone && (round == 1 || !wants_server(i, working, round == 0))) break;
        CaseTracker& tracker = state_.trackers[i];
        std::optional<Job> only;
        if (alone) only = tracker.take_solo();
        if (!alone && state_.plan.targets[i].mode == WorkerMode::kProcess) {
          only = tracker.take_solo();
          if (!only) only = tracker.take_main();
        }
        spawn(i, only, alone);
        if (state_.health[i].outage) {
          finalize_outage(i);
          break;
        }
      }
    }
  }
}

void CorrectnessStage::spawn(std::size_t target, std::optional<Job> only, bool alone) {
  const PlannedTarget& planned = state_.plan.targets[target];
  WorkerSpec spec;
  spec.target_index = target;
  spec.plan = &state_.plan;
  spec.alone = alone;
  spec.mode = alone ? WorkerMode::kProcess : planned.mode;
  if (planned.mode == WorkerMode::kPersistent && state_.trackers[target].main_waiting() == 0) {
    spec.mode = planned.confirm;  // only confirmations are left
  }
  if (only) {
    spec.units = {only->unit};
  } else {
    spec.units.resize(planned.cases.size());
    std::iota(spec.units.begin(), spec.units.end(), std::size_t{0});
  }
  const Result<Worker*> worker = state_.pool.spawn(std::move(spec));
  if (worker) {
    if (only) only_.emplace((*worker)->spec().number, *only);
    return;
  }
  const WorkerFailed failed{false, worker.error().message(), worker.error().remedy(), {}};
  state_.start_failed(target, failed);
  if (only && alone) {
    record(target, *only, not_started(state_, target, *only, {Outcome::kError, failed.reason}));
  } else if (only) {
    state_.trackers[target].give_back(*only);
  }
}

void CorrectnessStage::on_failed(Worker& worker, const WorkerFailed& failed) {
  const std::size_t target = worker.spec().target_index;
  const auto only = only_.find(worker.spec().number);
  if (worker.spec().alone) {
    // The target did start before: only this job is lost.
    if (only == only_.end()) return;
    const Job job = only->second;
    only_.erase(only);
    record(target, job, not_started(state_, target, job, {Outcome::kError, failed.reason}));
    return;
  }
  if (only != only_.end()) {
    state_.trackers[target].give_back(only->second);
    only_.erase(only);
  }
  state_.start_failed(target, failed);
}

void CorrectnessStage::finalize_outage(std::size_t target) {
  CaseTracker& tracker = state_.trackers[target];
  for (;;) {
    std::optional<Job> job = tracker.take_main();
    if (!job) job = tracker.take_solo();
    if (!job) return;
    record(target, *job, not_started(state_, target, *job, *state_.health[target].outage));
  }
}

void CorrectnessStage::on_done(Worker& worker, CaseDone done) {
  record(worker.spec().target_index, done.job, std::move(done.attempt), worker.spec().number);
}

void CorrectnessStage::on_returned(Worker& worker, Job job) {
  state_.trackers[worker.spec().target_index].give_back(job);
}

void CorrectnessStage::record(std::size_t target, const Job& job, Attempt attempt, std::size_t worker) {
  CaseTracker& tracker = state_.trackers[target];
  if (!has_attribute(attempt, attribute::kCacheHit)) state_.health[target].computed = true;
  const auto events = tracker.record(job.unit, attempt, worker);
  state_.recorder.add(std::move(attempt), tracker.progress());
  for (const auto& [kind, detail] : events) state_.recorder.event(kind, detail);
}

}  // namespace seamark::run
