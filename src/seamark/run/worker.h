// One worker of a run: a session and the clocks around it. Knows which case is open, keeps the deadlines of
// the case and of the process, and says what became of every job that it was given.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "seamark/agent/session.h"
#include "seamark/base/clock.h"
#include "seamark/proc/poll_loop.h"
#include "seamark/proc/subreaper.h"
#include "seamark/run/blame.h"
#include "seamark/run/case_tracker.h"
#include "seamark/run/deadline.h"
#include "seamark/run/plan.h"

namespace seamark::run {

struct WorkerSpec {
  std::size_t number = 0;        // of the run, from 1
  std::size_t target_index = 0;  // index into Plan::targets
  const Plan* plan = nullptr;    // outlives the worker
  WorkerMode mode = WorkerMode::kFork;
  bool alone = false;              // serves confirmations and rechecks of a persistent target
  std::size_t credits = 2;         // jobs in flight at most
  std::vector<std::size_t> units;  // the wire's id -> index into PlannedTarget::cases
};

// What a worker tells. Every job given comes back once, as CaseDone or CaseRequeued.
struct WorkerReady {
  agent::Ready ready;
  double start_s = 0;
};
struct WorkerFailed {  // before it was ready, or had a case; WorkerGone follows
  bool unusable = false;
  std::string reason;
  std::string remedy;
  std::string capture;
};
struct CaseOpened {
  Job job;
};
struct CaseSlow {
  Job job;
  std::chrono::milliseconds so_far{};
  std::chrono::milliseconds deadline{};
};
struct CaseDone {
  Job job;
  Attempt attempt;
};
struct CaseRequeued {
  Job job;
};
struct WorkerNote {  // an event for sink and listener
  std::string kind;
  Value detail;
};
struct WorkerGone {};
using WorkerEvent = std::variant<WorkerReady, WorkerFailed, CaseOpened, CaseSlow, CaseDone, CaseRequeued,
                                 WorkerNote, WorkerGone>;

class Worker {
 public:
  static constexpr std::chrono::milliseconds kMemoryPeriod{100};  // between looks at resident memory

  // Process groups that all workers of a run know of. Outlives the workers.
  struct Groups {
    std::set<pid_t> workers;  // never signalled on the word of another worker
    std::set<pid_t> leaked;   // killed, and told where it was a leak
    // Target and unit: open when a worker broke the wire that had served others before. Once each.
    std::set<std::pair<std::size_t, std::size_t>> doubted;
    // All processes, as seen not long ago: looking takes at most a hundredth of a processor.
    const std::vector<proc::ProcessInfo>& processes(const Clock& clock);

   private:
    std::vector<proc::ProcessInfo> seen_;
    std::int64_t next_look_ns_ = 0;
  };

  static Result<std::unique_ptr<Worker>> start(WorkerSpec spec, const Clock& clock, proc::PollLoop& loop,
                                               Groups& groups);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  // Jobs that it would take now.
  [[nodiscard]] std::size_t room() const;
  [[nodiscard]] std::size_t in_flight() const { return given_.size(); }
  [[nodiscard]] bool gone() const { return gone_; }
  [[nodiscard]] bool starting() const { return !ready_ && !killing_ && !gone_; }
  [[nodiscard]] const WorkerSpec& spec() const { return spec_; }
  [[nodiscard]] pid_t pid() const { return session_.child().pid(); }

  // `id` indexes spec().units; room() is at least 1.
  void give(std::size_t id, Phase phase, std::vector<WorkerEvent>& events);
  // Finishes what it has, then ends.
  void stop();
  // KILL now, to everything of it; what it had comes back as CaseRequeued.
  void kill(std::vector<WorkerEvent>& events);

  void on_event(const proc::PollEvent& event, std::vector<WorkerEvent>& events);
  // Looks at clocks, memory and (when `child_ended`) at the process.
  void advance(bool child_ended, std::vector<WorkerEvent>& events);
  // When advance() should be called at the latest; Deadline::kNever: no time is pending.
  [[nodiscard]] std::int64_t next_ns() const;

 private:
  struct Given {
    std::size_t id = 0;
    Job job;
    std::int64_t sent_ns = 0;
  };
  struct Open {
    Deadline deadline;
    std::int64_t started_unix_us = 0;
    pid_t child = -1;                        // fork mode: as the worker said
    std::optional<agent::End> answer;        // counts when the case is over and nothing contradicts it
    AttemptContext answered_in;              // of `answer`
    std::optional<WorkerExit::Cause> cause;  // why we ended it
    std::string detail;
    std::int64_t most_resident = 0;  // above the size after import, that was seen
  };

  Worker(WorkerSpec spec, agent::Session session, const Clock& clock, proc::PollLoop& loop, Groups& groups);
  [[nodiscard]] const PlannedTarget& target() const { return spec_.plan->targets[spec_.target_index]; }
  [[nodiscard]] const PlannedCase& planned(const Job& job) const { return target().cases[job.unit]; }

  void read_events(std::vector<WorkerEvent>& events);
  void handle(agent::Event& event, std::vector<WorkerEvent>& events);
  void on(agent::Ready& ready, std::vector<WorkerEvent>& events);
  void on(agent::Unusable& unusable, std::vector<WorkerEvent>& events);
  void on(agent::Forked& forked, std::vector<WorkerEvent>& events);
  void on(agent::End& end, std::vector<WorkerEvent>& events);
  void on(agent::Reaped& reaped, std::vector<WorkerEvent>& events);
  void on(agent::Done& done, std::vector<WorkerEvent>& events);
  [[nodiscard]] bool may_be_an_earlier_cases_doing();
  void violated(const Error& error, std::vector<WorkerEvent>& events);

  void open_front(std::vector<WorkerEvent>& events);
  void close_front(std::vector<WorkerEvent>& events);
  void report_answer(std::uint64_t output_end, std::vector<WorkerEvent>& events);
  void retire(std::vector<WorkerEvent>& events);
  void requeue_given(std::vector<WorkerEvent>& events);
  void report_exit(std::optional<proc::ExitState> exit, std::vector<WorkerEvent>& events,
                   std::optional<std::uint64_t> output_end = std::nullopt);
  AttemptContext context();

  void advance_case_deadline(std::int64_t now, std::vector<WorkerEvent>& events);
  void advance_own_deadline(std::int64_t now, std::vector<WorkerEvent>& events);
  void signal_case(int signal);
  void watch_memory(std::int64_t now);
  [[nodiscard]] bool keeps_too_much();
  void stop_for_memory(std::int64_t now, std::int64_t above, std::size_t processes);
  [[nodiscard]] std::vector<proc::ProcessInfo> family_in(
      const std::vector<proc::ProcessInfo>& processes) const;
  void start_kill();
  void end_now();
  void kill_groups();
  [[nodiscard]] bool owns_group(pid_t group) const;
  void clear_leaked_group(pid_t group, std::vector<WorkerEvent>& events);
  void conclude(std::vector<WorkerEvent>& events);
  void report_leak(std::vector<WorkerEvent>& events);
  void report_ended_leak(const std::vector<std::string>& names, std::vector<WorkerEvent>& events) const;
  void fail_start(std::string reason, std::vector<WorkerEvent>& events);
  void release(std::vector<WorkerEvent>& events);
  void give_up(std::vector<WorkerEvent>& events);

  void update_watches();
  void drain_capture();
  // Takes all output there is, and tells where that of case `id` ends; the next case's begins there.
  std::uint64_t end_of_output(std::int64_t id);
  [[nodiscard]] Value detail() const;
  [[nodiscard]] Value case_detail() const;
  [[nodiscard]] Deadline::Limits own_limits(std::chrono::nanoseconds timeout) const;

  WorkerSpec spec_;
  agent::Session session_;
  const Clock& clock_;
  proc::PollLoop& loop_;
  Groups& groups_;
  pid_t group_;
  int watched_wire_ = -1;
  int watched_capture_ = -1;
  int watched_input_ = -1;

  std::deque<Given> given_;  // the open case first
  std::optional<Open> open_;
  std::uint64_t seen_output_ = 0;         // offset in the captured output where the next case's begins
  std::int64_t last_end_ns_;              // of the previous case: its end, or its reaping
  Deadline deadline_;                     // of the process itself: its start, its exit
  std::optional<std::int64_t> ended_ns_;  // the process was seen to have ended
  std::int64_t started_ns_;
  std::int64_t next_memory_ns_ = Deadline::kNever;
  std::optional<std::int64_t> resident_at_start_;
  std::int64_t kept_bytes_ = 0;            // by the cases before the open one, of this process
  std::optional<std::int64_t> oom_kills_;  // proc::out_of_memory_kills() at its start, or when last looked at
  bool ready_ = false;
  bool served_ = false;  // a case was opened
  bool closed_ = false;  // a case was closed
  bool stopping_ = false;
  bool killing_ = false;  // we are ending it: what it says counts no more
  bool failed_ = false;   // WorkerFailed was told
  bool gone_ = false;
  std::vector<agent::Event> events_;  // reused by read_events()
};

}  // namespace seamark::run
