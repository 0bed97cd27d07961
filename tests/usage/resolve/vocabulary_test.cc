#include "seamark/usage/resolve/vocabulary.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace seamark::usage {
namespace {

class VocabularyTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("vocabulary_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_ / "usage");
    write(
        "frameworks.toml",
        "[[framework]]\nname = \"torch\"\nmodule = \"torch\"\nroot = \"torch\"\nlabel = \"PyTorch\"\ncolor = "
        "\"#d55e00\"\n");
    write("usage/factories.toml", "[[factory]]\ntype = \"torch.Tensor\"\nnames = [\"torch.zeros\"]\n");
    write("usage/common_methods.toml", "[[types]]\nof = \"list\"\nnames = [\"append\"]\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const char* name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  [[nodiscard]] std::string problem() const {
    const Result<Vocabulary> loaded = Vocabulary::load(folder_ / "usage", {});
    if (loaded) return "";
    EXPECT_TRUE(loaded.error().is(UsageError::kBadRules));
    return loaded.error().message();
  }

  std::filesystem::path folder_;
};

TEST_F(VocabularyTest, Frameworks) {
  const Result<Vocabulary> loaded = Vocabulary::load(folder_ / "usage", {});
  ASSERT_TRUE(loaded.ok());
  ASSERT_EQ(loaded->frameworks().size(), 1u);
  EXPECT_EQ(loaded->frameworks()[0].root, "torch");
  EXPECT_EQ(loaded->hash().size(), 16u);
}

TEST_F(VocabularyTest, BadRulesAreTold) {
  EXPECT_EQ(problem(), "");
  write("usage/factories.toml",
        "[[factory]]\ntype = \"torch.Tensor\"\nnames = [\"torch.zeros\", \"torch.zeros\"]\n");
  EXPECT_NE(problem().find("'torch.zeros' stands here twice"), std::string::npos) << problem();
  write("usage/factories.toml", "[[factory]]\nnames = 3\n");
  EXPECT_NE(problem().find("type"), std::string::npos) << problem();
  write("usage/factories.toml", "");
  write("usage/common_methods.toml", "[[types]]\nnames = []\n");
  EXPECT_NE(problem().find("of"), std::string::npos) << problem();
  std::filesystem::remove(folder_ / "usage/common_methods.toml");
  EXPECT_NE(problem().find("common_methods.toml"), std::string::npos) << problem();
  std::filesystem::remove(folder_ / "usage/factories.toml");
  EXPECT_NE(problem().find("factories.toml"), std::string::npos) << problem();
  write("frameworks.toml", "");
  EXPECT_NE(problem(), "");
}

}  // namespace
}  // namespace seamark::usage
