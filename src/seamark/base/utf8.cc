// UTF-8, columns of a terminal, and text that is safe to print.
#include "seamark/base/utf8.h"

#include <algorithm>
#include <iterator>

#include "seamark/base/text.h"

namespace seamark {

namespace utf8 {

Step decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  std::size_t length = 0;
  // The second byte of some leads is narrower: no overlong forms, no surrogates, at most U+10FFFF.
  unsigned char low = 0x80, high = 0xbf;
  char32_t code_point = 0;
  if (lead >= 0xc2 && lead <= 0xdf) {
    length = 2;
    code_point = lead & 0x1fU;
  } else if (lead >= 0xe0 && lead <= 0xef) {
    length = 3;
    code_point = lead & 0x0fU;
    if (lead == 0xe0) low = 0xa0;
    if (lead == 0xed) high = 0x9f;
  } else if (lead >= 0xf0 && lead <= 0xf4) {
    length = 4;
    code_point = lead & 0x07U;
    if (lead == 0xf0) low = 0x90;
    if (lead == 0xf4) high = 0x8f;
  } else {
    return {0, 1, false};
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (i >= text.size() || byte(i) < low || byte(i) > high) return {0, i, false};
    code_point = (code_point << 6) | (byte(i) & 0x3fU);
    low = 0x80;
    high = 0xbf;
  }
  return {code_point, length, true};
}

}  // namespace utf8

namespace {

using utf8::decode;
using utf8::Step;

constexpr std::string_view kReplacement = "\xef\xbf\xbd";
constexpr std::string_view kEllipsis = "\xe2\x80\xa6";

struct Range {
  char32_t first;
  char32_t last;
};

// Combining marks and other characters that take no column.
constexpr Range kZeroWidth[] = {
    {0x0300, 0x036f},   {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x05bf, 0x05bf}, {0x05c1, 0x05c2},
    {0x05c4, 0x05c5},   {0x0610, 0x061a}, {0x061c, 0x061c}, {0x064b, 0x065f}, {0x0670, 0x0670},
    {0x06d6, 0x06dc},   {0x06df, 0x06e4}, {0x06e7, 0x06e8}, {0x06ea, 0x06ed}, {0x0900, 0x0902},
    {0x093a, 0x093a},   {0x093c, 0x093c}, {0x0941, 0x0948}, {0x094d, 0x094d}, {0x0e31, 0x0e31},
    {0x0e34, 0x0e3a},   {0x0e47, 0x0e4e}, {0x1160, 0x11ff}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},
    {0x200b, 0x200f},   {0x202a, 0x202e}, {0x2060, 0x2064}, {0x2066, 0x206f}, {0x20d0, 0x20f0},
    {0x302a, 0x302d},   {0x3099, 0x309a}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff},
    {0xe0000, 0xe0fff},
};

// East Asian wide and full-width characters, and emoji.
constexpr Range kWide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},   {0x23f0, 0x23f0},
    {0x23f3, 0x23f3},   {0x25fd, 0x25fe},   {0x2614, 0x2615},   {0x2648, 0x2653},   {0x267f, 0x267f},
    {0x2693, 0x2693},   {0x26a1, 0x26a1},   {0x26aa, 0x26ab},   {0x26bd, 0x26be},   {0x26c4, 0x26c5},
    {0x26ce, 0x26ce},   {0x26d4, 0x26d4},   {0x26ea, 0x26ea},   {0x26f2, 0x26f3},   {0x26f5, 0x26f5},
    {0x26fa, 0x26fa},   {0x26fd, 0x26fd},   {0x2705, 0x2705},   {0x270a, 0x270b},   {0x2728, 0x2728},
    {0x274c, 0x274c},   {0x274e, 0x274e},   {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
    {0x27b0, 0x27b0},   {0x27bf, 0x27bf},   {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2b55, 0x2b55},
    {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0x9fff},   {0xa000, 0xa4cf},
    {0xa960, 0xa97f},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
    {0xffe0, 0xffe6},   {0x16fe0, 0x18aff}, {0x1b000, 0x1b2ff}, {0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf},
    {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f320}, {0x1f32d, 0x1f335}, {0x1f337, 0x1f37c},
    {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca}, {0x1f3cf, 0x1f3d3}, {0x1f3e0, 0x1f3f0}, {0x1f3f4, 0x1f3f4},
    {0x1f3f8, 0x1f43e}, {0x1f440, 0x1f440}, {0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d}, {0x1f54b, 0x1f54e},
    {0x1f550, 0x1f567}, {0x1f57a, 0x1f57a}, {0x1f595, 0x1f596}, {0x1f5a4, 0x1f5a4}, {0x1f5fb, 0x1f64f},
    {0x1f680, 0x1f6c5}, {0x1f6cc, 0x1f6cc}, {0x1f6d0, 0x1f6d2}, {0x1f6d5, 0x1f6d7}, {0x1f6dc, 0x1f6df},
    {0x1f6eb, 0x1f6ec}, {0x1f6f4, 0x1f6fc}, {0x1f7e0, 0x1f7eb}, {0x1f90c, 0x1f93a}, {0x1f93c, 0x1f945},
    {0x1f947, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};

template <std::size_t N>
bool contains(const Range (&ranges)[N], char32_t c) {
  const Range* at = std::lower_bound(std::begin(ranges), std::end(ranges), c,
                                     [](const Range& range, char32_t point) { return range.last < point; });
  return at != std::end(ranges) && at->first <= c;
}

// U+FFFE, U+FFFF and the like are no characters: XML cannot hold them, and U+FFFE looks like a byte order
// mark.
bool is_none(char32_t c) { return (c & 0xfffe) == 0xfffe; }

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7f && c < 0xa0); }

// Characters that reorder what stands around them.
bool is_bidi_control(char32_t c) {
  return c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

std::size_t columns(const Step& step) {
  if (!step.valid) return 1;
  if (step.code_point < 0x7f) return step.code_point < 0x20 ? 0 : 1;
  if (is_control(step.code_point) || contains(kZeroWidth, step.code_point)) return 0;
  return contains(kWide, step.code_point) ? 2 : 1;
}

// The length of the parameters and the final byte of a control sequence (after ESC [).
std::size_t csi_length(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && text[i] >= 0x20 && text[i] <= 0x3f) ++i;
  return i < text.size() && text[i] >= 0x40 && text[i] <= 0x7e ? i + 1 : i;
}

// The length of a string sequence (OSC, DCS, ...) up to and with its end. A line end ends it too, so
// that an unfinished one cannot hide what follows.
std::size_t string_sequence_length(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' || text[i] == '\r') return i;
    if (text[i] == '\a') return i + 1;
    if (text[i] == '\x1b') return i + 1 < text.size() && text[i + 1] == '\\' ? i + 2 : i;
    if (text.substr(i, 2) == "\xc2\x9c") return i + 2;
  }
  return text.size();
}

std::size_t escape_length(std::string_view text) {  // after ESC
  if (text.empty()) return 0;
  const char kind = text.front();
  if (kind == '[') return 1 + csi_length(text.substr(1));
  if (kind == ']' || kind == 'P' || kind == 'X' || kind == '^' || kind == '_') {
    return 1 + string_sequence_length(text.substr(1));
  }
  std::size_t i = 0;
  while (i < text.size() && text[i] >= 0x20 && text[i] <= 0x2f) ++i;
  return i < text.size() && text[i] >= 0x30 && text[i] <= 0x7e ? i + 1 : i;
}

// What follows a control character and belongs to it.
std::size_t sequence_length(char32_t control, std::string_view rest) {
  switch (control) {
    case 0x1b:
      return escape_length(rest);
    case 0x9b:
      return csi_length(rest);
    case 0x90:
    case 0x98:
    case 0x9d:
    case 0x9e:
    case 0x9f:
      return string_sequence_length(rest);
    default:
      return 0;
  }
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    // Most text is ASCII.
    std::size_t plain = 0;
    while (plain < text.size() && static_cast<unsigned char>(text[plain]) < 0x80) ++plain;
    text.remove_prefix(plain);
    if (text.empty()) return true;
    const Step step = decode(text);
    if (!step.valid) return false;
    text.remove_prefix(step.length);
  }
  return true;
}

std::string repair_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Step step = decode(text);
    out += step.valid ? text.substr(0, step.length) : kReplacement;
    text.remove_prefix(step.length);
  }
  return out;
}

std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  // Back over continuation bytes to the start of the character that would be cut.
  std::size_t end = max_bytes;
  while (end > 0 && max_bytes - end < 3 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Step step = decode(text);
    width += columns(step);
    text.remove_prefix(step.length);
  }
  return width;
}

std::string pad_right(std::string_view text, std::size_t width) {
  std::string out(text);
  if (const std::size_t used = display_width(text); used < width) out.append(width - used, ' ');
  return out;
}

std::string ellipsize(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::size_t used = 0, bytes = 0;
  while (bytes < text.size()) {
    const Step step = decode(text.substr(bytes));
    if (used + columns(step) > width - 1) break;
    used += columns(step);
    bytes += step.length;
  }
  return std::string(text.substr(0, bytes)) + std::string(kEllipsis);
}

std::string plain_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Step step = decode(text);
    const std::string_view character = text.substr(0, step.length);
    text.remove_prefix(step.length);
    if (!step.valid || is_none(step.code_point)) {
      out += kReplacement;
    } else if (step.code_point == '\n' || step.code_point == '\t') {  // NOLINT(bugprone-branch-clone)
      out += character;
    } else if (step.code_point == '\r') {
      if (text.empty() || text.front() != '\n') out += '\n';
    } else if (step.code_point == 0x2028 || step.code_point == 0x2029) {
      out += '\n';
    } else if (is_control(step.code_point)) {
      text.remove_prefix(sequence_length(step.code_point, text));
    } else if (!is_bidi_control(step.code_point)) {
      out += character;
    }
  }
  return out;
}

std::string one_line(std::string_view text) {
  const std::string plain = plain_text(text);
  return join(split_words(plain), " ");
}

}  // namespace seamark
