// The words that matter in one file: Python's keywords, and the names of that file that could be bound to a
// framework. Every identifier is looked up here, so that all others cost next to nothing.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace seamark::usage {

enum class Keyword : std::uint8_t {
  kNone = 0,
  kDef,
  kClass,
  kLambda,
  kFor,
  kIn,
  kImport,
  kFrom,
  kAs,
  kWith,
  kExcept,
  kGlobal,
  kNonlocal,
  kDel,
  kAsync,
  kIf,
  kHeader,    // elif else while try finally: their suite may stand on the same line
  kConstant,  // None True False
  kOther,     // no name, and nothing that matters
};

// Texts are borrowed; 8 bytes from the start of each, and from 8 bytes before its end, can be read.
class Words {
 public:
  static constexpr std::uint32_t kNoName = 0xffffffff;

  struct Word {
    std::uint64_t head = 0;  // the first 8 bytes
    const char* text = nullptr;
    std::uint32_t size = 0;  // 0: a free place
    std::uint32_t name = kNoName;
    Keyword keyword = Keyword::kNone;
  };

  Words();
  void clear();  // forgets the names

  // nullptr: neither a keyword nor a name.
  [[nodiscard]] const Word* find(const char* text, std::uint32_t size) const {
    const std::uint64_t head = head_of(text, size);
    for (std::size_t at = place(head, text, size);; ++at) {
      const Word& word = words_[at & mask_];
      if (word.size == size && word.head == head &&
          (size <= 8 || std::memcmp(word.text + 8, text + 8, size - 8) == 0)) {
        return &word;
      }
      if (word.size == 0) return nullptr;
    }
  }
  // The first 8 bytes.
  static std::uint64_t head_of(const char* text, std::uint32_t size) {
    const std::uint64_t bytes = load(text);
    return size >= 8 ? bytes : bytes & ((std::uint64_t{1} << (size * 8)) - 1);
  }
  // The name's number: the order of first additions, from 0. A keyword gets one that find() never gives.
  std::uint32_t add(const char* text, std::uint32_t size);
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(names_.size()); }
  [[nodiscard]] std::string_view name(std::uint32_t name) const { return names_[name]; }

 private:
  static std::uint64_t load(const char* text) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text, sizeof bytes);
    return bytes;
  }
  [[nodiscard]] std::size_t place(std::uint64_t head, const char* text, std::uint32_t size) const {
    std::uint64_t hash = head ^ (std::uint64_t{size} << 56);
    if (size > 8) hash ^= load(text + size - 8) * 0x9e3779b97f4a7c15u;
    return static_cast<std::size_t>((hash * 0xd6e8feb86659fd93u) >> 40);
  }
  std::size_t insert(const Word& word);  // its place
  void reset();

  std::vector<Word> words_;
  std::size_t mask_ = 0;
  std::size_t used_ = 0;
  std::vector<std::string_view> names_;
  std::vector<std::uint32_t> name_places_;  // in words_, in the order of their coming
};

}  // namespace seamark::usage
