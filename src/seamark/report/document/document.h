// What a report says, before any format: headings, notes, tables, lists. Reports build documents, one
// renderer per format writes them.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "seamark/report/document/text_table.h"
#include "seamark/report/render/render_options.h"

namespace seamark::report {

struct Paragraph {
  std::string text;
};
// Short texts, one below the other.
struct Items {
  std::vector<std::string> texts;
};
// A label and what it stands for: "flips", "0 of 4".
struct Remark {
  std::string label;
  std::string text;
  Tone tone = Tone::kDim;  // of the label
};
struct Remarks {
  std::vector<Remark> list;
};
// Lines that stay as they are: error texts, tracebacks. Each is one, whatever its spans hold.
struct Line {
  std::size_t indent = 0;
  std::vector<Span> spans;
};
// Of a line: harmless at a terminal, its spaces kept, its line ends spaces.
std::string line_text(const Span& span);
struct Verbatim {
  std::vector<Line> lines;
};
using Block = std::variant<Paragraph, Items, Remarks, Verbatim, TextTable>;

struct Section {
  std::string id;       // of the page: "estimates"
  std::string heading;  // "Estimated latency"; empty: none
  std::string note;     // how to read it; may be empty
  std::vector<Block> blocks;
  bool folded = false;  // the page shows the heading and the note, the rest on demand

  void say(std::string paragraph);
};

// Texts are plain and may be anything: each renderer makes them harmless.
struct Document {
  std::vector<Remark> head;
  std::vector<Section> sections;
  // Of its Markdown. Where that would be longer, the longest lists lose their last items, and that is said.
  std::size_t most_bytes = std::numeric_limits<std::size_t>::max();

  // A section without blocks is left out.
  void add(Section section) {
    if (!section.blocks.empty()) sections.push_back(std::move(section));
  }
};

// Each ends with a newline.
std::string terminal_text(const Document& document, const RenderOptions& options);
std::string terminal_text(const Section& section, const RenderOptions& options);
// The first section is open, the others are folded.
std::string markdown_text(const Document& document);
// A <section> of a page. `linked`: names of targets and functions link to where a page of results has them.
std::string html_text(const Section& section, bool linked = true);
// A part of one. `label` names a table.
std::string html_text(const Block& block, std::string_view label);
// A page of its own; it has no results, so no name is a link.
std::string html_page(std::string_view title, const Document& document, const RenderOptions& options);

}  // namespace seamark::report
