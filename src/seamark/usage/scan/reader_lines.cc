#include "seamark/usage/scan/reader.h"

namespace seamark::usage {

// Where the next line begins that matters. Scopes that end before are closed.
std::uint32_t Reader::next_line(std::uint32_t at) {
  for (;;) {
    skim_.indent_limit = open_.size() > 1 ? std::int64_t{open_.back().indent} : -1;
    const Skim::Stop stop = skim_lines(skim_, text_ + at);
    if (stop == Skim::Stop::kEnd) return size_;
    at = static_cast<std::uint32_t>(skim_.line - text_);
    line_indent_ = skim_.indent;
    while (open_.size() > 1 && line_indent_ <= open_.back().indent) pop_scope();
    if (stop == Skim::Stop::kLine) return at;
    if (stop == Skim::Stop::kScope) {
      line_begin_ = at;
      skimmed_scope();
      at = static_cast<std::uint32_t>(skim_.next - text_);
      continue;
    }
    while (at > 0 && text_[at - 1] != '\n') --at;
  }
}

// A statement that begins inside brackets: one of them was never closed. The beginning of its line.
std::uint32_t Reader::recovery_point(const Token& token) const {
  switch (token.keyword) {
    case Keyword::kDef:
    case Keyword::kClass:
    case Keyword::kWith:
    case Keyword::kExcept:
    case Keyword::kGlobal:
    case Keyword::kDel:
      break;
    default:
      return kUnset;
  }
  std::uint32_t at = token.begin;
  while (at > line_begin_ && is_a(text_[at - 1], kBlank)) --at;
  return at > line_begin_ && text_[at - 1] == '\n' ? at : kUnset;
}

// A header in which nothing is watched: all that matters is that a scope begins.
void Reader::skimmed_scope() {
  if (text_[line_begin_] == 'd') {
    note_def();
    push_scope(ScopeKind::kFunction, {});
    return;
  }
  lexer_.start(line_begin_);
  lexer_.next();
  const Token name = lexer_.next();
  push_scope(ScopeKind::kClass,
             {.begin = name.begin, .size = name.kind == Tok::kName ? name.end - name.begin : 0});
}

void Reader::note_def() {
  for (auto open = open_.rbegin(); open != open_.rend() && open->first_def == kUnset; ++open) {
    open->first_def = line_begin_;
  }
}

}  // namespace seamark::usage
