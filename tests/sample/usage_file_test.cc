#include "seamark/sample/usage_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../known_frameworks.h"
#include "sample_makers.h"

namespace seamark::sample {
namespace {

using testing::HasSubstr;

TEST(UsageFile, ColumnsGoByName) {
  const UsageTable table =
      must(parse_usage_csv("\xef\xbb\xbf"
                           "calls,function,tier,references,files,repositories,note\r\n"
                           "12,torch.relu,resolved,3,4,2,x\r\n7,tf.add,inferred,,1,1,\r\n",
                           "a.csv", known_frameworks()));
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.corpus, "a.csv");
  EXPECT_EQ(table.rows[0].framework, "torch");
  EXPECT_EQ(table.rows[0].calls, 12);
  EXPECT_EQ(table.rows[0].references, 3);
  EXPECT_EQ(table.rows[0].repositories, 2);
  EXPECT_EQ(table.rows[1].framework, "tensorflow");
  EXPECT_EQ(table.rows[1].tier, UsageTier::kInferred);
  const UsageTable bare = must(
      parse_usage_csv("framework,function,tier,calls\ntorch,size,bare,9\n", "b.csv", known_frameworks()));
  EXPECT_EQ(bare.rows.at(0).tier, UsageTier::kBare);
}

TEST(UsageFile, WhatIsWrongIsNamedWithItsRow) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "empty"},
      {"function\ntorch.a\n", "no column 'calls'"},
      {"function,calls\ntorch.a,1\nnumpy.a,2\n", "row 3: 'numpy.a' is below no framework"},
      {"function,calls\ntorch.a,-1\n", "row 2: '-1' is no number of calls"},
      {"function,calls\ntorch.a,\n", "'' is no number of calls"},
      {"function,calls\ntorch.a,9223372036854775807\n", "no number of calls"},
      {"function,calls\ntorch.a\n", "1 fields instead of 2"},
      {"function,calls,tier\ntorch.a,1,guessed\n", "no tier 'guessed'"},
      {"function,calls\n,1\n", "names no function"},
      {"function,calls\n\"torch", "b.csv"},
      {"function,calls\ntorch.\xff,1\n", "UTF-8"},
  };
  for (const auto& [text, what] : cases) {
    const auto table = parse_usage_csv(text, "b.csv", known_frameworks());
    ASSERT_FALSE(table) << text;
    EXPECT_TRUE(table.error().is(SampleError::kBadTable)) << text;
    EXPECT_THAT(table.error().message(), HasSubstr(what));
    EXPECT_THAT(table.error().message(), HasSubstr("b.csv"));
  }
}

}  // namespace
}  // namespace seamark::sample
