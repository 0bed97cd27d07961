#include "seamark/report/document/text_table.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "seamark/base/text.h"

namespace seamark::report {

namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kMargin = 2;
constexpr std::size_t kNarrowest = 4;  // a column is never squeezed further
constexpr int kRanks = 9;              // of optional columns

// SGR parameters, in the order of Tone.
constexpr std::array<std::string_view, 10> kCodes = {"",   "1;36", "2",  "32", "33",
                                                     "31", "35",   "36", "1",  "34"};

std::size_t width_of(const Cell& cell) {
  std::size_t width = 0;
  for (const Span& span : cell.spans) width += display_width(span.text);
  return width;
}

std::string text_of(const Cell& cell) {
  std::string text;
  for (const Span& span : cell.spans) text += span.text;
  return text;
}

// At most `width` columns of the end of the text.
std::string end_of(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::size_t from = 0;
  while (from < text.size() && display_width(text.substr(from)) + 1 > width) {
    for (++from; from < text.size() && (static_cast<unsigned char>(text[from]) & 0xc0) == 0x80;) ++from;
  }
  return "…" + std::string(text.substr(from));
}

// As much of the beginning as fits, up to a separator where there is one in its second half; at least one
// character.
std::string_view line_of_name(std::string_view text, std::size_t width) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    std::size_t next = bytes + 1;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xc0) == 0x80) ++next;
    if (bytes > 0 && display_width(text.substr(0, next)) > width) break;
    bytes = next;
  }
  const std::size_t separator = text.substr(0, bytes).find_last_of("._/,+");
  const bool late = separator != std::string_view::npos && separator >= bytes / 2;
  return text.substr(0, bytes < text.size() && late ? separator + 1 : bytes);
}

// All of a name in lines of at most `width` columns; those after the first are indented.
std::vector<Cell> lines_of_name(const Cell& cell, std::size_t width) {
  const std::string text = text_of(cell);
  const std::string indent(width > kNarrowest ? 2 : 0, ' ');
  std::vector<Cell> lines;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string before = lines.empty() ? std::string() : indent;
    const std::string_view line = line_of_name(rest, width - before.size());
    lines.emplace_back(before + std::string(line), cell.spans.front().tone);
    rest.remove_prefix(line.size());
  }
  return lines;
}

// The cell in exactly `width` columns (`pad_end` false: without trailing spaces).
std::string fitted(const Cell& cell, std::size_t width, const Column& column, bool pad_end, bool color) {
  std::string text;
  std::size_t left = width;
  for (const Span& span : cell.spans) {
    if (left == 0) break;
    const std::string part = column.keep_end ? end_of(span.text, left) : ellipsize(span.text, left);
    left -= std::min(left, display_width(part));
    text += toned(part, span.tone, color);
  }
  if (column.align == Column::Align::kRight) return std::string(left, ' ') + text;
  return pad_end ? text + std::string(left, ' ') : text;
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

// The cuts of a column's names that stand for different names.
std::set<std::string> ambiguous_cuts(const std::vector<TextTable::Row>& rows, std::size_t column,
                                     const Column& head, std::size_t width) {
  std::map<std::string, std::string> name_of_cut;
  std::set<std::string> ambiguous;
  for (const TextTable::Row& row : rows) {
    if (row.is_section) continue;
    const Cell& cell = row.cells[column];
    if (column != 0 && !head.keep_end && !cell.names()) continue;
    const std::string cut = fitted(cell, width, head, false, false);
    const std::string name = text_of(cell);
    if (name_of_cut.try_emplace(cut, name).first->second != name) ambiguous.insert(cut);
  }
  return ambiguous;
}

struct Layout {
  std::vector<bool> shown;
  std::vector<std::size_t> widths;

  [[nodiscard]] std::size_t total() const {
    std::size_t sum = kMargin;
    for (std::size_t i = 0; i < widths.size(); ++i) sum += shown[i] ? widths[i] + kGap : 0;
    return sum - std::min(sum, kGap);
  }
};

// Takes what is too wide from the elastic columns, the widest first.
void shrink(Layout& layout, const std::vector<Column>& columns, std::size_t limit) {
  while (layout.total() > limit) {
    std::size_t best = columns.size();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const bool can = layout.shown[i] && columns[i].elastic > 0 && layout.widths[i] > columns[i].elastic;
      if (can && (best == columns.size() || layout.widths[i] > layout.widths[best])) best = i;
    }
    if (best == columns.size()) return;
    --layout.widths[best];
  }
}

// Leaves out the optional columns with the highest number; false when there is none left.
bool drop(Layout& layout, const std::vector<Column>& columns) {
  int worst = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (layout.shown[i]) worst = std::max(worst, columns[i].optional);
  }
  if (worst == 0) return false;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].optional == worst) layout.shown[i] = false;
  }
  return true;
}

Layout layout_of(const std::vector<Column>& columns, const std::vector<std::size_t>& natural,
                 std::size_t limit) {
  Layout layout{std::vector<bool>(columns.size(), true), natural};
  while (true) {
    layout.widths = natural;
    shrink(layout, columns, limit);
    if (layout.total() <= limit || !drop(layout, columns)) break;
  }
  // Nothing is wider than the terminal, whatever a name looks like.
  while (layout.total() > limit) {
    std::size_t widest = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (layout.shown[i] && (!layout.shown[widest] || layout.widths[i] > layout.widths[widest])) widest = i;
    }
    if (layout.widths[widest] <= kNarrowest) return layout;
    --layout.widths[widest];
  }
  // A column that was left out first may still be narrow enough.
  for (int rank = 1; rank <= kRanks; ++rank) {
    Layout wider{layout.shown, natural};
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].optional == rank) wider.shown[i] = true;
    }
    shrink(wider, columns, limit);
    if (wider.total() <= limit) layout = wider;
  }
  return layout;
}

}  // namespace

std::string toned(std::string_view text, Tone tone, bool color) {
  if (!color || text.empty() || tone == Tone::kPlain) return std::string(text);
  std::string out = "\x1b[";
  out += kCodes.at(static_cast<std::size_t>(tone));
  out += 'm';
  out += text;
  out += "\x1b[0m";
  return out;
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

std::string Column::joined_head() const { return replace_all(replace_all(head, "-\n", ""), "\n", " "); }

std::string wrapped(std::string_view text, std::size_t width, std::string_view indent, std::size_t used) {
  std::string out;
  std::string line;
  bool first = true;
  auto room = [&] {
    const std::size_t taken = first ? used : display_width(indent);
    return width > taken ? width - taken : 1;
  };
  auto flush = [&] {
    if (!first) out += indent;
    out += line + '\n';
    line.clear();
    first = false;
  };
  for (const std::string_view word : split_words(text)) {
    if (!line.empty() && display_width(line) + 1 + display_width(word) > room()) flush();
    if (!line.empty()) line += ' ';
    line += ellipsize(word, room());
  }
  if (first || !line.empty()) flush();
  return out;
}

std::size_t usable_width(const RenderOptions& options) {
  return static_cast<std::size_t>(std::max(60, options.width));
}

std::string section_heading(std::string_view heading, std::string_view note, const RenderOptions& options) {
  const std::size_t width = usable_width(options);
  std::string out = "\n" + toned(heading, Tone::kHeading, options.color) + "\n";
  const std::string body = note.empty() ? std::string() : wrapped(note, width);
  for (const std::string_view line : split_lines(body)) out += toned(line, Tone::kDim, options.color) + "\n";
  return out + "\n";
}

namespace {

Span naming_span(const std::string& name, Tone tone, Naming naming) {
  Span span(one_line(name), tone);
  span.naming = naming;
  span.named = name;
  return span;
}

// Alignment by spaces, where a report asks for it, stays.
std::string line_of_text(std::string text) {
  const bool harmless = std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return harmless ? std::move(text) : one_line(text);
}

}  // namespace

Cell Cell::target(const std::string& name, Tone tone) {
  Cell cell;
  cell.spans.push_back(naming_span(name, tone, Naming::kTarget));
  return cell;
}

Cell Cell::target_here(const std::string& name, Tone tone) {
  Cell cell = target(name, tone);
  cell.is_place = true;
  return cell;
}

Cell Cell::function(const std::string& name, Tone tone) {
  Cell cell;
  cell.spans.push_back(naming_span(name, tone, Naming::kFunction));
  return cell;
}

Cell Cell::functions(const std::vector<std::string>& names) {
  Cell cell;
  for (const std::string& name : names) {
    if (!cell.spans.empty()) cell.spans.emplace_back(", ");
    cell.spans.push_back(naming_span(name, Tone::kPlain, Naming::kFunction));
  }
  return cell;
}

void TextTable::add_row(std::vector<Cell> cells) {
  Row row;
  for (Cell& cell : cells) {
    for (Span& span : cell.spans) span.text = line_of_text(std::move(span.text));
  }
  row.cells = std::move(cells);
  row.cells.resize(columns_.size());
  rows_.push_back(std::move(row));
}

TextTable TextTable::with_numbers(std::string_view none) const {
  const auto says_nothing = [&](const Row& row, std::size_t column) {
    if (column >= row.cells.size()) return true;
    const std::vector<Span>& spans = row.cells[column].spans;
    return std::all_of(spans.begin(), spans.end(), [&](const Span& span) { return span.text == none; });
  };
  std::vector<std::size_t> kept;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    if (columns_[column].align == Column::Align::kLeft ||
        !std::all_of(rows_.begin(), rows_.end(), [&](const Row& row) { return says_nothing(row, column); }))
      kept.push_back(column);
  }
  return only(kept);
}

void TextTable::add_section(std::string text, Tone tone) {
  add_note(std::move(text), tone);
  rows_.back().spaced = true;
}

void TextTable::add_note(std::string text, Tone tone) {
  Row row;
  row.section = line_of_text(std::move(text));
  row.tone = tone;
  row.is_section = true;
  rows_.push_back(std::move(row));
}

std::vector<std::size_t> TextTable::natural_widths() const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    for (const std::string_view line : split(columns_[i].head, '\n')) {
      widths[i] = std::max(widths[i], display_width(line));
    }
    for (const Row& row : rows_) {
      if (!row.is_section) widths[i] = std::max(widths[i], width_of(row.cells[i]));
    }
  }
  return widths;
}

bool TextTable::fits(const RenderOptions& options) const {
  Layout layout{std::vector<bool>(columns_.size(), true), natural_widths()};
  shrink(layout, columns_, usable_width(options));
  return layout.total() <= usable_width(options);
}

TextTable TextTable::only(const std::vector<std::size_t>& columns) const {
  std::vector<Column> heads;
  heads.reserve(columns.size());
  for (const std::size_t c : columns) heads.push_back(columns_[c]);
  TextTable table(std::move(heads));
  for (const Row& row : rows_) {
    Row& added = table.rows_.emplace_back(row);
    if (row.is_section) continue;
    added.cells.clear();
    for (const std::size_t c : columns) added.cells.push_back(row.cells[c]);
  }
  return table;
}

std::string TextTable::render_split(const RenderOptions& options) const {
  std::vector<std::size_t> leading;
  while (leading.size() < columns_.size() && columns_[leading.size()].align == Column::Align::kLeft)
    leading.push_back(leading.size());
  std::string out;
  for (std::size_t next = leading.size(); !rows_.empty();) {
    std::vector<std::size_t> shown = leading;
    const std::size_t first = next;
    while (next < columns_.size()) {
      shown.push_back(next);
      if (next > first && !only(shown).fits(options)) {
        shown.pop_back();
        break;
      }
      ++next;
    }
    if (!out.empty()) out += '\n';
    out += only(shown).render(options);
    if (next == columns_.size()) break;
  }
  return out;
}

std::string TextTable::render(const RenderOptions& options) const {
  if (keep_all_) return render_split(options);
  const std::size_t limit = usable_width(options);
  const Layout layout = layout_of(columns_, natural_widths(), limit);
  std::size_t last = 0;
  std::size_t head_lines = 1;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!layout.shown[i]) continue;
    last = i;
    head_lines = std::max(head_lines, split(columns_[i].head, '\n').size());
  }
  auto line_of = [&](auto&& cell_at) {
    std::string line(kMargin, ' ');
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!layout.shown[i]) continue;
      line += fitted(cell_at(i), layout.widths[i], columns_[i], i != last, options.color);
      if (i != last) line += std::string(kGap, ' ');
    }
    return without_trailing_spaces(line) + "\n";
  };

  std::string out;
  for (std::size_t h = 0; h < head_lines; ++h) {
    out += line_of([&](std::size_t i) {
      const auto lines = split(columns_[i].head, '\n');
      const std::size_t skip = head_lines - lines.size();  // heads stand on the rule
      return h < skip ? Cell() : Cell(std::string(lines[h - skip]), Tone::kDim);
    });
  }
  std::string rule;
  for (std::size_t i = kMargin; i < layout.total(); ++i) rule += options.unicode ? "─" : "-";
  out += std::string(kMargin, ' ') + toned(rule, Tone::kDim, options.color) + "\n";
  std::vector<std::set<std::string>> ambiguous(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (layout.shown[i]) ambiguous[i] = ambiguous_cuts(rows_, i, columns_[i], layout.widths[i]);
  }
  for (const Row& row : rows_) {
    if (row.is_section) {
      if (row.spaced && &row != &rows_.front()) out += '\n';
      const std::size_t indent = row.spaced ? kMargin : 2 * kMargin;
      const std::string body = wrapped(row.section, limit - indent);
      for (const std::string_view line : split_lines(body)) {
        out += std::string(indent, ' ') + toned(line, row.tone, options.color) + "\n";
      }
      continue;
    }
    std::vector<std::vector<Cell>> lines;
    std::size_t height = 1;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::size_t width = layout.widths[i];
      const bool is_cut = layout.shown[i] && width_of(row.cells[i]) > width;
      const bool whole =
          is_cut && ambiguous[i].contains(fitted(row.cells[i], width, columns_[i], false, false));
      lines.push_back(whole ? lines_of_name(row.cells[i], width) : std::vector<Cell>{row.cells[i]});
      height = std::max(height, lines.back().size());
    }
    for (std::size_t l = 0; l < height; ++l)
      out += line_of([&](std::size_t i) { return l < lines[i].size() ? lines[i][l] : Cell(); });
  }
  return options.unicode ? out : replace_all(out, "…", "~");
}

}  // namespace seamark::report
