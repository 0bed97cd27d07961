#include <cstring>

#include "seamark/usage/scan/reader.h"

namespace seamark::usage {

std::uint32_t Reader::new_scope(ScopeKind kind, std::uint32_t parent) {
  const auto id = static_cast<std::uint32_t>(reading_.scopes.size());
  const std::uint32_t function = kind == ScopeKind::kFunction ? id : reading_.scopes[parent].function;
  reading_.scopes.push_back({.kind = kind, .parent = parent, .function = function});
  return id;
}

void Reader::push_scope(ScopeKind kind, Place class_name) {
  if (open_.size() >= kMaxOpenScopes) return;
  scope_ = new_scope(kind, scope_);
  open_.push_back(
      {.scope = scope_, .indent = line_indent_, .class_name = class_name, .watched = watched_.size()});
}

void Reader::pop_scope() {
  const OpenScope closed = open_.back();
  open_.pop_back();
  for (std::size_t i = watched_.size(); i > closed.watched; --i) {
    const Watched& one = watched_[i - 1];
    watch_[one.name] = one.before;
    if (one.before == kIgnored) filter_word(words_.name(one.name), false);
  }
  watched_.resize(closed.watched);
  scope_ = open_.back().scope;
  if (closed.class_name.size > 0) bind(closed.class_name, {}, scope_);
}

std::uint32_t Reader::walrus_scope() const {
  std::uint32_t scope = scope_;
  while (reading_.scopes[scope].kind == ScopeKind::kComprehension) scope = reading_.scopes[scope].parent;
  return scope;
}

Event* Reader::add(EventKind kind, std::uint32_t scope, std::uint32_t name) {
  if (reading_.events.size() >= kMaxEvents) return nullptr;
  Event& event = reading_.events.emplace_back();
  event.kind = kind;
  event.scope = scope;
  event.name = name;
  return &event;
}

std::uint32_t Reader::watched_name(Place place) const {
  const Words::Word* word = words_.find(text_ + place.begin, place.size);
  return word != nullptr && watched(word->name) ? word->name : Words::kNoName;
}

void Reader::bind(Place place, Value value, std::uint32_t scope, bool walrus) {
  if (place.size == 0) return;
  std::uint32_t name = Words::kNoName;
  if (value.kind == EventKind::kBindInstance && !may_give_instance(reading_.events[value.link])) value = {};
  if (value.kind == EventKind::kBindChain || value.kind == EventKind::kBindInstance) {
    // What stood before in the statement was not watched.
    if (walrus && watched_name(place) == Words::kNoName && occurs(text_of(place), line_begin_, place.begin)) {
      late_->push_back(text_of(place));
    }
    name = watch(text_of(place), value.kind == EventKind::kBindChain ? kFully : kForInstance);
  } else {
    name = watched_name(place);
    if (name == Words::kNoName) return;
  }
  if (Event* event = add(value.kind, scope, name)) {
    event->link = value.link;
    event->walrus = walrus;
  }
}

// A chain that ends in no name of a class or factory can be left aside.
bool Reader::may_give_instance(const Event& call) const {
  if (call.attribute_count == 0) return true;  // whatever the name stands for
  return tree_.may_give_instance(reading_.attributes[call.attributes + call.attribute_count - 1]);
}

Skim::Word Reader::word(const char* text, std::uint32_t size) const {
  const Words::Word* found = words_.find(text, size);
  if (found == nullptr) return Skim::Word::kIgnored;
  switch (found->keyword) {
    case Keyword::kNone:
      return watched(found->name) ? Skim::Word::kMatters : Skim::Word::kIgnored;
    case Keyword::kDef:
    case Keyword::kClass:
      return Skim::Word::kScope;
    case Keyword::kGlobal:
    case Keyword::kNonlocal:
      return Skim::Word::kMatters;
    default:
      return Skim::Word::kIgnored;
  }
}

void Reader::filter_word(std::string_view word, bool in) {
  const auto size = static_cast<std::uint32_t>(word.size());
  const std::uint64_t head = Words::head_of(word.data(), static_cast<std::uint32_t>(word.size()));
  if (in) {
    filter_.add(head, size);
  } else {
    filter_.remove(head, size);
  }
}

// From here to the end of the innermost function, class or module.
std::uint32_t Reader::watch(std::string_view name, Watch how) {
  const std::uint32_t number = words_.add(name.data(), static_cast<std::uint32_t>(name.size()));
  if (number == Words::kNoName) return number;  // a keyword
  if (watch_.size() <= number) watch_.resize(number + std::size_t{1}, kIgnored);
  if (watch_[number] >= how) return number;
  if (watch_[number] == kIgnored) filter_word(name, true);
  watched_.push_back({.name = number, .before = watch_[number]});
  watch_[number] = how;
  if (how != kFully) return number;
  // What `global` binds holds in the module; functions that stand before see what a name is bound to behind
  // them.
  const bool elsewhere = number < redirected_.size() && redirected_[number] == scope_ && scope_ != 0;
  const OpenScope& open = open_.back();
  const bool in_class = reading_.scopes[open.scope].kind == ScopeKind::kClass;
  const std::uint32_t from = elsewhere ? 0 : open.first_def;
  if (elsewhere || (!in_class && from != kUnset && occurs(name, from, line_begin_))) late_->push_back(name);
  return number;
}

void Reader::watch_everywhere(std::string_view name) {
  const std::uint32_t number = words_.add(name.data(), static_cast<std::uint32_t>(name.size()));
  if (number == Words::kNoName) return;  // a keyword
  if (watch_.size() <= number) watch_.resize(number + std::size_t{1}, kIgnored);
  if (watch_[number] == kIgnored) filter_word(name, true);
  watch_[number] = kFully;
}

// As a word of its own, in what was read from `from` to `to`. When too much was searched, it does.
bool Reader::occurs(std::string_view name, std::uint32_t from, std::uint32_t to) {
  if (search_budget_ < to - from) return true;
  search_budget_ -= to - from;
  const char* p = text_ + from;
  const char* end = text_ + to;
  while (const void* found = memmem(p, static_cast<std::size_t>(end - p), name.data(), name.size())) {
    p = static_cast<const char*>(found);
    if (!is_a(p[-1], kInName) && !is_a(p[name.size()], kInName)) return true;
    ++p;
  }
  return false;
}

}  // namespace seamark::usage
