#include "seamark/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "seamark/base/home.h"
#include "seamark/base/text.h"

namespace seamark::cli {
namespace {

constexpr int kDefaultWidth = 100;

bool is_utf8_locale(const Variables& variables) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::optional<std::string> value = variables(name);
    if (!value) continue;
    const std::string locale = lower_ascii(*value);
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

bool wants_color(bool is_terminal, bool dumb, ColorChoice color, const Variables& variables) {
  if (color != ColorChoice::kAuto) return color == ColorChoice::kAlways;
  if (variables("NO_COLOR")) return false;
  if (const std::optional<std::string> force = variables("FORCE_COLOR")) return *force != "0";
  return is_terminal && !dumb;
}

}  // namespace

int terminal_width(int fd, int fallback) {
  winsize size = {};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : fallback;
}

int terminal_height(int fd) {
  winsize size = {};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

Terminal describe_terminal(int fd, ColorChoice color) {
  const bool is_terminal = ::isatty(fd) == 1;
  return describe_terminal(is_terminal, is_terminal ? terminal_width(fd, 0) : 0, color,
                           [](std::string_view name) { return environment_variable(name); });
}

Terminal describe_terminal(bool is_terminal, int width, ColorChoice color, const Variables& variables) {
  Terminal terminal;
  const bool dumb = variables("TERM").value_or("dumb") == "dumb";
  const std::optional<std::string> ci = variables("CI");
  terminal.is_terminal = is_terminal;
  terminal.color = wants_color(is_terminal, dumb, color, variables);
  terminal.live = is_terminal && !dumb && (!ci || *ci == "false" || *ci == "0");
  // A file or a pipe takes what we write; only a terminal without UTF-8 cannot show it.
  terminal.unicode = !is_terminal || (!dumb && is_utf8_locale(variables));
  const std::int64_t columns = parse_int(variables("COLUMNS").value_or("")).value_or(0);
  terminal.width = width > 0     ? width
                   : columns > 0 ? static_cast<int>(std::min<std::int64_t>(columns, 1000))
                                 : kDefaultWidth;
  return terminal;
}

}  // namespace seamark::cli
