// Looks up what was read: names in their scopes, chains below frameworks, counts.
#pragma once

#include <cstdint>
#include <vector>

#include "seamark/usage/resolve/name_tree.h"
#include "seamark/usage/scan/name_finder.h"
#include "seamark/usage/scan/reading.h"
#include "seamark/usage/scan/words.h"

namespace seamark::usage {

class Resolver {
 public:
  // Borrows all of it.
  Resolver(const Vocabulary::Tables& tables, NameTree& tree, const Words& words)
      : tables_(tables), tree_(tree), words_(words) {}

  // Where they are asked for, `known_ends`: where the chains end whose object is known; `uses`:
  // FileUsage::uses.
  void resolve(Reading& reading, FileUsage& usage, std::vector<std::uint32_t>* known_ends = nullptr,
               bool uses = false);

 private:
  enum class Redirected : std::uint8_t { kNo, kGlobal, kNonlocal };
  // A name in the scope that it is local to.
  struct Slot {
    std::uint64_t key = 0;  // scope, name + 1; 0: a free place
    std::uint32_t binding = kUnbound;
    Redirected redirected = Redirected::kNo;
  };

  static std::uint64_t key_of(std::uint32_t scope, std::uint32_t name) {
    return (std::uint64_t{scope} << 32) | (name + 1);
  }
  [[nodiscard]] Slot* find_slot(std::uint32_t scope, std::uint32_t name);
  Slot& slot(std::uint32_t scope, std::uint32_t name);
  void make_slots();
  void redirect(Event& event);
  void order_by_function();
  [[nodiscard]] std::uint32_t outside(std::uint32_t scope) const;
  [[nodiscard]] std::uint32_t look_up(std::uint32_t scope, std::uint32_t name);
  void replay(Event& event);
  void note_known(const Event& event) const {
    if (known_ends_ != nullptr) known_ends_->push_back(event.end);
  }
  void use(Event& event);
  void use_on_call(Event& event);
  void bind(const Event& event);
  void bind_star(const Event& event, bool only_slots);
  void count(std::uint32_t node, bool inferred, const Event& event);

  const Vocabulary::Tables& tables_;
  NameTree& tree_;
  const Words& words_;
  Reading* reading_ = nullptr;
  FileUsage* usage_ = nullptr;
  std::vector<std::uint32_t>* known_ends_ = nullptr;
  bool uses_ = false;
  std::vector<Slot> slots_;
  std::size_t slot_mask_ = 0;
  std::size_t slot_count_ = 0;
  std::vector<std::uint8_t> has_slots_;  // by scope
  std::vector<std::uint32_t> order_;     // events: by function, and as they stand in the text
  std::vector<std::uint32_t> starts_;    // by function
  std::vector<std::uint32_t> places_;    // by name and tier: the place in usage_->names, + 1
};

}  // namespace seamark::usage
