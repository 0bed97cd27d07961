#include "seamark/run/worker_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "seamark/base/text.h"
#include "seamark/proc/subreaper.h"

namespace seamark::run {

Result<Worker*> WorkerPool::spawn(WorkerSpec spec) {
  spec.number = ++last_number_;
  Result<std::unique_ptr<Worker>> worker = Worker::start(std::move(spec), clock_, loop_, groups_);
  if (!worker) return worker.error();
  workers_.push_back(std::move(*worker));
  return workers_.back().get();
}

Worker* WorkerPool::find(std::size_t number) const {
  for (const std::unique_ptr<Worker>& worker : workers_) {
    if (worker->spec().number == number) return worker.get();
  }
  return nullptr;
}

void WorkerPool::kill_all() {
  for (const std::unique_ptr<Worker>& worker : workers_) kill(*worker);
}

void WorkerPool::wait(std::int64_t until_ns) {
  for (const std::unique_ptr<Worker>& worker : workers_) until_ns = std::min(until_ns, worker->next_ns());
  double timeout_s = static_cast<double>(until_ns - clock_.monotonic_ns()) * 1e-9;
  if (!events_.empty()) timeout_s = 0;
  for (const proc::PollEvent& event : loop_.wait(std::max(timeout_s, 0.0))) {
    if (Worker* worker = find(event.tag)) collect(*worker, [&](auto& n) { worker->on_event(event, n); });
  }
  const bool child_ended = signals_.take_child_ended();
  for (const std::unique_ptr<Worker>& worker : workers_) {
    collect(*worker, [&](auto& n) { worker->advance(child_ended, n); });
  }
  if (child_ended) static_cast<void>(proc::reap_orphans(pids()));
}

void WorkerPool::drop_gone() {
  std::erase_if(workers_, [](const std::unique_ptr<Worker>& worker) { return worker->gone(); });
}

std::vector<pid_t> WorkerPool::pids() const {
  std::vector<pid_t> all;
  for (const std::unique_ptr<Worker>& worker : workers_) {
    if (worker->pid() > 0) all.push_back(worker->pid());
  }
  return all;
}

std::vector<std::string> WorkerPool::clear_strays() {
  std::vector<std::string> names;
  for (const proc::ProcessInfo& stray : proc::kill_stray_descendants(pids(), 1.0)) {
    if (groups_.leaked.contains(stray.group)) continue;  // told before, and dying
    names.push_back(fmt::format("{} ({})", plain_text(stray.name), stray.pid));
  }
  return names;
}

}  // namespace seamark::run
