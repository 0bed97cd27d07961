#include "seamark/audit/text_index.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace seamark::audit {
namespace {

// A run of three bytes, without the first, and one more.
std::uint32_t longer(std::uint32_t run, char c) {
  return (run << 5 | (static_cast<unsigned char>(c) & 31)) & 0x7fff;
}

}  // namespace

// Texts are short, and each token has one.
std::uint32_t TextIndex::hash(std::string_view text) {
  std::uint64_t hash = text.size();
  const auto mix = [&hash](std::uint64_t more) {
    hash = (hash ^ more) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  };
  std::uint64_t eight = 0;
  for (; text.size() >= 8; text.remove_prefix(8)) {
    std::memcpy(&eight, text.data(), 8);
    mix(eight);
  }
  if (text.size() >= 4) {
    std::uint32_t begin = 0, end = 0;
    std::memcpy(&begin, text.data(), 4);
    std::memcpy(&end, text.data() + text.size() - 4, 4);
    mix(static_cast<std::uint64_t>(begin) << 32 | end);
  } else if (!text.empty()) {
    const auto byte = [&](std::size_t at) -> std::uint64_t { return static_cast<unsigned char>(text[at]); };
    mix(byte(0) << 16 | byte(text.size() / 2) << 8 | byte(text.size() - 1));
  }
  return static_cast<std::uint32_t>(hash);
}

void TextIndex::clear(std::size_t items) {
  constexpr std::size_t kSlots = 256;  // most texts stand there several times
  slots_.assign(kSlots, Slot{});
  hashes_.reset();
  next_.resize(items);
  distinct_.clear();
}

// Where the text stands, or could.
std::size_t TextIndex::place(std::string_view text, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].item != kNone && (slots_[at].hash != hash || !same_text(slots_[at].text, text)))
    at = (at + 1) & mask;
  return at;
}

void TextIndex::add(std::uint32_t item, std::string_view text) {
  const std::uint32_t hash = TextIndex::hash(text);
  Slot& slot = slots_[place(text, hash)];
  next_[item] = std::exchange(slot.item, item);
  if (next_[item] == kNone) {
    slot.text = text;
    slot.hash = hash;
    add_distinct(item, hash);
  }
}

void TextIndex::add_distinct(std::uint32_t item, std::uint32_t hash) {
  distinct_.push_back(item);
  hashes_[hash % hashes_.size()] = true;
  if (distinct_.size() * 2 <= slots_.size()) return;
  const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
  for (const Slot& one : before) {
    if (one.item != kNone) slots_[place(one.text, one.hash)] = one;
  }
}

std::uint32_t TextIndex::first(std::string_view text, std::uint32_t hash) const {
  return may_have(hash) ? slots_[place(text, hash)].item : kNone;
}

void Runs::add(std::string_view text) {
  std::uint32_t run = 0;
  for (const char c : text.substr(0, 2)) run = longer(run, c);
  for (const char c : text.substr(std::min<std::size_t>(2, text.size()))) {
    run = longer(run, c);
    bits_[run] = 1;
  }
}

bool Runs::may_have(std::string_view text) const {
  std::uint32_t run = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    run = longer(run, text[i]);
    if (i >= 2 && bits_[run] == 0) return false;
  }
  return true;
}

}  // namespace seamark::audit
