#include "seamark/run/worker.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/proc/memory.h"
#include "seamark/proc/subreaper.h"

namespace seamark::run {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr nanoseconds kMemoryPeriod = milliseconds(100);

agent::SessionOptions session_options(const WorkerSpec& spec) {
  const Plan& plan = *spec.plan;
  const PlannedTarget& target = plan.targets[spec.target_index];
  agent::SessionOptions options;
  options.program = {target.interpreter, plan.boot, target.environment};
  options.hello.target = target.hello;
  options.hello.mode = spec.mode;
  options.hello.suites = target.suites;
  options.hello.seed = static_cast<std::int64_t>(plan.seed >> 1);
  options.hello.threads = target.threads;
  options.hello.timing = plan.timing;
  options.hello.timing.protocol = plan.protocol == Protocol::kPaper ? "paper" : "full";
  if (target.memory.method == MemoryMethod::kAddressSpace) options.hello.memory_bytes = target.memory.bytes;
  const std::string folder = fmt::format("{}/w{}", plan.work_dir, spec.number);
  options.hello.work_dir = folder;
  options.capture_path = folder + ".log";
  options.names.reserve(spec.units.size());
  for (const std::size_t unit : spec.units) options.names.push_back(target.cases[unit].name);
  return options;
}

double seconds_between(std::int64_t from_ns, std::int64_t to_ns) {
  return static_cast<double>(to_ns - from_ns) * 1e-9;
}

}  // namespace

Result<std::unique_ptr<Worker>> Worker::start(WorkerSpec spec, const Clock& clock, proc::PollLoop& loop,
                                              Groups& groups) {
  const agent::SessionOptions options = session_options(spec);
  if (Status made = make_directories(options.hello.work_dir); !made) return made.error();
  Result<agent::Session> session = agent::Session::start(options);
  if (!session) return session.error();
  return std::unique_ptr<Worker>(new Worker(std::move(spec), std::move(*session), clock, loop, groups));
}

Worker::Worker(WorkerSpec spec, agent::Session session, const Clock& clock, proc::PollLoop& loop,
               Groups& groups)
    : spec_(std::move(spec)),
      session_(std::move(session)),
      clock_(clock),
      loop_(loop),
      groups_(groups),
      group_(session_.child().pid()),
      last_end_ns_(clock.monotonic_ns()),
      ladder_(last_end_ns_, own_limits(spec_.plan->start_timeout)),
      started_ns_(last_end_ns_) {
  groups_.workers.insert(group_);
  update_watches();
}

Worker::~Worker() {
  if (gone_) return;
  kill_groups();
  session_.close_wire();
  for (const int fd : {watched_wire_, watched_capture_, watched_input_}) {
    if (fd >= 0) loop_.unwatch(fd);
  }
  groups_.workers.erase(group_);
}

Deadline::Limits Worker::own_limits(nanoseconds timeout) const {
  return {timeout, timeout, spec_.plan->grace, spec_.plan->exit_window};
}

std::size_t Worker::room() const {
  if (!ready_ || stopping_ || doomed_ || gone_ || ended_ns_) return 0;
  return spec_.credits - std::min(spec_.credits, given_.size());
}

void Worker::give(std::size_t id, Phase phase, std::vector<News>& news) {
  if (room() == 0) throw std::logic_error("a job for a worker that takes none");
  given_.push_back({id, Job{spec_.units.at(id), phase}, clock_.monotonic_ns()});
  session_.send_run(static_cast<std::int64_t>(id), phase);
  if (!open_) open_front(news);
  update_watches();
}

void Worker::stop() {
  if (std::exchange(stopping_, true)) return;
  session_.send_stop();
  if (given_.empty() && ready_)
    ladder_ = Deadline(clock_.monotonic_ns(), own_limits(spec_.plan->exit_window));
  update_watches();
}

void Worker::kill(std::vector<News>& news) {
  if (gone_) return;
  end_now();
  for (const Given& given : given_) {
    if (!(open_ && open_->ended && &given == &given_.front())) news.emplace_back(CaseReturned{given.job});
  }
  given_.clear();
  open_.reset();
}

// ---- what the worker says

void Worker::on_event(const proc::PollEvent& event, std::vector<News>& news) {
  if (gone_) return;
  if (event.fd == watched_capture_) drain_capture();
  if (event.fd == watched_input_ && event.writable) session_.flush();
  if (event.fd == watched_wire_ && event.readable) listen(news);
  update_watches();
}

void Worker::listen(std::vector<News>& news) {
  events_.clear();
  const agent::Session::Heard heard = session_.listen(events_);
  for (agent::Event& event : events_) {
    if (!doomed_) hear(event, news);
  }
  if (doomed_) return;
  if (heard.violation) {
    violated(*heard.violation, news);
  } else if (heard.end && !ended_ns_ && ladder_.next_ns() == Deadline::kNever) {
    ladder_ = Deadline(clock_.monotonic_ns(), own_limits(spec_.plan->exit_window));
  }
}

void Worker::hear(agent::Event& event, std::vector<News>& news) {
  std::visit([&](auto& e) { on(e, news); }, event);
}

void Worker::on(agent::Ready& ready, std::vector<News>& news) {
  ready_ = true;
  drain_capture();
  seen_output_ = session_.capture().offset();
  const std::int64_t now = clock_.monotonic_ns();
  last_end_ns_ = now;
  ladder_ = stopping_ ? Deadline(now, own_limits(spec_.plan->exit_window)) : Deadline();
  if (target().memory.method == MemoryMethod::kResident) {
    resident_at_start_ = proc::resident_bytes(group_);
    next_memory_ns_ = now + kMemoryPeriod.count();
  }
  news.emplace_back(WorkerReady{std::move(ready), seconds_between(started_ns_, now)});
}

void Worker::on(agent::Unusable& unusable, std::vector<News>& news) {
  drain_capture();
  failed_ = true;
  news.emplace_back(WorkerFailed{true, std::move(unusable.reason), std::move(unusable.remedy),
                                 repair_utf8(session_.capture().since_mark())});
  stop();
  ladder_ = Deadline(clock_.monotonic_ns(), own_limits(spec_.plan->exit_window));
}

void Worker::on(agent::Forked& forked, std::vector<News>&) {
  if (open_) open_->child = static_cast<pid_t>(forked.pid);
}

void Worker::on(agent::End& end, std::vector<News>& news) {
  // The next case may have written already: what is not read by now belongs to it as well.
  seen_output_ = session_.capture().offset();
  if (!open_ || open_->cause) return;  // an answer after its deadline does not count
  const Given& given = given_.front();
  const bool failing = end.outcome != Outcome::kPass;
  news.emplace_back(CaseDone{
      given.job, attempt_from_end(target(), planned(given.job), std::move(end), circumstances(failing))});
  if (spec_.mode != WorkerMode::kFork) {
    close_front(news);
    return;
  }
  open_->ended = true;
  last_end_ns_ = clock_.monotonic_ns();
  open_->deadline = Deadline(last_end_ns_, own_limits(spec_.plan->exit_window));
}

void Worker::on(agent::Reaped& reaped, std::vector<News>& news) {
  if (!open_) return;
  const proc::ExitState exit = proc::ExitState::from_wait_status(reaped.status);
  if (!open_->ended) {
    seen_output_ = session_.capture().offset();
    report_death(exit, news);
  } else if (!exit.success() && !open_->cause) {
    Value facts = case_detail();
    facts.set("exit", exit.text());
    news.emplace_back(WorkerNote{"exit-after-answer", std::move(facts)});
  }
  if (const pid_t child = open_->child; child > 1 && ::kill(-child, 0) == 0) clear_leaked_group(child, news);
  close_front(news);
}

void Worker::violated(const Error& error, std::vector<News>& news) {
  Value facts = detail();
  facts.set("what", error.message());
  news.emplace_back(WorkerNote{"protocol-error", std::move(facts)});
  if (!ready_) {
    fail_start("broke the wire: " + error.message(), news);
  } else if (open_ && !open_->ended) {
    open_->cause = Death::Cause::kProtocol;
    open_->detail = error.message();
  }
  end_now();
}

// ---- the open case

void Worker::open_front(std::vector<News>& news) {
  if (given_.empty()) return;
  const Given& given = given_.front();
  const std::int64_t now = clock_.monotonic_ns();
  const std::int64_t start = std::max(last_end_ns_, given.sent_ns);
  const PlannedCase& planned_case = planned(given.job);
  const double timeout_s = planned_case.timeout_s > 0 ? planned_case.timeout_s : target().timeout_s;
  const Plan& plan = *spec_.plan;
  open_.emplace();
  open_->deadline = Deadline(start, {nanoseconds(static_cast<std::int64_t>(timeout_s * 1e9)), plan.slow_after,
                                     plan.grace, plan.exit_window});
  open_->started_unix_us = clock_.unix_us() - (now - start) / 1000;
  session_.capture().mark_at(seen_output_);
  news.emplace_back(CaseOpened{given.job});
}

void Worker::close_front(std::vector<News>& news) {
  given_.pop_front();
  open_.reset();
  last_end_ns_ = clock_.monotonic_ns();
  open_front(news);
  if (stopping_ && given_.empty()) ladder_ = Deadline(last_end_ns_, own_limits(spec_.plan->exit_window));
}

Circumstances Worker::circumstances(bool with_capture) {
  Circumstances now;
  now.phase = given_.front().job.phase;
  now.mode = spec_.alone ? WorkerMode::kProcess : spec_.mode;
  now.protocol = spec_.plan->protocol == Protocol::kPaper ? "paper" : "full";
  now.started_unix_us = open_->started_unix_us;
  const std::int64_t start = std::max(last_end_ns_, given_.front().sent_ns);
  now.wall_s = seconds_between(start, clock_.monotonic_ns());
  if (!with_capture) return now;
  drain_capture();
  now.capture = repair_utf8(session_.capture().since_mark());
  return now;
}

void Worker::report_death(std::optional<proc::ExitState> exit, std::vector<News>& news) {
  Death death;
  death.cause = open_->cause.value_or(Death::Cause::kDied);
  death.exit = exit;
  death.detail = open_->detail;
  death.timeout_s = std::chrono::duration<double>(open_->deadline.timeout()).count();
  const Job job = given_.front().job;
  news.emplace_back(CaseDone{job, attempt_from_death(target(), planned(job), death, circumstances(true))});
}

// ---- clocks

std::int64_t Worker::next_ns() const {
  if (gone_) return Deadline::kNever;
  std::int64_t next = std::min(ladder_.next_ns(), next_memory_ns_);
  if (open_) next = std::min(next, open_->deadline.next_ns());
  if (ended_ns_) {
    next = std::min(next, *ended_ns_ + std::chrono::nanoseconds(spec_.plan->leak_window).count());
  }
  return next;
}

void Worker::advance(bool child_ended, std::vector<News>& news) {
  if (gone_) return;
  const std::int64_t now = clock_.monotonic_ns();
  if (now >= next_memory_ns_) watch_memory(now);
  if (open_) climb_case_ladder(now, news);
  if (!gone_) climb_own_ladder(now, news);
  if (gone_) return;
  if (!ended_ns_ && child_ended && session_.child().try_wait()) ended_ns_ = now;
  if (!ended_ns_) return;
  if (!doomed_ && session_.read_fd() >= 0) listen(news);
  drain_capture();
  update_watches();
  const bool pipes_closed = session_.read_fd() < 0 && session_.capture_fd() < 0;
  if (pipes_closed || now >= *ended_ns_ + std::chrono::nanoseconds(spec_.plan->leak_window).count())
    conclude(news);
}

void Worker::climb_case_ladder(std::int64_t now, std::vector<News>& news) {
  const bool forking = spec_.mode == WorkerMode::kFork;
  for (;;) {
    const Deadline::Step step = open_->deadline.advance(now);
    if (step == Deadline::Step::kNone) return;
    const Job job = given_.front().job;
    if (step == Deadline::Step::kSlow) {
      news.emplace_back(CaseSlow{
          job, std::chrono::duration_cast<milliseconds>(nanoseconds(now - open_->deadline.start_ns())),
          std::chrono::duration_cast<milliseconds>(open_->deadline.timeout())});
      continue;
    }
    if (step == Deadline::Step::kGiveUp) {
      if (!forking || doomed_) return give_up(news);
      return end_now();
    }
    if (step == Deadline::Step::kTerminate && open_->ended) {
      news.emplace_back(WorkerNote{"exit-hung", case_detail()});
    }
    if (!open_->cause) open_->cause = Death::Cause::kTimeout;
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
  doom();
  session_.child().signal_group(signal);
  session_.child().signal_group(SIGCONT);
}

void Worker::climb_own_ladder(std::int64_t now, std::vector<News>& news) {
  for (;;) {
    const Deadline::Step step = ladder_.advance(now);
    if (step == Deadline::Step::kNone) return;
    if (step == Deadline::Step::kGiveUp) return give_up(news);
    if (step == Deadline::Step::kTerminate) {
      if (!ready_ && !failed_) {
        fail_start(fmt::format("was not ready within {:g} s",
                               std::chrono::duration<double>(spec_.plan->start_timeout).count()),
                   news);
      } else if (!doomed_) {
        news.emplace_back(WorkerNote{"exit-hung", detail()});
      }
      doom();
      session_.child().signal_group(SIGTERM);
      session_.child().signal_group(SIGCONT);
    } else {
      kill_groups();
    }
  }
}

void Worker::watch_memory(std::int64_t now) {
  next_memory_ns_ = now + kMemoryPeriod.count();
  if (!open_ || open_->cause || doomed_) return;
  const bool child = spec_.mode == WorkerMode::kFork;
  if (child && open_->child <= 1) return;
  const std::optional<std::int64_t> resident = proc::resident_bytes(child ? open_->child : group_);
  if (!resident) return;
  const std::int64_t above = *resident - resident_at_start_.value_or(0);
  if (above <= target().memory.bytes) return;
  open_->cause = Death::Cause::kMemory;
  open_->detail = fmt::format("{} resident", format_bytes(static_cast<std::uint64_t>(above)));
  open_->deadline.expire(now, true);
}

// ---- the end

void Worker::doom() {
  doomed_ = true;
  if (session_.read_fd() >= 0) {
    loop_.unwatch(std::exchange(watched_wire_, -1));
    session_.close_wire();
  }
  // An open case without an answer keeps its ladder; a worker without one gets its own.
  if (!open_ && ladder_.next_ns() == Deadline::kNever) {
    ladder_ = Deadline(clock_.monotonic_ns(), own_limits({}));
  }
}

// KILL to all of it; the process ladder stands at its last step but one.
void Worker::end_now() {
  doom();
  kill_groups();
  const std::int64_t now = clock_.monotonic_ns();
  ladder_ = Deadline(now, own_limits({}));
  ladder_.expire(now, true);
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

void Worker::clear_leaked_group(pid_t group, std::vector<News>& news) {
  Value names{Value::Array{}};
  for (const proc::ProcessInfo& member : proc::list_group(group)) {
    if (!member.zombie()) names.push(fmt::format("{} ({})", plain_text(member.name), member.pid));
  }
  if (names.as_array().empty() || !owns_group(group)) return;
  Value facts = case_detail();
  facts.set("processes", std::move(names));
  news.emplace_back(WorkerNote{"leak", std::move(facts)});
  groups_.leaked.insert(group);
  proc::kill_group(group);
}

void Worker::report_leak(std::vector<News>& news) {
  const bool held = session_.read_fd() >= 0 || session_.capture_fd() >= 0;
  Value names{Value::Array{}};
  for (const proc::ProcessInfo& member : proc::list_group(group_)) {
    if (!member.zombie() && member.pid != group_)
      names.push(fmt::format("{} ({})", plain_text(member.name), member.pid));
  }
  if ((doomed_ || !held) && names.as_array().empty()) return;
  Value facts = open_ || !given_.empty() ? case_detail() : detail();
  groups_.leaked.insert(group_);
  facts.set("pipe_held", held).set("processes", std::move(names));
  news.emplace_back(WorkerNote{"leak", std::move(facts)});
}

// The process has ended and its pipes are drained, or held by something that it left behind.
void Worker::conclude(std::vector<News>& news) {
  const std::optional<proc::ExitState> exit = session_.child().try_wait();
  report_leak(news);
  kill_groups();
  if (!ready_ && !failed_) {
    fail_start(fmt::format("ended before it was ready: {}", exit ? exit->text() : "unknown"), news);
  }
  const bool blamed = open_ && !open_->ended;
  if (blamed) report_death(exit, news);
  if (exit && !exit->success() && ready_ && !doomed_ && !blamed) {
    Value facts = detail();
    facts.set("exit", exit->text());
    news.emplace_back(WorkerNote{"worker-died", std::move(facts)});
  }
  session_.child().reap();
  release(news);
}

// KILL did not end it (a process stuck in the kernel): it is left behind, and said so.
void Worker::give_up(std::vector<News>& news) {
  if (session_.child().try_wait()) return;
  news.emplace_back(WorkerNote{"unkillable", detail()});
  if (open_ && !open_->ended) report_death(std::nullopt, news);
  doom();
  session_.child().abandon();
  release(news);
}

// What was in flight behind the open case goes back.
void Worker::release(std::vector<News>& news) {
  if (open_ && !given_.empty()) given_.pop_front();
  open_.reset();
  for (const Given& given : given_) news.emplace_back(CaseReturned{given.job});
  given_.clear();
  for (int* fd : {&watched_wire_, &watched_capture_, &watched_input_}) {
    if (*fd >= 0) loop_.unwatch(std::exchange(*fd, -1));
  }
  groups_.workers.erase(group_);
  gone_ = true;
  news.emplace_back(WorkerGone{});
}

void Worker::fail_start(std::string reason, std::vector<News>& news) {
  if (std::exchange(failed_, true)) return;
  drain_capture();
  news.emplace_back(WorkerFailed{
      false, "the worker " + std::move(reason), {}, repair_utf8(session_.capture().since_mark())});
}

// ---- odds and ends

void Worker::update_watches() {
  const auto follow = [this](int& watched, int fd, bool read, bool write) {
    if (watched == fd) return;
    if (watched >= 0) loop_.unwatch(watched);
    watched = fd;
    if (fd >= 0) loop_.watch(fd, spec_.number, read, write);
  };
  follow(watched_wire_, session_.read_fd(), true, false);
  follow(watched_capture_, session_.capture_fd(), true, false);
  follow(watched_input_, session_.wants_write() ? session_.write_fd() : -1, false, true);
}

void Worker::drain_capture() {
  if (session_.capture_fd() < 0) return;
  const int fd = session_.capture_fd();
  session_.capture().drain();
  if (session_.capture_fd() < 0 && watched_capture_ == fd) {
    loop_.unwatch(fd);
    watched_capture_ = -1;
  }
}

Value Worker::detail() const {
  Value facts{Value::Object{}};
  facts.set("target", target().name).set("worker", static_cast<std::int64_t>(spec_.number));
  facts.set("pid", static_cast<std::int64_t>(group_)).set("mode", name_of(spec_.mode));
  return facts;
}

Value Worker::case_detail() const {
  Value facts = detail();
  if (!given_.empty()) facts.set("case", planned(given_.front().job).name);
  return facts;
}

}  // namespace seamark::run
