#include "seamark/report/document/document_formats.h"

#include <fmt/format.h>

#include <stdexcept>

#include "seamark/report/page/html_page.h"
#include "seamark/report/page/html_text.h"

namespace seamark::report {
namespace {

std::string document_page(std::string_view title, const Document& document, const RenderOptions& options) {
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
  for (const Section& section : document.sections) out += html_text(section);
  return out + "</main>\n</body>\n</html>\n";
}

}  // namespace

std::string render(Format format, std::string_view title, const Document& document,
                   const RenderOptions& options) {
  switch (format) {
    case Format::kTerminal:
      return terminal_text(document, options);
    case Format::kMarkdown:
      return markdown_text(document);
    case Format::kHtml:
      return document_page(title, document, options);
    default:
      throw std::logic_error(fmt::format("no document as {}", format_name(format)));
  }
}

}  // namespace seamark::report
