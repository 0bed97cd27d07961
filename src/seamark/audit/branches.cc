#include "seamark/audit/branches.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "seamark/audit/guard_words.h"
#include "seamark/base/text.h"

namespace seamark::audit {
namespace {

constexpr std::uint32_t kLongestCheck = 4;  // lines

class Branches {
 public:
  explicit Branches(const Syntax& syntax) : syntax_(syntax) {}

  [[nodiscard]] bool others_are_refused(std::uint32_t token) const {
    const std::uint32_t here = syntax_.tokens()[token].line;
    const std::uint32_t own = line(here).opens;
    if (own != kNone) {
      std::uint32_t last = own;
      while (block(last).next != kNone) last = block(last).next;
      const bool refused = block(last).keyword == "else" ? refuses(last) : raises_behind(last);
      if (refused || checks(own) || asks_device(last, {"cpu", "mps"})) return true;
    }
    for (std::uint32_t around = syntax_.block_of(token); around != 0; around = block(around).parent) {
      for (std::uint32_t i = around + 1; i < syntax_.blocks().size() && block(i).header_line < here; ++i) {
        if (block(i).parent == around && block(i).keyword == "else" && block(i).last_line < here &&
            syntax_.ends_with(i, "raise") && asks_device(block(i).before, {"cuda"}))
          return true;
      }
    }
    return false;
  }

 private:
  [[nodiscard]] const Block& block(std::uint32_t number) const { return syntax_.blocks()[number]; }
  [[nodiscard]] const Line& line(std::uint32_t number) const { return syntax_.lines()[number]; }

  [[nodiscard]] bool refuses(std::uint32_t number) const {
    const Block& one = block(number);
    if (syntax_.ends_with(number, "raise")) return true;
    return one.last_line == one.header_line + 1 &&
           is_one_of(syntax_.text_of(line(one.last_line).first), "print", "logger", "logging", "warnings");
  }

  [[nodiscard]] bool raises_behind(std::uint32_t number) const {
    const std::uint32_t behind = block(number).last_line + 1;
    return syntax_.ends_with(number, "return") && behind < syntax_.lines().size() &&
           line(behind).block == block(number).parent && syntax_.is(line(behind).first, "raise");
  }

  // if x.device.type == "cuda": if not has_p2p(): raise
  [[nodiscard]] bool checks(std::uint32_t number) const {
    const Block& one = block(number);
    if (one.last_line - one.header_line > kLongestCheck) return false;
    for (std::uint32_t i = one.header_line + 1; i <= one.last_line; ++i) {
      if (syntax_.is(line(i).first, "raise")) return true;
    }
    return false;
  }

  // Whether a branch, or one before it, is for such a device: == "cpu"
  [[nodiscard]] bool asks_device(std::uint32_t number,
                                 std::initializer_list<std::string_view> devices) const {
    for (; number != kNone; number = block(number).before) {
      const Line& header = line(block(number).header_line);
      for (std::uint32_t token = header.first + 1; token < header.last; ++token) {
        if (!syntax_.is(token - 1, "==") || syntax_.tokens()[token].kind != Kind::kString) continue;
        if (std::find(devices.begin(), devices.end(), inside_of(syntax_.text_of(token))) != devices.end())
          return true;
      }
    }
    return false;
  }

  const Syntax& syntax_;
};

}  // namespace

bool others_are_refused(const Syntax& syntax, std::uint32_t token) {
  return Branches(syntax).others_are_refused(token);
}

bool is_registered_for_cuda(const Syntax& syntax, const Block& function) {
  for (std::uint32_t i = function.first_decorator; i != kNone && i < function.header_line; ++i) {
    const Line& decorator = syntax.lines()[i];
    const Chain* chain = syntax.chain_at(decorator.first + 1);
    if (chain != nullptr && !chain->function.empty()) continue;
    bool cuda = false;
    bool other = false;
    for (std::uint32_t token = decorator.first; token <= decorator.last; ++token) {
      other = other || syntax.is(token, "parametrize");
      if (syntax.tokens()[token].kind != Kind::kString) continue;
      const std::string_view text = inside_of(syntax.text_of(token));
      cuda = cuda || is_one_of(text, "cuda", "gpu", "openvino", "onnx", "tensorrt", "coreml");
      other = other || names_another(text);
    }
    if (cuda && !other) return true;
  }
  return false;
}

}  // namespace seamark::audit
