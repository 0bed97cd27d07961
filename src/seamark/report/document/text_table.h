// Tables of a terminal report: columns as wide as their content, optional columns left out and
// elastic ones shortened where the terminal is narrow, colour only when asked for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/report/render/render_options.h"

namespace seamark::report {

// What a text means; how it looks is decided in one place.
enum class Tone : std::uint8_t {
  kPlain,
  kHeading,
  kDim,
  kGood,
  kPartial,
  kBad,
  kSlow,
  kCompiled,
  kStrong,
  kHost
};

// The text with the tone's colour around it, or as it is without colour. Empty text stays empty.
std::string toned(std::string_view text, Tone tone, bool color);

// Its ASCII letters as capitals: how a terminal shows a heading.
std::string upper(std::string_view text);

// Breaks at spaces so that no line is wider than width; a word that is longer is cut. `indent` stands
// before every line but the first, which starts `used` columns in. Lines end with '\n', at least one.
std::string wrapped(std::string_view text, std::size_t width, std::string_view indent = {},
                    std::size_t used = 0);

// What a text names. The page links targets and functions to what it knows of them.
enum class Naming : std::uint8_t { kNothing, kTarget, kFunction };

struct Span {
  Span(std::string words, Tone its_tone = Tone::kPlain) : text(std::move(words)), tone(its_tone) {}  // NOLINT
  std::string text;
  Tone tone = Tone::kPlain;
  Naming naming = Naming::kNothing;
  std::string named;  // as it is in the store: what the page's links go by
};

struct Cell {
  Cell() = default;
  Cell(std::string text, Tone tone = Tone::kPlain) : spans{{std::move(text), tone}} {}  // NOLINT
  Cell(const char* text) : spans{{text, Tone::kPlain}} {}                               // NOLINT
  static Cell target(const std::string& name, Tone tone = Tone::kPlain);
  // The page's links to the target lead here.
  static Cell target_here(const std::string& name, Tone tone = Tone::kPlain);
  static Cell function(const std::string& name, Tone tone = Tone::kPlain);
  // "torch.add, torch.mul"
  static Cell functions(const std::vector<std::string>& names);
  [[nodiscard]] bool names() const { return !spans.empty() && spans.front().naming != Naming::kNothing; }

  std::vector<Span> spans;
  std::string anchor;     // an id of the page that the text links to: "beyond"; other formats leave it out
  bool is_place = false;  // the page's links to what it names lead here
};

struct Column {
  enum class Align : std::uint8_t { kLeft, kRight };
  std::string head;  // '\n' breaks it
  Align align = Align::kLeft;
  int optional = 0;         // 0: always there; columns with the highest number are left out first
  std::size_t elastic = 0;  // may be shortened to this many columns; 0: never
  bool keep_end = false;    // what is too long loses its beginning: the end of a name tells more
  bool drawn = false;       // a bar of characters: not for Markdown

  // The head on one line: "func-\ntions" is "functions", "not\nrun" is "not run".
  [[nodiscard]] std::string joined_head() const;
};

class TextTable {
 public:
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One line: cells, or a text across all columns.
  struct Row {
    std::vector<Cell> cells;
    std::string section;
    Tone tone = Tone::kPlain;
    bool is_section = false;
    bool spaced = false;
  };

  // Missing cells are empty. Texts become one line each.
  void add_row(std::vector<Cell> cells);
  // Lines across all columns, with an empty one before unless the table starts with it.
  void add_section(std::string text, Tone tone = Tone::kDim);
  // Lines across all columns that belong to the row above: indented, no empty line.
  void add_note(std::string text, Tone tone = Tone::kDim);
  // Where not all columns fit: no column is left out, and those that are too many follow in further tables
  // behind the same leading texts.
  void keep_all_columns() { keep_all_ = true; }
  // Without the columns of numbers (to the right) that have none: every cell says `none`.
  [[nodiscard]] TextTable with_numbers(std::string_view none) const;
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

  // Each line starts with two spaces and ends with '\n'.
  [[nodiscard]] std::string render(const RenderOptions& options) const;

 private:
  [[nodiscard]] bool fits(const RenderOptions& options) const;
  [[nodiscard]] std::vector<std::size_t> natural_widths() const;
  [[nodiscard]] TextTable only(const std::vector<std::size_t>& columns) const;
  [[nodiscard]] std::string render_split(const RenderOptions& options) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
  bool keep_all_ = false;
};

// "HEADING  note", wrapped, with a rule below; starts with an empty line.
std::string section_heading(std::string_view heading, std::string_view note, const RenderOptions& options);

// The width that is rendered for: options.width, at least 60.
std::size_t usable_width(const RenderOptions& options);

}  // namespace seamark::report
