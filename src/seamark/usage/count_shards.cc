#include "seamark/usage/count_shards.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "seamark/usage/counts.h"

namespace seamark::usage {
namespace {

constexpr auto kTick = std::chrono::milliseconds(100);
// A finder that has met more names than this is replaced: its memory is bounded by nothing else.
constexpr std::uint32_t kMostNumbers = 1U << 17;

double thread_cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Standard input has no size: nobody knows how long it takes, so it starts first.
std::vector<std::size_t> largest_first(std::span<const Shard> shards) {
  const auto weight = [&shards](std::size_t i) {
    return shards[i].bytes == 0 ? std::numeric_limits<std::uint64_t>::max() : shards[i].bytes;
  };
  std::vector<std::size_t> order(shards.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&weight](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
  return order;
}

struct Outcome {
  std::size_t shard = 0;
  std::optional<UsageShard> counted;
  std::optional<Error> error;
  std::exception_ptr broken;  // a defect of ours
};

// What the threads share.
struct Shared {
  Shared(std::span<const Shard> all, const CountOptions& how, const MakeFinder& maker)
      : shards(all), options(how), make_finder(maker), order(largest_first(all)) {}

  std::span<const Shard> shards;
  const CountOptions& options;
  const MakeFinder& make_finder;
  std::vector<std::size_t> order;

  std::atomic<std::size_t> next = 0;
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> bytes = 0;
  std::atomic<std::uint64_t> losses = 0;

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Outcome> ended;  // at most one a thread: who is done waits until it was taken
  int running = 0;
  bool abandoned = false;  // nobody takes what ends any more
};

// However the calling thread leaves, the others can end.
class Abandon {
 public:
  explicit Abandon(Shared& shared) : shared_(shared) {}
  Abandon(const Abandon&) = delete;
  Abandon& operator=(const Abandon&) = delete;
  ~Abandon() {
    shared_.stop = true;
    const std::scoped_lock lock(shared_.mutex);
    shared_.abandoned = true;
    shared_.changed.notify_all();
  }

 private:
  Shared& shared_;
};

class CountingSink final : public SourceSink {
 public:
  CountingSink(Shared& shared, ShardCounter& counter, std::unique_ptr<NameFinder>& finder)
      : shared_(shared), counter_(counter), finder_(finder) {}

  void take(const SourceFile& file) override {
    const FileUsage& usage = finder_->scan(file.text, file.framed);
    counter_.add(file, usage, *finder_);
    std::uint32_t highest = 0;
    for (const NameCount& count : usage.names) highest = std::max(highest, count.name);
    if (highest <= kMostNumbers) return;
    finder_ = shared_.make_finder();
    counter_.forget_numbers();
  }

  void lose(const Loss& loss) override {
    shared_.losses.fetch_add(1, std::memory_order_relaxed);
    counter_.lose(loss);
  }

  bool advance(std::uint64_t bytes) override {
    told_ += bytes;
    shared_.bytes.fetch_add(bytes, std::memory_order_relaxed);
    return !shared_.stop.load(std::memory_order_relaxed);
  }

  [[nodiscard]] std::uint64_t told() const { return told_; }

 private:
  Shared& shared_;
  ShardCounter& counter_;
  std::unique_ptr<NameFinder>& finder_;
  std::uint64_t told_ = 0;
};

Outcome count_one(Shared& shared, std::size_t index, std::unique_ptr<NameFinder>& finder) {
  const Shard& shard = shared.shards[index];
  Outcome outcome;
  outcome.shard = index;
  const double start = thread_cpu_seconds();
  ShardCounter counter(shard.name, shared.options.frameworks);
  CountingSink sink(shared, counter, finder);
  const Result<ShardRead> read = shared.options.read(shard, shared.options.corpus, sink);
  if (!read) {
    outcome.error = read.error();
    return outcome;
  }
  if (read->bytes > sink.told()) shared.bytes.fetch_add(read->bytes - sink.told());
  UsageShard counted = counter.finish();
  counted.identity = shard.identity;
  counted.bytes = static_cast<std::int64_t>(read->bytes);
  counted.files = static_cast<std::int64_t>(read->files);
  counted.cpu_s = thread_cpu_seconds() - start;
  outcome.counted = std::move(counted);
  return outcome;
}

bool ends_all(const Error& error, const CountOptions& options) {
  return options.corpus.strict || error.is(UsageError::kLost) || error.is(UsageError::kHelper);
}

void work(Shared& shared) {
  std::unique_ptr<NameFinder> finder = shared.make_finder();
  while (!shared.stop) {
    const std::size_t turn = shared.next++;
    if (turn >= shared.order.size()) return;
    Outcome outcome = count_one(shared, shared.order[turn], finder);
    if (outcome.error && ends_all(*outcome.error, shared.options)) shared.stop = true;
    std::unique_lock lock(shared.mutex);
    shared.changed.wait(lock, [&shared] { return shared.ended.empty() || shared.abandoned; });
    shared.ended.push_back(std::move(outcome));
    shared.changed.notify_all();
  }
}

void run_thread(Shared& shared) {
  Outcome last;
  try {
    work(shared);
  } catch (...) {
    last.broken = std::current_exception();
  }
  const std::scoped_lock lock(shared.mutex);
  if (last.broken) shared.ended.push_back(std::move(last));
  --shared.running;
  shared.changed.notify_all();
}

// The calling thread: hands over what ended, and ticks.
class Collector {
 public:
  Collector(Shared& shared, CountSink& sink) : shared_(shared), sink_(sink) {}

  Result<CountEnd> run() {
    while (true) {
      std::optional<Outcome> outcome;
      bool over = false;
      {
        std::unique_lock lock(shared_.mutex);
        shared_.changed.wait_for(lock, kTick,
                                 [this] { return !shared_.ended.empty() || shared_.running == 0; });
        if (!shared_.ended.empty()) {
          outcome = std::move(shared_.ended.front());
          shared_.ended.pop_front();
          shared_.changed.notify_all();
        }
        over = !outcome && shared_.running == 0;
      }
      if (outcome) take(std::move(*outcome));
      if (over) break;
      if (!sink_.go_on({shared_.bytes, shared_.losses, done_}) && !error_) stop();
    }
    if (broken_) std::rethrow_exception(broken_);
    if (error_) return *error_;
    return stopped_ ? CountEnd::kStopped : CountEnd::kAll;
  }

 private:
  void stop() {
    stopped_ = true;
    shared_.stop = true;
  }

  void end_with(Error error) {
    if (!error_) error_ = std::move(error);
    stop();
  }

  void take(Outcome outcome) {
    if (outcome.broken) {
      broken_ = outcome.broken;
      return stop();
    }
    if (outcome.counted) {
      ++done_;
      if (Status taken = sink_.take(outcome.shard, std::move(*outcome.counted)); !taken)
        end_with(taken.error());
      return;
    }
    const Error& error = *outcome.error;
    if (error.is(UsageError::kStopped)) return;
    if (ends_all(error, shared_.options)) return end_with(error);
    ++done_;
    sink_.fail(outcome.shard, error);
  }

  Shared& shared_;
  CountSink& sink_;
  std::size_t done_ = 0;
  bool stopped_ = false;
  std::optional<Error> error_;
  std::exception_ptr broken_;
};

}  // namespace

Result<CountEnd> count_shards(std::span<const Shard> shards, const CountOptions& options,
                              const MakeFinder& make_finder, CountSink& sink) {
  Shared shared(shards, options, make_finder);
  const std::size_t count =
      std::clamp<std::size_t>(shards.size(), 1, static_cast<std::size_t>(std::max(1, options.threads)));
  shared.running = static_cast<int>(count);
  std::vector<std::jthread> threads;  // joined on every way out
  threads.reserve(count);
  for (std::size_t i = 0; i < count; ++i) threads.emplace_back([&shared] { run_thread(shared); });
  const Abandon abandon(shared);
  return Collector(shared, sink).run();
}

}  // namespace seamark::usage
