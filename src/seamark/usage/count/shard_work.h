// One shard in work, and the threads that help with it: a thread that has no shard left to read scans files
// of those that others read, so that the last shards, or a single large one, do not keep one thread busy
// alone.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "seamark/usage/count/counts.h"
#include "seamark/usage/input/source.h"
#include "seamark/usage/resolve/vocabulary.h"
#include "seamark/usage/scan/name_finder.h"

namespace seamark::usage {

// The finder of one thread.
class ThreadFinder {
 public:
  explicit ThreadFinder(const MakeFinder& make) : make_(make) {}  // borrowed

  NameFinder& get() {
    if (!finder_) finder_ = make_();
    return *finder_;
  }
  // Ends a finder that has met very many names: nothing else bounds its memory. True: the next is another.
  bool renew(const FileUsage& usage);

 private:
  const MakeFinder& make_;
  std::unique_ptr<NameFinder> finder_;  // made when it is first needed
};

class HelpQueue;

// What is counted of one shard. Belongs to the thread that reads it.
class ShardWork {
 public:
  ShardWork(HelpQueue& queue, std::string shard, std::span<const Framework> frameworks);
  ShardWork(const ShardWork&) = delete;
  ShardWork& operator=(const ShardWork&) = delete;
  ~ShardWork();  // what was given away and not begun is dropped; what was begun ends

  // Scans it, or gives it to a thread that helps.
  void take(const SourceFile& file, ThreadFinder& finder);
  void lose(const Loss& loss);
  // Scans what nobody has begun, and waits for the rest. The work is then used up.
  UsageShard finish(ThreadFinder& finder);
  // Of the threads that helped; after finish().
  [[nodiscard]] double helped_cpu_s() const { return helped_cpu_s_; }

 private:
  friend class HelpQueue;
  void scan(const SourceFile& file, ThreadFinder& finder);
  void scan_as_helper(const SourceFile& file, ThreadFinder& finder);

  HelpQueue& queue_;
  std::mutex mutex_;  // of what follows
  ShardCounter counter_;
  double helped_cpu_s_ = 0;
  std::size_t out_ = 0;  // files that are queued or being scanned by others; under the queue's mutex
};

class HelpQueue {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{4} << 20;  // of text that waits
  static constexpr std::size_t kLargestFile = std::size_t{1} << 20;

  // `readers`: as many threads call end_reading().
  explicit HelpQueue(std::size_t readers) : readers_(readers) {}

  // Whoever calls it reads no shard any more. Once nobody does, helpers end.
  void end_reading();
  // At once, whoever still reads.
  void end_help();
  // Scans what others give away, until all have ended reading.
  void help(ThreadFinder& finder);

 private:
  friend class ShardWork;
  struct Given {
    ShardWork* work = nullptr;
    std::string repository;
    std::string path;
    std::string framed;  // the text between kTextMargin newlines
    std::uint64_t line = 0;

    [[nodiscard]] SourceFile file() const;
  };
  class Helper;
  class Begun;

  // False: nobody is free, or enough waits already.
  bool give(ShardWork& work, const SourceFile& file);
  std::optional<Given> take_back(ShardWork& work);
  Given remove(const std::deque<Given>::iterator& at);
  void drop(ShardWork& work);
  void wait_for(ShardWork& work);
  void done_with(ShardWork& work);

  std::atomic<std::size_t> helpers_ = 0;
  std::mutex mutex_;
  std::condition_variable given_;  // or all have ended reading
  std::condition_variable ended_;  // a file of some work
  std::deque<Given> files_;
  std::size_t bytes_ = 0;
  std::size_t readers_;  // that may still give files
};

}  // namespace seamark::usage
