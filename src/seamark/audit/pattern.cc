#include "seamark/audit/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "seamark/base/text.h"

namespace seamark::audit {
namespace {

constexpr std::size_t kMostSteps = 20'000;    // of one place where a match may begin
constexpr std::uint32_t kLongestGap = 5'000;  // tokens

bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool means_any(const Chain& chain, const std::vector<std::string>& globs) {
  return any_glob(globs, chain.qualified) || any_glob(globs, chain.function);
}

// "a.{b,c}.d" as "a.b.d", "a.c.d".
void expand(std::string_view text, const std::string& done, std::vector<std::string>& out) {
  const std::size_t open = text.find('{');
  const std::size_t close = text.find('}', open);
  if (open == std::string_view::npos || close == std::string_view::npos) {
    out.push_back(done + std::string(text));
    return;
  }
  for (const std::string_view one : split(text.substr(open + 1, close - open - 1), ','))
    expand(text.substr(close + 1), done + std::string(text.substr(0, open)) + std::string(trim(one)), out);
}

Error bad(std::string_view text, std::string_view why) {
  return Error(AuditError::kBadRule, fmt::format("the pattern '{}': {}", text, why));
}

}  // namespace

// One place in the text where a match is tried.
struct Pattern::Search {
  const Syntax& syntax;
  const std::vector<Part>& parts;
  Bindings bindings;
  std::size_t steps = 0;
  std::uint32_t end = 0;   // behind the match
  std::size_t anchor = 0;  // the part that stands at `place`, and nowhere else
  std::uint32_t place = 0;

  [[nodiscard]] const std::vector<Token>& tokens() const { return syntax.tokens(); }

  [[nodiscard]] std::string_view words(std::uint32_t first, std::uint32_t behind) const {
    return syntax.text().substr(tokens()[first].begin, tokens()[behind - 1].end - tokens()[first].begin);
  }

  bool match(std::size_t part, std::uint32_t at) {
    if (++steps > kMostSteps) return false;
    if (part == parts.size()) {
      end = at;
      return true;
    }
    if (at >= tokens().size() || (part == anchor && place != at)) return false;
    const Part& one = parts[part];
    const Token& token = tokens()[at];
    switch (one.what) {
      case What::kStatement:
        return syntax.lines()[token.line].first == at && match(part + 1, at);
      case What::kText: {
        // A comma may stand before a bracket that closes.
        if (syntax.is(at, ",") && tokens()[at + 1].kind == Kind::kClose &&
            syntax.is(at + 1, one.texts.front()))
          return match(part + 1, at + 2);
        const bool attribute = token.kind == Kind::kName && at > 0 && tokens()[at - 1].kind == Kind::kDot;
        return token.kind != Kind::kString && !attribute && syntax.text_of(at) == one.texts.front() &&
               match(part + 1, at + 1);
      }
      case What::kString:
        return token.kind == Kind::kString && any_glob(one.texts, inside_of(syntax.text_of(at))) &&
               match(part + 1, syntax.string_end(at));
      case What::kQualified: {
        const Chain* chain = syntax.chain_at(at);
        return chain != nullptr && means_any(*chain, one.texts) && match(part + 1, chain->last + 1);
      }
      case What::kAttribute:
        return token.kind == Kind::kDot && at + 1 < tokens().size() &&
               any_glob(one.texts, syntax.text_of(at + 1)) && match(part + 1, at + 2);
      case What::kPrimary:
        return match_primary(part, at);
      case What::kGap:
        return match_gap(part, at);
      case What::kGapComma:
        return match(part + 1, at) || match_gap(part, at, true);
      case What::kCommaGap:
        return match(part + 1, at) || (syntax.is(at, ",") && match_gap(part, at + 1));
    }
    return false;
  }

  bool match_primary(std::size_t part, std::uint32_t at) {
    std::vector<std::uint32_t> ends;
    syntax.primary_ends(at, ends);
    const std::string& name = parts[part].texts.front();
    const bool variable = name.front() >= 'a' && name.front() <= 'z';
    if (variable && (tokens()[at].kind != Kind::kName || syntax.is(at, "True") || syntax.is(at, "False") ||
                     syntax.is(at, "None")))
      return false;
    std::reverse(ends.begin(), ends.end());  // the longest first
    for (const std::uint32_t behind : ends) {
      const std::string_view text = words(at, behind);
      const auto known = std::find_if(bindings.begin(), bindings.end(),
                                      [&](const auto& binding) { return binding.first == name; });
      if (known != bindings.end()) {
        if (known->second == text && match(part + 1, behind)) return true;
        continue;
      }
      if (name == "_") {
        if (match(part + 1, behind)) return true;
        continue;
      }
      bindings.emplace_back(name, text);
      if (match(part + 1, behind)) return true;
      bindings.pop_back();
    }
    return false;
  }

  // Any tokens; with `comma` the last of them is one.
  bool match_gap(std::size_t part, std::uint32_t at, bool comma = false) {
    const std::uint32_t begin = at;
    while (at < tokens().size() && at - begin < kLongestGap) {
      const Token& token = tokens()[at];
      const bool here = !comma || (at > begin && syntax.is(at - 1, ","));
      if (here && match(part + 1, at)) return true;
      if (token.kind == Kind::kNewline || token.kind == Kind::kClose || steps > kMostSteps) return false;
      if (token.kind == Kind::kOpen && token.match == kNone) return false;
      at = token.kind == Kind::kOpen ? token.match + 1 : at + 1;
    }
    return false;
  }
};

Result<Pattern> Pattern::parse(std::string_view text) {
  Pattern pattern;
  pattern.text_ = std::string(trim(text));
  std::string_view rest = pattern.text_;
  constexpr std::string_view kImport = "import ";
  if (rest.starts_with(kImport)) {
    pattern.import_ = true;
    Part module{.what = What::kQualified, .texts = {}};
    expand(trim(rest.substr(kImport.size())), {}, module.texts);
    pattern.parts_.push_back(std::move(module));
    return pattern;
  }
  if (Status added = pattern.add_parts(rest); !added) return added.error();
  pattern.join_commas();
  if (Status chosen = pattern.choose_anchor(); !chosen) return chosen.error();
  return pattern;
}

Status Pattern::add_parts(std::string_view text) {
  const auto add = [&](What what, std::vector<std::string> texts = {}) {
    parts_.push_back({.what = what, .texts = std::move(texts)});
  };
  const auto take_dotted = [](std::string_view rest) {
    std::size_t end = 0;
    bool braces = false;
    for (; end < rest.size(); ++end) {
      const char c = rest[end];
      if (c == '{' && end > 0 && rest[end - 1] != '.') break;
      if (c == '}' && !braces) break;
      if (c == '{') braces = true;
      if (c == '}') braces = false;
      const bool glob = c == '*' && end > 0 && (rest[end - 1] == '.' || in_name(rest[end - 1]));
      const bool dot = c == '.' && end + 1 < rest.size() && rest.substr(end, 3) != "...";
      if (!in_name(c) && !dot && !glob && c != '{' && c != '}' && !(braces && (c == ',' || c == ' '))) break;
    }
    return rest.substr(0, end);
  };
  while (!(text = trim(text)).empty()) {
    const char c = text.front();
    if (text.starts_with("...")) {
      add(What::kGap);
      text.remove_prefix(3);
    } else if (c == '^') {
      add(What::kStatement);
      text.remove_prefix(1);
    } else if (c == '$') {
      std::size_t end = 1;
      while (end < text.size() && in_name(text[end])) ++end;
      if (end == 1) return bad(text_, "a $ without a name");
      add(What::kPrimary, {std::string(text.substr(1, end - 1))});
      text.remove_prefix(end);
    } else if (c == '"') {
      const std::size_t end = text.find('"', 1);
      if (end == std::string_view::npos) return bad(text_, "a string without its end");
      std::vector<std::string> globs;
      for (const std::string_view glob : split(text.substr(1, end - 1), '|')) globs.emplace_back(glob);
      add(What::kString, std::move(globs));
      text.remove_prefix(end + 1);
    } else if (c == '.' && text.size() > 1) {
      const std::string_view whole = take_dotted(text);
      const std::string_view dotted = whole.substr(std::min<std::size_t>(1, whole.size()));
      if (dotted.empty()) return bad(text_, "a dot without a name");
      // Each attribute by itself: .backends.{mps,cuda}
      std::size_t begin = 0;
      bool braces = false;
      for (std::size_t i = 0; i <= dotted.size(); ++i) {
        if (i < dotted.size() && dotted[i] == '{') braces = true;
        if (i < dotted.size() && dotted[i] == '}') braces = false;
        if (i < dotted.size() && (dotted[i] != '.' || braces)) continue;
        std::vector<std::string> names;
        expand(dotted.substr(begin, i - begin), {}, names);
        add(What::kAttribute, std::move(names));
        begin = i + 1;
      }
      text.remove_prefix(1 + dotted.size());
    } else if (in_name(c)) {
      const std::string_view dotted = take_dotted(text);
      if (dotted.find('.') != std::string_view::npos && !(c >= '0' && c <= '9')) {
        std::vector<std::string> names;
        expand(dotted, {}, names);
        add(What::kQualified, std::move(names));
        text.remove_prefix(dotted.size());
      } else {
        std::size_t size = dotted.size();
        const bool exponent = c >= '0' && c <= '9' && dotted.back() == 'e' && text.size() > size + 1;
        if (exponent && (text[size] == '-' || text[size] == '+'))
          size = std::min(text.find_first_not_of("0123456789", size + 1), text.size());
        add(What::kText, {std::string(text.substr(0, size))});
        text.remove_prefix(size);
      }
    } else {
      constexpr std::string_view kTwo[] = {"==", "!=", "<=", ">=", "//", "**", "->", "+=", "-=", "*=", ":="};
      std::size_t size = 1;
      for (const std::string_view two : kTwo) {
        if (text.starts_with(two)) size = 2;
      }
      add(What::kText, {std::string(text.substr(0, size))});
      text.remove_prefix(size);
    }
  }
  return {};
}

// `..., x` and `x, ...` hold where there is nothing beside x.
void Pattern::join_commas() {
  const auto is_comma = [&](std::size_t i) {
    return i < parts_.size() && parts_[i].what == What::kText && parts_[i].texts.front() == ",";
  };
  std::vector<Part> joined;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].what == What::kGap && is_comma(i + 1)) {
      joined.push_back({.what = What::kGapComma, .texts = {}});
      ++i;
    } else if (is_comma(i) && i + 1 < parts_.size() && parts_[i + 1].what == What::kGap && !is_comma(i + 2)) {
      joined.push_back({.what = What::kCommaGap, .texts = {}});
      ++i;
    } else if (is_comma(i) && i + 1 < parts_.size() && parts_[i + 1].what == What::kGap) {
      // x, ..., y: a comma, and what may stand before y.
      joined.push_back(std::move(parts_[i]));
      joined.push_back({.what = What::kGapComma, .texts = {}});
      i += 2;
    } else {
      joined.push_back(std::move(parts_[i]));
    }
  }
  parts_ = std::move(joined);
}

// Of `$F(..., name="value", ...)` what stands in its brackets: a string or a chain sooner than a name, and
// what is in fewer brackets first.
std::optional<std::size_t> Pattern::argument_anchor() {
  const auto is = [&](std::size_t i, std::string_view text) {
    return i < parts_.size() && parts_[i].what == What::kText && parts_[i].texts.front() == text;
  };
  if (parts_.empty() || parts_.front().what != What::kPrimary || !(is(1, "(") || is(1, "[")))
    return std::nullopt;
  std::optional<std::size_t> best;
  std::size_t best_rank = 0;
  std::size_t depth = 0;
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    if (is(i, "(") || is(i, "[") || is(i, "{")) {
      ++depth;
    } else if (is(i, ")") || is(i, "]") || is(i, "}")) {
      if (--depth == 0) break;
    } else if (parts_[i].what == What::kString || parts_[i].what == What::kQualified ||
               parts_[i].what == What::kText) {
      if (is(i, ",")) continue;
      const std::size_t rank = depth * 2 + (parts_[i].what == What::kText ? 1 : 0);
      if (best && best_rank <= rank) continue;
      best = i;
      best_rank = rank;
      anchor_depth_ = depth;
    }
  }
  return best;
}

Status Pattern::choose_anchor() {
  const auto fixed = [](const Part& part) {
    switch (part.what) {
      case What::kQualified:
      case What::kAttribute:
      case What::kString:
        return true;
      case What::kText:
        return std::string_view("()[]{},").find(part.texts.front()) == std::string_view::npos;
      default:
        return false;
    }
  };
  const bool statement = !parts_.empty() && parts_.front().what == What::kStatement;
  std::optional<std::size_t> anchor;
  for (std::size_t i = 0; i < parts_.size() && !anchor; ++i) {
    if (!fixed(parts_[i])) continue;
    const bool reached = statement || i == 0 || (i == 1 && parts_[0].what == What::kPrimary);
    if (!reached) break;
    // Of a statement the part that fewest lines have.
    if (statement && parts_[i].what == What::kText) {
      for (std::size_t k = i + 1; k < parts_.size() && !anchor; ++k) {
        if (fixed(parts_[k]) && parts_[k].what != What::kText) anchor = k;
      }
    }
    if (!anchor) anchor = i;
  }
  if (!anchor) anchor = argument_anchor();
  if (!anchor)
    return bad(text_, "it begins with nothing that can be looked for: a name, an attribute, a string");
  anchor_ = *anchor;
  if (parts_[anchor_].what != What::kString) return {};
  for (const std::string& glob : parts_[anchor_].texts) {
    std::string longest;
    for (const std::string_view piece : split(glob, '*')) {
      if (piece.size() > longest.size() && piece.find('?') == std::string_view::npos) longest = piece;
    }
    needles_.push_back(longest);
  }
  if (std::find(needles_.begin(), needles_.end(), "") != needles_.end()) needles_.clear();
  return {};
}

void Pattern::find(const Syntax& syntax, const Bindings& known,
                   const std::function<bool(Match)>& take) const {
  if (import_) {
    for (const Import& one : syntax.imports()) {
      const bool found = std::any_of(
          parts_.front().texts.begin(), parts_.front().texts.end(), [&](const std::string& module) {
            return glob_match(module, one.name) || glob_match(module + ".*", one.name);
          });
      if (found && !take({.first = one.token, .last = one.token, .at = one.token, .bindings = known})) return;
    }
    return;
  }
  const Part& anchor = parts_[anchor_];
  if (!needles_.empty() && std::none_of(needles_.begin(), needles_.end(), [&](const std::string& needle) {
        return memmem(syntax.text().data(), syntax.text().size(), needle.data(), needle.size()) != nullptr;
      }))
    return;
  const bool statement = parts_.front().what == What::kStatement;
  const auto try_at = [&](std::uint32_t at) {
    std::uint32_t first = at;
    if (statement) {
      first = syntax.lines()[syntax.tokens()[at].line].first;
    } else if (parts_.front().what == What::kPrimary && anchor_ > 1) {
      std::uint32_t open = at;
      for (std::size_t i = 0; i < anchor_depth_ && open != kNone; ++i) open = syntax.bracket_around(open);
      if (open == kNone || open == 0) return true;
      const Kind callee = syntax.tokens()[open - 1].kind;
      if (callee != Kind::kName && callee != Kind::kClose) return true;
      first = syntax.primary_begin(open - 1);
    } else if (anchor_ == 1) {
      if (at == 0) return true;
      const Kind before = syntax.tokens()[at - 1].kind;
      if (before == Kind::kNewline || before == Kind::kOpen || before == Kind::kDot) return true;
      first = syntax.primary_begin(at - 1);
    }
    Search search{.syntax = syntax, .parts = parts_, .bindings = known, .anchor = anchor_, .place = at};
    if (!search.match(0, first)) return true;
    Match found{.first = first, .last = search.end - 1, .at = at, .bindings = std::move(search.bindings)};
    return take(std::move(found));
  };
  std::vector<std::uint32_t> places;
  const bool globs = std::any_of(anchor.texts.begin(), anchor.texts.end(),
                                 [](const std::string& text) { return has_glob(text); });
  const std::vector<Token>& tokens = syntax.tokens();
  if (anchor.what == What::kString) {
    for (const std::uint32_t at : syntax.strings()) {
      if (any_glob(anchor.texts, inside_of(syntax.text_of(at)))) places.push_back(at);
    }
  } else if (anchor.what == What::kQualified && globs) {
    for (const Chain& chain : syntax.chains()) {
      if (means_any(chain, anchor.texts)) places.push_back(chain.first);
    }
  } else if (anchor.what == What::kQualified) {
    for (const std::string& text : anchor.texts) {
      for (std::uint32_t i = syntax.meanings().first(text); i != kNone; i = syntax.meanings().next(i))
        places.push_back(syntax.chains()[i / 2].first);
    }
  } else if (globs && anchor.what == What::kAttribute) {
    for (std::uint32_t at = 1; at < tokens.size(); ++at) {
      if (tokens[at - 1].kind == Kind::kDot && any_glob(anchor.texts, syntax.text_of(at)))
        places.push_back(at - 1);
    }
  } else {
    for (const std::string& text : anchor.texts) {
      for (std::uint32_t at = syntax.words().first(text); at != kNone; at = syntax.words().next(at)) {
        const bool attribute = at > 0 && tokens[at - 1].kind == Kind::kDot;
        if (anchor.what != What::kAttribute) {
          places.push_back(at);
        } else if (attribute) {
          places.push_back(at - 1);
        }
      }
    }
  }
  std::sort(places.begin(), places.end());
  for (const std::uint32_t at : places) {
    if (!try_at(at)) return;
  }
}

}  // namespace seamark::audit
