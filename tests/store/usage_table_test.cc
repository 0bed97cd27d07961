#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "seamark/store/connection.h"
#include "seamark/store/schema.h"
#include "store_fixture.h"

namespace seamark::store {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

UsageCorpus corpus_of(const std::string& label, std::int64_t planned = 2, std::int64_t started_us = 1) {
  UsageCorpus corpus;
  corpus.label = label;
  corpus.protocol = "names";
  corpus.vocabulary = "0123";
  corpus.options = "{}";
  corpus.catalogues = {{"torch", "2.13.0"}};
  corpus.inputs = {"a.gz", "b.gz"};
  corpus.planned = planned;
  corpus.started_unix_us = started_us;
  return corpus;
}

std::int64_t begin(Store& store, const UsageCorpus& corpus) { return must(store.begin_usage(corpus)).corpus; }

UsageShard shard_of(const std::string& name) {
  UsageShard shard;
  shard.name = name;
  shard.identity = "id of " + name;
  shard.bytes = 1000;
  shard.files = 10;
  shard.candidates = 4;
  shard.unresolved_stars = 1;
  shard.cpu_s = 0.5;
  shard.imports = {{"torch", 3}};
  shard.repositories = {5, 7, std::numeric_limits<std::uint64_t>::max()};
  shard.counts.push_back({.framework = "torch",
                          .name = "torch.add",
                          .tier = UsageTier::kResolved,
                          .calls = 6,
                          .references = 1,
                          .files = 2,
                          .repositories = {0, 2}});
  return shard;
}

TEST(UsageCodes, AscendingNumbersComeBack) {
  const std::vector<std::uint64_t> numbers = {
      0, 1, 127, 128, 300, 1ULL << 63, std::numeric_limits<std::uint64_t>::max()};
  EXPECT_EQ(decode_ascending(encode_ascending(numbers)), numbers);
  EXPECT_EQ(decode_ascending({})->size(), 0U);
  const std::array<std::uint8_t, 2> cut = {0x81, 0x80};
  EXPECT_FALSE(decode_ascending(cut));
  const std::array<std::uint8_t, 2> twice = {3, 0};
  EXPECT_FALSE(decode_ascending(twice));
  const std::vector<std::uint8_t> long_one(11, 0x80);
  EXPECT_FALSE(decode_ascending(long_one));
  std::vector<std::uint8_t> wraps = encode_ascending(numbers);
  wraps.push_back(1);
  EXPECT_FALSE(decode_ascending(wraps));
}

TEST_F(StoreTest, UsageComesBackMerged) {
  {
    Store store = open();
    const std::int64_t id = begin(store, corpus_of("c"));
    ASSERT_OK(store.save_usage_shard(id, 0, shard_of("a.gz")));
    UsageShard other = shard_of("b.gz");
    other.repositories = {6, 7};
    other.counts[0].repositories = {1};  // 7, which a.gz has too, but not for this function
    other.losses = 2;
    other.repaired = 1;
    other.kept = {{"b.gz", 17, "not JSON"}, {"b.gz", 18, "not UTF-8", true}, {"b.gz", 0, "cut short"}};
    ASSERT_OK(store.save_usage_shard(id, 1, other));
    EXPECT_FALSE(must(store.usage_corpus()).complete);
    ASSERT_OK(store.finish_usage(id));
  }
  Store store = open(OpenMode::kRead);
  const UsageTable table = must(store.usage("c"));
  EXPECT_EQ(table.corpus, "c");
  EXPECT_EQ(table.protocol, "names");
  EXPECT_EQ(table.files, 20);
  EXPECT_EQ(table.bytes, 2000);
  ASSERT_EQ(table.imports.size(), 1U);
  EXPECT_EQ(table.imports[0].files, 6);
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0].function, "torch.add");
  EXPECT_EQ(table.rows[0].calls, 12);
  EXPECT_EQ(table.rows[0].references, 2);
  EXPECT_EQ(table.rows[0].files, 4);
  EXPECT_EQ(table.rows[0].repositories, 3);  // 5, 2^64-1 and 7

  const UsageCorpus head = must(store.usage_corpus());
  EXPECT_TRUE(head.complete);
  EXPECT_EQ(head.shards, 2);
  EXPECT_EQ(head.losses, 2);
  EXPECT_EQ(head.repaired, 1);
  EXPECT_EQ(head.unresolved_stars, 2);
  EXPECT_EQ(head.candidates, 8);
  EXPECT_DOUBLE_EQ(head.cpu_s, 1.0);
  EXPECT_EQ(head.catalogues.at("torch"), "2.13.0");
  EXPECT_THAT(head.inputs, ElementsAre("a.gz", "b.gz"));
  const std::vector<UsageLoss> losses = must(store.usage_losses({}, 10));
  ASSERT_EQ(losses.size(), 2U);
  EXPECT_EQ(losses[0].line, 17);
  EXPECT_EQ(losses[1].line, 0);
  EXPECT_EQ(must(store.usage_losses({}, 1)).size(), 1U);
  const std::vector<UsageLoss> repairs = must(store.usage_losses({}, 10, true));
  ASSERT_EQ(repairs.size(), 1U);
  EXPECT_EQ(repairs[0].line, 18);
  EXPECT_EQ(repairs[0].what, "not UTF-8");
}

// Against the plain way: all files in one place.
TEST_F(StoreTest, MergingIsExact) {
  std::mt19937 random(7);
  const auto draw = [&random](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
  using Key = std::pair<std::string, UsageTier>;
  std::map<Key, std::tuple<std::int64_t, std::int64_t, std::int64_t>> sums;
  std::map<Key, std::set<std::uint64_t>> repositories;
  Store store = open();
  const std::int64_t id = begin(store, corpus_of("c", 9));
  for (int s = 0; s < 9; ++s) {
    UsageShard shard;
    shard.name = shard.identity = std::to_string(s);
    std::set<std::uint64_t> here;
    while (here.size() < 40) here.insert(draw(100) * 0x9e3779b97f4a7c15ULL);
    shard.repositories.assign(here.begin(), here.end());
    for (std::uint32_t n = 0; n < 60; ++n) {
      if (draw(3) == 0) continue;
      const Key key = {"torch.f" + std::to_string(n % 30),
                       n < 30 ? UsageTier::kResolved : UsageTier::kInferred};
      UsageCount count{.framework = "torch",
                       .name = key.first,
                       .tier = key.second,
                       .calls = draw(50),
                       .references = draw(5),
                       .files = draw(9),
                       .repositories = {}};
      for (std::uint32_t r = 0; r < 40; ++r) {
        if (draw(4) != 0) continue;
        count.repositories.push_back(r);
        repositories[key].insert(shard.repositories[r]);
      }
      auto& [calls, references, files] = sums[key];
      calls += count.calls;
      references += count.references;
      files += count.files;
      shard.counts.push_back(std::move(count));
    }
    ASSERT_OK(store.save_usage_shard(id, s, shard));
  }
  const UsageTable table = must(store.usage());
  ASSERT_EQ(table.rows.size(), sums.size());
  for (const UsageRow& row : table.rows) {
    const Key key = {row.function, row.tier};
    EXPECT_EQ(std::tuple(row.calls, row.references, row.files), sums.at(key));
    EXPECT_EQ(row.repositories, static_cast<std::int64_t>(repositories[key].size()));
  }
  EXPECT_TRUE(std::is_sorted(table.rows.begin(), table.rows.end(), [](const UsageRow& a, const UsageRow& b) {
    return std::tie(a.tier, b.calls, a.function) < std::tie(b.tier, a.calls, b.function);
  }));
}

TEST_F(StoreTest, CountedShardsAreTakenWhereTheyWereCountedAlike) {
  Store store = open();
  const std::int64_t first = begin(store, corpus_of("first"));
  ASSERT_OK(store.save_usage_shard(first, 0, shard_of("a.gz")));
  UsageShard input = shard_of("-");
  input.identity = "";
  ASSERT_OK(store.save_usage_shard(first, 1, input));

  const std::vector<std::string> identities = {"id of b.gz", "id of a.gz", ""};
  EXPECT_THAT(must(store.begin_usage(corpus_of("second", 3, 2), identities)).counted,
              ElementsAre(false, true, false));
  EXPECT_EQ(must(store.usage("second")).rows.at(0).calls, 6);
  EXPECT_EQ(must(store.usage_corpus()).label, "second");

  UsageCorpus other = corpus_of("third", 3, 3);
  other.vocabulary = "4567";
  EXPECT_THAT(must(store.begin_usage(other, identities)).counted, Each(false));
  other.label = "fourth";
  other.vocabulary = "0123";
  other.options = R"({"kind":"files"})";
  EXPECT_THAT(must(store.begin_usage(other, identities)).counted, Each(false));
}

TEST_F(StoreTest, ACorpusThatIsCountedAnewLosesWhatItNoLongerHas) {
  Store store = open();
  const std::int64_t id = begin(store, corpus_of("c"));
  ASSERT_OK(store.save_usage_shard(id, 0, shard_of("a.gz")));
  UsageShard gone = shard_of("b.gz");
  gone.counts[0].name = "torch.gone";
  ASSERT_OK(store.save_usage_shard(id, 1, gone));
  ASSERT_OK(store.finish_usage(id));
  const std::int64_t other = begin(store, corpus_of("other", 1, 2));
  ASSERT_OK(store.save_usage_shard(other, 0, shard_of("z.gz")));

  EXPECT_EQ(begin(store, corpus_of("c", 1, 3)), id);
  EXPECT_THAT(must(store.usage("c")).rows, IsEmpty());
  const std::vector<std::string> first = {"id of a.gz"};
  EXPECT_THAT(must(store.begin_usage(corpus_of("c", 1, 4), first)).counted, ElementsAre(true));
  ASSERT_OK(store.finish_usage(id));
  EXPECT_EQ(must(store.usage("c")).rows.size(), 1U);
  EXPECT_EQ(must(store.usage("other")).rows.size(), 1U);
  EXPECT_EQ(must(store.usage_corpora()).size(), 2U);
  const std::vector<std::string> second = {"id of b.gz"};
  EXPECT_THAT(must(store.begin_usage(corpus_of("c", 1, 5), second)).counted, ElementsAre(false));
}

TEST_F(StoreTest, AFileGivenTwiceCountsTwice) {
  Store store = open();
  ASSERT_OK(store.save_usage_shard(begin(store, corpus_of("c")), 0, shard_of("a.gz")));
  const std::vector<std::string> twice = {"id of a.gz", "id of a.gz"};
  must(store.begin_usage(corpus_of("c"), twice));
  const UsageTable table = must(store.usage());
  EXPECT_EQ(table.files, 20);
  EXPECT_EQ(table.rows.at(0).calls, 12);
  EXPECT_EQ(table.rows.at(0).repositories, 2);
}

TEST_F(StoreTest, UsageThatIsNotThereIsAnError) {
  Store store = open();
  const Result<UsageTable> none = store.usage();
  ASSERT_FALSE(none);
  EXPECT_TRUE(none.error().is(StoreError::kNoSuchUsage));
  must(store.begin_usage(corpus_of("c")));
  EXPECT_THAT(store.usage("d").error().message(), HasSubstr("'d'"));
}

TEST_F(StoreTest, CorruptUsageIsAnError) {
  {
    Store store = open();
    const std::int64_t id = begin(store, corpus_of("c"));
    ASSERT_OK(store.save_usage_shard(id, 0, shard_of("a.gz")));
  }
  for (const char* damage :
       {"UPDATE usage_counts SET repositories = x'09'", "UPDATE usage_counts SET tier = 77",
        "UPDATE usage_shards SET repositories = x'80'"}) {
    const auto connection = must(Connection::open(path(), OpenMode::kWrite, 1000));
    ASSERT_OK(connection->execute(std::string("BEGIN; ") + damage + "; COMMIT"));
    Store store = open(OpenMode::kRead);
    const Result<UsageTable> table = store.usage();
    ASSERT_FALSE(table) << damage;
    EXPECT_TRUE(table.error().is(StoreError::kCorrupt)) << table.error().message();
    ASSERT_OK(connection->execute("UPDATE usage_counts SET repositories = x'00', tier = 1"));
  }
}

TEST_F(StoreTest, AStoreBeforeUsageIsBroughtForward) {
  {
    const auto connection = must(Connection::open(path(), OpenMode::kWrite, 1000));
    ASSERT_OK(migrate(*connection, migrations(3)));
  }
  Store store = open(OpenMode::kRead);
  EXPECT_THAT(must(store.usage_corpora()), IsEmpty());
}

// Version 7 laid the rows of a shard together.
TEST_F(StoreTest, UsageOfVersion6IsBroughtForward) {
  UsageTable before;
  {
    Store store = open();
    const std::int64_t id = begin(store, corpus_of("c"));
    ASSERT_OK(store.save_usage_shard(id, 0, shard_of("a.gz")));
    UsageShard other = shard_of("b.gz");
    other.repositories = {6, 7};
    other.counts[0].repositories = {1};
    other.counts.push_back(other.counts[0]);
    other.counts.back().tier = UsageTier::kInferred;
    ASSERT_OK(store.save_usage_shard(id, 1, other));
    ASSERT_OK(store.finish_usage(id));
    before = must(store.usage("c"));
    ASSERT_EQ(before.rows.size(), 2U);
  }
  const std::filesystem::path older = path().parent_path() / "older.db";
  {
    const auto connection = must(Connection::open(older, OpenMode::kWrite, 1000));
    ASSERT_OK(migrate(*connection, migrations(6)));
    ASSERT_OK(connection->execute(fmt::format("ATTACH '{}' AS newer", path().string())));
    for (const char* table : {"usage_corpora", "usage_shards", "usage_corpus_shards", "usage_names",
                              "usage_imports", "usage_losses"}) {
      ASSERT_OK(connection->execute(fmt::format("INSERT INTO main.{0} SELECT * FROM newer.{0}", table)));
    }
    constexpr std::string_view kColumns =
        R"(name_id, tier, shard_id, calls, "references", files, repositories)";
    ASSERT_OK(connection->execute(
        fmt::format("INSERT INTO main.usage_counts({0}) SELECT {0} FROM newer.usage_counts", kColumns)));
  }
  const UsageTable after = must(must(Store::open(older, OpenMode::kRead)).usage("c"));
  ASSERT_EQ(after.rows.size(), before.rows.size());
  for (std::size_t i = 0; i < before.rows.size(); ++i) {
    EXPECT_EQ(after.rows[i].function, before.rows[i].function);
    EXPECT_EQ(after.rows[i].tier, before.rows[i].tier);
    EXPECT_EQ(after.rows[i].calls, before.rows[i].calls);
    EXPECT_EQ(after.rows[i].files, before.rows[i].files);
    EXPECT_EQ(after.rows[i].repositories, before.rows[i].repositories);
  }
}

}  // namespace
}  // namespace seamark::store
