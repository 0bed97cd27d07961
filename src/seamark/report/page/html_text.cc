#include "seamark/report/page/html_text.h"

#include <fmt/format.h>

#include "seamark/base/text.h"
#include "seamark/report/render/xml_text.h"

namespace seamark::report::html {

using xml::escape;

std::string text(std::string_view raw) { return escape(plain_text(raw)); }

std::string line(std::string_view raw) { return escape(one_line(raw)); }

std::string name(std::string_view raw) {
  return replace_all(replace_all(line(raw), ".", ".<wbr>"), "_", "_<wbr>");
}

std::string anchor(char kind, std::string_view name) {
  std::string id{kind, '-'};
  for (const char c : name) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (word || std::string_view("._-/+").find(c) != std::string_view::npos) {
      id += c;
    } else {
      id += fmt::format("~{:02X}", static_cast<unsigned char>(c));
    }
  }
  return id;
}

std::string element(std::string_view tag, std::string_view css, std::string_view content) {
  if (css.empty()) return fmt::format("<{}>{}</{}>", tag, content, tag);
  return fmt::format("<{} class=\"{}\">{}</{}>", tag, css, content, tag);
}

std::string link(std::string_view id, std::string_view content) {
  return fmt::format("<a href=\"#{}\">{}</a>", id, content);
}

}  // namespace seamark::report::html
