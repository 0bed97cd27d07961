#include "seamark/base/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace seamark {
namespace {

using testing::HasSubstr;
using Rows = std::vector<std::vector<std::string>>;

Rows rows(std::string_view text) { return parse_csv(text, "a.csv").value(); }

TEST(Csv, Rows) {
  EXPECT_EQ(rows(""), Rows{});
  EXPECT_EQ(rows("a,b\nc,d\n"), (Rows{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(rows("a,b\r\nc,d"), (Rows{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(rows("a,\n,b\n,"), (Rows{{"a", ""}, {"", "b"}, {"", ""}}));
  EXPECT_EQ(rows("a\n\n\nb\n"), (Rows{{"a"}, {"b"}}));
}

TEST(Csv, Quotes) {
  EXPECT_EQ(rows("\"a,b\",\"c\"\"d\"\n\"e\nf\",g\n"), (Rows{{"a,b", "c\"d"}, {"e\nf", "g"}}));
  EXPECT_EQ(rows("\"\",\"\"\r\n"), (Rows{{"", ""}}));
}

TEST(Csv, Errors) {
  const auto open = parse_csv("a\nb,\"c\nd", "a.csv");
  ASSERT_FALSE(open.ok());
  EXPECT_THAT(open.error().message(), HasSubstr("a.csv:2: a quote is not closed"));
  const auto after = parse_csv("\"a\"b\n", "a.csv");
  ASSERT_FALSE(after.ok());
  EXPECT_THAT(after.error().message(), HasSubstr("a.csv:1: text after a closing quote"));
}

}  // namespace
}  // namespace seamark
