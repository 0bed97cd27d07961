#include "seamark/usage/scan/reader.h"

#include <algorithm>
#include <cstring>

namespace seamark::usage {

namespace {

// They begin scopes, or say where names are bound.
constexpr std::string_view kScopeWords[] = {
    {"def     ", 3}, {"class   ", 5}, {"global  ", 6}, {"nonlocal", 8}};

}  // namespace

Reader::Reader(const Vocabulary::Tables& tables, NameTree& tree, Words& words, Reading& reading)
    : tables_(tables), tree_(tree), words_(words), reading_(reading), lexer_(words) {
  skim_.filter = &filter_;
  skim_.context = this;
  skim_.word = [](const void* reader, const char* text, std::uint32_t size) {
    return static_cast<const Reader*>(reader)->word(text, size);
  };
}

void Reader::read(const char* text, std::uint32_t size, const std::vector<std::string_view>& seeds,
                  std::vector<std::string_view>& late) {
  text_ = text;
  size_ = size;
  late_ = &late;
  lexer_.set_text(text, size);
  search_budget_ = std::size_t{size} * 16;
  reading_.clear();
  words_.clear();
  watch_.clear();
  watched_.clear();
  redirected_.clear();
  filter_ = {};
  for (const std::string_view word : kScopeWords) filter_word(word, true);
  skim_.end = text + size;
  open_.assign(1, OpenScope{});
  scope_ = 0;
  matters_at_ = 0;
  for (const Framework& framework : tables_.frameworks()) watch_everywhere(framework.module);
  for (const std::string_view seed : seeds) watch_everywhere(seed);
  for (std::uint32_t at = 0; (at = next_line(at)) < size_;) {
    line_begin_ = at;
    at = read_line();
  }
  while (open_.size() > 1) pop_scope();
}

// One logical line; where it ends.
std::uint32_t Reader::read_line() {
  lexer_.start(line_begin_);
  begin_statement();
  for (;;) {
    Token token = lexer_.next();
    while (first_ && token.kind == Tok::kKeyword &&
           (token.keyword == Keyword::kImport || token.keyword == Keyword::kFrom ||
            token.keyword == Keyword::kGlobal || token.keyword == Keyword::kNonlocal)) {
      if (token.keyword == Keyword::kImport) {
        token = read_import();
      } else if (token.keyword == Keyword::kFrom) {
        token = read_from();
      } else {
        token = read_redirects(token.keyword == Keyword::kGlobal);
      }
      if (token.kind == Tok::kSemicolon) token = lexer_.next();
    }
    if (token.kind == Tok::kNewline) {
      end_statement();
      return lexer_.position();
    }
    if (frames_.size() > 1 && token.kind == Tok::kKeyword) {
      if (const std::uint32_t at = recovery_point(token); at != kUnset) {
        end_statement();
        return at;
      }
    }
    if (first_ && first_token(token)) continue;
    take(token);
    last_ = token;
  }
}

void Reader::begin_statement() {
  while (frames_.size() > 1) pop_frame();
  frames_.assign(1, Frame{});
  frames_left_out_ = 0;
  Frame& frame = frames_.back();
  frame.assignable = true;
  restart_part(frame);
  kind_ = Kind::kPlain;
  first_ = true;
  compound_ = false;
  named_ = parameters_met_ = false;
  last_ = Token{};
  pending_call_ = kUnset;
  def_name_ = {};
  parameters_.clear();
  pending_.clear();
  assigned_ = annotated_ = augmented_ = false;
  all_plain_ = true;
  end_segment();
  targets_.clear();
}

void Reader::end_segment() {
  segment_other_ = segment_comma_ = false;
  segment_names_ = 0;
  segment_uses_.clear();
}

void Reader::end_statement() {
  while (frames_.size() > 1) pop_frame();
  end_walrus(frames_.back());
  if (kind_ == Kind::kPlain && (assigned_ || augmented_)) {
    Value value;
    if (all_plain_ && !augmented_ && !segment_comma_) value = value_of(frames_.back().part);
    for (const Place& target : targets_) bind(target, value, scope_);
  }
  flush_pending();
}

void Reader::flush_pending() {
  for (const std::uint32_t name : pending_) bind_unknown(name, scope_);
  pending_.clear();
}

// What the first token says about the statement. True: there is no more to the token.
bool Reader::first_token(const Token& token) {
  first_ = false;
  compound_ = true;
  if (token.kind == Tok::kKeyword) {
    switch (token.keyword) {
      case Keyword::kAsync:
        first_ = true;
        compound_ = false;
        return true;
      case Keyword::kDef:
        kind_ = Kind::kDef;
        return true;
      case Keyword::kClass:
        kind_ = Kind::kClass;
        return true;
      case Keyword::kFor:
        kind_ = Kind::kFor;
        frames_.back().target = Target::kPending;
        return true;
      case Keyword::kWith:
        kind_ = Kind::kWith;
        return true;
      case Keyword::kExcept:
        kind_ = Kind::kExcept;
        return true;
      case Keyword::kIf:
      case Keyword::kHeader:
        kind_ = Kind::kHeader;
        return true;
      case Keyword::kDel:
        kind_ = Kind::kDelete;
        frames_.back().target = Target::kPending;
        compound_ = false;
        return true;
      default:
        break;
    }
  } else if (token.kind == Tok::kName && token.end - token.begin == 4) {
    if (std::memcmp(text_ + token.begin, "case", 4) == 0 && looks_like_case()) {
      kind_ = Kind::kCase;
      frames_.back().pattern = true;
      return true;
    }
    if (std::memcmp(text_ + token.begin, "type", 4) == 0 && is_a(next_char(), kStartsName)) {
      const Lexer::Mark mark = lexer_.mark();
      const bool name = lexer_.next().kind == Tok::kName;
      lexer_.back_to(mark);
      if (name) {
        kind_ = Kind::kType;
        compound_ = false;
        return true;
      }
    }
  }
  compound_ = false;
  return false;
}

// `case` is a name as well: a pattern ends with a colon outside of brackets.
bool Reader::looks_like_case() {
  const Lexer::Mark mark = lexer_.mark();
  bool found = false;
  std::size_t depth = 0;
  bool first = true;
  for (bool looking = true; looking; first = false) {
    const Token token = lexer_.next();
    switch (token.kind) {
      case Tok::kOpen:
        ++depth;
        break;
      case Tok::kClose:
        if (depth == 0) looking = false;
        if (depth > 0) --depth;
        break;
      case Tok::kColon:
        found = depth == 0 && !first;
        looking = depth > 0;
        break;
      case Tok::kNewline:
      case Tok::kSemicolon:
        looking = false;
        break;
      case Tok::kEqual:
      case Tok::kAugmented:
      case Tok::kWalrus:
        looking = depth > 0;
        break;
      case Tok::kComma:
      case Tok::kDot:
        if (first) looking = false;
        break;
      default:
        break;
    }
  }
  lexer_.back_to(mark);
  return found;
}

void Reader::take(Token& token) {
  Frame& frame = frames_.back();
  if (frame.part.begin == kUnset) frame.part.begin = token.begin;
  if (frame.walrus && frame.walrus_value.begin == kUnset) frame.walrus_value.begin = token.begin;
  switch (token.kind) {
    case Tok::kName:
      if (frame.assignable) {
        ++segment_names_;
        segment_name_ = {.begin = token.begin, .size = token.end - token.begin};
      }
      take_name(token);
      return;
    case Tok::kKeyword:
      segment_other_ = true;
      take_keyword(token);
      return;
    case Tok::kOpen:
      take_open(token);
      return;
    case Tok::kClose:
      take_close(token);
      return;
    case Tok::kComma:
      segment_other_ = true;
      take_comma();
      return;
    case Tok::kColon:
      take_colon();
      return;
    case Tok::kSemicolon:
      end_lambdas();
      if (frames_.size() == 1) {
        end_statement();
        begin_statement();
        token = Token{};
      }
      return;
    case Tok::kEqual:
      take_equal();
      return;
    case Tok::kAugmented:
      take_augmented();
      return;
    case Tok::kWalrus:
      take_walrus();
      return;
    case Tok::kNewline:
    case Tok::kStar:
    case Tok::kDot:
    case Tok::kValue:
    case Tok::kOperator:
      segment_other_ = true;
      return;
  }
}

void Reader::take_keyword(const Token& token) {
  switch (token.keyword) {
    case Keyword::kLambda:
      take_lambda();
      break;
    case Keyword::kFor:
      take_for();
      break;
    case Keyword::kIn:
      take_in();
      break;
    case Keyword::kIf:
      take_if();
      break;
    case Keyword::kAs:
      take_as();
      break;
    default:
      break;
  }
}

// The segment's names turn out to be targets: they are no uses.
void Reader::withdraw_segment(bool bind) {
  for (const std::uint32_t use : segment_uses_) {
    reading_.events[use].kind = EventKind::kNothing;
    if (bind) pending_.push_back(reading_.events[use].name);
  }
}

void Reader::take_equal() {
  Frame& frame = frames_.back();
  frame.expecting = false;
  if (frames_.size() == 1 && kind_ == Kind::kPlain) {
    if (!annotated_) {
      const bool plain = segment_names_ == 1 && !segment_other_;
      if (plain) targets_.push_back(segment_name_);
      all_plain_ = all_plain_ && plain;
      withdraw_segment(!plain);
    }
    assigned_ = true;
    end_segment();
  }
  restart_part(frame);
}

void Reader::take_augmented() {
  if (frames_.size() != 1 || kind_ != Kind::kPlain) return;
  if (segment_names_ == 1 && !segment_other_) {
    targets_.push_back(segment_name_);
    withdraw_segment(false);
  }
  augmented_ = true;
  end_segment();
}

void Reader::take_colon() {
  end_lambda_bodies();
  if (frames_.back().role == Role::kLambdaParameters) {
    begin_lambda_body();
    return;
  }
  Frame& frame = frames_.back();
  end_walrus(frame);
  if (frames_.size() > 1) {
    frame.expecting = false;
    restart_part(frame);
  } else if (compound_) {
    end_header();
  } else if (kind_ == Kind::kPlain && !annotated_ && !assigned_) {
    annotate();
  }
}

void Reader::annotate() {
  annotated_ = true;
  if (segment_names_ == 1 && !segment_other_) {
    targets_.push_back(segment_name_);
    withdraw_segment(false);
  }
  end_segment();
  restart_part(frames_.back());
}

void Reader::take_comma() {
  end_lambda_bodies();
  Frame& frame = frames_.back();
  end_walrus(frame);
  restart_part(frame);
  if (frames_.size() == 1) segment_comma_ = true;
  switch (frame.role) {
    case Role::kParameters:
    case Role::kTypes:
    case Role::kLambdaParameters:
      frame.expecting = true;
      break;
    default:
      break;
  }
  if (frame.target == Target::kItem) frame.target = Target::kNo;
  if (kind_ == Kind::kExcept && frames_.size() == 1) {  // Python 2: except E, name
    frame.target = Target::kItem;
    frame.item = {};
  }
  if (frame.skips) skip_arguments();
}

void Reader::end_header() {
  const Kind kind = kind_;
  const Place name = def_name_;
  flush_pending();
  if (kind == Kind::kDef || kind == Kind::kClass) {
    if (kind == Kind::kDef) {
      bind(name, {}, scope_);
      note_def();
    }
    const std::size_t before = open_.size();
    push_scope(kind == Kind::kDef ? ScopeKind::kFunction : ScopeKind::kClass,
               kind == Kind::kClass ? name : Place{});
    if (open_.size() > before) {
      for (const std::uint32_t parameter : parameters_) bind_unknown(parameter, scope_);
    }
  }
  begin_statement();
}

}  // namespace seamark::usage
