#include "seamark/report/document/text_table.h"

#include <gtest/gtest.h>

#include <limits>

#include "seamark/report/render/number_text.h"

namespace seamark::report {
namespace {

RenderOptions width(int columns) {
  RenderOptions options;
  options.width = columns;
  return options;
}

TEST(Wrapped, BreaksAtSpacesAndKeepsTheIndent) {
  EXPECT_EQ(wrapped("one two three", 8, "  "), "one two\n  three\n");
  EXPECT_EQ(wrapped("one two three", 8, "", 5), "one\ntwo\nthree\n");
  EXPECT_EQ(wrapped("", 8), "\n");
  EXPECT_EQ(wrapped("abcdefghij", 5), "abcd…\n");
}

TEST(TextTable, LeavesOutOptionalColumnsAndShortensElasticOnes) {
  TextTable table({{"name", Column::Align::kLeft, 0, 8, true},
                   {"note", Column::Align::kLeft, 1},
                   {"n", Column::Align::kRight}});
  table.add_row({"torch.nn.functional.relu", std::string(60, 'x'), "12"});
  EXPECT_EQ(table.render(width(60)),
            "  name                       n\n"
            "  ────────────────────────────\n"
            "  torch.nn.functional.relu  12\n");
}

TEST(TextTable, KeepsTheEndOfANameWhereAsked) {
  TextTable table({{"name", Column::Align::kLeft, 0, 8, true}, {"text"}});
  table.add_row({"torch.nn.functional.relu", std::string(46, 'x')});
  EXPECT_NE(table.render(width(60)).find("  …onal.relu  xxx"), std::string::npos) << table.render(width(60));
}

TEST(TextTable, NamesThatWouldReadTheSameWhenCutStandWhole) {
  const std::string note(40, 'x');
  TextTable begins({{"name", Column::Align::kLeft, 0, 8}, {"text"}});
  begins.add_row({"torch.nn.functional.max_pool2d", note});
  begins.add_row({"torch.nn.functional.max_pool3d", note});
  begins.add_row({"torch.special.gammaln", note});
  EXPECT_EQ(begins.render(width(60)),
            "  name              text\n"
            "  ──────────────────────────────────────────────────────────\n"
            "  torch.nn.         " +
                note +
                "\n"
                "    functional.\n"
                "    max_pool2d\n"
                "  torch.nn.         " +
                note +
                "\n"
                "    functional.\n"
                "    max_pool3d\n"
                "  torch.special.g…  " +
                note + "\n");
  TextTable ends({{"name", Column::Align::kLeft, 0, 8, true}, {"text"}});
  ends.add_row({"tf.math.unsorted_segment_sum", note});
  ends.add_row({"tf.raw.unsorted_segment_sum", note});
  ends.add_row({"tf.raw.unsorted_segment_sum", note});
  const std::string text = ends.render(width(60));
  EXPECT_EQ(text.find("…"), std::string::npos) << text;
  EXPECT_NE(text.find("  tf.math.unsorted  x"), std::string::npos) << text;
  // Texts that are no names are cut as before, and so is a name that stands in more rows.
  TextTable texts({{"n"}, {"error", Column::Align::kLeft, 0, 8}});
  texts.add_row({"1", std::string(80, 'e') + "1"});
  texts.add_row({"2", std::string(80, 'e') + "2"});
  texts.add_row({std::string(5, '3'), "short"});
  EXPECT_NE(texts.render(width(60)).find("e…"), std::string::npos);
}

TEST(TextTable, NoEscapeWithoutColor) {
  TextTable table({{"a"}});
  table.add_row({{"x", Tone::kBad}});
  EXPECT_EQ(table.render(width(80)).find('\x1b'), std::string::npos);
  RenderOptions color = width(80);
  color.color = true;
  EXPECT_NE(table.render(color).find("\x1b[31mx\x1b[0m"), std::string::npos);
}

TEST(NumberText, Seconds) {
  const Glyphs glyphs = Glyphs::of(true);
  EXPECT_EQ(seconds_text(812e-9, glyphs), "812 ns");
  EXPECT_EQ(seconds_text(45.2e-6, glyphs), "45.2 µs");
  EXPECT_EQ(seconds_text(999.7e-6, glyphs), "1.00 ms");
  EXPECT_EQ(seconds_text(3.409, glyphs), "3.41 s");
  EXPECT_EQ(seconds_text(161, glyphs), "2 min 41 s");
  EXPECT_EQ(seconds_text(7500, glyphs), "2 h 05 min");
  EXPECT_EQ(seconds_text(-1, glyphs), "–");
  EXPECT_EQ(seconds_text(std::numeric_limits<double>::infinity(), glyphs), "–");
}

TEST(NumberText, Ratios) {
  const Glyphs glyphs = Glyphs::of(false);
  EXPECT_EQ(ratio_text(14.62, glyphs), "14.6x");
  EXPECT_EQ(ratio_text(0.9166, glyphs), "0.92x");
  EXPECT_EQ(ratio_text(0.0123, glyphs), "0.012x");
  EXPECT_EQ(ratio_text(24833.3, glyphs), "24,833x");
  EXPECT_EQ(ratio_text(1e-5, glyphs), "<0.001x");
  EXPECT_EQ(ratio_text(999.6, glyphs), "1,000x");
}

TEST(NumberText, PercentNeverClaimsAllOrNothingByRounding) {
  const Glyphs glyphs = Glyphs::of(true);
  EXPECT_EQ(percent_text(1, 3, glyphs), "33%");
  EXPECT_EQ(percent_text(999, 1000, glyphs), ">99%");
  EXPECT_EQ(percent_text(1, 1000, glyphs), "<1%");
  EXPECT_EQ(percent_text(0, 5, glyphs), "0%");
  EXPECT_EQ(percent_text(5, 5, glyphs), "100%");
  EXPECT_EQ(percent_text(0, 0, glyphs), "–");
}

TEST(NumberText, Dates) {
  EXPECT_EQ(utc_text(1'795'258'920'000'000), "2026-11-21 11:02 UTC");
  EXPECT_EQ(iso_text(951'782'400'000'000), "2000-02-29T00:00:00Z");
  EXPECT_EQ(utc_text(0), "unknown");
  EXPECT_EQ(iso_text(-5), "");
  EXPECT_EQ(utc_text(std::numeric_limits<std::int64_t>::max()), "unknown");
}

TEST(NumberText, Counts) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(31112), "31,112");
  EXPECT_EQ(count_text(-1234567), "-1,234,567");
  EXPECT_EQ(plural(1, "case"), "1 case");
  EXPECT_EQ(plural(2, "entry", "entries"), "2 entries");
}

}  // namespace
}  // namespace seamark::report
