// Sections of the page (declared in document.h).
#include <fmt/format.h>

#include "seamark/base/text.h"
#include "seamark/report/document/document.h"
#include "seamark/report/page/html_parts.h"
#include "seamark/report/page/html_text.h"

namespace seamark::report {
namespace {

std::string_view css_of(Tone tone) {
  switch (tone) {
    case Tone::kDim:
      return "muted";
    case Tone::kStrong:
    case Tone::kHeading:
      return "strong";
    case Tone::kSlow:
      return "slow";
    case Tone::kPlain:
    case Tone::kGood:
    case Tone::kPartial:
    case Tone::kBad:
    case Tone::kCompiled:
      return "";
  }
  return "";
}

std::string content_of(const Cell& cell) {
  std::string text;
  for (const Span& span : cell.spans) text += span.text;
  if (!cell.anchor.empty()) return html::link(html::line(cell.anchor), html::line(text));
  switch (cell.naming) {
    case Naming::kTarget:
      return html::link(html::anchor('t', cell.named), html::line(text));
    case Naming::kFunction:
      return html::link(html::anchor('f', cell.named), html::name(text));
    case Naming::kNothing:
      break;
  }
  return html::line(text);
}

std::string cell_of(const Cell& cell, const Column& column, bool is_first) {
  if (is_first && cell.naming != Naming::kNothing) {
    return fmt::format("<th scope=\"row\">{}</th>", content_of(cell));
  }
  std::string css = column.align == Column::Align::kRight ? "num" : "";
  for (const Span& span : cell.spans) {
    if (css_of(span.tone).empty()) continue;
    css += css.empty() ? "" : " ";
    css += css_of(span.tone);
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
    std::size_t width = 0;
    for (const Column& column : table.columns()) {
      if (column.drawn) continue;
      head += head_of(column);
      ++width;
    }
    std::string rows;
    for (const TextTable::Row& row : table.rows()) {
      if (row.is_section) {
        rows += row.spaced ? fmt::format(
                                 "<tr class=\"divider\"><th colspan=\"{}\" scope=\"colgroup\">{}</th></tr>\n",
                                 width, html::line(row.section))
                           : fmt::format("<tr><td colspan=\"{}\" class=\"muted\">{}</td></tr>\n", width,
                                         html::line(row.section));
        continue;
      }
      rows += "<tr>";
      for (std::size_t c = 0; c < table.columns().size(); ++c) {
        if (!table.columns()[c].drawn) rows += cell_of(row.cells[c], table.columns()[c], c == 0);
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
