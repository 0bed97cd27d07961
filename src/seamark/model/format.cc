#include "seamark/model/format.h"

#include <algorithm>
#include <array>
#include <span>

#include "seamark/base/text.h"

namespace seamark {
namespace {

struct Name {
  std::string_view name;
  std::string_view ending;  // where files end otherwise
};

// In the order of Format.
constexpr std::array<Name, 14> kNames = {{
    {"terminal", ""},
    {"markdown", "md"},
    {"json", ""},
    {"jsonl", ""},
    {"csv", ""},
    {"html", "htm"},
    {"latex", "tex"},
    {"junit", "xml"},
    {"sarif", ""},
    {"parquet", ""},
    {"badge", ""},
    {"png", ""},
    {"svg", ""},
    {"vega-lite", ""},
}};

}  // namespace

std::optional<Format> format_from(std::string_view name) {
  if (name.empty()) return std::nullopt;
  const auto* const found = std::ranges::find_if(
      kNames, [&](const Name& known) { return known.name == name || known.ending == name; });
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Format>(found - kNames.begin());
}

std::string_view format_name(Format format) { return kNames.at(static_cast<std::size_t>(format)).name; }

std::string format_names(std::initializer_list<Format> formats) {
  std::string text;
  for (const Format& format : formats) {
    if (!text.empty()) text += &format + 1 == formats.end() ? " or " : ", ";
    text += format_name(format);
  }
  return text;
}

}  // namespace seamark
