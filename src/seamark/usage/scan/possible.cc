#include "seamark/usage/scan/possible.h"

#include <algorithm>

namespace seamark::usage {

void PossibleCalls::add(std::string_view text, std::vector<std::uint32_t>& known_ends, FileUsage& usage,
                        bool uses) {
  read(text, uses ? &usage.tokens : nullptr);
  std::sort(known_ends.begin(), known_ends.end());
  by_method_.clear();
  std::erase_if(calls_, [&](const Call& call) {
    return imported_.contains(call.root) ||
           std::binary_search(known_ends.begin(), known_ends.end(), call.end);
  });
  for (const Call& call : calls_) ++by_method_[call.method];
  for (auto& [method, calls] : by_method_) calls = count(method, calls, usage);
  if (!uses) return;
  for (const Call& call : calls_) {
    const std::uint32_t name = by_method_[call.method];
    if (name == NameTree::kNone) continue;
    usage.uses.push_back({.name = name,
                          .written = name,
                          .tier = UsageTier::kPossibleLeast,
                          .call = true,
                          .begin = call.end - static_cast<std::uint32_t>(call.method.size()),
                          .end = call.end});
  }
}

std::uint32_t PossibleCalls::count(std::string_view method, std::uint32_t calls, FileUsage& usage) {
  std::uint32_t only = NameTree::kNone;
  bool given = false;
  int candidates = 0;
  for (const Vocabulary::Tables::Method& one : tables_.methods_named(method)) {
    if ((usage.frameworks >> one.framework & 1) == 0) continue;
    const auto [node, fresh] = nodes_.try_emplace(&one, NameTree::kNone);
    if (fresh) node->second = tree_.find(one.canonical);
    only = node->second;
    if (only == NameTree::kNone) continue;
    given = tables_.is_given(one.canonical.substr(0, one.canonical.size() - method.size() - 1));
    ++candidates;
    usage.names.push_back({.name = only, .tier = UsageTier::kPossibleMost, .calls = calls});
  }
  if (candidates != 1 || !given || tables_.is_common(method) || defined_.contains(method))
    return NameTree::kNone;
  usage.names.push_back({.name = only, .tier = UsageTier::kPossibleLeast, .calls = calls});
  return only;
}

void PossibleCalls::read(std::string_view text, std::vector<Token>* tokens) {
  text_ = text;
  tokens_ = tokens;
  calls_.clear();
  imported_.clear();
  defined_.clear();
  lexer_.set_text(text.data(), static_cast<std::uint32_t>(text.size()));
  Token root;            // of the chain that is being read
  Token attribute;       // its last part, where that is an attribute
  bool literal = false;  // the chain begins with a string or a number
  bool begins = true;    // a statement
  Token before;
  for (Token token = next();; token = next()) {
    if (begins && token.kind == Tok::kKeyword &&
        (token.keyword == Keyword::kImport || token.keyword == Keyword::kFrom))
      token = read_import(token.keyword == Keyword::kFrom);
    begins = false;
    const Token called = attribute;
    attribute.end = 0;
    switch (token.kind) {
      case Tok::kDot:
        break;
      case Tok::kName:
      case Tok::kKeyword:
        if (before.kind == Tok::kDot) {
          attribute = token;
        } else {
          if (before.keyword == Keyword::kDef) defined_.insert(text_of(token));
          root = token.kind == Tok::kName ? token : Token{};
          literal = false;
        }
        break;
      case Tok::kOpen:
        if (called.end != 0 && token.bracket == '(' && !literal)
          calls_.push_back({text_of(called), text_of(root), called.end});
        root = {};
        literal = false;
        break;
      case Tok::kNewline:
        if (token.begin >= text.size()) return;
        [[fallthrough]];
      case Tok::kSemicolon:
      case Tok::kColon:
        begins = true;
        [[fallthrough]];
      default:
        root = {};
        literal = token.kind == Tok::kValue;
        break;
    }
    before = token;
  }
}

// Behind `import` or `from`. The token that it ends with.
Token PossibleCalls::read_import(bool from) {
  Token token = next();
  const auto ends = [&token] { return token.kind == Tok::kNewline || token.kind == Tok::kSemicolon; };
  const auto is = [&token](Keyword keyword) {
    return token.kind == Tok::kKeyword && token.keyword == keyword;
  };
  if (from) {
    while (!ends() && !is(Keyword::kImport)) token = next();
    if (ends()) return token;
    token = next();
  }
  std::string_view bound;  // by the item that is being read
  for (; !ends(); token = next()) {
    if (token.kind == Tok::kComma) {
      if (!bound.empty()) imported_.insert(bound);
      bound = {};
    } else if (is(Keyword::kAs)) {
      bound = {};
    } else if (token.kind == Tok::kDot) {
      token = next();  // of a module's path, which binds its first part
      if (ends()) break;
    } else if (token.kind == Tok::kName && bound.empty()) {
      bound = text_of(token);
    }
  }
  if (!bound.empty()) imported_.insert(bound);
  return token;
}

}  // namespace seamark::usage
