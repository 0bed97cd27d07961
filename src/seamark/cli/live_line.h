// The one owner of the terminal on stderr: lines that stay, and below them at most one live line that is
// drawn over, with a live table above it or without. Elsewhere (a file, a pipe, CI, TERM=dumb) the live line
// appears now and then as a line, and the table never.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/clock.h"
#include "seamark/cli/terminal.h"

namespace seamark::cli {

class LiveLine {
 public:
  // Writes to `fd`, which is borrowed, as is the clock.
  LiveLine(int fd, Terminal terminal, const Clock& clock);
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;
  ~LiveLine();  // clear()

  // One or several lines that stay. Text of others is made safe by the caller (plain_text, one_line).
  void print(std::string_view text);
  // Shown at once, or with the next redraw when the last was a moment ago; cut to the width. On what is no
  // live terminal: printed when kQuietSeconds have passed since the last line.
  // `table`: lines that stand above it, where the terminal has the rows for all of them.
  void show(std::string_view text, const std::vector<std::string>& table = {});
  // Draws what show() was given last, when that is due.
  void redraw();
  // Takes the live line and its table away.
  void clear();

  [[nodiscard]] const Terminal& terminal() const { return terminal_; }

  static constexpr double kQuietSeconds = 20;

 private:
  void write(std::string_view bytes);
  [[nodiscard]] std::string clear_sequence() const;

  int fd_;
  Terminal terminal_;
  const Clock& clock_;
  std::string wanted_;
  std::vector<std::string> table_;
  std::string drawn_;  // lines with '\n' between them
  bool on_screen_ = false;
  std::int64_t last_ns_;  // of the last draw or line
};

}  // namespace seamark::cli
