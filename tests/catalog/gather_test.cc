#include "seamark/catalog/gather.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "seamark/base/fd.h"

namespace seamark::catalog {
namespace {

using testing::HasSubstr;

// An agent of one file: what it prints and how it ends.
class Gather : public testing::Test {
 protected:
  Result<Catalogue> run(const std::string& body) {
    Result<TempDir> folder = TempDir::make("seamark-gather-test");
    if (!folder) return folder.error();
    const std::string boot = (folder->path() / "boot.py").string();
    if (Status written = write_file(boot, "import json, sys\n" + body); !written) return written.error();
    Result<Rules> rules = Rules::parse("framework = \"fw\"\nrule_version = 4\nroot = []\n", "fw.toml");
    if (!rules) return rules.error();
    return gather({"python3", boot, {}}, *rules, 123);
  }
};

const char* const kAnswer = R"(
rules = json.loads(sys.argv[sys.argv.index("--rules") + 1])
assert sys.argv[1] == "catalog"
for row in (
    {"row": "catalog", "schema": 1, "framework": "fw", "version": "1.0", "rule_version": rules["rule_version"]},
    {"row": "function", "name": "fw.f", "kind": "function"},
    {"row": "end", "functions": 1, "modules": 1, "flat": 1, "flat_all": 1},
):
    print(json.dumps(row))
)";

TEST_F(Gather, TheAgentGetsTheRulesAndItsRowsAreTaken) {
  const Result<Catalogue> catalogue = run(kAnswer);
  ASSERT_TRUE(catalogue) << catalogue.error().message();
  EXPECT_EQ(catalogue->head.rule_version, 4);
  EXPECT_EQ(catalogue->head.taken_unix_us, 123);
  EXPECT_EQ(catalogue->functions.at(0).name, "fw.f");
}

TEST_F(Gather, AFrameworkThatIsNotThereIsAnErrorOfTheAgent) {
  const Result<Catalogue> catalogue = run("sys.exit('No module named fw')");
  ASSERT_FALSE(catalogue);
  EXPECT_TRUE(catalogue.error().is(agent::AgentError::kFailed));
  EXPECT_THAT(catalogue.error().message(), HasSubstr("No module named fw"));
}

TEST_F(Gather, HalfACatalogueIsRefused) {
  const Result<Catalogue> catalogue =
      run(R"(print('{"row":"catalog","schema":1,"framework":"fw","version":"1","rule_version":1}'))");
  ASSERT_FALSE(catalogue);
  EXPECT_TRUE(catalogue.error().is(CatalogError::kBadRow));
  EXPECT_THAT(catalogue.error().message(), HasSubstr("not whole"));
}

TEST_F(Gather, TheCatalogueOfAnotherFrameworkIsRefused) {
  const Result<Catalogue> catalogue =
      run(std::string(kAnswer).replace(std::string(kAnswer).find(": \"fw\""), 6, ": \"xx\""));
  ASSERT_FALSE(catalogue);
  EXPECT_THAT(catalogue.error().message(), HasSubstr("answered for xx"));
}

}  // namespace
}  // namespace seamark::catalog
