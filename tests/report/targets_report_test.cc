#include "seamark/report/build/targets_report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/target/registry.h"

namespace seamark::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(TargetsReport, EveryFormatSaysWhatIsUsableAndWhyTheRestIsNot) {
  const target::Registry registry = std::move(
      target::Registry::load(std::filesystem::path(SEAMARK_SOURCE_DIR) / "data" / "targets.toml").value());
  target::TargetStatus usable;
  usable.target = registry.find("torch/cpu");
  usable.usable = true;
  usable.framework_version = "2.13.0+cpu";
  usable.device = "a processor\x1b[31m";
  usable.interpreter = target::Interpreter{"/venv/bin/python", "--python", "", {}};
  target::TargetStatus missing;
  missing.target = registry.find("jax/cpu");
  missing.reason = "the environment 'jax-cpu' is not installed";
  missing.remedy = "seamark targets install jax-cpu";
  missing.to_install = "jax-cpu";
  const std::vector<target::TargetStatus> both{usable, missing};
  for (const Format format : {Format::kTerminal, Format::kMarkdown, Format::kHtml}) {
    const std::string text = one_line(render_targets(format, both, true, {}));
    for (const char* fact :
         {"1 of 2 targets usable here", "torch/cpu", "2.13.0+cpu", "a processor", "--python", "jax/cpu",
          "is not installed", "next: seamark targets install jax-cpu"}) {
      EXPECT_THAT(text, HasSubstr(fact)) << format_name(format);
    }
  }
  const Result<Value> json = parse_json(render_targets(Format::kJson, both, false, {}));
  ASSERT_TRUE(json) << json.error().message();
  const Value& second = json->find("targets")->as_array().at(1);
  EXPECT_FALSE(second.bool_or("usable", true));
  EXPECT_EQ(second.string_or("remedy", ""), missing.remedy);
  EXPECT_TRUE(second.find("device")->is_null());
}

TEST(TargetsReport, WhatIsNotUsableIsALineForEachEnvironmentAndFamily) {
  const target::Registry registry = std::move(
      target::Registry::load(std::filesystem::path(SEAMARK_SOURCE_DIR) / "data" / "targets.toml").value());
  std::vector<target::TargetStatus> standings;
  for (const char* name : {"jax/cpu", "jax/cpu+jit", "torch/cuda", "tensorflow/cuda", "tensorflow/tpu"}) {
    target::TargetStatus& one = standings.emplace_back();
    one.target = registry.find(name);
    ASSERT_NE(one.target, nullptr) << name;
    one.reason = fmt::format("{} is not here", one.target->parts.family);
    one.remedy = "a remedy";
    if (one.target->parts.family == "cpu") one.to_install = "jax-cpu";
  }
  const std::string folded = render_targets(Format::kTerminal, standings, false, {});
  EXPECT_THAT(folded, HasSubstr("0 of 5 targets usable here."));
  EXPECT_THAT(folded,
              HasSubstr("ONE COMMAND AWAY\n\n  seamark targets install jax-cpu: jax/cpu, jax/cpu+jit\n"));
  EXPECT_THAT(folded, HasSubstr("  cuda          2  cuda is not here\n  tpu           1  tpu is not here\n"));
  EXPECT_THAT(folded, HasSubstr("seamark targets --all"));
  EXPECT_THAT(folded, Not(HasSubstr("a remedy")));
  const std::string all = render_targets(Format::kTerminal, standings, true, {});
  for (const target::TargetStatus& one : standings) EXPECT_THAT(all, HasSubstr(one.target->name + "\n"));
  EXPECT_THAT(all, HasSubstr("tpu is not here -> a remedy"));
  EXPECT_THAT(all, Not(HasSubstr("--all")));
}

}  // namespace
}  // namespace seamark::report
