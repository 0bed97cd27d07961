#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "seamark/store/connection.h"
#include "seamark/store/schema.h"
#include "store_fixture.h"

namespace seamark::store {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

Sample some(const std::string& name, std::uint64_t seed = 3, std::int64_t created_us = 7) {
  Sample sample;
  sample.info = {.id = {},
                 .name = name,
                 .created_unix_us = created_us,
                 .seed = seed,
                 .generator = "pcg32/lemire/fisher-yates-1",
                 .procedure = "the 1 most frequent",
                 .population = "all",
                 .frequency = "calls",
                 .usage = "calls.csv",
                 .parameters = Value(Value::Object{{"top", 1}})};
  sample.frames = {{.framework = "torch",
                    .version = "2.13.0",
                    .seen = 11,
                    .never_seen = 3,
                    .calls = 99,
                    .unknown_names = 2,
                    .unknown_calls = 5}};
  sample.strata = {
      {.framework = "torch", .name = "top", .decile = 0, .functions = 1, .drawn = 1, .calls = 50},
      {.framework = "torch", .name = "decile-1", .decile = 1, .functions = 10, .drawn = 2, .calls = 49}};
  SampledFunction top;
  top.framework = "torch";
  top.function = "torch.relu";
  top.role = SampleRole::kTop;
  top.stratum = "top";
  top.rank = 1;
  top.decile = 1;
  top.inclusion = 1;
  top.calls = 50;
  top.references = 4;
  top.files = 12;
  SampledFunction replaced = top;
  replaced.function = "torch.rare";
  replaced.role = SampleRole::kDecile;
  replaced.stratum = "decile-1";
  replaced.inclusion = 0.2;
  replaced.reason = "needs two GPUs";
  replaced.replaced_by = "torch.other";
  SampledFunction excluded;
  excluded.framework = "torch";
  excluded.function = "torch.print";
  excluded.role = SampleRole::kExcluded;
  excluded.reason = "no function";
  SampledFunction other = replaced;
  other.function = "torch.other";
  other.role = SampleRole::kReplacement;
  other.reason = other.replaced_by = "";
  other.replaces = "torch.rare";
  sample.functions = {excluded, top, replaced, other};
  return sample;
}

TEST_F(StoreTest, ASampleComesBackAsItWentIn) {
  std::string id;
  {
    Store store = open();
    id = must(store.save_sample(some("mine")));
    EXPECT_THAT(id, SizeIs(16));
  }
  Store store = open(OpenMode::kRead);
  for (const std::string& what : {std::string(), std::string("mine"), id, id.substr(0, 4)}) {
    const Sample sample = must(store.sample(what));
    EXPECT_EQ(sample.info.id, id);
    EXPECT_EQ(sample.info.name, "mine");
    EXPECT_EQ(sample.info.seed, 3U);
    EXPECT_EQ(sample.info.parameters.number_or("top", 0), 1);
    ASSERT_THAT(sample.frames, SizeIs(1));
    EXPECT_EQ(sample.frames[0].unknown_calls, 5);
    ASSERT_THAT(sample.strata, SizeIs(2));
    EXPECT_EQ(sample.strata[1].name, "decile-1");
    EXPECT_EQ(sample.strata[1].weight(), 5);
    ASSERT_THAT(sample.functions, SizeIs(4));
    EXPECT_EQ(sample.functions[0].inclusion, std::nullopt);
    EXPECT_EQ(sample.functions[0].rank, 0);
    EXPECT_EQ(sample.functions[1].references, 4);
    EXPECT_EQ(sample.functions[2].inclusion, 0.2);
    EXPECT_TRUE(sample.functions[2].is_replaced());
    EXPECT_EQ(sample.functions[2].replaced_by, "torch.other");
    EXPECT_EQ(sample.functions[3].replaces, "torch.rare");
  }
}

TEST_F(StoreTest, WhatIsDrawnEquallyIsOneSample) {
  Store store = open();
  const std::string first = must(store.save_sample(some("", 3, 7)));
  const std::string other = must(store.save_sample(some("", 4, 8)));
  EXPECT_NE(first, other);
  EXPECT_EQ(must(store.sample()).info.id, other);
  EXPECT_EQ(must(store.save_sample(some("named", 3, 9))), first);
  EXPECT_EQ(must(store.save_sample(some("", 3, 10))), first);
  EXPECT_EQ(must(store.sample()).info.name, "named");  // the latest, and its name stays
  const auto taken = store.save_sample(some("named", 5));
  ASSERT_FALSE(taken.ok());
  EXPECT_TRUE(taken.error().is(StoreError::kSampleNameTaken));
  EXPECT_EQ(must(store.sample()).info.id, first);  // nothing was saved
}

TEST_F(StoreTest, ASampleThatIsNotThereIsSaid) {
  Store store = open();
  const auto none = store.sample();
  ASSERT_FALSE(none.ok());
  EXPECT_TRUE(none.error().is(StoreError::kNoSuchSample));
  EXPECT_THAT(none.error().remedy(), HasSubstr("seamark sample"));
  (void)must(store.save_sample(some("mine")));
  const auto wrong = store.sample("yours");
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().remedy(), HasSubstr("mine"));
}

TEST_F(StoreTest, ASampleThatMakesNoSenseIsCorrupt) {
  for (const char* damage :
       {"UPDATE sample_functions SET role = 99", "UPDATE sample_strata SET drawn = 1000",
        "UPDATE samples SET parameters = '{'", "UPDATE sample_functions SET calls = -1"}) {
    {
      Store store = open();
      (void)must(store.save_sample(some("mine")));
      std::shared_ptr<Connection> connection = must(Connection::open(path(), OpenMode::kWrite, 1000));
      ASSERT_OK(connection->execute(damage));
    }
    {
      Store store = open(OpenMode::kRead);
      const auto sample = store.sample();
      ASSERT_FALSE(sample.ok()) << damage;
      EXPECT_TRUE(sample.error().is(StoreError::kCorrupt)) << damage;
    }
    std::filesystem::remove(path());
    std::filesystem::remove(path().string() + "-wal");
    std::filesystem::remove(path().string() + "-shm");
  }
}

TEST_F(StoreTest, AStoreOfVersion4IsBroughtForwardWithItsRows) {
  {
    std::shared_ptr<Connection> connection = must(Connection::open(path(), OpenMode::kWrite, 1000));
    ASSERT_OK(migrate(*connection, migrations(4)));
    ASSERT_OK(connection->execute("INSERT INTO functions(framework, name) VALUES ('torch', 'torch.sum')"));
  }
  Store store = open();
  (void)must(store.save_sample(some("mine")));
  std::shared_ptr<Connection> connection = must(Connection::open(path(), OpenMode::kRead, 1000));
  EXPECT_EQ(must(connection->integer("PRAGMA user_version")), schema_version());
  EXPECT_EQ(must(connection->integer("SELECT count(*) FROM functions")), 1);
  EXPECT_EQ(must(connection->integer("SELECT count(*) FROM enums WHERE kind = 'sample_role'")),
            kLastSampleRole);
}

}  // namespace
}  // namespace seamark::store
