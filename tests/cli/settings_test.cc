#include "seamark/cli/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "seamark/base/fd.h"
#include "seamark/cli/errors.h"

namespace seamark::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Lookup fake(std::map<std::string, std::string, std::less<>> values) {
  return [values = std::move(values)](std::string_view name) -> std::optional<std::string> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

class SettingsTest : public ::testing::Test {
 protected:
  Status config(std::string_view toml) {
    return apply_config(settings_, registry_, toml, "/project/seamark.toml");
  }
  Settings settings_;
  target::Registry registry_ = std::move(
      target::Registry::load(std::filesystem::path(SEAMARK_SOURCE_DIR) / "data" / "targets.toml").value());
};

TEST_F(SettingsTest, ReadsAConfigWithPathsRelativeToIt) {
  ASSERT_TRUE(config(R"(
store = "results/a.db"
targets = ["torch/*"]
suites = ["curated", "cases/mine.py", "made.py?samples=3", "opinfo?samples=3"]
protocol = "paper"
timeout_s = 30
seed = 4
jobs = 2
cases = "core"
time = "none"
[python]
"torch/*" = "venv/bin/python"
"jax/cpu" = "python3"
[[target]]
name = "torch/npu"
like = "torch/cuda"
)"));
  EXPECT_EQ(settings_.store, "/project/results/a.db");
  EXPECT_THAT(settings_.targets, ElementsAre("torch/*"));
  EXPECT_THAT(settings_.suites, ElementsAre("curated", "/project/cases/mine.py", "/project/made.py?samples=3",
                                            "opinfo?samples=3"));
  EXPECT_EQ(settings_.protocol, "paper");
  EXPECT_EQ(settings_.timeout_s, 30);
  EXPECT_EQ(settings_.seed, 4);
  EXPECT_EQ(settings_.jobs, 2);
  ASSERT_EQ(settings_.python.size(), 2U);
  EXPECT_EQ(settings_.python[0].path, "/project/venv/bin/python");
  EXPECT_EQ(settings_.python[0].origin, "seamark.toml");
  EXPECT_EQ(settings_.python[1].path, "python3");
  EXPECT_NE(registry_.find("torch/npu"), nullptr);
}

TEST_F(SettingsTest, OnePythonForAll) {
  ASSERT_TRUE(config("python = \"/opt/p/bin/python\"\n"));
  ASSERT_EQ(settings_.python.size(), 1U);
  EXPECT_EQ(settings_.python[0].pattern, "*");
}

TEST_F(SettingsTest, SaysEveryProblemWithFileAndLine) {
  const Status status = config("jobs = 0\nprotocol = \"papers\"\nstores = \"x\"\ntimeout_s = \"soon\"\n");
  ASSERT_FALSE(status);
  EXPECT_EQ(exit_code_of(status.error()), ExitCode::kUsage);
  EXPECT_THAT(status.error().message(),
              HasSubstr("/project/seamark.toml:1: expected between 1 and 256 for 'jobs'"));
  EXPECT_THAT(status.error().message(),
              HasSubstr("/project/seamark.toml:2: 'protocol': expected one of full, paper"));
  EXPECT_THAT(status.error().message(), HasSubstr("/project/seamark.toml:3: "));
  EXPECT_THAT(status.error().message(), HasSubstr("'store'"));
  EXPECT_THAT(status.error().message(),
              HasSubstr("/project/seamark.toml:4: expected a number for 'timeout_s'"));
}

TEST_F(SettingsTest, BrokenTomlNamesTheLine) {
  const Status status = config("store = \"a\"\njobs = \n");
  ASSERT_FALSE(status);
  EXPECT_EQ(exit_code_of(status.error()), ExitCode::kUsage);
  EXPECT_THAT(status.error().message(), HasSubstr("/project/seamark.toml:2"));
}

TEST_F(SettingsTest, VariablesGoAboveTheConfigAndFlagsAboveBoth) {
  ASSERT_TRUE(config("store = \"a.db\"\nseed = 1\njobs = 1\ntargets = [\"torch/cpu\"]\n"));
  ASSERT_TRUE(apply_variables(
      settings_,
      fake({{"SEAMARK_STORE", "b.db"}, {"SEAMARK_SEED", "2"}, {"SEAMARK_TARGETS", "jax/cpu, torch/lazy"}})));
  EXPECT_EQ(settings_.store, "b.db");
  EXPECT_EQ(settings_.seed, 2);
  EXPECT_EQ(settings_.jobs, 1);
  EXPECT_THAT(settings_.targets, ElementsAre("jax/cpu", "torch/lazy"));
  RunFlags command;
  command.seed = 3;
  command.selection.store = "c.db";
  ASSERT_TRUE(apply_run(settings_, command));
  EXPECT_EQ(settings_.store, "c.db");
  EXPECT_EQ(settings_.seed, 3);
  EXPECT_THAT(settings_.targets, ElementsAre("jax/cpu", "torch/lazy"));
}

TEST_F(SettingsTest, BadVariablesAreNamed) {
  for (const auto& [name, value] : std::map<std::string, std::string>{{"SEAMARK_JOBS", "many"},
                                                                      {"SEAMARK_TIMEOUT", "0"},
                                                                      {"SEAMARK_CASES", "most"},
                                                                      {"SEAMARK_SEED", "-1"}}) {
    const Status status = apply_variables(settings_, fake({{name, value}}));
    ASSERT_FALSE(status) << name;
    EXPECT_THAT(status.error().message(), HasSubstr(name + ": expected"));
    EXPECT_EQ(exit_code_of(status.error()), ExitCode::kUsage);
  }
}

TEST_F(SettingsTest, APythonForSomeTargetsGoesBeforeOneForAll) {
  Selection selection;
  selection.python = {"/all/python", "jax/*=/jax/python", "/odd=name/python"};
  ASSERT_TRUE(apply_selection(settings_, selection));
  ASSERT_EQ(settings_.python.size(), 3U);
  EXPECT_EQ(settings_.python[0].pattern, "jax/*");
  EXPECT_EQ(settings_.python[0].path, "/jax/python");
  EXPECT_EQ(settings_.python[1].path, "/all/python");
  EXPECT_EQ(settings_.python[2].path, "/odd=name/python");
}

TEST_F(SettingsTest, TimeFollowsCases) {
  EXPECT_EQ(settings_.time_or_default(), "core");
  settings_.cases = "quick";
  EXPECT_EQ(settings_.time_or_default(), "first");
  settings_.time = "none";
  EXPECT_EQ(settings_.time_or_default(), "none");
}

TEST_F(SettingsTest, NoTimingContradictsTime) {
  RunFlags command;
  command.no_timing = true;
  ASSERT_TRUE(apply_run(settings_, command));
  EXPECT_EQ(settings_.time, "none");
  command.time = "all";
  EXPECT_FALSE(apply_run(settings_, command));
}

TEST(FindConfig, LooksUpwards) {
  const TempDir root = std::move(TempDir::make().value());
  const std::filesystem::path inner = root.path() / "a" / "b";
  ASSERT_TRUE(make_directories(inner));
  const std::filesystem::path file = root.path() / "seamark.toml";
  ASSERT_TRUE(write_file(file, ""));
  EXPECT_EQ(*find_config({}, inner, fake({})), file);
  ASSERT_TRUE(write_file(inner / "seamark.toml", ""));
  EXPECT_EQ(*find_config({}, inner, fake({})), inner / "seamark.toml");
  CommonOptions none;
  none.no_config = true;
  EXPECT_EQ(*find_config(none, inner, fake({})), std::nullopt);
}

TEST(FindConfig, ANamedFileMustBeThere) {
  const TempDir root = std::move(TempDir::make().value());
  CommonOptions common;
  common.config = "nope.toml";
  const auto found = find_config(common, root.path(), fake({}));
  ASSERT_FALSE(found);
  EXPECT_EQ(exit_code_of(found.error()), ExitCode::kUsage);
  EXPECT_THAT(find_config({}, root.path(), fake({{"SEAMARK_CONFIG", "x.toml"}})).error().remedy(),
              HasSubstr("SEAMARK_CONFIG"));
}

}  // namespace
}  // namespace seamark::cli
