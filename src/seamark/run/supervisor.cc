#include "seamark/run/supervisor.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "seamark/base/clock.h"
#include "seamark/proc/subreaper.h"
#include "seamark/run/case_tracker.h"
#include "seamark/run/correctness_stage.h"
#include "seamark/run/recorder.h"
#include "seamark/run/stage.h"
#include "seamark/run/timing_stage.h"
#include "seamark/run/worker_pool.h"

namespace seamark::run {
namespace {

Value worker_detail(const Worker& worker, const PlannedTarget& target) {
  Value detail{Value::Object{}};
  detail.set("target", target.name).set("worker", static_cast<std::int64_t>(worker.spec().number));
  detail.set("mode", name_of(worker.spec().mode));
  return detail;
}

Value started_detail(const Worker& worker, const PlannedTarget& target, const WorkerReady& event) {
  Value detail = worker_detail(worker, target);
  detail.set("pid", event.ready.pid).set("agent", event.ready.agent_version);
  detail.set("framework_version", event.ready.framework_version).set("device", event.ready.device);
  detail.set("facts", event.ready.facts).set("start_s", event.start_s).set("import_cpu_s", event.ready.cpu_s);
  detail.set("memory_limit", name_of(target.memory.method)).set("memory_bytes", target.memory.bytes);
  return detail;
}

Value failed_detail(const Worker& worker, const PlannedTarget& target, const WorkerFailed& event) {
  Value detail = worker_detail(worker, target);
  detail.set("reason", event.reason).set("remedy", event.remedy).set("output", event.capture);
  return detail;
}

class Supervisor {
 public:
  Supervisor(const Plan& plan, AttemptSink& sink, StatusListener& listener, proc::Signals& signals)
      : plan_(plan),
        listener_(listener),
        signals_(signals),
        recorder_(sink, listener, clock_),
        pool_(clock_, signals) {
    trackers_.reserve(plan.targets.size());
    for (const PlannedTarget& target : plan.targets) trackers_.emplace_back(plan, target);
  }

  Result<RunResult> run() {
    RunState state{
        plan_, clock_, listener_, recorder_, pool_, trackers_, std::vector<TargetHealth>(trackers_.size())};
    CorrectnessStage correctness(state);
    announce(RunStage::kCorrectness, total(&TargetProgress::planned), total(&TargetProgress::done));
    Status done = drive(state, correctness);
    std::size_t to_time = 0;
    std::size_t timed = 0;
    if (done && !state.interrupted) {
      TimingStage timing(state);
      to_time = timing.planned();
      if (to_time > 0) {
        announce(RunStage::kTiming, to_time, 0);
        done = drive(state, timing);
      }
      timed = timing.made();
    }
    clear_strays();
    if (!done) return done.error();
    if (recorder_.error()) return *recorder_.error();
    return result(state, to_time, timed);
  }

 private:
  Status drive(RunState& state, Stage& stage);
  void take_events(RunState& state, Stage& stage);
  void take(RunState& state, Stage& stage, Worker& worker, WorkerEvent& event);
  void look_at_interrupts(RunState& state, Stage& stage);
  void end_all(RunState& state, Stage& stage);
  void tick();
  void clear_strays();
  RunResult result(const RunState& state, std::size_t to_time, std::size_t timed) const;
  [[nodiscard]] std::size_t total(std::size_t TargetProgress::* member) const;
  void announce(RunStage stage, std::size_t planned, std::size_t done) {
    listener_.on_stage(stage, planned, done);
  }

  const Plan& plan_;
  StatusListener& listener_;
  proc::Signals& signals_;
  SystemClock clock_;
  Recorder recorder_;
  WorkerPool pool_;
  std::vector<CaseTracker> trackers_;
  std::int64_t next_tick_ns_ = 0;
  bool killed_ = false;
};

Status Supervisor::drive(RunState& state, Stage& stage) {
  for (;;) {
    look_at_interrupts(state, stage);
    Status scheduled;
    const bool may_start = !state.interrupted && !recorder_.is_full();
    if (may_start && !recorder_.error()) scheduled = stage.schedule();
    if (!scheduled || recorder_.error() || killed_) {
      end_all(state, stage);
      recorder_.close();
      return scheduled;
    }
    if (pool_.empty() && (state.interrupted || stage.exhausted())) {
      recorder_.flush();
      if (!recorder_.is_busy() || recorder_.error()) return {};
    }
    const std::int64_t stage_ns = may_start ? stage.next_ns() : Deadline::kNever;
    pool_.wait(std::min({recorder_.next_ns(), next_tick_ns_, stage_ns}));
    take_events(state, stage);
    recorder_.flush_if_due();
    tick();
  }
}

void Supervisor::look_at_interrupts(RunState& state, Stage& stage) {
  const int interrupts = signals_.interrupts();
  if (interrupts > 0 && !state.interrupted) {
    state.interrupted = true;
    stage.wind_down();
    listener_.on_notice("interrupted: what runs is finished first; interrupt again to kill it");
  }
  if (interrupts > 1 && !killed_) {
    killed_ = true;
    listener_.on_notice("interrupted again: killing what runs");
  }
}

// Kills all workers and waits for their ends; what they had counts as not run.
void Supervisor::end_all(RunState& state, Stage& stage) {
  state.interrupted = true;
  pool_.kill_all();
  while (!pool_.empty()) {
    pool_.wait(clock_.monotonic_ns() + 1'000'000'000);
    take_events(state, stage);
  }
}

void Supervisor::take_events(RunState& state, Stage& stage) {
  // An event taken may make more (a kill, a job given): until there are none.
  for (std::vector<WorkerPool::Item> items = pool_.take_events(); !items.empty();
       items = pool_.take_events()) {
    for (WorkerPool::Item& item : items) {
      if (Worker* worker = pool_.find(item.worker)) take(state, stage, *worker, item.event);
    }
  }
  pool_.drop_gone();
}

void Supervisor::take(RunState& state, Stage& stage, Worker& worker, WorkerEvent& event) {
  const std::size_t target = worker.spec().target_index;
  const PlannedTarget& planned = plan_.targets[target];
  const auto name = [&](const Job& job) -> const std::string& { return planned.cases[job.unit].name; };
  if (auto* ready = std::get_if<WorkerReady>(&event)) {
    state.start_succeeded(target);
    recorder_.event("worker-started", started_detail(worker, planned, *ready));
  } else if (auto* failed = std::get_if<WorkerFailed>(&event)) {
    recorder_.event(failed->unusable ? "worker-unusable" : "worker-failed",
                    failed_detail(worker, planned, *failed));
    stage.on_failed(worker, *failed);
  } else if (auto* opened = std::get_if<CaseOpened>(&event)) {
    listener_.on_started(planned.name, name(opened->job), opened->job.phase);
  } else if (auto* slow = std::get_if<CaseSlow>(&event)) {
    listener_.on_slow(planned.name, name(slow->job), slow->so_far, slow->deadline);
  } else if (auto* done = std::get_if<CaseDone>(&event)) {
    state.case_ended(target);
    stage.on_done(worker, std::move(*done));
  } else if (auto* returned = std::get_if<CaseRequeued>(&event)) {
    stage.on_returned(worker, returned->job);
  } else if (auto* note = std::get_if<WorkerNote>(&event)) {
    recorder_.event(note->kind, note->detail);
  }
}

void Supervisor::tick() {
  const std::int64_t now = clock_.monotonic_ns();
  if (now < next_tick_ns_) return;
  listener_.on_tick();
  next_tick_ns_ =
      now +
      std::chrono::nanoseconds(std::max(listener_.tick_period(), std::chrono::milliseconds(10))).count();
}

void Supervisor::clear_strays() {
  const std::vector<std::string> strays = pool_.clear_strays();
  if (strays.empty()) return;
  Value detail{Value::Object{}};
  detail.set("processes", Value::Array(strays.begin(), strays.end()));
  recorder_.event("leak", detail);
}

std::size_t Supervisor::total(std::size_t TargetProgress::* member) const {
  std::size_t sum = 0;
  for (const CaseTracker& tracker : trackers_) sum += tracker.progress().*member;
  return sum;
}

RunResult Supervisor::result(const RunState& state, std::size_t to_time, std::size_t timed) const {
  RunCounts counts;
  counts.cases = total(&TargetProgress::planned);
  counts.done = total(&TargetProgress::done);
  counts.pass = total(&TargetProgress::pass);
  counts.fail = total(&TargetProgress::fail);
  counts.timeout = total(&TargetProgress::timeout);
  counts.crash = total(&TargetProgress::crash);
  counts.skip = total(&TargetProgress::skip);
  counts.error = total(&TargetProgress::error);
  counts.flaky = total(&TargetProgress::flaky);
  counts.attempts = recorder_.committed();
  counts.to_time = to_time;
  counts.timed = timed;
  if (state.interrupted) return Interrupted{counts, killed_};
  Finished finished{counts, {}};
  for (std::size_t i = 0; i < trackers_.size(); ++i) {
    if (state.health[i].outage)
      finished.unusable.emplace(plan_.targets[i].name, state.health[i].outage->reason);
  }
  return finished;
}

}  // namespace

Result<RunResult> run(const Plan& plan, AttemptSink& sink, StatusListener& listener, proc::Signals& signals) {
  if (Status good = check(plan); !good) return good.error();
  proc::become_subreaper();
  return Supervisor(plan, sink, listener, signals).run();
}

}  // namespace seamark::run
