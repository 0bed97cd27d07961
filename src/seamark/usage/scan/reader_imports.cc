#include "seamark/usage/scan/reader.h"

namespace seamark::usage {

namespace {

bool ends(const Token& token) { return token.kind == Tok::kNewline || token.kind == Tok::kSemicolon; }

}  // namespace

// A dotted name that begins with this token: its node, or none where it is below no framework. The token
// behind.
Token Reader::read_dotted(Token token, bool absolute, std::uint32_t& root, std::uint32_t& node,
                          Place& first) {
  root = node = NameTree::kNone;
  first = {.begin = token.begin, .size = token.end - token.begin};
  for (std::uint32_t i = 0; absolute && i < tables_.frameworks().size(); ++i) {
    if (tables_.frameworks()[i].module != text_of(first)) continue;
    root = node = tree_.root(i);
    reading_.frameworks |= 1u << i;
  }
  token = lexer_.next();
  while (token.kind == Tok::kDot) {
    token = lexer_.next();
    if (token.kind != Tok::kName) break;
    const std::uint32_t size = token.end - token.begin;
    if (node != NameTree::kNone && size <= NameTree::kMaxName) {
      node = tree_.child(node, std::string_view(text_ + token.begin, size));
    } else {
      node = NameTree::kNone;
    }
    token = lexer_.next();
  }
  return token;
}

// [as NAME]
Token Reader::read_alias(Token token, Place& place) {
  if (token.kind != Tok::kKeyword || token.keyword != Keyword::kAs) return token;
  token = lexer_.next();
  if (token.kind != Tok::kName) return token;
  place = {.begin = token.begin, .size = token.end - token.begin};
  return lexer_.next();
}

Token Reader::read_import() {
  Token token = lexer_.next();
  while (!ends(token)) {
    if (token.kind != Tok::kName) {
      token = lexer_.next();
      continue;
    }
    std::uint32_t root = NameTree::kNone;
    std::uint32_t node = NameTree::kNone;
    Place first;
    token = read_dotted(token, true, root, node, first);
    Place alias;
    token = read_alias(token, alias);
    bind_import(alias.size > 0 ? alias : first, alias.size > 0 ? node : root, kByImport);
  }
  return token;
}

Token Reader::read_from() {
  Token token = lexer_.next();
  bool absolute = true;
  while (token.kind == Tok::kDot || token.kind == Tok::kValue) {  // . and ...
    absolute = false;
    token = lexer_.next();
  }
  std::uint32_t root = NameTree::kNone;
  std::uint32_t module = NameTree::kNone;
  Place first;
  if (token.kind == Tok::kName) token = read_dotted(token, absolute, root, module, first);
  const bool imports = token.kind == Tok::kKeyword && token.keyword == Keyword::kImport;
  while (!ends(token)) {
    if (imports && token.kind == Tok::kStar && module != NameTree::kNone) bind_star(module);
    if (!imports || token.kind != Tok::kName) {
      token = lexer_.next();
      continue;
    }
    Place place{.begin = token.begin, .size = token.end - token.begin};
    std::uint32_t node = NameTree::kNone;
    if (place.size <= NameTree::kMaxName)
      node = module == NameTree::kNone ? module : tree_.child(module, text_of(place));
    token = read_alias(lexer_.next(), place);
    bind_import(place, node, kPlain);
  }
  return token;
}

void Reader::bind_import(Place place, std::uint32_t node, BindingFlags flags) {
  if (node == NameTree::kNone) {
    bind(place, {}, scope_);
    return;
  }
  const std::uint32_t name = watch(text_of(place), kFully);
  if (Event* event = add(EventKind::kBindImport, scope_, name)) event->value = bound_to(node, flags);
}

void Reader::bind_star(std::uint32_t node) {
  const std::vector<std::string_view>* names = tables_.names_below(tree_.text(node));
  if (names == nullptr) {
    ++reading_.unresolved_stars;
    return;
  }
  for (const std::string_view name : *names) watch(name, kFully);
  if (Event* event = add(EventKind::kBindStar, scope_, 0)) event->value = bound_to(node, kPlain);
}

// global and nonlocal
Token Reader::read_redirects(bool global) {
  Token token = lexer_.next();
  for (; !ends(token); token = lexer_.next()) {
    if (token.kind != Tok::kName || scope_ == 0) continue;
    const std::uint32_t name = words_.add(text_ + token.begin, token.end - token.begin);
    reading_.redirects.push_back({.scope = scope_, .name = name, .global = global});
    if (redirected_.size() <= name) redirected_.resize(name + std::size_t{1}, 0);
    redirected_[name] = scope_;
  }
  return token;
}

}  // namespace seamark::usage
