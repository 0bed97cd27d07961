#include "seamark/model/target_name.h"

#include <fmt/format.h>

#include <algorithm>

#include "seamark/base/text.h"

namespace seamark {
namespace {

bool is_word(std::string_view part, std::string_view also = {}) {
  return !part.empty() && std::all_of(part.begin(), part.end(), [also](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           also.find(c) != std::string_view::npos;
  });
}

Error bad_name(std::string_view text, std::string_view why) {
  return Error(ModelError::kBadTargetName,
               fmt::format("'{}' is not the name of a target: {}", utf8_prefix(one_line(text), 120), why),
               "names are FRAMEWORK/FAMILY[-GENERATION][+MODE], for example torch/cpu or jax/tpu-v3+aot; "
               "`seamark targets` lists them");
}

// Every '+' joins two modes: none may be empty.
bool is_mode(std::string_view mode) {
  const auto parts = split(mode, '+');
  return std::all_of(parts.begin(), parts.end(), [](std::string_view part) { return is_word(part, ".-"); });
}

}  // namespace

std::string TargetName::device() const {
  std::string out = family;
  if (!generation.empty()) out += "-" + generation;
  if (!mode.empty()) out += "+" + mode;
  return out;
}

std::string TargetName::str() const { return framework + "/" + device(); }

Result<TargetName> TargetName::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return bad_name(text, "it has no '/'");
  TargetName name;
  name.framework = text.substr(0, slash);
  if (!is_word(name.framework)) return bad_name(text, "the framework is made of a-z, 0-9 and '_'");

  std::string_view device = text.substr(slash + 1);
  if (const std::size_t plus = device.find('+'); plus != std::string_view::npos) {
    name.mode = device.substr(plus + 1);
    device = device.substr(0, plus);
    if (!is_mode(name.mode)) return bad_name(text, "a mode is made of a-z, 0-9, '_', '.' and '-'");
  }
  if (const std::size_t dash = device.find('-'); dash != std::string_view::npos) {
    name.generation = device.substr(dash + 1);
    device = device.substr(0, dash);
    if (!is_word(name.generation, ".-")) {
      return bad_name(text, "a generation is made of a-z, 0-9, '_', '.' and '-'");
    }
  }
  name.family = device;
  if (!is_word(name.family)) return bad_name(text, "the family is made of a-z, 0-9 and '_'");
  return name;
}

bool stands_for(const std::string& target, std::string_view to) {
  const Result<TargetName> name = TargetName::parse(target);
  const std::string text = to.find('/') != std::string_view::npos || !name ? target : name->device();
  return glob_match(to, text) || (text.starts_with(to) && text.size() > to.size() &&
                                  (text[to.size()] == '-' || text[to.size()] == '+'));
}

std::string_view family_of(std::string_view to) {
  to.remove_prefix(to.find('/') == std::string_view::npos ? 0 : to.find('/') + 1);
  return to.substr(0, to.find_first_of("-+"));
}

}  // namespace seamark
