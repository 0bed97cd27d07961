#include "seamark/usage/skim.h"

#include <cstring>

#include "seamark/usage/skim_body.h"

namespace seamark::usage {

namespace {

constexpr Kinds kKinds;

struct Portable {
  static constexpr unsigned kWidth = 32;

  static Masks masks(const char* p) {
    Masks found{};
    for (unsigned i = 0; i < 64; ++i) {
      const std::uint64_t kind = kKinds.of[static_cast<unsigned char>(p[i])];
      found.in_name |= (kind & kName) << i;
      found.dot |= (kind >> 1 & 1) << i;
      found.event |= (kind >> 2 & 1) << i;
      found.open |= (kind >> 3 & 1) << i;
      found.close |= (kind >> 4 & 1) << i;
      found.space |= (kind >> 5 & 1) << i;
    }
    return found;
  }
  static std::uint64_t commas(const char* p) {
    std::uint64_t found = 0;
    for (unsigned i = 0; i < 64; ++i) found |= std::uint64_t{p[i] == ',' ? 1u : 0u} << i;
    return found;
  }
  static std::uint64_t clauses(const char* p) {
    std::uint64_t found = 0;
    for (unsigned i = 0; i < 64; ++i) {
      const bool one = std::memcmp(p + i, "for", 3) == 0 || std::memcmp(p + i, "lam", 3) == 0;
      found |= std::uint64_t{one ? 1u : 0u} << i;
    }
    return found;
  }
  static std::uint64_t pairs(const WordFilter&, const char*) { return ~std::uint64_t{0}; }
  // Bytes before the first of the three, at most kWidth.
  static unsigned find(const char* p, char a, char b, char c) {
    unsigned at = 0;
    while (at < kWidth && p[at] != a && p[at] != b && p[at] != c) ++at;
    return at;
  }
  static unsigned spaces(const char* p) {
    unsigned at = 0;
    while (at < kWidth && p[at] == ' ') ++at;
    return at;
  }
};

const char* find_import(const char* at, const char* end) {
  const void* found = memmem(at, static_cast<std::size_t>(end - at), "import", 6);
  return found == nullptr ? end : static_cast<const char*>(found);
}

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

const SkimFunctions& portable_skim() {
  static constexpr SkimFunctions kFunctions{.lines = skim_lines<Portable>,
                                            .brackets = skim_brackets<Portable>,
                                            .last_comma = skim_last_comma<Portable>,
                                            .find_import = find_import};
  return kFunctions;
}

const SkimFunctions& best_skim(bool avx512) {
  const SkimFunctions* best = avx512 ? avx512_skim() : nullptr;
  if (best == nullptr) best = avx2_skim();
  return best != nullptr ? *best : portable_skim();
}

}  // namespace seamark::usage
