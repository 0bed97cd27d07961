#include "seamark/usage/count/counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace seamark::usage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

const std::vector<Framework> kFrameworks = {{"torch", "torch", "torch", "", "", "", {}},
                                            {"jax", "jax", "jax", "", "", "", {}}};

// Names are what the test says; those that begin with "jax" are the second framework's.
class NamedFinder final : public NameFinder {
 public:
  explicit NamedFinder(std::vector<std::string> names) : names_(std::move(names)) {}
  const FileUsage& scan(std::string_view, bool) override { return usage_; }
  [[nodiscard]] std::string_view name(std::uint32_t number) const override { return names_.at(number); }
  [[nodiscard]] std::uint32_t framework_of(std::uint32_t number) const override {
    return names_.at(number).starts_with("jax") ? 1 : 0;
  }

 private:
  std::vector<std::string> names_;
  FileUsage usage_;
};

FileUsage usage_of(std::vector<NameCount> names, std::uint32_t frameworks = 1, std::uint32_t stars = 0) {
  return {.names = std::move(names), .frameworks = frameworks, .unresolved_stars = stars};
}

constexpr UsageTier kResolved = UsageTier::kResolved;
constexpr UsageTier kInferred = UsageTier::kInferred;

TEST(ShardCounter, AddsUpFilesAndRepositories) {
  const NamedFinder finder({"torch.add", "jax.jit"});
  ShardCounter counter("a.gz", kFrameworks);
  counter.add({"r1", "a.py", ""}, usage_of({{0, kResolved, 2, 1}, {0, kInferred, 1, 0}}, 1, 2), finder);
  counter.add({"r1", "b.py", ""}, usage_of({{0, kResolved, 1, 0}}), finder);
  counter.add({"r2", "c.py", ""}, usage_of({{0, kResolved, 1, 0}, {1, kResolved, 5, 0}}, 3), finder);
  counter.add({"r3", "d.py", ""}, usage_of({}, 0), finder);
  const UsageShard shard = counter.finish();
  EXPECT_EQ(shard.candidates, 4);
  EXPECT_EQ(shard.unresolved_stars, 2);
  ASSERT_EQ(shard.imports.size(), 2U);
  EXPECT_EQ(shard.imports[0].files, 3);
  EXPECT_EQ(shard.imports[1].files, 1);
  EXPECT_EQ(shard.repositories.size(), 2U);  // r3 uses nothing
  ASSERT_EQ(shard.counts.size(), 3U);
  const UsageCount& add = shard.counts[0];
  EXPECT_EQ(add.framework, "torch");
  EXPECT_EQ(add.name, "torch.add");
  EXPECT_EQ(add.calls, 4);
  EXPECT_EQ(add.references, 1);
  EXPECT_EQ(add.files, 3);
  EXPECT_THAT(add.repositories, ElementsAre(0, 1));
  EXPECT_EQ(shard.counts[1].tier, kInferred);
  EXPECT_EQ(shard.counts[2].framework, "jax");
  EXPECT_EQ(shard.counts[2].repositories.size(), 1U);
}

TEST(ShardCounter, RepairsAreNoLosses) {
  const NamedFinder finder({"torch.add"});
  ShardCounter counter("a.gz", kFrameworks);
  counter.lose({"a.gz", 1, "not JSON"});
  for (std::uint64_t line = 2; line < 500; ++line) {
    const SourceFile file = {.repository = "r", .path = "a.py", .text = "", .line = line};
    if (line % 2 == 0) counter.repair(file);
    counter.add(file, usage_of({{0, kResolved, 1, 0}}), finder);
  }
  counter.repair({.repository = "r", .path = "b.py", .text = ""});
  counter.lose({"a.gz", 500, "not JSON"});
  const UsageShard shard = counter.finish();
  EXPECT_EQ(shard.losses, 2);
  EXPECT_EQ(shard.repaired, 250);
  EXPECT_EQ(shard.counts.at(0).files, 498);
  ASSERT_EQ(shard.kept.size(), ShardCounter::kMostRepairsKept + 2);
  EXPECT_EQ(shard.kept[1].file, "a.gz");
  EXPECT_EQ(shard.kept[1].line, 2);
  EXPECT_TRUE(shard.kept[1].repaired);
  EXPECT_FALSE(shard.kept.back().repaired);
  EXPECT_EQ(shard.kept.back().line, 500);

  ShardCounter folder("folder", kFrameworks);
  folder.repair({.repository = "r", .path = "b.py", .text = ""});
  EXPECT_EQ(folder.finish().kept.at(0).file, "b.py");
}

TEST(ShardCounter, AFileWithoutARepositoryIsItsOwn) {
  const NamedFinder finder({"torch.add"});
  const auto count = [&finder](const std::string& shard) {
    ShardCounter counter(shard, kFrameworks);
    for (const std::uint64_t line : {1, 2}) {
      counter.add({.repository = "", .path = "a.py", .text = "", .line = line},
                  usage_of({{0, kResolved, 1, 0}}), finder);
    }
    return counter.finish();
  };
  const UsageShard one = count("1.gz");
  const UsageShard two = count("2.gz");
  std::set<std::uint64_t> all(one.repositories.begin(), one.repositories.end());
  all.insert(two.repositories.begin(), two.repositories.end());
  EXPECT_EQ(all.size(), 4U);
  EXPECT_EQ(one.repositories, count("1.gz").repositories);
}

TEST(ShardCounter, RepositoriesAreExactHoweverOftenTheyComeBack) {
  const NamedFinder finder({"torch.add", "torch.sub"});
  ShardCounter counter("a.gz", kFrameworks);
  std::mt19937 random(3);
  std::map<std::uint32_t, std::set<std::string>> expected;
  for (int i = 0; i < 20000; ++i) {
    const std::string repository = "r" + std::to_string(random() % 700);
    const auto name = static_cast<std::uint32_t>(random() % 16 == 0);
    counter.add({repository, "a.py", ""}, usage_of({{name, kResolved, 1, 0}}), finder);
    expected[name].insert(repository);
  }
  const UsageShard shard = counter.finish();
  EXPECT_TRUE(std::is_sorted(shard.repositories.begin(), shard.repositories.end()));
  for (const UsageCount& count : shard.counts) {
    EXPECT_EQ(count.repositories.size(), expected[count.name == "torch.sub"].size());
    EXPECT_TRUE(std::is_sorted(count.repositories.begin(), count.repositories.end()));
  }
}

TEST(ShardCounter, FindersThatNumberOtherwiseCountTheSame) {
  const NamedFinder own({"torch.add", "torch.sub"});
  const NamedFinder other({"torch.mul", "torch.sub", "torch.add"});
  ShardCounter counter("a.gz", kFrameworks);
  counter.add({"r", "a", ""}, usage_of({{0, kResolved, 1, 0}}), own);
  counter.add_by_name({"s", "b", ""}, usage_of({{2, kResolved, 2, 0}, {0, kResolved, 5, 0}}), other);
  counter.add({"r", "c", ""}, usage_of({{0, kResolved, 1, 0}, {1, kResolved, 3, 0}}), own);
  counter.add_by_name({"r", "d", ""}, usage_of({{1, kResolved, 4, 1}}), other);
  const UsageShard shard = counter.finish();
  ASSERT_EQ(shard.counts.size(), 3U);
  EXPECT_EQ(shard.counts[0].name, "torch.add");
  EXPECT_EQ(shard.counts[0].calls, 4);
  EXPECT_EQ(shard.counts[0].files, 3);
  EXPECT_EQ(shard.counts[0].repositories.size(), 2U);
  EXPECT_EQ(shard.counts[1].name, "torch.mul");
  EXPECT_EQ(shard.counts[1].calls, 5);
  EXPECT_EQ(shard.counts[2].name, "torch.sub");
  EXPECT_EQ(shard.counts[2].calls, 7);
  EXPECT_EQ(shard.counts[2].references, 1);
  EXPECT_EQ(shard.candidates, 4);
}

TEST(ShardCounter, AFinderThatNumbersAnewChangesNothing) {
  ShardCounter counter("a.gz", kFrameworks);
  counter.add({"r", "a", ""}, usage_of({{0, kResolved, 1, 0}}), NamedFinder({"torch.add", "torch.sub"}));
  counter.forget_numbers();
  counter.add({"r", "b", ""}, usage_of({{0, kResolved, 1, 0}, {1, kResolved, 1, 0}}),
              NamedFinder({"torch.sub", "torch.add"}));
  const UsageShard shard = counter.finish();
  ASSERT_EQ(shard.counts.size(), 2U);
  EXPECT_EQ(shard.counts[0].name, "torch.add");
  EXPECT_EQ(shard.counts[0].calls, 2);
  EXPECT_EQ(shard.counts[1].calls, 1);
}

TEST(ShardCounter, NamesBeyondTheMostAreALoss) {
  const NamedFinder finder({"torch.a", "torch.b", "torch.c"});
  ShardCounter counter("a.gz", kFrameworks, {.names = 2});
  counter.add({"r", "a", ""}, usage_of({{0, kResolved, 1, 0}, {1, kResolved, 1, 0}, {2, kResolved, 3, 1}}),
              finder);
  counter.add({"r", "a", ""}, usage_of({{0, kResolved, 1, 0}, {2, kResolved, 1, 0}}), finder);
  const UsageShard shard = counter.finish();
  ASSERT_EQ(shard.counts.size(), 2U);
  EXPECT_EQ(shard.counts[0].calls, 2);
  EXPECT_EQ(shard.losses, 1);
  ASSERT_EQ(shard.kept.size(), 1U);
  EXPECT_THAT(shard.kept[0].what, HasSubstr("5 uses"));
}

// Millions of files, each its own repository, would else take a gigabyte.
TEST(ShardCounter, RepositoriesBeyondTheMostAreALossAndUsesAreStillCounted) {
  const NamedFinder finder({"torch.a", "torch.b"});
  ShardCounter counter("a.gz", kFrameworks, {.repositories = 2});
  for (const char* path : {"a", "b", "c", "a", "d"})
    counter.add({"", path, ""}, usage_of({{0, kResolved, 1, 0}, {1, kResolved, 1, 0}}), finder);
  const UsageShard shard = counter.finish();
  EXPECT_EQ(shard.counts[0].calls, 5);
  EXPECT_EQ(shard.counts[0].files, 5);
  EXPECT_EQ(shard.repositories.size(), 2U);
  EXPECT_THAT(shard.counts[0].repositories, ElementsAre(0, 1));
  EXPECT_EQ(shard.losses, 1);
  EXPECT_THAT(shard.kept[0].what, HasSubstr("names whose repository was not counted: 4. A shard counts 2 "));
}

TEST(ShardCounter, WhatAllNamesWereMetInIsBounded) {
  const NamedFinder finder({"torch.a", "torch.b"});
  ShardCounter counter("a.gz", kFrameworks, {.meetings = 40});
  // Of few repositories it is never reached, however often they come.
  for (int i = 0; i < 1000; ++i)
    counter.add({i % 2 == 0 ? "r" : "s", "a", ""}, usage_of({{0, kResolved, 1, 0}}), finder);
  EXPECT_THAT(counter.finish().kept, SizeIs(0));
  ShardCounter many("a.gz", kFrameworks, {.meetings = 40});
  for (int i = 0; i < 100; ++i)
    many.add({std::to_string(i), "a", ""}, usage_of({{0, kResolved, 1, 0}, {1, kResolved, 1, 0}}), finder);
  const UsageShard shard = many.finish();
  EXPECT_EQ(shard.counts[0].repositories.size() + shard.counts[1].repositories.size(), 40U);
  EXPECT_THAT(shard.kept[0].what, HasSubstr("not counted: 160."));
}

TEST(ShardCounter, LossesAreCountedAndTheFirstKept) {
  ShardCounter counter("a.gz", kFrameworks);
  for (std::uint64_t i = 1; i <= 2500; ++i) counter.lose({"a.gz", i, "not JSON"});
  const UsageShard shard = counter.finish();
  EXPECT_EQ(shard.losses, 2500);
  ASSERT_EQ(shard.kept.size(), ShardCounter::kMostKept);
  EXPECT_EQ(shard.kept.back().line, 1000);
}

}  // namespace
}  // namespace seamark::usage
