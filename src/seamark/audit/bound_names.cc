#include "seamark/audit/bound_names.h"

#include <algorithm>
#include <iterator>

#include "seamark/audit/syntax.h"

namespace seamark::audit {

bool is_arithmetic(std::string_view text) {
  return is_one_of(text, "+", "-", "*", "/", "//", "%", "@", "**", "|", "&", "^", "<<", ">>");
}

namespace {

bool is_augmented(std::string_view text) {
  return text.size() > 1 && text.back() == '=' && is_arithmetic(text.substr(0, text.size() - 1));
}

}  // namespace

std::uint32_t BoundNames::next(std::uint32_t token) const {
  const Token& one = syntax_.tokens()[token];
  return one.kind == Kind::kOpen && one.match != kNone ? one.match + 1 : token + 1;
}

std::vector<BoundNames::Range> BoundNames::parts(std::uint32_t first, std::uint32_t behind) const {
  std::vector<Range> out;
  std::uint32_t begin = first;
  for (std::uint32_t at = first; at < behind; at = next(at)) {
    if (!syntax_.is(at, ",")) continue;
    out.push_back({begin, at});
    begin = at + 1;
  }
  if (begin < behind) out.push_back({begin, behind});
  return out;
}

std::uint32_t BoundNames::scope_of(std::uint32_t block) const {
  while (block != 0 && syntax_.blocks()[block].keyword != "def" && syntax_.blocks()[block].keyword != "class")
    block = syntax_.blocks()[block].parent;
  return block;
}

std::uint32_t BoundNames::class_of(std::uint32_t token) const {
  std::uint32_t block = syntax_.block_of(token);
  while (block != 0 && syntax_.blocks()[block].keyword != "class") block = syntax_.blocks()[block].parent;
  return block;
}

bool BoundNames::is_local_to_expression(std::uint32_t token) const {
  const std::string_view text = syntax_.text_of(token);
  const Line& line = syntax_.lines()[syntax_.tokens()[token].line];
  for (std::uint32_t at = token; at-- > line.first;) {
    if (!syntax_.is(at, "lambda")) continue;
    for (std::uint32_t i = at + 1; i < token && !syntax_.is(i, ":"); ++i) {
      if (syntax_.is(i, text)) return true;
    }
  }
  for (std::uint32_t open = syntax_.bracket_around(token); open != kNone;
       open = syntax_.bracket_around(open)) {
    bool targets = false;
    const std::uint32_t close = std::min(syntax_.tokens()[open].match, line.last);  // it may not be closed
    for (std::uint32_t at = open + 1; at < close; at = targets ? at + 1 : next(at)) {
      if (syntax_.is(at, "for")) targets = true;
      if (syntax_.is(at, "in")) targets = false;
      if (targets && syntax_.is(at, text)) return true;
    }
    if (open == 0) break;
  }
  return false;
}

void BoundNames::bind_in_header(Binding& binding, std::uint32_t block) const {
  const std::string_view keyword = syntax_.blocks()[block].keyword;
  const Line& line = syntax_.lines()[syntax_.blocks()[block].header_line];
  const std::uint32_t token = binding.token;
  const auto before = [&](std::string_view text) { return syntax_.is(token - 1, text); };
  binding.visible = line.colon;
  binding.token = kNone;
  if (token == line.first) return;
  if (before("def") || before("class") || before("as") || syntax_.is(token + 1, ":=")) {
    binding.token = token;
  } else if (keyword == "def" && (before("(") || before(",") || before("*") || before("**"))) {
    const std::uint32_t open = syntax_.bracket_around(token);
    if (open == kNone || syntax_.bracket_around(open) != kNone || !syntax_.is(open, "(")) return;
    binding.token = token;
    binding.how = Binding::How::kParameter;
    binding.scope = block;
  } else if (keyword == "for") {
    std::uint32_t in = line.first;
    while (in < line.colon && !syntax_.is(in, "in")) ++in;
    if (token > in) return;
    binding.token = token;
    const std::uint32_t open = in + 2;
    if (before("for") && token + 1 == in) {
      binding.how = Binding::How::kElement;
      binding.first = in + 1;
      binding.behind = line.colon;
    } else if (syntax_.is(in + 1, "enumerate") && syntax_.is(open, "(") && before(",") && token + 1 == in &&
               syntax_.tokens()[open].match != kNone) {
      binding.how = Binding::How::kElement;
      binding.first = open + 1;
      binding.behind = syntax_.tokens()[open].match;
    }
  }
}

void BoundNames::bind_in_statement(Binding& binding, std::uint32_t first, std::uint32_t last) const {
  const std::uint32_t token = binding.token;
  const std::uint32_t behind = token + 1;
  const std::string_view after = syntax_.text_of(behind);
  binding.visible = last;
  binding.token = kNone;
  const bool begins = token == first || is_one_of(syntax_.text_of(token - 1), "=", ",", "(", "*");
  const bool ends =
      is_one_of(after, "=", ",", ")") || (token == first && (after == ":" || is_augmented(after)));
  if (after == ":=" || is_one_of(syntax_.text_of(first), "import", "from", "del", "global", "nonlocal")) {
    binding.token = token;
    return;
  }
  if (!begins || !ends) return;
  std::uint32_t equals = kNone;  // the last, or of `+=`
  for (std::uint32_t at = first; at < last; at = next(at)) {
    const Kind kind = syntax_.tokens()[at].kind;
    if (kind == Kind::kMark && (syntax_.is(at, "=") || is_augmented(syntax_.text_of(at)))) equals = at;
  }
  if (equals == kNone || token > equals) return;
  const std::uint32_t open = syntax_.bracket_around(token);
  if (open != kNone && open != first) return;
  binding.token = token;
  binding.first = equals + 1;
  binding.behind = last;
  if (behind == equals && is_augmented(syntax_.text_of(equals))) {
    binding.how = Binding::How::kAugmented;
  } else if (!syntax_.is(token - 1, ",") && (syntax_.is(behind, "=") || syntax_.is(behind, ":"))) {
    binding.how = Binding::How::kAssigned;
  } else {
    // a, b = x, y; or a, b = x
    const std::vector<Range> targets = parts(first, equals);
    const std::vector<Range> values = parts(equals + 1, last);
    if (values.size() == 1) binding.how = Binding::How::kUnpacked;
    for (std::size_t i = 0; i < targets.size() && targets.size() == values.size(); ++i) {
      if (targets[i].first != token) continue;
      binding.how = Binding::How::kAssigned;
      binding.first = values[i].first;
      binding.behind = values[i].behind;
    }
  }
}

// x.a, x[0], x(): of most names that stand there no more has to be asked.
bool BoundNames::is_used_at(std::uint32_t token) const {
  const Kind behind = syntax_.tokens()[token + 1].kind;
  return (behind == Kind::kDot || behind == Kind::kOpen) &&
         (token == 0 || !is_one_of(syntax_.text_of(token - 1), "def", "class", "import", "from"));
}

BoundNames::Binding BoundNames::binding_at(std::uint32_t token) const {
  Binding binding;
  binding.token = token;
  const Line& line = syntax_.lines()[syntax_.tokens()[token].line];
  binding.scope = scope_of(syntax_.block_of(token));
  if (token > 0 && syntax_.tokens()[token - 1].kind == Kind::kDot) {
    binding.token = kNone;
  } else if (line.opens != kNone && token < line.colon) {
    bind_in_header(binding, line.opens);
  } else {
    bind_in_statement(binding, line.opens != kNone ? line.colon + 1 : line.first, line.last);
  }
  return binding;
}

const std::vector<BoundNames::Binding>& BoundNames::bindings(std::string_view name) {
  const TextIndex& words = syntax_.names();
  const std::uint32_t first = words.first(name);
  const auto [found, fresh] = bindings_.try_emplace(first);
  if (!fresh) return found->second;
  std::vector<Binding>& out = found->second;
  for (std::uint32_t at = first; at != kNone; at = words.next(at)) {
    if (is_used_at(at)) continue;
    const Binding one = binding_at(at);
    // `x = None` leaves x as it is (usage/scan/rules.md).
    const bool constant = one.how == Binding::How::kAssigned && one.behind == one.first + 1 &&
                          is_one_of(syntax_.text_of(one.first), "None", "True", "False");
    const auto is_here = [&](const Binding& before) { return before.scope == one.scope; };
    if (one.token == kNone || (constant && std::any_of(out.begin(), out.end(), is_here))) continue;
    out.push_back(one);
  }
  return out;
}

// Whether they stand in two branches of which one alone is taken.
bool BoundNames::exclude(std::uint32_t earlier, std::uint32_t later) const {
  const std::vector<Block>& blocks = syntax_.blocks();
  const Line& line = syntax_.lines()[syntax_.tokens()[later].line];
  for (std::uint32_t one = line.opens != kNone ? line.opens : line.block; one != 0;
       one = blocks[one].parent) {
    if (blocks[one].keyword != "else" && blocks[one].keyword != "elif") continue;
    for (std::uint32_t other = blocks[one].before; other != kNone; other = blocks[other].before) {
      if (blocks[other].keyword != "if" && blocks[other].keyword != "elif") continue;
      for (std::uint32_t at = syntax_.block_of(earlier); at != 0; at = blocks[at].parent) {
        if (at == other) return true;
      }
    }
  }
  return false;
}

const BoundNames::Binding* BoundNames::last_before(std::string_view name, std::uint32_t scope,
                                                   std::uint32_t before) {
  const Binding* last = nullptr;
  for (const Binding& one : bindings(name)) {
    if (one.scope == scope && one.visible <= before && (before == kNone || !exclude(one.token, before)))
      last = &one;
  }
  return last;
}

std::vector<BoundNames::Binding> BoundNames::all(std::string_view name, std::uint32_t from) {
  std::vector<Binding> out;
  const Binding* one = find(name, from);
  if (one == nullptr) return out;
  const std::uint32_t scope = one->scope;
  const std::vector<Binding>& every = bindings(name);
  std::copy_if(every.begin(), every.end(), std::back_inserter(out),
               [&](const Binding& other) { return other.scope == scope; });
  return out;
}

const BoundNames::Binding* BoundNames::find(std::string_view name, std::uint32_t from) {
  const std::uint32_t own = scope_of(syntax_.block_of(from));
  for (std::uint32_t scope = own;; scope = scope_of(syntax_.blocks()[scope].parent)) {
    const bool is_class = scope != own && syntax_.blocks()[scope].keyword == "class";
    const bool local = !is_class && last_before(name, scope, kNone) != nullptr;
    if (local) return last_before(name, scope, scope == own ? from : kNone);
    if (scope == 0) return nullptr;
  }
}

}  // namespace seamark::audit
