#include "seamark/usage/scan/words.h"

#include <gtest/gtest.h>

#include <string>

namespace seamark::usage {
namespace {

// Whoever makes a table by number must not be given one that is no number.
TEST(Words, AKeywordThatIsAddedHasANumberThatNoTokenHas) {
  const std::string text = "        zeros in        ";
  Words words;
  EXPECT_EQ(words.add(text.data() + 8, 5), 0U);
  EXPECT_EQ(words.add(text.data() + 14, 2), 1U);
  EXPECT_EQ(words.add(text.data() + 8, 5), 0U);
  EXPECT_EQ(words.size(), 2U);
  EXPECT_EQ(words.name(1), "in");
  EXPECT_EQ(words.find(text.data() + 14, 2)->name, Words::kNoName);
}

}  // namespace
}  // namespace seamark::usage
