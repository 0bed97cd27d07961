#include "seamark/report/build/sample_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample_summary.h"
#include "seamark/base/text.h"

namespace seamark::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

analysis::Summary sampled() {
  analysis::Summary summary = testing::sample_summary();
  analysis::SampleReport report;
  report.info.id = "0123456789abcdef";
  report.info.name = "autumn";
  report.info.procedure = "the 20 most frequent by calls";
  report.info.population = "seen";
  report.info.usage = "shipped";
  report.info.seed = 4;
  analysis::TargetSample one;
  one.target = "torch/lazy";
  one.framework = "torch";
  one.estimate.functions = 1078;
  one.estimate.size = 5000;
  one.estimate.drawn = 66;
  one.estimate.answered = 60;
  one.estimate.failed = 9;
  one.estimate.of_functions = {.value = 0.123,
                               .low = 0.061,
                               .high = 0.218,
                               .reason = {},
                               .best = 0.11,
                               .worst = 0.2,
                               .lowest = 0.0004,
                               .highest = 0.31};
  one.estimate.of_size.reason = "no function that was drawn from decile-3 has a result";
  one.estimate.of_size.worst = one.estimate.of_size.highest = 0.4;
  one.unknown = {"torch.a", "torch.b", "torch.c", "torch.d", "torch.e"};
  report.targets.push_back(one);
  summary.sample = report;
  return summary;
}

TEST(SampleReport, TerminalSaysRateIntervalBoundsAndWhatIsUnknown) {
  RenderOptions options;
  options.width = 120;
  const std::string text = terminal_text(sample_section(sampled(), Glyphs::of(false)), options);
  EXPECT_THAT(text, HasSubstr("THE WHOLE CATALOGUE"));
  EXPECT_THAT(text, HasSubstr("autumn (0123456789abcdef)"));
  EXPECT_THAT(text, HasSubstr("60 of 66"));
  EXPECT_THAT(text, HasSubstr("12%"));
  EXPECT_THAT(text, HasSubstr("6.1%-22%"));
  EXPECT_THAT(text, HasSubstr("<0.1%-31%"));
  EXPECT_THAT(text, HasSubstr("no rate of calls: no function that was drawn from decile-3 has a result"));
  EXPECT_THAT(text, HasSubstr("torch.d and 1 more"));
  for (std::string_view line : split_lines(text)) EXPECT_LE(display_width(line), 120U) << line;
  options.width = 80;
  const std::string narrow = terminal_text(sample_section(sampled(), Glyphs::of(true)), options);
  for (std::string_view line : split_lines(narrow)) {
    EXPECT_LE(display_width(line), 80U) << line;
  }
}

TEST(SampleReport, EveryFormatHasIt) {
  const analysis::Summary summary = sampled();
  for (const Format format : {Format::kTerminal, Format::kMarkdown, Format::kHtml}) {
    const std::string text = render(format, summary, {});
    EXPECT_THAT(text, HasSubstr("60 of 66"));
    EXPECT_THAT(text, HasSubstr("12%"));
  }
  const Result<Value> json = parse_json(render(Format::kJson, summary, {}));
  ASSERT_TRUE(json);
  const Value& target = json->find("sample")->find("targets")->as_array().at(0);
  EXPECT_EQ(target.find("functions_fail")->number_or("value", 0), 0.123);
  EXPECT_TRUE(target.find("calls_break")->find("value")->is_null());
  EXPECT_EQ(target.find("unknown")->as_array().size(), 5U);
}

TEST(SampleReport, NothingWhereTheRunIsOfNoSample) {
  const analysis::Summary summary = testing::sample_summary();
  EXPECT_TRUE(sample_section(summary, Glyphs::of(true)).blocks.empty());
  EXPECT_THAT(render(Format::kMarkdown, summary, {}), Not(HasSubstr("whole catalogue")));
  EXPECT_TRUE(sample_value(summary).is_null());
}

TEST(SampleReport, HostileTextStaysText) {
  analysis::Summary summary = sampled();
  summary.sample->info.name = summary.sample->info.usage = "<script>\x1b[31m|`";
  summary.sample->targets[0].unknown = {"<img src=x>\n|"};
  for (const Format format : {Format::kTerminal, Format::kMarkdown, Format::kHtml}) {
    const std::string text = render(format, summary, {});
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    if (format == Format::kTerminal) continue;
    // The page's own scripts are at its ends.
    const std::string content = text.substr(0, text.find("</main>")).substr(text.find("<body>") + 1);
    EXPECT_THAT(content, Not(HasSubstr("<script>")));
    EXPECT_THAT(content, Not(HasSubstr("<img src=x")));
  }
}

}  // namespace
}  // namespace seamark::report
