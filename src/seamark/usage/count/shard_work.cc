#include "seamark/usage/count/shard_work.h"

#include <algorithm>
#include <utility>

#include "seamark/base/clock.h"

namespace seamark::usage {
namespace {

constexpr std::uint32_t kMostNumbers = 1U << 17;

}  // namespace

bool ThreadFinder::renew(const FileUsage& usage) {
  std::uint32_t highest = 0;
  for (const NameCount& count : usage.names) highest = std::max(highest, count.name);
  if (highest <= kMostNumbers) return false;
  finder_.reset();
  return true;
}

// --- the work

ShardWork::ShardWork(HelpQueue& queue, std::string shard, std::span<const Framework> frameworks)
    : queue_(queue), counter_(std::move(shard), frameworks) {}

ShardWork::~ShardWork() {
  queue_.drop(*this);
  queue_.wait_for(*this);
}

void ShardWork::take(const SourceFile& file, ThreadFinder& finder) {
  if (file.repaired) {
    const std::scoped_lock lock(mutex_);
    counter_.repair(file);
  }
  if (!queue_.give(*this, file)) scan(file, finder);
}

void ShardWork::lose(const Loss& loss) {
  const std::scoped_lock lock(mutex_);
  counter_.lose(loss);
}

void ShardWork::scan(const SourceFile& file, ThreadFinder& finder) {
  NameFinder& names = finder.get();
  const FileUsage& usage = names.scan(file.text, file.framed);
  const std::scoped_lock lock(mutex_);
  counter_.add(file, usage, names);
  if (finder.renew(usage)) counter_.forget_numbers();
}

void ShardWork::scan_as_helper(const SourceFile& file, ThreadFinder& finder) {
  const double start = thread_cpu_seconds();
  NameFinder& names = finder.get();
  const FileUsage& usage = names.scan(file.text, file.framed);
  {
    const std::scoped_lock lock(mutex_);
    counter_.add_by_name(file, usage, names);
    helped_cpu_s_ += thread_cpu_seconds() - start;
  }
  finder.renew(usage);
}

UsageShard ShardWork::finish(ThreadFinder& finder) {
  while (const auto given = queue_.take_back(*this)) scan(given->file(), finder);
  queue_.wait_for(*this);
  return counter_.finish();
}

// --- the queue

SourceFile HelpQueue::Given::file() const {
  const auto text = std::string_view(framed).substr(kTextMargin, framed.size() - 2 * kTextMargin);
  return {.repository = repository, .path = path, .text = text, .framed = true, .line = line};
}

bool HelpQueue::give(ShardWork& work, const SourceFile& file) {
  if (helpers_.load(std::memory_order_relaxed) == 0 || file.text.size() > kLargestFile) return false;
  {
    const std::scoped_lock lock(mutex_);
    if (bytes_ + file.text.size() > kMostBytes) return false;
  }
  // Only this thread gives files of this work, and others that come between exceed the bound by little.
  Given given{.work = &work,
              .repository = std::string(file.repository),
              .path = std::string(file.path),
              .framed = std::string(file.text.size() + 2 * kTextMargin, '\n'),
              .line = file.line};
  file.text.copy(given.framed.data() + kTextMargin, file.text.size());
  {
    const std::scoped_lock lock(mutex_);
    bytes_ += file.text.size();
    files_.push_back(std::move(given));
    ++work.out_;
  }
  given_.notify_one();
  return true;
}

std::optional<HelpQueue::Given> HelpQueue::take_back(ShardWork& work) {
  const std::scoped_lock lock(mutex_);
  const auto own =
      std::find_if(files_.begin(), files_.end(), [&](const Given& g) { return g.work == &work; });
  if (own == files_.end()) return std::nullopt;
  --work.out_;
  return remove(own);
}

void HelpQueue::drop(ShardWork& work) {
  while (take_back(work)) {
  }
}

void HelpQueue::wait_for(ShardWork& work) {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&work] { return work.out_ == 0; });
}

void HelpQueue::done_with(ShardWork& work) {
  // Under the lock to the end: who waits for the work may end it as soon as it can see that.
  const std::scoped_lock lock(mutex_);
  --work.out_;
  ended_.notify_all();
}

void HelpQueue::end_reading() {
  const std::scoped_lock lock(mutex_);
  if (readers_ > 0) --readers_;
  if (readers_ == 0) given_.notify_all();
}

void HelpQueue::end_help() {
  const std::scoped_lock lock(mutex_);
  readers_ = 0;
  given_.notify_all();
}

// However a helper ends, nobody waits for it.
class HelpQueue::Helper {
 public:
  explicit Helper(HelpQueue& queue) : queue_(queue) { ++queue_.helpers_; }
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;
  ~Helper() { --queue_.helpers_; }

 private:
  HelpQueue& queue_;
};

// Nor for a file that it has begun.
class HelpQueue::Begun {
 public:
  Begun(HelpQueue& queue, ShardWork& work) : queue_(queue), work_(work) {}
  Begun(const Begun&) = delete;
  Begun& operator=(const Begun&) = delete;
  ~Begun() { queue_.done_with(work_); }

 private:
  HelpQueue& queue_;
  ShardWork& work_;
};

HelpQueue::Given HelpQueue::remove(const std::deque<Given>::iterator& at) {
  Given given = std::move(*at);
  files_.erase(at);
  bytes_ -= given.file().text.size();
  return given;
}

void HelpQueue::help(ThreadFinder& finder) {
  const Helper helper(*this);
  std::unique_lock lock(mutex_);
  while (true) {
    given_.wait(lock, [this] { return !files_.empty() || readers_ == 0; });
    if (files_.empty()) return;
    const Given given = remove(files_.begin());
    lock.unlock();
    {
      const Begun begun(*this, *given.work);
      given.work->scan_as_helper(given.file(), finder);
    }
    lock.lock();
  }
}

}  // namespace seamark::usage
