// No text of a result is ever markup, a formula or an escape sequence, whatever field it stands in.
#include <gtest/gtest.h>

#include <limits>
#include <regex>
#include <set>

#include "sample_summary.h"
#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/report/build/show_report.h"
#include "seamark/report/page/html_text.h"
#include "seamark/report/render/render_options.h"

namespace seamark::report {
namespace {

RenderOptions options_of(int width) {
  RenderOptions options;
  options.width = width;
  options.tool_version = testing::hostile_text(999);
  return options;
}

void expect_plain(const std::string& text) {
  EXPECT_TRUE(is_utf8(text));
  for (const char c : text) {
    ASSERT_FALSE(static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t')
        << static_cast<int>(c);
    ASSERT_NE(c, '\x7f');
  }
  EXPECT_EQ(text.find("\xe2\x80\xae"), std::string::npos) << "a bidirectional override";
  for (const char* none : {"\xef\xbf\xbe", "\xef\xbf\xbf", "\xf0\x9f\xbf\xbe"})
    EXPECT_EQ(text.find(none), std::string::npos) << "no character";
}

// What a CI would act upon where it stands in its log.
void expect_no_commands(const std::string& text) {
  for (const std::string_view line : split_lines(text)) {
    EXPECT_FALSE(trim(line).starts_with("::")) << line;
    for (const char* command : {"##[", "##vso[", "##teamcity["})
      EXPECT_EQ(line.find(command), std::string::npos) << line;
  }
}

TEST(ReportHostile, TheTextItselfIsHostile) {
  const std::string text = testing::hostile_text(1);
  EXPECT_NE(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("<script>"), std::string::npos);
  EXPECT_FALSE(is_utf8(text));
}

TEST(ReportHostile, TerminalStaysPlainAndWithinItsWidth) {
  for (const int width : {10, 60, 80, 100, 140}) {
    const std::string text = render(Format::kTerminal, testing::hostile_summary(), options_of(width));
    expect_plain(text);
    EXPECT_EQ(text.find('\r'), std::string::npos);
    expect_no_commands(text);
    for (const std::string_view line : split_lines(text)) {
      EXPECT_LE(display_width(line), static_cast<std::size_t>(std::max(60, width))) << line;
    }
  }
}

TEST(ReportHostile, TheSampleKeepsToTheWidth) {
  for (const int width : {60, 80, 100, 140}) {
    const std::string text = render(Format::kTerminal, testing::sample_summary(), options_of(width));
    for (const std::string_view line : split_lines(text)) {
      EXPECT_LE(display_width(line), static_cast<std::size_t>(width)) << line;
    }
  }
}

TEST(ReportHostile, ShowStaysPlain) {
  const std::string text =
      terminal_text(show_document(testing::hostile_summary(), {}, options_of(100)), options_of(100));
  expect_plain(text);
  expect_no_commands(text);
}

TEST(ReportHostile, MarkdownHasNoMarkupOfTheirs) {
  const std::string text = render(Format::kMarkdown, testing::hostile_summary(), options_of(100));
  expect_plain(text);
  const std::regex code("`[^`\n]*`");
  const std::string bare = std::regex_replace(replace_all(text, "\\`", ""), code, "");
  EXPECT_EQ(bare.find("<script"), std::string::npos);
  EXPECT_EQ(bare.find("<img"), std::string::npos);
  EXPECT_EQ(bare.find(" [link]"), std::string::npos);
  EXPECT_EQ(bare.find(" **b**"), std::string::npos);
  EXPECT_EQ(bare.find("://"), std::string::npos);
}

TEST(ReportHostile, MarkdownTablesKeepTheirColumns) {
  const std::string text = render(Format::kMarkdown, testing::hostile_summary(), options_of(100));
  std::size_t columns = 0;
  for (const std::string_view line : split_lines(text)) {
    if (line.empty() || line.front() != '|') {
      columns = 0;
      continue;
    }
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i) bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
    if (columns != 0) {
      EXPECT_EQ(bars, columns) << line;
    }
    columns = bars;
  }
}

TEST(ReportHostile, CsvKeepsItsColumnsAndHasNoFormula) {
  analysis::Summary summary = testing::hostile_summary();
  summary.functions[0].name = "=cmd|' /C calc'!A0";
  const std::string text = render(Format::kCsv, summary, options_of(100));
  expect_plain(text);
  std::size_t expected = 0;
  std::size_t fields = 1;
  bool quoted = false;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && !quoted) {
      EXPECT_NE(c, '=');
    }
    at_start = false;
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == ',') ++fields, at_start = true;
    if (c != '\n') continue;
    if (expected == 0) expected = fields;
    EXPECT_EQ(fields, expected);
    fields = 1;
    at_start = true;
  }
  EXPECT_EQ(expected, 30u);
}

TEST(ReportHostile, JsonKeepsTheTextAndParses) {
  const analysis::Summary summary = testing::hostile_summary();
  const std::string text = render(Format::kJson, summary, options_of(100));
  EXPECT_TRUE(is_utf8(text));
  for (const char c : text) ASSERT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n');
  const Result<Value> parsed = parse_json(text);
  ASSERT_TRUE(parsed.ok()) << parsed.error().message();
  const Value& functions = *parsed->find("functions");
  EXPECT_EQ(functions.as_array().at(0).string_or("name", ""), repair_utf8(summary.functions[0].name));
}

// Every tag of the page is one that the renderer writes, with attributes that it writes.
// The page without what is between <script> and </script>: its own code, and the data.
std::string without_scripts(const std::string& text, std::string& data) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t open = 0; (open = text.find("<script", at)) != std::string::npos;) {
    out += text.substr(at, open - at);
    const std::size_t inside = text.find('>', open) + 1;
    at = text.find("</script>", inside);
    if (text.substr(open, inside - open) != "<script>") data += text.substr(inside, at - inside);
    at += std::string_view("</script>").size();
  }
  return out + text.substr(at);
}

TEST(ReportHostile, HtmlHasOnlyItsOwnTags) {
  const std::string page = render(Format::kHtml, testing::hostile_summary(), options_of(100));
  expect_plain(page);
  std::string data;
  const std::string text = without_scripts(page, data);
  EXPECT_EQ(data.find_first_of("<>&"), std::string::npos);
  EXPECT_NE(data.find("\\u003cscript\\u003edocument.title"), std::string::npos);
  const std::set<std::string> allowed{
      "a",    "b",   "body",     "code",  "dd",      "details", "div",   "dl",      "dt",    "footer",
      "h1",   "h2",  "h3",       "head",  "header",  "html",    "i",     "li",      "link",  "main",
      "meta", "nav", "noscript", "p",     "section", "span",    "style", "summary", "table", "tbody",
      "td",   "th",  "thead",    "title", "tr",      "ul",      "wbr"};
  const std::size_t from = text.rfind("</style>");
  const std::regex tag("<(/?)([^ />]*)([^>]*)>");
  const std::regex attributes(
      "( (class|id|href|role|aria-label|aria-hidden|tabindex|scope|colspan)=(\"[^\"<>]*\"|[a-z]+))*/?");
  std::size_t tags = 0;
  for (auto at = std::sregex_iterator(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(), tag);
       at != std::sregex_iterator(); ++at, ++tags) {
    EXPECT_TRUE(allowed.contains((*at)[2].str())) << (*at)[0].str();
    EXPECT_TRUE(std::regex_match((*at)[3].str(), attributes)) << (*at)[0].str();
  }
  EXPECT_GT(tags, 1000u);
  std::size_t opening = 0;
  for (std::size_t i = from; i < text.size(); ++i) opening += text[i] == '<';
  EXPECT_EQ(opening, tags) << "a '<' that starts no tag";
  const std::regex link("href=\"([^\"]*)\"");
  for (auto at = std::sregex_iterator(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(), link);
       at != std::sregex_iterator(); ++at) {
    EXPECT_EQ((*at)[1].str().front(), '#');
  }
}

TEST(ReportHostile, HtmlAnchorsAreUniqueAndEveryLinkHasOne) {
  for (const analysis::Summary& summary : {testing::sample_summary(), testing::hostile_summary()}) {
    const std::string text = render(Format::kHtml, summary, options_of(100));
    std::set<std::string> ids;
    const std::regex id(" id=\"([^\"]*)\"");
    for (auto at = std::sregex_iterator(text.begin(), text.end(), id); at != std::sregex_iterator(); ++at) {
      EXPECT_TRUE(ids.insert((*at)[1].str()).second) << (*at)[1].str();
    }
    // The scripts open these.
    for (const analysis::FunctionRow& function : summary.functions) {
      ids.insert(html::anchor('f', function.name));
    }
    const std::regex link("href=\"#([^\"]*)\"");
    for (auto at = std::sregex_iterator(text.begin(), text.end(), link); at != std::sregex_iterator(); ++at) {
      EXPECT_TRUE(ids.contains((*at)[1].str())) << (*at)[1].str();
    }
  }
}

TEST(ReportEmpty, EveryFormatCopesWithNothing) {
  for (const Format format :
       {Format::kTerminal, Format::kMarkdown, Format::kJson, Format::kCsv, Format::kHtml}) {
    const std::string text = render(format, analysis::Summary{}, options_of(80));
    EXPECT_FALSE(text.empty());
    EXPECT_EQ(text.back(), '\n');
  }
  EXPECT_TRUE(show_document(analysis::Summary{}, {}, options_of(80)).head.empty());
}

// A number that JSON cannot hold is null with a reason.
TEST(ReportEmpty, NonFiniteNumbersAreNull) {
  analysis::Summary summary = testing::sample_summary();
  summary.targets[1].median_ratio_warm.value = std::numeric_limits<double>::infinity();
  summary.functions[0].cases[0].cells[6].times.edit().warm_s.value = std::numeric_limits<double>::quiet_NaN();
  const Result<Value> parsed = parse_json(render(Format::kJson, summary, options_of(80)));
  ASSERT_TRUE(parsed.ok());
  const Value& target = parsed->find("targets")->as_array().at(1);
  EXPECT_TRUE(target.find("median_ratio_warm")->is_null());
  EXPECT_EQ(target.string_or("median_ratio_warm_reason", ""), "not a finite number");
  for (const Format format : {Format::kTerminal, Format::kMarkdown, Format::kCsv, Format::kHtml}) {
    const std::string text = render(format, summary, options_of(80));
    EXPECT_EQ(text.find("nan s"), std::string::npos);
    EXPECT_EQ(text.find("infx"), std::string::npos);
  }
}

}  // namespace
}  // namespace seamark::report
