#include "seamark/model/slice.h"

#include <fmt/format.h>

#include "seamark/base/text.h"

namespace seamark {

std::string Slice::str() const { return fmt::format("{}/{}", index, count); }

std::optional<Slice> parse_slice(std::string_view text) {
  const std::size_t at = text.find('/');
  if (at == std::string_view::npos) return std::nullopt;
  const std::optional<std::int64_t> index = parse_int(text.substr(0, at));
  const std::optional<std::int64_t> count = parse_int(text.substr(at + 1));
  if (!index || !count || *index < 1 || *index > *count || *count > Slice::kMost) return std::nullopt;
  return Slice{*index, *count};
}

}  // namespace seamark
