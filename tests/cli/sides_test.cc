#include "seamark/cli/sides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "../known_frameworks.h"
#include "seamark/cli/errors.h"

namespace seamark::cli {
namespace {

using testing::HasSubstr;

Result<OperandSpec> parse(const std::string& text) {
  static const std::set<std::string> kFiles{"a.db", "b@home.db", "torch/cpu", "1f3a9", "torch==2.0"};
  return parse_side(text,
                    {[](const std::string& name) { return kFiles.contains(name); },
                     [](const std::string& name) { return name == "grand-illusion"; }, known_frameworks()});
}

// "store|run|target|framework|version", or "baseline NAME".
std::string read(const std::string& text) {
  const Result<OperandSpec> spec = parse(text);
  if (!spec) return "error: " + spec.error().message();
  if (!spec->baseline.empty()) return "baseline " + spec->baseline;
  return spec->store + "|" + spec->run + "|" + spec->target + "|" + spec->framework + "|" + spec->version;
}

TEST(SidesTest, EachThingHasOneReading) {
  EXPECT_EQ(read("a.db"), "a.db||||");
  EXPECT_EQ(read("a.db@1f3a"), "a.db|1f3a|||");
  EXPECT_EQ(read("a.db@latest"), "a.db|latest|||");
  EXPECT_EQ(read("a.db@torch/lazy"), "a.db||torch/lazy||");
  EXPECT_EQ(read("a.db@torch==2.13.0+cpu"), "a.db|||torch|2.13.0+cpu");
  EXPECT_EQ(read("a.db@1f3a@torch/tpu-v3+aot"), "a.db|1f3a|torch/tpu-v3+aot||");
  EXPECT_EQ(read("a.db@torch/lazy@torch==2"), "a.db||torch/lazy|torch|2");
  EXPECT_EQ(read("torch/lazy"), "||torch/lazy||");
  EXPECT_EQ(read("jax==0.10.2"), "|||jax|0.10.2");
  EXPECT_EQ(read("1f3a"), "|1f3a|||");
  EXPECT_EQ(read("all@jax/cpu"), "|all|jax/cpu||");
  EXPECT_EQ(read("grand-illusion"), "baseline grand-illusion");
  EXPECT_EQ(read("a.db@import-9c3f4a1be5f4a7c4"), "a.db|import-9c3f4a1be5f4a7c4|||");
  EXPECT_EQ(read("a.db@nightly.2_T4-0f3a9c1d@torch/cuda"), "a.db|nightly.2_T4-0f3a9c1d|torch/cuda||");
  EXPECT_EQ(read("@nightly"), "|nightly|||");
}

TEST(SidesTest, AFileWinsAndAnAtMeansTheOther) {
  EXPECT_EQ(read("torch/cpu"), "torch/cpu||||");
  EXPECT_EQ(read("@torch/cpu"), "||torch/cpu||");
  EXPECT_EQ(read("1f3a9"), "1f3a9||||");
  EXPECT_EQ(read("@1f3a9"), "|1f3a9|||");
  EXPECT_EQ(read("torch==2.0"), "torch==2.0||||");
  EXPECT_EQ(read("b@home.db"), "b@home.db||||");
  EXPECT_EQ(read("b@home.db@torch/cpu"), "b@home.db||torch/cpu||");
}

TEST(SidesTest, WhatIsNothingIsSaid) {
  for (const auto& [text, what] : {std::pair{"", "no name"},
                                   {"none.db", "no file 'none.db'"},
                                   {"a.db@", "behind an @"},
                                   {"@", "behind an @"},
                                   {"word", "no such file"},
                                   {"a.db@what else", "'what else' is neither"},
                                   {"a.db@nightly@weekly", "two runs"},
                                   {"a.db@1f3a@2f3a", "two runs"},
                                   {"a.db@torch/*", "--target"},
                                   {"a.db@jax/cpu@torch==2", "no target of torch"},
                                   {"a.db@torch==", "neither"},
                                   {"a.db@torch/cpu@torch/lazy", "two targets"}}) {
    const Result<OperandSpec> spec = parse(text);
    ASSERT_FALSE(spec) << text;
    EXPECT_TRUE(spec.error().is(CliError::kUsage)) << text;
    EXPECT_THAT(spec.error().message(), HasSubstr(what)) << text;
    EXPECT_THAT(spec.error().remedy(), HasSubstr("a side is a store")) << text;
  }
}

}  // namespace
}  // namespace seamark::cli
