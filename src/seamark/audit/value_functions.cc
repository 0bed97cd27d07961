// What functions of the file take and give back, and what objects hold (declared in values.h).
#include <algorithm>
#include <map>
#include <vector>

#include "seamark/audit/syntax.h"
#include "seamark/audit/values.h"
#include "seamark/base/text.h"

namespace seamark::audit {

// torch.Tensor, Optional[torch.Tensor], torch.Tensor | None, "torch.Tensor"
bool Values::says_tensor(std::uint32_t first, std::uint32_t behind) const {
  bool tensor = false;
  for (std::uint32_t at = first; at < behind; ++at) {
    const std::string_view text =
        syntax_.tokens()[at].kind == Kind::kString ? inside_of(syntax_.text_of(at)) : syntax_.text_of(at);
    const Chain* chain = syntax_.chain_at(at);
    if (chain != nullptr && (glob_match("torch.*Tensor", chain->qualified) ||
                             is_one_of(chain->qualified, "jax.Array", "jax.numpy.ndarray"))) {
      tensor = true;
      at = chain->last;
    } else if (is_one_of(text, "torch.Tensor", "Tensor", "jax.Array")) {
      tensor = true;
    } else if (!is_one_of(text, "Optional", "[", "]", "|", "None", "typing", ".")) {
      return false;
    }
  }
  return tensor;
}

// _f, or a method that is no framework's hook.
bool Values::is_internal(std::uint32_t number) const {
  const Block& function = syntax_.blocks()[number];
  const bool method = syntax_.blocks()[function.parent].keyword == "class";
  const bool hook = is_one_of(function.name, "forward", "call", "step", "update", "apply", "predict") ||
                    function.name.find("_step") != std::string_view::npos;
  return is_private(function.name) || (method && !hook && !function.name.starts_with("__"));
}

Content Values::parameter(const BoundNames::Binding& binding) {
  const Block& function = syntax_.blocks()[binding.scope];
  const std::string_view name = syntax_.text_of(binding.token);
  const bool method = syntax_.blocks()[function.parent].keyword == "class";
  const std::vector<Range> all = parameters(binding.scope);
  // What nobody else can call is on the host where each call's argument is.
  bool host = is_internal(binding.scope);
  bool called = false;
  const TextIndex& words = syntax_.names();
  for (std::uint32_t at = words.first(function.name); at != kNone; at = words.next(at)) {
    if (at == 0 || syntax_.is(at - 1, "def")) continue;
    const bool attribute = syntax_.tokens()[at - 1].kind == Kind::kDot;
    const bool own =
        attribute == method &&
        (!method || (at > 1 && syntax_.is(at - 2, "self") && names_.class_of(at) == function.parent));
    const bool call = own && syntax_.is(at + 1, "(");
    const Range argued = call ? argument(at, all, name) : Range{};
    const Content given = expression(argued.first, argued.behind);
    if (is_tensor(given)) return Content::kTensor;
    host = host && given == Content::kHost;
    called = true;
  }
  if (host && called) return Content::kHost;
  if (!syntax_.is(binding.token + 1, ":")) return Content::kUnknown;
  std::uint32_t behind = binding.token + 2;
  const auto ends = [&](std::uint32_t token) {
    const Kind kind = syntax_.tokens()[token].kind;
    return kind == Kind::kClose || kind == Kind::kNewline || syntax_.is(token, ",") || syntax_.is(token, "=");
  };
  while (!ends(behind)) behind = names_.next(behind);
  return says_tensor(binding.token + 2, behind) ? Content::kTensor : Content::kUnknown;
}

std::vector<Values::Range> Values::parameters(std::uint32_t function) const {
  std::uint32_t open = syntax_.lines()[syntax_.blocks()[function].header_line].first;
  while (!syntax_.is(open, "(") && syntax_.tokens()[open].kind != Kind::kNewline) ++open;
  if (syntax_.tokens()[open].match == kNone) return {};
  std::vector<Range> out = names_.parts(open + 1, syntax_.tokens()[open].match);
  const bool bound =
      !out.empty() && (syntax_.is(out.front().first, "self") || syntax_.is(out.front().first, "cls"));
  if (bound) out.erase(out.begin());
  return out;
}

Values::Range Values::argument(std::uint32_t call, std::span<const Range> parameters,
                               std::string_view name) const {
  const std::uint32_t open = call + 1;
  const std::uint32_t close = syntax_.is(open, "(") ? syntax_.tokens()[open].match : kNone;
  if (close == kNone) return {};
  std::size_t position = 0;
  while (position < parameters.size() && !syntax_.is(parameters[position].first, name)) ++position;
  const std::vector<Range> arguments = names_.parts(open + 1, close);
  bool stars = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Range& one = arguments[i];
    const bool keyword = syntax_.is(one.first + 1, "=");
    stars = stars || is_one_of(syntax_.text_of(one.first), "*", "**");
    if (keyword && syntax_.is(one.first, name)) return {one.first + 2, one.behind};
    if (!keyword && !stars && i == position) return one;
  }
  return {};
}

bool Values::is_always_given(std::uint32_t function, std::string_view name) const {
  const Block& block = syntax_.blocks()[function];
  if (block.keyword != "def" || !is_private(block.name)) return false;
  const std::vector<Range> all = parameters(function);
  const auto has_default = [&](const Range& one) {
    std::uint32_t at = one.first;
    while (at < one.behind && !syntax_.is(at, "=")) ++at;
    return syntax_.is(one.first, name) && at < one.behind;
  };
  if (std::none_of(all.begin(), all.end(), has_default)) return false;
  bool any = false;
  const TextIndex& words = syntax_.names();
  for (std::uint32_t at = words.first(block.name); at != kNone; at = words.next(at)) {
    if (at > 0 && syntax_.is(at - 1, "def")) continue;
    const Range given = argument(at, all, name);
    // f(size): what is passed on under its own name may be None as well.
    if (given.first == given.behind || (given.behind == given.first + 1 && syntax_.is(given.first, name)))
      return false;
    any = true;
  }
  return any;
}

// return value if value is not None else default
bool Values::returns_parameter(std::uint32_t function) const {
  const Block& block = syntax_.blocks()[function];
  const Line& header = syntax_.lines()[block.header_line];
  for (std::uint32_t i = block.header_line; i <= block.last_line; ++i) {
    const Line& line = syntax_.lines()[i];
    const std::uint32_t first = line.opens != kNone ? line.colon + 1 : line.first;
    if (!syntax_.is(first, "return") || names_.scope_of(syntax_.block_of(first)) != function) continue;
    for (std::uint32_t at = header.first + 2; at < header.colon; ++at) {
      const bool plain = syntax_.tokens()[at].kind == Kind::kName &&
                         is_one_of(syntax_.text_of(at - 1), "(", ",") &&
                         is_one_of(syntax_.text_of(at + 1), ",", ")", "=");
      const bool given = syntax_.is(first + 1, syntax_.text_of(at)) &&
                         (first + 2 == line.last || syntax_.is(first + 2, "if"));
      if (plain && given) return true;
    }
  }
  return false;
}

Content Values::returned_by(std::uint32_t function) {
  const Block& block = syntax_.blocks()[function];
  const Line& header = syntax_.lines()[block.header_line];
  Content out = Content::kUnknown;
  bool all = true;
  for (std::uint32_t i = block.header_line; i <= block.last_line && all; ++i) {
    const Line& line = syntax_.lines()[i];
    const std::uint32_t first = line.opens != kNone ? line.colon + 1 : line.first;
    if (syntax_.is(first, "yield")) all = false;
    if (!syntax_.is(first, "return") || names_.scope_of(syntax_.block_of(first)) != function) continue;
    const Content one = expression(first + 1, line.last);
    all = one != Content::kUnknown || syntax_.is(first + 1, "None") || first + 1 == line.last;
    if (one != Content::kUnknown && out != Content::kTensor)
      out = out == Content::kUnknown || out == one ? one : Content::kTensor;
  }
  if (all && out == Content::kHost) return out;
  for (std::uint32_t at = header.first; at < header.colon; at = names_.next(at)) {
    if (syntax_.is(at, "->") && says_tensor(at + 1, header.colon)) return Content::kTensor;
  }
  return all ? out : Content::kUnknown;
}

// self.sigmas = self.sigmas.to("cpu"): on the host where each function of the class that assigns it leaves it
// there.
Content Values::attribute(std::uint32_t name) {
  const std::uint32_t own = names_.class_of(name);
  const auto [known, fresh] = attributes_.try_emplace({own, syntax_.text_of(name)}, Content::kUnknown);
  if (!fresh) return known->second;
  std::map<std::uint32_t, Content> last;  // by function
  bool known_host = false;
  const TextIndex& words = syntax_.names();
  for (std::uint32_t at = words.first(known->first.second); at != kNone; at = words.next(at)) {
    const Line& line = syntax_.lines()[syntax_.tokens()[at].line];
    if (line.first + 2 != at || !syntax_.is(line.first, "self") || !syntax_.is(at + 1, "=") ||
        names_.class_of(at) != own)
      continue;
    const Content one = expression(at + 2, line.last);
    const bool moved =
        syntax_.is(line.last - 1, ")") &&  // .cpu(), .to("cpu")
        inside_of(syntax_.text_of(line.last - (syntax_.is(line.last - 2, "(") ? 3 : 2))) == "cpu";
    Content& content =
        last.try_emplace(syntax_.function_of(syntax_.block_of(at)), Content::kHost).first->second;
    known_host = known_host || one == Content::kHost;
    if (moved) {
      content = one;
    } else if (one != Content::kHost && !syntax_.is(at + 2, "None")) {
      content = Content::kTensor;  // or unknown
    }
  }
  const bool host = known_host && std::all_of(last.begin(), last.end(),
                                              [](const auto& one) { return one.second == Content::kHost; });
  return known->second = host ? Content::kHost : Content::kUnknown;
}

}  // namespace seamark::audit
