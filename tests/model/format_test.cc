#include "seamark/model/format.h"

#include <gtest/gtest.h>

namespace seamark {
namespace {

TEST(OutputFormat, ByNameAndByEnding) {
  EXPECT_EQ(format_from("markdown"), Format::kMarkdown);
  EXPECT_EQ(format_from("md"), Format::kMarkdown);
  EXPECT_EQ(format_from("text"), Format::kTerminal);
  EXPECT_EQ(format_from("tex"), Format::kLatex);
  EXPECT_EQ(format_from("xml"), Format::kJunit);
  EXPECT_EQ(format_from("vega-lite"), Format::kVegaLite);
  EXPECT_EQ(format_from("db"), std::nullopt);
  EXPECT_EQ(format_from(""), std::nullopt);
  for (int i = 0; i <= static_cast<int>(Format::kVegaLite); ++i) {
    EXPECT_EQ(format_from(format_name(static_cast<Format>(i))), static_cast<Format>(i));
  }
}

TEST(OutputFormat, NamesForAMessage) {
  EXPECT_EQ(format_names({Format::kTerminal, Format::kMarkdown, Format::kJson}),
            "terminal, markdown or json");
  EXPECT_EQ(format_names({Format::kCsv}), "csv");
}

}  // namespace
}  // namespace seamark
