// Text into XML 1.0: the only way by which anything of a result gets into it. HTML has the same escapes.
#pragma once

#include <string>
#include <string_view>

namespace seamark::report::xml {

// Of clean text: with escapes for the characters that mean something, also in attributes.
std::string escape(std::string_view clean);
// Without the characters that XML cannot hold, with escapes for those that mean something, also in
// attributes. Terminal escapes are dropped.
std::string text(std::string_view raw);
// ` name="value"` of one line.
std::string attribute(std::string_view name, std::string_view raw);

}  // namespace seamark::report::xml
