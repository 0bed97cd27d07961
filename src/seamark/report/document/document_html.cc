// Sections of the page (declared in document.h).
#include <fmt/format.h>

#include <array>

#include "seamark/base/text.h"
#include "seamark/report/document/document.h"
#include "seamark/report/page/html_parts.h"
#include "seamark/report/page/html_text.h"

namespace seamark::report {
namespace {

std::string_view css_of(Tone tone) {
  constexpr std::array<std::string_view, 9> kClasses{"",       "strong", "muted", "t-pass", "t-partial",
                                                     "t-fail", "slow",   "t-aot", "strong"};
  return kClasses.at(static_cast<std::size_t>(tone));
}

std::string content_of(const Span& span, bool is_place) {
  if (is_place) return html::text(span.text);
  switch (span.naming) {
    case Naming::kTarget:
      return html::link(html::anchor('t', span.named), html::line(span.text));
    case Naming::kFunction:
      return html::link(html::anchor('f', span.named), html::name(span.text));
    case Naming::kNothing:
      break;
  }
  return html::text(span.text);
}

// The tone of a single text is its cell's; several have their own.
std::string content_of(const Cell& cell) {
  std::string out;
  for (const Span& span : cell.spans) {
    const std::string content = content_of(span, cell.is_place);
    const bool apart = cell.spans.size() > 1 && span.tone != Tone::kPlain && !content.empty();
    out += apart ? html::element("span", css_of(span.tone), content) : content;
  }
  return cell.anchor.empty() ? out : html::link(html::line(cell.anchor), out);
}

std::string cell_of(const Cell& cell, const Column& column, bool is_first) {
  if (is_first && cell.names()) {
    const std::string id = fmt::format(" id=\"{}\"", html::anchor('t', cell.spans.front().named));
    return fmt::format("<th scope=\"row\"{}>{}</th>", cell.is_place ? id : "", content_of(cell));
  }
  if (column.drawn) return fmt::format("<td class=\"bar\" aria-hidden=\"true\">{}</td>", content_of(cell));
  std::string css = column.align == Column::Align::kRight ? "num" : "";
  if (cell.spans.size() == 1 && cell.spans.front().tone != Tone::kPlain) {
    css += css.empty() ? "" : " ";
    css += css_of(cell.spans.front().tone);
  }
  return html::element("td", css, content_of(cell));
}

std::string head_of(const Column& column) {
  return fmt::format("<th scope=\"col\"{}>{}</th>",
                     column.align == Column::Align::kRight ? " class=\"num\"" : "",
                     html::line(column.joined_head()));
}

struct HtmlBlock {
  std::string_view label;

  std::string operator()(const Paragraph& paragraph) const {
    return html::element("p", "", html::line(paragraph.text)) + "\n";
  }

  std::string operator()(const Items& items) const {
    std::string out;
    for (const std::string& text : items.texts) out += html::element("li", "", html::line(text));
    return html::element("ul", "plain", out);
  }

  std::string operator()(const Remarks& remarks) const {
    std::string out;
    for (const Remark& one : remarks.list) {
      out += fmt::format("<dt>{}</dt><dd>{}</dd>", html::line(one.label), html::line(one.text));
    }
    return html::element("dl", "notes", out);
  }

  std::string operator()(const Verbatim& verbatim) const {
    std::string out;
    for (const Line& line : verbatim.lines) {
      out += std::string(line.indent, ' ');
      for (const Span& span : line.spans) out += html::text(span.text);
      out += '\n';
    }
    return html::element("pre", "", out);
  }

  std::string operator()(const TextTable& table) const {
    std::string head;
    for (const Column& column : table.columns()) head += head_of(column);
    const std::size_t width = table.columns().size();
    std::string rows;
    for (const TextTable::Row& row : table.rows()) {
      if (row.is_section) {
        rows +=
            row.spaced
                ? fmt::format("<tr class=\"divider {}\"><th colspan=\"{}\" scope=\"colgroup\">{}</th></tr>\n",
                              css_of(row.tone), width, html::line(row.section))
                : fmt::format("<tr><td colspan=\"{}\" class=\"muted\">{}</td></tr>\n", width,
                              html::line(row.section));
        continue;
      }
      rows += "<tr>";
      for (std::size_t c = 0; c < table.columns().size(); ++c) {
        rows += cell_of(row.cells[c], table.columns()[c], c == 0);
      }
      rows += "</tr>\n";
    }
    return html::table("facts", label, head, rows);
  }
};

}  // namespace

std::string html_text(const Section& section) {
  std::string content;
  for (const Block& block : section.blocks) content += std::visit(HtmlBlock{section.heading}, block);
  return html::section(section.id, html::line(section.heading), html::line(section.note), content);
}

}  // namespace seamark::report
