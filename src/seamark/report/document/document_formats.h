// Documents in the formats that people read.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "seamark/model/format.h"
#include "seamark/report/document/document.h"

namespace seamark::report {

inline constexpr std::initializer_list<Format> kDocumentFormats = {Format::kTerminal, Format::kMarkdown,
                                                                   Format::kHtml};

// `title`: of the page. Ends with a newline. Throws std::logic_error for other formats.
std::string render(Format format, std::string_view title, const Document& document,
                   const RenderOptions& options);

}  // namespace seamark::report
