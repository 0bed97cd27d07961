#include "seamark/usage/scan/lexer.h"

#include <algorithm>
#include <cstring>

namespace seamark::usage {

namespace {

bool starts_name(char c) { return is_a(c, kStartsName); }
bool in_name(char c) { return is_a(c, kInName); }
char lower(char c) { return static_cast<char>(c | 0x20); }

// b, u, r, f, t in any case, one or two of them.
bool is_prefix(const char* p, std::ptrdiff_t size, bool& raw, bool& fields) {
  if (size > 2) return false;
  for (std::ptrdiff_t i = 0; i < size; ++i) {
    switch (lower(p[i])) {
      case 'r':
        raw = true;
        break;
      case 'f':
      case 't':
        fields = true;
        break;
      case 'b':
      case 'u':
        break;
      default:
        return false;
    }
  }
  return true;
}

}  // namespace

const char* string_end(const char* p, const char* end, char quote, bool triple) {
  while (p < end) {
    while (is_a(*p, kInString)) ++p;  // the newline behind the text ends it
    const char c = *p;
    if (p >= end) break;
    if (c == '\\') {
      p += 2;
    } else if (c == quote) {
      if (!triple) return p + 1;
      if (p[1] == quote && p[2] == quote) return p + 3;
      ++p;
    } else if (c == '\n' && !triple) {
      return p;
    } else {
      ++p;
    }
  }
  return end;
}

const char* Lexer::skip_more(const char* p) const {
  for (;;) {
    const char c = *p;
    if (is_a(c, kBlank) || (c == '\n' && !nest_.empty() && p < end_)) {
      ++p;
    } else if (c == '\\' && p[1] == '\n' && p + 1 < end_) {
      p += 2;
    } else if (c == '#') {
      p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end_ - p) + 1));
    } else {
      return p;
    }
  }
}

Token Lexer::next() {
  const std::uint32_t nest = top();
  if (nest == kString || nest == kFormat) return literal(p_);
  p_ = skip_blanks(p_);
  const char c = *p_;
  if (starts_name(c)) return name_or_string();
  if (p_ >= end_) {
    p_ = end_;
    return token(Tok::kNewline, p_);
  }
  if (c == '\n') {
    ++p_;
    return token(Tok::kNewline, p_ - 1);
  }
  if (is_a(c, kDigit)) return number();
  if (c == '"' || c == '\'') return string(p_, false, false);
  return mark_or_operator();
}

Token Lexer::name_or_string() {
  const char* begin = p_;
  p_ = name_end(p_);
  const std::ptrdiff_t size = p_ - begin;
  if ((*p_ == '"' || *p_ == '\'') && size <= 2) {
    bool raw = false;
    bool fields = false;
    if (is_prefix(begin, size, raw, fields)) return string(begin, raw, fields);
  }
  Token found = token(Tok::kName, begin);
  if (const Words::Word* word = words_.find(begin, static_cast<std::uint32_t>(size))) {
    found.name = word->name;
    found.keyword = word->keyword;
    if (word->keyword != Keyword::kNone) found.kind = Tok::kKeyword;
  }
  return found;
}

Token Lexer::string(const char* begin, bool raw, bool fields) {
  const char quote = *p_;
  const bool triple = p_[1] == quote && p_[2] == quote;
  p_ += triple ? 3 : 1;
  if (!fields || nest_.size() >= kMaxDepth) {
    p_ = std::min(string_end(p_, end_, quote, triple), end_);
    return token(Tok::kValue, begin);
  }
  push(kString | (triple ? kTriple : 0u) | (raw ? kRaw : 0u) |
       (static_cast<std::uint32_t>(static_cast<unsigned char>(quote)) << kQuoteShift));
  return literal(begin);
}

void Lexer::drop_string() {
  while (!nest_.empty()) {
    const std::uint32_t kind = top();
    nest_.pop_back();
    if (kind == kString) return;
  }
}

// The text of an f-string up to the next field, or to its end.
Token Lexer::literal(const char* begin) {
  const bool format = top() == kFormat;
  const std::uint32_t nest = nest_.back();
  const char quote = static_cast<char>(nest >> kQuoteShift);
  const bool triple = (nest & kTriple) != 0;
  while (p_ < end_) {
    const char c = *p_;
    if (c == quote && (!triple || (p_[1] == quote && p_[2] == quote))) {
      p_ += triple ? 3 : 1;
      drop_string();
      return token(Tok::kValue, begin);
    }
    if (c == '\n' && !triple) break;
    if (c == '{' && (format || p_[1] != '{')) {
      ++p_;
      push(kField | (nest & ~std::uint32_t{kKindMask}));
      Token field = token(Tok::kOpen, p_ - 1);
      field.bracket = 'f';
      return field;
    }
    if (c == '}' && format) {
      ++p_;
      nest_.pop_back();  // the format, and its field
      nest_.pop_back();
      return token(Tok::kClose, p_ - 1);
    }
    if (c == '\\' && p_[1] == 'N' && p_[2] == '{' && (nest & kRaw) == 0) {
      while (p_ < end_ && *p_ != '}' && *p_ != '\n' && *p_ != quote) ++p_;
      if (*p_ == '}') ++p_;
    } else if ((c == '{' || c == '}') && p_[1] == c) {
      p_ += 2;
    } else {
      p_ += c == '\\' && p_[1] != '{' && p_[1] != '}' ? 2 : 1;
    }
  }
  p_ = std::min(p_, end_);
  drop_string();
  return token(Tok::kValue, begin);
}

Token Lexer::number() {
  const char* begin = p_;
  if (*p_ == '0' && (lower(p_[1]) == 'x' || lower(p_[1]) == 'o' || lower(p_[1]) == 'b')) {
    const bool hex = lower(p_[1]) == 'x';
    p_ += 2;
    while (is_a(*p_, kDigit) || *p_ == '_' || (hex && lower(*p_) >= 'a' && lower(*p_) <= 'f')) ++p_;
  } else {
    const auto digits = [&] {
      while (is_a(*p_, kDigit) || *p_ == '_') ++p_;
    };
    digits();
    if (*p_ == '.') {
      ++p_;
      digits();
    }
    if (lower(*p_) == 'e' &&
        (is_a(p_[1], kDigit) || ((p_[1] == '+' || p_[1] == '-') && is_a(p_[2], kDigit)))) {
      p_ += 2;
      digits();
    }
    if (lower(*p_) == 'j') ++p_;
  }
  if (lower(*p_) == 'l' && !in_name(p_[1])) ++p_;  // Python 2: 10L, but 10less is no number
  return token(Tok::kValue, begin);
}

Token Lexer::mark_or_operator() {
  const char* begin = p_;
  const char c = *p_++;
  const auto twice = [&](Tok kind) {  // c, cc, c= or cc=
    if (*p_ == c) ++p_;
    if (*p_ != '=') return token(kind, begin);
    ++p_;
    return token(Tok::kAugmented, begin);
  };
  switch (c) {
    case '(':
    case '[':
    case '{':
      return open(c);
    case ')':
    case ']':
    case '}':
      return close(c);
    case ',':
      return token(Tok::kComma, begin);
    case ';':
      return token(Tok::kSemicolon, begin);
    case ':':
      if (top() == kField) {
        push(kFormat | (nest_.back() & ~std::uint32_t{kKindMask}));
        return token(Tok::kColon, begin);
      }
      if (*p_ != '=') return token(Tok::kColon, begin);
      ++p_;
      return token(Tok::kWalrus, begin);
    case '=':
      if (*p_ == '=') {
        ++p_;
        return token(Tok::kOperator, begin);
      }
      return token(top() == kField ? Tok::kOperator : Tok::kEqual, begin);  // f"{name=}"
    case '!':
      if (*p_ == '=') {
        ++p_;
      } else if (top() == kField) {  // !r
        while (in_name(*p_)) ++p_;
      }
      return token(Tok::kOperator, begin);
    case '*':
      return twice(Tok::kStar);
    case '/':
    case '<':
    case '>': {
      const bool shift = c != '/' && *p_ == c;
      if (c != '/' && !shift) {  // < > <= >= <>
        if (*p_ == '=' || (c == '<' && *p_ == '>')) ++p_;
        return token(Tok::kOperator, begin);
      }
      return twice(Tok::kOperator);
    }
    case '-':
      if (*p_ == '>') {
        ++p_;
        return token(Tok::kOperator, begin);
      }
      [[fallthrough]];
    case '+':
    case '%':
    case '&':
    case '|':
    case '^':
    case '@':
      if (*p_ != '=') return token(Tok::kOperator, begin);
      ++p_;
      return token(Tok::kAugmented, begin);
    case '.':
      if (is_a(*p_, kDigit)) {
        --p_;
        return number();
      }
      if (*p_ == '.' && p_[1] == '.') {
        p_ += 2;
        return token(Tok::kValue, begin);
      }
      return token(Tok::kDot, begin);
    default:
      return token(Tok::kOperator, begin);
  }
}

Token Lexer::open(char bracket) {
  push(kBracket);
  Token opened = token(Tok::kOpen, p_ - 1);
  opened.bracket = bracket;
  return opened;
}

Token Lexer::close(char bracket) {
  const Token closed = token(Tok::kClose, p_ - 1);
  if (overflow_ > 0) {
    --overflow_;
  } else if (top() == kField && bracket != '}') {
    return token(Tok::kOperator, p_ - 1);  // no Python
  } else if (!nest_.empty()) {
    nest_.pop_back();
  }
  return closed;
}

void Lexer::push(std::uint32_t nest) {
  if (nest_.size() < kMaxDepth) {
    nest_.push_back(nest);
  } else {
    ++overflow_;
  }
}

Lexer::Attribute Lexer::take_attribute() {
  const char* dot = skip_blanks(p_);
  if (*dot != '.' || dot >= end_) return {};
  const char* begin = skip_blanks(dot + 1);
  if (!starts_name(*begin) || begin >= end_) return {};
  const char* end = name_end(begin);
  p_ = end;
  return {.begin = offset(begin), .size = static_cast<std::uint32_t>(end - begin)};
}

}  // namespace seamark::usage
