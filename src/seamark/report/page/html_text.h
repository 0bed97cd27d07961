// Text into HTML: the only way by which anything of a result gets into the page.
#pragma once

#include <string>
#include <string_view>

namespace seamark::report::html {

// For element content and for attribute values in double quotes. Control and bidirectional characters and
// escape sequences are dropped, invalid UTF-8 is repaired; line ends and tabs stay.
std::string text(std::string_view raw);
// The same on one line.
std::string line(std::string_view raw);

// A qualified name on one line, which may break after a dot or an underscore.
std::string name(std::string_view raw);

// An id: letters, digits and . _ - / + stay, other bytes become ~HH. Equal names give equal ids, different
// names different ones. Fit for href="#..." as it is.
std::string anchor(char kind, std::string_view name);

// <tag class="..."> content </tag>; the content is markup already. An empty class is left out.
std::string element(std::string_view tag, std::string_view css, std::string_view content);
std::string link(std::string_view id, std::string_view content);

}  // namespace seamark::report::html
