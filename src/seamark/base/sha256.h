// SHA-256 (FIPS 180-4) and base64, for what browsers and registries check: a page's Content-Security-Policy.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace seamark {

using Sha256 = std::array<std::uint8_t, 32>;
[[nodiscard]] Sha256 sha256(std::string_view bytes);

// RFC 4648, with padding.
[[nodiscard]] std::string to_base64(std::span<const std::uint8_t> bytes);

}  // namespace seamark
