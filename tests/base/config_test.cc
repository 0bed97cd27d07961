#include "seamark/base/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace seamark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

Value toml(std::string_view text) {
  Result<Value> value = parse_toml(text, "t.toml");
  if (!value) throw std::runtime_error(value.error().message());
  return *value;
}

TEST(TableReader, ReadsEveryKind) {
  const Value document = toml(R"(name = "x"
jobs = 4
ratio = 2
on = true
list = ["a", "b"]
mode = "fork"
[env]
A = "1"
B = "2"
[sub]
k = "v"
[[item]]
i = 1
)");
  Problems problems("t.toml");
  TableReader top(document, problems);
  EXPECT_EQ(top.need_string("name"), "x");
  EXPECT_EQ(top.integer("jobs", 1, {.min = 1, .max = 8}), 4);
  EXPECT_EQ(top.number("ratio", 0), 2.0);
  EXPECT_TRUE(top.boolean("on", false));
  EXPECT_THAT(top.strings("list"), ElementsAre("a", "b"));
  EXPECT_EQ(top.choice("mode", "process", {"fork", "process"}), "fork");
  EXPECT_THAT(top.string_map("env"), ElementsAre(Pair("A", "1"), Pair("B", "2")));
  EXPECT_EQ(top.table("sub")->string("k"), "v");
  EXPECT_EQ(top.tables("item").at(0).integer("i", 0), 1);
  EXPECT_EQ(top.maybe_string("absent"), std::nullopt);
  EXPECT_EQ(top.string("absent", "d"), "d");
  top.finish();
  EXPECT_THAT(problems.lines(), IsEmpty());
  EXPECT_TRUE(problems.status().ok());
}

TEST(TableReader, CollectsEveryProblemWithItsLine) {
  const Value document = toml(R"(name = 3
jobs = "many"
timeout = -1
on = 1
list = ["a", 2]
mode = "spoon"
)");
  Problems problems("seamark.toml");
  TableReader top(document, problems);
  EXPECT_EQ(top.need_string("name"), "");
  EXPECT_EQ(top.integer("jobs", 7), 7);
  EXPECT_EQ(top.integer("timeout", 5, {.min = 0}), 5);
  EXPECT_FALSE(top.boolean("on", false));
  EXPECT_THAT(top.strings("list"), ElementsAre("a"));
  EXPECT_EQ(top.choice("mode", "fork", {"fork", "process"}), "fork");
  static_cast<void>(top.need_string("path"));
  top.finish();
  EXPECT_THAT(problems.lines(),
              ElementsAre("seamark.toml:1: expected a string for 'name', got an integer",
                          "seamark.toml:2: expected an integer for 'jobs', got a string",
                          "seamark.toml:3: expected at least 0 for 'timeout', got -1",
                          "seamark.toml:4: expected a boolean for 'on', got an integer",
                          "seamark.toml:5: expected a string for 'list[1]', got an integer",
                          "seamark.toml:6: 'mode': expected one of fork, process, got 'spoon'",
                          "seamark.toml:1: expected a string for 'path', which is missing"));
  const Status status = problems.status();
  ASSERT_FALSE(status.ok());
  EXPECT_TRUE(status.error().is(ConfigError::kBadField));
  EXPECT_THAT(status.error().message(), HasSubstr("\nseamark.toml:6: "));
}

TEST(TableReader, UnknownKeysGetTheNearestKnownOne) {
  const Value document = toml("timeuot = 3\n[sub]\nother = 1\n");
  Problems problems("t.toml");
  TableReader top(document, problems);
  EXPECT_EQ(top.integer("timeout", 9), 9);
  std::optional<TableReader> sub = top.table("sub");
  ASSERT_TRUE(sub.has_value());
  EXPECT_EQ(sub->string("key"), "");
  top.finish();
  sub->finish();
  EXPECT_THAT(problems.lines(), ElementsAre("t.toml:1: unknown key 'timeuot'; did you mean 'timeout'?",
                                            "t.toml:3: unknown key 'sub.other'; known are key"));
}

TEST(TableReader, WrongShapesOfTables) {
  const Value document = toml("sub = 1\nitems = [1]\nmap = { a = 1 }\n");
  Problems problems("t.toml");
  TableReader top(document, problems);
  EXPECT_FALSE(top.table("sub").has_value());
  EXPECT_THAT(top.tables("items"), IsEmpty());
  EXPECT_THAT(top.string_map("map"), IsEmpty());
  top.finish();
  EXPECT_EQ(problems.lines().size(), 3u);
  EXPECT_THAT(problems.lines()[1], HasSubstr("t.toml:2: expected a table for 'items[0]', got an integer"));
}

TEST(TableReader, ADocumentThatIsNoTableIsAProblem) {
  const Value document = *parse_json("[1]");
  Problems problems("x.json");
  TableReader top(document, problems);
  EXPECT_EQ(top.string("a", "d"), "d");
  top.finish();
  EXPECT_THAT(problems.lines(), ElementsAre("x.json: expected a table, got array"));
}

TEST(Problems, LongListsAreCut) {
  Problems problems("f");
  for (int i = 1; i <= 25; ++i) problems.add(i, "bad");
  EXPECT_THAT(problems.status().error().message(), HasSubstr("f: 5 more problems"));
}

}  // namespace
}  // namespace seamark
