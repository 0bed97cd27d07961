// How lines are skimmed, over a Vector that looks at 64 bytes at once. Included by each file that has one;
// nothing here may be shared between them, as they are compiled for different processors.
#pragma once

#include <cstdint>
#include <cstring>

#include "seamark/usage/skim.h"

namespace seamark::usage {
namespace {

// Bits of 64 bytes, the first the lowest.
struct Masks {
  std::uint64_t in_name;  // parts of names and numbers
  std::uint64_t dot;
  std::uint64_t event;  // newline " ' # and backslash
  std::uint64_t open;
  std::uint64_t close;
};

inline std::uint64_t from_bit(unsigned bit) { return bit >= 64 ? 0 : ~std::uint64_t{0} << bit; }
inline std::uint64_t below_bit(unsigned bit) { return ~from_bit(bit); }
inline unsigned lowest(std::uint64_t bits) { return static_cast<unsigned>(__builtin_ctzll(bits)); }
inline int count(std::uint64_t bits) { return __builtin_popcountll(bits); }

inline bool part_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

template <typename Vector>
class Skimmer {
 public:
  explicit Skimmer(Skim& skim) : skim_(skim) {}

  Skim::Stop lines(const char* at) {
    const char* p = at;
    for (;;) {
      p = indent(p);
      if (p >= skim_.end) return Skim::Stop::kEnd;
      skim_.line = p;
      if (static_cast<std::int64_t>(skim_.indent) <= skim_.indent_limit) return Skim::Stop::kIndent;
      p = line(p);
      if (p == nullptr) return Skim::Stop::kLine;
    }
  }

 private:
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
      if (at < 32) break;
    }
    return p < skim_.end ? p : skim_.end;
  }

  // Behind the logical line that begins at p; nullptr: it matters.
  const char* line(const char* p) {
    int depth = 0;
    for (const char* base = p;;) {
      if (base >= skim_.end) return skim_.end;
      const Masks masks = Vector::masks(base);
      std::uint64_t starts = masks.in_name & ~(masks.in_name << 1);
      starts &= ~((masks.dot << 1) | (base[-1] == '.' ? 1u : 0u));
      unsigned limit = 64;
      if ((masks.in_name >> 63) != 0) {  // a word goes on: the next block begins with it
        if (~masks.in_name != 0) {
          limit = 64 - static_cast<unsigned>(__builtin_clzll(~masks.in_name));
        } else {
          const char* end = base;
          while (part_of_name(*end)) ++end;
          if (end < skim_.end && (starts & 1) != 0 && matters(base, end)) return nullptr;
          base = end;
          continue;
        }
      }
      const std::uint64_t hits = filtered(base, starts & below_bit(limit), masks.in_name);
      unsigned from = 0;
      const char* next = block(base, masks, hits, limit, from, depth);
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

  bool matters(const char* begin, const char* end) const {
    return skim_.matters(skim_.context, begin, static_cast<std::uint32_t>(end - begin));
  }

  bool any_matters(const char* base, std::uint64_t hits, std::uint64_t in_name) const {
    for (; hits != 0; hits &= hits - 1) {
      const unsigned at = lowest(hits);
      if (base + at < skim_.end && matters(base + at, base + at + lowest(~(in_name >> at)))) return true;
    }
    return false;
  }

  // The first `limit` bytes from `base`. Where to go on: behind the line if ended_; nullptr: it matters.
  const char* block(const char* base, const Masks& masks, std::uint64_t hits, unsigned limit, unsigned from,
                    int& depth) {
    for (;;) {
      const std::uint64_t events = masks.event & from_bit(from) & below_bit(limit);
      const unsigned at = events != 0 ? lowest(events) : limit;
      const std::uint64_t part = from_bit(from) & below_bit(at);
      if ((hits & part) != 0 && any_matters(base, hits & part, masks.in_name)) return nullptr;
      depth += count(masks.open & part) - count(masks.close & part);
      const char* p = base + at;
      if (events == 0) return p;
      switch (*p) {
        case '\n':
          if (depth <= 0 || p >= skim_.end) {
            ended_ = true;
            return p + 1;
          }
          ++p;
          break;
        case '#':
          p = newline(p);
          break;
        case '\\':
          p += 2;
          break;
        default:
          p = string(p);
          if (p == nullptr) return nullptr;
          break;
      }
      if (p - base >= static_cast<std::ptrdiff_t>(limit)) return p;
      from = static_cast<unsigned>(p - base);
    }
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
      if (at >= 32) continue;
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
    if (p > skim_.end) p = skim_.end;
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
  bool fields_matter(const char* p, const char* end) const {
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
  bool ended_ = false;
};

template <typename Vector>
Skim::Stop skim_lines(Skim& skim, const char* at) {
  return Skimmer<Vector>(skim).lines(at);
}

}  // namespace
}  // namespace seamark::usage
