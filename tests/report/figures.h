// The figures of a text, whatever it is written in.
#pragma once

#include <regex>
#include <set>
#include <string>

namespace seamark::report {

// Ids, classes and entities of HTML are none, nor is Markdown's escaping.
inline std::set<std::string> figures_of(const std::string& text) {
  static const std::regex kMarkup(R"(<[^>]*>|&#?[a-z0-9]+;|\\)");
  static const std::regex kFigure(R"([0-9][0-9.,]*)");
  const std::string plain = std::regex_replace(text, kMarkup, " ");
  return {std::sregex_token_iterator(plain.begin(), plain.end(), kFigure), std::sregex_token_iterator()};
}

}  // namespace seamark::report
