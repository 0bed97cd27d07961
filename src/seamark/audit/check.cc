#include "seamark/audit/check.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "seamark/base/text.h"

namespace seamark::audit {
namespace {

constexpr std::size_t kMostOfOneRule = 10'000;  // in one file
constexpr std::size_t kLongestCode = 200;

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), text) != names.end();
}

// What a condition asks when it asks what is there: a device, a version, an attribute.
bool asks(std::string_view word) {
  const std::string lower = lower_ascii(word);
  return is_one_of(lower, {"hasattr", "is_built", "find_spec", "is_cuda"}) ||
         lower.find("available") != std::string::npos || lower.find("version") != std::string::npos ||
         lower.find("greater") != std::string::npos;
}

// A flag of the user's: it says what they want, not what there is.
bool is_flag(std::string_view word) {
  const std::string lower = lower_ascii(word);
  return lower.find("cuda") != std::string::npos || lower.find("gpu") != std::string::npos;
}

struct Range {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

class Checker {
 public:
  Checker(const Syntax& syntax, std::vector<Hit>& hits) : syntax_(syntax), hits_(hits) {}

  void apply(const Rule& rule, std::size_t number) {
    if (!rule.imports.empty() &&
        std::none_of(rule.imports.begin(), rule.imports.end(),
                     [&](const std::string& module) { return syntax_.imports_module(module); }))
      return;
    std::optional<std::vector<Range>> exceptions;
    std::size_t found = 0;
    for (const Pattern& pattern : rule.match) {
      pattern.find(syntax_, {}, [&](const Match& match) {
        if (!exceptions) exceptions = ranges(rule.unless);
        const bool excepted = std::any_of(exceptions->begin(), exceptions->end(), [&](const Range& range) {
          return range.first <= match.at && match.at <= range.last;
        });
        if (!excepted && holds(rule, match)) add(match, number);
        return ++found < kMostOfOneRule;
      });
    }
  }

 private:
  [[nodiscard]] const Block& block(std::uint32_t number) const { return syntax_.blocks()[number]; }
  [[nodiscard]] const Line& line(std::uint32_t number) const { return syntax_.lines()[number]; }

  [[nodiscard]] std::vector<Range> ranges(const std::vector<Pattern>& patterns) const {
    std::vector<Range> out;
    for (const Pattern& pattern : patterns) {
      pattern.find(syntax_, {}, [&](const Match& match) {
        out.push_back({match.first, match.last});
        return true;
      });
    }
    return out;
  }

  // The tokens of a function, or of the file.
  [[nodiscard]] Range scope_of(const Rule& rule, std::uint32_t token) const {
    const std::uint32_t function = rule.whole_file ? 0 : syntax_.function_of(syntax_.block_of(token));
    if (function == 0) return {0, static_cast<std::uint32_t>(syntax_.tokens().size() - 1)};
    return {line(block(function).header_line).first, line(block(function).last_line).last};
  }

  [[nodiscard]] bool any_in(const std::vector<Pattern>& patterns, Range range, const Match& match) const {
    bool any = false;
    for (const Pattern& pattern : patterns) {
      pattern.find(syntax_, match.bindings, [&](const Match& other) {
        const bool itself = other.first == match.first && other.last == match.last;
        any = any || (range.first <= other.at && other.at <= range.last && !itself);
        return !any;
      });
      if (any) return true;
    }
    return false;
  }

  [[nodiscard]] bool holds(const Rule& rule, const Match& match) const {
    const auto around = [&](const std::string& context) { return is_inside(context, match.at); };
    if (!rule.inside.empty() && std::none_of(rule.inside.begin(), rule.inside.end(), around)) return false;
    if (std::any_of(rule.outside.begin(), rule.outside.end(), around)) return false;
    const Range scope = scope_of(rule, match.at);
    if (!rule.earlier.empty() && !any_in(rule.earlier, {scope.first, match.first}, match)) return false;
    if (!rule.later.empty() && !any_in(rule.later, {match.last, scope.last}, match)) return false;
    if (!rule.also.empty() && !any_in(rule.also, scope, match)) return false;
    if (any_in(rule.missing, scope, match)) return false;
    return !rule.guards || !guarded(match, rule.effect);
  }

  // --- contexts

  [[nodiscard]] bool is_inside(std::string_view context, std::uint32_t token) const {
    std::uint32_t at = syntax_.block_of(token);
    if (context == "loop") {
      for (; at != 0 && block(at).keyword != "def" && block(at).keyword != "class"; at = block(at).parent) {
        if (block(at).keyword == "for" || block(at).keyword == "while") return true;
      }
      return false;
    }
    if (context.starts_with('@')) return is_handed_to(context.substr(1), at);
    const std::size_t space = context.find(' ');
    const std::string_view keyword = context.substr(0, space);
    const std::string_view name = context.substr(space + 1);
    if (keyword == "call") return is_in_call(name, token);
    for (; at != 0; at = block(at).parent) {
      if (block(at).keyword != keyword) continue;
      if (keyword == "def" && glob_match(name, block(at).name)) return true;
      if (keyword == "with" && names_in(line(block(at).header_line), name)) return true;
    }
    return false;
  }

  // Whether a chain of that meaning stands in the line.
  [[nodiscard]] bool names_in(const Line& where, std::string_view name) const {
    for (std::uint32_t token = where.first; token <= where.last; ++token) {
      const Chain* chain = syntax_.chain_at(token);
      if (chain != nullptr && (glob_match(name, chain->qualified) || glob_match(name, chain->function)))
        return true;
    }
    return false;
  }

  // A function around it is decorated with `name`, or `name(function` stands in the file.
  [[nodiscard]] bool is_handed_to(std::string_view name, std::uint32_t at) const {
    for (; at != 0; at = block(at).parent) {
      const Block& one = block(at);
      if (one.keyword != "def") continue;
      for (std::uint32_t i = one.first_decorator; i != kNone && i < one.header_line; ++i) {
        if (names_in(line(i), name)) return true;
      }
      for (const Chain& chain : syntax_.chains()) {
        if (!glob_match(name, chain.qualified) && !glob_match(name, chain.function)) continue;
        if (is_argument(one.name, chain.last + 1)) return true;
      }
    }
    return false;
  }

  // Whether the brackets of a call of that name are around a token.
  [[nodiscard]] bool is_in_call(std::string_view name, std::uint32_t token) const {
    for (std::uint32_t open = syntax_.bracket_around(token); open != kNone && open > 0;
         open = syntax_.bracket_around(open)) {
      const Chain* callee = syntax_.chain_at(syntax_.primary_begin(open - 1));
      if (callee != nullptr && (glob_match(name, callee->qualified) || glob_match(name, callee->function)))
        return true;
    }
    return false;
  }

  // Whether the name stands in the brackets of a call, and in no others within.
  [[nodiscard]] bool is_argument(std::string_view name, std::uint32_t open) const {
    const std::vector<Token>& tokens = syntax_.tokens();
    if (!syntax_.is(open, "(") || tokens[open].match == kNone) return false;
    for (std::uint32_t at = open + 1; at < tokens[open].match; ++at) {
      if (tokens[at].kind == Kind::kOpen && tokens[at].match != kNone) at = tokens[at].match;
      const bool attribute = tokens[at - 1].kind == Kind::kDot || syntax_.is(at + 1, ".");
      if (tokens[at].kind == Kind::kName && !attribute && syntax_.text_of(at) == name) return true;
    }
    return false;
  }

  // --- guards

  [[nodiscard]] bool condition_asks(std::uint32_t first, std::uint32_t last, bool flags = true) const {
    for (std::uint32_t token = first; token <= last; ++token) {
      const Kind kind = syntax_.tokens()[token].kind;
      const std::string_view text = syntax_.text_of(token);
      if (kind == Kind::kName && (asks(text) || (flags && is_flag(text)))) return true;
      if (kind == Kind::kString &&
          is_one_of(lower_ascii(inside_of(text)), {"cuda", "gpu", "mps", "xpu", "npu", "tpu", "xla"}))
        return true;
    }
    return false;
  }

  [[nodiscard]] bool catches(std::uint32_t try_block) const {
    for (std::uint32_t next = block(try_block).next; next != kNone; next = block(next).next) {
      if (block(next).keyword != "except") continue;
      const Line& header = line(block(next).header_line);
      if (syntax_.is(header.first + 1, ":")) return true;
      for (std::uint32_t token = header.first; token <= header.last; ++token) {
        if (is_one_of(syntax_.text_of(token),
                      {"ImportError", "ModuleNotFoundError", "AttributeError", "NotImplementedError",
                       "RuntimeError", "Exception", "BaseException", "AssertionError"}))
          return true;
      }
    }
    return false;
  }

  // Whether it catches what versions without a name raise: then what it does is for those.
  [[nodiscard]] bool serves_older(const Line& header) const {
    for (std::uint32_t token = header.first; token <= header.last; ++token) {
      if (is_one_of(syntax_.text_of(token), {"ImportError", "ModuleNotFoundError", "AttributeError"}))
        return true;
    }
    return false;
  }

  // A branch that is taken on some devices alone. Without another branch, what is left out there may be
  // missed in silence, but does not fail.
  [[nodiscard]] bool branches(std::uint32_t number, Effect effect) const {
    const Block& one = block(number);
    if (one.keyword == "else") {
      for (std::uint32_t before = one.before; before != kNone; before = block(before).before) {
        const std::string_view keyword = block(before).keyword;
        const Line& header = line(block(before).header_line);
        if ((keyword == "if" || keyword == "elif") && condition_asks(header.first, header.last)) return true;
      }
      return false;
    }
    if (one.keyword != "if" && one.keyword != "elif") return false;
    const Line& header = line(one.header_line);
    const std::uint32_t last =
        header.colon != kNone && header.colon < header.last ? header.colon : header.last;
    if (one.next != kNone) return condition_asks(header.first, last);
    return (effect == Effect::kFails || effect == Effect::kFades) &&
           condition_asks(header.first, last, false);
  }

  // `x.cuda() if cuda else x`, `cuda and x.cuda()`.
  [[nodiscard]] bool in_conditional(const Match& match) const {
    const std::vector<Token>& tokens = syntax_.tokens();
    const Line& where = line(tokens[match.at].line);
    for (std::uint32_t at = match.last + 1; at < where.last; ++at) {
      if (tokens[at].kind == Kind::kOpen && tokens[at].match != kNone) {
        at = tokens[at].match;
        continue;
      }
      if (tokens[at].kind == Kind::kClose) continue;
      if (syntax_.is(at, ",") || syntax_.is(at, "=")) break;
      if (!syntax_.is(at, "if")) continue;
      std::uint32_t end = at;
      while (end < where.last && !syntax_.is(end, "else")) ++end;
      return end < where.last && condition_asks(at, end);
    }
    for (std::uint32_t at = match.first; at > where.first; --at) {
      if (tokens[at].kind == Kind::kClose && tokens[at].match != kNone) at = tokens[at].match;
      if (syntax_.is(at, "and") || syntax_.is(at, "or")) return condition_asks(where.first, at);
      if (syntax_.is(at, "else")) {
        std::uint32_t begin = at;
        while (begin > where.first && !syntax_.is(begin, "if")) --begin;
        return condition_asks(begin, at);
      }
      if (syntax_.is(at, ",") || syntax_.is(at, "=")) break;
    }
    return false;
  }

  [[nodiscard]] bool guarded(const Match& match, Effect effect) const {
    if (in_conditional(match)) return true;
    for (std::uint32_t at = syntax_.block_of(match.at); at != 0; at = block(at).parent) {
      if (block(at).keyword == "try" && catches(at)) return true;
      const bool named = block(at).keyword == "def" || block(at).keyword == "class";
      if (named && is_flag(block(at).name)) return true;  // it serves CUDA, and says so
      if (block(at).keyword == "except" && serves_older(line(block(at).header_line))) return true;
      if (branches(at, effect)) return true;
    }
    return false;
  }

  void add(const Match& match, std::size_t rule) {
    const std::vector<Token>& tokens = syntax_.tokens();
    std::uint32_t begin = tokens[match.at].begin;
    if (syntax_.text()[begin] == '.' && match.at + 1 < tokens.size()) begin = tokens[match.at + 1].begin;
    const Syntax::Position from = syntax_.position_of(begin);
    const Syntax::Position to = syntax_.position_of(std::max(tokens[match.last].end, begin + 1));
    hits_.push_back({.rule = rule,
                     .line = from.line,
                     .column = from.column,
                     .end_line = to.line,
                     .end_column = to.column,
                     .code = std::string(utf8_prefix(syntax_.source_line(begin), kLongestCode)),
                     .ignored_because = {}});
  }

  const Syntax& syntax_;
  std::vector<Hit>& hits_;
};

// --- comments

struct Ignore {
  std::uint32_t line = 0;  // 0: the whole file
  std::vector<std::string> rules;
  std::string reason;
};

// "# seamark: ignore[DEV01, DEV02] reason", on the line or on one of its own above; "ignore-file":
// everywhere.
std::vector<Ignore> ignores_in(std::string_view text) {
  constexpr std::string_view kMark = "seamark: ignore";
  std::vector<Ignore> out;
  if (text.find(kMark) == std::string_view::npos) return out;
  std::uint32_t number = 0;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    const std::size_t mark = line.find(kMark);
    if (mark == std::string_view::npos) continue;
    const std::size_t hash = line.rfind('#', mark);
    if (hash == std::string_view::npos || !trim(line.substr(hash + 1, mark - hash - 1)).empty()) continue;
    std::string_view rest = line.substr(mark + kMark.size());
    Ignore one;
    const bool file = rest.starts_with("-file");
    if (file) rest.remove_prefix(5);
    const std::size_t close = rest.find(']');
    if (!rest.starts_with('[') || close == std::string_view::npos) continue;
    for (const std::string_view rule : split(rest.substr(1, close - 1), ','))
      one.rules.emplace_back(trim(rule));
    one.reason = one_line(trim(rest.substr(close + 1)));
    if (one.reason.empty()) one.reason = "ignored";
    const bool alone = trim(line.substr(0, hash)).empty();
    one.line = file ? 0 : alone ? number + 1 : number;
    out.push_back(std::move(one));
  }
  return out;
}

void apply_ignores(std::string_view text, std::span<const Rule> rules, std::vector<Hit>& hits) {
  if (hits.empty()) return;
  for (const Ignore& ignore : ignores_in(text)) {
    for (Hit& hit : hits) {
      if (ignore.line != 0 && (ignore.line < hit.line || ignore.line > hit.end_line)) continue;
      if (std::find(ignore.rules.begin(), ignore.rules.end(), rules[hit.rule].id) != ignore.rules.end())
        hit.ignored_because = ignore.reason;
    }
  }
}

void put_in_order(std::vector<Hit>& hits) {
  const auto key = [](const Hit& hit) { return std::tuple(hit.line, hit.column, hit.rule); };
  std::sort(hits.begin(), hits.end(), [&](const Hit& a, const Hit& b) { return key(a) < key(b); });
  hits.erase(
      std::unique(hits.begin(), hits.end(), [&](const Hit& a, const Hit& b) { return key(a) == key(b); }),
      hits.end());
}

}  // namespace

std::vector<Hit> check(const Syntax& syntax, std::span<const Rule> rules) {
  std::vector<Hit> hits;
  if (syntax.tokens().empty()) return hits;
  Checker checker(syntax, hits);
  for (std::size_t i = 0; i < rules.size(); ++i) checker.apply(rules[i], i);
  put_in_order(hits);
  apply_ignores(syntax.text(), rules, hits);
  return hits;
}

std::vector<Hit> check_lines(std::string_view name, std::string_view text, std::span<const Rule> rules) {
  std::vector<Hit> hits;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const std::vector<std::string>& files = rules[i].files;
    if (std::none_of(files.begin(), files.end(),
                     [&](const std::string& glob) { return glob_match(glob, name); }))
      continue;
    std::uint32_t number = 0;
    for (const std::string_view line : split_lines(text)) {
      ++number;
      std::string_view said = trim(line);
      if (said.starts_with('#') || said.starts_with("//")) continue;
      const std::vector<std::string>& globs = rules[i].lines;
      if (std::none_of(globs.begin(), globs.end(),
                       [&](const std::string& glob) { return glob_match(glob, said); }))
        continue;
      const auto column = static_cast<std::uint32_t>(said.data() - line.data() + 1);
      hits.push_back({.rule = i,
                      .line = number,
                      .column = column,
                      .end_line = number,
                      .end_column = column + static_cast<std::uint32_t>(said.size()),
                      .code = std::string(utf8_prefix(said, kLongestCode)),
                      .ignored_because = {}});
      if (hits.size() >= kMostOfOneRule) break;
    }
  }
  put_in_order(hits);
  apply_ignores(text, rules, hits);
  return hits;
}

}  // namespace seamark::audit
