// What binds the names of one file: assignments, parameters, loops, imports, def and class.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace seamark::audit {

class Syntax;

// + - ... >>
[[nodiscard]] bool is_arithmetic(std::string_view text);

class BoundNames {
 public:
  explicit BoundNames(const Syntax& syntax) : syntax_(syntax) {}

  // Tokens.
  struct Range {
    std::uint32_t first = 0;
    std::uint32_t behind = 0;
  };
  struct Binding {
    enum class How : std::uint8_t { kOther, kAssigned, kAugmented, kElement, kParameter, kUnpacked };
    How how = How::kOther;
    std::uint32_t token = 0;    // the name
    std::uint32_t scope = 0;    // a block: def, class or the module
    std::uint32_t visible = 0;  // from this token on
    std::uint32_t first = 0;    // of its value
    std::uint32_t behind = 0;
  };
  // The one that holds at a token: of its scope the last before it, of those around it their last. nullptr:
  // none is known.
  const Binding* find(std::string_view name, std::uint32_t from);
  // The last in a scope that a token sees; kNone: of all.
  const Binding* last_before(std::string_view name, std::uint32_t scope, std::uint32_t before);
  // All of the scope that the name is of at a token.
  std::vector<Binding> all(std::string_view name, std::uint32_t from);
  // Whether a lambda or a comprehension around a token binds the name that stands there.
  [[nodiscard]] bool is_local_to_expression(std::uint32_t token) const;

  // The nearest def or class of a block, or the module.
  [[nodiscard]] std::uint32_t scope_of(std::uint32_t block) const;
  // The class around a token; 0: none.
  [[nodiscard]] std::uint32_t class_of(std::uint32_t token) const;
  // What commas separate.
  [[nodiscard]] std::vector<Range> parts(std::uint32_t first, std::uint32_t behind) const;
  [[nodiscard]] std::uint32_t next(std::uint32_t token) const;  // behind what begins there

 private:
  [[nodiscard]] bool is_used_at(std::uint32_t token) const;
  [[nodiscard]] Binding binding_at(std::uint32_t token) const;  // its token is kNone: it binds nothing
  void bind_in_header(Binding& binding, std::uint32_t block) const;
  void bind_in_statement(Binding& binding, std::uint32_t first, std::uint32_t last) const;
  const std::vector<Binding>& bindings(std::string_view name);
  [[nodiscard]] bool exclude(std::uint32_t earlier, std::uint32_t later) const;

  const Syntax& syntax_;
  std::unordered_map<std::uint32_t, std::vector<Binding>> bindings_;  // by the first token of that name
};

}  // namespace seamark::audit
