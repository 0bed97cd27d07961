#include "seamark/usage/count/count_shards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "seamark/store/store.h"

namespace seamark::usage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

// Every file uses torch.add as often as its text is long.
class LengthFinder final : public NameFinder {
 public:
  const FileUsage& scan(std::string_view text, bool /*framed*/) override {
    usage_ = {.names = {{0, UsageTier::kResolved, static_cast<std::uint32_t>(text.size()), 0}},
              .frameworks = 1,
              .unresolved_stars = 0};
    return usage_;
  }
  [[nodiscard]] std::string_view name(std::uint32_t) const override { return "torch.add"; }
  [[nodiscard]] std::uint32_t framework_of(std::uint32_t) const override { return 0; }

 private:
  FileUsage usage_;
};

class TestSink final : public CountSink {
 public:
  Status take(std::size_t shard, UsageShard counted) override {
    const Call call(*this);
    order.push_back(shard);
    shards[shard] = std::move(counted);
    return on_take ? on_take() : Status();
  }
  void fail(std::size_t shard, const Error& error) override {
    const Call call(*this);
    failed[shard] = error.message();
  }
  bool go_on(const CountProgress& progress) override {
    const Call call(*this);
    EXPECT_EQ(std::this_thread::get_id(), thread_);
    last = progress;
    return !on_tick || on_tick();
  }

  std::vector<std::size_t> order;
  std::map<std::size_t, UsageShard> shards;
  std::map<std::size_t, std::string> failed;
  CountProgress last;
  std::function<Status()> on_take;
  std::function<bool()> on_tick;

 private:
  // There is no other at the same time.
  class Call {
   public:
    explicit Call(TestSink& sink) : lock_(sink.calling_, std::try_to_lock) { EXPECT_TRUE(lock_.owns_lock()); }

   private:
    std::unique_lock<std::mutex> lock_;
  };

  std::mutex calling_;
  std::thread::id thread_ = std::this_thread::get_id();
};

std::vector<Shard> make_shards(const std::vector<std::uint64_t>& sizes) {
  std::vector<Shard> shards(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    shards[i].name = std::to_string(i);
    shards[i].identity = "id" + shards[i].name;
    shards[i].bytes = sizes[i];
  }
  return shards;
}

Result<ShardRead> read_one_file(const Shard& shard, const CorpusOptions&, SourceSink& sink) {
  if (!sink.advance(shard.bytes)) return Error(UsageError::kStopped, "stopped");
  const std::string text(shard.bytes, 'x');
  sink.take({"r", "a.py", text});
  return ShardRead{.bytes = shard.bytes, .files = 1, .candidates = 1, .losses = 0};
}

class CountShards : public testing::Test {
 protected:
  CountShards() {
    options.frameworks = {{"torch", "torch", "torch", "", "", "", {}}};
    options.read = read_one_file;
  }
  Result<CountEnd> count(const std::vector<Shard>& shards) {
    return count_shards(shards, options, [] { return std::make_unique<LengthFinder>(); }, sink);
  }

  CountOptions options;
  TestSink sink;
};

TEST_F(CountShards, LargestFirstAndAllOfThem) {
  const Result<CountEnd> end = count(make_shards({5, 30, 0, 10}));
  ASSERT_TRUE(end);
  EXPECT_EQ(*end, CountEnd::kAll);
  EXPECT_THAT(sink.order, ElementsAre(2, 1, 3, 0));  // 2 is standard input
  EXPECT_EQ(sink.shards.at(1).counts.at(0).calls, 30);
  EXPECT_EQ(sink.shards.at(1).identity, "id1");
  EXPECT_EQ(sink.shards.at(1).bytes, 30);
  EXPECT_EQ(sink.shards.at(1).files, 1);
  EXPECT_EQ(sink.last.bytes, 45U);
  EXPECT_EQ(sink.last.shards, 4U);
}

TEST_F(CountShards, ThreadsCountTheSame) {
  options.threads = 4;
  std::vector<std::uint64_t> sizes;
  std::int64_t expected = 0;
  for (std::uint64_t i = 1; i <= 200; ++i) {
    sizes.push_back(i);
    expected += static_cast<std::int64_t>(i);
  }
  ASSERT_TRUE(count(make_shards(sizes)));
  std::int64_t calls = 0;
  for (const auto& [index, shard] : sink.shards) calls += shard.counts.at(0).calls;
  EXPECT_EQ(calls, expected);
  EXPECT_THAT(sink.order, SizeIs(200));
}

TEST_F(CountShards, AShardThatCannotBeReadHarmsNoOther) {
  options.read = [](const Shard& shard, const CorpusOptions& how, SourceSink& to) -> Result<ShardRead> {
    if (shard.name == "1") return Error(UsageError::kNotFound, "1 is gone");
    return read_one_file(shard, how, to);
  };
  ASSERT_TRUE(count(make_shards({3, 2, 1})));
  EXPECT_THAT(sink.order, ElementsAre(0, 2));
  EXPECT_EQ(sink.failed.at(1), "1 is gone");
}

TEST_F(CountShards, StrictEndsAtTheFirstLoss) {
  options.corpus.strict = true;
  options.read = [](const Shard& shard, const CorpusOptions& how, SourceSink& to) -> Result<ShardRead> {
    if (shard.name != "1") return read_one_file(shard, how, to);
    to.lose({"1.gz", 17, "is not JSON"});
    return Error(UsageError::kLost, "1.gz:17: is not JSON");
  };
  const Result<CountEnd> end = count(make_shards({3, 2, 1}));
  ASSERT_FALSE(end);
  EXPECT_TRUE(end.error().is(UsageError::kLost));
  EXPECT_EQ(end.error().message(), "1.gz:17: is not JSON");
  EXPECT_THAT(sink.order, ElementsAre(0));
}

TEST_F(CountShards, LossesStayWithTheirShard) {
  options.read = [](const Shard& shard, const CorpusOptions& how, SourceSink& to) {
    if (shard.name == "1") to.lose({"1.gz", 17, "is not JSON"});
    return read_one_file(shard, how, to);
  };
  ASSERT_TRUE(count(make_shards({3, 2})));
  EXPECT_EQ(sink.shards.at(0).losses, 0);
  EXPECT_EQ(sink.shards.at(1).losses, 1);
  EXPECT_EQ(sink.shards.at(1).kept.at(0).line, 17);
  EXPECT_EQ(sink.last.losses, 1U);
}

TEST_F(CountShards, WhatIsInWorkIsDroppedOnAStop) {
  options.threads = 2;
  std::atomic<bool> first_taken = false;
  options.read = [](const Shard& shard, const CorpusOptions& how, SourceSink& to) -> Result<ShardRead> {
    if (shard.name == "0") return read_one_file(shard, how, to);
    while (to.advance(1)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return Error(UsageError::kStopped, "stopped");
  };
  sink.on_take = [&first_taken] {
    first_taken = true;
    return Status();
  };
  sink.on_tick = [&first_taken] { return !first_taken; };
  const Result<CountEnd> end = count(make_shards({9, 8, 7, 6}));
  ASSERT_TRUE(end);
  EXPECT_EQ(*end, CountEnd::kStopped);
  EXPECT_THAT(sink.order, ElementsAre(0));
}

TEST_F(CountShards, ASinkThatRefusesEndsIt) {
  options.threads = 2;
  sink.on_take = [] { return Status(Error(store::StoreError::kDiskFull, "the disk is full")); };
  const Result<CountEnd> end = count(make_shards(std::vector<std::uint64_t>(50, 3)));
  ASSERT_FALSE(end);
  EXPECT_THAT(end.error().message(), HasSubstr("disk is full"));
}

TEST_F(CountShards, ExceptionsOfEitherSideComeOut) {
  options.threads = 2;
  sink.on_take = []() -> Status { throw std::runtime_error("of the sink"); };
  EXPECT_THROW((void)count(make_shards(std::vector<std::uint64_t>(50, 3))), std::runtime_error);
  sink.on_take = nullptr;
  options.read = [](const Shard&, const CorpusOptions&, SourceSink&) -> Result<ShardRead> {
    throw std::logic_error("of a thread");
  };
  EXPECT_THROW((void)count(make_shards({1, 2, 3})), std::logic_error);
}

// --- threads without a shard of their own

constexpr std::size_t kManyFiles = 400;

// One shard of files with 1 to 400 calls: 80,200 in all.
Result<ShardRead> read_many_files(const Shard& shard, const CorpusOptions&, SourceSink& sink) {
  for (std::size_t i = 1; i <= kManyFiles; ++i) {
    if (!sink.advance(i)) return Error(UsageError::kStopped, "stopped");
    const std::string repository = "r" + std::to_string(i % 7);
    const std::string text(i, 'x');
    sink.take({.repository = repository, .path = "a.py", .text = text, .repaired = i % 50 == 0, .line = i});
  }
  return ShardRead{.bytes = shard.bytes, .files = kManyFiles, .candidates = kManyFiles, .losses = 0};
}

// Takes its time, and notes who scanned.
class SlowFinder final : public NameFinder {
 public:
  struct Seen {
    std::mutex mutex;
    std::map<std::thread::id, std::size_t> files;
    std::atomic<bool> help_throws = false;
    std::atomic<std::thread::id> reader;
  };
  explicit SlowFinder(Seen& seen) : seen_(seen) {}

  const FileUsage& scan(std::string_view text, bool framed) override {
    const std::thread::id self = std::this_thread::get_id();
    {
      const std::scoped_lock lock(seen_.mutex);
      ++seen_.files[self];
    }
    if (self != seen_.reader.load()) {
      // What is handed on has what it needs around it.
      EXPECT_TRUE(framed);
      EXPECT_EQ(std::string_view(text.data() - kTextMargin, kTextMargin), std::string(kTextMargin, '\n'));
      EXPECT_EQ(std::string_view(text.data() + text.size(), kTextMargin), std::string(kTextMargin, '\n'));
      if (seen_.help_throws) throw std::logic_error("of a helper");
    }
    EXPECT_EQ(text, std::string(text.size(), 'x'));
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    return finder_.scan(text, framed);
  }
  [[nodiscard]] std::string_view name(std::uint32_t number) const override { return finder_.name(number); }
  [[nodiscard]] std::uint32_t framework_of(std::uint32_t number) const override {
    return finder_.framework_of(number);
  }

 private:
  LengthFinder finder_;
  Seen& seen_;
};

class CountOneShard : public CountShards {
 protected:
  CountOneShard() {
    options.threads = 2;
    options.read = [this](const Shard& shard, const CorpusOptions& how, SourceSink& to) {
      seen.reader = std::this_thread::get_id();
      return read_many_files(shard, how, to);
    };
  }
  Result<CountEnd> count_slowly(const std::vector<Shard>& shards) {
    return count_shards(shards, options, [this] { return std::make_unique<SlowFinder>(seen); }, sink);
  }

  SlowFinder::Seen seen;
};

TEST_F(CountOneShard, ASecondThreadScansToo) {
  ASSERT_TRUE(count_slowly(make_shards({99})));
  EXPECT_THAT(seen.files, SizeIs(2));
  const UsageShard& shard = sink.shards.at(0);
  ASSERT_THAT(shard.counts, SizeIs(1));
  EXPECT_EQ(shard.counts[0].calls, 80'200);
  EXPECT_EQ(shard.counts[0].files, 400);
  EXPECT_THAT(shard.counts[0].repositories, SizeIs(7));
  EXPECT_EQ(shard.candidates, 400);
  EXPECT_EQ(shard.files, 400);
  EXPECT_EQ(shard.repaired, 8);
  EXPECT_EQ(shard.kept.at(0).line, 50);
  EXPECT_EQ(shard.kept.at(7).line, 400);
}

TEST_F(CountOneShard, OneThreadCountsTheSame) {
  options.threads = 1;
  ASSERT_TRUE(count_slowly(make_shards({99})));
  EXPECT_THAT(seen.files, SizeIs(1));
  EXPECT_EQ(sink.shards.at(0).counts.at(0).calls, 80'200);
  EXPECT_EQ(sink.shards.at(0).repaired, 8);
}

TEST_F(CountOneShard, ALossInTheMiddleOfGivenFilesEndsIt) {
  options.read = [this](const Shard& shard, const CorpusOptions& how, SourceSink& to) -> Result<ShardRead> {
    seen.reader = std::this_thread::get_id();
    (void)read_many_files(shard, how, to);
    return Error(UsageError::kLost, "a.gz:1: is not JSON");
  };
  const Result<CountEnd> end = count_slowly(make_shards({99}));
  ASSERT_FALSE(end);
  EXPECT_TRUE(end.error().is(UsageError::kLost));
  EXPECT_TRUE(sink.shards.empty());
}

TEST_F(CountOneShard, AStopEndsTheHelpersToo) {
  options.threads = 8;
  sink.on_tick = [] { return false; };
  options.read = [this](const Shard& shard, const CorpusOptions& how, SourceSink& to) -> Result<ShardRead> {
    seen.reader = std::this_thread::get_id();
    while (true) {
      if (Result<ShardRead> read = read_many_files(shard, how, to); !read) return read;
    }
  };
  const Result<CountEnd> end = count_slowly(make_shards({99}));
  ASSERT_TRUE(end);
  EXPECT_EQ(*end, CountEnd::kStopped);
  EXPECT_TRUE(sink.shards.empty());
}

TEST_F(CountOneShard, AnExceptionOfAHelperComesOut) {
  seen.help_throws = true;
  EXPECT_THROW((void)count_slowly(make_shards({99})), std::logic_error);
}

TEST_F(CountOneShard, ManyThreadsHelpManyShards) {
  options.threads = 6;
  options.read = read_many_files;
  std::vector<Shard> shards = make_shards({9, 8, 7, 6, 5});
  ASSERT_TRUE(count(shards));
  ASSERT_THAT(sink.shards, SizeIs(5));
  for (const auto& [index, shard] : sink.shards) {
    EXPECT_EQ(shard.counts.at(0).calls, 80'200);
    EXPECT_EQ(shard.candidates, 400);
  }
}

TEST_F(CountShards, NothingIsDoneAtOnce) {
  const Result<CountEnd> end = count({});
  ASSERT_TRUE(end);
  EXPECT_EQ(*end, CountEnd::kAll);
}

}  // namespace
}  // namespace seamark::usage
