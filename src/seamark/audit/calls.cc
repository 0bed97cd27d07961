#include "seamark/audit/calls.h"

#include <cstdint>
#include <optional>

#include "seamark/audit/text_index.h"
#include "seamark/base/text.h"

namespace seamark::audit {
namespace {

// Calls `take` with the first token of each part between brackets, and the one behind the part, until it says
// false.
template <class Take>
void each_part(const Syntax& syntax, std::uint32_t open, Take take) {
  const std::uint32_t close = syntax.is(open, "(") ? syntax.tokens()[open].match : kNone;
  std::uint32_t first = open + 1;
  for (std::uint32_t at = open + 1; close != kNone && at <= close; ++at) {
    const Token& token = syntax.tokens()[at];
    if (token.kind == Kind::kOpen && token.match != kNone) {
      at = token.match;
    } else if (at == close || syntax.is(at, ",")) {
      if (first < at && !take(first, at)) return;
      first = at + 1;
    }
  }
}

// Of a parameter with a default, apart from `self`.
std::optional<std::uint32_t> place_of(const Syntax& syntax, std::uint32_t open, std::string_view name) {
  std::optional<std::uint32_t> found;
  std::uint32_t place = 0;
  each_part(syntax, open, [&](std::uint32_t first, std::uint32_t behind) {
    if (!syntax.is(first, name)) {
      place += is_one_of(syntax.text_of(first), "self", "cls") ? 0 : 1;
      return true;
    }
    for (std::uint32_t at = first; at < behind; ++at) {
      if (syntax.is(at, "=")) found = place;
    }
    return false;
  });
  return found;
}

// f(size): what is passed on under its own name may be None as well.
bool gives(const Syntax& syntax, std::uint32_t open, std::string_view name, std::uint32_t place) {
  bool given = false;
  std::uint32_t count = 0;
  bool places = true;  // none by its name yet
  each_part(syntax, open, [&](std::uint32_t first, std::uint32_t behind) {
    const bool keyword = syntax.is(first + 1, "=");
    places = places && !keyword && !is_one_of(syntax.text_of(first), "*", "**");
    const bool its = keyword ? syntax.is(first, name) : places && count++ == place;
    given = its && !(syntax.is(behind - 1, name) && behind == first + (keyword ? 3 : 1));
    return !its;
  });
  return given;
}

}  // namespace

bool is_always_given(const Syntax& syntax, const Block& function, std::string_view parameter) {
  if (function.keyword != "def" || !function.name.starts_with('_') || function.name.starts_with("__"))
    return false;
  const std::uint32_t first = syntax.lines()[function.header_line].first;
  const std::optional<std::uint32_t> place =
      place_of(syntax, first + (syntax.is(first, "async") ? 3 : 2), parameter);
  if (!place) return false;
  const TextIndex& names = syntax.names();
  bool any = false;
  for (std::uint32_t at = names.first(function.name); at != kNone; at = names.next(at)) {
    if (at > 0 && syntax.is(at - 1, "def")) continue;
    if (!gives(syntax, at + 1, parameter, *place)) return false;
    any = true;
  }
  return any;
}

}  // namespace seamark::audit
