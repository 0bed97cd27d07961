// A forward reader of one JSON text in memory, for lines of a corpus and for notebooks.
//
// It is lenient where nothing is gained by being strict: what is skipped is only balanced, NaN and Infinity
// pass (Python's json writes them), raw control characters in strings too. Strings come as valid UTF-8: lone
// surrogates and bytes that are no UTF-8 become U+FFFD.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace seamark::usage {

// Bytes that can be written past what is kept; grows, and gives large blocks back.
class TextBuffer {
 public:
  // At least `bytes`, and kSearchPadding more; what was in it is lost. kTextMargin newlines stand before.
  char* reserve(std::size_t bytes);
  // Puts as many behind a text that was written there.
  static void frame(char* end);
  void release_large();

 private:
  std::unique_ptr<char[]> data_;
  std::size_t capacity_ = 0;
};

// One decoded string.
struct JsonString {
  std::string_view text;  // in `buffer` or `mended`
  bool framed = false;    // in `buffer`, with kTextMargin newlines before and behind it
  bool repaired = false;  // something has become U+FFFD
  TextBuffer buffer;
  std::string mended;
};

class JsonReader {
 public:
  // kSearchPadding bytes behind the text are readable.
  explicit JsonReader(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  // Takes this character, after white space; false: another one stands there.
  bool take(char c);
  // The next character that is no white space, not taken; 0: the end.
  char peek();
  // All false: it is no JSON from here on.
  bool string(JsonString& out);
  bool skip();  // any value
  // A member's name and its colon. A name with escapes is given as it is written.
  bool name(std::string_view& out);

  [[nodiscard]] const char* at() const { return at_; }

 private:
  bool skip_string();
  bool skip_nested();

  const char* at_;
  const char* end_;
};

// Walks the members of an object: each(name) reads or skips the value and says whether it could. False: no
// JSON.
template <typename Each>
bool each_member(JsonReader& json, const Each& each) {
  if (!json.take('{')) return false;
  if (json.take('}')) return true;
  do {
    std::string_view name;
    if (!json.name(name) || !each(name)) return false;
  } while (json.take(','));
  return json.take('}');
}

// The same of an array: each() for every element.
template <typename Each>
bool each_element(JsonReader& json, const Each& each) {
  if (!json.take('[')) return false;
  if (json.take(']')) return true;
  do {
    if (!each()) return false;
  } while (json.take(','));
  return json.take(']');
}

// The text itself where it is valid UTF-8; else with U+FFFD in the place of what is not, kept in `mended`.
[[nodiscard]] std::string_view valid_utf8(std::string_view text, std::string& mended, bool& repaired);
[[nodiscard]] std::string_view without_bom(std::string_view text);

}  // namespace seamark::usage
