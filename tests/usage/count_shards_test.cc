#include "seamark/usage/count_shards.h"

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
using testing::UnorderedElementsAre;

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
    EXPECT_EQ(std::this_thread::get_id(), thread_);
    order.push_back(shard);
    shards[shard] = std::move(counted);
    return on_take ? on_take() : Status();
  }
  void fail(std::size_t shard, const Error& error) override { failed[shard] = error.message(); }
  bool go_on(const CountProgress& progress) override {
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
    options.frameworks = {{"torch", "torch", "torch", {}}};
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

TEST_F(CountShards, NothingIsDoneAtOnce) {
  const Result<CountEnd> end = count({});
  ASSERT_TRUE(end);
  EXPECT_EQ(*end, CountEnd::kAll);
}

}  // namespace
}  // namespace seamark::usage
