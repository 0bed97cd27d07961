#include "seamark/usage/count/count_shards.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "seamark/base/clock.h"
#include "seamark/usage/count/shard_work.h"

namespace seamark::usage {
namespace {

constexpr auto kTick = std::chrono::milliseconds(100);

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

// What the threads share.
class Counting {
 public:
  Counting(std::span<const Shard> shards, const CountOptions& options, const MakeFinder& make_finder,
           CountSink& sink, std::size_t threads)
      : shards_(shards),
        options_(options),
        make_finder_(make_finder),
        sink_(sink),
        order_(largest_first(shards)),
        help_(threads),
        running_(threads) {}

  // Of each thread that counts.
  void run_thread();
  // Of the calling thread: until all of them have ended.
  Result<CountEnd> wait();
  void stop() {
    stop_ = true;
    help_.end_help();
  }

 private:
  class Sink;

  void count_all(ThreadFinder& finder);
  void count_one(std::size_t index, ThreadFinder& finder);
  void end_shard(std::size_t index, UsageShard counted);
  void fail_shard(std::size_t index, const Error& error);
  void end_with(const Error& error);
  bool tick();

  std::span<const Shard> shards_;
  const CountOptions& options_;
  const MakeFinder& make_finder_;
  CountSink& sink_;
  std::vector<std::size_t> order_;
  HelpQueue help_;

  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stop_ = false;
  std::atomic<std::uint64_t> bytes_ = 0;
  std::atomic<std::uint64_t> losses_ = 0;

  std::mutex sink_mutex_;  // of sink_ and what follows
  std::size_t done_ = 0;
  std::optional<Error> error_;
  std::exception_ptr broken_;  // a defect of ours

  std::mutex mutex_;  // of running_
  std::condition_variable ended_;
  std::size_t running_;
};

// Takes what is read of one shard.
class Counting::Sink final : public SourceSink {
 public:
  Sink(Counting& counting, ShardWork& work, ThreadFinder& finder)
      : counting_(counting), work_(work), finder_(finder) {}

  void take(const SourceFile& file) override { work_.take(file, finder_); }

  void lose(const Loss& loss) override {
    counting_.losses_.fetch_add(1, std::memory_order_relaxed);
    work_.lose(loss);
  }

  bool advance(std::uint64_t bytes) override {
    told_ += bytes;
    counting_.bytes_.fetch_add(bytes, std::memory_order_relaxed);
    return !counting_.stop_.load(std::memory_order_relaxed);
  }

  [[nodiscard]] std::uint64_t told() const { return told_; }

 private:
  Counting& counting_;
  ShardWork& work_;
  ThreadFinder& finder_;
  std::uint64_t told_ = 0;
};

void Counting::count_one(std::size_t index, ThreadFinder& finder) {
  const Shard& shard = shards_[index];
  const double start = thread_cpu_seconds();
  ShardWork work(help_, shard.name, options_.frameworks);
  Sink sink(*this, work, finder);
  const Result<ShardRead> read = options_.read(shard, options_.corpus, sink);
  if (!read) return fail_shard(index, read.error());
  if (read->bytes > sink.told()) bytes_ += read->bytes - sink.told();
  UsageShard counted = work.finish(finder);
  counted.identity = shard.identity;
  counted.bytes = static_cast<std::int64_t>(read->bytes);
  counted.files = static_cast<std::int64_t>(read->files);
  counted.cpu_s = thread_cpu_seconds() - start + work.helped_cpu_s();
  end_shard(index, std::move(counted));
}

void Counting::end_shard(std::size_t index, UsageShard counted) {
  const std::scoped_lock lock(sink_mutex_);
  if (error_) return;  // the sink's, it may be
  ++done_;
  if (const Status taken = sink_.take(index, std::move(counted)); !taken) end_with(taken.error());
}

void Counting::fail_shard(std::size_t index, const Error& error) {
  if (error.is(UsageError::kStopped)) return;
  const std::scoped_lock lock(sink_mutex_);
  if (options_.corpus.strict || error.is(UsageError::kLost) || error.is(UsageError::kHelper))
    return end_with(error);
  ++done_;
  sink_.fail(index, error);
}

void Counting::end_with(const Error& error) {
  if (!error_) error_ = error;
  stop();
}

void Counting::count_all(ThreadFinder& finder) {
  while (!stop_) {
    const std::size_t turn = next_++;
    if (turn >= order_.size()) return;
    count_one(order_[turn], finder);
  }
}

void Counting::run_thread() {
  const auto guarded = [this](const auto& work) {
    try {
      work();
    } catch (...) {
      const std::scoped_lock lock(sink_mutex_);
      broken_ = std::current_exception();
      stop();
    }
  };
  ThreadFinder finder(make_finder_);
  guarded([&] { count_all(finder); });
  help_.end_reading();
  guarded([&] { help_.help(finder); });
  const std::scoped_lock lock(mutex_);
  --running_;
  ended_.notify_all();
}

// False: stop.
bool Counting::tick() {
  const std::scoped_lock lock(sink_mutex_);
  return sink_.go_on({bytes_, losses_, done_}) || error_;
}

Result<CountEnd> Counting::wait() {
  bool stopped = false;
  for (bool over = false; !over;) {
    {
      std::unique_lock lock(mutex_);
      over = ended_.wait_for(lock, kTick, [this] { return running_ == 0; });
    }
    if (!tick() && !over) {
      stopped = true;
      stop();
    }
  }
  if (broken_) std::rethrow_exception(broken_);
  if (error_) return *error_;
  return stopped ? CountEnd::kStopped : CountEnd::kAll;
}

// However the calling thread leaves, the others end.
class StopAtEnd {
 public:
  explicit StopAtEnd(Counting& counting) : counting_(counting) {}
  StopAtEnd(const StopAtEnd&) = delete;
  StopAtEnd& operator=(const StopAtEnd&) = delete;
  ~StopAtEnd() { counting_.stop(); }

 private:
  Counting& counting_;
};

}  // namespace

Result<CountEnd> count_shards(std::span<const Shard> shards, const CountOptions& options,
                              const MakeFinder& make_finder, CountSink& sink) {
  const auto wanted = static_cast<std::size_t>(std::max(1, options.threads));
  // A shard keeps no more than two threads busy: reading is more than half of the work.
  const std::size_t count = std::clamp<std::size_t>(2 * shards.size(), 1, wanted);
  Counting counting(shards, options, make_finder, sink, count);
  std::vector<std::jthread> threads;  // joined on every way out
  threads.reserve(count);
  const StopAtEnd stop(counting);
  for (std::size_t i = 0; i < count; ++i) threads.emplace_back([&counting] { counting.run_thread(); });
  return counting.wait();
}

}  // namespace seamark::usage
