// The clocks of a worker and its end: deadlines, memory, leaks, what is left when the process is gone.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "seamark/base/text.h"
#include "seamark/proc/memory.h"
#include "seamark/proc/subreaper.h"
#include "seamark/run/worker.h"

namespace seamark::run {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr double kStraysSeconds = 1;  // the longest wait for the end of what was killed

// Living members of a group, but for one process: "name (pid)".
Value living_members(pid_t group, pid_t but) {
  Value names{Value::Array{}};
  for (const proc::ProcessInfo& member : proc::list_group(group)) {
    if (!member.zombie() && member.pid != but)
      names.push(fmt::format("{} ({})", plain_text(member.name), member.pid));
  }
  return names;
}

}  // namespace

// ---- clocks

std::int64_t Worker::next_ns() const {
  if (gone_) return Deadline::kNever;
  std::int64_t next = std::min(deadline_.next_ns(), next_memory_ns_);
  if (open_) next = std::min(next, open_->deadline.next_ns());
  if (ended_ns_) {
    next = std::min(next, *ended_ns_ + std::chrono::nanoseconds(spec_.plan->leak_window).count());
  }
  return next;
}

void Worker::advance(bool child_ended, std::vector<WorkerEvent>& events) {
  if (gone_) return;
  const std::int64_t now = clock_.monotonic_ns();
  if (now >= next_memory_ns_) watch_memory(now);
  if (open_) advance_case_deadline(now, events);
  if (!gone_) advance_own_deadline(now, events);
  if (gone_) return;
  if (!ended_ns_ && child_ended && session_.child().try_wait()) ended_ns_ = now;
  if (!ended_ns_) return;
  if (!killing_ && session_.read_fd() >= 0) read_events(events);
  drain_capture();
  update_watches();
  const bool pipes_closed = session_.read_fd() < 0 && session_.capture_fd() < 0;
  if (pipes_closed || now >= *ended_ns_ + std::chrono::nanoseconds(spec_.plan->leak_window).count())
    conclude(events);
}

void Worker::advance_case_deadline(std::int64_t now, std::vector<WorkerEvent>& events) {
  const bool forking = spec_.mode == WorkerMode::kFork;
  for (;;) {
    const Deadline::Step step = open_->deadline.advance(now);
    if (step == Deadline::Step::kNone) return;
    const Job job = given_.front().job;
    if (step == Deadline::Step::kSlow) {
      events.emplace_back(CaseSlow{
          job, std::chrono::duration_cast<milliseconds>(nanoseconds(now - open_->deadline.start_ns())),
          std::chrono::duration_cast<milliseconds>(open_->deadline.timeout())});
      continue;
    }
    if (step == Deadline::Step::kGiveUp) {
      if (!forking || killing_) return give_up(events);
      return end_now();
    }
    if (step == Deadline::Step::kTerminate && open_->answer) {
      events.emplace_back(WorkerNote{"exit-hung", case_detail()});
    }
    if (!open_->cause) open_->cause = WorkerExit::Cause::kTimeout;
    signal_case(step == Deadline::Step::kTerminate ? SIGTERM : SIGKILL);
  }
}

// To the child's group in fork mode, when we know it; else the whole worker has to go.
void Worker::signal_case(int signal) {
  if (spec_.mode == WorkerMode::kFork && open_->child > 1 && owns_group(open_->child)) {
    ::kill(-open_->child, signal);
    ::kill(-open_->child, SIGCONT);
    return;
  }
  start_kill();
  session_.child().signal_group(signal);
  session_.child().signal_group(SIGCONT);
}

void Worker::advance_own_deadline(std::int64_t now, std::vector<WorkerEvent>& events) {
  for (;;) {
    const Deadline::Step step = deadline_.advance(now);
    if (step == Deadline::Step::kNone) return;
    if (step == Deadline::Step::kGiveUp) return give_up(events);
    if (step == Deadline::Step::kTerminate) {
      if (!ready_ && !failed_) {
        fail_start(fmt::format("was not ready within {:g} s",
                               std::chrono::duration<double>(spec_.plan->start_timeout).count()),
                   events);
      } else if (!killing_) {
        events.emplace_back(WorkerNote{"exit-hung", detail()});
      }
      start_kill();
      session_.child().signal_group(SIGTERM);
      session_.child().signal_group(SIGCONT);
    } else {
      kill_groups();
    }
  }
}

const std::vector<proc::ProcessInfo>& Worker::Groups::processes(const Clock& clock) {
  constexpr std::int64_t kShare = 100;
  if (const std::int64_t now = clock.monotonic_ns(); now >= next_look_ns_) {
    seen_ = proc::list_processes();
    const std::int64_t end = clock.monotonic_ns();
    next_look_ns_ = end + std::max(nanoseconds(kMemoryPeriod).count(), kShare * (end - now));
  }
  return seen_;
}

// The worker, the open case, and whatever they started, also where the parent has ended.
std::vector<proc::ProcessInfo> Worker::family_in(const std::vector<proc::ProcessInfo>& processes) const {
  std::vector<pid_t> groups = {group_};
  if (open_ && open_->child > 1) groups.push_back(open_->child);
  return proc::family_of(group_, groups, processes);
}

// What a case leaves in a process that goes on is not charged to the next one. More than half of the limit,
// and another process goes on.
bool Worker::keeps_too_much() {
  if (!resident_at_start_ || spec_.alone) return false;
  const std::int64_t now = proc::resident_bytes(group_).value_or(0);
  kept_bytes_ = std::max<std::int64_t>(now - *resident_at_start_, 0);
  return kept_bytes_ > target().memory.bytes / 2;
}

void Worker::watch_memory(std::int64_t now) {
  next_memory_ns_ = now + nanoseconds(kMemoryPeriod).count();
  if (!open_ || open_->cause || killing_) return;
  const bool child = spec_.mode == WorkerMode::kFork;
  if (child && open_->child <= 1) return;
  const std::optional<std::int64_t> resident = proc::resident_bytes(child ? open_->child : group_);
  if (!resident) return;
  const std::int64_t at_start = resident_at_start_.value_or(0) + kept_bytes_;
  const std::int64_t limit = target().memory.bytes;
  open_->most_resident = std::max(open_->most_resident, *resident - at_start);
  if (*resident - at_start > limit) return stop_for_memory(now, *resident - at_start, 1);
  // With what it started: first by a sum that counts shared pages several times, which costs nothing.
  std::vector<proc::ProcessInfo> family = family_in(groups_.processes(clock_));
  std::int64_t most = 0;
  for (const proc::ProcessInfo& member : family) most += member.resident_bytes;
  if (family.size() <= (child ? 2U : 1U) || most - at_start <= limit) return;
  // A child that ends between two readings leaves its share of a page to the next: only what is seen twice is
  // above.
  std::int64_t above = limit + 1;
  for (int reading = 0; reading < 2 && above > limit; ++reading) {
    family = family_in(proc::list_processes());
    above = proc::held_bytes(family) - at_start;
    open_->most_resident = std::max(open_->most_resident, above);
  }
  if (above > limit) {
    // Also what left the group, which the deadline does not reach.
    for (const proc::ProcessInfo& member : family) {
      if (member.pid != group_) ::kill(member.pid, SIGKILL);
    }
    return stop_for_memory(now, above, family.size());
  }
  const std::int64_t end = clock_.monotonic_ns();
  next_memory_ns_ = end + std::max(nanoseconds(kMemoryPeriod).count(), 10 * (end - now));
}

void Worker::stop_for_memory(std::int64_t now, std::int64_t above, std::size_t processes) {
  open_->cause = WorkerExit::Cause::kMemory;
  open_->detail = fmt::format("{} resident", format_bytes(static_cast<std::uint64_t>(above)));
  if (processes > 1) open_->detail += fmt::format(" in {} processes", processes);
  open_->deadline.expire(now, true);
}

// ---- the end

void Worker::start_kill() {
  killing_ = true;
  if (session_.read_fd() >= 0) {
    loop_.unwatch(std::exchange(watched_wire_, -1));
    session_.close_wire();
  }
  // An open case without an answer keeps its deadline; a worker without one gets its own.
  if (!open_ && deadline_.next_ns() == Deadline::kNever) {
    deadline_ = Deadline(clock_.monotonic_ns(), own_limits({}));
  }
}

// KILL to all of it; the deadline of the process stands at its last step but one.
void Worker::end_now() {
  start_kill();
  kill_groups();
  const std::int64_t now = clock_.monotonic_ns();
  deadline_ = Deadline(now, own_limits({}));
  deadline_.expire(now, true);
}

void Worker::kill_groups() {
  if (open_ && open_->child > 1 && spec_.mode == WorkerMode::kFork && owns_group(open_->child)) {
    ::kill(-open_->child, SIGKILL);
  }
  session_.child().signal_group(SIGKILL);
}

// Does this group, which a worker named, hold only processes of this worker? A lie must not hit others.
bool Worker::owns_group(pid_t group) const {
  if (group <= 1 || group == ::getpgrp() || groups_.workers.contains(group)) return false;
  const std::vector<proc::ProcessInfo> members = proc::list_group(group);
  if (members.empty()) return proc::list_processes().empty();  // no /proc: nothing better to ask
  const std::vector<proc::ProcessInfo> ours = proc::list_descendants(::getpid());
  return std::all_of(members.begin(), members.end(), [&](const proc::ProcessInfo& member) {
    return std::any_of(ours.begin(), ours.end(),
                       [&](const proc::ProcessInfo& o) { return o.pid == member.pid; });
  });
}

void Worker::clear_leaked_group(pid_t group, std::vector<WorkerEvent>& events) {
  Value names = living_members(group, -1);
  if (names.as_array().empty() || !owns_group(group)) return;
  Value facts = case_detail();
  facts.set("processes", std::move(names));
  events.emplace_back(WorkerNote{"leak", std::move(facts)});
  groups_.leaked.insert(group);
  proc::kill_group(group);
}

// What the worker itself ended after a case.
void Worker::report_ended_leak(const std::vector<std::string>& names,
                               std::vector<WorkerEvent>& events) const {
  if (names.empty()) return;
  Value processes{Value::Array{}};
  for (const std::string& name : names) processes.push(plain_text(name));
  Value facts = case_detail();
  facts.set("processes", std::move(processes));
  events.emplace_back(WorkerNote{"leak", std::move(facts)});
}

// At the end of the process: its group, and what has left the group (this process has adopted it, where it is
// a subreaper).
void Worker::report_leak(std::vector<WorkerEvent>& events) {
  const bool held = session_.read_fd() >= 0 || session_.capture_fd() >= 0;
  Value names = living_members(group_, group_);
  const std::vector<pid_t> known(groups_.workers.begin(), groups_.workers.end());
  for (const proc::ProcessInfo& stray : proc::kill_stray_descendants(known, kStraysSeconds)) {
    const bool of_case = open_ && stray.group == open_->child;  // it ends with its worker
    if (stray.group == group_ || of_case || groups_.leaked.contains(stray.group)) continue;
    names.push(fmt::format("{} ({})", plain_text(stray.name), stray.pid));
  }
  if ((killing_ || !held) && names.as_array().empty()) return;
  Value facts = open_ || !given_.empty() ? case_detail() : detail();
  groups_.leaked.insert(group_);
  facts.set("pipe_held", held).set("processes", std::move(names));
  events.emplace_back(WorkerNote{"leak", std::move(facts)});
}

// The process has ended and its pipes are drained, or held by something that it left behind.
void Worker::conclude(std::vector<WorkerEvent>& events) {
  const std::optional<proc::ExitState> exit = session_.child().try_wait();
  report_leak(events);
  kill_groups();
  if (!ready_ && !failed_) {
    fail_start(fmt::format("ended before it was ready: {}", exit ? exit->text() : "unknown"), events);
  } else if (!served_ && !stopping_ && !killing_) {
    fail_start(fmt::format("ended before it had a case: {}", exit ? exit->text() : "unknown"), events);
  }
  const bool blamed = open_.has_value();
  if (blamed) report_exit(exit, events);
  if (exit && !exit->success() && ready_ && !killing_ && !blamed) {
    Value facts = detail();
    facts.set("exit", exit->text());
    events.emplace_back(WorkerNote{"worker-died", std::move(facts)});
  }
  session_.child().reap();
  release(events);
}

// KILL did not end it (a process stuck in the kernel): it is left behind, and said so.
void Worker::give_up(std::vector<WorkerEvent>& events) {
  if (session_.child().try_wait()) return;
  events.emplace_back(WorkerNote{"unkillable", detail()});
  if (open_) report_exit(std::nullopt, events);
  start_kill();
  session_.child().abandon();
  release(events);
}

// What was in flight behind the open case goes back.
void Worker::release(std::vector<WorkerEvent>& events) {
  if (open_ && !given_.empty()) given_.pop_front();
  open_.reset();
  requeue_given(events);
  for (int* fd : {&watched_wire_, &watched_capture_, &watched_input_}) {
    if (*fd >= 0) loop_.unwatch(std::exchange(*fd, -1));
  }
  groups_.workers.erase(group_);
  gone_ = true;
  events.emplace_back(WorkerGone{});
}

void Worker::fail_start(std::string reason, std::vector<WorkerEvent>& events) {
  if (std::exchange(failed_, true)) return;
  drain_capture();
  events.emplace_back(WorkerFailed{
      false, "the worker " + std::move(reason), {}, repair_utf8(session_.capture().since_mark())});
}

}  // namespace seamark::run
