#include "seamark/audit/pattern.h"

#include <algorithm>

#include "seamark/base/text.h"

namespace seamark::audit {
namespace {

constexpr std::size_t kMostSteps = 20'000;    // of one place where a match may begin
constexpr std::uint32_t kLongestGap = 5'000;  // tokens
constexpr std::size_t kMostUses = 100;        // of a name that was assigned, and assignments of a file

bool means_any(const Chain& chain, const std::vector<std::string>& globs) {
  return any_glob(globs, chain.qualified) || any_glob(globs, chain.function);
}

}  // namespace

// One place in the text where a match is tried.
struct Pattern::Search {
  const Syntax& syntax;
  const std::vector<Part>& parts;
  Bindings bindings;
  std::vector<std::uint32_t> ends;  // of the primaries that are tried: a stack
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
        if (part == 0) return syntax.lines()[token.line].first == at && match(1, at);
        return token.kind == Kind::kNewline && match(part + 1, part + 1 < parts.size() ? at + 1 : at);
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
    const std::size_t before = ends.size();
    if (part == 0 && anchor == 1) {
      ends.push_back(place);  // it begins where the primary before the anchor does
    } else {
      syntax.primary_ends(at, ends);
    }
    const bool value = parts[part].stands >= Stands::kTensor;
    const bool found = value ? match_value(part, at, before) : match_text(part, at, before);
    ends.resize(before);
    return found;
  }

  // The longest of `ends` from `shortest` on that the rest goes on with.
  bool match_text(std::size_t part, std::uint32_t at, std::size_t shortest) {
    const std::string& name = parts[part].texts.front();
    const Stands stands = parts[part].stands;
    if (stands == Stands::kVariable &&
        (tokens()[at].kind != Kind::kName ||
         (tokens()[at].keyword && is_one_of(syntax.text_of(at), "True", "False", "None", "lambda"))))
      return false;
    for (; ends.size() > shortest; ends.pop_back()) {
      const std::uint32_t behind = ends.back();
      if (stands == Stands::kAnything) {
        if (match(part + 1, behind)) return true;
        continue;
      }
      const std::string_view text = words(at, behind);
      const auto known = std::find_if(bindings.begin(), bindings.end(),
                                      [&](const auto& binding) { return binding.first == name; });
      if (known != bindings.end()) {
        if (known->second == text && match(part + 1, behind)) return true;
        continue;
      }
      bindings.emplace_back(name, text);
      if (match(part + 1, behind)) return true;
      bindings.pop_back();
    }
    return false;
  }

  // An expression that is a tensor, of `ends` one where an attribute follows. What is behind it is looked at
  // first: that costs less.
  bool match_value(std::size_t part, std::uint32_t at, std::size_t shortest) {
    const bool of_attribute = part + 1 < parts.size() && parts[part + 1].what == What::kAttribute;
    const bool before_anchor = part == 0 && anchor == 1;
    if (!of_attribute && !before_anchor && ends.size() > shortest) {
      ends.resize(shortest);
      ends.push_back(expression_end(at));
    }
    const Stands stands = parts[part].stands;
    const std::size_t bound = bindings.size();
    for (; ends.size() > shortest; ends.pop_back()) {
      if (match(part + 1, ends.back()) && is_value(stands, at, ends.back())) return true;
      bindings.resize(bound);
    }
    return false;
  }

  [[nodiscard]] bool is_value(Stands stands, std::uint32_t first, std::uint32_t behind) const {
    Values& values = syntax.values();
    if (stands == Stands::kStored) return values.is_stored_on_host(first, behind);
    if (stands == Stands::kPlain) return values.is_plain(first, behind);
    const Content value = values.of(first, behind);
    if (stands == Stands::kHost) return value == Content::kHost;
    return value == Content::kMask || (stands == Stands::kTensor && value == Content::kTensor);
  }

  // Behind the expression that begins there.
  [[nodiscard]] std::uint32_t expression_end(std::uint32_t at) const {
    for (; at < tokens().size(); ++at) {
      switch (tokens()[at].kind) {
        case Kind::kNewline:
        case Kind::kClose:
          return at;
        case Kind::kName:
          if (is_one_of(syntax.text_of(at), "if", "else", "for")) return at;
          break;
        case Kind::kMark:
          if (is_one_of(syntax.text_of(at), ",", ":", "=", "+=", "-=", "*=", ":=")) return at;
          break;
        case Kind::kOpen:
          if (tokens()[at].match != kNone) at = tokens()[at].match;
          break;
        default:
          break;
      }
    }
    return at;
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

void Pattern::add_words(WordFilter& words) const {
  if (import_) return;
  const Part& anchor = parts_[anchor_];
  if (anchor.what == What::kText || anchor.what == What::kAttribute) {
    for (const std::string& text : anchor.texts) words.add(text);
  }
  for (const auto& [what, needed] : needed_) {
    if (what != What::kText && what != What::kAttribute) continue;
    for (const Word& word : needed) words.add(word.text);
  }
  for (const Pattern& other : before_) other.add_words(words);
}

bool Pattern::add_needed(std::vector<std::uint32_t>& hashes) const {
  const auto rank = [](What what) { return what == What::kQualified ? 3 : what == What::kAttribute ? 2 : 1; };
  const std::vector<Word>* rarest = nullptr;
  int best = 0;
  for (const auto& [what, words] : needed_) {
    if (what == What::kString || rank(what) <= best) continue;
    best = rank(what);
    rarest = &words;
  }
  if (rarest == nullptr && !before_.empty()) return before_.front().add_needed(hashes);
  if (rarest == nullptr) {
    const auto chain = std::find_if(below_.begin(), below_.end(),
                                    [](const Part& part) { return part.what == What::kQualified; });
    if (chain == below_.end()) return false;
    for (const std::string& text : chain->texts) hashes.push_back(TextIndex::hash(text));
    return true;
  }
  for (const Word& word : *rarest) hashes.push_back(word.hash);
  return true;
}

bool Pattern::may_be_in(const Syntax& syntax) const {
  return std::all_of(needed_.begin(), needed_.end(), [&](const auto& needed) {
    const auto& [what, texts] = needed;
    return std::any_of(texts.begin(), texts.end(), [&, what = what](const Word& word) {
      if (what == What::kString) return syntax.strings_may_have(word.text);
      const TextIndex& index = what == What::kQualified ? syntax.meanings() : syntax.words();
      return index.first(word.text, word.hash) != kNone;
    });
  });
}

// Whether the name of `where` was assigned so, as it holds at a token. What else it names is bound with it.
bool Pattern::is_assigned_so(const Syntax& syntax, std::uint32_t token, Bindings& bindings) const {
  const auto named = std::find_if(bindings.begin(), bindings.end(),
                                  [&](const auto& binding) { return binding.first == where_->name; });
  if (named == bindings.end()) return false;
  const std::uint32_t first = syntax.values().assignment_of(named->second, token);
  if (first == kNone) return false;
  Search search{.syntax = syntax,
                .parts = where_->parts,
                .bindings = bindings,
                .ends = {},
                .anchor = where_->parts.size()};
  if (!search.match(0, first)) return false;
  bindings = std::move(search.bindings);
  return true;
}

// Whether a branch around it, in the same function, has such a header and is the only one.
bool Pattern::is_below(const Syntax& syntax, std::uint32_t token, Bindings& bindings) const {
  for (std::uint32_t at = syntax.block_of(token); at != 0; at = syntax.blocks()[at].parent) {
    const Block& block = syntax.blocks()[at];
    if (block.keyword == "def" || block.keyword == "class") return false;
    if (block.next != kNone) continue;
    Search search{
        .syntax = syntax, .parts = below_, .bindings = bindings, .ends = {}, .anchor = below_.size()};
    if (!search.match(0, syntax.lines()[block.header_line].first)) continue;
    bindings = std::move(search.bindings);
    return true;
  }
  return false;
}

// Whether the other pattern matches where the first name of this one is what is assigned here.
bool Pattern::is_used_behind(const Syntax& syntax, const Match& match) const {
  if (match.bindings.empty()) return false;
  const std::string_view name = match.bindings.front().second;
  bool used = false;
  std::size_t tried = 0;
  before_.front().find(syntax, match.bindings, [&](const Match& other) {
    if (other.first <= match.last) return true;
    used = syntax.values().assignment_of(name, other.first) == match.first;
    return !used && ++tried < kMostUses;
  });
  return used;
}

void Pattern::find(const Syntax& syntax, const Bindings& known,
                   const std::function<bool(Match)>& take) const {
  if (import_) {
    for (const Import& one : syntax.imports()) {
      if (any_glob(parts_.front().texts, one.name) &&
          !take({.first = one.token, .last = one.token, .at = one.token, .bindings = known}))
        return;
    }
    return;
  }
  const Part& anchor = parts_[anchor_];
  if (!may_be_in(syntax)) return;
  const bool statement = parts_.front().what == What::kStatement;
  Search search{.syntax = syntax, .parts = parts_, .bindings = {}, .ends = {}, .anchor = anchor_};
  std::size_t assigned = 0;
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
      if (before == Kind::kNewline || before == Kind::kOpen || before == Kind::kDot || before == Kind::kMark)
        return true;
      first = syntax.primary_begin(at - 1);
    }
    search.bindings = known;
    search.steps = 0;
    search.place = at;
    if (!search.match(0, first)) return true;
    if (!below_.empty() && !is_below(syntax, first, search.bindings)) return true;
    if (where_ && !is_assigned_so(syntax, first, search.bindings)) return true;
    Match found{.first = first, .last = search.end - 1, .at = at, .bindings = std::move(search.bindings)};
    if (!before_.empty() && (++assigned > kMostUses || !is_used_behind(syntax, found))) return true;
    return take(std::move(found));
  };
  std::vector<std::uint32_t> places;
  const std::vector<Token>& tokens = syntax.tokens();
  if (anchor.what == What::kString) {
    for (const std::uint32_t at : syntax.strings()) {
      if (any_glob(anchor.texts, inside_of(syntax.text_of(at)))) places.push_back(at);
    }
  } else if (anchor.what == What::kQualified) {
    syntax.add_meaning(anchor.texts, globs_, places);
  } else if (globs_ && anchor.what == What::kAttribute) {
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
  places.erase(std::unique(places.begin(), places.end()), places.end());
  for (const std::uint32_t at : places) {
    if (!try_at(at)) return;
  }
}

}  // namespace seamark::audit
