// How lines are skimmed, over a Vector that looks at 64 bytes at once. Included by each file that has one;
// nothing here may be shared between them, as they are compiled for different processors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "seamark/usage/skim.h"

namespace seamark::usage {
namespace {  // NOLINT(google-build-namespaces,misc-anonymous-namespace-in-header): as said above

// Bits of 64 bytes, the first the lowest.
struct Masks {
  std::uint64_t in_name;  // parts of names and numbers
  std::uint64_t dot;
  std::uint64_t event;  // newline " ' # and backslash
  std::uint64_t open;
  std::uint64_t close;
  std::uint64_t space;
};

inline std::uint64_t from_bit(unsigned bit) { return bit >= 64 ? 0 : ~std::uint64_t{0} << bit; }
inline std::uint64_t below_bit(unsigned bit) { return ~from_bit(bit); }
inline unsigned lowest(std::uint64_t bits) { return static_cast<unsigned>(__builtin_ctzll(bits)); }
inline int count(std::uint64_t bits) { return __builtin_popcountll(bits); }

constexpr bool part_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// What a byte is, for a Vector that looks it up.
enum Kind : std::uint8_t { kName = 1, kDot = 2, kEvent = 4, kOpen = 8, kClose = 16, kSpace = 32 };
struct Kinds {
  alignas(64) std::uint8_t of[256] = {};

  constexpr Kinds() {
    for (int c = 0; c < 256; ++c) of[c] = part_of_name(static_cast<char>(c)) ? kName : 0;
    of['.'] = kDot;
    of[' '] = kSpace;
    of['\n'] = of['"'] = of['\''] = of['#'] = of['\\'] = kEvent;
    of['('] = of['['] = of['{'] = kOpen;
    of[')'] = of[']'] = of['}'] = kClose;
  }
};

template <typename Vector>
class Skimmer {
 public:
  explicit Skimmer(Skim& skim) : skim_(skim) {}

  Skim::Stop lines(const char* at) {
    const char* p = at;
    in_lines_ = true;
    for (;;) {
      p = indent(p);
      if (p >= skim_.end) return Skim::Stop::kEnd;
      skim_.line = p;
      if (too_shallow()) return Skim::Stop::kIndent;
      stop_ = Skim::Stop::kLine;
      p = line(p);
      if (p == nullptr) return stop_;
      if (scope_) {  // the text ends in it
        skim_.next = p;
        return Skim::Stop::kScope;
      }
    }
  }

  // The bracket that closes the one before p; nullptr: something in between matters, or nothing closes it.
  const char* closing(const char* p) {
    int depth = 1;
    for (const char* base = p; base < skim_.end;) {
      const Block found = look(base);
      if (found.limit == 0) {  // a word longer than this
        const char* end = base;
        while (part_of_name(*end)) ++end;
        skim_.line = base;
        if (matters(base, end)) return nullptr;
        base = end;
        continue;
      }
      unsigned from = 0;
      while (from < found.limit) {
        const std::uint64_t events = found.masks.event & from_bit(from) & below_bit(found.limit);
        unsigned at = events != 0 ? lowest(events) : found.limit;
        const std::uint64_t part = from_bit(from) & below_bit(at);
        const unsigned close = closing_bit(found.masks, part, depth);
        const std::uint64_t hits = found.hits & part & below_bit(close);
        if (hits != 0 && any_matters(base, hits, found.masks.in_name)) {
          skim_.line = base + lowest(hits);
          return nullptr;
        }
        if (close < 64) return base + close < skim_.end ? base + close : nullptr;
        p = base + at;
        if (events == 0) break;
        skim_.line = p;
        p = behind_event(p);
        if (p == nullptr) return nullptr;
        if (p - base >= 64) break;
        from = static_cast<unsigned>(p - base);
      }
      base = p;
    }
    skim_.line = skim_.end;
    return nullptr;
  }

  const char* last_comma(const char* p, const char* limit) {
    const char* last = nullptr;
    int depth = 0;
    for (const char* base = p; base < limit; base = p) {
      const Masks masks = Vector::masks(base);
      const std::uint64_t commas = Vector::commas(base);
      const std::uint64_t clauses = Vector::clauses(base);
      const auto size = static_cast<unsigned>(limit - base < 64 ? limit - base : 64);
      p = base + size;
      for (unsigned from = 0; from < size;) {
        const std::uint64_t events = masks.event & from_bit(from) & below_bit(size);
        const unsigned at = events != 0 ? lowest(events) : size;
        const std::uint64_t part = from_bit(from) & below_bit(at);
        if ((clauses & part) != 0) return nullptr;
        const std::uint64_t comma = outer_comma(commas & part, masks, part, depth);
        if (comma != 0) last = base + lowest(comma);
        if (events == 0) break;
        p = behind_event(base + at);
        if (p == nullptr) return last;
        if (p - base >= static_cast<std::ptrdiff_t>(size)) break;
        from = static_cast<unsigned>(p - base);
        p = base + size;
      }
    }
    return last;
  }

 private:
  // The last of these commas that is in no bracket, of a part at whose beginning as many are open as `depth`,
  // which becomes what it is behind it.
  static std::uint64_t outer_comma(std::uint64_t commas, const Masks& masks, std::uint64_t part, int& depth) {
    std::uint64_t brackets = (masks.open | masks.close) & part;
    std::uint64_t outer = 0;
    for (; brackets != 0; brackets &= brackets - 1) {
      const std::uint64_t bracket = brackets & (~brackets + 1);
      const std::uint64_t before = commas & (bracket - 1);
      if (depth == 0 && before != 0) outer = before;
      commas &= ~before;
      depth += (masks.open & bracket) != 0 ? 1 : -1;
    }
    if (depth == 0 && commas != 0) outer = commas;
    return outer == 0 ? 0 : std::uint64_t{1} << (63 - __builtin_clzll(outer));
  }

  struct Block {
    Masks masks;
    std::uint64_t hits;
    unsigned limit;  // how many bytes of it count; 0: they are all one word
  };

  [[gnu::always_inline]] Block look(const char* base) const {
    Block found{.masks = Vector::masks(base), .hits = 0, .limit = 64};
    const std::uint64_t in_name = found.masks.in_name;
    if ((in_name >> 63) != 0) {  // a word goes on: the next block begins with it
      if (~in_name == 0) {
        found.limit = 0;
        return found;
      }
      found.limit = 64 - static_cast<unsigned>(__builtin_clzll(~in_name));
    }
    std::uint64_t starts = in_name & ~(in_name << 1);
    starts &= ~((found.masks.dot << 1) | (base[-1] == '.' ? 1u : 0u));
    starts &= Vector::pairs(*skim_.filter, base);
    found.hits = filtered(base, starts & below_bit(found.limit), in_name);
    return found;
  }

  // Where in this part the depth comes to 0; 64: it does not, and depth is what it is behind it.
  static unsigned closing_bit(const Masks& masks, std::uint64_t part, int& depth) {
    const int closes = count(masks.close & part);
    if (closes < depth) {
      depth += count(masks.open & part) - closes;
      return 64;
    }
    for (std::uint64_t brackets = (masks.open | masks.close) & part; brackets != 0;
         brackets &= brackets - 1) {
      const unsigned at = lowest(brackets);
      depth += (masks.open >> at & 1) != 0 ? 1 : -1;
      if (depth == 0) return at;
    }
    return 64;
  }

  [[nodiscard]] bool too_shallow() const {
    const std::int64_t indent = skim_.indent;
    return indent <= skim_.indent_limit;
  }

  // The first character of the next line that holds something.
  const char* indent(const char* p) {
    std::uint32_t columns = 0;
    for (;; ++p) {
      switch (*p) {
        case ' ': {
          const unsigned spaces = Vector::spaces(p);
          columns += spaces;
          p += spaces - 1;
          break;
        }
        case '\t':
          columns = (columns / 8 + 1) * 8;
          break;
        case '#':
          p = newline(p);
          [[fallthrough]];
        case '\n':
          if (p >= skim_.end) return p;
          columns = 0;
          break;
        case '\f':
          columns = 0;
          break;
        default:
          skim_.indent = columns;
          return p;
      }
    }
  }

  const char* newline(const char* p) const {
    while (p < skim_.end) {
      const unsigned at = Vector::find(p, '\n', '\n', '\n');
      p += at;
      if (at < Vector::kWidth) break;
    }
    return p < skim_.end ? p : skim_.end;
  }

  // From the line that begins at p to the beginning of a later one; nullptr: stop_.
  const char* line(const char* p) {
    int depth = 0;
    for (const char* base = p;;) {
      if (base >= skim_.end) return skim_.end;
      const Block found = look(base);
      if (found.limit == 0) {  // a word longer than this
        const char* end = base;
        while (part_of_name(*end)) ++end;
        if (end < skim_.end && base[-1] != '.' && matters(base, end)) return nullptr;
        base = end;
        continue;
      }
      const char* next = block(base, found, depth);
      if (next == nullptr) return nullptr;
      if (ended_) {
        ended_ = false;
        return next;
      }
      base = next;
    }
  }

  std::uint64_t filtered(const char* base, std::uint64_t starts, std::uint64_t in_name) const {
    std::uint64_t hits = 0;
    for (; starts != 0; starts &= starts - 1) {
      const unsigned at = lowest(starts);
      const unsigned size = lowest(~(in_name >> at));
      const std::uint64_t hit =
          skim_.filter->counts[WordFilter::place(head(base + at, size), size)] != 0 ? 1 : 0;
      hits |= hit << at;
    }
    return hits;
  }

  static std::uint64_t head(const char* p, unsigned size) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, p, sizeof bytes);
    return size >= 8 ? bytes : bytes & ((std::uint64_t{1} << (size * 8)) - 1);
  }

  bool matters(const char* begin, const char* end) {
    const Skim::Word word = skim_.word(skim_.context, begin, static_cast<std::uint32_t>(end - begin));
    if (word == Skim::Word::kScope && in_lines_ && begin == skim_.line) {
      scope_ = true;
      return false;
    }
    return word != Skim::Word::kIgnored;
  }

  bool any_matters(const char* base, std::uint64_t hits, std::uint64_t in_name) {
    for (; hits != 0; hits &= hits - 1) {
      const unsigned at = lowest(hits);
      if (base + at < skim_.end && matters(base + at, base + at + lowest(~(in_name >> at)))) return true;
    }
    return false;
  }

  // The first `limit` bytes from `base`. Where to go on: with the beginning of a line if ended_; nullptr:
  // stop_.
  const char* block(const char* base, const Block& found, int& depth) {
    const Masks& masks = found.masks;
    const unsigned limit = found.limit;
    unsigned from = 0;
    for (;;) {
      const std::uint64_t events = masks.event & from_bit(from) & below_bit(limit);
      const unsigned at = events != 0 ? lowest(events) : limit;
      const std::uint64_t part = from_bit(from) & below_bit(at);
      if ((found.hits & part) != 0 && any_matters(base, found.hits & part, masks.in_name)) return nullptr;
      depth += count(masks.open & part) - count(masks.close & part);
      const char* p = base + at;
      if (events == 0) return p;
      if (*p == '\n') {
        ++p;
        if (depth <= 0 || p > skim_.end) {
          depth = 0;
          if (scope_) {
            skim_.next = p;
            stop_ = Skim::Stop::kScope;
            return nullptr;
          }
          if (!begin_line(base, masks.space, limit, p)) {
            ended_ = true;
            return p;
          }
          if (p == nullptr) return nullptr;
        }
      } else {
        p = behind_event(p);
        if (p == nullptr) return nullptr;
      }
      if (p - base >= static_cast<std::ptrdiff_t>(limit)) return p;
      from = static_cast<unsigned>(p - base);
    }
  }

  // Behind a comment, a string or a backslash with what follows it; nullptr: it matters.
  const char* behind_event(const char* p) {
    switch (*p) {
      case '\n':
        return p + 1;
      case '#':
        return newline(p);
      case '\\':
        return p + 2;
      default:
        return string(p);
    }
  }

  // A logical line begins at p: to its first character, if it is an ordinary one in this block, else false. p
  // is nullptr where skimming stops.
  bool begin_line(const char* base, std::uint64_t space, unsigned limit, const char*& p) {
    if (p >= skim_.end) return false;
    const auto begin = static_cast<unsigned>(p - base);
    const std::uint64_t others = ~space & from_bit(begin) & below_bit(limit);
    if (others == 0) return false;
    const unsigned first = lowest(others);
    const char* line = base + first;
    if (line >= skim_.end) return false;
    switch (*line) {
      case '\n':  // an empty line: its end is the next event
        p = line;
        return true;
      case '\t':
      case '\f':
      case '#':
        return false;
      default:
        break;
    }
    skim_.line = line;
    skim_.indent = first - begin;
    p = line;
    if (too_shallow()) {
      stop_ = Skim::Stop::kIndent;
      p = nullptr;
    }
    return true;
  }

  // Behind the string whose quote stands at p; nullptr: names in its fields matter.
  const char* string(const char* p) {
    const char quote = *p;
    const bool fields = has_fields(p);
    const bool triple = p[1] == quote && p[2] == quote;
    const char* begin = p + (triple ? 3 : 1);
    p = begin;
    for (;;) {
      const unsigned at = triple ? Vector::find(p, quote, quote, '\\') : Vector::find(p, quote, '\n', '\\');
      p += at;
      if (p >= skim_.end) {
        p = skim_.end;
        break;
      }
      if (at >= Vector::kWidth) continue;
      if (*p == '\\') {
        p += 2;
      } else if (*p == '\n') {
        break;
      } else if (!triple) {
        ++p;
        break;
      } else if (p[1] == quote && p[2] == quote) {
        p += 3;
        break;
      } else {
        ++p;
      }
    }
    p = p > skim_.end ? skim_.end : p;
    return fields && fields_matter(begin, p) ? nullptr : p;
  }

  // Of the string that begins with this quote: f, t, and with r.
  static bool has_fields(const char* quote) {
    const auto lower = [](char c) { return static_cast<char>(c | 0x20); };
    const char last = lower(quote[-1]);
    if (last != 'f' && last != 't' && last != 'r') return false;
    if (!part_of_name(quote[-1])) return false;
    if (!part_of_name(quote[-2])) return last != 'r';
    const char first = lower(quote[-2]);
    if (part_of_name(quote[-3])) return false;
    return last == 'r' ? first == 'f' || first == 't' : first == 'r';
  }

  // Where braces do not match, a string with the same quotes may stand in a field: the line is read properly.
  bool fields_matter(const char* p, const char* end) {
    int braces = 0;
    bool any = false;
    for (const char* q = p; q < end; ++q) {
      braces += *q == '{' ? 1 : 0;
      braces -= *q == '}' ? 1 : 0;
      any = any || *q == '{';
    }
    if (braces != 0) return true;
    if (!any) return false;
    while (p < end) {
      if (!part_of_name(*p)) {
        ++p;
        continue;
      }
      const char* begin = p;
      while (p < end && part_of_name(*p)) ++p;
      const auto size = static_cast<std::uint32_t>(p - begin);
      if (skim_.filter->counts[WordFilter::place(head(begin, size), size)] != 0 && matters(begin, p))
        return true;
    }
    return false;
  }

  Skim& skim_;
  bool in_lines_ = false;
  bool scope_ = false;  // a def or class begins the line
  bool ended_ = false;
  Skim::Stop stop_ = Skim::Stop::kLine;
};

template <typename Vector>
Skim::Stop skim_lines(Skim& skim, const char* at) {
  return Skimmer<Vector>(skim).lines(at);
}

template <typename Vector>
const char* skim_brackets(Skim& skim, const char* at) {
  return Skimmer<Vector>(skim).closing(at);
}

// For a Vector that finds the words in 64 places at once.
template <typename Vector>
const char* find_import_in(const char* at, const char* end) {
  constexpr char kWord[] = "import";
  constexpr std::ptrdiff_t kSize = 6;
  for (; end - at >= 64 + kSize - 1; at += 64) {
    for (std::uint64_t hits = Vector::imports(at); hits != 0; hits &= hits - 1) {
      const char* hit = at + lowest(hits);
      if (std::memcmp(hit, kWord, kSize) == 0) return hit;
    }
  }
  for (; end - at >= kSize; ++at) {
    if (std::memcmp(at, kWord, kSize) == 0) return at;
  }
  return end;
}

template <typename Vector>
const char* skim_last_comma(Skim& skim, const char* at, const char* limit) {
  return Skimmer<Vector>(skim).last_comma(at, limit);
}

}  // namespace
}  // namespace seamark::usage
