// Documents as pages, and parts of pages (declared in document.h).
#include <fmt/format.h>

#include <array>

#include "seamark/base/text.h"
#include "seamark/report/document/document.h"
#include "seamark/report/page/html_page.h"
#include "seamark/report/page/html_parts.h"
#include "seamark/report/page/html_text.h"

namespace seamark::report {
namespace {

std::string_view css_of(Tone tone) {
  constexpr std::array<std::string_view, 10> kClasses{"",       "strong", "muted", "t-pass", "t-partial",
                                                      "t-fail", "slow",   "t-aot", "strong", "t-host"};
  return kClasses.at(static_cast<std::size_t>(tone));
}

std::string content_of(const Span& span, bool linked) {
  std::string shown = span.naming == Naming::kFunction ? html::name(span.text) : html::text(span.text);
  if (!linked || span.naming == Naming::kNothing) return shown;
  return html::link(html::anchor(span.naming == Naming::kTarget ? 't' : 'f', span.named), shown);
}

// The tone of a single text is its cell's; several have their own.
std::string content_of(const Cell& cell, bool linked) {
  std::string out;
  for (const Span& span : cell.spans) {
    const std::string content = content_of(span, linked && !cell.is_place && cell.anchor.empty());
    const bool apart = cell.spans.size() > 1 && span.tone != Tone::kPlain && !content.empty();
    out += apart ? html::element("span", css_of(span.tone), content) : content;
  }
  return cell.anchor.empty() ? out : html::link(html::line(cell.anchor), out);
}

std::string cell_of(const Cell& cell, const Column& column, bool is_first, bool linked) {
  const std::string content = content_of(cell, linked);
  if (is_first && cell.names()) {
    const std::string id = fmt::format(" id=\"{}\"", html::anchor('t', cell.spans.front().named));
    return fmt::format("<th scope=\"row\"{}>{}</th>", cell.is_place ? id : "", content);
  }
  if (column.drawn) return fmt::format("<td class=\"bar\" aria-hidden=\"true\">{}</td>", content);
  std::string css = column.align == Column::Align::kRight ? "num" : "";
  if (cell.spans.size() == 1 && cell.spans.front().tone != Tone::kPlain) {
    css += css.empty() ? "" : " ";
    css += css_of(cell.spans.front().tone);
  }
  return html::element("td", css, content);
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
      for (const Span& span : line.spans) out += html::text(line_text(span));
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
        rows += row.spaced ? fmt::format(
                                 "<tr class=\"divider {}\"><th colspan=\"{}\" "
                                 "scope=\"colgroup\"><span>{}</span></th></tr>\n",
                                 css_of(row.tone), width, html::line(row.section))
                           : fmt::format("<tr><td colspan=\"{}\" class=\"muted\">{}</td></tr>\n", width,
                                         html::line(row.section));
        continue;
      }
      rows += "<tr>";
      for (std::size_t c = 0; c < table.columns().size(); ++c) {
        rows += cell_of(row.cells[c], table.columns()[c], c == 0, linked);
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
