// Each renderer against a file that was read by eye. SEAMARK_UPDATE_GOLDEN=1 writes the files anew:
// read the difference before committing it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "golden.h"
#include "sample_summary.h"
#include "seamark/base/fd.h"
#include "seamark/base/sha256.h"
#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/report/build/show_report.h"
#include "seamark/report/render/render_options.h"

namespace seamark::report {
namespace {

RenderOptions options_of(int width) {
  RenderOptions options;
  options.width = width;
  options.tool_version = "0.1.0";
  return options;
}

TEST(ReportGolden, Terminal80) {
  expect_golden("terminal_80.txt", render(Format::kTerminal, testing::sample_summary(), options_of(80)));
}

TEST(ReportGolden, Terminal100) {
  expect_golden("terminal_100.txt", render(Format::kTerminal, testing::sample_summary(), options_of(100)));
}

TEST(ReportGolden, Terminal140) {
  expect_golden("terminal_140.txt", render(Format::kTerminal, testing::sample_summary(), options_of(140)));
}

TEST(ReportGolden, TerminalAscii) {
  RenderOptions options = options_of(80);
  options.unicode = false;
  const std::string text = render(Format::kTerminal, testing::sample_summary(), options);
  for (const char c : text) ASSERT_TRUE(static_cast<unsigned char>(c) < 0x80) << text;
  expect_golden("terminal_ascii.txt", text);
}

TEST(ReportGolden, TerminalColor) {
  RenderOptions options = options_of(100);
  options.color = true;
  expect_golden("terminal_color.txt", render(Format::kTerminal, testing::sample_summary(), options));
}

TEST(ReportGolden, Show) {
  analysis::Summary summary = testing::sample_summary_with_attempts();
  std::erase_if(summary.functions, [](const auto& row) { return row.name != "torch.ormqr"; });
  summary.attempts.erase(summary.attempts.begin(), summary.attempts.end() - 1);
  expect_golden("show_100.txt", terminal_text(show_document(summary, {}, options_of(100)), options_of(100)));
  expect_golden("show_full_100.txt",
                terminal_text(show_document(summary, {.case_name = {}, .full = true}, options_of(100)),
                              options_of(100)));
  expect_golden("show_to_80.txt",
                terminal_text(show_document(summary, {.case_name = {}, .sentences = true}, options_of(80)),
                              options_of(80)));
  expect_golden(
      "show_case_80.txt",
      terminal_text(show_document(summary, {"torch.ormqr/ormqr[f32,8x8]"}, options_of(80)), options_of(80)));
}

TEST(ReportGolden, Badge) {
  analysis::Summary summary = testing::sample_summary();
  ASSERT_GT(summary.targets.size(), 1U);
  EXPECT_THROW(render(Format::kBadge, summary, {}), std::invalid_argument);
  summary.targets.resize(1);
  analysis::TargetRow& target = summary.targets[0];
  const auto badge = [&summary] { return parse_json(render(Format::kBadge, summary, {})).value(); };
  target.target = "torch/\x1b[1mlazy\n";
  target.all.runs = analysis::rate_of(54, 63);
  target.compiled_only = false;
  EXPECT_EQ(badge().number_or("schemaVersion", 0), 1);
  EXPECT_EQ(badge().string_or("label", "").find('\x1b'), std::string::npos);
  EXPECT_EQ(badge().string_or("message", ""), "54 of 63 functions run");
  EXPECT_EQ(badge().string_or("color", ""), "yellowgreen");
  target.compiled_only = true;
  target.all.runs = analysis::rate_of(63, 63);
  EXPECT_EQ(badge().string_or("message", ""), "63 of 63 functions compile");
  EXPECT_EQ(badge().string_or("color", ""), "brightgreen");
  target.all.runs = analysis::rate_of(0, 0);
  EXPECT_EQ(badge().string_or("message", ""), "no data");
  EXPECT_EQ(badge().string_or("color", ""), "lightgrey");
}

TEST(ReportGolden, Markdown) {
  expect_golden("report.md", render(Format::kMarkdown, testing::sample_summary(), options_of(100)));
}

TEST(ReportGolden, Json) {
  const std::string text = render(Format::kJson, testing::sample_summary(), options_of(100));
  expect_golden("report.json", text);
  const Result<Value> parsed = parse_json(text);
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->string_or("schema", ""), "seamark-report/2");
}

TEST(ReportGolden, Csv) {
  expect_golden("report.csv", render(Format::kCsv, testing::sample_summary(), options_of(100)));
}

// The name of each file of report/page stands for its text, and for its hash in the policy.
// tests/browser/browser_pages.py puts them back and opens the pages.
std::string without_code(std::string page) {
  const auto folder = std::filesystem::path(SEAMARK_SOURCE_DIR) / "src/seamark/report/page";
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string name = file.path().filename();
    const Result<std::string> code = read_file(file.path());
    EXPECT_TRUE(code.ok()) << name;
    page = replace_all(page, fmt::format(">{}</", *code), fmt::format(">{}</", name));
    page = replace_all(page, to_base64(sha256(*code)), name);
  }
  return page;
}

TEST(ReportGolden, Html) {
  const std::string page = render(Format::kHtml, testing::sample_summary(), options_of(100));
  expect_golden("report.html", without_code(page));
}

TEST(ReportGolden, HostileHtml) {
  const std::string page = render(Format::kHtml, testing::hostile_summary(), options_of(100));
  expect_golden("hostile.html", without_code(page));
}

}  // namespace
}  // namespace seamark::report
