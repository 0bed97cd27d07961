#include "seamark/report/page/html_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "seamark/base/value.h"

namespace seamark::report::html {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(HtmlPage, ThePolicyNamesEachStyleAndScript) {
  PageParts parts;
  parts.title = "a <b>";
  parts.styles = {"abc"};
  parts.scripts = {"", "abc"};
  const std::string head = page_head(parts);
  EXPECT_THAT(head, HasSubstr("content=\"default-src 'none'; style-src "
                              "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='; script-src "
                              "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' "
                              "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='; img-src data:; "
                              "base-uri 'none'; form-action 'none'\""));
  EXPECT_THAT(head, HasSubstr("<title>a &lt;b&gt;</title>"));
  EXPECT_THAT(head, HasSubstr("<style>abc</style>"));
  EXPECT_THAT(head, Not(HasSubstr("unsafe")));
  parts.early = {"", "abc"};
  parts.scripts = {"def"};
  EXPECT_THAT(page_head(parts), HasSubstr("<script></script>\n<script>abc</script>\n</head>"));
  parts.early.clear();
  parts.scripts = {"", "abc"};
  EXPECT_EQ(scripts_of(parts), "<script></script>\n<script>abc</script>\n");
}

TEST(HtmlPage, NothingIsAllowedThatIsNotGiven) {
  EXPECT_THAT(page_head({}), HasSubstr("style-src 'none'; script-src 'none';"));
  PageParts parts;
  parts.style_attributes = true;
  EXPECT_THAT(page_head(parts), HasSubstr("style-src-attr 'unsafe-inline'; script-src 'none'"));
}

TEST(HtmlPage, CodeIsHashedAsTheBrowserReadsIt) {
  PageParts windows;
  windows.scripts = {"a\r\nb\rc"};
  PageParts unix;
  unix.scripts = {"a\nb\nc"};
  EXPECT_EQ(page_head(windows), page_head(unix));
  EXPECT_EQ(scripts_of(windows), "<script>a\nb\nc</script>\n");
}

TEST(HtmlPage, CodeThatWouldEndItsElementIsRefused) {
  for (const std::string_view code : {"'</script>'", "'</SCRIPT'", "'<!--<script>'", "'\xff'"}) {
    PageParts parts;
    parts.scripts = {code};
    EXPECT_THROW(scripts_of(parts), std::invalid_argument) << code;
  }
  PageParts style;
  style.styles = {"a{}</style>"};
  EXPECT_THROW(page_head(style), std::invalid_argument);
}

TEST(HtmlPage, DataCannotEndItsElementAndReadsBackAsItWas) {
  Value value;
  value.set("x", "</script><!--<script>&amp;\u2028\u2029'\"\\");
  const std::string element = data_element("d", dump_json(value));
  const std::string open = "<script type=\"application/json\" id=\"d\">";
  const std::string close = "</script>\n";
  ASSERT_TRUE(element.starts_with(open) && element.ends_with(close));
  const std::string inside = element.substr(open.size(), element.size() - open.size() - close.size());
  for (const char* part : {"<", ">", "&", "\u2028", "\u2029"}) EXPECT_THAT(inside, Not(HasSubstr(part)));
  const Result<Value> back = parse_json(inside);
  ASSERT_TRUE(back.ok());
  EXPECT_TRUE(*back == value);
}

}  // namespace
}  // namespace seamark::report::html
