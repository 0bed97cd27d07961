// The doctor with a home of its own: an agent that answers as each test wants.
#include "seamark/target/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <functional>
#include <stdexcept>
#include <thread>

#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/proc/memory.h"

namespace seamark::target {
namespace {

using ::testing::HasSubstr;

class DoctorTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(make_directories(folder_.path() / "python" / "seamark_agent")); }

  // The body of an agent that has `target`, and counts its calls.
  void agent(const std::string& body) {
    ASSERT_TRUE(write_file(folder_.path() / "python" / "seamark_agent" / "boot.py",
                           "import json, os, sys\ntarget = json.loads(sys.argv[3])\n"
                           "open(os.path.join(os.path.dirname(__file__), 'calls'), 'a').write('x')\n" +
                               body));
  }
  [[nodiscard]] std::size_t calls() const {
    const Result<std::string> text = read_file(folder_.path() / "python" / "seamark_agent" / "calls");
    return text ? text->size() : 0;
  }

  TargetStatus examine(const std::string& toml, bool refresh = false) {
    return examine_all(toml, refresh).front();
  }

  std::vector<TargetStatus> examine_all(const std::string& toml, bool refresh = false) {
    registry_ = std::move(Registry::parse(toml, "test.toml").value());
    DoctorOptions options;
    options.home = folder_.path();
    options.cache_dir = folder_.path() / "cache";
    options.own = own_;
    options.refresh = refresh;
    options.deadline = std::chrono::seconds(20);
    options.on_probe = on_probe_;
    const Doctor doctor(registry_, recipes_, environments_, options);
    const auto targets = registry_.select({});
    return doctor.examine(*targets);
  }

  static constexpr const char* kTarget = "[[target]]\nname = \"selftest/cpu\"\nadapter = \"selftest\"\n";
  // An interpreter whose packages can be seen from outside, as those of a virtual environment.
  void make_prefix() {
    const std::filesystem::path prefix = folder_.path() / "venv";
    ASSERT_TRUE(make_directories(prefix / "lib" / "python3.11" / "site-packages"));
    ASSERT_TRUE(make_directories(prefix / "bin"));
    ASSERT_TRUE(write_file(prefix / "bin" / "python", "#!/bin/sh\nexec python3 \"$@\"\n"));
    std::filesystem::permissions(prefix / "bin" / "python", std::filesystem::perms::owner_all);
    own_ = {{"*", (prefix / "bin" / "python").native(), "--python"}};
  }

  TempDir folder_ = std::move(TempDir::make("seamark-doctor").value());
  Registry registry_ = std::move(Registry::parse("", "test.toml").value());
  Recipes recipes_;
  Environments environments_{folder_.path() / "environments"};
  std::vector<OwnPython> own_ = {{"*", "python3", "--python"}};
  std::function<void(const TargetEntry&)> on_probe_;
};

constexpr const char* kUsable =
    "print(json.dumps({'usable': True, 'framework_version': '1.2', 'device': 'a \\x1b[31mdevice', 'python': "
    "'3'}))\n";

TEST_F(DoctorTest, TakesTheAgentsAnswer) {
  agent(kUsable);
  const TargetStatus standing = examine(kTarget);
  EXPECT_TRUE(standing.usable) << standing.reason;
  EXPECT_EQ(standing.framework_version, "1.2");
  EXPECT_EQ(standing.device, "a device");
  EXPECT_EQ(standing.interpreter->origin, "--python");
  EXPECT_FALSE(standing.lock.string_or("python", "").empty());
}

TEST_F(DoctorTest, TheAgentGetsTheEntryAndItsVariables) {
  agent("print(json.dumps({'usable': True, 'device': target['options']['x'] + os.environ['VARIED']}))\n");
  const TargetStatus standing =
      examine(std::string(kTarget) + "options = { x = \"opt\" }\nvariables = { VARIED = \"var\" }\n");
  EXPECT_EQ(standing.device, "optvar");
}

TEST_F(DoctorTest, SeveralProbesRunAtOnce) {
  if (proc::usable_cpus() < 2) GTEST_SKIP() << "one core";
  // Each answers when the other has started.
  agent(
      "import time\nhere = os.path.dirname(__file__)\n"
      "open(os.path.join(here, target['device']), 'w').close()\n"
      "end = time.monotonic() + 15\n"
      "other = os.path.join(here, {'one': 'two', 'two': 'one'}[target['device']])\n"
      "while not os.path.exists(other) and time.monotonic() < end: time.sleep(0.01)\n"
      "print(json.dumps({'usable': os.path.exists(other), 'device': target['device'], 'reason': "
      "'alone'}))\n");
  const std::string toml =
      "[[target]]\nname = \"selftest/one\"\nadapter = \"selftest\"\n"
      "[[target]]\nname = \"selftest/two\"\nadapter = \"selftest\"\n";
  const std::vector<TargetStatus> standings = examine_all(toml);
  ASSERT_EQ(standings.size(), 2u);
  for (const TargetStatus& standing : standings) {
    EXPECT_TRUE(standing.usable) << standing.reason;
    EXPECT_EQ(standing.device, standing.target->device);  // in the order asked for
  }
}

TEST_F(DoctorTest, WhatAThreadThrowsIsAFaultOfItsTarget) {
  agent(kUsable);
  on_probe_ = [](const TargetEntry& entry) {
    if (entry.parts.family != "good") throw std::runtime_error("no terminal");
  };
  std::string toml;
  for (const char* name : {"bad", "worse", "good", "worst"}) {
    toml += "[[target]]\nname = \"selftest/" + std::string(name) + "\"\nadapter = \"selftest\"\n";
  }
  for (const TargetStatus& standing : examine_all(toml)) {
    EXPECT_EQ(standing.usable, standing.target->parts.family == "good");
    if (standing.usable) continue;
    EXPECT_EQ(standing.reason, "asking it failed: no terminal");
  }
}

TEST_F(DoctorTest, AReasonAndARemedyArePassedOn) {
  agent("print(json.dumps({'usable': False, 'reason': 'no such device', 'remedy': 'buy one'}))\n");
  const TargetStatus standing = examine(kTarget);
  EXPECT_FALSE(standing.usable);
  EXPECT_EQ(standing.reason, "no such device");
  EXPECT_EQ(standing.remedy, "buy one");
  EXPECT_TRUE(standing.lock.is_null());
}

TEST_F(DoctorTest, AProbeThatDiesOrSaysNothingIsToldSo) {
  agent("os.abort()\n");
  EXPECT_THAT(examine(kTarget).reason, HasSubstr("SIGABRT"));
  agent("sys.exit('libfoo.so is missing')\n");
  EXPECT_THAT(examine(kTarget).reason, HasSubstr("libfoo.so is missing"));
  agent("print('hello')\n");
  EXPECT_THAT(examine(kTarget).reason, HasSubstr("printed no answer"));
}

TEST_F(DoctorTest, MissingHardwareAndProgramsAreToldWithoutAsking) {
  agent(kUsable);
  const TargetStatus hardware =
      examine(std::string("[[hardware]]\nname = \"x\"\npaths = [\"/nonexistent/x\"]\n"
                          "missing = \"no x\"\nremedy = \"plug it in\"\n") +
              kTarget + "hardware = \"x\"\n");
  EXPECT_EQ(hardware.reason, "no x");
  EXPECT_EQ(hardware.remedy, "plug it in");
  const TargetStatus program = examine(std::string(kTarget) + "requires = [\"no-such-1|no-such-2\"]\n");
  EXPECT_EQ(program.reason, "needs no-such-1 or no-such-2 on PATH");
  EXPECT_EQ(calls(), 0U);
  EXPECT_TRUE(examine(std::string(kTarget) + "requires = [\"no-such-1|sh\"]\n").usable);
}

TEST_F(DoctorTest, AnEnvironmentThatIsNotThereIsNamedWithTheCommand) {
  own_.clear();
  const TargetStatus standing = examine(std::string(kTarget) + "environments = [\"torch-cpu\"]\n");
  EXPECT_EQ(standing.reason, "the environment 'torch-cpu' is not installed");
  EXPECT_EQ(standing.remedy, "seamark targets install torch-cpu");
}

// One may be preferred where it is, and large.
TEST_F(DoctorTest, OfSeveralEnvironmentsTheSmallestIsNamed) {
  own_.clear();
  const std::filesystem::path recipes = folder_.path() / "recipes";
  ASSERT_TRUE(make_directories(recipes));
  for (const auto& [name, size] : {std::pair("large", 4000), std::pair("small", 40)}) {
    ASSERT_TRUE(write_file(recipes / (std::string(name) + ".toml"),
                           "name = \"" + std::string(name) +
                               "\"\nframework = \"selftest\"\nsummary = \"x\"\npythons = [\"3.11\"]\n"
                               "packages = [\"x==1\"]\nverify = \"import x\"\ndownload_mib = " +
                               std::to_string(size) + "\n"));
  }
  recipes_ = std::move(Recipes::load(recipes).value());
  const TargetStatus standing = examine(std::string(kTarget) + "environments = [\"large\", \"small\"]\n");
  EXPECT_EQ(standing.remedy, "seamark targets install small");
  EXPECT_EQ(standing.to_install, "small");
}

TEST_F(DoctorTest, AModuleThatIsMissingIsToldWithoutImportingAnything) {
  agent(kUsable);
  const TargetStatus standing = examine(std::string(kTarget) + "packages = [\"no_such_module_1\"]\n");
  EXPECT_THAT(standing.reason, HasSubstr("has no no_such_module_1"));
  EXPECT_EQ(calls(), 0U);
}

TEST_F(DoctorTest, AnswersAreKeptUntilSomethingChanges) {
  make_prefix();
  agent(kUsable);
  EXPECT_FALSE(examine(kTarget).from_cache);
  const TargetStatus kept = examine(kTarget);
  EXPECT_TRUE(kept.from_cache);
  EXPECT_EQ(kept.framework_version, "1.2");
  EXPECT_FALSE(kept.lock.is_null());
  EXPECT_EQ(calls(), 1U);
  EXPECT_FALSE(examine(kTarget, true).from_cache);  // --refresh
  EXPECT_FALSE(examine(std::string(kTarget) + "threads = 2\n").from_cache);
  EXPECT_FALSE(examine(kTarget).from_cache);  // one answer a place
  EXPECT_TRUE(examine(kTarget).from_cache);
  // A package is installed.
  ASSERT_TRUE(write_file(folder_.path() / "venv" / "lib" / "python3.11" / "site-packages" / "new.py", ""));
  EXPECT_FALSE(examine(kTarget).from_cache);
}

TEST_F(DoctorTest, WhatIsUnusableIsAskedAgain) {
  make_prefix();
  agent("print(json.dumps({'usable': False, 'reason': 'not yet'}))\n");
  EXPECT_FALSE(examine(kTarget).usable);
  EXPECT_FALSE(examine(kTarget).from_cache);
  EXPECT_EQ(calls(), 2U);
}

}  // namespace
}  // namespace seamark::target
