// Which texts a file has: by items that are numbered, by runs of three bytes, by their ends.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace seamark::audit {

inline constexpr std::uint32_t kNone = 0xffffffff;

// Inline, for a call of memcmp costs more than what it does for short texts; of a literal the size is known.
inline bool same_text(std::string_view text, std::string_view name) {
  if (text.size() != name.size()) return false;
  const auto same = [&](std::size_t at, auto one) {
    auto other = one;
    std::memcpy(&one, text.data() + at, sizeof one);
    std::memcpy(&other, name.data() + at, sizeof other);
    return one == other;
  };
  const std::size_t size = name.size();
  if (size > 16) return std::memcmp(text.data(), name.data(), size) == 0;
  if (size >= 8) return same(0, std::uint64_t{}) && same(size - 8, std::uint64_t{});
  if (size >= 4) return same(0, std::uint32_t{}) && same(size - 4, std::uint32_t{});
  if (size >= 2) return same(0, std::uint16_t{}) && same(size - 2, std::uint16_t{});
  return size == 0 || text.front() == name.front();
}

// Which of many numbered items have a text; kept from file to file, so that it seldom allocates.
class TextIndex {
 public:
  void clear(std::size_t items);  // numbers are below it
  // Of one text the items come back with the last added first. An item has one text.
  void add(std::uint32_t item, std::string_view text);
  [[nodiscard]] std::uint32_t first(std::string_view text) const { return first(text, hash(text)); }
  [[nodiscard]] std::uint32_t first(std::string_view text, std::uint32_t hash) const;  // kNone: none
  static std::uint32_t hash(std::string_view text);
  // False: no text has that hash.
  [[nodiscard]] bool may_have(std::uint32_t hash) const { return hashes_[hash % hashes_.size()]; }
  [[nodiscard]] std::uint32_t next(std::uint32_t item) const { return next_[item]; }
  // One item of each text.
  [[nodiscard]] const std::vector<std::uint32_t>& distinct() const { return distinct_; }

 private:
  struct Slot {
    std::string_view text;
    std::uint32_t hash = 0;
    std::uint32_t item = kNone;
  };
  [[nodiscard]] std::size_t place(std::string_view text, std::uint32_t hash) const;
  void add_distinct(std::uint32_t item, std::uint32_t hash);
  std::bitset<4096> hashes_;
  std::vector<Slot> slots_;  // a power of two, at least twice as many as there are texts
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> distinct_;
};

// Which runs of three bytes stand in some texts; letters count without their case.
class Runs {
 public:
  void clear() { bits_.fill(0); }
  void add(std::string_view text);
  // False: `text` is in none of them.
  [[nodiscard]] bool may_have(std::string_view text) const;

 private:
  std::array<std::uint8_t, std::size_t{1} << 15> bits_{};
};

// Which words rules look for, and sometimes others.
class WordFilter {
 public:
  void add(std::string_view word) { bits_[number_of(word)] = true; }
  [[nodiscard]] bool may_have(std::string_view word) const { return bits_[number_of(word)]; }

 private:
  // Of a word that is not empty, by its ends and its length; below 2^14.
  static std::size_t number_of(std::string_view word) {
    return (word.size() & 15) << 10 | static_cast<std::size_t>(word.front() & 31) << 5 |
           static_cast<std::size_t>(word.back() & 31);
  }
  std::bitset<std::size_t{1} << 14> bits_;
};

}  // namespace seamark::audit
