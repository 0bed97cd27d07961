// Runs over the lines that do not matter, which are most: those without a watched name, a def, a class,
// global or nonlocal. Nothing of them is told apart but strings, comments, and where a logical line ends.
#pragma once

#include <cstddef>
#include <cstdint>

namespace seamark::usage {

// Which words may matter: by their first two characters, and by their first 8 bytes and their size.
struct WordFilter {
  static constexpr std::size_t kPlaces = 4096;
  std::uint8_t counts[kPlaces] = {};  // how many words fall together; 255: and more
  // Bits that all four have in common say that the characters, by their halves, belong to one word.
  std::uint8_t first_low[16] = {};
  std::uint8_t first_high[16] = {};
  std::uint8_t second_low[16] = {};
  std::uint8_t second_high[16] = {};

  static std::size_t place(std::uint64_t head, std::uint32_t size) {
    return static_cast<std::size_t>(((head ^ (std::uint64_t{size} << 56)) * 0xd6e8feb86659fd93u) >> 52);
  }
  void add(std::uint64_t head, std::uint32_t size);
  void remove(std::uint64_t head, std::uint32_t size);  // its characters stay
};

struct Skim {
  enum class Stop : std::uint8_t {
    kLine,    // a line that matters
    kScope,   // a line in which nothing matters but that a `def` or `class` begins it
    kIndent,  // a line that stands no deeper than `indent_limit`
    kEnd,     // of the text
  };
  const char* end = nullptr;  // of the text: a newline stands there, and 128 bytes can be read
  const WordFilter* filter = nullptr;
  // Whether a word that the filter lets through matters.
  enum class Word : std::uint8_t { kIgnored, kMatters, kScope };  // kScope: def, class
  Word (*word)(const void* context, const char* word, std::uint32_t size) = nullptr;
  const void* context = nullptr;
  std::int64_t indent_limit = -1;
  // What it stopped at.
  const char* line = nullptr;  // its first character that is no blank
  std::uint32_t indent = 0;    // in columns
  const char* next = nullptr;  // kScope: the line behind it
};

// What follows is compiled for each instruction set, and chosen at run time (Highway).

// `at` is the beginning of a line, outside of all brackets; 64 bytes before it can be read.
Skim::Stop skim_lines(Skim& skim, const char* at);
// The bracket that closes the one just before `at`, if nothing in between matters and it is closed; else
// nullptr, and skim.line is where something may matter.
const char* skim_brackets(Skim& skim, const char* at);
// The last comma in [at, limit) outside of all brackets that begin there, where what stands before it is
// nothing but arguments: no comprehension, no lambda; else nullptr.
const char* last_comma(Skim& skim, const char* at, const char* limit);
// The next "import" in [at, end), or end.
const char* find_import(const char* at, const char* end);

}  // namespace seamark::usage
