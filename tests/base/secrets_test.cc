#include "seamark/base/secrets.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "seamark/base/home.h"

namespace seamark {
namespace {

using testing::HasSubstr;
using testing::Not;

SecretShapes shipped() { return *SecretShapes::load(*find_home() / "data" / "secrets.toml"); }

std::string masked(const SecretShapes& shapes, std::string text) {
  shapes.mask(text);
  std::string again = text;
  shapes.mask(again);
  EXPECT_EQ(again, text);
  return text;
}

// Put together here, so that nobody takes them for real ones.
const std::string kLong = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ";
std::string token(const std::string& start) { return start + kLong; }

TEST(Secrets, KnownShapesAreMasked) {
  const SecretShapes shapes = shipped();
  const std::string hex = "0123456789abcdef0123456789abcdef01234567";
  const std::vector<std::pair<std::string, std::string>> secrets = {
      {"AKIA", "ABCDEFGHIJKLMNOP"},
      {"AWS_SECRET_ACCESS_KEY=", kLong},
      {"'AWS_SECRET_ACCESS_KEY': '", kLong},
      {"aws_secret_access_key = ", "abc/" + kLong},
      {"ghp_", kLong},
      {"github_pat_", "11ABC_" + kLong},
      {"glpat-", "ab-" + kLong},
      {"hf_", kLong},
      {"sk-", "proj-" + kLong},
      {"xoxb-", "12-34-" + kLong},
      {"AIza", kLong},
      {"npm_", kLong},
      {"WANDB_API_KEY=", hex},
      {"Authorization: Bearer ", kLong},
      {"{'Authorization': 'Bearer ", kLong},
      {"authorization: Basic ", "dXNlcjpwYXNz"},
      {"postgres://user:", "pass"},
      {"https://__token__:", "p.w-1"}};
  for (const auto& [start, secret] : secrets) {
    const std::string end = start.find("://") == std::string::npos ? "'\nnext line" : "@host/path";
    const std::string once = fmt::format("before {}{}{}", start, secret, end);
    EXPECT_EQ(masked(shapes, once), fmt::format("before {}[masked]{}", start, end));
    const std::string twice = fmt::format("{0}{1}{2} MY_{0}{1}{2}", start, secret, end);
    EXPECT_EQ(masked(shapes, twice), fmt::format("{0}[masked]{1} MY_{0}[masked]{1}", start, end));
  }
  const std::string key =
      "-----BEGIN OPENSSH "
      "PRIVATE KEY-----";
  EXPECT_EQ(masked(shapes, "a\n" + key + "\nab\ncd\n-----END OPENSSH PRIVATE KEY-----\nb"),
            "a\n" + key + "[masked]-----END OPENSSH PRIVATE KEY-----\nb");
  EXPECT_EQ(masked(shapes, key + "\nab\ncd"), key + "[masked]");  // cut off
}

TEST(Secrets, OtherTextsStayAsTheyAre) {
  const SecretShapes shapes = shipped();
  for (const std::string& text :
       {std::string(), std::string("task-") + kLong, std::string("half_") + kLong, std::string("sk-learn"),
        std::string("hf_config_of_a_model_with_a_long_name_of_words"), std::string("Bearer responsibilities"),
        std::string("http://localhost:8080/a?b=c@d"), std::string("https://host/a@b"),
        std::string("see https://a.b and c:d@e"), std::string("AKIA of Norway"),
        std::string("\xff\xfe\x00 ok", 6), std::string("-----BEGIN CERTIFICATE-----\nabc"),
        std::string("Authorization: none")}) {
    std::string copy = text;
    EXPECT_FALSE(shapes.mask(copy)) << text;
    EXPECT_EQ(copy, text);
  }
}

TEST(Secrets, EveryStringOfADocument) {
  const SecretShapes shapes = shipped();
  Value document(
      Value::Object{{"a", Value::Array{token("ghp_"), 1, Value::Object{{"b", token("hf_")}}}}, {"c", "d"}});
  EXPECT_TRUE(shapes.mask(document));
  EXPECT_EQ(dump_json(document), R"({"a":["ghp_[masked]",1,{"b":"hf_[masked]"}],"c":"d"})");
  EXPECT_THAT(dump_json(document), Not(HasSubstr(kLong)));
}

TEST(Secrets, WhatIsNoShapeIsSaid) {
  for (const auto& [toml, what] : std::vector<std::pair<std::string, std::string>>{
           {"[[shape]]\nname = 'a'\nstarts = ['x']", "either 'bytes' or 'until'"},
           {"[[shape]]\nname = 'a'\nstarts = ['x']\nbytes = 'a'\nuntil = 'b'", "either 'bytes' or 'until'"},
           {"[[shape]]\nname = 'a'\nbytes = 'a'", "how it starts"},
           {"[[shape]]\nname = 'a'\nstarts = ['']\nbytes = 'a'", "everywhere"},
           {"[[shape]]\nname = 'a'\nstarts = ['x']\nbytes = 'a'\nof = 'b'", "of"},
           {"[[shape", "secrets"}}) {
    const auto shapes = SecretShapes::parse(toml, "secrets.toml");
    ASSERT_FALSE(shapes.ok()) << toml;
    EXPECT_THAT(shapes.error().message(), HasSubstr(what));
  }
}

}  // namespace
}  // namespace seamark
