#include "seamark/report/render/xml_text.h"

#include "seamark/base/text.h"

namespace seamark::report::xml {

std::string escape(std::string_view clean) {
  std::string out;
  out.reserve(clean.size() + clean.size() / 8);
  for (const char c : clean) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string text(std::string_view raw) {
  // plain_text() leaves what XML can hold.
  return escape(plain_text(raw));
}

std::string attribute(std::string_view name, std::string_view raw) {
  return " " + std::string(name) + "=\"" + text(one_line(raw)) + "\"";
}

}  // namespace seamark::report::xml
