#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "seamark/base/value.h"

namespace seamark {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kDocument = R"(# comment
zeta = 1
name = "torch/cpu"   # trailing

[options]
eager = true
when = 2026-11-21
ratio = 0.5
list = ["a", "b"]

[[item]]
id = 1

[[item]]
id = 2
nested = { deep = "x" }

[a.b]
c = 3
)";

TEST(Toml, ReadsTypesAndKeepsOrder) {
  const Result<Value> v = parse_toml(kDocument, "t.toml");
  ASSERT_TRUE(v.ok()) << v.error().message();
  ASSERT_EQ(v->as_object().size(), 5u);
  EXPECT_EQ(v->as_object()[0].first, "zeta");
  EXPECT_EQ(v->as_object()[1].first, "name");
  EXPECT_EQ(v->as_object()[2].first, "options");
  EXPECT_EQ(v->as_object()[3].first, "item");
  EXPECT_EQ(v->as_object()[4].first, "a");
  EXPECT_EQ(v->find("options")->string_or("when", ""), "2026-11-21");
  EXPECT_EQ(v->find("options")->number_or("ratio", 0), 0.5);
  EXPECT_EQ(v->find("item")->as_array()[1].find("nested")->string_or("deep", ""), "x");
  EXPECT_EQ(v->find("a")->find("b")->number_or("c", 0), 3);
}

TEST(Toml, EveryValueKnowsItsLine) {
  const Result<Value> v = parse_toml(kDocument, "t.toml");
  ASSERT_TRUE(v.ok());
  EXPECT_EQ(v->find("zeta")->line(), 2);
  EXPECT_EQ(v->find("name")->line(), 3);
  EXPECT_EQ(v->find("options")->line(), 5);
  EXPECT_EQ(v->find("options")->find("list")->line(), 9);
  EXPECT_EQ(v->find("options")->find("list")->as_array()[1].line(), 9);
  EXPECT_EQ(v->find("item")->as_array()[1].find("id")->line(), 15);
  EXPECT_EQ(v->find("a")->find("b")->find("c")->line(), 19);
}

TEST(Toml, ErrorsNameFileAndLine) {
  const Result<Value> v = parse_toml("a = 1\nb = = 2\n", "conf/seamark.toml");
  ASSERT_FALSE(v.ok());
  EXPECT_TRUE(v.error().is(DocumentError::kSyntax));
  EXPECT_THAT(v.error().message(), StartsWith("conf/seamark.toml:2: "));
}

TEST(Toml, RefusesDuplicatesNonFiniteAndInvalidText) {
  EXPECT_THAT(parse_toml("a = 1\na = 2\n", "f").error().message(), StartsWith("f:2: "));
  EXPECT_THAT(parse_toml("ok = 1\na = nan\n", "f").error().message(),
              HasSubstr("f:2: expected a finite number"));
  EXPECT_THAT(parse_toml("x = [1,\n inf]\n", "f").error().message(), HasSubstr("f:"));
  EXPECT_TRUE(parse_toml("a = \"\xff\"", "f").error().is(DocumentError::kNotUtf8));
}

TEST(Toml, DeepNestingIsAnErrorNotACrash) {
  const std::string deep = "a = " + std::string(100'000, '[');
  EXPECT_FALSE(parse_toml(deep, "f").ok());
}

std::string dotted(std::size_t parts) {
  std::string key = "a";
  for (std::size_t i = 1; i < parts; ++i) key += ".a";
  return key;
}

std::string times(std::size_t count, std::string_view text) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

TEST(Toml, ALongDottedKeyIsAnErrorNotACrash) {
  const std::string key = dotted(15'000);
  for (const std::string& text :
       {key + " = 1", "[" + key + "]", "[[" + key + "]]", "a = { " + key + " = 1 }",
        "x = " + times(200, "{ " + dotted(100) + " = "), times(7'500, R"('a' .	"a\"".)") + "a = 1",
        "b = \"\"\"\\\"\"\"\"\"\n" + key + " = 1"}) {
    const Result<Value> v = parse_toml(text, "f");
    ASSERT_FALSE(v.ok());
    EXPECT_THAT(v.error().message(), HasSubstr("nested deeper than 128 levels"));
  }
  EXPECT_THAT(parse_toml("b = '''\n\n''' # [\n" + key + " = 1", "f").error().message(), StartsWith("f:4: "));
}

TEST(Toml, DepthIsOfKeysAndBracketsAlone) {
  const std::string noise = times(1000, ".[{");
  const std::string key = dotted(100);
  for (const std::string& text :
       {fmt::format("a = '{}'", noise), fmt::format("a = \"{0}\\\"{0}\"", noise), fmt::format("# {}", noise),
        fmt::format("a = '''\n{0}'{0}'''''\nb = 1", noise), fmt::format("a = \"\"\"\\\"\"\"{}\"\"\"", noise),
        fmt::format("a = [{}]", times(1000, "1.5, ")),
        fmt::format("a = [\n{}]", times(1000, "[{ b.c = 1.5 }],\n")), fmt::format("{} = 1", key),
        fmt::format("[{0}]\n{0} = 1", key), times(1000, "[[a.b]]\nc.d = 1.5\n")}) {
    const Result<Value> v = parse_toml(text, "f");
    EXPECT_TRUE(v.ok()) << v.error().message() << text.substr(0, 80);
  }
}

TEST(Toml, EmptyDocumentIsAnEmptyTable) {
  const Result<Value> v = parse_toml("", "f");
  ASSERT_TRUE(v.ok());
  EXPECT_TRUE(v->is_object());
  EXPECT_TRUE(v->as_object().empty());
}

}  // namespace
}  // namespace seamark
