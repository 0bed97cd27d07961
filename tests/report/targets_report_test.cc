#include "seamark/report/build/targets_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/target/registry.h"

namespace seamark::report {
namespace {

using ::testing::HasSubstr;

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
    const std::string text = one_line(render_targets(format, both, {}));
    for (const char* fact :
         {"1 of 2 targets usable here", "torch/cpu", "2.13.0+cpu", "a processor", "--python", "jax/cpu",
          "is not installed", "next: seamark targets install jax-cpu"}) {
      EXPECT_THAT(text, HasSubstr(fact)) << format_name(format);
    }
  }
  const Result<Value> json = parse_json(render_targets(Format::kJson, both, {}));
  ASSERT_TRUE(json) << json.error().message();
  const Value& second = json->find("targets")->as_array().at(1);
  EXPECT_FALSE(second.bool_or("usable", true));
  EXPECT_EQ(second.string_or("remedy", ""), missing.remedy);
  EXPECT_TRUE(second.find("device")->is_null());
}

}  // namespace
}  // namespace seamark::report
