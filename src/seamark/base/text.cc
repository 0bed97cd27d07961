#include "seamark/base/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <system_error>

#include "seamark/base/log_commands.h"
#include "seamark/base/utf8.h"

namespace seamark {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

template <typename Part>
std::string join_parts(std::span<const Part> parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

// Edits between two names, where swapping neighbours is one edit.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({replace, last[j] + 1, now[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        now[j] = std::min(now[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

}  // namespace

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t i = 0;
  while (i < text.size()) {
    while (i < text.size() && is_space(text[i])) ++i;
    const std::size_t start = i;
    while (i < text.size() && !is_space(text[i])) ++i;
    if (i > start) words.push_back(text.substr(start, i - start));
  }
  return words;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines = split(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  for (std::string_view& line : lines) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  }
  return lines;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return join_parts(parts, separator);
}

std::string join(std::span<const std::string_view> parts, std::string_view separator) {
  return join_parts(parts, separator);
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  if (from.empty()) return std::string(text);
  std::string out;
  for (std::size_t at = text.find(from); at != std::string_view::npos; at = text.find(from)) {
    out += text.substr(0, at);
    out += to;
    text.remove_prefix(at + from.size());
  }
  out += text;
  return out;
}

namespace {

// With its full-width forms, which some spreadsheets take as well.
bool begins_formula(char32_t c) {
  return c == U'=' || c == U'+' || c == U'-' || c == U'@' || c == U'\uff1d' || c == U'\uff0b' ||
         c == U'\uff0d' || c == U'\uff20';
}

// Behind white space and what is not shown, too.
bool is_formula(std::string_view text) {
  if (text.starts_with('\t')) return true;
  while (!text.empty()) {
    const utf8::Step step = utf8::decode(text);
    if (begins_formula(step.code_point)) return true;
    const bool passed_over = is_space(text.front()) || display_width(text.substr(0, step.length)) == 0;
    if (!passed_over) return false;
    text.remove_prefix(step.length);
  }
  return false;
}

}  // namespace

std::string csv_field(std::string_view text) {
  std::string field = without_log_commands(text);
  if (is_formula(field)) field.insert(field.begin(), '\'');
  if (field.find_first_of("\",\n\r") == std::string::npos) return field;
  return '"' + replace_all(field, "\"", "\"\"") + '"';
}

std::string lower_ascii(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::optional<std::int64_t> parse_int(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<double> parse_double(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

bool any_glob(std::span<const std::string> patterns, std::string_view text) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return glob_match(pattern, text); });
}

bool has_glob(std::string_view pattern) { return pattern.find_first_of("*?") != std::string_view::npos; }

// Only the latest '*' is ever retried: an earlier one could gain nothing by taking more.
bool glob_match(std::string_view pattern, std::string_view text) {
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t p = 0, t = 0;
  std::size_t star = kNone, retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      retry = t;
    } else if (p < pattern.size() && pattern[p] == '?') {
      ++p;
      t += utf8::decode(text.substr(t)).length;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != kNone) {
      retry += utf8::decode(text.substr(retry)).length;
      t = retry;
      p = star;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

std::string to_hex(std::uint64_t number) {
  std::uint8_t bytes[8];
  for (int i = 7; i >= 0; --i) {
    bytes[i] = static_cast<std::uint8_t>(number & 0xff);
    number >>= 8;
  }
  return to_hex(std::span<const std::uint8_t>(bytes));
}

namespace {

constexpr std::uint64_t kFnvStart = 0xcbf29ce484222325;
constexpr std::uint64_t kFnvPrime = 0x100000001b3;

std::uint64_t fnv_byte(std::uint64_t hash, unsigned char byte) { return (hash ^ byte) * kFnvPrime; }

std::uint64_t fnv_bytes(std::uint64_t hash, std::string_view bytes) {
  for (const char c : bytes) hash = fnv_byte(hash, static_cast<unsigned char>(c));
  return hash;
}

}  // namespace

std::uint64_t fnv1a64(std::string_view bytes) { return fnv_bytes(kFnvStart, bytes); }

std::uint64_t fnv1a64_fields(std::span<const std::string_view> fields) {
  std::uint64_t hash = kFnvStart;
  for (const std::string_view field : fields) {
    hash = fnv_bytes(hash, field);
    std::uint64_t size = field.size();
    for (int i = 0; i < 8; ++i, size >>= 8) hash = fnv_byte(hash, static_cast<unsigned char>(size & 0xff));
  }
  return hash;
}

namespace {

std::size_t most_edits(std::string_view word) { return std::max<std::size_t>(1, word.size() / 3); }

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

// torch.Tensor.add_ is not near torch.Tensor.cuda, which has the rest of its name.
bool is_near(std::string_view word, std::string_view candidate) {
  return edit_distance(word, candidate) <= std::max<std::size_t>(2, most_edits(word));
}

}  // namespace

std::optional<std::string> nearest(std::string_view name, std::span<const std::string> candidates) {
  std::optional<std::string> best;
  std::size_t fewest = most_edits(name) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t gap = std::max(name.size(), candidate.size()) - std::min(name.size(), candidate.size());
    if (gap >= fewest) continue;
    const std::size_t edits = edit_distance(name, candidate);
    if (edits < fewest && is_near(last_part(name), last_part(candidate))) {
      fewest = edits;
      best = candidate;
    }
  }
  return best;
}

}  // namespace seamark
