#include "seamark/run/worker.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/proc/memory.h"
#include "seamark/proc/subreaper.h"

namespace seamark::run {
namespace {

using std::chrono::nanoseconds;

agent::SessionOptions session_options(const WorkerSpec& spec) {
  const Plan& plan = *spec.plan;
  const PlannedTarget& target = plan.targets[spec.target_index];
  agent::SessionOptions options;
  options.program = {target.interpreter, plan.boot, target.environment, nullptr, plan.inherits};
  options.sandbox = plan.sandbox;
  if (target.network) options.sandbox.no_network = false;
  options.hello.target = target.hello;
  options.hello.mode = spec.mode;
  options.hello.suites = target.suites;
  options.hello.seed = static_cast<std::int64_t>(plan.seed & std::uint64_t{0x7fffffffffffffff});
  options.hello.threads = target.threads;
  options.hello.timing = plan.timing;
  options.hello.timing.protocol = plan.protocol == Protocol::kPaper ? "paper" : "full";
  if (target.memory.method == MemoryMethod::kAddressSpace) {
    // What is refused below that looks like a fault of the function; what is held is watched.
    options.hello.memory_bytes =
        std::max(target.memory.bytes, proc::physical_memory_bytes().value_or(target.memory.bytes));
  }
  const std::string folder = fmt::format("{}/w{}", plan.work_dir, spec.number);
  options.hello.work_dir = folder;
  options.hello.cache_dir = target.cache_dir;
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
      deadline_(last_end_ns_, own_limits(spec_.plan->start_timeout)),
      started_ns_(last_end_ns_) {
  oom_kills_ = proc::out_of_memory_kills();
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
  if (!ready_ || stopping_ || killing_ || gone_ || ended_ns_) return 0;
  return spec_.credits - std::min(spec_.credits, given_.size());
}

void Worker::give(std::size_t id, Phase phase, std::vector<WorkerEvent>& events) {
  if (room() == 0) throw std::logic_error("a job for a worker that takes none");
  given_.push_back({id, Job{spec_.units.at(id), phase}, clock_.monotonic_ns()});
  session_.send_run(static_cast<std::int64_t>(id), phase);
  if (!open_) open_front(events);
  update_watches();
}

void Worker::stop() {
  if (std::exchange(stopping_, true)) return;
  session_.send_stop();
  if (given_.empty() && ready_)
    deadline_ = Deadline(clock_.monotonic_ns(), own_limits(spec_.plan->exit_window));
  update_watches();
}

void Worker::requeue_given(std::vector<WorkerEvent>& events) {
  for (const Given& given : given_) events.emplace_back(CaseRequeued{given.job});
  given_.clear();
}

void Worker::kill(std::vector<WorkerEvent>& events) {
  if (gone_) return;
  end_now();
  requeue_given(events);
  if (open_) groups_.leaked.insert(open_->child);  // ended here: no leak of the case's
  open_.reset();
}

// ---- what the worker says

void Worker::on_event(const proc::PollEvent& event, std::vector<WorkerEvent>& events) {
  if (gone_) return;
  if (event.fd == watched_capture_) drain_capture();
  if (event.fd == watched_input_ && event.writable) session_.flush();
  if (event.fd == watched_wire_ && event.readable) read_events(events);
  update_watches();
}

void Worker::read_events(std::vector<WorkerEvent>& events) {
  events_.clear();
  const agent::Session::ReadResult read = session_.read_events(events_);
  for (agent::Event& event : events_) {
    if (!killing_) handle(event, events);
  }
  if (killing_) return;
  if (read.violation) {
    violated(*read.violation, events);
  } else if (read.end && !ended_ns_ && deadline_.next_ns() == Deadline::kNever) {
    deadline_ = Deadline(clock_.monotonic_ns(), own_limits(spec_.plan->exit_window));
  }
}

void Worker::handle(agent::Event& event, std::vector<WorkerEvent>& events) {
  std::visit([&](auto& e) { on(e, events); }, event);
}

void Worker::on(agent::Ready& ready, std::vector<WorkerEvent>& events) {
  ready_ = true;
  drain_capture();
  seen_output_ = session_.capture().offset();
  const std::int64_t now = clock_.monotonic_ns();
  last_end_ns_ = now;
  deadline_ = stopping_ ? Deadline(now, own_limits(spec_.plan->exit_window)) : Deadline();
  if (target().memory.method != MemoryMethod::kNone) {
    resident_at_start_ = proc::resident_bytes(group_);
    next_memory_ns_ = now + nanoseconds(kMemoryPeriod).count();
  }
  events.emplace_back(WorkerReady{std::move(ready), seconds_between(started_ns_, now)});
}

void Worker::on(agent::Unusable& unusable, std::vector<WorkerEvent>& events) {
  drain_capture();
  failed_ = true;
  events.emplace_back(WorkerFailed{true, std::move(unusable.reason), std::move(unusable.remedy),
                                   repair_utf8(session_.capture().since_mark())});
  stop();
  deadline_ = Deadline(clock_.monotonic_ns(), own_limits(spec_.plan->exit_window));
}

void Worker::on(agent::Forked& forked, std::vector<WorkerEvent>&) {
  if (open_) open_->child = static_cast<pid_t>(forked.pid);
}

void Worker::on(agent::End& end, std::vector<WorkerEvent>&) {
  if (!open_ || open_->cause) return;  // an answer after its deadline does not count
  open_->answered_in = context();
  open_->answer = std::move(end);
  open_->deadline = Deadline(clock_.monotonic_ns(), own_limits(spec_.plan->exit_window));
}

void Worker::on(agent::Done& done, std::vector<WorkerEvent>& events) {
  if (!open_ || !open_->answer) return;
  const std::vector<std::string>& changed = open_->answer->changed;
  const bool spent = open_->answer->spent;
  if (!changed.empty() || spent) {
    Value facts = case_detail();
    facts.set("changed", Value::Array(changed.begin(), changed.end())).set("replaced", spent);
    events.emplace_back(WorkerNote{"poison", std::move(facts)});
  }
  report_answer(end_of_output(done.id), events);
  report_ended_leak(done.leaked, events);
  if (spent) return retire(events);
  if (keeps_too_much()) {
    given_.pop_front();
    open_.reset();
    return kill(events);
  }
  close_front(events);
}

void Worker::on(agent::Reaped& reaped, std::vector<WorkerEvent>& events) {
  if (!open_) return;
  const proc::ExitState exit = proc::ExitState::from_wait_status(reaped.status);
  const std::uint64_t output_end = end_of_output(reaped.id);
  if (open_->answer && exit.success() && !open_->cause) {
    report_answer(output_end, events);
  } else {
    report_exit(exit, events, output_end);
  }
  report_ended_leak(reaped.leaked, events);
  if (const pid_t child = open_->child; child > 1 && ::kill(-child, 0) == 0)
    clear_leaked_group(child, events);
  close_front(events);
}

// What an earlier case left in the process may write as well: the open case goes to another worker, once.
bool Worker::may_be_an_earlier_cases_doing() {
  return spec_.mode == WorkerMode::kPersistent && closed_ && open_ &&
         groups_.doubted.emplace(spec_.target_index, given_.front().job.unit).second;
}

void Worker::violated(const Error& error, std::vector<WorkerEvent>& events) {
  Value facts = detail();
  facts.set("what", error.message());
  events.emplace_back(WorkerNote{"protocol-error", std::move(facts)});
  if (!served_) {
    fail_start("broke the wire: " + error.message(), events);
  } else if (may_be_an_earlier_cases_doing()) {
    return kill(events);
  } else if (open_) {
    open_->cause = WorkerExit::Cause::kProtocol;
    open_->detail = error.message();
  }
  end_now();
}

// ---- the open case

void Worker::open_front(std::vector<WorkerEvent>& events) {
  if (given_.empty()) return;
  const Given& given = given_.front();
  const std::int64_t now = clock_.monotonic_ns();
  const std::int64_t start = std::max(last_end_ns_, given.sent_ns);
  const PlannedCase& planned_case = planned(given.job);
  const double timeout_s = planned_case.timeout_s > 0 ? planned_case.timeout_s : target().timeout_s;
  const Plan& plan = *spec_.plan;
  open_ = Open{};
  served_ = true;
  open_->deadline = Deadline(start, {nanoseconds(static_cast<std::int64_t>(timeout_s * 1e9)), plan.slow_after,
                                     plan.grace, plan.exit_window});
  open_->started_unix_us = clock_.unix_us() - (now - start) / 1000;
  session_.capture().mark_at(seen_output_);
  events.emplace_back(CaseOpened{given.job});
}

void Worker::close_front(std::vector<WorkerEvent>& events) {
  closed_ = true;
  given_.pop_front();
  open_.reset();
  last_end_ns_ = clock_.monotonic_ns();
  open_front(events);
  if (stopping_ && given_.empty()) deadline_ = Deadline(last_end_ns_, own_limits(spec_.plan->exit_window));
}

// The case that just ended changed what this worker cannot restore: what is in flight behind it goes back.
void Worker::retire(std::vector<WorkerEvent>& events) {
  given_.pop_front();
  open_.reset();
  requeue_given(events);
  stopping_ = true;
  last_end_ns_ = clock_.monotonic_ns();
  deadline_ = Deadline(last_end_ns_, own_limits(spec_.plan->exit_window));
}

AttemptContext Worker::context() {
  AttemptContext now;
  now.phase = given_.front().job.phase;
  now.mode = spec_.alone ? WorkerMode::kProcess : spec_.mode;
  now.protocol = spec_.plan->protocol == Protocol::kPaper ? "paper" : "full";
  now.started_unix_us = open_->started_unix_us;
  const std::int64_t start = std::max(last_end_ns_, given_.front().sent_ns);
  now.wall_s = seconds_between(start, clock_.monotonic_ns());
  return now;
}

void Worker::report_answer(std::uint64_t output_end, std::vector<WorkerEvent>& events) {
  const Job job = given_.front().job;
  AttemptContext then = std::move(open_->answered_in);
  if (open_->answer->outcome != Outcome::kPass)
    then.capture = repair_utf8(session_.capture().since_mark(output_end));
  events.emplace_back(
      CaseDone{job, attempt_from_end(target(), planned(job), std::move(*open_->answer), std::move(then))});
}

void Worker::report_exit(std::optional<proc::ExitState> exit, std::vector<WorkerEvent>& events,
                         std::optional<std::uint64_t> output_end) {
  WorkerExit worker_exit;
  worker_exit.cause = open_->cause.value_or(WorkerExit::Cause::kDied);
  worker_exit.exit = exit;
  worker_exit.detail = open_->detail;
  worker_exit.timeout_s = std::chrono::duration<double>(open_->deadline.timeout()).count();
  if (open_->answer) worker_exit.answered = open_->answer->outcome;
  worker_exit.resident_bytes = open_->most_resident;
  if (exit && exit->signal() == SIGKILL) {
    const std::optional<std::int64_t> kills = proc::out_of_memory_kills();
    worker_exit.out_of_memory = kills && oom_kills_ && *kills > *oom_kills_;
    oom_kills_ = kills;
  }
  const Job job = given_.front().job;
  AttemptContext now = open_->answer ? std::move(open_->answered_in) : context();
  drain_capture();
  const proc::Capture& capture = session_.capture();
  now.capture = repair_utf8(capture.since_mark(output_end.value_or(capture.offset())));
  events.emplace_back(CaseDone{job, attempt_from_exit(target(), planned(job), worker_exit, std::move(now))});
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

std::uint64_t Worker::end_of_output(std::int64_t id) {
  const std::uint64_t read_before = session_.capture().offset();
  drain_capture();
  const std::string mark = fmt::format("\x1dseamark end {}\n", id);
  if (const auto place = session_.capture().find_since_mark(mark)) {
    seen_output_ = *place + mark.size();
    return *place;
  }
  // It closed or redirected its output. The next case may have written already: what was not read before
  // belongs to both.
  seen_output_ = read_before;
  return session_.capture().offset();
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
