#include "seamark/usage/input/json_text.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "seamark/base/text.h"
#include "seamark/usage/input/source.h"
#include "seamark/usage/input/text_kernels.h"

namespace seamark::usage {
namespace {

constexpr std::size_t kLarge = std::size_t{4} << 20;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Of numbers, true, false, null, NaN, Infinity.
bool is_literal(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' ||
         c == '.';
}

const char* first_non_ascii(const char* at, const char* end) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080u;
  std::uint64_t word = 0;
  for (; end - at >= 8; at += 8) {
    std::memcpy(&word, at, sizeof(word));
    if ((word & kHighBits) != 0) break;
  }
  return std::find_if(at, end, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

// No character of several bytes reaches over an ASCII byte, so each run of others can be judged by itself.
bool is_valid(std::string_view text) {
  const char* begin = text.data();
  const char* end = begin + text.size();
  for (const char* at = first_non_ascii(begin, end); at < end; at = first_non_ascii(at, end)) {
    const char* run = std::find_if(at, end, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    if (!is_utf8({at, static_cast<std::size_t>(run - at)})) return false;
    at = run;
  }
  return true;
}

}  // namespace

static_assert(kSearchPadding >= kTextMargin);

char* TextBuffer::reserve(std::size_t bytes) {
  const std::size_t wanted = kTextMargin + bytes + kSearchPadding;
  if (capacity_ < wanted) {
    capacity_ = std::max(wanted, 2 * capacity_);
    data_.reset();
    data_ = std::make_unique_for_overwrite<char[]>(capacity_);
    std::memset(data_.get(), '\n', kTextMargin);
  }
  return data_.get() + kTextMargin;
}

void TextBuffer::frame(char* end) { std::memset(end, '\n', kTextMargin); }

void TextBuffer::release_large() {
  if (capacity_ <= kLarge) return;
  data_.reset();
  capacity_ = 0;
}

char JsonReader::peek() {
  while (at_ < end_ && is_space(*at_)) ++at_;
  return at_ < end_ ? *at_ : '\0';
}

bool JsonReader::take(char c) {
  if (peek() != c || at_ == end_) return false;
  ++at_;
  return true;
}

bool JsonReader::string(JsonString& out) {
  if (!take('"')) return false;
  // What is left of the text is bound enough; where that is much, the end of the string is looked for.
  auto bound = static_cast<std::size_t>(end_ - at_);
  if (bound > kLarge) {
    JsonReader ahead({at_ - 1, bound + 1});
    if (!ahead.skip_string()) return false;
    bound = static_cast<std::size_t>(ahead.at_ - at_);
  }
  char* to = out.buffer.reserve(bound);
  const Unescaped result = unescape_string(at_, end_, to);
  if (result.from == nullptr) return false;
  at_ = result.from;
  out.repaired = result.replaced;
  out.text = {to, static_cast<std::size_t>(result.to - to)};
  if (result.non_ascii) out.text = valid_utf8(out.text, out.mended, out.repaired);
  TextBuffer::frame(result.to);
  out.framed = out.text.data() == to;
  return true;
}

bool JsonReader::skip_string() {
  if (!take('"')) return false;
  const char* begin = at_;
  while (true) {
    const auto* quote = static_cast<const char*>(std::memchr(at_, '"', static_cast<std::size_t>(end_ - at_)));
    if (quote == nullptr) return false;
    at_ = quote + 1;
    const char* first = quote;
    while (first > begin && first[-1] == '\\') --first;
    if ((quote - first) % 2 == 0) return true;
    begin = at_;
  }
}

bool JsonReader::skip_nested() {
  std::size_t depth = 0;
  do {
    const char c = peek();
    if (c == '"') {
      if (!skip_string()) return false;
      continue;
    }
    if (at_ == end_) return false;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    ++at_;
  } while (depth > 0);
  return true;
}

bool JsonReader::skip() {
  switch (peek()) {
    case '"':
      return skip_string();
    case '{':
    case '[':
      return skip_nested();
    default:
      break;
  }
  const char* begin = at_;
  while (at_ < end_ && is_literal(*at_)) ++at_;
  return at_ > begin;
}

bool JsonReader::name(std::string_view& out) {
  if (peek() != '"') return false;
  const char* begin = at_ + 1;
  if (!skip_string()) return false;
  out = {begin, static_cast<std::size_t>(at_ - 1 - begin)};
  return take(':');
}

std::string_view without_bom(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return text;
}

std::string_view valid_utf8(std::string_view text, std::string& mended, bool& repaired) {
  if (is_valid(text)) return text;
  mended = repair_utf8(text);
  repaired = true;
  return mended;
}

}  // namespace seamark::usage
