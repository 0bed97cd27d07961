#include "seamark/report/render/markdown_text.h"

#include <fmt/format.h>

#include "seamark/base/text.h"

namespace seamark::report::markdown {

std::string plain(std::string_view raw) {
  std::string out;
  for (const char c : replace_all(one_line(raw), "://", ": //")) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '@':
        out += "&#64;";
        break;  // mentions nobody
      case '#':
        out += "&#35;";
        break;  // refers to no issue
      default:
        if (std::string_view("\\`*_[]|~$").find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
  }
  return out;
}

std::string code(std::string_view raw) {
  std::string text = replace_all(replace_all(one_line(raw), "`", "'"), "|", "\\|");
  return text.empty() ? std::string() : "`" + text + "`";
}

std::string line(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) out += " " + cell + " |";
  return out + "\n";
}

std::string details(const std::string& heading, const std::string& body) {
  return fmt::format("<details>\n<summary>{}</summary>\n\n{}\n</details>\n\n", heading, body);
}

}  // namespace seamark::report::markdown
