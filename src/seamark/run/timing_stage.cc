#include "seamark/run/timing_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <utility>

namespace seamark::run {
namespace {

constexpr int kPaperProcesses = 3;
constexpr std::size_t kFewestRepeats = 3;
constexpr std::chrono::nanoseconds kLockPeriod = std::chrono::milliseconds(200);

}  // namespace

TimingStage::TimingStage(RunState& state) : state_(state), progress_(state.trackers.size()) {
  for (std::size_t i = 0; i < state_.trackers.size(); ++i) {
    progress_[i].target = state_.plan.targets[i].name;
    if (state_.plan.protocol == Protocol::kPaper) {
      plan_paper(i);
    } else {
      plan_full(i);
    }
  }
  for (const Task& task : tasks_) {
    planned_ += task.units.size();
    progress_[task.target].planned += task.units.size();
  }
}

void TimingStage::plan_full(std::size_t target) {
  const WorkerMode mode = state_.plan.targets[target].mode;
  Task task{target, mode, {}};
  const auto time = [&](std::size_t unit) {
    if (mode == WorkerMode::kProcess) {
      tasks_.push_back({target, mode, {unit}});
    } else {
      task.units.push_back(unit);
    }
  };
  for (std::size_t unit = 0; unit < state_.plan.targets[target].cases.size(); ++unit) {
    if (state_.trackers[target].timings_missing(unit, 1) > 0) time(unit);
  }
  // After all others, so that the two timings of a case lie as far apart as those of two targets may.
  for (const std::size_t unit : repeated(target)) {
    if (state_.trackers[target].timings_missing(unit, 2) > 0) time(unit);
  }
  if (!task.units.empty()) tasks_.push_back(std::move(task));
}

std::vector<std::size_t> TimingStage::repeated(std::size_t target) const {
  if (state_.plan.repeat_share <= 0) return {};
  const PlannedTarget& planned = state_.plan.targets[target];
  std::vector<std::pair<double, std::size_t>> draws;
  for (std::size_t unit = 0; unit < planned.cases.size(); ++unit) {
    const PlannedCase& one = planned.cases[unit];
    if (one.timed) draws.emplace_back(seeded_draw(state_.plan.seed, planned.name, one.hash), unit);
  }
  const double share = std::ceil(state_.plan.repeat_share * static_cast<double>(draws.size()));
  const std::size_t count = std::min(draws.size(), std::max(kFewestRepeats, static_cast<std::size_t>(share)));
  std::sort(draws.begin(), draws.end());
  std::vector<std::size_t> units;
  for (std::size_t i = 0; i < count; ++i) units.push_back(draws[i].second);
  std::sort(units.begin(), units.end());
  return units;
}

void TimingStage::plan_paper(std::size_t target) {
  const std::vector<PlannedCase>& cases = state_.plan.targets[target].cases;
  std::vector<std::string_view> functions;  // in order of first appearance
  std::map<std::string_view, std::vector<std::size_t>> units;
  for (std::size_t unit = 0; unit < cases.size(); ++unit) {
    std::vector<std::size_t>& of_function = units[cases[unit].function];
    if (of_function.empty()) functions.push_back(cases[unit].function);
    of_function.push_back(unit);
  }
  for (const std::string_view function : functions) {
    for (int process = 0; process < kPaperProcesses; ++process) {
      Task task{target, WorkerMode::kPersistent, {}};
      for (const std::size_t unit : units[function]) {
        const int missing = state_.trackers[target].timings_missing(unit, kPaperProcesses);
        if (missing >= kPaperProcesses - process) task.units.push_back(unit);
      }
      if (!task.units.empty()) tasks_.push_back(std::move(task));
    }
  }
}

Status TimingStage::schedule() {
  if (state_.interrupted) return {};
  while (!tasks_.empty() && tasks_.front().units.empty() && !at_work()) tasks_.pop_front();
  if (tasks_.empty()) return {};
  if (at_work()) {
    feed(*state_.pool.workers().front());
    return {};
  }
  const TargetHealth& health = state_.health[tasks_.front().target];
  if (health.outage) {
    fail_task(*health.outage);
    return {};
  }
  Result<bool> held = locks_held(tasks_.front().target);
  if (!held) return held.error();
  if (*held) spawn();
  return {};
}

Result<bool> TimingStage::locks_held(std::size_t target) {
  retry_lock_ns_ = Deadline::kNever;
  for (const std::string& path : {state_.plan.host_lock, state_.plan.targets[target].device_lock}) {
    Result<bool> held = hold(path);
    if (!held || !*held) return held;
  }
  return true;
}

Result<bool> TimingStage::hold(const std::string& path) {
  const auto same = [&](const auto& lock) { return lock.first == path; };
  if (path.empty() || std::any_of(locks_.begin(), locks_.end(), same)) return true;
  Result<TimingLock> lock = TimingLock::try_acquire(path);
  if (lock) {
    locks_.emplace_back(path, std::move(*lock));
    waiting_for_.clear();
    return true;
  }
  if (!lock.error().is(IoError::kLocked)) {
    return Error(RunError::kTimingLock, "cannot take the timing lock: " + lock.error().message(),
                 "make it a file that every user can read, or name another folder with SEAMARK_LOCKS");
  }
  retry_lock_ns_ = state_.clock.monotonic_ns() + kLockPeriod.count();
  if (std::exchange(waiting_for_, path) != path) {
    state_.listener.on_notice(fmt::format("waiting for the timing lock: {}", lock.error().message()));
  }
  return false;
}

void TimingStage::spawn() {
  const Task& task = tasks_.front();
  WorkerSpec spec;
  spec.target_index = task.target;
  spec.plan = &state_.plan;
  spec.mode = task.mode;
  spec.credits = 1;
  for (const std::size_t unit : task.units) {  // one may be there twice
    if (std::find(spec.units.begin(), spec.units.end(), unit) == spec.units.end()) spec.units.push_back(unit);
  }
  ids_ = spec.units;
  const Result<Worker*> worker = state_.pool.spawn(std::move(spec));
  if (worker) return;
  state_.start_failed(task.target,
                      WorkerFailed{false, worker.error().message(), worker.error().remedy(), {}});
}

void TimingStage::feed(Worker& worker) {
  if (worker.room() == 0) return;
  state_.recorder.flush();  // no writing while something is being timed
  Task& task = tasks_.front();
  if (task.units.empty()) {
    worker.stop();
    return;
  }
  const std::size_t unit = task.units.front();
  const auto id = std::find(ids_.begin(), ids_.end(), unit);
  task.units.pop_front();
  progress_[task.target].running = 1;
  state_.pool.give(worker, static_cast<std::size_t>(id - ids_.begin()), Phase::kTiming);
}

void TimingStage::wind_down() {
  for (const std::unique_ptr<Worker>& worker : state_.pool.workers()) {
    if (worker->starting()) {
      state_.pool.kill(*worker);
    } else {
      worker->stop();
    }
  }
}

void TimingStage::on_failed(Worker& worker, const WorkerFailed& failed) {
  state_.start_failed(worker.spec().target_index, failed);
}

void TimingStage::fail_task(const TargetHealth::Outage& outage) {
  const Task task = std::move(tasks_.front());
  tasks_.pop_front();
  for (const std::size_t unit : task.units) {
    record(task.target, unit, not_started(state_, task.target, {unit, Phase::kTiming}, outage));
  }
}

void TimingStage::on_done(Worker& worker, CaseDone done) {
  record(worker.spec().target_index, done.job.unit, std::move(done.attempt));
}

void TimingStage::on_returned(Worker& worker, Job job) {
  progress_[worker.spec().target_index].running = 0;
  tasks_.front().units.push_front(job.unit);
}

void TimingStage::record(std::size_t target, std::size_t unit, Attempt attempt) {
  TargetProgress& progress = progress_[target];
  progress.running = 0;
  progress.done += 1;
  switch (attempt.outcome) {
    case Outcome::kPass:
      progress.pass += 1;
      break;
    case Outcome::kFail:
      progress.fail += 1;
      break;
    case Outcome::kTimeout:
      progress.timeout += 1;
      break;
    case Outcome::kCrash:
      progress.crash += 1;
      break;
    case Outcome::kSkip:
      progress.skip += 1;
      break;
    case Outcome::kError:
    case Outcome::kFlaky:
      progress.error += 1;
      break;
  }
  if (attempt.outcome == Outcome::kPass) ++made_;
  const auto events = state_.trackers[target].record(unit, attempt);
  state_.recorder.add(std::move(attempt), progress);
  for (const auto& [kind, detail] : events) state_.recorder.event(kind, detail);
}

}  // namespace seamark::run
