#include "seamark/cli/live_line.h"

#include <fmt/format.h>

#include <utility>

#include "seamark/base/fd.h"
#include "seamark/base/text.h"

namespace seamark::cli {
namespace {

constexpr std::int64_t kRedrawNs = 100'000'000;

// On one line; spaces that align it stay.
std::string table_row(std::string_view text) {
  return replace_all(replace_all(plain_text(text), "\n", " "), "\t", " ");
}

}  // namespace

LiveLine::LiveLine(int fd, Terminal terminal, const Clock& clock)
    : fd_(fd), terminal_(terminal), clock_(clock), last_ns_(clock.monotonic_ns()) {}

LiveLine::~LiveLine() { clear(); }

// A terminal that is gone is no reason to stop a run.
void LiveLine::write(std::string_view bytes) { (void)write_all(fd_, bytes); }

std::string LiveLine::clear_sequence() const {
  if (!on_screen_) return {};
  std::string out = "\r\x1b[2K";
  for (const char c : drawn_) out += c == '\n' ? "\x1b[1A\x1b[2K" : "";
  return out;
}

void LiveLine::print(std::string_view text) {
  std::string out = clear_sequence();
  out += text;
  if (text.empty() || text.back() != '\n') out += '\n';
  if (on_screen_) out += drawn_;
  write(out);
  if (!terminal_.live) last_ns_ = clock_.monotonic_ns();
}

void LiveLine::show(std::string_view text, const std::vector<std::string>& table) {
  wanted_ = one_line(text);
  table_ = table;
  redraw();
}

void LiveLine::redraw() {
  const std::int64_t now = clock_.monotonic_ns();
  if (wanted_.empty()) return;
  if (!terminal_.live) {
    if (static_cast<double>(now - last_ns_) * 1e-9 < kQuietSeconds) return;
    last_ns_ = now;
    write(wanted_ + "\n");
    return;
  }
  if (on_screen_ && now - last_ns_ < kRedrawNs) return;
  const int width = terminal_width(fd_, terminal_.width);
  // One column is left free: some terminals wrap when the last one is written.
  const auto room = static_cast<std::size_t>(width > 1 ? width - 1 : 1);
  std::string lines;
  // What is above the first row cannot be drawn over.
  if (std::cmp_less(table_.size(), terminal_height(fd_))) {
    for (const std::string& row : table_) lines += ellipsize(table_row(row), room) + "\n";
  }
  lines += ellipsize(wanted_, room);
  if (on_screen_ && lines == drawn_) return;
  write(clear_sequence() + lines);
  drawn_ = lines;
  on_screen_ = true;
  last_ns_ = now;
}

void LiveLine::clear() {
  if (on_screen_) write(clear_sequence());
  on_screen_ = false;
  wanted_.clear();
  table_.clear();
  drawn_.clear();
}

}  // namespace seamark::cli
