#include "seamark/model/signature.h"

#include <array>

#include "seamark/base/text.h"

namespace seamark {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_path(char c) {
  return is_digit(c) || is_alpha(c) || c == '_' || c == '-' || c == '.' || c == '+' || c == '/' || c == '~';
}

// Reads one message from left to right and writes it without what varies.
class Normalizer {
 public:
  explicit Normalizer(std::string_view text) : text_(text) { out_.reserve(text.size()); }

  std::string run() && {
    while (at_ < text_.size()) {
      if (!space() && !frame() && !path() && !number()) out_ += text_[at_++];
    }
    if (!out_.empty() && out_.back() == ' ') out_.pop_back();  // before frames that ended it
    return std::move(out_);
  }

 private:
  [[nodiscard]] char ahead(std::size_t n) const { return at_ + n < text_.size() ? text_[at_ + n] : '\0'; }
  [[nodiscard]] char before() const { return at_ == 0 ? '\0' : text_[at_ - 1]; }

  bool space() {
    if (!is_space(text_[at_])) return false;
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    if (!out_.empty() && out_.back() != ' ' && at_ < text_.size()) out_ += ' ';
    return true;
  }

  // A line of a Python stack: File "NAME", line NUMBER, in FUNCTION. TensorFlow quotes the stack of whoever
  // called it, and a forked worker has other frames than one that lives on.
  bool frame() {
    constexpr std::string_view kBegin = "File \"";
    const std::string_view rest = text_.substr(at_);
    if (!rest.starts_with(kBegin)) return false;
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const std::size_t quote = line.find('"', kBegin.size());
    if (quote == std::string_view::npos || !line.substr(quote).starts_with("\", line ")) return false;
    if (line.find(", in ", quote) == std::string_view::npos) return false;
    at_ += line.size();
    return true;
  }

  // "/a/b" or "./a", not the slash inside "f32/f64" nor a lone "/".
  bool path() {
    const bool relative = text_[at_] == '.' && ahead(1) == '/';
    if (text_[at_] != '/' && !relative) return false;
    if (is_path(before()) || before() == ')' || before() == ']') return false;
    std::size_t end = at_;
    while (end < text_.size() && is_path(text_[end])) ++end;
    while (end > at_ && text_[end - 1] == '.') --end;  // the full stop of a sentence
    if (end - at_ < 2) return false;
    at_ = end;
    out_ += "<path>";
    return true;
  }

  // Digits that begin a word, or follow '_' in one (__inference_f_57); the 32 of float32 stays.
  bool number() {
    if (hex()) return true;
    if (!is_digit(text_[at_]) || is_alpha(before())) return false;
    if (is_digit(before())) return false;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    if (ahead(0) == '.' && is_digit(ahead(1))) {
      ++at_;
      while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    }
    exponent();
    if (!out_.empty() && out_.back() == '-') out_.pop_back();
    out_ += '#';
    return true;
  }

  void exponent() {
    if (ahead(0) != 'e' && ahead(0) != 'E') return;
    const std::size_t sign = ahead(1) == '-' || ahead(1) == '+' ? 1 : 0;
    if (!is_digit(ahead(1 + sign))) return;
    at_ += 1 + sign;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  }

  // 0x7f..., and bare runs of at least 8 hex digits that hold a digit (ids, hashes).
  bool hex() {
    if (!is_hex(text_[at_]) || is_alpha(before()) || is_digit(before())) return false;
    std::size_t begin = at_;
    const bool prefixed = text_[at_] == '0' && (ahead(1) == 'x' || ahead(1) == 'X') && is_hex(ahead(2));
    if (prefixed) begin += 2;
    std::size_t end = begin;
    bool digits = false;
    bool letters = false;
    for (; end < text_.size() && is_hex(text_[end]); ++end) (is_digit(text_[end]) ? digits : letters) = true;
    const bool word_goes_on = end < text_.size() && (is_alpha(text_[end]) || text_[end] == '_');
    if (!prefixed && (end - begin < 8 || !digits || !letters || word_goes_on)) return false;
    at_ = end;
    out_ += '#';
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string normalize_message(std::string_view message) { return Normalizer(trim(message)).run(); }

std::string signature_of(std::string_view function, std::string_view stage, std::string_view type,
                         std::string_view message) {
  const std::string normal = normalize_message(message);
  const std::array<std::string_view, 4> fields = {function, stage, type, normal};
  return to_hex(fnv1a64_fields(fields));
}

}  // namespace seamark
