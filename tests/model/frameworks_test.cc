#include "seamark/model/frameworks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "../known_frameworks.h"
#include "seamark/base/text.h"

namespace seamark {
namespace {

using ::testing::HasSubstr;

constexpr const char* kGood = R"(
[[framework]]
name = "toy"
module = "toybox"
root = "tb"
label = "Toybox"
color = "#123abc"
same = { "tb.old" = "tb" }
)";

std::string problem(const std::string& from, const std::string& to) {
  const Result<Frameworks> known = Frameworks::parse(replace_all(kGood, from, to), "f.toml");
  return known ? std::string() : known.error().message();
}

TEST(FrameworksTest, NamesRootsAndLabels) {
  const Frameworks known = Frameworks::parse(kGood, "f.toml").value();
  ASSERT_EQ(known.all().size(), 1U);
  EXPECT_EQ(known.all().front().baseline, "toy/cpu");
  EXPECT_EQ(known.label("toy"), "Toybox");
  EXPECT_EQ(known.label("other"), "other");
  EXPECT_EQ(known.of("tb.add"), "toy");
  EXPECT_EQ(known.of("toy.add"), "toy");
  EXPECT_EQ(known.of("toybox.add"), "");
  EXPECT_TRUE(known.has("toy"));
  EXPECT_FALSE(known.has("tb"));
  EXPECT_LT(known.place("toy"), known.place("other"));
}

TEST(FrameworksTest, WhatShips) {
  const Frameworks known = known_frameworks();
  EXPECT_EQ(known.listed(), "torch, tensorflow or jax");
  EXPECT_EQ(known.of("tf.add"), "tensorflow");
  EXPECT_EQ(known.label("tensorflow"), "TensorFlow");
  EXPECT_LT(known.place("torch"), known.place("jax"));
}

TEST(FrameworksTest, BadEntriesAreTold) {
  EXPECT_EQ(problem("x", "x"), "");
  EXPECT_THAT(problem("\"toybox\"", "\"toy.box\""), HasSubstr("without dots"));
  EXPECT_THAT(problem("#123abc", "blue"), HasSubstr("expected a color"));
  EXPECT_THAT(problem("\"toy\"", "\"Toy\""), HasSubstr("a name is made of"));
  EXPECT_THAT(problem("\"tb.old\" = \"tb\"", "\"tb.old\" = \"tb.old.x\""),
              HasSubstr("'tb.old' must stand below 'tb.old.x'"));
  EXPECT_THAT(problem("label", "lable"), HasSubstr("lable"));
  const std::string twice = std::string(kGood) + kGood;
  EXPECT_THAT(Frameworks::parse(twice, "f.toml").error().message(), HasSubstr("stands here twice"));
  EXPECT_FALSE(Frameworks::parse("", "f.toml"));
}

}  // namespace
}  // namespace seamark
