#include "seamark/base/log_commands.h"

#include "seamark/base/text.h"

namespace seamark {

namespace {

// Printable ASCII is what no CI passes over.
bool is_shown(char c) { return c > ' ' && c < 0x7f; }

}  // namespace

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
    } else if (is_shown(text[i])) {
      at_start = false;
    }
  }
  return out;
}

std::string json_without_log_commands(std::string json) {
  if (json.find("##") == std::string::npos) return json;
  for (const std::string_view after : {"[", "vso[", "teamcity["})
    json = replace_all(json, "##" + std::string(after), "#\\u0023" + std::string(after));
  return json;
}

}  // namespace seamark
