#include <algorithm>

#include "seamark/usage/scan/reader.h"

namespace seamark::usage {

void Reader::take_name(Token& token) {
  if (last_.kind == Tok::kDot) return;  // an attribute of something that is no name
  Frame& frame = frames_.back();
  if (frames_.size() == 1 && !named_ &&
      (kind_ == Kind::kDef || kind_ == Kind::kClass || kind_ == Kind::kType)) {
    named_ = true;
    def_name_ = {.begin = token.begin, .size = token.end - token.begin};
    if (kind_ == Kind::kType && watched(token.name)) pending_.push_back(token.name);
    return;
  }
  if (frame.expecting) {
    take_parameter(token);
    return;
  }
  const bool known = watched(token.name);
  if (frame.target != Target::kNo && (known || frame.target == Target::kItem)) {
    const char next = next_char();
    if (next != '.' && next != '(' && next != '[') {
      take_target(token);
      return;
    }
  }
  if (!known) return;
  if (frame.pattern) {
    take_pattern_name(token);
    return;
  }
  if (frame.role == Role::kTrailer && (last_.kind == Tok::kOpen || last_.kind == Tok::kComma) &&
      before_equal()) {
    return;  // a keyword argument
  }
  use_chain(token, true);
}

bool Reader::before_equal() const {
  const std::uint32_t next = lexer_.peek();
  return lexer_.at(next) == '=' && lexer_.at(next + 1) != '=';
}

void Reader::take_target(const Token& token) {
  Frame& frame = frames_.back();
  switch (frame.target) {
    case Target::kPending:
      pending_.push_back(token.name);
      break;
    case Target::kNow:
      bind_unknown(token.name, scope_);
      break;
    case Target::kItem:
      bind({.begin = token.begin, .size = token.end - token.begin}, frame.item, scope_);
      break;
    case Target::kNo:
      break;
  }
}

void Reader::take_pattern_name(Token& token) {
  const char next = next_char();
  if (next == '.' || next == '(') {
    use_chain(token, false);
  } else if (frames_.size() > 1 && before_equal()) {
    return;  // Class(name=...)
  } else if (token.end - token.begin != 1 || text_[token.begin] != '_') {
    pending_.push_back(token.name);
  }
}

void Reader::take_parameter(const Token& token) {
  frames_.back().expecting = false;
  if (watched(token.name) && kind_ != Kind::kType) parameters_.push_back(token.name);
}

// The chain that begins here; the token becomes all of it.
void Reader::use_chain(Token& token, bool callable) {
  const auto first = static_cast<std::uint32_t>(reading_.attributes.size());
  bool too_long = false;
  for (;;) {
    const Lexer::Attribute attribute = lexer_.take_attribute();
    if (attribute.size == 0) break;
    too_long = too_long || attribute.size > NameTree::kMaxName ||
               reading_.attributes.size() - first > NameTree::kMaxName / 2;
    if (!too_long) reading_.attributes.push_back(tree_.attribute({text_ + attribute.begin, attribute.size}));
  }
  const auto count = static_cast<std::uint32_t>(reading_.attributes.size()) - first;
  token.end = lexer_.position();
  if (count > 0 || too_long) segment_other_ = true;
  if (too_long) {
    reading_.attributes.resize(first);
    return;
  }
  Event* use = add(EventKind::kUse, scope_, token.name);
  if (use == nullptr) return;
  const std::uint32_t index = event_count() - 1;
  use->attributes = first;
  use->attribute_count = count;
  use->begin = token.begin;
  use->end = token.end;
  const char next = next_char();
  use->call = callable && next == '(';
  if (use->call) {
    pending_call_ = index;
  } else if (count == 0 && next != '[' && frames_.back().assignable && kind_ == Kind::kPlain) {
    segment_uses_.push_back(index);
  }
}

// One attribute on a call that has just ended. The token becomes all of its attributes.
void Reader::use_on_call(std::uint32_t call, Token& token) {
  Event& called = reading_.events[call];
  called.call_end = token.end;
  const Lexer::Attribute attribute = lexer_.take_attribute();
  if (attribute.size == 0) return;
  segment_other_ = true;
  bool one = true;
  while (lexer_.take_attribute().size != 0) one = false;
  token.end = lexer_.position();
  token.kind = Tok::kName;
  if (!one || attribute.size > NameTree::kMaxName || !may_give_instance(called)) return;
  const auto first = static_cast<std::uint32_t>(reading_.attributes.size());
  reading_.attributes.push_back(tree_.attribute({text_ + attribute.begin, attribute.size}));
  if (Event* use = add(EventKind::kUseOnCall, scope_, 0)) {
    use->link = call;
    use->attributes = first;
    use->attribute_count = 1;
    use->end = token.end;
    use->call = next_char() == '(';
  }
}

Reader::Role Reader::role_of(const Token& token) const {
  const Frame& top = frames_.back();
  if (token.bracket != '(' && token.bracket != '[') return Role::kDisplay;
  if (frames_.size() == 1 && named_ && last_.end == def_name_.begin + def_name_.size &&
      token.bracket == '[') {
    return Role::kTypes;
  }
  if (frames_.size() == 1 && kind_ == Kind::kDef && !parameters_met_ && token.bracket == '(') {
    return Role::kParameters;
  }
  if (frames_.size() == 1 && kind_ == Kind::kWith && token.begin == top.part.begin && token.bracket == '(') {
    return Role::kItems;
  }
  if (top.expecting && token.bracket == '(') return Role::kParameters;
  const bool trails = last_.kind == Tok::kName || last_.kind == Tok::kClose || last_.kind == Tok::kValue;
  return trails ? Role::kTrailer : Role::kGroup;
}

void Reader::take_open(const Token& token) {
  const Role role = role_of(token);
  const std::uint32_t call = pending_call_;
  pending_call_ = kUnset;
  if (role != Role::kGroup || token.bracket != '(') segment_other_ = true;
  Frame& top = frames_.back();
  const bool pattern = top.pattern;
  const bool assignable = top.assignable && role == Role::kGroup;
  Target target = role == Role::kGroup ? top.target : Target::kNo;
  if (target == Target::kItem) target = Target::kNow;
  if (role == Role::kParameters) {
    parameters_met_ = true;
    top.expecting = false;
  }
  if (!push_frame(role)) return;
  Frame& frame = frames_.back();
  frame.pattern = pattern;
  frame.assignable = assignable;
  frame.target = target;
  frame.expecting = role == Role::kParameters || role == Role::kTypes;
  if (role == Role::kTrailer && token.bracket == '(') frame.call = call;
  frame.skips = token.bracket != 'f' && !assignable;
  if (frame.skips) skip_arguments();
}

// To the closing bracket, if nothing in between matters; else to the comma before the argument that may.
void Reader::skip_arguments() {
  const std::uint32_t at = lexer_.position();
  if (at < matters_at_) return;
  if (const char* closing = skim_brackets(skim_, text_ + at)) {
    lexer_.skip_to(static_cast<std::uint32_t>(closing - text_));
    return;
  }
  const char* matters = skim_.line;
  matters_at_ = static_cast<std::uint32_t>(matters - text_);
  if (const char* comma = last_comma(skim_, text_ + at, matters))
    lexer_.skip_to(static_cast<std::uint32_t>(comma - text_));
}

void Reader::take_close(Token& token) {
  end_lambdas();
  if (frames_left_out_ > 0) {
    --frames_left_out_;
    return;
  }
  if (frames_.size() == 1) return;
  const std::uint32_t call = frames_.back().call;
  pop_frame();
  if (call != kUnset) use_on_call(call, token);
}

bool Reader::push_frame(Role role) {
  if (frames_.size() >= kMaxFrames) {
    if (role != Role::kLambdaParameters) ++frames_left_out_;
    return false;
  }
  Frame& frame = frames_.emplace_back();
  frame.role = role;
  frame.outer_scope = scope_;
  frame.first_event = event_count();
  frame.first_scope = static_cast<std::uint32_t>(reading_.scopes.size());
  frame.first_parameter = static_cast<std::uint32_t>(parameters_.size());
  restart_part(frame);
  return true;
}

void Reader::pop_frame() {
  Frame& frame = frames_.back();
  end_walrus(frame);
  if (frame.comprehension != 0) --comprehensions_;
  if (frame.comprehension != 0 || frame.role == Role::kLambdaBody) scope_ = frame.outer_scope;
  if (frame.role == Role::kLambdaParameters) parameters_.resize(frame.first_parameter);
  frames_.pop_back();
}

void Reader::take_lambda() {
  if (push_frame(Role::kLambdaParameters)) frames_.back().expecting = true;
}

void Reader::begin_lambda_body() {
  Frame& frame = frames_.back();
  frame.role = Role::kLambdaBody;
  frame.expecting = false;
  scope_ = new_scope(ScopeKind::kLambda, scope_);
  for (std::size_t i = frame.first_parameter; i < parameters_.size(); ++i)
    bind_unknown(parameters_[i], scope_);
  parameters_.resize(frame.first_parameter);
  restart_part(frame);
}

void Reader::end_lambda_bodies() {
  while (frames_.back().role == Role::kLambdaBody) pop_frame();
}

void Reader::end_lambdas() {
  while (frames_.back().role == Role::kLambdaBody || frames_.back().role == Role::kLambdaParameters)
    pop_frame();
}

void Reader::take_walrus() {
  segment_other_ = true;
  if (last_.kind != Tok::kName) return;
  if (!reading_.events.empty()) {
    Event& use = reading_.events.back();
    if (use.kind == EventKind::kUse && use.begin == last_.begin) use.kind = EventKind::kNothing;
  }
  Frame& frame = frames_.back();
  frame.walrus = true;
  frame.walrus_name = {.begin = last_.begin, .size = last_.end - last_.begin};
  frame.walrus_value = {.event = event_count(), .begin = kUnset};
}

void Reader::end_walrus(Frame& frame) {
  if (!frame.walrus) return;
  frame.walrus = false;
  Value value = value_of(frame.walrus_value);
  if (value.kind == EventKind::kKeep) value = {};
  bind(frame.walrus_name, value, walrus_scope(), true);
}

// What has been read since belongs to a comprehension: its element stands before its `for`.
void Reader::take_for() {
  end_lambdas();
  Frame& frame = frames_.back();
  end_walrus(frame);
  if (frames_.size() == 1 || frame.pattern) return;
  if (frame.comprehension == 0) {
    if (comprehensions_ >= kMaxComprehensions) return;
    ++comprehensions_;
    const std::uint32_t inner = new_scope(ScopeKind::kComprehension, scope_);
    for (std::size_t i = frame.first_event; i < reading_.events.size(); ++i) {
      Event& event = reading_.events[i];
      if (event.scope == scope_ && !event.walrus) event.scope = inner;
    }
    for (std::size_t i = frame.first_scope; i < inner; ++i) {
      if (reading_.scopes[i].parent == scope_) reading_.scopes[i].parent = inner;
    }
    frame.outer_scope = scope_;
    frame.comprehension = inner;
    frame.first_clause = true;
  }
  frame.clause = Clause::kTarget;
  frame.target = Target::kNow;
  scope_ = frame.comprehension;
  restart_part(frame);
}

void Reader::take_in() {
  Frame& frame = frames_.back();
  if (frame.clause == Clause::kTarget) {
    frame.target = Target::kNo;
    frame.clause = frame.first_clause ? Clause::kFirstIterable : Clause::kRest;
    if (frame.first_clause) scope_ = frame.outer_scope;
    frame.first_clause = false;
  } else if (frames_.size() == 1 && kind_ == Kind::kFor) {
    frame.target = Target::kNo;
  }
}

void Reader::take_if() {
  Frame& frame = frames_.back();
  if (frame.clause == Clause::kFirstIterable) {
    frame.clause = Clause::kRest;
    scope_ = frame.comprehension;
  } else if (frames_.size() == 1 && frame.pattern) {  // the guard
    frame.pattern = false;
    flush_pending();
  }
}

void Reader::take_as() {
  end_lambda_bodies();
  Frame& frame = frames_.back();
  end_walrus(frame);
  const bool with = kind_ == Kind::kWith && (frames_.size() == 1 || frame.role == Role::kItems);
  if (!with && (kind_ != Kind::kExcept || frames_.size() > 1)) return;
  Value value;
  if (with) value = value_of(frame.part);
  if (value.kind != EventKind::kBindInstance) value = {};
  frame.item = value;
  frame.target = Target::kItem;
}

// What a name is bound to that this part, which ends with the last token, is assigned to.
Reader::Value Reader::value_of(const Part& part) const {
  if (part.begin == kUnset) return {};
  if (part.event < reading_.events.size()) {
    const Event& use = reading_.events[part.event];
    if (use.kind == EventKind::kUse && use.begin == part.begin) {
      if (!use.call && use.end == last_.end) return {EventKind::kBindChain, part.event};
      if (use.call && use.call_end == last_.end) return {EventKind::kBindInstance, part.event};
    }
  }
  if (last_.begin == part.begin && last_.keyword == Keyword::kConstant) return {EventKind::kKeep, 0};
  return {};
}

}  // namespace seamark::usage
