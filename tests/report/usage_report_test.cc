#include "seamark/report/build/usage_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "seamark/base/csv.h"
#include "seamark/base/text.h"
#include "seamark/base/value.h"

namespace seamark::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

UsageRow usage_row(std::string framework, std::string function, UsageTier tier, std::int64_t calls) {
  return {.framework = std::move(framework),
          .function = std::move(function),
          .tier = tier,
          .calls = calls,
          .references = 1,
          .files = 2,
          .repositories = 1};
}

UsageView some_usage() {
  UsageView view;
  view.corpus.label = "shards";
  view.corpus.protocol = "names";
  view.corpus.vocabulary = "0123456789abcdef";
  view.corpus.catalogues = {{"torch", "2.13.0"}};
  view.corpus.inputs = {"a.json.gz"};
  view.corpus.planned = view.corpus.shards = 1;
  view.corpus.complete = true;
  view.corpus.files = 31'112;
  view.corpus.candidates = 3'719;
  view.corpus.bytes = 400'000'000;
  view.corpus.losses = 3;
  view.corpus.unresolved_stars = 2;
  view.losses = {{"a.json.gz", 17, "is not JSON"}, {"a.json.gz", 0, "ends too\x1b[31m early"}};
  view.corpus.repaired = 2;
  view.repairs = {{"a.json.gz", 18, "bytes that are not UTF-8 were read as U+FFFD", true}};
  view.table.protocol = "names";
  view.table.imports = {{"jax", 1}, {"torch", 1'204}};
  view.table.rows = {usage_row("torch", "torch.zeros", UsageTier::kResolved, 1'500),
                     usage_row("torch", "torch.ones", UsageTier::kResolved, 7),
                     usage_row("torch", "torch.Tensor.sum", UsageTier::kInferred, 5),
                     usage_row("torch", "torch.float32", UsageTier::kUnknown, 0)};
  return view;
}

// Without the breaks of lines.
std::string on_one_line(const std::string& text) { return one_line(text); }

TEST(UsageReport, ShowsTheMostCalledAndSetsTheRestApart) {
  const std::string text = render_usage(Format::kTerminal, some_usage(), 1, {});
  EXPECT_THAT(on_one_line(text), HasSubstr("shards: 31,112 files of Python"));
  EXPECT_THAT(on_one_line(text), HasSubstr("names by the catalogues of torch 2.13.0"));
  EXPECT_THAT(text, HasSubstr("TORCH: FUNCTIONS, 1 OF 2"));
  EXPECT_THAT(text, HasSubstr("torch.zeros  1,500"));
  EXPECT_THAT(text, Not(HasSubstr("torch.ones")));
  EXPECT_THAT(text, HasSubstr("NAMES THAT THE CATALOGUE DOES NOT KNOW, 1 OF 1"));
  EXPECT_THAT(text, HasSubstr("2 star imports"));
  EXPECT_THAT(text, HasSubstr("LOST: 3"));
  EXPECT_THAT(text, HasSubstr("a.json.gz:17: is not JSON"));
  EXPECT_THAT(text, HasSubstr("and 1 more"));
  EXPECT_THAT(text, HasSubstr("REPAIRED: 2"));
  EXPECT_THAT(text, HasSubstr("a.json.gz:18: bytes"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  for (std::string_view line : split_lines(text)) EXPECT_LE(display_width(line), 100U) << line;
  EXPECT_THAT(render_usage(Format::kTerminal, some_usage(), 0, {}), Not(HasSubstr("torch.zeros")));
}

TEST(UsageReport, SaysWhatIsNotComplete) {
  UsageView view = some_usage();
  view.corpus.complete = false;
  view.corpus.planned = 54;
  view.corpus.catalogues.clear();
  const std::string text = on_one_line(render_usage(Format::kTerminal, view, 1, {}));
  EXPECT_THAT(text, HasSubstr("not all of it: 1 of 54 shards"));
  EXPECT_THAT(text, HasSubstr("without a catalogue"));
}

TEST(UsageReport, TheStudysNamesHaveNoTiers) {
  UsageView view = some_usage();
  view.corpus.protocol = view.table.protocol = "paper";
  view.table.rows = {usage_row("torch", "size", UsageTier::kBare, 99)};
  const std::string text = render_usage(Format::kTerminal, view, 5, {});
  EXPECT_THAT(text, HasSubstr("counted as the study did"));
  EXPECT_THAT(text, HasSubstr("uses"));
  EXPECT_THAT(text, Not(HasSubstr("inferred")));
}

TEST(UsageData, CsvHasSixColumns) {
  UsageView view = some_usage();
  view.table.rows.push_back(usage_row("torch", "torch.\"odd\",name", UsageTier::kUnknown, 1));
  const auto rows = parse_csv(render_usage(Format::kCsv, view, 0, {}), "usage.csv");
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 6U);
  EXPECT_EQ(join((*rows)[0], ","), "function,tier,calls,references,files,repositories");
  EXPECT_EQ(join((*rows)[1], ","), "torch.zeros,resolved,1500,1,2,1");
  EXPECT_EQ((*rows)[3][1], "inferred");
  EXPECT_EQ((*rows)[5][0], "torch.\"odd\",name");
}

TEST(UsageData, JsonIsOneDocument) {
  const Result<Value> parsed = parse_json(render_usage(Format::kJson, some_usage(), 0, {}));
  ASSERT_TRUE(parsed) << parsed.error().message();
  EXPECT_EQ(parsed->string_or("schema", ""), "seamark-usage/1");
  EXPECT_EQ(parsed->string_or("rules", ""), "0123456789abcdef");
  EXPECT_EQ(parsed->find("imports")->number_or("torch", 0), 1'204);
  EXPECT_EQ(parsed->find("losses")->number_or("count", 0), 3);
  EXPECT_EQ(parsed->find("repaired")->number_or("count", 0), 2);
  EXPECT_EQ(parsed->find("repaired")->find("first")->as_array()[0].number_or("line", 0), 18);
  EXPECT_TRUE(parsed->find("losses")->find("first")->as_array()[1].find("line")->is_null());
  ASSERT_EQ(parsed->find("functions")->as_array().size(), 4U);
  EXPECT_EQ(parsed->find("functions")->as_array()[0].number_or("calls", 0), 1'500);
  UsageView empty = some_usage();
  empty.table.rows.clear();
  const Result<Value> none = parse_json(render_usage(Format::kJson, empty, 0, {}));
  ASSERT_TRUE(none) << none.error().message();
  EXPECT_TRUE(none->find("functions")->as_array().empty());
}

}  // namespace
}  // namespace seamark::report
