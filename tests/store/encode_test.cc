// Lists of names in columns, which most of the time need no parser.
#include "seamark/store/encode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace seamark::store {
namespace {

using testing::ElementsAreArray;

TEST(Encode, ListsComeBack) {
  const std::vector<std::vector<std::string>> lists = {
      {},           {""},        {"torch.nn.Linear"}, {"a", "", "b c"}, {"\"", "a"},
      {"a\\", "b"}, {"é", "\n"}, {"[", "]"},          {",", "\",\""},   {"\x7f"},
  };
  for (const std::vector<std::string>& list : lists) {
    const Result<std::vector<std::string>> read = decode_list(encode_list(list));
    ASSERT_TRUE(read.ok()) << encode_list(list);
    EXPECT_THAT(*read, ElementsAreArray(list)) << encode_list(list);
  }
}

TEST(Encode, ListsAsOthersWriteThem) {
  for (const char* json : {R"(["a","b"])", R"(["a", "b"])", R"( [ "a" ,"b" ] )", R"(["\u0061","b"])"}) {
    const Result<std::vector<std::string>> read = decode_list(json);
    ASSERT_TRUE(read.ok()) << json;
    EXPECT_THAT(*read, ElementsAreArray({"a", "b"})) << json;
  }
  EXPECT_TRUE(decode_list("[]").ok());
}

TEST(Encode, WhatIsNoListOfTextsIsRefused) {
  for (const char* json : {"[", "]", "[\"", "[\"]", R"(["a",])", R"(["a""b"])", R"(["a" "b"])", R"([,"a"])",
                           R"([1])", R"(["a",1])", R"({"a":"b"})", R"("a")", R"([["a"]])", R"(["a"]])"}) {
    EXPECT_FALSE(decode_list(json).ok()) << json;
  }
}

}  // namespace
}  // namespace seamark::store
