// A pattern from its text, and what it is looked for by.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "seamark/audit/pattern.h"
#include "seamark/base/text.h"
#include "seamark/usage/scan/chars.h"

namespace seamark::audit {
namespace {

bool in_name(char c) { return usage::is_a(c, usage::kInName); }

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

Result<Pattern> Pattern::parse(std::string_view text) {
  Pattern pattern;
  pattern.text_ = std::string(trim(text));
  std::string_view rest = pattern.text_;
  constexpr std::string_view kImport = "import ";
  if (rest.starts_with(kImport)) {
    pattern.import_ = true;
    Part module{.what = What::kQualified, .texts = {}};
    expand(trim(rest.substr(kImport.size())), {}, module.texts);
    for (std::size_t i = module.texts.size(); i-- > 0;) module.texts.push_back(module.texts[i] + ".*");
    pattern.parts_.push_back(std::move(module));
    return pattern;
  }
  constexpr std::string_view kBefore = " before ";
  if (const std::size_t at = rest.find(kBefore); at != std::string_view::npos) {
    Result<Pattern> other = parse(rest.substr(at + kBefore.size()));
    if (!other) return other.error();
    pattern.before_.push_back(std::move(*other));
    rest = rest.substr(0, at);
    if (rest.find('$') == std::string_view::npos)
      return bad(text, "`before` is of the first $NAME: give it one");
  }
  constexpr std::string_view kWhere = " where $";
  if (const std::size_t at = rest.find(kWhere); at != std::string_view::npos) {
    const std::string_view assignment = rest.substr(at + kWhere.size() - 1);
    Pattern statement;
    if (Status added = statement.add_parts(assignment); !added) return added.error();
    statement.join_commas();
    if (statement.parts_.size() < 3 || statement.parts_.front().what != What::kPrimary)
      return bad(text, "`where` tells how a $NAME was assigned: where $X = ...");
    pattern.where_ =
        Where{.name = statement.parts_.front().texts.front(), .parts = std::move(statement.parts_)};
    rest = rest.substr(0, at);
  }
  constexpr std::string_view kBelow = " below ";
  if (const std::size_t at = rest.find(kBelow); at != std::string_view::npos) {
    Pattern header;
    if (Status added = header.add_parts(rest.substr(at + kBelow.size())); !added) return added.error();
    header.join_commas();
    pattern.below_ = std::move(header.parts_);
    rest = rest.substr(0, at);
  }
  if (Status added = pattern.add_parts(rest); !added) return added.error();
  pattern.join_commas();
  if (Status chosen = pattern.choose_anchor(); !chosen) return chosen.error();
  return pattern;
}

Pattern::Stands Pattern::stands_for(std::string_view name) {
  if (name == "_") return Stands::kAnything;
  if (name == "tensor") return Stands::kTensor;
  if (name == "mask") return Stands::kMask;
  if (name == "host") return Stands::kHost;
  if (name == "stored") return Stands::kStored;
  if (name == "plain") return Stands::kPlain;
  return name.front() >= 'a' && name.front() <= 'z' ? Stands::kVariable : Stands::kSame;
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
      parts_.back().stands = stands_for(parts_.back().texts.front());
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
  // $_[...]
  if (!anchor && parts_.size() > 2 && parts_[0].what == What::kPrimary && parts_[1].what == What::kText &&
      parts_[1].texts.front() == "[")
    anchor = 1;
  if (!anchor)
    return bad(text_, "it begins with nothing that can be looked for: a name, an attribute, a string");
  anchor_ = *anchor;
  globs_ = std::any_of(parts_[anchor_].texts.begin(), parts_[anchor_].texts.end(),
                       [](const std::string& glob) { return has_glob(glob); });
  choose_needed();
  return {};
}

void Pattern::choose_needed() {
  const auto globs = [](const std::string& text) { return has_glob(text); };
  for (const Part& part : parts_) {
    std::vector<std::string> texts;
    if (part.what == What::kString) {
      for (const std::string& glob : part.texts) {
        std::string longest;
        for (const std::string_view piece : split(glob, '*')) {
          if (piece.size() > longest.size() && piece.find('?') == std::string_view::npos) longest = piece;
        }
        texts.push_back(std::move(longest));
      }
    } else if (part.what == What::kAttribute || part.what == What::kQualified || part.what == What::kText) {
      const char first = part.texts.front().front();
      const bool number = first >= '0' && first <= '9';
      const bool word =
          in_name(first) && !number && std::none_of(part.texts.begin(), part.texts.end(), globs);
      if (word) texts = part.texts;
    }
    if (texts.empty()) continue;
    std::vector<Word>& words = needed_.emplace_back(part.what, std::vector<Word>()).second;
    for (const std::string& text : texts) words.push_back({.text = text, .hash = TextIndex::hash(text)});
  }
  std::reverse(needed_.begin(), needed_.end());  // a pattern begins with what many files have
}

}  // namespace seamark::audit
