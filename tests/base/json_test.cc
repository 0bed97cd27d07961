#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <string>

#include "seamark/base/text.h"
#include "seamark/base/value.h"

namespace seamark {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Value parsed(std::string_view text) {
  Result<Value> value = parse_json(text);
  EXPECT_TRUE(value.ok()) << (value ? "" : value.error().message());
  return value ? *value : Value();
}

Error refused(std::string_view text, const DocumentLimits& limits = {}) {
  Result<Value> value = parse_json(text, limits);
  EXPECT_FALSE(value.ok()) << text;
  return value ? Error(DocumentError::kSyntax, "it was accepted") : value.error();
}

TEST(Json, ReadsEveryType) {
  const Value v = parsed(R"({"n":null,"b":true,"i":-7,"d":1.5,"s":"aé\n","a":[1,[2],{}],"o":{"x":{}}})");
  EXPECT_TRUE(v.find("n")->is_null());
  EXPECT_TRUE(v.find("b")->as_bool());
  EXPECT_EQ(v.find("i")->as_int(), -7);
  EXPECT_EQ(v.find("d")->as_number(), 1.5);
  EXPECT_EQ(v.find("s")->as_string(), "a\xc3\xa9\n");
  ASSERT_EQ(v.find("a")->as_array().size(), 3u);
  EXPECT_EQ(v.find("a")->as_array()[1].as_array()[0].as_int(), 2);
  EXPECT_TRUE(v.find("o")->find("x")->as_object().empty());
  EXPECT_EQ(v.find("missing"), nullptr);
}

TEST(Json, KeepsTheOrderOfKeys) {
  const Value v = parsed(R"({"z":1,"a":2,"m":3})");
  EXPECT_EQ(v.as_object()[0].first, "z");
  EXPECT_EQ(v.as_object()[2].first, "m");
  EXPECT_EQ(dump_json(v), R"({"z":1,"a":2,"m":3})");
}

TEST(Json, IntegersKeepTheirValueAtTheEdges) {
  EXPECT_EQ(parsed("9223372036854775807").as_int(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parsed("-9223372036854775808").as_int(), std::numeric_limits<std::int64_t>::min());
  EXPECT_TRUE(parsed("9223372036854775808").is_double());
  EXPECT_DOUBLE_EQ(parsed("9223372036854775808").as_number(), 9223372036854775808.0);
  EXPECT_TRUE(parsed("18446744073709551616").is_double());
}

TEST(Json, RefusesWhatIsNotStrict) {
  for (const char* text :
       {"",    " ",         "NaN", "Infinity", "-Infinity", "[1,]",        "{\"a\":1,}",    "{'a':1}",
        "01",  "1.",        ".5",  "+1",       "[1] x",     "// c\n1",     "\"\t\"",        "\"\\x41\"",
        "tru", "{\"a\" 1}", "[",   "\"abc",    "1e999",     "\"\\ud800\"", "\xef\xbb\xbf{}"}) {
    EXPECT_TRUE(refused(text).is(DocumentError::kSyntax)) << text;
  }
  EXPECT_TRUE(refused(std::string_view("1\0 garbage", 10)).is(DocumentError::kSyntax));
  EXPECT_TRUE(refused(std::string_view()).is(DocumentError::kSyntax));
}

TEST(Json, SaysWhereTheErrorIs) {
  const Error error = refused("{\n  \"a\": 1,\n  \"b\": trux\n}");
  EXPECT_THAT(error.message(), HasSubstr("line 3"));
  EXPECT_THAT(error.message(), Not(HasSubstr("exception")));
}

TEST(Json, ErrorsStayShortAndPrintable) {
  std::string text = "[\"" + std::string(100'000, 'x') + "\x1b[31m";
  const Error error = refused(text);
  EXPECT_LT(error.message().size(), 500u);
  EXPECT_EQ(error.message().find('\x1b'), std::string::npos);
}

TEST(Json, InvalidUtf8HasItsOwnError) {
  EXPECT_TRUE(refused("\"\xff\"").is(DocumentError::kNotUtf8));
  EXPECT_TRUE(refused("\"\xed\xa0\x80\"").is(DocumentError::kNotUtf8));
  EXPECT_TRUE(refused("\"\xc0\xaf\"").is(DocumentError::kNotUtf8));
}

TEST(Json, RefusesDuplicateKeysInSmallAndLargeObjects) {
  const Error small = refused(R"({"a":1,"b":2,"a":3})");
  EXPECT_TRUE(small.is(DocumentError::kDuplicateKey));
  EXPECT_THAT(small.message(), HasSubstr("\"a\""));
  // The same key in different objects is fine.
  EXPECT_TRUE(parse_json(R"({"a":{"a":1},"b":[{"a":1},{"a":2}]})").ok());

  std::string large = "{";
  for (int i = 0; i < 1000; ++i) large += "\"k" + std::to_string(i) + "\":0,";
  EXPECT_TRUE(parse_json(large + "\"other\":0}").ok());
  EXPECT_TRUE(refused(large + "\"k3\":0}").is(DocumentError::kDuplicateKey));
}

// CPU time of reading an object with so many members, at least a millisecond.
std::clock_t time_to_parse(int members) {
  std::string text = "{";
  for (int i = 0; i < members; ++i) text += "\"key" + std::to_string(i) + "\":1,";
  text += "\"last\":1}";
  const std::clock_t start = std::clock();
  EXPECT_TRUE(parse_json(text).ok());
  return std::max<std::clock_t>(std::clock() - start, CLOCKS_PER_SEC / 1000);
}

TEST(Json, DuplicateCheckOfAHugeObjectIsNotQuadratic) {
  // Eight times the members: eight times the work and a little, where pairs of them would be 64 times.
  EXPECT_LT(time_to_parse(100'000), 24 * time_to_parse(12'500));
}

TEST(Json, LimitsDepthAndSize) {
  const std::string deep = std::string(64, '[') + std::string(64, ']');
  EXPECT_TRUE(parse_json(deep).ok());
  EXPECT_TRUE(refused("[" + deep + "]").is(DocumentError::kTooDeep));
  EXPECT_TRUE(refused(std::string(1'000'000, '[')).is(DocumentError::kTooDeep));
  EXPECT_TRUE(refused("[[1]]", {.max_depth = 1}).is(DocumentError::kTooDeep));
  EXPECT_TRUE(refused("[1,2,3]", {.max_bytes = 6}).is(DocumentError::kTooLarge));
  EXPECT_TRUE(parse_json("[1,2,3]", {.max_bytes = 7}).ok());
}

TEST(Json, WritesWhatItReads) {
  const std::string text =
      R"({"n":null,"b":[true,false],"i":-9223372036854775808,"d":0.1,"w":1.0,"e":1e+300,"s":"\"\\\n\t\r\u0001/é€","o":{}})";
  const Value v = parsed(text);
  EXPECT_EQ(dump_json(v), text);
  EXPECT_EQ(parsed(dump_json(v)), v);
  EXPECT_EQ(parsed(dump_json_pretty(v)), v);
}

TEST(Json, WholeDoublesStayDoubles) {
  EXPECT_EQ(dump_json(Value(3.0)), "3.0");
  EXPECT_EQ(dump_json(Value(-0.0)), "-0.0");
  EXPECT_TRUE(parsed(dump_json(Value(1e15))).is_double());
  EXPECT_EQ(parsed(dump_json(Value(0.1 + 0.2))).as_number(), 0.1 + 0.2);
}

TEST(Json, RefusesToWriteNonFiniteNumbers) {
  EXPECT_THROW(static_cast<void>(dump_json(Value(std::nan("")))), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(dump_json(Value(std::numeric_limits<double>::infinity()))),
               std::invalid_argument);
}

TEST(Json, WritesInvalidUtf8AsReplacement) {
  const std::string text = dump_json(Value(std::string("a\xff") + "b"));
  EXPECT_EQ(text,
            "\"a\xef\xbf\xbd"
            "b\"");
  EXPECT_TRUE(parse_json(text).ok());
}

TEST(Json, PrettyIndentsByTwo) {
  EXPECT_EQ(dump_json_pretty(parsed(R"({"a":[1,2],"b":{},"c":[]})")),
            "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {},\n  \"c\": []\n}\n");
}

TEST(Value, AccessorsFallBackOnAbsentAndMistyped) {
  const Value v = parsed(R"({"i":1,"s":"x","b":true,"d":2.5,"n":null})");
  EXPECT_EQ(v.number_or("i", 9), 1.0);
  EXPECT_EQ(v.number_or("d", 9), 2.5);
  EXPECT_EQ(v.number_or("s", 9), 9.0);
  EXPECT_EQ(v.string_or("n", "f"), "f");
  EXPECT_EQ(v.bool_or("b", false), true);
  EXPECT_EQ(Value(3).string_or("x", "f"), "f");
}

TEST(Value, SetAndPush) {
  Value v;
  v.set("a", 1).set("b", "x").set("a", 2);
  EXPECT_EQ(dump_json(v), R"({"a":2,"b":"x"})");
  Value list;
  list.push(1).push(nullptr);
  EXPECT_EQ(dump_json(list), "[1,null]");
  EXPECT_THROW(list.set("a", 1), std::logic_error);
  EXPECT_THROW(v.push(1), std::logic_error);
}

TEST(Value, EqualityDistinguishesTypesAndOrder) {
  EXPECT_NE(Value(1), Value(1.0));
  EXPECT_NE(parsed(R"({"a":1,"b":2})"), parsed(R"({"b":2,"a":1})"));
  EXPECT_EQ(parsed(R"([1,{"a":"b"}])"), parsed(R"([1,{"a":"b"}])"));
}

}  // namespace
}  // namespace seamark
