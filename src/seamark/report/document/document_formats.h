// Documents in the formats that people read: the list of them, and the renderer of each.
#pragma once

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

#include "seamark/model/format.h"
#include "seamark/report/document/document.h"

namespace seamark::report {

inline constexpr std::initializer_list<Format> kDocumentFormats = {Format::kTerminal, Format::kMarkdown,
                                                                   Format::kHtml};

inline Formats documents_and(std::initializer_list<Format> others) {
  Formats all(kDocumentFormats);
  for (const Format other : others) all.push_back(other);
  return all;
}

// `title`: of the page. Ends with a newline. Throws std::logic_error for other formats.
inline std::string render(Format format, std::string_view title, const Document& document,
                          const RenderOptions& options) {
  switch (format) {
    case Format::kTerminal:
      return terminal_text(document, options);
    case Format::kMarkdown:
      return markdown_text(document);
    case Format::kHtml:
      return html_page(title, document, options);
    default:
      throw std::logic_error("no document as " + std::string(format_name(format)));
  }
}

}  // namespace seamark::report
