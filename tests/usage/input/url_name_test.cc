#include "seamark/usage/input/url_name.h"

#include <gtest/gtest.h>

namespace seamark::usage {
namespace {

TEST(UrlName, ASchemeAndSlashes) {
  for (const char* url : {"s3://b/k", "https://h/x?y=z", "file:///x", "abfss://c@a/x",
                          "zip://*.jsonl::s3://b/k", "simplecache::gs://b/k", "HTTP://h/"}) {
    EXPECT_TRUE(is_url(url)) << url;
  }
  for (const char* path : {"", "-", "a.jsonl", "c://x", "c:/x", "://x", "/a/s3://b", "1s3://b", "a b://c",
                           "s3:/b", "std::string", "a::b::"}) {
    EXPECT_FALSE(is_url(path)) << path;
  }
}

TEST(UrlName, UsersAndTokensAreNotShown) {
  EXPECT_EQ(without_secrets("https://u:p@h:1/a.jsonl?sig=s"), "https://h:1/a.jsonl");
  EXPECT_EQ(without_secrets("https://token@h"), "https://h");
  EXPECT_EQ(without_secrets("https://u:p@q@h/x"), "https://h/x");
  EXPECT_EQ(without_secrets("https://h/x?bare"), "https://h/x");
  EXPECT_EQ(without_secrets("s3://k:s@b/x?versionId=1"), "s3://b/x");
  EXPECT_EQ(without_secrets("zip://a.jsonl::https://u:p@h/a.zip?t=1"), "zip://a.jsonl::https://h/a.zip");
  EXPECT_EQ(without_secrets("403, url='https://u:p@h/x?t=1', and http://v@i/?t"),
            "403, url='https://h/x', and http://i/");
}

TEST(UrlName, TheRestStays) {
  for (const char* text : {"hf://datasets/a/b@main/x.jsonl", "s3://b/part-?.parquet", "https://h/a@b/*.gz",
                           "no url at all?", "", "://", "a://"}) {
    EXPECT_EQ(without_secrets(text), text);
  }
}

}  // namespace
}  // namespace seamark::usage
