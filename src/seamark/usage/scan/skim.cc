#include "seamark/usage/scan/skim.h"

#include <cstring>

#include "seamark/usage/scan/chars.h"

// 64 bytes are looked at at once: their vectors must be of a length that is known when compiling.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "seamark/usage/scan/skim.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace seamark::usage::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<std::uint8_t, 64>;
using V = hn::VFromD<D>;
constexpr unsigned kLanes = hn::MaxLanes(D());

// Bits of 64 bytes, the first the lowest.
struct Masks {
  std::uint64_t in_name;  // parts of names and numbers
  std::uint64_t dot;
  std::uint64_t event;  // newline " ' # and backslash
  std::uint64_t open;
  std::uint64_t close;
  std::uint64_t space;
};

HWY_INLINE std::uint64_t from_bit(unsigned bit) { return bit >= 64 ? 0 : ~std::uint64_t{0} << bit; }
HWY_INLINE std::uint64_t below_bit(unsigned bit) { return ~from_bit(bit); }
HWY_INLINE unsigned lowest(std::uint64_t bits) { return static_cast<unsigned>(__builtin_ctzll(bits)); }
HWY_INLINE int count(std::uint64_t bits) { return __builtin_popcountll(bits); }

// A byte's class is what the tables of its halves have in common.
enum Class : std::uint8_t {
  kDecimal = 1,     // 3, 0 to 9
  kLetterLow = 2,   // 4 and 6, 1 to 15
  kLetterHigh = 4,  // 5 and 7, 0 to 10
  kUnderscore = 8,  // 5, 15
  kOther = 16,      // 8 to 15, all
  kQuote = 32,      // 2: " # '
  kNewline = 64,    // 0, 10
  kBackslash = 128  // 5, 12
};
constexpr std::uint8_t kNames = kDecimal | kLetterLow | kLetterHigh | kUnderscore | kOther;
constexpr std::uint8_t kEvents = kQuote | kNewline | kBackslash;

constexpr std::uint8_t kAll = kOther;
constexpr std::uint8_t kLow = kLetterLow | kAll;
alignas(16) constexpr std::uint8_t kByLow[16] = {
    kDecimal | kLetterHigh | kAll,           // 0
    kDecimal | kLetterHigh | kLow,           // 1
    kDecimal | kLetterHigh | kLow | kQuote,  // 2
    kDecimal | kLetterHigh | kLow | kQuote,  // 3
    kDecimal | kLetterHigh | kLow,           // 4
    kDecimal | kLetterHigh | kLow,           // 5
    kDecimal | kLetterHigh | kLow,           // 6
    kDecimal | kLetterHigh | kLow | kQuote,  // 7
    kDecimal | kLetterHigh | kLow,           // 8
    kDecimal | kLetterHigh | kLow,           // 9
    kLetterHigh | kLow | kNewline,           // 10
    kLow,                                    // 11
    kLow | kBackslash,                       // 12
    kLow,                                    // 13
    kLow,                                    // 14
    kLow | kUnderscore,                      // 15
};
alignas(16) constexpr std::uint8_t kByHigh[16] = {
    kNewline,   0,           kQuote, kDecimal, kLetterLow, kLetterHigh | kUnderscore | kBackslash,
    kLetterLow, kLetterHigh, kOther, kOther,   kOther,     kOther,
    kOther,     kOther,      kOther, kOther,
};

HWY_INLINE V load(const char* p) { return hn::LoadU(D(), reinterpret_cast<const std::uint8_t*>(p)); }
HWY_INLINE V all(int c) { return hn::Set(D(), static_cast<std::uint8_t>(c)); }
HWY_INLINE auto equal(V bytes, int c) { return hn::Eq(bytes, all(c)); }

template <class Mask>
HWY_INLINE std::uint64_t bits_of(Mask mask) {
  std::uint8_t bytes[8];
  std::uint64_t bits = 0;
  hn::StoreMaskBits(D(), mask, bytes);
  std::memcpy(&bits, bytes, (kLanes + 7) / 8);
  return bits;
}
// Lanes before the first; kLanes: there is none.
template <class Mask>
HWY_INLINE unsigned first_of(Mask mask) {
  const std::uint64_t bits = bits_of(mask);
  return bits == 0 ? kLanes : lowest(bits);
}

// What two tables of 16 bytes say of a byte's halves.
HWY_INLINE V of_both(const std::uint8_t* low, const std::uint8_t* high, V bytes) {
#if HWY_TARGET == HWY_SCALAR
  const std::uint8_t byte = hn::GetLane(bytes);
  return all(low[byte & 15] & high[byte >> 4]);
#else
  return hn::And(hn::TableLookupBytes(hn::LoadDup128(D(), low), hn::And(bytes, all(15))),
                 hn::TableLookupBytes(hn::LoadDup128(D(), high), hn::ShiftRight<4>(bytes)));
#endif
}
// Where none of these bits is set.
HWY_INLINE auto without(V classes, std::uint8_t wanted) {
  return hn::Eq(hn::And(classes, all(wanted)), hn::Zero(D()));
}
HWY_INLINE auto brackets(V bytes, char round, char curly) {  // [ and ] are the curly ones without a bit
  return hn::Or(equal(bytes, round), equal(hn::Or(bytes, all(32)), curly));
}

HWY_INLINE Masks masks_of(const char* p) {
  Masks found{};
  for (unsigned i = 0; i < 64; i += kLanes) {
    const V bytes = load(p + i);
    const V classes = of_both(kByLow, kByHigh, bytes);
    found.in_name |= bits_of(without(classes, kNames)) << i;
    found.dot |= bits_of(equal(bytes, '.')) << i;
    found.event |= bits_of(without(classes, kEvents)) << i;
    found.open |= bits_of(brackets(bytes, '(', '{')) << i;
    found.close |= bits_of(brackets(bytes, ')', '}')) << i;
    found.space |= bits_of(equal(bytes, ' ')) << i;
  }
  found.in_name = ~found.in_name;
  found.event = ~found.event;
  return found;
}

HWY_INLINE std::uint64_t commas_in(const char* p) {
  std::uint64_t found = 0;
  for (unsigned i = 0; i < 64; i += kLanes) found |= bits_of(equal(load(p + i), ',')) << i;
  return found;
}

// Where a comprehension's `for` or a lambda may begin.
HWY_INLINE std::uint64_t clauses_in(const char* p) {
  std::uint64_t found = 0;
  for (unsigned i = 0; i < 64; i += kLanes, p += kLanes) {
    const V first = load(p);
    const V second = load(p + 1);
    const V third = load(p + 2);
    const auto is_for = hn::And(equal(first, 'f'), hn::And(equal(second, 'o'), equal(third, 'r')));
    const auto is_lambda = hn::And(equal(first, 'l'), hn::And(equal(second, 'a'), equal(third, 'm')));
    found |= bits_of(hn::Or(is_for, is_lambda)) << i;
  }
  return found;
}

// Where "import" may begin.
HWY_INLINE std::uint64_t imports_in(const char* p) {
  std::uint64_t found = 0;
  for (unsigned i = 0; i < 64; i += kLanes, p += kLanes) {
    const auto ends = hn::And(equal(load(p), 'i'), equal(load(p + 5), 't'));
    found |= bits_of(hn::And(ends, equal(load(p + 2), 'p'))) << i;
  }
  return found;
}

// Where names begin whose first two characters the filter knows: for each of the 64 places.
HWY_INLINE std::uint64_t pairs_in(const WordFilter& filter, const char* p) {
  std::uint64_t found = 0;
  for (unsigned i = 0; i < 64; i += kLanes, p += kLanes) {
    const V first = of_both(filter.first_low, filter.first_high, load(p));
    const V second = of_both(filter.second_low, filter.second_high, load(p + 1));
    found |= bits_of(hn::Eq(hn::And(first, second), hn::Zero(D()))) << i;
  }
  return ~found;
}

// Bytes before the first of the three, at most kLanes.
HWY_INLINE unsigned bytes_before(const char* p, char a, char b, char c) {
  const V bytes = load(p);
  return first_of(hn::Or(hn::Or(equal(bytes, a), equal(bytes, b)), equal(bytes, c)));
}
HWY_INLINE unsigned leading_spaces(const char* p) { return first_of(hn::Ne(load(p), all(' '))); }

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
        while (is_a(*end, kInName)) ++end;
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
      const Masks masks = masks_of(base);
      const std::uint64_t commas = commas_in(base);
      const std::uint64_t clauses = clauses_in(base);
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

  HWY_INLINE Block look(const char* base) const {
    Block found{.masks = masks_of(base), .hits = 0, .limit = 64};
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
    starts &= pairs_in(*skim_.filter, base);
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
          const unsigned spaces = leading_spaces(p);
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
      const unsigned at = bytes_before(p, '\n', '\n', '\n');
      p += at;
      if (at < kLanes) break;
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
        while (is_a(*end, kInName)) ++end;
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
      const unsigned at = triple ? bytes_before(p, quote, quote, '\\') : bytes_before(p, quote, '\n', '\\');
      p += at;
      if (p >= skim_.end) {
        p = skim_.end;
        break;
      }
      if (at >= kLanes) continue;
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
    if (!is_a(quote[-1], kInName)) return false;
    if (!is_a(quote[-2], kInName)) return last != 'r';
    const char first = lower(quote[-2]);
    if (is_a(quote[-3], kInName)) return false;
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
      if (!is_a(*p, kInName)) {
        ++p;
        continue;
      }
      const char* begin = p;
      while (p < end && is_a(*p, kInName)) ++p;
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

Skim::Stop SkimLines(Skim& skim, const char* at) { return Skimmer(skim).lines(at); }
const char* SkimBrackets(Skim& skim, const char* at) { return Skimmer(skim).closing(at); }
const char* LastComma(Skim& skim, const char* at, const char* limit) {
  return Skimmer(skim).last_comma(at, limit);
}

const char* FindImport(const char* at, const char* end) {
  constexpr char kWord[] = "import";
  constexpr std::ptrdiff_t kSize = 6;
  for (; end - at >= 64 + kSize - 1; at += 64) {
    for (std::uint64_t hits = imports_in(at); hits != 0; hits &= hits - 1) {
      const char* hit = at + lowest(hits);
      if (std::memcmp(hit, kWord, kSize) == 0) return hit;
    }
  }
  for (; end - at >= kSize; ++at) {
    if (std::memcmp(at, kWord, kSize) == 0) return at;
  }
  return end;
}

}  // namespace
}  // namespace seamark::usage::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace seamark::usage {
namespace {

HWY_EXPORT(SkimLines);
HWY_EXPORT(SkimBrackets);
HWY_EXPORT(LastComma);
HWY_EXPORT(FindImport);

}  // namespace

void WordFilter::add(std::uint64_t head, std::uint32_t size) {
  std::uint8_t& count = counts[place(head, size)];
  if (count < 255) ++count;
  const auto first = static_cast<std::uint8_t>(head);
  const auto second = static_cast<std::uint8_t>(head >> 8);
  const auto bit = static_cast<std::uint8_t>(1u << ((first ^ (first >> 3)) & 7));
  first_low[first & 15] |= bit;
  first_high[first >> 4] |= bit;
  if (size > 1) {
    second_low[second & 15] |= bit;
    second_high[second >> 4] |= bit;
    return;
  }
  for (std::uint8_t& any : second_low) any |= bit;  // whatever stands behind it
  for (std::uint8_t& any : second_high) any |= bit;
}

void WordFilter::remove(std::uint64_t head, std::uint32_t size) {
  std::uint8_t& count = counts[place(head, size)];
  if (count < 255) --count;
}

Skim::Stop skim_lines(Skim& skim, const char* at) { return HWY_DYNAMIC_DISPATCH(SkimLines)(skim, at); }
const char* skim_brackets(Skim& skim, const char* at) { return HWY_DYNAMIC_DISPATCH(SkimBrackets)(skim, at); }
const char* last_comma(Skim& skim, const char* at, const char* limit) {
  return HWY_DYNAMIC_DISPATCH(LastComma)(skim, at, limit);
}
const char* find_import(const char* at, const char* end) { return HWY_DYNAMIC_DISPATCH(FindImport)(at, end); }

}  // namespace seamark::usage
#endif  // HWY_ONCE
