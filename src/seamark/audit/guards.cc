#include "seamark/audit/guards.h"

#include <algorithm>
#include <optional>

#include "seamark/audit/branches.h"
#include "seamark/audit/guard_words.h"

namespace seamark::audit {
namespace {

constexpr int kDeepestNames = 3;                 // names that rest on names
constexpr int kMostCalls = 20;                   // callers of callers
constexpr std::uint32_t kLongestScope = 20'000;  // tokens that a name is looked for in
constexpr std::size_t kMostCallers = 50;         // of a function
constexpr std::string_view kLower = "abcdefghijklmnopqrstuvwxyz";

class Guards {
 public:
  Guards(const Syntax& syntax, const Rule& rule, GuardsKnown& known)
      : syntax_(syntax), rule_(rule), known_(known) {
    known_.called.resize(syntax.blocks().size());
  }

  [[nodiscard]] bool holds(const Match& match) const {
    if (in_conditional(match)) return true;
    for (std::uint32_t at = syntax_.block_of(match.at); at != 0; at = block(at).parent) {
      if (is_guard(at)) return true;
    }
    return behind_return(match.at);
  }

  // Of calls; what a block says is asked once, and only of blocks around one.
  [[nodiscard]] std::vector<bool> of_calls(std::span<const std::uint32_t> begins) const {
    const std::vector<Token>& tokens = syntax_.tokens();
    std::vector<std::uint32_t> calls;  // their tokens
    std::vector<bool> around(syntax_.blocks().size());
    for (const std::uint32_t begin : begins) {
      const auto found =
          std::lower_bound(tokens.begin(), tokens.end(), begin,
                           [](const Token& token, std::uint32_t at) { return token.begin < at; });
      calls.push_back(found == tokens.end() ? kNone : static_cast<std::uint32_t>(found - tokens.begin()));
      if (calls.back() == kNone) continue;
      for (std::uint32_t at = syntax_.block_of(calls.back()); at != 0 && !around[at]; at = block(at).parent)
        around[at] = true;
    }
    // Of each block whether it or one around it guards, and behind which line a return does.
    std::vector<bool> guarded(around.size());
    std::vector<std::uint32_t> returned(around.size(), kNone);
    for (std::uint32_t i = 1; i < around.size(); ++i) {
      const std::uint32_t parent = block(i).parent;
      guarded[i] = guarded[parent] || (around[i] && is_guard(i));
      if (parent != 0 && around[parent] && !guarded[parent] && returns_elsewhere(i))
        returned[parent] = std::min(returned[parent], block(i).last_line);
    }
    std::vector<bool> out;
    for (const std::uint32_t token : calls) {
      if (token == kNone) {
        out.push_back(false);
        continue;
      }
      const Chain* chain = syntax_.chain_at(token);
      bool guards = guarded[syntax_.block_of(token)];
      for (std::uint32_t at = syntax_.block_of(token); at != 0 && !guards; at = block(at).parent)
        guards = returned[at] < tokens[token].line;
      out.push_back(
          guards ||
          in_conditional(
              {.first = token, .last = chain == nullptr ? token : chain->last, .at = token, .bindings = {}}));
    }
    return out;
  }

 private:
  [[nodiscard]] bool is_guard(std::uint32_t number) const {
    const Block& one = block(number);
    if (one.keyword == "try" && catches(number)) return true;
    const bool named = one.keyword == "def" || one.keyword == "class";
    // It serves CUDA, or the CPU, and says so.
    if (named &&
        (is_flag(one.name) || is_of_cuda_library(one.name) || one.name.ends_with("_cpu") ||
         serves_another(one.name, rule_.targets) || skipped(one) || is_registered_for_cuda(syntax_, one)))
      return true;
    if (ends_in_raise(number)) return true;
    if (one.keyword == "except" && serves_older(line(one.header_line))) return true;
    return one.keyword == "def" ? is_called_there(number) : branches(number);
  }

  // A function that nobody else can call: the file does, and each time where CUDA was asked for.
  [[nodiscard]] bool is_called_there(std::uint32_t number) const {
    const Block& one = block(number);
    const bool method = block(one.parent).keyword == "class";
    if (one.parent != 0 && !method) return false;
    if (!is_private(one.name) && (method || one.name.starts_with("__") || !is_script())) return false;
    std::uint8_t& known = known_.called[number];
    if (known != 0 || calls_ >= kMostCalls) return known == 2;
    known = 1;  // while it is asked
    ++calls_;
    bool all = true;
    std::size_t uses = 0;
    const TextIndex& names = syntax_.names();
    for (std::uint32_t at = names.first(one.name); at != kNone && all; at = names.next(at)) {
      const std::uint32_t around = syntax_.block_of(at);
      if (at == 0 || syntax_.is(at - 1, "def") || syntax_.is_within(around, number)) continue;
      const bool attribute = syntax_.tokens()[at - 1].kind == Kind::kDot;
      if (!method && attribute) continue;
      all = (!method || (attribute && at > 1 && syntax_.is(at - 2, "self"))) && ++uses < kMostCallers &&
            (is_taken_there(at) || behind_return(at));
    }
    --calls_;
    if (all && uses > 0) known = 2;
    return known == 2;
  }

  // if __name__ == "__main__":
  [[nodiscard]] bool is_script() const {
    const std::vector<Block>& blocks = syntax_.blocks();
    if (!script_)
      script_ = std::any_of(blocks.begin() + 1, blocks.end(), [&](const Block& one) {
        return one.parent == 0 && one.keyword == "if" && has_one_of(line(one.header_line), "__name__");
      });
    return *script_;
  }

  [[nodiscard]] const Block& block(std::uint32_t number) const { return syntax_.blocks()[number]; }
  [[nodiscard]] const Line& line(std::uint32_t number) const { return syntax_.lines()[number]; }

  template <std::size_t... kSizes>
  [[nodiscard]] bool has_one_of(const Line& where, const char (&... words)[kSizes]) const {
    for (std::uint32_t token = where.first; token <= where.last; ++token) {
      if (is_one_of(syntax_.text_of(token), words...)) return true;
    }
    return false;
  }

  [[nodiscard]] bool condition_asks(std::uint32_t first, std::uint32_t last, bool flags = true) const {
    for (std::uint32_t token = first; token <= last; ++token) {
      const Kind kind = syntax_.tokens()[token].kind;
      const std::string_view text = syntax_.text_of(token);
      if (kind == Kind::kName && (asks(text) || (flags && is_flag(text)) || was_asked(token))) return true;
      // x.is_cuda: of a tensor. `is_cuda` alone is a flag.
      if (text == "is_cuda" && token > first && syntax_.tokens()[token - 1].kind == Kind::kDot) return true;
      if (text == "NCCL" && token > first && syntax_.tokens()[token - 1].kind == Kind::kDot) return true;
      if (kind == Kind::kString && is_device(inside_of(text))) return true;
      // >= (2, 9)
      if (is_one_of(text, "<", ">", "<=", ">=") && syntax_.is(token + 1, "(") && token + 3 < last &&
          syntax_.tokens()[token + 2].kind == Kind::kNumber && syntax_.is(token + 3, ","))
        return true;
    }
    return false;
  }

  // fast = torch.cuda.is_available(): a name that says whether a device is there, or that holds something
  // only where one is.
  [[nodiscard]] bool was_asked(std::uint32_t name) const {
    if (depth_ >= kDeepestNames || !is_name(name)) return false;
    ++depth_;
    const bool asked = value_asks(syntax_.values().assigned(name)) || is_filled_there(name);
    --depth_;
    return asked;
  }

  [[nodiscard]] bool value_asks(Values::Range value) const {
    bool version = false;
    bool compared = false;
    bool plain = true;  // names and operators alone
    for (std::uint32_t token = value.first; token < value.behind; ++token) {
      const std::string_view text = syntax_.text_of(token);
      if (text.find("available") != std::string_view::npos || text == "NCCL") return true;
      if (syntax_.is(token, "type") && syntax_.is(token + 1, "==") &&
          is_device(inside_of(syntax_.text_of(token + 2))))
        return true;
      version = version || text.find("version") != std::string_view::npos;
      compared = compared || is_one_of(text, "<", ">", "<=", ">=");
      plain = plain && syntax_.tokens()[token].kind != Kind::kOpen;
    }
    if (version && compared) return true;
    for (std::uint32_t token = value.first; token < value.behind && plain; ++token) {
      if (syntax_.tokens()[token].kind == Kind::kName && was_asked(token)) return true;
    }
    return false;
  }

  // [s for s in all if s.device.type == "cuda"]: a value that is empty, or none, elsewhere.
  [[nodiscard]] bool chooses_there(Values::Range value) const {
    for (std::uint32_t token = value.first; token < value.behind; ++token) {
      if (syntax_.is(token, "if")) return value_asks(value);
    }
    return false;
  }

  // A name that stands for itself.
  [[nodiscard]] bool is_name(std::uint32_t token) const {
    return syntax_.tokens()[token].kind == Kind::kName && syntax_.chain_at(token) == nullptr &&
           (token == 0 || syntax_.tokens()[token - 1].kind != Kind::kDot);
  }

  // streams = []; if torch.cuda.is_available(): streams.append(torch.cuda.Stream())
  [[nodiscard]] bool is_filled_there(std::uint32_t name) const {
    const std::vector<BoundNames::Binding> bindings = syntax_.values().bindings(name);
    if (bindings.empty()) return false;
    const auto [known, fresh] = known_.filled.try_emplace(bindings.front().token, false);
    if (!fresh) return known->second;
    const bool filled = is_filled_there(name, bindings);
    known_.filled[bindings.front().token] = filled;
    return filled;
  }

  [[nodiscard]] bool is_filled_there(std::uint32_t name,
                                     std::span<const BoundNames::Binding> bindings) const {
    bool filled = false;
    bool container = false;
    std::uint32_t scope = kNone;
    for (const BoundNames::Binding& one : bindings) {
      if (one.how != BoundNames::Binding::How::kAssigned) return false;
      scope = one.scope;
      if (is_empty(one)) {
        container = container || one.behind > one.first + 1;
        continue;
      }
      if (!is_taken_there(one.token) && !chooses_there({one.first, one.behind})) return false;
      filled = true;
    }
    if (!container) return filled;
    const std::uint32_t first = scope == 0 ? 0 : line(block(scope).header_line).first;
    const std::uint32_t last = scope == 0 ? static_cast<std::uint32_t>(syntax_.tokens().size() - 1)
                                          : line(block(scope).last_line).last;
    if (last - first > kLongestScope) return false;
    for (std::uint32_t at = first; at + 2 < last; ++at) {
      if (syntax_.tokens()[at].kind != Kind::kName || !syntax_.is(at, syntax_.text_of(name))) continue;
      const bool fills =
          is_one_of(syntax_.text_of(at + 2), "append", "add", "extend", "insert", "setdefault", "update");
      if (syntax_.tokens()[at + 1].kind != Kind::kDot || !fills) continue;
      if (!is_taken_there(at)) return false;
      filled = true;
    }
    return filled;
  }

  // None, False, [], {}, set(), dict(), list()
  [[nodiscard]] bool is_empty(const BoundNames::Binding& one) const {
    const std::uint32_t open = one.behind - 2;
    return (one.behind == one.first + 1 && is_one_of(syntax_.text_of(one.first), "None", "False")) ||
           (one.behind == one.first + 2 && syntax_.tokens()[open].match == open + 1) ||
           (one.behind == one.first + 3 && syntax_.tokens()[open].match == open + 1 &&
            is_one_of(syntax_.text_of(one.first), "set", "dict", "list"));
  }

  // In a branch that is taken only where a device is, or a loop over what is only there.
  [[nodiscard]] bool is_taken_there(std::uint32_t token) const {
    for (std::uint32_t at = syntax_.block_of(token); at != 0; at = block(at).parent) {
      const Block& one = block(at);
      if (one.keyword == "for" && loops_there(one)) return true;
      if (one.keyword == "def" && (skipped(one) || is_called_there(at))) return true;
      if (one.keyword != "if" && one.keyword != "elif") continue;
      const Line& header = line(one.header_line);
      if (!is_for_another(syntax_, header) && names_cuda(header)) return true;
    }
    return false;
  }

  [[nodiscard]] bool names_cuda(const Line& header) const {
    for (std::uint32_t token = header.first; token < header.last; ++token) {
      const Kind kind = syntax_.tokens()[token].kind;
      const std::string_view text = syntax_.text_of(token);
      if (kind == Kind::kName && (is_flag(text) || was_asked(token))) return true;
      if (kind == Kind::kString && is_one_of(inside_of(text), "cuda", "gpu", "GPU")) return true;
    }
    return false;
  }

  // torch.cuda.device_count(): no round elsewhere
  [[nodiscard]] bool counts_devices(std::uint32_t token) const {
    return token > 1 && syntax_.is(token, "device_count") && syntax_.is(token - 2, "cuda");
  }

  // for stream in streams:
  [[nodiscard]] bool loops_there(const Block& one) const {
    const Line& header = line(one.header_line);
    std::uint32_t in = header.first;
    while (in < header.colon && !syntax_.is(in, "in")) ++in;
    for (std::uint32_t at = in; at < header.colon; ++at) {
      if (counts_devices(at)) return true;
      if (is_name(at) && (is_filled_there(at) || chooses_there(syntax_.values().assigned(at)))) return true;
    }
    return false;
  }

  // Whether a condition holds for the framework that the rule is of: JAX_MODE, backend == "jax".
  [[nodiscard]] bool is_of_framework(std::uint32_t first, std::uint32_t last) const {
    for (std::uint32_t token = first; token <= last; ++token) {
      const Kind kind = syntax_.tokens()[token].kind;
      const bool word = is_name(token) && !syntax_.is(token - 1, "not");
      if (!word && !(kind == Kind::kString && syntax_.is(token - 1, "=="))) continue;
      const std::string text = lower_ascii(word ? syntax_.text_of(token) : inside_of(syntax_.text_of(token)));
      for (const std::string& framework : rule_.imports) {
        if (word ? text.find(framework) != std::string::npos : text == framework) return true;
      }
    }
    return false;
  }

  // JAX_MODE = False; def main(jax_mode=JAX_MODE): if jax_mode and fast:
  [[nodiscard]] bool is_switched_off(std::uint32_t first, std::uint32_t last) const {
    bool off = false;
    for (std::uint32_t at = first; at < last; ++at) {
      if (syntax_.tokens()[at].kind != Kind::kName || is_one_of(syntax_.text_of(at), "or", "not"))
        return false;
      off = off || (is_name(at) && is_false(at, true));
    }
    return off;
  }

  [[nodiscard]] bool is_false(std::uint32_t name, bool follow) const {
    const std::vector<BoundNames::Binding> bindings = syntax_.values().bindings(name);
    if (bindings.size() != 1) return false;
    const BoundNames::Binding& one = bindings.front();
    if (one.how == BoundNames::Binding::How::kParameter)
      return follow && syntax_.is(one.token + 1, "=") && is_name(one.token + 2) &&
             is_false(one.token + 2, false);
    const bool constant =
        one.scope == 0 && syntax_.text_of(name).find_first_of(kLower) == std::string_view::npos;
    return constant && one.behind == one.first + 1 && syntax_.is(one.first, "False");
  }

  // if x.device.type == "cpu":
  [[nodiscard]] bool on_host_alone(std::uint32_t first, std::uint32_t last) const {
    for (std::uint32_t token = first; token + 2 <= last; ++token) {
      if (syntax_.is(token, "type") && syntax_.is(token + 1, "==") &&
          inside_of(syntax_.text_of(token + 2)) == "cpu")
        return true;
    }
    return false;
  }

  [[nodiscard]] bool catches(std::uint32_t try_block) const {
    for (std::uint32_t next = block(try_block).next; next != kNone; next = block(next).next) {
      if (block(next).keyword != "except") continue;
      const Line& header = line(block(next).header_line);
      if (syntax_.is(header.first + 1, ":") ||
          has_one_of(header, "ImportError", "ModuleNotFoundError", "AttributeError", "NotImplementedError",
                     "RuntimeError", "Exception", "BaseException", "AssertionError", "OSError",
                     "FileNotFoundError"))
        return true;
    }
    return false;
  }

  // Whether it catches what versions without a name raise: then what it does is for those.
  [[nodiscard]] bool serves_older(const Line& header) const {
    return has_one_of(header, "ImportError", "ModuleNotFoundError", "AttributeError", "TypeError");
  }

  // A branch that is taken on some devices alone.
  [[nodiscard]] bool branches(std::uint32_t number) const {
    const Block& one = block(number);
    if (one.keyword == "else" || one.keyword == "elif") {
      for (std::uint32_t before = one.before; before != kNone; before = block(before).before) {
        const std::string_view keyword = block(before).keyword;
        const Line& header = line(block(before).header_line);
        if (keyword != "if" && keyword != "elif") continue;
        if (condition_asks(header.first, header.last) || is_of_framework(header.first + 1, header.last))
          return true;
      }
      if (one.keyword == "else") return false;
    }
    if (one.keyword == "for") return rule_.effect != Effect::kSilent && loops_there(one);
    if (one.keyword != "if" && one.keyword != "elif") return false;
    const Line& header = line(one.header_line);
    const std::uint32_t last =
        header.colon != kNone && header.colon < header.last ? header.colon : header.last;
    if (is_switched_off(header.first + 1, last)) return true;
    if (one.next != kNone) return condition_asks(header.first, last);
    return on_host_alone(header.first, last) ||
           (rule_.effect != Effect::kSilent && condition_asks(header.first, last, false));
  }

  // @pytest.mark.skipif(not torch.cuda.is_available())
  [[nodiscard]] bool skipped(const Block& one) const {
    for (std::uint32_t i = one.first_decorator; i != kNone && i < one.header_line; ++i) {
      bool skip = false;
      for (std::uint32_t token = line(i).first; token <= line(i).last; ++token) {
        const std::string_view text = syntax_.text_of(token);
        skip = skip || text.starts_with("skip") || text.starts_with("require");
      }
      if (skip && condition_asks(line(i).first, line(i).last)) return true;
    }
    return false;
  }

  // On the way to an error nothing is too slow, or too coarse.
  [[nodiscard]] bool ends_in_raise(std::uint32_t number) const {
    const Block& one = block(number);
    return (rule_.effect == Effect::kSlow || rule_.effect == Effect::kDrift) &&
           is_one_of(one.keyword, "if", "elif", "else", "except") && syntax_.ends_with(number, "raise");
  }

  // if not available: return
  [[nodiscard]] bool returns_elsewhere(std::uint32_t number) const {
    const Block& one = block(number);
    if (one.keyword != "if") return false;
    const Line& header = line(one.header_line);
    if (!condition_asks(header.first, header.last, false) && !is_of_framework(header.first + 1, header.last))
      return false;
    const bool in_one_line = one.last_line == one.header_line;
    if (!in_one_line && line(one.last_line).block != number) return false;
    const std::uint32_t last = in_one_line ? header.colon + 1 : line(one.last_line).first;
    return is_one_of(syntax_.text_of(last), "return", "continue") ||
           has_one_of(line(one.last_line), "skipTest", "skip", "SkipTest");
  }

  // Behind that, of any function around it.
  [[nodiscard]] bool behind_return(std::uint32_t token) const {
    const std::uint32_t here = syntax_.tokens()[token].line;
    for (std::uint32_t around = syntax_.block_of(token); around != 0; around = block(around).parent) {
      for (std::uint32_t i = around + 1; i < syntax_.blocks().size() && block(i).header_line < here; ++i) {
        if (block(i).parent == around && block(i).last_line < here && returns_elsewhere(i)) return true;
      }
    }
    return false;
  }

  // `x.cuda() if cuda else x`, `cuda and x.cuda()`.
  [[nodiscard]] bool in_conditional(const Match& match) const {
    const std::vector<Token>& tokens = syntax_.tokens();
    const Line& where = line(tokens[match.at].line);
    bool comprehension = false;
    bool inner = false;  // behind a conditional that asks nothing, in its brackets
    for (std::uint32_t at = match.last + 1; at < where.last; ++at) {
      if (tokens[at].kind == Kind::kOpen && tokens[at].match != kNone) {
        if (comprehension && counts_devices(tokens[at].match - 3)) return true;
        at = tokens[at].match;
        continue;
      }
      if (tokens[at].kind == Kind::kClose) {
        inner = false;
        continue;
      }
      if (syntax_.is(at, "=")) break;
      if (syntax_.is(at, ",")) {  // the conditional may be of all that is in these brackets
        const std::uint32_t open = syntax_.bracket_around(at);
        if (open == kNone || tokens[open].match == kNone) break;
        at = tokens[open].match;
        continue;
      }
      comprehension = comprehension || syntax_.is(at, "for");
      if (inner || !syntax_.is(at, "if")) continue;
      std::uint32_t end = at;
      while (end < where.last && !syntax_.is(end, "else")) ++end;
      if ((end < where.last || (comprehension && rule_.effect != Effect::kSilent)) && condition_asks(at, end))
        return true;
      inner = true;
      at = end;
    }
    for (std::uint32_t at = match.first; at > where.first; --at) {
      if (tokens[at].kind == Kind::kClose && tokens[at].match != kNone) {
        at = tokens[at].match;
        continue;
      }
      if (syntax_.is(at, "and") || syntax_.is(at, "or")) {
        std::uint32_t begin = at;
        while (begin > where.first && !syntax_.is(begin - 1, "=")) --begin;
        return condition_asks(begin, at);
      }
      if (syntax_.is(at, "else")) {
        std::uint32_t begin = at;
        while (begin > where.first && !syntax_.is(begin, "if")) --begin;
        return condition_asks(begin, at);
      }
      if (syntax_.is(at, ",") || syntax_.is(at, "=")) break;
    }
    return false;
  }

  const Syntax& syntax_;
  const Rule& rule_;
  GuardsKnown& known_;
  mutable int depth_ = 0;  // of was_asked()
  mutable int calls_ = 0;  // of is_called_there()
  mutable std::optional<bool> script_;
};

}  // namespace

bool is_guarded(const Syntax& syntax, const Match& match, const Rule& rule, GuardsKnown& known) {
  return Guards(syntax, rule, known).holds(match);
}

std::vector<bool> guarded_calls(const Syntax& syntax, std::span<const std::uint32_t> begins) {
  if (begins.empty()) return {};
  static const Rule kFailing;  // of no framework
  GuardsKnown known;
  return Guards(syntax, kFailing, known).of_calls(begins);
}

}  // namespace seamark::audit
