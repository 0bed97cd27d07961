// What an output is: a terminal or not, how wide, and whether colours and characters beyond ASCII are
// wanted. NO_COLOR, FORCE_COLOR, CI and TERM=dumb are honoured.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace seamark::cli {

enum class ColorChoice : std::uint8_t { kAuto, kAlways, kNever };

struct Terminal {
  bool is_terminal = false;
  bool color = false;
  bool unicode = true;
  bool live = false;  // a line may be drawn over and over: a terminal that can, and not in CI
  int width = 100;
};

using Variables = std::function<std::optional<std::string>(std::string_view)>;

// `color` is what the command line says; the environment decides where it is kAuto.
[[nodiscard]] Terminal describe_terminal(int fd, ColorChoice color);
// The same with everything given. A width of 0: unknown, COLUMNS or 100.
[[nodiscard]] Terminal describe_terminal(bool is_terminal, int width, ColorChoice color,
                                         const Variables& variables);
// The width now, for a terminal that may have been resized; `fallback` where it is unknown.
[[nodiscard]] int terminal_width(int fd, int fallback);
// Its rows; 0 where they are unknown.
[[nodiscard]] int terminal_height(int fd);

}  // namespace seamark::cli
