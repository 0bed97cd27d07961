// Python's tokens, as far as names need them, of one text. Python 2 and garbage are read as well as they can
// be.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "seamark/usage/scan/chars.h"
#include "seamark/usage/scan/words.h"

namespace seamark::usage {

enum class Tok : std::uint8_t {
  kNewline,  // ends a logical line; also the end of the text
  kName,     // an identifier that is no keyword
  kKeyword,  // Token::keyword
  kOpen,     // ( [ {, or the { of an f-string: Token::bracket
  kClose,    // of any
  kComma,
  kColon,  // also the one before a format
  kSemicolon,
  kEqual,      // = alone
  kAugmented,  // += and the like
  kWalrus,
  kStar,  // * and **
  kDot,
  kValue,  // a string, a number, ...
  kOperator,
};

struct Token {
  Tok kind = Tok::kNewline;
  Keyword keyword = Keyword::kNone;
  char bracket = 0;  // of kOpen: ( [ {, and f in an f-string
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t name = Words::kNoName;  // of kName: its number, if it is among the words
};

// `text` has at least 64 readable bytes before and behind it; behind it they begin with a newline. Line ends
// are \n.
class Lexer {
 public:
  static constexpr std::size_t kMaxDepth =
      400;  // Python's own limit is 200; deeper brackets are not told apart

  explicit Lexer(const Words& words) : words_(words) {}

  void set_text(const char* text, std::uint32_t size) {
    text_ = text;
    end_ = text + size;
    start(0);
  }
  // From `at` on, outside of all brackets.
  void start(std::uint32_t at) {
    p_ = text_ + at;
    nest_.clear();
    overflow_ = 0;
  }
  Token next();
  // Leaves out what stands before `at`, which is in the same brackets.
  void skip_to(std::uint32_t at) { p_ = text_ + at; }
  [[nodiscard]] std::uint32_t position() const { return offset(p_); }
  [[nodiscard]] char at(std::uint32_t position) const { return text_[position]; }

  // Where the next token begins; the newline's place at the end of the line.
  [[nodiscard]] std::uint32_t peek() const { return offset(skip_blanks(p_)); }
  // If an attribute follows (". name"), its name's place, and it is consumed. size 0: none.
  struct Attribute {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
  };
  Attribute take_attribute();

  // The lexer as it stands, to come back to.
  struct Mark {
    const char* p;
    std::vector<std::uint32_t> nest;
    std::uint32_t overflow;
  };
  [[nodiscard]] Mark mark() const { return {p_, nest_, overflow_}; }
  void back_to(Mark mark) {
    p_ = mark.p;
    nest_ = std::move(mark.nest);
    overflow_ = mark.overflow;
  }

 private:
  // What is open: brackets, and strings with fields.
  enum Nest : std::uint32_t {
    kBracket = 1,
    kString = 2,  // the literal part
    kField = 3,
    kFormat = 4,
    kKindMask = 7,
    kTriple = 8,
    kRaw = 16,
    kQuoteShift = 8,
  };

  [[nodiscard]] std::uint32_t offset(const char* p) const { return static_cast<std::uint32_t>(p - text_); }
  [[nodiscard]] std::uint32_t top() const { return nest_.empty() ? 0u : nest_.back() & kKindMask; }
  [[nodiscard]] const char* skip_blanks(const char* p) const {
    if (*p == ' ') ++p;
    return is_a(*p, kSkipped) ? skip_more(p) : p;
  }
  [[nodiscard]] const char* skip_more(const char* p) const;
  [[nodiscard]] Token token(Tok kind, const char* begin) const {
    return {.kind = kind, .begin = offset(begin), .end = offset(p_)};
  }
  Token name_or_string();
  Token string(const char* begin, bool raw, bool fields);
  Token literal(const char* begin);
  Token number();
  Token mark_or_operator();
  Token open(char bracket);
  Token close(char bracket);
  void push(std::uint32_t nest);
  void drop_string();

  const Words& words_;
  const char* text_ = nullptr;
  const char* end_ = nullptr;
  const char* p_ = nullptr;
  std::vector<std::uint32_t> nest_;
  std::uint32_t overflow_ = 0;
};

// Behind the closing quotes of a string whose text begins at p; at the newline that a string of one line
// lacks them before; `end` at the latest.
const char* string_end(const char* p, const char* end, char quote, bool triple);

}  // namespace seamark::usage
