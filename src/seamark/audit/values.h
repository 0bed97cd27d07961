// Which expressions of one file are tensors on a device, as far as its text tells.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "seamark/audit/bound_names.h"

namespace seamark::audit {

class Syntax;

enum class Content : std::uint8_t {
  kUnknown,
  kHost,    // a tensor in the memory of the host, or an array of NumPy's
  kTensor,  // a tensor on the device
  kMask,    // a tensor on the device whose elements are true or false
};
[[nodiscard]] inline bool is_tensor(Content value) {
  return value == Content::kTensor || value == Content::kMask;
}

// A tensor is what the framework's functions give (of those that make one from nothing: with `device=`), what
// is computed from one, and what an annotation says. BoundNames are followed: to their last assignment
// before, out of the functions of the file, and into those that it calls with a tensor. All else is unknown.
class Values {
 public:
  explicit Values(const Syntax& syntax) : syntax_(syntax), names_(syntax) {}

  // Of the expression in these tokens. Of `and`, `or` and `not`: of what decides their truth.
  [[nodiscard]] Content of(std::uint32_t first, std::uint32_t behind);
  // Where the statement begins that assigned `x` or `self.x` last before a token, in its function, else in
  // what is around it; kNone: it is no assignment of that name alone.
  [[nodiscard]] std::uint32_t assignment_of(std::string_view name, std::uint32_t before);
  // Whether names and subscripts alone, without a call, are what is on the host already.
  [[nodiscard]] bool is_stored_on_host(std::uint32_t first, std::uint32_t behind);
  // Whether it is a dict that is written out, of what no name or key says that it holds tensors.
  [[nodiscard]] bool is_plain(std::uint32_t first, std::uint32_t behind);
  using Range = BoundNames::Range;
  // What was assigned last to a name that stands there; empty: it is not known.
  [[nodiscard]] Range assigned(std::uint32_t token);
  // All that binds a name that stands there, in the scope that it is of.
  [[nodiscard]] std::vector<BoundNames::Binding> bindings(std::uint32_t token);
  // Whether a parameter of a function that nobody else can call (`_f`) has a default that no call in the file
  // leaves it.
  [[nodiscard]] bool is_always_given(std::uint32_t function, std::string_view name) const;

 private:
  Content expression(std::uint32_t first, std::uint32_t behind);
  Content primary(std::uint32_t first, std::uint32_t behind);
  Content called(std::string_view function, std::string_view gives, std::uint32_t open);
  [[nodiscard]] bool names_host(std::uint32_t first, std::uint32_t behind);
  Content computed_from(std::uint32_t open);
  Content method(Content of, std::string_view name, std::uint32_t open);
  Content subscript(Content of, std::uint32_t open);
  Content name(std::uint32_t token);
  Content attribute(std::uint32_t name);
  bool keeps_on_host(std::uint32_t open, std::uint32_t close);
  [[nodiscard]] bool is_internal(std::uint32_t number) const;  // a def
  [[nodiscard]] bool is_asked_to_be_none(std::uint32_t token) const;
  template <class Find>
  Content once(std::uint32_t key, Find find);
  Content bound(std::string_view name, const BoundNames::Binding& binding);
  Content bound_to(std::string_view name, const BoundNames::Binding& binding);
  [[nodiscard]] bool says_tensor(std::uint32_t first, std::uint32_t behind) const;
  Content parameter(const BoundNames::Binding& binding);
  Content returned(std::uint32_t call, bool method);
  [[nodiscard]] bool returns_parameter(std::uint32_t function) const;
  Content returned_by(std::uint32_t function);
  // Of a def, apart from `self`.
  [[nodiscard]] std::vector<Range> parameters(std::uint32_t function) const;
  // What a call gives for one of them; empty: nothing, or it is not known.
  [[nodiscard]] Range argument(std::uint32_t call, std::span<const Range> parameters,
                               std::string_view name) const;

  const Syntax& syntax_;
  BoundNames names_;
  struct Known {
    Content content = Content::kUnknown;
    bool open = true;  // it is being found
  };
  std::map<std::pair<std::uint32_t, std::string_view>, Content> attributes_;  // of a class, by their names
  std::unordered_map<std::uint32_t, Known> known_;  // by a token: the name of a binding, a function's first
  int depth_ = 0;
  int open_ = 0;
  int finds_ = 0;
  bool rests_on_itself_ = false;
};

}  // namespace seamark::audit
