#include "seamark/usage/resolve/resolver.h"

#include <algorithm>
#include <string>

namespace seamark::usage {

namespace {

bool binds(const Event& event) {
  switch (event.kind) {
    case EventKind::kBindUnknown:
    case EventKind::kBindImport:
    case EventKind::kBindChain:
    case EventKind::kBindInstance:
    case EventKind::kKeep:
      return true;
    default:
      return false;
  }
}

std::size_t hash(std::uint64_t key) { return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15u) >> 24); }

}  // namespace

void Resolver::resolve(Reading& reading, FileUsage& usage, std::vector<std::uint32_t>* known_ends,
                       bool uses) {
  uses_ = uses;
  reading_ = &reading;
  usage_ = &usage;
  known_ends_ = known_ends;
  make_slots();
  order_by_function();
  for (const std::uint32_t index : order_) replay(reading.events[index]);
  for (const NameCount& one : usage.names) {
    places_[std::size_t{one.name} * 2 + (one.tier == UsageTier::kInferred ? 1 : 0)] = 0;
  }
}

Resolver::Slot* Resolver::find_slot(std::uint32_t scope, std::uint32_t name) {
  if (has_slots_[scope] == 0) return nullptr;
  const std::uint64_t key = key_of(scope, name);
  for (std::size_t at = hash(key);; ++at) {
    Slot& one = slots_[at & slot_mask_];
    if (one.key == key) return &one;
    if (one.key == 0) return nullptr;
  }
}

Resolver::Slot& Resolver::slot(std::uint32_t scope, std::uint32_t name) {
  if (Slot* known = find_slot(scope, name)) return *known;
  if (slot_count_ * 2 >= slots_.size()) {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    slot_mask_ = slots_.size() - 1;
    for (const Slot& one : old) {
      if (one.key == 0) continue;
      std::size_t at = hash(one.key);
      while (slots_[at & slot_mask_].key != 0) ++at;
      slots_[at & slot_mask_] = one;
    }
  }
  ++slot_count_;
  has_slots_[scope] = 1;
  const std::uint64_t key = key_of(scope, name);
  std::size_t at = hash(key);
  while (slots_[at & slot_mask_].key != 0) ++at;
  Slot& made = slots_[at & slot_mask_];
  made = {.key = key};
  return made;
}

// Which names are local to which scopes.
void Resolver::make_slots() {
  slots_.assign(256, Slot{});
  slot_mask_ = slots_.size() - 1;
  slot_count_ = 0;
  has_slots_.assign(reading_->scopes.size(), 0);
  for (const Redirect& one : reading_->redirects) {
    Slot& made = slot(one.scope, one.name);
    made.redirected = one.global ? Redirected::kGlobal : Redirected::kNonlocal;
  }
  for (const Event& event : reading_->events) {
    if (binds(event)) {
      slot(event.scope, event.name);
    } else if (event.kind == EventKind::kBindStar) {
      bind_star(event, true);
    }
  }
  if (reading_->redirects.empty()) return;
  for (Event& event : reading_->events) {
    if (binds(event)) redirect(event);
  }
}

// A binding under `global` or `nonlocal` is one of that other scope.
void Resolver::redirect(Event& event) {
  const std::uint32_t from = event.scope;
  for (;;) {
    const Redirected redirected = find_slot(event.scope, event.name)->redirected;
    if (redirected == Redirected::kNo) break;
    if (redirected == Redirected::kGlobal) {
      event.scope = 0;
    } else {
      std::uint32_t scope = outside(event.scope);
      while (scope != 0 && find_slot(scope, event.name) == nullptr) scope = outside(scope);
      event.scope = scope;
    }
    if (event.scope == 0) break;
  }
  if (event.scope == from) return;
  slot(event.scope, event.name);
  if (event.kind != EventKind::kBindImport && event.kind != EventKind::kKeep)
    event.kind = EventKind::kBindUnknown;
}

// The functions run one after another, the outer ones first; each sees how those around it end.
void Resolver::order_by_function() {
  const auto function_of = [&](const Event& event) { return reading_->scopes[event.scope].function; };
  starts_.assign(reading_->scopes.size() + 1, 0);
  for (const Event& event : reading_->events) ++starts_[function_of(event) + 1];
  for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  order_.resize(reading_->events.size());
  for (std::uint32_t i = 0; i < order_.size(); ++i) order_[starts_[function_of(reading_->events[i])]++] = i;
}

// The next scope in which names of this one are looked up.
std::uint32_t Resolver::outside(std::uint32_t scope) const {
  do scope = reading_->scopes[scope].parent;
  while (reading_->scopes[scope].kind == ScopeKind::kClass);
  return scope;
}

std::uint32_t Resolver::look_up(std::uint32_t scope, std::uint32_t name) {
  bool same_scope = true;  // comprehensions count as their surroundings
  for (;; scope = outside(scope)) {
    const ScopeKind kind = reading_->scopes[scope].kind;
    if (const Slot* found = find_slot(scope, name)) {
      if (found->redirected == Redirected::kGlobal) {
        const Slot* global = find_slot(0, name);
        const std::uint32_t binding = global == nullptr ? kUnknown : global->binding;
        return is_instance(binding) ? kUnknown : binding;
      }
      const bool passes = found->redirected == Redirected::kNonlocal ||
                          (kind == ScopeKind::kClass && found->binding == kUnbound);
      if (!passes) return is_instance(found->binding) && !same_scope ? kUnknown : found->binding;
    }
    if (scope == 0) return kUnknown;
    if (kind != ScopeKind::kComprehension) same_scope = false;
    if (kind == ScopeKind::kComprehension &&
        reading_->scopes[reading_->scopes[scope].parent].kind == ScopeKind::kClass) {
      same_scope = false;
    }
  }
}

void Resolver::replay(Event& event) {
  switch (event.kind) {
    case EventKind::kNothing:
      break;
    case EventKind::kUse:
      use(event);
      break;
    case EventKind::kUseOnCall:
      use_on_call(event);
      break;
    case EventKind::kBindStar:
      bind_star(event, false);
      break;
    default:
      bind(event);
      break;
  }
}

void Resolver::use(Event& event) {
  const std::uint32_t binding = look_up(event.scope, event.name);
  event.value = kUnknown;
  if (!is_known(binding)) return;
  std::uint32_t node = node_of(binding);
  const std::uint32_t* attributes = reading_->attributes.data() + event.attributes;
  if (is_instance(binding)) {
    if (event.attribute_count != 1) return;
    note_known(event);
    count(tree_.child(node, attributes[0]), true, event);
    return;
  }
  note_known(event);
  for (std::uint32_t i = 0; i < event.attribute_count; ++i) node = tree_.child(node, attributes[i]);
  if (node == NameTree::kNone) return;
  event.value = bound_to(node, kPlain);
  if (event.attribute_count > 0 || (binding & kByImport) == 0) count(node, false, event);
}

void Resolver::use_on_call(Event& event) {
  const std::uint32_t called = reading_->events[event.link].value;
  if (!is_known(called)) return;
  const std::uint32_t type = tree_.node(node_of(called)).gives;
  if (type != NameTree::kNone) note_known(event);
  count(tree_.child(type, reading_->attributes[event.attributes]), true, event);
}

void Resolver::bind(const Event& event) {
  Slot& bound = *find_slot(event.scope, event.name);
  switch (event.kind) {
    case EventKind::kKeep:
      if (bound.binding == kUnbound) bound.binding = kUnknown;
      break;
    case EventKind::kBindImport:
      bound.binding = event.value;
      break;
    case EventKind::kBindChain:
      bound.binding = reading_->events[event.link].value;
      break;
    case EventKind::kBindInstance: {
      const std::uint32_t called = reading_->events[event.link].value;
      const std::uint32_t type = is_known(called) ? tree_.node(node_of(called)).gives : NameTree::kNone;
      bound.binding = type == NameTree::kNone ? kUnknown : bound_to(type, kInstance);
      break;
    }
    default:
      bound.binding = kUnknown;
      break;
  }
}

void Resolver::bind_star(const Event& event, bool only_slots) {
  const std::uint32_t module = node_of(event.value);
  const std::vector<std::string_view>* names = tables_.names_below(tree_.text(module));
  if (names == nullptr) return;
  for (const std::string_view name : *names) {
    const Words::Word* word = words_.find(name.data(), static_cast<std::uint32_t>(name.size()));
    if (word == nullptr || word->name == Words::kNoName) continue;
    Slot& bound = slot(event.scope, word->name);
    if (only_slots) continue;
    const std::uint32_t node = tree_.child(module, name);
    bound.binding = node == NameTree::kNone ? kUnknown : bound_to(node, kPlain);
  }
}

void Resolver::count(std::uint32_t node, bool inferred, const Event& event) {
  if (node == NameTree::kNone) return;
  const NameTree::Node& what = tree_.node(node);
  if (inferred && !what.known) return;
  UsageTier tier = inferred ? UsageTier::kInferred : UsageTier::kResolved;
  if (!what.known) tier = UsageTier::kUnknown;
  if (uses_) {
    usage_->uses.push_back({.name = what.name,
                            .written = node,
                            .tier = tier,
                            .call = event.call,
                            .begin = event.begin,
                            .end = event.end});
  }
  if (what.name == NameTree::kNone) return;
  const std::size_t at = std::size_t{what.name} * 2 + (inferred ? 1 : 0);
  if (places_.size() <= at) places_.resize(tree_.size() * 2, 0);
  if (places_[at] == 0) {
    usage_->names.push_back({.name = what.name, .tier = tier});
    places_[at] = static_cast<std::uint32_t>(usage_->names.size());
  }
  NameCount& counted = usage_->names[places_[at] - 1];
  if (event.call) {
    ++counted.calls;
  } else {
    ++counted.references;
  }
}

}  // namespace seamark::usage
