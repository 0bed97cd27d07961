#include "seamark/audit/guards.h"

#include <algorithm>
#include <initializer_list>

#include "seamark/base/text.h"

namespace seamark::audit {
namespace {

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), text) != names.end();
}

// What a condition asks when it asks what is there: a device, a version, an attribute.
bool asks(std::string_view word) {
  const std::string lower = lower_ascii(word);
  if (is_one_of(lower, {"xla", "tpu", "mps", "xpu", "npu", "hpu", "is_xla", "is_tpu", "use_xla", "use_tpu"}))
    return true;
  const std::string_view bare =
      std::string_view(lower).substr(std::min(lower.find_first_not_of('_'), lower.size()));
  return is_one_of(bare, {"hasattr", "is_built", "find_spec", "type_checking"}) || bare.starts_with("has_") ||
         lower.find("available") != std::string::npos || lower.find("version") != std::string::npos ||
         lower.find("greater") != std::string::npos;
}

// A flag of the user's: it says what they want, not what there is.
bool is_flag(std::string_view word) {
  const std::string lower = lower_ascii(word);
  return lower.find("cuda") != std::string::npos || lower.find("gpu") != std::string::npos ||
         lower == "device_ids";
}

// "cuda:0", "TPU"
bool is_device(std::string_view text) {
  return is_one_of(lower_ascii(text.substr(0, text.find(':'))),
                   {"cuda", "gpu", "mps", "xpu", "npu", "hpu", "tpu", "xla", "nccl"});
}

class Guards {
 public:
  explicit Guards(const Syntax& syntax) : syntax_(syntax) {}

  [[nodiscard]] bool holds(const Match& match, Effect effect) const {
    if (in_conditional(match)) return true;
    for (std::uint32_t at = syntax_.block_of(match.at); at != 0; at = block(at).parent) {
      const Block& one = block(at);
      if (one.keyword == "try" && catches(at)) return true;
      const bool named = one.keyword == "def" || one.keyword == "class";
      if (named && (is_flag(one.name) || skipped(one))) return true;  // it serves CUDA, and says so
      if (one.keyword == "except" && serves_older(line(one.header_line))) return true;
      if (branches(at, effect)) return true;
    }
    return behind_return(match.at);
  }

 private:
  [[nodiscard]] const Block& block(std::uint32_t number) const { return syntax_.blocks()[number]; }
  [[nodiscard]] const Line& line(std::uint32_t number) const { return syntax_.lines()[number]; }

  [[nodiscard]] bool has_one_of(const Line& where, std::initializer_list<std::string_view> words) const {
    for (std::uint32_t token = where.first; token <= where.last; ++token) {
      if (is_one_of(syntax_.text_of(token), words)) return true;
    }
    return false;
  }

  [[nodiscard]] bool condition_asks(std::uint32_t first, std::uint32_t last, bool flags = true) const {
    for (std::uint32_t token = first; token <= last; ++token) {
      const Kind kind = syntax_.tokens()[token].kind;
      const std::string_view text = syntax_.text_of(token);
      if (kind == Kind::kName && (asks(text) || (flags && is_flag(text)))) return true;
      // x.is_cuda: of a tensor. `is_cuda` alone is a flag.
      if (text == "is_cuda" && token > first && syntax_.tokens()[token - 1].kind == Kind::kDot) return true;
      if (kind == Kind::kString && is_device(inside_of(text))) return true;
      // >= (2, 9)
      if (is_one_of(text, {"<", ">", "<=", ">="}) && syntax_.is(token + 1, "(") && token + 3 < last &&
          syntax_.tokens()[token + 2].kind == Kind::kNumber && syntax_.is(token + 3, ","))
        return true;
    }
    return false;
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
          has_one_of(header, {"ImportError", "ModuleNotFoundError", "AttributeError", "NotImplementedError",
                              "RuntimeError", "Exception", "BaseException", "AssertionError", "OSError",
                              "FileNotFoundError"}))
        return true;
    }
    return false;
  }

  // Whether it catches what versions without a name raise: then what it does is for those.
  [[nodiscard]] bool serves_older(const Line& header) const {
    return has_one_of(header, {"ImportError", "ModuleNotFoundError", "AttributeError", "TypeError"});
  }

  // A branch that is taken on some devices alone.
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
    return on_host_alone(header.first, last) ||
           (effect != Effect::kSilent && condition_asks(header.first, last, false));
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

  // Behind `if not available: return`, of any function around it.
  [[nodiscard]] bool behind_return(std::uint32_t token) const {
    const std::uint32_t here = syntax_.tokens()[token].line;
    for (std::uint32_t around = syntax_.block_of(token); around != 0; around = block(around).parent) {
      for (std::uint32_t i = around + 1; i < syntax_.blocks().size() && block(i).header_line < here; ++i) {
        const Block& one = block(i);
        if (one.parent != around || one.keyword != "if" || one.last_line >= here) continue;
        const Line& header = line(one.header_line);
        if (!condition_asks(header.first, header.last, false)) continue;
        const bool in_one_line = one.last_line == one.header_line;
        if (!in_one_line && line(one.last_line).block != i) continue;
        const std::uint32_t last = in_one_line ? header.colon + 1 : line(one.last_line).first;
        if (is_one_of(syntax_.text_of(last), {"return", "continue"}) ||
            has_one_of(line(one.last_line), {"skipTest", "skip", "SkipTest"}))
          return true;
      }
    }
    return false;
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
      if (syntax_.is(at, "=")) break;
      if (syntax_.is(at, ",")) {  // the conditional may be of all that is in these brackets
        const std::uint32_t open = syntax_.bracket_around(at);
        if (open == kNone || tokens[open].match == kNone) break;
        at = tokens[open].match;
        continue;
      }
      if (!syntax_.is(at, "if")) continue;
      std::uint32_t end = at;
      while (end < where.last && !syntax_.is(end, "else")) ++end;
      return end < where.last && condition_asks(at, end);
    }
    for (std::uint32_t at = match.first; at > where.first; --at) {
      if (tokens[at].kind == Kind::kClose && tokens[at].match != kNone) {
        at = tokens[at].match;
        continue;
      }
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

  const Syntax& syntax_;
};

}  // namespace

bool is_guarded(const Syntax& syntax, const Match& match, Effect effect) {
  return Guards(syntax).holds(match, effect);
}

}  // namespace seamark::audit
