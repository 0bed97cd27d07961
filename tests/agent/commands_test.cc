#include "seamark/agent/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "seamark/base/fd.h"

namespace seamark::agent {
namespace {

using ::testing::HasSubstr;

class CommandsTest : public ::testing::Test {
 protected:
  // A boot file that does this.
  AgentProgram program(const std::string& body) {
    const std::string boot = (folder_.path() / "boot.py").string();
    EXPECT_TRUE(write_file(boot, "import sys, time, os\n" + body).ok());
    return {::access("/usr/bin/python3", X_OK) == 0 ? "/usr/bin/python3" : "python3", boot, {}};
  }
  TempDir folder_ = std::move(TempDir::make("seamark-agent").value());
};

TEST_F(CommandsTest, MissingInterpreter) {
  const Result<std::string> rows = catalog_rows({"/nowhere/python", "/boot.py", {}}, Value());
  ASSERT_FALSE(rows.ok());
  EXPECT_TRUE(rows.error().is(AgentError::kInterpreterMissing));
  EXPECT_THAT(rows.error().message(), HasSubstr("/nowhere/python"));
  EXPECT_THAT(rows.error().remedy(), HasSubstr("--python"));
}

TEST_F(CommandsTest, AnInterpreterThatCannotBeExecuted) {
  const std::string path = (folder_.path() / "no-python").string();
  ASSERT_TRUE(write_file(path, "text").ok());
  const Result<std::string> rows = catalog_rows({path, "/boot.py", {}}, Value());
  ASSERT_FALSE(rows.ok());
  EXPECT_TRUE(rows.error().is(AgentError::kInterpreterMissing));
}

TEST_F(CommandsTest, AFailureShowsTheEndOfStderr) {
  const Result<std::string> text = script(program("sys.exit('no case is named x')"), {}, "x", Value());
  ASSERT_FALSE(text.ok());
  EXPECT_TRUE(text.error().is(AgentError::kFailed));
  EXPECT_THAT(text.error().message(), HasSubstr("no case is named x"));
}

TEST_F(CommandsTest, ACommandThatHangsIsEnded) {
  const Result<std::string> rows =
      catalog_rows(program("time.sleep(60)"), Value(), std::chrono::milliseconds(200));
  ASSERT_FALSE(rows.ok());
  EXPECT_TRUE(rows.error().is(AgentError::kTimeout));
}

TEST_F(CommandsTest, ListReadsCases) {
  const std::string one =
      R"({"name":"torch.sum/sum[f32]","function":"torch.sum","framework":"torch","suite":"curated","hash":"ab",)"
      R"("dtype":"f32","shape":"3","core":true,"quick":true,"host_only":false,"grad":true,"timeout_s":5,)"
      R"("params":{"dim":[0,1]}})";
  const AgentProgram agent = program(
      "assert sys.argv[1:] == ['list','--suite','a','--suite','b','--framework','torch']\nprint(r'''" + one +
      "''')\nprint()\n");
  const std::vector<std::string> suites = {"a", "b"};
  const Result<std::vector<CaseInfo>> cases = list_cases(agent, suites, "torch");
  ASSERT_TRUE(cases.ok()) << cases.error().message();
  ASSERT_EQ(cases->size(), 1u);
  const CaseInfo& info = cases->front();
  EXPECT_EQ(info.name, "torch.sum/sum[f32]");
  EXPECT_EQ(info.function, "torch.sum");
  EXPECT_EQ(info.dtype, "f32");
  EXPECT_TRUE(info.core && info.quick && info.grad);
  EXPECT_FALSE(info.host_only);
  EXPECT_EQ(info.timeout_s, 5);
  EXPECT_EQ(info.params.find("dim")->as_array().size(), 2u);
}

TEST_F(CommandsTest, CasesAreReadStrictly) {
  const char* good = R"({"name":"a","function":"f","framework":"torch","suite":"s","hash":"h"})";
  EXPECT_TRUE(case_from_json(good).ok());
  for (const char* bad :
       {"", "x", "[]", R"({"name":"a"})",
        R"({"name":"","function":"f","framework":"t","suite":"s","hash":"h"})",
        R"({"name":"a","function":"f","framework":"t","suite":"s","hash":"h","core":1})",
        R"({"name":"a","function":"f","framework":"t","suite":"s","hash":"h","timeout_s":-1})",
        R"({"name":"a","function":"f","framework":"t","suite":"s","hash":"h","timeout_s":1e300})",
        R"({"name":"a","function":"f","framework":"t","suite":"s","hash":"h","params":[]})",
        R"({"name":"a","function":"f","framework":"t","suite":"s","hash":5})"}) {
    const Result<CaseInfo> info = case_from_json(bad);
    ASSERT_FALSE(info.ok()) << bad;
    EXPECT_TRUE(info.error().is(AgentError::kBadOutput));
  }
}

}  // namespace
}  // namespace seamark::agent
