// URLs as inputs: what is one, and how it is shown.
#pragma once

#include <string>
#include <string_view>

namespace seamark::usage {

// SCHEME://..., also behind fsspec's WRAPPER::; a scheme has two letters or more.
[[nodiscard]] bool is_url(std::string_view input);

// The text, its URLs without user and password, and without what may be a token: the query of http and https,
// and any with a '='.
[[nodiscard]] std::string without_secrets(std::string_view text);

}  // namespace seamark::usage
