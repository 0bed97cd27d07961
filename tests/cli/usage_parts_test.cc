#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "seamark/cli/usage_catalogues.h"
#include "seamark/cli/usage_counting.h"

namespace seamark::cli {
namespace {

TEST(UsageCatalogues, TheNewestVersionIsByItsNumbers) {
  const auto newer = [](std::string_view a, std::string_view b) {
    EXPECT_FALSE(is_newer_version(a, b) && is_newer_version(b, a)) << a << " " << b;
    return is_newer_version(a, b);
  };
  EXPECT_TRUE(newer("2.10.0", "2.9.1"));
  EXPECT_FALSE(newer("2.9.1", "2.10.0"));
  EXPECT_TRUE(newer("2.0.1", "2.0"));
  EXPECT_FALSE(newer("2.0", "2.0.0"));
  EXPECT_FALSE(newer("2.0.0", "2.0"));
  EXPECT_TRUE(newer("2.0.0", "2.0.0rc1"));
  EXPECT_TRUE(newer("2.0.0rc2", "2.0.0rc1"));
  EXPECT_FALSE(newer("2.13.0+cpu", "2.13.0"));
  EXPECT_TRUE(newer("1", ""));
  EXPECT_FALSE(newer("", ""));
}

TEST(UsageCounting, CorporaAreCalledAfterTheirInputs) {
  const auto label = [](std::vector<std::string> inputs) { return label_of_inputs(inputs); };
  EXPECT_EQ(label({"-"}), "stdin");
  EXPECT_EQ(label({"/data/corpus/"}), "corpus");
  EXPECT_EQ(label({"/data/a.json.gz"}), "a.json.gz");
  EXPECT_EQ(label({"x/a.gz", "x/b.gz", "x/c.gz"}), "a.gz..c.gz (3)");
  EXPECT_EQ(label({"/"}), "/");
}

TEST(UsageCounting, TheRateOfASmallFolderIsNotZero) {
  EXPECT_EQ(byte_rate(2048, 0.5), "4.0 KiB/s");
  EXPECT_EQ(byte_rate(300, 1), "300 B/s");
  EXPECT_EQ(byte_rate(3e9, 2), "1.4 GiB/s");
}

}  // namespace
}  // namespace seamark::cli
