// Documents as pages, and parts of pages (declared in document.h).
#include <fmt/format.h>

#include "seamark/base/text.h"
#include "seamark/report/document/document.h"
#include "seamark/report/page/html_page.h"
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
    default:
      return "";
  }
}

std::string content_of(const Cell& cell, bool linked) {
  std::string text;
  for (const Span& span : cell.spans) text += span.text;
  std::string shown = cell.naming == Naming::kFunction ? html::name(text) : html::line(text);
  if (!cell.anchor.empty()) return html::link(html::line(cell.anchor), shown);
  if (!linked || cell.naming == Naming::kNothing) return shown;
  return html::link(html::anchor(cell.naming == Naming::kTarget ? 't' : 'f', cell.named), shown);
}

std::string cell_of(const Cell& cell, const Column& column, bool is_first, bool linked) {
  if (is_first && cell.naming != Naming::kNothing) {
    return fmt::format("<th scope=\"row\"{}>{}</th>",
                       cell.id.empty() ? "" : fmt::format(" id=\"{}\"", html::line(cell.id)),
                       content_of(cell, linked));
  }
  std::string css = column.align == Column::Align::kRight ? "num" : "";
  for (const Span& span : cell.spans) {
    if (css_of(span.tone).empty()) continue;
    css += css.empty() ? "" : " ";
    css += css_of(span.tone);
  }
  return html::element("td", css, content_of(cell, linked));
}

std::string head_of(const Column& column) {
  return fmt::format("<th scope=\"col\"{}>{}</th>",
                     column.align == Column::Align::kRight ? " class=\"num\"" : "",
                     html::line(column.joined_head()));
}

struct HtmlBlock {
  std::string_view label;
  bool linked;

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
        if (!table.columns()[c].drawn) rows += cell_of(row.cells[c], table.columns()[c], c == 0, linked);
      }
      rows += "</tr>\n";
    }
    return html::table("facts", label, head, rows);
  }
};

}  // namespace

std::string html_text(const Block& block, std::string_view label) {
  return std::visit(HtmlBlock{label, true}, block);
}

std::string html_text(const Section& section, bool linked) {
  std::string content;
  for (const Block& block : section.blocks) content += std::visit(HtmlBlock{section.heading, linked}, block);
  const std::string heading = html::line(section.heading);
  const std::string note = html::line(section.note);
  if (!section.folded) return html::section(section.id, heading, note, content);
  return fmt::format(
      "<section>\n<details><summary><span class=\"name\">{}</span> {}</summary>\n"
      "<div id=\"{}\" class=\"inside\">\n{}</div></details></section>\n",
      heading, note, section.id, content);
}

std::string html_page(std::string_view title, const Document& document, const RenderOptions& options) {
  html::PageParts parts = html::report_parts(fmt::format("Seamark: {}", title));
  parts.scripts.clear();  // there are no results to search
  std::string out = html::page_head(parts);
  out += fmt::format("<header>\n<p class=\"brand\">Seamark {}</p>\n<h1>{}</h1>\n",
                     html::line(options.tool_version), html::line(title));
  for (const Remark& one : document.head) {
    out += html::element("p", "facts",
                         html::element("b", "", html::line(one.label)) + " " + html::line(one.text)) +
           "\n";
  }
  out += "</header>\n<main>\n";
  for (const Section& section : document.sections) out += html_text(section, false);
  return out + "</main>\n</body>\n</html>\n";
}

}  // namespace seamark::report
