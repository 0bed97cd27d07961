#include "seamark/audit/syntax.h"

#include <algorithm>

#include "seamark/base/text.h"

namespace seamark::audit {
namespace {

bool is_compound(std::string_view word) {
  return is_one_of(word, "if", "elif", "else", "for", "while", "try", "def", "except", "finally", "with",
                   "class");
}

// Whether a block of `next` goes on with one of `before`.
bool goes_on(std::string_view next, std::string_view before) {
  if (next == "elif") return before == "if" || before == "elif";
  if (next == "except") return before == "try" || before == "except";
  if (next == "finally") return before == "try" || before == "except" || before == "else";
  return next == "else" && before != "else" && before != "finally" && before != "def" && before != "class" &&
         before != "with" && !before.empty();
}

bool is_quote(char c) { return c == '"' || c == '\''; }

}  // namespace

std::string_view inside_of(std::string_view literal) {
  std::size_t prefix = 0;
  while (prefix < literal.size() && prefix < 3 && !is_quote(literal[prefix])) ++prefix;
  if (prefix == literal.size() || !is_quote(literal[prefix])) prefix = 0;
  literal.remove_prefix(prefix);
  if (literal.empty()) return literal;
  const char quote = literal.front();
  if (is_quote(quote)) {
    const bool triple = literal.size() >= 3 && literal[1] == quote && literal[2] == quote;
    literal.remove_prefix(triple ? 3 : 1);
  }
  while (!literal.empty() && is_quote(literal.back())) literal.remove_suffix(1);
  return literal;
}

void Syntax::read(std::string_view text, std::span<const NamedUse> uses, std::span<const std::string> known,
                  std::span<const usage::Token> tokens) {
  text_ = text;
  tokens_.clear();
  lines_.clear();
  blocks_.clear();
  chains_.clear();
  imports_.clear();
  line_starts_.clear();
  texts_.clear();
  bound_.clear();
  values_.reset();
  has_names_ = false;
  read_tokens(tokens);
  read_blocks();
  read_imports();
  read_words();
  read_chains(uses, known);
  meanings_.clear(chains_.size() * 2);
  for (auto i = static_cast<std::uint32_t>(chains_.size()); i-- > 0;) {
    const Chain& chain = chains_[i];
    if (!chain.function.empty() && chain.function != chain.qualified)
      meanings_.add(i * 2 + 1, chain.function);
    meanings_.add(i * 2, chain.qualified);
  }
}

void Syntax::read_words() {
  strings_.clear();
  runs_.clear();
  words_.clear(tokens_.size());
  if (kept_ != nullptr) {
    filter_ = *kept_;
    for (const auto& [name, module] : bound_) filter_.add(name);
  }
  for (auto i = static_cast<std::uint32_t>(tokens_.size()); i-- > 0;) {
    const Kind kind = tokens_[i].kind;
    if (kind == Kind::kString) {
      strings_.push_back(i);
      runs_.add(text_of(i));
    } else if (kind == Kind::kName || kind == Kind::kMark || is(i, "[")) {
      const std::string_view word = text_of(i);
      if (kept_ == nullptr || filter_.may_have(word)) words_.add(i, word);
    }
  }
  std::reverse(strings_.begin(), strings_.end());
}

void Syntax::read_tokens(std::span<const usage::Token> read) {
  const auto size = static_cast<std::uint32_t>(text_.size());
  std::vector<usage::Token> lexed;
  if (read.empty()) {
    const usage::Words keywords;
    usage::Lexer lexer(keywords);
    lexer.set_text(text_.data(), size);  // NOLINT(bugprone-suspicious-stringview-data-usage): it has margins
    do lexed.push_back(lexer.next());
    while (lexed.back().kind != usage::Tok::kNewline || lexed.back().begin < size);
    read = lexed;
  }
  const auto fields =
      std::count_if(read.begin(), read.end(), [](const usage::Token& token) { return token.bracket == 'f'; });
  tokens_.resize(read.size() + static_cast<std::size_t>(fields));
  std::vector<std::uint32_t> open;
  std::uint32_t around = kNone;
  std::uint32_t number = 0;  // of the line
  std::uint32_t first = 0;
  std::uint32_t behind = 0;  // the last token
  std::uint32_t at = 0;
  const auto add = [&](Kind kind, std::uint32_t begin, std::uint32_t end, bool field = false,
                       bool keyword = false) {
    tokens_[at++] = {.kind = kind,
                     .field = field,
                     .keyword = keyword,
                     .begin = begin,
                     .end = end,
                     .match = kNone,
                     .line = number,
                     .around = around};
  };
  const auto end_line = [&](const usage::Token& token) {
    if (at == first) return;
    lines_.push_back({.first = first, .last = at});
    add(Kind::kNewline, token.begin, token.end);
    first = at;
    ++number;
  };
  for (const usage::Token& token : read) {
    switch (token.kind) {
      case usage::Tok::kNewline:
        end_line(token);
        open.clear();
        around = kNone;
        break;
      case usage::Tok::kName:
        add(Kind::kName, token.begin, token.end);
        break;
      case usage::Tok::kKeyword:
        add(Kind::kName, token.begin, token.end, false, true);
        break;
      case usage::Tok::kValue: {
        if (token.end == token.begin) break;
        const char head = text_[token.begin];
        const bool is_number = head == '.' || (head >= '0' && head <= '9');
        add(is_number ? Kind::kNumber : Kind::kString, token.begin, token.end);
        break;
      }
      case usage::Tok::kOpen: {
        const bool field = token.bracket == 'f';
        // The lexer passes over what stands before a field.
        std::uint32_t begin = behind;
        while (begin < token.begin && (text_[begin] == ' ' || text_[begin] == '\t')) ++begin;
        if (field && begin < token.begin) add(Kind::kString, begin, token.begin);
        open.push_back(at);
        add(Kind::kOpen, token.begin, token.end, field);
        if (!field) around = open.back();
        break;
      }
      case usage::Tok::kClose:
        if (open.empty()) {
          add(Kind::kMark, token.begin, token.end);
        } else {
          Token& opened = tokens_[open.back()];
          opened.match = at;
          around = opened.around;
          add(Kind::kClose, token.begin, token.end, opened.field);
          tokens_[at - 1].match = open.back();
          open.pop_back();
        }
        break;
      case usage::Tok::kSemicolon:
        // Each statement is a line; those behind the first have its indent.
        if (open.empty()) end_line(token);
        break;
      case usage::Tok::kDot:
        add(Kind::kDot, token.begin, token.end);
        break;
      default:
        add(Kind::kMark, token.begin, token.end);
        break;
    }
    behind = token.end;
  }
  tokens_.resize(at);
}

void Syntax::read_blocks() {
  blocks_.push_back({});
  std::vector<std::uint32_t> open{0};         // blocks
  std::vector<std::uint32_t> indents{0};      // of their headers; of the module: unused
  std::vector<std::uint32_t> last_of{kNone};  // by open block: the last block closed directly in it
  std::uint32_t decorator = kNone;
  for (std::uint32_t number = 0; number < lines_.size(); ++number) {
    Line& line = lines_[number];
    const std::uint32_t begin = tokens_[line.first].begin;
    std::uint32_t start = begin;
    while (start > 0 && text_[start - 1] == ' ') --start;
    line.indent = begin - start;
    if (start > 0 && (text_[start - 1] == '\t' || text_[start - 1] == '\f')) {
      while (start > 0 && (text_[start - 1] == ' ' || text_[start - 1] == '\t' || text_[start - 1] == '\f'))
        --start;
      line.indent = 0;
      for (std::uint32_t i = start; i < begin; ++i)
        line.indent = text_[i] == '\t' ? (line.indent / 8 + 1) * 8 : line.indent + 1;
    }
    if (start > 0 && text_[start - 1] != '\n' && number > 0) {  // behind a semicolon
      line.indent = lines_[number - 1].indent;
      line.block = lines_[number - 1].opens != kNone ? lines_[number - 1].opens : lines_[number - 1].block;
      continue;
    }
    while (open.size() > 1 && line.indent <= indents.back()) {
      last_of[open.size() - 2] = open.back();
      open.pop_back();
      indents.pop_back();
      last_of.pop_back();
    }
    line.block = open.back();
    for (const std::uint32_t one : open) blocks_[one].last_line = number;
    std::uint32_t first = line.first;
    if (is(first, "@")) {
      if (decorator == kNone) decorator = number;
      continue;
    }
    if (is(first, "async")) ++first;
    const std::string_view keyword = first < line.last ? text_of(first) : std::string_view();
    if (!tokens_[first].keyword || !is_compound(keyword)) {
      decorator = kNone;
      last_of.back() = kNone;
      continue;
    }
    Block block;
    block.keyword = keyword;
    block.parent = open.back();
    block.header_line = number;
    block.last_line = number;
    if ((keyword == "def" || keyword == "class") && first + 1 < line.last) {
      block.name = text_of(first + 1);
      block.first_decorator = decorator;
    }
    decorator = kNone;
    const auto made = static_cast<std::uint32_t>(blocks_.size());
    const std::uint32_t before = last_of.back();
    if (before != kNone && goes_on(keyword, blocks_[before].keyword)) {
      block.before = before;
      blocks_[before].next = made;
    }
    blocks_.push_back(block);
    line.opens = made;
    line.colon = first;
    while (line.colon < line.last && !is(line.colon, ":")) {
      const std::uint32_t match = tokens_[line.colon].match;
      line.colon = match != kNone && match > line.colon ? match + 1 : line.colon + 1;
    }
    open.push_back(made);
    indents.push_back(line.indent);
    last_of.push_back(kNone);
  }
}

const TextIndex& Syntax::names() const {
  if (has_names_) return names_;
  names_.clear(tokens_.size());
  for (auto i = static_cast<std::uint32_t>(tokens_.size()); i-- > 0;) {
    if (tokens_[i].kind != Kind::kName || tokens_[i].keyword) continue;
    const Kind behind = tokens_[i + 1].kind;  // a line ends with a newline
    const Kind before = i > 0 ? tokens_[i - 1].kind : Kind::kNewline;
    const bool object = behind == Kind::kDot && before != Kind::kName;  // `import a.b` binds
    const bool field = before == Kind::kDot && behind != Kind::kOpen && !is(i + 1, "=");
    if (!object && !field) names_.add(i, text_of(i));
  }
  has_names_ = true;
  return names_;
}

Values& Syntax::values() const {
  if (values_ == nullptr) values_ = std::make_unique<Values>(*this);
  return *values_;
}

std::uint32_t Syntax::function_of(std::uint32_t block) const {
  while (block != 0 && blocks_[block].keyword != "def") block = blocks_[block].parent;
  return block;
}

Syntax::Position Syntax::position_of(std::uint32_t offset) const {
  if (line_starts_.empty()) {
    line_starts_.push_back(0);
    for (std::size_t at = text_.find('\n'); at != std::string_view::npos; at = text_.find('\n', at + 1))
      line_starts_.push_back(static_cast<std::uint32_t>(at + 1));
  }
  const auto behind = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto line = static_cast<std::uint32_t>(behind - line_starts_.begin());
  const std::string_view before = text_.substr(line_starts_[line - 1], offset - line_starts_[line - 1]);
  const auto characters = std::count_if(
      before.begin(), before.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
  return {.line = line, .column = static_cast<std::uint32_t>(characters) + 1};
}

std::string_view Syntax::source_line(std::uint32_t offset) const {
  const std::uint32_t begin = line_starts_[position_of(offset).line - 1];
  return trim(text_.substr(begin, text_.find('\n', begin) - begin));
}

// Whether a string lacks its end. Of an f-string its parts between fields have none.
bool Syntax::is_cut_off(std::uint32_t string) const {
  const std::string_view literal = text_of(string);
  std::size_t quote = 0;
  while (quote < literal.size() && quote < 3 && !is_quote(literal[quote])) ++quote;
  if (quote == literal.size() || !is_quote(literal[quote])) return false;
  const Token* next = string + 1 < tokens_.size() ? &tokens_[string + 1] : nullptr;
  if (next != nullptr && next->field && next->begin == tokens_[string].end) return false;
  if (string > 0 && tokens_[string - 1].field && tokens_[string - 1].end == tokens_[string].begin)
    return false;
  const char mark = literal[quote];
  const std::size_t size = literal.size() - quote;
  const bool triple = size >= 3 && literal[quote + 1] == mark && literal[quote + 2] == mark;
  return size < (triple ? 6U : 2U) || literal.back() != mark;
}

std::optional<Syntax::Fault> Syntax::fault() const {
  for (std::uint32_t i = 0; i < tokens_.size(); ++i) {
    const Token& token = tokens_[i];
    const auto is_here = [&](std::string_view what) { return Fault{.begin = token.begin, .what = what}; };
    switch (token.kind) {
      case Kind::kOpen:
        if (token.match == kNone) return is_here("a bracket is not closed");
        break;
      case Kind::kMark:
        if (is_one_of(text_of(i), ")", "]", "}")) return is_here("a bracket is closed that is not open");
        break;
      case Kind::kClose: {
        const std::string_view open = text_of(token.match);
        if (!is(i, open == "(" ? ")" : open == "[" ? "]" : "}")) return is_here("brackets do not match");
        break;
      }
      case Kind::kString:
        if (is_cut_off(i)) return is_here("a string has no end");
        if (i > 0 && lines_[token.line].first == i - 1 && (is(i - 1, "print") || is(i - 1, "exec")))
          return is_here("it is Python 2");
        break;
      default:
        break;
    }
  }
  return std::nullopt;
}

// --- imports

void Syntax::bind(std::string_view name, std::string module, std::uint32_t token) {
  texts_.push_back(std::move(module));
  imports_.push_back({.name = texts_.back(), .token = token});
  if (!name.empty()) bound_[name] = texts_.back();
}

void Syntax::read_imports() {
  for (const Line& line : lines_) {
    if (is(line.first, "import")) {
      read_import(line.first + 1, line.last);
    } else if (is(line.first, "from")) {
      read_from(line.first + 1, line.last);
    }
  }
}

void Syntax::read_import(std::uint32_t first, std::uint32_t last) {
  while (first < last) {
    const std::uint32_t begin = first;
    std::string module;
    while (first < last && (tokens_[first].kind == Kind::kDot || tokens_[first].kind == Kind::kName) &&
           !is(first, "as"))
      module += text_of(first++);
    if (module.empty()) return;
    if (is(first, "as") && first + 1 < last) {
      bind(text_of(first + 1), std::move(module), begin);
      first += 2;
    } else {
      // It binds the first part, which stands for itself.
      bind({}, std::move(module), begin);
      const std::string_view root = text_of(begin);
      bound_[root] = root;
    }
    if (!is(first, ",")) return;
    ++first;
  }
}

void Syntax::read_from(std::uint32_t first, std::uint32_t last) {
  std::string module;
  while (first < last && !is(first, "import")) module += text_of(first++);
  if (module.empty() || module.front() == '.') return;  // of the project itself
  for (++first; first < last; ++first) {
    if (tokens_[first].kind != Kind::kName) continue;
    const std::string_view name = text_of(first);
    const bool renamed = is(first + 1, "as") && first + 2 < last;
    bind(renamed ? text_of(first + 2) : name, module + "." + std::string(name), first);
    if (renamed) first += 2;
  }
}

void Syntax::add_meaning(std::span<const std::string> names, bool globs,
                         std::vector<std::uint32_t>& tokens) const {
  const auto add = [&](std::string_view name) {
    for (std::uint32_t i = meanings_.first(name); i != kNone; i = meanings_.next(i))
      tokens.push_back(chains_[i / 2].first);
  };
  if (globs) {
    for (const std::uint32_t one : meanings_.distinct()) {
      const Chain& chain = chains_[one / 2];
      const std::string_view name = one % 2 == 0 ? chain.qualified : chain.function;
      if (any_glob(names, name)) add(name);
    }
  } else {
    for (const std::string& name : names) add(name);
  }
}

bool Syntax::imports_module(std::string_view module) const {
  return std::any_of(imports_.begin(), imports_.end(), [&](const Import& one) {
    return one.name.starts_with(module) &&
           (one.name.size() == module.size() || one.name[module.size()] == '.');
  });
}

// --- chains

void Syntax::read_chains(std::span<const NamedUse> uses, std::span<const std::string> known) {
  chain_at_.assign(tokens_.size(), kNone);
  const auto token_at = [&](std::uint32_t offset) {
    const auto found =
        std::lower_bound(tokens_.begin(), tokens_.end(), offset,
                         [](const Token& token, std::uint32_t place) { return token.begin < place; });
    return found != tokens_.end() && found->begin == offset
               ? static_cast<std::uint32_t>(found - tokens_.begin())
               : kNone;
  };
  const auto add_chain = [&](const Chain& chain) {
    if (chain_at_[chain.first] != kNone) return;
    chain_at_[chain.first] = static_cast<std::uint32_t>(chains_.size());
    chains_.push_back(chain);
  };
  for (const NamedUse& use : uses) {
    const std::uint32_t first = token_at(use.begin);
    if (first == kNone) continue;
    std::uint32_t last = first;
    while (last + 1 < tokens_.size() && tokens_[last].end < use.end) ++last;
    add_chain({.first = first,
               .last = last,
               .qualified = use.qualified,
               .function = use.function,
               .gives = use.gives});
  }
  std::vector<std::uint32_t> heads;
  for (const auto& [name, module] : bound_) {
    for (std::uint32_t i = words_.first(name); i != kNone; i = words_.next(i)) {
      const bool name_alone = tokens_[i].kind == Kind::kName && (i == 0 || tokens_[i - 1].kind != Kind::kDot);
      if (name_alone && chain_at_[i] == kNone) heads.push_back(i);
    }
  }
  std::sort(heads.begin(), heads.end());
  for (const std::uint32_t i : heads) {
    const std::string_view bound = bound_.find(text_of(i))->second;
    const std::string_view root = bound.substr(0, bound.find('.'));
    if (std::find(known.begin(), known.end(), root) != known.end()) continue;
    std::uint32_t last = i;
    std::string qualified(bound);
    while (last + 2 < tokens_.size() && tokens_[last + 1].kind == Kind::kDot &&
           tokens_[last + 2].kind == Kind::kName) {
      last += 2;
      qualified.append(".").append(text_of(last));
    }
    texts_.push_back(std::move(qualified));
    add_chain({.first = i, .last = last, .qualified = texts_.back(), .function = {}, .gives = {}});
  }
}

// --- primaries

std::uint32_t Syntax::primary_begin(std::uint32_t last) const {
  std::uint32_t at = last;
  for (;;) {
    const Token& token = tokens_[at];
    if (token.kind == Kind::kClose) {
      at = token.match;
      const bool trailer = at > 0 && !tokens_[at].field &&
                           (tokens_[at - 1].kind == Kind::kName || tokens_[at - 1].kind == Kind::kClose) &&
                           !is_compound(text_of(at - 1)) && !is(at - 1, "in") && !is(at - 1, "return");
      if (!trailer) return at;
      --at;
    } else if (token.kind == Kind::kName && at >= 2 && tokens_[at - 1].kind == Kind::kDot) {
      at -= 2;
    } else {
      return at;
    }
  }
}

std::uint32_t Syntax::string_end(std::uint32_t first) const {
  std::uint32_t at = first;
  while (at < tokens_.size()) {
    if (tokens_[at].kind == Kind::kString) {
      ++at;
    } else if (tokens_[at].kind == Kind::kOpen && tokens_[at].field && tokens_[at].match != kNone) {
      at = tokens_[at].match + 1;
    } else {
      break;
    }
  }
  return at;
}

void Syntax::primary_ends(std::uint32_t first, std::vector<std::uint32_t>& ends) const {
  std::uint32_t at = first;
  const auto size = static_cast<std::uint32_t>(tokens_.size());
  while (at < size && (tokens_[at].kind == Kind::kMark ? is_one_of(text_of(at), "-", "+", "~", "*", "**")
                                                       : is(at, "await")))
    ++at;
  if (at >= size) return;
  if (tokens_[at].kind == Kind::kString) {
    at = string_end(at);
  } else if (tokens_[at].kind == Kind::kOpen) {
    if (tokens_[at].match == kNone) return;
    at = tokens_[at].match + 1;
  } else if (tokens_[at].kind == Kind::kName || tokens_[at].kind == Kind::kNumber) {
    ++at;
  } else {
    return;
  }
  ends.push_back(std::min(at, size));
  while (at < size) {
    if (tokens_[at].kind == Kind::kDot && at + 1 < size && tokens_[at + 1].kind == Kind::kName) {
      at += 2;
    } else if (tokens_[at].kind == Kind::kOpen && !tokens_[at].field && !is(at, "{") &&
               tokens_[at].match != kNone) {
      at = tokens_[at].match + 1;
    } else {
      return;
    }
    ends.push_back(at);
  }
}

}  // namespace seamark::audit
