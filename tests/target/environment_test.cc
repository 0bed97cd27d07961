// Installs for real, from package indexes that the test makes: folders of tiny wheels. Nothing here uses a
// network.
#include "seamark/target/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/proc/run_command.h"
#include "seamark/target/lock.h"
#include "seamark/target/python_search.h"

namespace seamark::target {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// Makes INDEX/simple/NAME/WHEEL for each of "NAME VERSION [REQUIREMENT...]".
constexpr std::string_view kMakeIndex = R"(
import os, sys, zipfile
root = sys.argv[1]
for entry in sys.argv[2:]:
    name, version, *requires = entry.split()
    folder = os.path.join(root, "simple", name)
    os.makedirs(folder, exist_ok=True)
    module = name.replace("-", "_")
    info = "%s-%s.dist-info" % (module, version)
    metadata = "Metadata-Version: 2.1\nName: %s\nVersion: %s\n" % (name, version)
    metadata += "".join("Requires-Dist: %s\n" % one for one in requires)
    wheel = os.path.join(folder, "%s-%s-py3-none-any.whl" % (module, version))
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(module + ".py", "VERSION = %r\n" % version)
        archive.writestr(info + "/METADATA", metadata)
        archive.writestr(info + "/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(info + "/RECORD", "")
    with open(os.path.join(folder, "index.html"), "w") as page:
        for file in sorted(os.listdir(folder)):
            if file.endswith(".whl"):
                page.write('<a href="%s">%s</a>\n' % (file.replace("+", "%2B"), file))
)";

class EnvironmentTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const Result<PythonFacts> python = question_python("python3");
    if (!python || !python->has_venv) GTEST_SKIP() << "python3 has no venv";
    recipe_.name = "fw-cpu";
    recipe_.framework = "fw";
    recipe_.summary = "a framework of nothing";
    recipe_.pythons = {minor_of(python->version)};
    recipe_.packages = {"fw==1.0"};
    recipe_.verify = "import fw";
    options_.python = "python3";
    options_.on_progress = [this](std::string_view text, bool is_step) {
      if (is_step) steps_ += std::string(text) + "\n";
    };
    // The user's own pip settings must not add other indexes.
    ::setenv("PIP_CONFIG_FILE", "/dev/null", 1);
    ::setenv("PIP_INDEX_URL", index_url("main").c_str(), 1);
    for (const char* name : {"PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX"}) ::unsetenv(name);
  }

  void make_index(const std::string& name, const std::vector<std::string>& entries) {
    proc::CommandOptions command;
    command.spawn.argv = {"python3", "-c", std::string(kMakeIndex), (folder_.path() / name).native()};
    command.spawn.argv.insert(command.spawn.argv.end(), entries.begin(), entries.end());
    const Result<proc::CommandResult> result = proc::run_command(command);
    ASSERT_TRUE(result && result->success()) << result->text();
  }

  [[nodiscard]] std::string index_url(const std::string& name) const {
    return "file://" + (folder_.path() / name / "simple").native();
  }

  [[nodiscard]] std::vector<std::string> packages(const Environment& made) const {
    const Result<Value> lock = environment_lock(made.interpreter, {});
    if (!lock) throw std::runtime_error(lock.error().message());
    std::vector<std::string> found;
    for (const Value& item : lock->find("packages")->as_array()) found.push_back(item.as_string());
    return found;
  }

  TempDir folder_ = std::move(TempDir::make("seamark-environment").value());
  Environments environments_{folder_.path() / "environments"};
  Recipe recipe_;
  InstallOptions options_;
  std::string steps_;
};

TEST_F(EnvironmentTest, MakesOneOnceAndGoesOnWithAnUnfinishedOne) {
  make_index("main", {"fw 1.0 part", "part 2.0"});
  EXPECT_FALSE(environments_.installed(recipe_));
  const Result<Environment> made = environments_.install(recipe_, options_);
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_THAT(packages(*made), Contains("fw==1.0"));
  EXPECT_THAT(packages(*made), Contains("part==2.0"));
  ASSERT_TRUE(environments_.installed(recipe_));

  steps_.clear();
  ASSERT_TRUE(environments_.install(recipe_, options_));
  EXPECT_EQ(steps_, "");  // it was there

  ASSERT_TRUE(std::filesystem::remove(made->folder / "seamark-environment.json"));
  EXPECT_FALSE(environments_.installed(recipe_));
  ASSERT_TRUE(environments_.install(recipe_, options_));
  EXPECT_THAT(steps_, ::testing::Not(HasSubstr("a virtual environment of")));
  EXPECT_TRUE(environments_.installed(recipe_));

  Recipe other = recipe_;
  other.packages = {"fw==1.1"};
  EXPECT_FALSE(environments_.installed(other));
  const Result<Environment> missing = environments_.install(other, options_);
  ASSERT_FALSE(missing);
  EXPECT_TRUE(missing.error().is(TargetError::kInstallFailed));
  EXPECT_THAT(missing.error().message(), HasSubstr("fw==1.1"));
  EXPECT_FALSE(environments_.installed(other));
}

TEST_F(EnvironmentTest, TakesTheCpuIndexWhereOtherPackagesWouldComeElseStops) {
  make_index("main", {"fw 1.0 nvidia-thing", "nvidia-thing 9.0"});
  make_index("cpu", {"fw 1.0+cpu"});
  recipe_.refuse = {"nvidia-*"};
  const Result<Environment> refused = environments_.install(recipe_, options_);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(TargetError::kRefused));
  EXPECT_THAT(refused.error().message(), HasSubstr("nvidia-thing==9.0"));
  EXPECT_FALSE(environments_.installed(recipe_));

  recipe_.cpu_index = index_url("cpu");
  const Result<Environment> made = environments_.install(recipe_, options_);
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_THAT(packages(*made), Contains("fw==1.0+cpu"));
  EXPECT_THAT(steps_, HasSubstr("nvidia-thing==9.0 would come"));
}

TEST_F(EnvironmentTest, WhatDoesNotImportDoesNotCount) {
  make_index("main", {"fw 1.0"});
  recipe_.verify = "import fw_is_broken";
  const Result<Environment> made = environments_.install(recipe_, options_);
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message(), HasSubstr("fw_is_broken"));
  EXPECT_FALSE(environments_.installed(recipe_));
}

TEST_F(EnvironmentTest, AnotherPythonOrSystemIsToldBeforeAnythingIsMade) {
  recipe_.pythons = {"3.99"};
  const Result<Environment> python = environments_.install(recipe_, options_);
  ASSERT_FALSE(python);
  EXPECT_TRUE(python.error().is(TargetError::kNoPython));
  options_.python.clear();
  const Result<Environment> none = environments_.install(recipe_, options_);
  EXPECT_THAT(none.error().message(), HasSubstr("needs Python 3.99"));
  EXPECT_THAT(none.error().message(), HasSubstr("is Python 3."));
  recipe_.systems = {"Plan9-mips"};
  EXPECT_TRUE(environments_.install(recipe_, options_).error().is(TargetError::kUnsupported));
  EXPECT_FALSE(std::filesystem::exists(environments_.folder_of(recipe_)));
}

TEST(EnvironmentLock, NamesInterpreterPackagesAndMachine) {
  const Result<Value> lock = environment_lock("python3", {});
  ASSERT_TRUE(lock) << lock.error().message();
  EXPECT_FALSE(lock->string_or("python", "").empty());
  EXPECT_TRUE(lock->find("packages")->is_array());
  const Value host = host_facts();
  EXPECT_GT(host.number_or("cores", 0), 0);
  EXPECT_GT(host.number_or("memory_bytes", 0), 0);
#ifdef __linux__
  EXPECT_FALSE(host.string_or("kernel", "").empty());
  if (const Result<std::string> cpu = read_file("/proc/cpuinfo");
      cpu && cpu->find("model name") != std::string::npos) {
    EXPECT_FALSE(host.string_or("cpu", "").empty());
  }
#endif
}

}  // namespace
}  // namespace seamark::target
