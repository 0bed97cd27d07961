// Documents as Markdown (declared in document.h).
#include <fmt/format.h>

#include "seamark/base/log_commands.h"
#include "seamark/base/text.h"
#include "seamark/report/document/document.h"
#include "seamark/report/render/markdown_text.h"

namespace seamark::report {
namespace {

std::string cell_text(const Cell& cell) {
  std::string text;
  Tone tone = Tone::kPlain;
  for (const Span& span : cell.spans) {
    text += span.naming != Naming::kNothing ? markdown::code(span.text) : markdown::plain(span.text);
    if (span.text.ends_with(' ')) text += ' ';
    tone = span.tone;
  }
  if (text.empty() || cell.names()) return text;
  return tone == Tone::kCompiled || tone == Tone::kSlow ? "**" + text + "**" : text;
}

class TableWriter {
 public:
  explicit TableWriter(const TextTable& table) : table_(table) {
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
      if (!table.columns()[c].drawn) shown_.push_back(c);
    }
  }

  std::string write() {
    for (const TextTable::Row& row : table_.rows()) {
      if (!row.is_section) {
        add_row(row);
      } else if (row.spaced || !open_) {
        close();
        out_ += fmt::format("{}{}\n\n", out_.empty() ? "" : "\n", markdown::plain(row.section));
      } else {
        notes_ += fmt::format("- {}: {}\n", first_of(*last_), markdown::plain(row.section));
      }
    }
    close();
    return std::move(out_);
  }

 private:
  void add_row(const TextTable::Row& row) {
    if (!open_) {
      std::vector<std::string> heads;
      std::vector<std::string> rule;
      for (const std::size_t c : shown_) {
        heads.push_back(markdown::plain(table_.columns()[c].joined_head()));
        rule.emplace_back(table_.columns()[c].align == Column::Align::kRight ? "---:" : ":---");
      }
      out_ += markdown::line(heads) + markdown::line(rule);
    }
    open_ = true;
    last_ = &row;
    std::vector<std::string> cells;
    for (const std::size_t c : shown_) cells.push_back(cell_text(row.cells[c]));
    out_ += markdown::line(cells);
  }

  void close() {
    if (!notes_.empty()) out_ += "\n" + notes_;
    notes_.clear();
    open_ = false;
  }

  static std::string first_of(const TextTable::Row& row) { return cell_text(row.cells.front()); }

  const TextTable& table_;
  std::vector<std::size_t> shown_;
  std::string out_;
  std::string notes_;  // of the rows above
  const TextTable::Row* last_ = nullptr;
  bool open_ = false;
};

struct MarkdownBlock {
  std::string operator()(const Paragraph& paragraph) const { return markdown::plain(paragraph.text) + "\n"; }

  std::string operator()(const Items& items) const {
    std::string out;
    for (const std::string& text : items.texts) out += "- " + markdown::plain(text) + "\n";
    return out;
  }

  std::string operator()(const Remarks& remarks) const {
    std::string out;
    for (const Remark& one : remarks.list) {
      out += fmt::format("- **{}**: {}\n", markdown::plain(one.label), markdown::plain(one.text));
    }
    return out;
  }

  std::string operator()(const Verbatim& verbatim) const {
    std::string out;
    for (const Line& line : verbatim.lines) {
      std::string text(4 + line.indent, ' ');
      for (const Span& span : line.spans) text += line_text(span);
      out += text + "\n";
    }
    return out;
  }

  std::string operator()(const TextTable& table) const { return TableWriter(table).write(); }
};

std::string body_of(const Section& section) {
  std::string out;
  if (!section.note.empty()) out += markdown::plain(section.note) + "\n";
  for (const Block& block : section.blocks)
    out += (out.empty() ? "" : "\n") + std::visit(MarkdownBlock{}, block);
  return out;
}

// Halves the longest list; false where none has items to lose. `left_out` counts all that were lost.
bool shorten(Document& document, std::size_t& left_out) {
  Items* longest = nullptr;
  for (Section& section : document.sections) {
    for (Block& block : section.blocks) {
      auto* items = std::get_if<Items>(&block);
      if (items != nullptr && (longest == nullptr || items->texts.size() > longest->texts.size()))
        longest = items;
    }
  }
  if (longest == nullptr || longest->texts.empty()) return false;
  const std::size_t kept = longest->texts.size() / 2;
  left_out += longest->texts.size() - kept;
  longest->texts.resize(kept);
  return true;
}

std::string written(const Document& document) {
  std::string out;
  for (const Remark& one : document.head) {
    if (!out.empty()) out += '\n';
    if (!one.label.empty()) out += "**" + markdown::plain(one.label) + "** ";
    out += markdown::plain(one.text) + "\n";
  }
  bool first = true;
  for (const Section& section : document.sections) {
    out += '\n';
    if (section.heading.empty()) {
      out += body_of(section);
      continue;
    }
    const std::string heading = markdown::plain(section.heading);
    out +=
        first ? "**" + heading + "**\n\n" + body_of(section) : markdown::details(heading, body_of(section));
    if (!first) out.pop_back();
    first = false;
  }
  return without_log_commands(out);
}

}  // namespace

std::string markdown_text(const Document& document) {
  std::string out = written(document);
  if (out.size() <= document.most_bytes) return out;
  Document shorter = document;
  std::size_t left_out = 0;
  while (out.size() > document.most_bytes && shorten(shorter, left_out)) {
    out = written(shorter) +
          fmt::format("\n{} more left out: too long for a comment; the JSON has all.\n", left_out);
  }
  return out;
}

}  // namespace seamark::report
