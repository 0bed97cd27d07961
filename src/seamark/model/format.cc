#include "seamark/model/format.h"

#include <algorithm>
#include <stdexcept>

namespace seamark {

std::optional<Format> format_from(std::string_view name) {
  if (name.empty()) return std::nullopt;
  const auto* const found = std::ranges::find_if(
      kFormatNames, [&](const FormatName& known) { return known.name == name || known.ending == name; });
  return found == kFormatNames.end() ? std::nullopt : std::optional(found->format);
}

std::string_view format_name(Format format) {
  const auto* const found = std::ranges::find(kFormatNames, format, &FormatName::format);
  if (found == kFormatNames.end()) throw std::logic_error("a format without a name");
  return found->name;
}

std::string format_names(const Formats& formats) {
  std::string text;
  for (const Format& format : formats) {
    if (!text.empty()) text += &format == &formats.back() ? " or " : ", ";
    text += format_name(format);
  }
  return text;
}

}  // namespace seamark
