// Which lines of a corpus may use a framework at all, decided on the stored bytes, before any of them is
// decoded.
//
// A file uses a framework only through a statement that imports it, so what is looked for is a needle (the
// name of a module) that an import statement may name: with `import`, `from` or a comma before it, over
// blanks, continued lines and their JSON escapes, and nothing behind it that would make it a longer word.
// Whatever it lets through in vain costs time alone; it lets through everything that counts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace seamark::usage {

// How many readable bytes there must be behind whatever is searched or decoded; what they hold does not
// matter.
inline constexpr std::size_t kSearchPadding = 192;

inline constexpr std::size_t kMaxNeedles = 8;
inline constexpr std::size_t kMaxNeedleBytes = 64;

// For the vectorized search: of each needle two bytes are compared first, which stand `distance` apart. It is
// the same for all, so that each byte of the text is loaded twice, however many needles there are.
struct Probes {
  std::size_t count = 0;
  std::size_t distance = 0;
  std::array<std::uint8_t, kMaxNeedles> first{};
  std::array<std::uint8_t, kMaxNeedles> second{};
  std::array<std::uint8_t, kMaxNeedles> offset{};  // of the first in its needle
  // The needle's first 8 bytes as they are in memory, and all bits of those that it has.
  std::array<std::uint64_t, kMaxNeedles> head{};
  std::array<std::uint64_t, kMaxNeedles> mask{};
};

class Prefilter {
 public:
  // Empty needles: everything passes. Throws std::invalid_argument on more than kMaxNeedles, or on one that
  // is empty or longer than kMaxNeedleBytes. `imports_only`: see above; else the bytes alone count, wherever
  // they are.
  Prefilter(std::span<const std::string> needles, bool imports_only);

  [[nodiscard]] bool passes_all() const { return needles_.empty(); }
  [[nodiscard]] std::size_t longest() const { return longest_; }

  struct Event {
    const char* at = nullptr;  // null: none
    bool newline = false;      // else a needle that counts
  };
  // The first line end or needle in [from, until); a needle must end before `end`, and may begin before
  // `from` where its probe does not. The line of `from` begins at `line`. line <= from <= until <= end;
  // kSearchPadding bytes behind `end` are readable.
  [[nodiscard]] Event next(const char* line, const char* from, const char* until, const char* end) const;

  // The same of a whole text, with as much behind it.
  [[nodiscard]] bool passes(std::string_view text) const;

 private:
  [[nodiscard]] bool counts(const char* line, const char* probe, const char* end) const;

  std::vector<std::string> needles_;
  Probes probes_;
  std::size_t longest_ = 0;
  bool imports_only_;
};

// May an import statement name the word at [at, at + size) of [begin, end)? The text is Python source, as it
// is or as a JSON string. Never false where one does.
[[nodiscard]] bool may_be_imported(const char* begin, const char* at, std::size_t size, const char* end);

}  // namespace seamark::usage
