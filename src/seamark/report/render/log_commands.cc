#include "seamark/report/render/log_commands.h"

namespace seamark::report {

std::string without_log_commands(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool at_start = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    const bool sharp =
        rest.starts_with("##[") || rest.starts_with("##vso[") || rest.starts_with("##teamcity[");
    const bool colons = at_start && rest.starts_with("::");
    out += text[i];
    if (sharp || colons) {
      out += ' ';  // not one more: lines keep to their width
      ++i;
    }
    if (text[i] == '\n') {
      at_start = true;
    } else if (text[i] != ' ' && text[i] != '\t') {
      at_start = false;
    }
  }
  return out;
}

}  // namespace seamark::report
