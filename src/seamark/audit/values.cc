#include "seamark/audit/values.h"

#include <algorithm>
#include <utility>

#include "seamark/audit/syntax.h"
#include "seamark/base/text.h"

namespace seamark::audit {
namespace {

constexpr int kDeepest = 40;      // expressions in expressions
constexpr int kMostFinds = 1000;  // bindings and functions that one answer looks at

bool is_comparison(std::string_view text) { return is_one_of(text, "<", ">", "<=", ">=", "==", "!="); }

// Words with a space on both sides.
bool is_word_of(std::string_view words, std::string_view word) {
  for (std::size_t at = word.empty() ? std::string_view::npos : words.find(word);
       at != std::string_view::npos; at = words.find(word, at + 1)) {
    if (words[at - 1] == ' ' && words[at + word.size()] == ' ') return true;
  }
  return false;
}

// Functions of PyTorch that make a tensor from nothing, on the host unless they are told.
constexpr std::string_view kMakers =
    " zeros ones empty full rand randn randint randperm arange linspace logspace eye tensor as_tensor "
    "asarray from_numpy frombuffer tril_indices triu_indices ";

// Functions and methods that give truth values.
constexpr std::string_view kAskingElements =
    " eq ne lt le gt ge isnan isinf isfinite isneginf isposinf isclose isin equal not_equal less "
    "less_equal greater isreal bool logical_and logical_or logical_not logical_xor greater_equal ";

// Methods that give elements as they are.
constexpr std::string_view kKeepingElements =
    " view reshape expand repeat unsqueeze squeeze transpose permute flatten clone contiguous detach "
    "cuda expand_as view_as swapaxes movedim flip roll copy ravel t unflatten broadcast_to "
    "repeat_interleave ";

// Methods whose result is no tensor, or several; so are those that begin with get_ and is_.
constexpr std::string_view kGivingNoTensor =
    " item tolist size dim numel stride nelement ndimension element_size data_ptr storage "
    "untyped_storage storage_offset type numpy sort topk split chunk unbind mode unique kthvalue "
    "cummax cummin aminmax frexp svd qr slogdet eig lu tensor_split nonzero backward register_hook "
    "requires_grad_ tobytes devices __len__ nbytes unique_consecutive dsplit hsplit vsplit ";

// Methods that only tensors have.
constexpr std::string_view kOnlyOfTensors =
    " unsqueeze softmax log_softmax masked_fill masked_fill_ expand_as view_as type_as index_select "
    "scatter_ scatter_add_ amax amin sigmoid clamp_min clamp_max clamp_ isnan isinf isfinite "
    "logsumexp addmm bmm float long new_zeros new_ones new_full new_empty ";

}  // namespace

// --- expressions

Content Values::of(std::uint32_t first, std::uint32_t behind) {
  bool logical = false;
  Content out = Content::kUnknown;
  std::uint32_t begin = first;
  for (std::uint32_t at = first; at <= behind; at = at < behind ? names_.next(at) : at + 1) {
    const bool ends = at >= behind;
    if (!ends &&
        (syntax_.tokens()[at].kind != Kind::kName || !is_one_of(syntax_.text_of(at), "and", "or", "not")))
      continue;
    if (!ends && syntax_.is(at + 1, "in")) continue;  // not in
    logical = logical || !ends;
    if (begin < std::min(at, behind)) {
      const Content one = expression(begin, std::min(at, behind));
      if (!logical) {
        out = one;
      } else if (is_tensor(one)) {
        out = Content::kTensor;
      }
    }
    begin = at + 1;
  }
  return out;
}

Content Values::expression(std::uint32_t first, std::uint32_t behind) {
  if (first >= behind || depth_ > kDeepest) return Content::kUnknown;
  ++depth_;
  std::uint32_t condition = kNone;  // the `if` of a conditional
  std::uint32_t other = kNone;
  bool compared = false;
  bool computed = false;
  bool bits = true;
  bool unknown = false;
  for (std::uint32_t at = first; at < behind && !unknown; at = names_.next(at)) {
    const Kind kind = syntax_.tokens()[at].kind;
    if (kind != Kind::kName && kind != Kind::kMark) continue;
    const std::string_view text = syntax_.text_of(at);
    if (kind == Kind::kName) {
      if (at > first && syntax_.tokens()[at - 1].kind == Kind::kDot) continue;
      if (text == "if" && condition == kNone) condition = at;
      if (text == "else" && other == kNone) other = at;
      unknown = is_one_of(text, "lambda", "for", "yield", "await", "and", "or", "not", "in", "is");
      if (condition != kNone && other == kNone) unknown = text == "lambda" || text == "for";
    } else if (condition != kNone && other == kNone) {
      continue;
    } else if (is_comparison(text)) {
      compared = true;
    } else if (is_arithmetic(text) && at > first) {
      const Kind before = syntax_.tokens()[at - 1].kind;
      if (before == Kind::kMark) continue;  // a sign
      computed = true;
      bits = bits && is_one_of(text, "|", "&", "^");
    } else if (is_one_of(text, ",", ":", "=", ":=")) {
      unknown = true;
    }
  }
  Content out = Content::kUnknown;
  if (unknown) {
  } else if (condition != kNone && other != kNone) {
    out = expression(first, condition);
    if (!is_tensor(out)) out = expression(other + 1, behind);
  } else if (compared || computed) {
    bool all_masks = true;  // or unknown
    std::uint32_t begin = first;
    for (std::uint32_t at = first; at <= behind; at = at < behind ? names_.next(at) : at + 1) {
      const bool sign = at < behind && (at == begin || syntax_.tokens()[at - 1].kind == Kind::kMark);
      const std::string_view text = at < behind ? syntax_.text_of(at) : std::string_view();
      if (at < behind && (sign || !(compared ? is_comparison(text) : is_arithmetic(text)))) continue;
      if (compared && syntax_.tokens()[begin].kind == Kind::kString) {
        out = Content::kUnknown;
        break;
      }
      const Content one = expression(begin, std::min(at, behind));
      all_masks = all_masks && (one == Content::kMask || one == Content::kUnknown);
      if (is_tensor(one) || out == Content::kUnknown) out = one;
      begin = at + 1;
    }
    if (is_tensor(out)) out = compared || (bits && all_masks) ? Content::kMask : Content::kTensor;
  } else {
    out = primary(first, behind);
  }
  --depth_;
  return out;
}

Content Values::primary(std::uint32_t first, std::uint32_t behind) {
  const std::vector<Token>& tokens = syntax_.tokens();
  std::uint32_t at = first;
  while (at < behind && (syntax_.is(at, "-") || syntax_.is(at, "+") || syntax_.is(at, "~"))) ++at;
  if (at >= behind) return Content::kUnknown;
  Content value = Content::kUnknown;
  const auto is_call = [&](std::uint32_t open) {
    return open < behind && syntax_.is(open, "(") && tokens[open].match != kNone &&
           tokens[open].match < behind;
  };
  if (syntax_.is(at, "(") && tokens[at].match != kNone && tokens[at].match < behind) {
    value = expression(at + 1, tokens[at].match);
    at = tokens[at].match + 1;
  } else if (tokens[at].kind == Kind::kName) {
    const Chain* chain = syntax_.chain_at(at);
    const bool instance = chain != nullptr && (chain->qualified.starts_with("torch.Tensor.") ||
                                               chain->qualified.starts_with("jax.Array."));
    if (chain != nullptr && !instance) {
      const std::uint32_t open = chain->last + 1;
      if (is_call(open)) value = called(chain->qualified, chain->gives, open);
      at = is_call(open) ? tokens[open].match + 1 : open;
    } else if (is_call(at + 1)) {
      value = returned(at, false);
      at = tokens[at + 1].match + 1;
    } else if (syntax_.is(at, "self") && at + 2 < behind && tokens[at + 1].kind == Kind::kDot &&
               is_call(at + 3)) {
      value = returned(at + 2, true);
      if (value == Content::kUnknown) value = method(value, syntax_.text_of(at + 2), at + 3);
      at = tokens[at + 3].match + 1;
    } else if (syntax_.is(at, "self") && at + 2 < behind && tokens[at + 1].kind == Kind::kDot) {
      value = attribute(at + 2);
      at += 3;
    } else {
      value = name(at);
      ++at;
    }
  } else {
    return Content::kUnknown;
  }
  while (at < behind) {
    if (tokens[at].kind == Kind::kDot && at + 1 < behind) {
      const std::string_view attribute = syntax_.text_of(at + 1);
      if (is_call(at + 2)) {
        value = method(value, attribute, at + 2);
        at = tokens[at + 2].match + 1;
      } else {
        if (!is_one_of(attribute, "T", "mT", "H", "mH", "data", "grad", "real", "imag", "at"))
          value = Content::kUnknown;
        at += 2;
      }
    } else if (syntax_.is(at, "[") && tokens[at].match != kNone) {
      value = subscript(value, at);
      at = tokens[at].match + 1;
    } else if (is_call(at)) {
      value = Content::kUnknown;
      at = tokens[at].match + 1;
    } else {
      return Content::kUnknown;
    }
  }
  return value;
}

// Of a framework's function.
Content Values::called(std::string_view function, std::string_view gives, std::uint32_t open) {
  const std::string_view last = function.substr(function.rfind('.') + 1);
  const std::uint32_t close = syntax_.tokens()[open].match;
  if (function.starts_with("numpy.")) return Content::kHost;
  if (function == "torch.load" && keeps_on_host(open, close)) return Content::kHost;
  if (gives == "jax.Array") return is_word_of(kAskingElements, last) ? Content::kMask : Content::kTensor;
  const bool one = is_one_of(function, "torch.max", "torch.min", "torch.median");
  const bool tensor = gives == "torch.Tensor" || is_one_of(function, "torch.any", "torch.all") ||
                      (one && names_.parts(open + 1, close).size() == 1);
  if (!tensor) return Content::kUnknown;
  Content value = Content::kHost;
  if (!is_word_of(kMakers, last) && !last.ends_with("Tensor") && !last.ends_with("_window")) {
    value = computed_from(open);
    if (value == Content::kUnknown) value = Content::kTensor;
  }
  for (const Range& part : names_.parts(open + 1, close)) {
    if (!syntax_.is(part.first, "device") || !syntax_.is(part.first + 1, "=")) continue;
    const bool host = syntax_.is(part.first + 2, "None") || names_host(part.first + 2, part.behind);
    value = host ? Content::kHost : Content::kTensor;
  }
  return is_tensor(value) && is_word_of(kAskingElements, last) ? Content::kMask : value;
}

// map_location="cpu"
bool Values::keeps_on_host(std::uint32_t open, std::uint32_t close) {
  for (const Range& part : names_.parts(open + 1, close)) {
    if (syntax_.is(part.first, "map_location") && names_host(part.first + 2, part.behind)) return true;
  }
  return false;
}

// "cpu", or a name that it was assigned to.
bool Values::names_host(std::uint32_t first, std::uint32_t behind) {
  const auto is_cpu = [&](std::uint32_t token) {
    return syntax_.tokens()[token].kind == Kind::kString && inside_of(syntax_.text_of(token)) == "cpu";
  };
  for (std::uint32_t at = first; at < behind; ++at) {
    if (is_cpu(at)) return true;
  }
  const bool name = first < behind && syntax_.tokens()[first].kind == Kind::kName &&
                    (behind == first + 1 || syntax_.is(first + 1, ","));
  const Range device = name ? assigned(first) : Range{};
  // "cpu", torch.device("cpu")
  return device.behind > device.first && device.behind <= device.first + 6 &&
         is_cpu(device.behind - (device.behind == device.first + 1 ? 1 : 2));
}

// Of what stands in brackets, on which device it is.
Content Values::computed_from(std::uint32_t open) {
  Content out = Content::kUnknown;
  for (const Range& part : names_.parts(open + 1, syntax_.tokens()[open].match)) {
    const bool keyword = syntax_.is(part.first + 1, "=");
    Content one = expression(part.first + (keyword ? 2 : 0), part.behind);
    if (syntax_.is(part.first, "[") || syntax_.is(part.first, "(")) {
      const std::uint32_t close = syntax_.tokens()[part.first].match;
      if (close != kNone && close + 1 == part.behind) one = computed_from(part.first);
    }
    if (is_tensor(one)) return Content::kTensor;
    if (one == Content::kHost) out = one;
  }
  return out;
}

Content Values::method(Content of, std::string_view name, std::uint32_t open) {
  const bool empty = syntax_.tokens()[open].match == open + 1;
  if (name == "cpu") return syntax_.imports_module("torch") ? Content::kHost : Content::kUnknown;
  if (of == Content::kHost && is_one_of(name, "unbind", "split", "chunk", "items", "values")) return of;
  if (is_word_of(kGivingNoTensor, name) || name.starts_with("get_") || name.starts_with("is_") ||
      name.ends_with("_shape"))
    return Content::kUnknown;
  if (is_one_of(name, "max", "min", "median") && !empty && !syntax_.is(open + 1, "axis"))
    return Content::kUnknown;
  const bool keyword = syntax_.is(open + 1, "device") && syntax_.is(open + 2, "=");
  if (name == "to" && names_host(open + (keyword ? 3 : 1), syntax_.tokens()[open].match))
    return Content::kHost;
  if (of == Content::kUnknown) {
    if (!is_word_of(kOnlyOfTensors, name) || !syntax_.imports_module("torch")) return Content::kUnknown;
    of = Content::kTensor;
  }
  if (name == "to" || name == "cuda") {
    bool type = false;
    bool device = false;
    for (std::uint32_t at = open + 1; at < syntax_.tokens()[open].match; ++at) {
      const std::string_view text = syntax_.text_of(at);
      type = type || text.find("dtype") != std::string_view::npos || text == "torch";
      device = device || text.ends_with("device");
    }
    return of == Content::kHost && (device || !type) ? Content::kTensor : of;
  }
  if (of == Content::kHost) return of;
  if (is_word_of(kAskingElements, name)) return Content::kMask;
  return of == Content::kMask && is_word_of(kKeepingElements, name) ? Content::kMask : Content::kTensor;
}

Content Values::subscript(Content of, std::uint32_t open) {
  if (of != Content::kUnknown) return of;
  return expression(open + 1, syntax_.tokens()[open].match) == Content::kTensor ? Content::kTensor
                                                                                : Content::kUnknown;
}

Content Values::name(std::uint32_t token) {
  const std::string_view text = syntax_.text_of(token);
  if (is_one_of(text, "self", "cls", "None", "True", "False")) return Content::kUnknown;
  if (text.ends_with("_host") || text.ends_with("_cpu") || text.starts_with("cpu_")) return Content::kHost;
  const BoundNames::Binding* binding = names_.find(text, token);
  Content content = binding == nullptr ? Content::kUnknown : bound(text, *binding);
  if (content == Content::kHost &&
      !syntax_.is_within(syntax_.block_of(token), syntax_.block_of(binding->token))) {
    // In a branch: what it was before may be what it is.
    const BoundNames::Binding* before = names_.last_before(text, binding->scope, binding->token);
    if (before != nullptr) content = bound(text, *before);
  }
  const bool other = content != Content::kUnknown && (names_.is_local_to_expression(token) ||
                                                      (is_tensor(content) && is_asked_to_be_none(token)));
  return other ? Content::kUnknown : content;
}

// if isinstance(x, (int, float)): around it. Of no tensor, that is.
bool Values::is_asked_to_be_none(std::uint32_t token) const {
  const std::string_view text = syntax_.text_of(token);
  for (std::uint32_t at = syntax_.block_of(token); at != 0; at = syntax_.blocks()[at].parent) {
    const Block& block = syntax_.blocks()[at];
    if (block.keyword == "def" || block.keyword == "class") return false;
    if (block.keyword != "if" && block.keyword != "elif") continue;
    const std::uint32_t first = syntax_.lines()[block.header_line].first + 1;
    if (!syntax_.is(first, "isinstance") || !syntax_.is(first + 2, text) || !syntax_.is(first + 3, ",") ||
        syntax_.tokens()[first + 1].match == kNone)
      continue;
    bool tensor = false;
    for (std::uint32_t i = first + 4; i < syntax_.tokens()[first + 1].match; ++i) {
      const std::string_view type = syntax_.text_of(i);
      tensor = tensor || type.ends_with("Tensor") || type.ends_with("rray");
    }
    if (!tensor) return true;
  }
  return false;
}

// What `find` tells of a binding or a function, once. What rests on itself is unknown there, and what was
// told of others meanwhile is not kept.
template <class Find>
Content Values::once(std::uint32_t key, Find find) {
  const auto [found, fresh] = known_.try_emplace(key, Known{});
  if (!fresh) {
    rests_on_itself_ = rests_on_itself_ || found->second.open;
    return found->second.content;
  }
  const bool before = std::exchange(rests_on_itself_, false);
  ++open_;
  const Content content = ++finds_ < kMostFinds ? find() : Content::kUnknown;
  --open_;
  if (rests_on_itself_ && open_ > 0 && finds_ < kMostFinds) {
    known_.erase(key);
  } else {
    known_[key] = {.content = content, .open = false};
  }
  rests_on_itself_ = open_ > 0 && (before || rests_on_itself_);
  if (open_ == 0) finds_ = 0;
  return content;
}

Content Values::bound(std::string_view name, const BoundNames::Binding& binding) {
  return once(binding.token, [&] { return bound_to(name, binding); });
}

Content Values::bound_to(std::string_view name, const BoundNames::Binding& binding) {
  Content value = Content::kUnknown;
  switch (binding.how) {
    case BoundNames::Binding::How::kOther:
      break;
    case BoundNames::Binding::How::kAssigned:
    case BoundNames::Binding::How::kElement:
      value = expression(binding.first, binding.behind);
      break;
    case BoundNames::Binding::How::kUnpacked:  // of a tensor, or of several values
      value = expression(binding.first, binding.behind);
      if (is_tensor(value)) value = Content::kUnknown;
      break;
    case BoundNames::Binding::How::kAugmented: {
      value = expression(binding.first, binding.behind);
      const BoundNames::Binding* before = names_.last_before(name, binding.scope, binding.token);
      if (!is_tensor(value) && before != nullptr) value = bound(name, *before);
      if (is_tensor(value)) value = Content::kTensor;
      break;
    }
    case BoundNames::Binding::How::kParameter:
      value = parameter(binding);
      break;
  }
  return value;
}

// --- a function of the file

// What the function returns whose name stands there: a method of the class that the call is in, or no method.
Content Values::returned(std::uint32_t call, bool method) {
  const std::string_view function = syntax_.text_of(call);
  const std::uint32_t own = names_.class_of(call);
  std::uint32_t found = kNone;
  const TextIndex& words = syntax_.names();
  for (std::uint32_t at = words.first(function); at != kNone; at = words.next(at)) {
    const std::uint32_t block = syntax_.lines()[syntax_.tokens()[at].line].opens;
    if (at == 0 || !syntax_.is(at - 1, "def") || block == kNone) continue;
    const std::uint32_t parent = syntax_.blocks()[block].parent;
    if (method ? parent == own : syntax_.blocks()[parent].keyword != "class") found = block;
  }
  if (found == kNone) {
    const bool same = !method && is_one_of(function, "reversed", "list", "tuple");
    return same && computed_from(call + 1) == Content::kHost ? Content::kHost : Content::kUnknown;
  }
  const Content content =
      once(syntax_.lines()[syntax_.blocks()[found].header_line].first, [&] { return returned_by(found); });
  // What others give it says nothing of this call.
  const bool tensor = content != Content::kUnknown && is_tensor(computed_from(call + 1));
  if (content == Content::kHost && tensor) return Content::kUnknown;
  return is_tensor(content) && !tensor && returns_parameter(found) ? Content::kUnknown : content;
}

// --- what is written there

bool Values::is_stored_on_host(std::uint32_t first, std::uint32_t behind) {
  for (std::uint32_t at = first; at < behind; at = names_.next(at)) {
    if (syntax_.is(at, "(")) return false;
  }
  return of(first, behind) == Content::kHost;
}

bool Values::is_plain(std::uint32_t first, std::uint32_t behind) {
  if (behind == first + 1 && syntax_.tokens()[first].kind == Kind::kName) {
    const Range value = assigned(first);
    first = value.first;
    behind = value.behind;
  }
  if (first + 2 >= behind || !syntax_.is(first, "{") || syntax_.tokens()[first].match + 1 != behind)
    return false;
  for (std::uint32_t at = first; at < behind; ++at) {
    if (syntax_.is(at, "(") || syntax_.is(at, "*") || syntax_.is(at, "**")) return false;
    const Kind kind = syntax_.tokens()[at].kind;
    if (kind != Kind::kName && kind != Kind::kString) continue;
    const std::string text = lower_ascii(syntax_.text_of(at));
    for (const std::string_view word : {"state", "weight", "param", "model", "tensor", "emb", "opt", "net",
                                        "feat", "buffer", "vector", "matrix", "mean", "std"}) {
      if (text.find(word) != std::string::npos && text.find("hyperparam") == std::string::npos) return false;
    }
  }
  return true;
}

// --- assignments

Values::Range Values::assigned(std::uint32_t token) {
  const BoundNames::Binding* binding = names_.find(syntax_.text_of(token), token);
  const bool known = binding != nullptr && binding->how == BoundNames::Binding::How::kAssigned;
  return known ? Range{binding->first, binding->behind} : Range{};
}

std::vector<BoundNames::Binding> Values::bindings(std::uint32_t token) {
  return names_.all(syntax_.text_of(token), token);
}

std::uint32_t Values::assignment_of(std::string_view name, std::uint32_t before) {
  const auto begins = [&](std::uint32_t token) {
    return syntax_.lines()[syntax_.tokens()[token].line].first;
  };
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) {
    const BoundNames::Binding* binding = names_.find(name, before);
    const bool plain = binding != nullptr && binding->how == BoundNames::Binding::How::kAssigned &&
                       binding->token == begins(binding->token);
    return plain ? binding->token : kNone;
  }
  std::uint32_t last = kNone;
  const TextIndex& words = syntax_.names();
  for (std::uint32_t at = words.first(name.substr(dot + 1)); at != kNone; at = words.next(at)) {
    const std::uint32_t first = begins(at);
    if (!syntax_.is(at + 1, "=") || (last != kNone && at >= before)) continue;
    const Token& token = syntax_.tokens()[first];
    if (syntax_.text().substr(token.begin, syntax_.tokens()[at].end - token.begin) == name) last = first;
  }
  return last;
}

}  // namespace seamark::audit
