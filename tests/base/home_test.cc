#include "seamark/base/home.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include "seamark/base/fd.h"

namespace seamark {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class HomeTest : public ::testing::Test {
 protected:
  HomeTest() : dir_(TempDir::make("seamark-test").value()), root_(fs::canonical(dir_.path())) {}
  fs::path make_home(const fs::path& below) {
    fs::create_directories(root_ / below / "data");
    fs::create_directories(root_ / below / "python");
    return root_ / below;
  }
  TempDir dir_;
  fs::path root_;
};

TEST_F(HomeTest, TheWheel) {
  const fs::path home = make_home("site-packages/seamark/_home");
  fs::create_directories(root_ / "site-packages/seamark/_bin");
  EXPECT_EQ(*find_home({{}, root_ / "site-packages/seamark/_bin/seamark", {}}), home);
}

TEST_F(HomeTest, AnInstalledTree) {
  const fs::path home = make_home("prefix/share/seamark");
  fs::create_directories(root_ / "prefix/bin");
  EXPECT_EQ(*find_home({{}, root_ / "prefix/bin/seamark", {}}), home);
}

TEST_F(HomeTest, TheSourceTreeComesLast) {
  const fs::path source = make_home("source");
  fs::create_directories(root_ / "build/src");
  EXPECT_EQ(*find_home({{}, root_ / "build/src/seamark", source}), source);
  const fs::path installed = make_home("build/share/seamark");
  EXPECT_EQ(*find_home({{}, root_ / "build/src/seamark", source}), installed);
}

TEST_F(HomeTest, TheVariableWinsAndMustBeRight) {
  const fs::path source = make_home("source");
  const fs::path other = make_home("other");
  EXPECT_EQ(*find_home({other.native(), {}, source}), other);
  const auto wrong = find_home({(root_ / "nothing").native(), {}, source});
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().message(), HasSubstr("SEAMARK_HOME"));
}

TEST_F(HomeTest, SaysWhereItLooked) {
  const auto none = find_home({{}, root_ / "bin/seamark", root_ / "gone"});
  ASSERT_FALSE(none.ok());
  EXPECT_TRUE(none.error().is(HomeError::kNotFound));
  EXPECT_THAT(none.error().message(), HasSubstr((root_ / "_home").native()));
  EXPECT_THAT(none.error().message(), HasSubstr((root_ / "gone").native()));
  EXPECT_NE(none.error().remedy(), "");
}

TEST(Home, KnowsItsExecutable) {
  EXPECT_THAT(executable_path().filename().native(), HasSubstr("seamark_base_test"));
  EXPECT_TRUE(executable_path().is_absolute());
}

// Sets a variable for one test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name), old_(environment_variable(name)) {
    value != nullptr ? ::setenv(name, value, 1) : ::unsetenv(name);
  }
  ~Variable() { old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> old_;
};

TEST(Home, CacheFolder) {
  const Variable home("HOME", "/h");
  const Variable none("SEAMARK_CACHE", nullptr);
  {
    const Variable xdg("XDG_CACHE_HOME", "/x");
    EXPECT_EQ(user_cache_dir(), "/x/seamark");
    const Variable own("SEAMARK_CACHE", "/own");
    EXPECT_EQ(user_cache_dir(), "/own");
  }
  const Variable relative("XDG_CACHE_HOME", "rel");
#ifdef __APPLE__
  EXPECT_EQ(user_cache_dir(), "/h/Library/Caches/seamark");
#else
  EXPECT_EQ(user_cache_dir(), "/h/.cache/seamark");
#endif
}

}  // namespace
}  // namespace seamark
