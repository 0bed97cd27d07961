#include "seamark/cli/trust.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "seamark/base/fd.h"
#include "seamark/cli/verbs.h"
#include "seamark/proc/run_command.h"

namespace seamark::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(TrustList, HoldsAFileAsItWas) {
  const TempDir folder = std::move(TempDir::make().value());
  const TrustList list(folder.path() / "state");
  const fs::path config = folder.path() / "seamark.toml";
  EXPECT_FALSE(list.holds(config, "a"));
  ASSERT_TRUE(list.add(config, "a"));
  EXPECT_TRUE(list.holds(config, "a"));
  EXPECT_FALSE(list.holds(config, "b"));
  EXPECT_FALSE(list.holds(folder.path() / "sub" / "seamark.toml", "a"));
  ASSERT_TRUE(list.add(config, "b"));
  EXPECT_TRUE(list.holds(config, "b"));
  EXPECT_FALSE(list.holds(config, "a")) << "what it said before is forgotten";
  ASSERT_TRUE(write_file(config, "b"));
  ASSERT_EQ(list.all()->size(), 1U);
  EXPECT_FALSE(list.all()->front().changed);
  ASSERT_TRUE(write_file(config, "c"));
  EXPECT_TRUE(list.all()->front().changed);
  EXPECT_TRUE(*list.remove(config));
  EXPECT_FALSE(*list.remove(config));
  EXPECT_FALSE(list.holds(config, "b"));
  EXPECT_TRUE(list.all()->empty());
}

TEST(TrustList, APathIsThatOfTheFolderNotOfALinksTarget) {
  const TempDir root = std::move(TempDir::make().value());
  const TrustList list(root.path() / "state");
  ASSERT_TRUE(make_directories(root.path() / "mine"));
  ASSERT_TRUE(make_directories(root.path() / "strange"));
  ASSERT_TRUE(write_file(root.path() / "mine" / "seamark.toml", "python = './python'"));
  fs::create_symlink(root.path() / "mine" / "seamark.toml", root.path() / "strange" / "seamark.toml");
  fs::create_symlink(root.path() / "mine", root.path() / "same");
  ASSERT_TRUE(list.add(root.path() / "mine" / "seamark.toml", "python = './python'"));
  EXPECT_TRUE(list.holds(root.path() / "same" / "seamark.toml", "python = './python'"));
  EXPECT_FALSE(list.holds(root.path() / "strange" / "seamark.toml", "python = './python'"))
      << "there ./python is another";
}

TEST(TrustList, WithoutAHomeNothingIsTrusted) {
  const TrustList list{fs::path()};
  EXPECT_FALSE(list.holds("/seamark.toml", ""));
  EXPECT_THAT(list.add("/seamark.toml", "").error().remedy(), HasSubstr("--config"));
}

// A folder of a stranger's, and the user below it.
class StrangersConfig : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(make_directories(here()));
    ASSERT_TRUE(write_file(path("evil.sh"),
                           "#!/bin/sh\ntouch '" + path("done").native() + "'\nexec python3 \"$@\"\n"));
    fs::permissions(path("evil.sh"), fs::perms::owner_all);
    const std::string python = "open('" + path("done").native() + "', 'w')\n";
    ASSERT_TRUE(write_file(path("evil.py"), python));
    ASSERT_TRUE(write_file(path("seamark.toml"), kConfig));
  }

  static constexpr std::string_view kConfig = R"(jobs = 3
store = "theirs.db"
suites = ["curated", "evil.py"]
python = "./evil.sh"
[[target]]
name = "selftest/cpu"
adapter = "./evil.py"
device = "cpu"
worker = "fork"
memory_limit = "none"
)";

  [[nodiscard]] fs::path path(const std::string& name) const { return root_.path() / name; }
  [[nodiscard]] fs::path here() const { return root_.path() / "checkout" / "below"; }
  [[nodiscard]] bool executed() const { return fs::exists(path("done")); }

  [[nodiscard]] proc::CommandResult seamark(const std::vector<std::string>& words,
                                            const std::string& named = {}) const {
    proc::CommandOptions command;
    command.spawn.argv = {SEAMARK_BINARY};
    command.spawn.argv.insert(command.spawn.argv.end(), words.begin(), words.end());
    command.spawn.cwd = here().native();
    command.spawn.environment = {{"SEAMARK_HOME", SEAMARK_SOURCE_DIR},
                                 {"SEAMARK_CONFIG", std::nullopt},
                                 {"SEAMARK_CACHE", path("cache").native()},
                                 {"XDG_STATE_HOME", path("state").native()},
                                 {"FORCE_COLOR", std::nullopt}};
    if (!named.empty()) command.spawn.environment[1].second = named;
    command.timeout_s = 100;
    return std::move(proc::run_command(command).value());
  }

  [[nodiscard]] proc::CommandResult targets(const std::string& named = {}) const {
    return seamark({"targets", "--target", "selftest/cpu"}, named);
  }

  const TempDir root_ = std::move(TempDir::make("seamark-trust").value());
};

TEST_F(StrangersConfig, RunsNothingByAnyVerb) {
  const std::vector<std::vector<std::string>> commands = {
      {"targets", "--refresh"},
      {"targets", "install", "no-such"},
      {"catalog", "--target", "torch/cpu", "--coverage"},
      {"catalog", "--declared"},
      {"usage"},
      {"sample"},
      {"run", "--list"},
      {"run", "--list", "--target", "selftest/cpu", "--suite", "selftest"},
      {"run", "--target", "selftest/cpu"},
      {"report"},
      {"show", "torch.argsort"},
      {"show", "torch.argsort", "--script"},
      {"compare", "a.db", "b.db"},
      {"export", "-o", "-"},
      {"import", "seamark.toml"},
      {"merge", "a.db"},
      {"explain"},
      {"audit", ".", "--to", "torch/lazy"},
  };
  for (const Verb& verb : verbs()) {
    const bool tried = std::any_of(commands.begin(), commands.end(), [&](const auto& words) {
      return words[0] == verb.name || (words.size() > 1 && words[1] == verb.name);
    });
    EXPECT_TRUE(tried || verb.name == std::string("trust")) << verb.name;
  }
  for (const std::vector<std::string>& words : commands) {
    const proc::CommandResult result = seamark(words);
    EXPECT_FALSE(executed()) << words[0];
    EXPECT_THAT(result.err,
                HasSubstr("/seamark.toml is not trusted: its suites, python, target are not used"))
        << words[0];
    EXPECT_THAT(result.err, HasSubstr("`seamark trust`")) << words[0];
  }
  EXPECT_TRUE(fs::exists(path("theirs.db"))) << "other keys are used";
}

TEST_F(StrangersConfig, IsUsedOnceItIsTrustedUntilItChanges) {
  EXPECT_THAT(seamark({"trust"}).out, HasSubstr("trusted as it is now: "));
  EXPECT_FALSE(executed());
  EXPECT_THAT(seamark({"trust", "--list"}).out, HasSubstr("/seamark.toml\n"));
  EXPECT_EQ(targets().err, "");
  EXPECT_TRUE(executed());
  fs::remove(path("done"));

  ASSERT_TRUE(write_file(path("seamark.toml"), std::string(kConfig) + "# changed\n"));
  EXPECT_THAT(seamark({"explain"}).err, HasSubstr("is not trusted"));
  EXPECT_FALSE(executed());
  EXPECT_THAT(seamark({"trust", "--list"}).out, HasSubstr("changed since"));
  EXPECT_EQ(seamark({"trust", "../../seamark.toml"}).exit.code(), 0);
  EXPECT_EQ(targets().err, "");
  EXPECT_EQ(seamark({"trust", "--revoke"}).exit.code(), 0);
  EXPECT_THAT(seamark({"explain"}).err, HasSubstr("is not trusted"));
  EXPECT_EQ(seamark({"trust", "--revoke"}).exit.code(), 4);
  EXPECT_EQ(seamark({"trust", "--list"}).out, "");
  EXPECT_EQ(seamark({"trust", "nowhere.toml"}).exit.code(), 2);
}

TEST_F(StrangersConfig, IsTrustedWhereItIsNamed) {
  EXPECT_EQ(seamark({"targets", "--target", "selftest/cpu", "--config", "../../seamark.toml"}).err, "");
  EXPECT_TRUE(executed());
  fs::remove(path("done"));
  EXPECT_EQ(targets(path("seamark.toml").native()).err, "");
  EXPECT_TRUE(executed());
}

TEST_F(StrangersConfig, NamesOfSuitesExecuteNothingOfTheirs) {
  ASSERT_TRUE(write_file(path("seamark.toml"), "suites = [\"idioms\", \"opinfo?samples=2\"]\n"));
  EXPECT_THAT(seamark({"explain"}).err, Not(HasSubstr("trusted")));
}

}  // namespace
}  // namespace seamark::cli
