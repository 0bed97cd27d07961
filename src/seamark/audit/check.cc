#include "seamark/audit/check.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "seamark/audit/branches.h"
#include "seamark/audit/guards.h"
#include "seamark/base/text.h"

namespace seamark::audit {
namespace {

constexpr std::size_t kMostOfOneRule = 10'000;  // in one file
constexpr std::size_t kLongestCode = 200;

// Where data are made ready, in the host's memory: the context `host`.
constexpr std::string_view kHostContexts[] = {"def *preprocess*",  "def *collate*",
                                              "class *Dataset*",   "class *Collator*",
                                              "class *Tokenizer*", "class *BatchSampler*"};

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
    known_ = {};
    std::optional<std::vector<Range>> exceptions;
    std::size_t found = 0;
    std::unordered_set<std::uint32_t> begun;  // x.cpu().numpy() is one finding
    const auto look_for = [&](const Pattern& pattern, bool any_function) {
      const auto take = [&](const Match& match) {
        if (!exceptions) exceptions = ranges(rule.unless);
        const bool excepted = std::any_of(exceptions->begin(), exceptions->end(), [&](const Range& range) {
          return range.first <= match.at && match.at <= range.last;
        });
        if (!excepted && holds(rule, match, any_function) && begun.insert(match.first).second)
          add(match, number);
        return ++found < kMostOfOneRule;
      };
      pattern.find(syntax_, {}, std::ref(take));  // by value it would be allocated, for each pattern
    };
    for (const Pattern& pattern : rule.match) look_for(pattern, false);
    for (const Pattern& pattern : rule.functions) look_for(pattern, true);
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

  // The `lambda` behind an open bracket that a token is in; kNone: none.
  [[nodiscard]] std::uint32_t lambda_in(std::uint32_t open, std::uint32_t token) const {
    for (std::uint32_t before = token; before > open; --before) {
      if (syntax_.is(before, "lambda")) return before;
    }
    return kNone;
  }

  // The innermost loop of the same function; 0: none.
  [[nodiscard]] std::uint32_t loop_of(std::uint32_t at) const {
    for (; at != 0 && block(at).keyword != "def" && block(at).keyword != "class"; at = block(at).parent) {
      if (block(at).keyword == "for" || block(at).keyword == "while") return at;
    }
    return 0;
  }

  [[nodiscard]] Range range_of(const Block& of) const {
    return {line(of.header_line).first, line(of.last_line).last};
  }

  [[nodiscard]] Range scope_of(const Rule& rule, std::uint32_t token) const {
    const Range file{0, static_cast<std::uint32_t>(syntax_.tokens().size() - 1)};
    const std::uint32_t around = syntax_.block_of(token);
    if (rule.scope == Scope::kFile) return file;
    if (rule.scope == Scope::kClass) {
      std::uint32_t at = around;
      while (at != 0 && block(at).keyword != "class") at = block(at).parent;
      return at == 0 ? file : range_of(block(at));
    }
    const std::uint32_t opens = line(syntax_.tokens()[token].line).opens;
    if (rule.scope == Scope::kBranch && opens != kNone) return range_of(block(opens));
    if (rule.scope == Scope::kLoop) return range_of(block(loop_of(around)));
    const std::uint32_t open = syntax_.bracket_around(token);
    const std::uint32_t lambda = open == kNone ? kNone : lambda_in(open, token);
    if (lambda != kNone) return {lambda, syntax_.tokens()[open].match};
    const std::uint32_t function = syntax_.function_of(around);
    return function == 0 ? file : range_of(block(function));
  }

  // Whether one of these stands there, apart from the match and what begins with it and ends sooner.
  [[nodiscard]] bool any_in(const std::vector<Pattern>& patterns, Range range, const Match& match) const {
    bool any = false;
    for (const Pattern& pattern : patterns) {
      pattern.find(syntax_, match.bindings, [&](const Match& other) {
        const bool itself = other.first == match.first && other.last <= match.last;
        any = any || (range.first <= other.at && other.at <= range.last && !itself);
        return !any;
      });
      if (any) return true;
    }
    return false;
  }

  // From the last of these before the match to the match.
  [[nodiscard]] Range behind_last(const std::vector<Pattern>& patterns, Range scope,
                                  const Match& match) const {
    Range out{scope.first, match.first};
    for (const Pattern& pattern : patterns) {
      pattern.find(syntax_, match.bindings, [&](const Match& other) {
        if (other.first >= scope.first && other.last < match.first)
          out.first = std::max(out.first, other.last + 1);
        return other.first < match.first;
      });
    }
    return out;
  }

  [[nodiscard]] bool holds(const Rule& rule, const Match& match, bool any_function) const {
    const auto around = [&](const std::string& context) { return is_inside(context, match.at); };
    if (rule.scope == Scope::kLoop && !around("loop")) return false;
    if (any_function) {
      const std::uint32_t block = syntax_.block_of(match.at);
      if (syntax_.function_of(block) == 0 && loop_of(block) == 0) return false;
    } else if (!rule.inside.empty() && std::none_of(rule.inside.begin(), rule.inside.end(), around)) {
      return false;
    }
    if (std::any_of(rule.outside.begin(), rule.outside.end(), around)) return false;
    const Range scope = scope_of(rule, match.at);
    if (!rule.earlier.empty() && !any_in(rule.earlier, {scope.first, match.first}, match)) return false;
    if (!rule.between.empty() && !any_in(rule.between, behind_last(rule.earlier, scope, match), match))
      return false;
    if (!rule.later.empty() && !any_in(rule.later, {match.last, scope.last}, match)) return false;
    if (!rule.also.empty() && !any_in(rule.also, scope, match)) return false;
    if (any_in(rule.missing, scope, match)) return false;
    if (is_unused_default(match) || is_never_reached(match.at)) return false;
    if (rule.of_device && is_on_host(match)) return false;
    if (rule.scope == Scope::kBranch && others_are_refused(syntax_, match.at)) return false;
    return !rule.guards || !is_guarded(syntax_, match, rule, known_);
  }

  // def _f(x, device="cuda"): of which each call in the file gives the device.
  [[nodiscard]] bool is_unused_default(const Match& match) const {
    const Line& header = line(syntax_.tokens()[match.at].line);
    return header.opens != kNone && match.at <= header.colon &&
           syntax_.values().is_always_given(header.opens, "device");
  }

  // if size is None: of a function whose calls in the file all give it.
  [[nodiscard]] bool is_never_reached(std::uint32_t token) const {
    for (std::uint32_t at = syntax_.block_of(token); at != 0; at = block(at).parent) {
      const std::uint32_t first = line(block(at).header_line).first;
      if (syntax_.is(first, "if") && syntax_.is(first + 2, "is") && syntax_.is(first + 3, "None") &&
          syntax_.is(first + 4, ":") &&
          syntax_.values().is_always_given(syntax_.function_of(at), syntax_.text_of(first + 1)))
        return true;
    }
    return false;
  }

  [[nodiscard]] bool is_on_host(const Match& match) const {
    // What a module keeps moves with it.
    const std::uint32_t open = syntax_.bracket_around(match.first);
    if (open != kNone && open > 0 &&
        is_one_of(syntax_.text_of(open - 1), "Parameter", "Buffer", "register_buffer", "add_state"))
      return false;
    std::vector<std::uint32_t> ends;
    syntax_.primary_ends(match.first, ends);
    return !ends.empty() && syntax_.values().of(match.first, ends.back()) == Content::kHost;
  }

  // --- contexts

  [[nodiscard]] bool is_inside(std::string_view context, std::uint32_t token) const {
    std::uint32_t at = syntax_.block_of(token);
    if (context == "loop")  // what a `return` gives is read once
      return loop_of(at) != 0 && !syntax_.is(line(syntax_.tokens()[token].line).first, "return");
    if (context == "host")
      return std::any_of(std::begin(kHostContexts), std::end(kHostContexts),
                         [&](std::string_view one) { return is_inside(one, token); });
    if (context.starts_with('@'))
      return is_handed_to(context.substr(1), at) || is_in_call(context.substr(1), token, true);
    const std::size_t space = context.find(' ');
    const std::string_view keyword = context.substr(0, space);
    const std::string_view name = context.substr(space + 1);
    if (keyword == "call") return is_in_call(name, token, false);
    for (; at != 0; at = block(at).parent) {
      if (block(at).keyword != keyword) continue;
      if (keyword == "def" && (glob_match(name, block(at).name) || is_called_by(name, at))) return true;
      if (keyword == "class" && has_word(line(block(at).header_line), name)) return true;
      if (keyword == "with" && names_in(line(block(at).header_line), name)) return true;
      if (keyword == "if" && has_word(line(block(at).header_line), name)) return true;
    }
    return false;
  }

  // Whether it is a method that a method of that name of the same class calls.
  [[nodiscard]] bool is_called_by(std::string_view name, std::uint32_t method) const {
    const std::uint32_t own = block(method).parent;
    if (block(own).keyword != "class") return false;
    const TextIndex& words = syntax_.names();
    for (std::uint32_t at = words.first(block(method).name); at != kNone; at = words.next(at)) {
      if (at < 2 || !syntax_.is(at - 2, "self") || !syntax_.is(at + 1, "(")) continue;
      const std::uint32_t caller = syntax_.function_of(syntax_.block_of(at));
      if (block(caller).parent == own && glob_match(name, block(caller).name)) return true;
    }
    return false;
  }

  // Whether a chain of that meaning stands in the line.
  [[nodiscard]] bool names_in(const Line& where, std::string_view name) const {
    for (std::uint32_t token = where.first; token <= where.last; ++token) {
      const Chain* chain = syntax_.chain_at(token);
      if (chain != nullptr && chain->means(name)) return true;
    }
    return false;
  }

  [[nodiscard]] bool has_word(const Line& where, std::string_view word) const {
    for (std::uint32_t token = where.first; token < where.last; ++token) {
      if (syntax_.tokens()[token].kind != Kind::kString && glob_match(word, syntax_.text_of(token)))
        return true;
    }
    return false;
  }

  // Whether `word` stands in the tokens as a keyword argument; "word=value": with that value. Empty: no
  // matter.
  [[nodiscard]] bool has_keyword(Range range, std::string_view word) const {
    if (word.empty()) return true;
    const std::size_t equals = word.find('=');
    for (std::uint32_t token = range.first; token < range.last; ++token) {
      if (syntax_.is(token, word.substr(0, equals)) && syntax_.is(token + 1, "=") &&
          (equals == std::string_view::npos || syntax_.is(token + 2, word.substr(equals + 1))))
        return true;
    }
    return false;
  }

  // Whether the function, or the method, is an argument in these brackets. `partial` gives it constants.
  [[nodiscard]] bool is_argument(const Block& function, Range range) const {
    for (std::uint32_t token = range.first + 1; token < range.last; ++token) {
      if (syntax_.is(token, "partial")) return false;
      if (!syntax_.is(token, function.name) || syntax_.is(token + 1, "=") || syntax_.is(token + 1, "(") ||
          syntax_.is(token + 1, "."))
        continue;
      if (syntax_.tokens()[token - 1].kind != Kind::kDot) return true;
      if (syntax_.is(token - 2, "self") && block(function.parent).keyword == "class") return true;
    }
    return false;
  }

  // A function around it is decorated with `context`, or an argument of its call where it is visible.
  [[nodiscard]] bool is_handed_to(std::string_view context, std::uint32_t at) const {
    const auto [name, word] = name_and_keyword(context);
    std::vector<std::uint32_t> named;
    const std::string names[] = {std::string(name)};
    syntax_.add_meaning(names, has_glob(name), named);
    if (named.empty()) return false;
    for (; at != 0; at = block(at).parent) {
      const Block& one = block(at);
      if (one.keyword != "def") continue;
      for (std::uint32_t i = one.first_decorator; i != kNone && i < one.header_line; ++i) {
        if (names_in(line(i), name) && has_keyword({line(i).first, line(i).last}, word)) return true;
      }
      for (const std::uint32_t first : named) {
        const std::uint32_t open = syntax_.chain_at(first)->last + 1;
        if (!syntax_.is(open, "(") || syntax_.tokens()[open].match == kNone) continue;
        const Range brackets{open, syntax_.tokens()[open].match};
        if (is_argument(one, brackets) && has_keyword(brackets, word) &&
            syntax_.is_within(syntax_.block_of(first), one.parent))
          return true;
      }
    }
    return false;
  }

  // "name(word)" as its parts.
  static std::pair<std::string_view, std::string_view> name_and_keyword(std::string_view context) {
    const std::size_t bracket = context.find('(');
    if (bracket == std::string_view::npos) return {context, {}};
    return {context.substr(0, bracket), context.substr(bracket + 1, context.size() - bracket - 2)};
  }

  // Whether the brackets of a call of that name are around a token; `lambda`: and a lambda in them.
  [[nodiscard]] bool is_in_call(std::string_view context, std::uint32_t token, bool lambda) const {
    const auto [name, word] = name_and_keyword(context);
    for (std::uint32_t open = syntax_.bracket_around(token); open != kNone && open > 0;
         open = syntax_.bracket_around(open)) {
      const Chain* callee = syntax_.chain_at(syntax_.primary_begin(open - 1));
      if (callee == nullptr || callee->last + 1 != open || !callee->means(name)) continue;
      if ((!lambda || lambda_in(open, token) != kNone) &&
          has_keyword({open, syntax_.tokens()[open].match}, word))
        return true;
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
  mutable GuardsKnown known_;  // for the rule that is applied
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
  const auto may_be = [&](std::uint32_t hash) {
    return syntax.words().may_have(hash) || syntax.meanings().may_have(hash);
  };
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const std::vector<std::uint32_t>& needed = rules[i].needed;
    if (needed.empty() || std::any_of(needed.begin(), needed.end(), may_be)) checker.apply(rules[i], i);
  }
  put_in_order(hits);
  apply_ignores(syntax.text(), rules, hits);
  return hits;
}

std::vector<Hit> check_lines(std::string_view name, std::string_view text, std::span<const Rule> rules) {
  std::vector<Hit> hits;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const std::vector<std::string>& files = rules[i].files;
    if (!any_glob(files, name)) continue;
    std::uint32_t number = 0;
    for (const std::string_view line : split_lines(text)) {
      ++number;
      std::string_view said = trim(line);
      if (said.starts_with('#') || said.starts_with("//")) continue;
      if (!any_glob(rules[i].lines, said)) continue;
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
