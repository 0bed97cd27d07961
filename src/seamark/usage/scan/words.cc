#include "seamark/usage/scan/words.h"

#include <array>
#include <utility>

namespace seamark::usage {

namespace {

constexpr std::size_t kPlaces = 512;  // of the table; it grows for files with many names

// With 8 bytes behind each, so that they can be read eight at a time.
using Spelling = std::array<char, 24>;

constexpr std::pair<std::string_view, Keyword> kKeywords[] = {
    {"def", Keyword::kDef},       {"class", Keyword::kClass},    {"lambda", Keyword::kLambda},
    {"for", Keyword::kFor},       {"in", Keyword::kIn},          {"import", Keyword::kImport},
    {"from", Keyword::kFrom},     {"as", Keyword::kAs},          {"with", Keyword::kWith},
    {"except", Keyword::kExcept}, {"global", Keyword::kGlobal},  {"nonlocal", Keyword::kNonlocal},
    {"del", Keyword::kDel},       {"async", Keyword::kAsync},    {"if", Keyword::kIf},
    {"elif", Keyword::kHeader},   {"else", Keyword::kHeader},    {"while", Keyword::kHeader},
    {"try", Keyword::kHeader},    {"finally", Keyword::kHeader}, {"None", Keyword::kConstant},
    {"True", Keyword::kConstant}, {"False", Keyword::kConstant}, {"and", Keyword::kOther},
    {"or", Keyword::kOther},      {"not", Keyword::kOther},      {"is", Keyword::kOther},
    {"return", Keyword::kOther},  {"yield", Keyword::kOther},    {"await", Keyword::kOther},
    {"raise", Keyword::kOther},   {"assert", Keyword::kOther},   {"pass", Keyword::kOther},
    {"break", Keyword::kOther},   {"continue", Keyword::kOther},
};

constexpr auto spellings() {
  std::array<Spelling, std::size(kKeywords)> all{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < kKeywords[i].first.size(); ++j) all[i][8 + j] = kKeywords[i].first[j];
  }
  return all;
}
constexpr auto kSpellings = spellings();

}  // namespace

Words::Words() { reset(); }

void Words::reset() {
  used_ = 0;
  words_.assign(kPlaces, Word{});
  mask_ = kPlaces - 1;
  for (std::size_t i = 0; i < kSpellings.size(); ++i) {
    const char* text = kSpellings[i].data() + 8;
    const auto size = static_cast<std::uint32_t>(kKeywords[i].first.size());
    insert({.head = head_of(text, size), .text = text, .size = size, .keyword = kKeywords[i].second});
  }
}

void Words::clear() {
  names_.clear();
  if (words_.size() != kPlaces) {
    reset();
  } else {
    for (const std::uint32_t place : name_places_) words_[place] = Word{};
    used_ = kSpellings.size();
  }
  name_places_.clear();
}

std::size_t Words::insert(const Word& word) {
  std::size_t at = place(word.head, word.text, word.size);
  while (words_[at & mask_].size != 0) ++at;
  words_[at & mask_] = word;
  ++used_;
  return at & mask_;
}

std::uint32_t Words::add(const char* text, std::uint32_t size) {
  if (const Word* known = find(text, size)) {
    if (known->keyword == Keyword::kNone) return known->name;
    names_.emplace_back(text, size);  // `import torch as in`: a number that no token has
    return this->size() - 1;
  }
  if (used_ * 4 > words_.size()) {
    std::vector<Word> old(words_.size() * 2);
    old.swap(words_);
    mask_ = words_.size() - 1;
    used_ = 0;
    for (const Word& word : old) {
      if (word.size != 0) insert(word);
    }
  }
  const std::uint32_t name = this->size();
  names_.emplace_back(text, size);
  const std::size_t place = insert({.head = head_of(text, size), .text = text, .size = size, .name = name});
  name_places_.push_back(static_cast<std::uint32_t>(place));
  return name;
}

}  // namespace seamark::usage
