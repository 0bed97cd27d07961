// What a document says stands in each of its renderings.
#include "seamark/report/document/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <set>

#include "../known_frameworks.h"
#include "figures.h"
#include "sample_summary.h"
#include "seamark/analysis/beyond.h"
#include "seamark/analysis/study_tables.h"
#include "seamark/base/text.h"
#include "seamark/report/build/exhibit_text.h"
#include "seamark/report/build/run_report.h"
#include "seamark/report/build/show_report.h"

namespace seamark::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

RenderOptions wide() {
  RenderOptions options;
  options.width = 2000;  // no column is left out, no name shortened
  return options;
}

TEST(Document, EveryFigureOfARunStandsInEveryRendering) {
  const Document document = run_document(testing::sample_summary(), wide(), Extent::kPage);
  ASSERT_GE(document.sections.size(), 7U);
  std::size_t figures = 0;
  for (const Section& section : document.sections) {
    const std::set<std::string> terminal = figures_of(terminal_text(section, wide()));
    EXPECT_EQ(figures_of(markdown_text({.head = {}, .sections = {section}})), terminal) << section.id;
    EXPECT_EQ(figures_of(html_text(section)), terminal) << section.id;
    figures += terminal.size();
  }
  EXPECT_GT(figures, 200U);
}

TEST(Document, EveryFigureOfAFunctionStandsInEveryRendering) {
  const Document document =
      show_document(testing::sample_summary_with_attempts(), {.case_name = {}, .full = true}, wide());
  std::set<std::string> ids;
  for (const Section& section : document.sections) {
    const std::set<std::string> terminal = figures_of(terminal_text(section, wide()));
    EXPECT_EQ(figures_of(markdown_text({.head = {}, .sections = {section}})), terminal) << section.id;
    EXPECT_EQ(figures_of(html_text(section)), terminal) << section.id;
    ids.insert(section.id);
  }
  EXPECT_EQ(ids, (std::set<std::string>{"verdicts", "dtypes", "cases", "failures", "attempts", "notes"}));
}

// The tones of the cells that `says` is true of, in every table of the document.
std::set<Tone> tones_where(
    const Document& document,
    const std::function<bool(const Section&, const std::string& head, const Span&)>& says) {
  std::set<Tone> tones;
  for (const Section& section : document.sections) {
    for (const Block& block : section.blocks) {
      const auto* table = std::get_if<TextTable>(&block);
      if (table == nullptr) continue;
      for (const TextTable::Row& row : table->rows()) {
        for (std::size_t c = 0; c < row.cells.size(); ++c) {
          for (const Span& span : row.cells[c].spans) {
            if (says(section, table->columns()[c].joined_head(), span)) tones.insert(span.tone);
          }
        }
      }
    }
  }
  return tones;
}

TEST(Document, WhatRanOnTheHostHasAColorOfItsOwn) {
  const Document run = run_document(testing::sample_summary(), wide(), Extent::kPage);
  const auto of_section = [&](std::string_view id, std::string_view column) {
    return tones_where(run, [&](const Section& section, const std::string& head, const Span& span) {
      return section.id == id && head == column && span.text != "0" && span.text != "–";
    });
  };
  EXPECT_EQ(of_section("placement", "host"), std::set<Tone>{Tone::kHost});
  EXPECT_EQ(of_section("rates", "on device"), (std::set<Tone>{Tone::kHost, Tone::kStrong}));
  analysis::Summary summary = testing::sample_summary_with_attempts();
  const Document shown = show_document(summary, {.case_name = {}, .full = true, .sentences = true}, wide());
  const auto says_host = [](const Section&, const std::string&, const Span& span) {
    return span.text.starts_with("host") || span.text.starts_with("on host");
  };
  EXPECT_EQ(tones_where(shown, says_host), std::set<Tone>{Tone::kHost});
  std::set<Tone> sentences;
  for (const Remark& one : shown.head) {
    if (one.text.find(", but on the host:") != std::string::npos) sentences.insert(one.tone);
  }
  EXPECT_EQ(sentences, std::set<Tone>{Tone::kHost});
}

TEST(Document, EveryFigureOfAnExhibitStandsInEveryRendering) {
  const auto folder = std::filesystem::path(SEAMARK_SOURCE_DIR) / "data" / "baselines" / "grand-illusion";
  const analysis::ResultSet findings =
      analysis::findings_of(analysis::Study::load(folder).value(), known_frameworks());
  std::vector<analysis::Exhibit> exhibits = analysis::study_tables(findings);
  for (analysis::Exhibit& one : analysis::beyond_study(findings, {})) exhibits.push_back(std::move(one));
  for (const analysis::Exhibit& exhibit : exhibits) {
    const Section section = exhibit_section(exhibit, true);
    const std::set<std::string> terminal = figures_of(terminal_text(section, wide()));
    EXPECT_EQ(figures_of(markdown_text({.head = {}, .sections = {section}})), terminal) << section.id;
    EXPECT_EQ(figures_of(html_text(section)), terminal) << section.id;
    EXPECT_FALSE(terminal.empty() && !exhibit.rows.empty()) << section.id;
  }
}

Section section_of(TextTable table) {
  return {.id = "one", .heading = "One", .note = {}, .blocks = {std::move(table)}};
}

TEST(Document, ANoteStandsWithItsRow) {
  TextTable table({{"target"}, {"cases", Column::Align::kRight}});
  table.add_row({Cell::target("torch/lazy"), "3"});
  table.add_note("no rate of calls");
  table.add_section("compiled only");
  table.add_row({Cell::target("jax/tpu-v3+aot"), "4"});
  const Section section = section_of(std::move(table));
  EXPECT_THAT(
      markdown_text({.head = {}, .sections = {section}}),
      HasSubstr("| `torch/lazy` | 3 |\n\n- `torch/lazy`: no rate of calls\n\ncompiled only\n\n| target |"));
  EXPECT_THAT(html_text(section),
              HasSubstr("<tr><td colspan=\"2\" class=\"muted\">no rate of calls</td></tr>\n"
                        "<tr class=\"divider muted\">"));
}

TEST(Document, NamesOfACellLinkOneByOne) {
  TextTable table({{"target"}, {"examples"}});
  table.add_row({Cell::target_here("torch/lazy"), Cell::functions({"torch.add", "torch.mul"})});
  table.add_row({Cell::target("torch/lazy")});
  const Section section = section_of(std::move(table));
  EXPECT_THAT(html_text(section),
              HasSubstr("<th scope=\"row\" id=\"t-torch/lazy\">torch/lazy</th><td><a href=\"#f-torch.add\">"
                        "torch.<wbr>add</a>, <a href=\"#f-torch.mul\">torch.<wbr>mul</a></td></tr>\n"
                        "<tr><th scope=\"row\"><a href=\"#t-torch/lazy\">torch/lazy</a></th>"));
  EXPECT_THAT(html_page("a title", {.head = {}, .sections = {section}}, {}), Not(HasSubstr("<a ")));
  EXPECT_THAT(markdown_text({.head = {}, .sections = {section}}),
              HasSubstr("| `torch/lazy` | `torch.add`, `torch.mul` |"));
  EXPECT_THAT(terminal_text(section, wide()), HasSubstr("torch/lazy  torch.add, torch.mul\n"));
}

TEST(Document, ACellLinksToItsAnchorOnThePageAlone) {
  TextTable table({{"figure"}});
  Cell cell("Figure 1");
  cell.anchor = "c-figure-1";
  table.add_row({std::move(cell)});
  const Section section = section_of(std::move(table));
  EXPECT_THAT(html_text(section), HasSubstr("<td><a href=\"#c-figure-1\">Figure 1</a></td>"));
  EXPECT_THAT(markdown_text({.head = {}, .sections = {section}}), HasSubstr("| Figure 1 |"));
}

TEST(Document, AFoldedSectionHasItsIdWhereTheFoldOpens) {
  Section section{.id = "x-one", .heading = "One", .note = "of two", .blocks = {}};
  section.say("three");
  section.folded = true;
  EXPECT_EQ(html_text(section),
            "<section>\n<details><summary><span class=\"name\">One</span> of two</summary>\n"
            "<div id=\"x-one\" class=\"inside\">\n<p>three</p>\n</div></details></section>\n");
}

TEST(Document, ATableThatKeepsAllColumnsGoesOnBelow) {
  std::vector<Column> columns{{"name"}};
  std::vector<Cell> cells{"one"};
  for (int c = 0; c < 30; ++c) {
    columns.push_back({"column" + std::to_string(c), Column::Align::kRight});
    cells.emplace_back(std::to_string(1000 + c));
  }
  TextTable table(std::move(columns));
  table.keep_all_columns();
  table.add_row(std::move(cells));
  RenderOptions options;
  options.width = 80;
  const std::string text = table.render(options);
  for (int c = 0; c < 30; ++c) EXPECT_THAT(text, HasSubstr(std::to_string(1000 + c)));
  for (const std::string_view line : split_lines(text)) EXPECT_LE(display_width(line), 80U);
}

TEST(Document, TextsAreHarmlessInEveryRendering) {
  const std::string hostile = "one\n<script>\x1b[31m|`*\n# head";
  Document document{.head = {{hostile, hostile, Tone::kStrong}}, .sections = {}};
  TextTable table({{"a"}});
  table.add_row({hostile});
  table.add_section(hostile);
  document.add({.id = "one",
                .heading = hostile,
                .note = hostile,
                .blocks = {Paragraph{hostile}, Items{{hostile}}, Remarks{{{hostile, hostile, Tone::kDim}}},
                           Verbatim{{{2, {{hostile, Tone::kDim}}}}}, std::move(table)}});
  EXPECT_EQ(terminal_text(document, wide()).find('\x1b'), std::string::npos);
  const std::string page = html_text(document.sections.front());
  EXPECT_EQ(page.find("<script>"), std::string::npos);
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
  const std::string markdown = markdown_text(document);
  EXPECT_EQ(markdown.find('\x1b'), std::string::npos);
  EXPECT_THAT(markdown, HasSubstr("\\`"));
  for (const std::string_view line : split_lines(markdown)) {
    if (!line.starts_with("    ")) {  // code, in which nothing is markup
      EXPECT_EQ(line.find("<script>"), std::string_view::npos) << line;
    }
  }
}

TEST(Document, MarkdownKeepsToItsBoundAndSaysWhatIsLeftOut) {
  Items items;
  for (int i = 0; i < 1000; ++i) items.texts.push_back("item " + std::to_string(i));
  Document document;
  document.add({.id = "one", .heading = "One", .note = {}, .blocks = {std::move(items)}});
  EXPECT_THAT(markdown_text(document), HasSubstr("item 999"));
  document.most_bytes = 5000;
  const std::string text = markdown_text(document);
  EXPECT_LE(text.size(), 5000U);
  EXPECT_THAT(text, HasSubstr("item 1\n"));
  EXPECT_THAT(text, HasSubstr("750 more left out"));
}

}  // namespace
}  // namespace seamark::report
