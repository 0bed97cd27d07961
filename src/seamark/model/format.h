// The formats that verbs write. Each verb takes some of them, and refuses the rest by name.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace seamark {

enum class Format : std::uint8_t {
  kTerminal,
  kMarkdown,
  kJson,
  kJsonl,
  kCsv,
  kHtml,
  kLatex,
  kJunit,
  kSarif,
  kParquet,
  kBadge,
  kPng,
  kSvg,
  kVegaLite,
};

using Formats = std::vector<Format>;  // the first is what is written unasked

struct FormatName {
  Format format;
  std::string_view name;
  std::string_view ending;  // of files, where it is not the name
};

inline constexpr auto kFormatNames = std::to_array<FormatName>({
    {Format::kTerminal, "terminal", "text"},
    {Format::kMarkdown, "markdown", "md"},
    {Format::kJson, "json", ""},
    {Format::kJsonl, "jsonl", ""},
    {Format::kCsv, "csv", ""},
    {Format::kHtml, "html", "htm"},
    {Format::kLatex, "latex", "tex"},
    {Format::kJunit, "junit", "xml"},
    {Format::kSarif, "sarif", ""},
    {Format::kParquet, "parquet", ""},
    {Format::kBadge, "badge", ""},
    {Format::kPng, "png", ""},
    {Format::kSvg, "svg", ""},
    {Format::kVegaLite, "vega-lite", ""},
});

// By its name ("markdown", "vega-lite") or by what files of it end with ("md", "tex", "xml", "htm").
std::optional<Format> format_from(std::string_view name);
std::string_view format_name(Format format);
// For a message: "terminal, markdown or json".
std::string format_names(const Formats& formats);

}  // namespace seamark
