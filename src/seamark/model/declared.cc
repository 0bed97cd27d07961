#include "seamark/model/declared.h"

#include <algorithm>
#include <stdexcept>

namespace seamark {

std::string_view name_of(DeclaredState state) {
  switch (state) {
    case DeclaredState::kNamed:
      return "named";
    case DeclaredState::kPartial:
      return "partial";
    case DeclaredState::kMissing:
      return "missing";
    case DeclaredState::kNoOperator:
      return "no-operator";
    case DeclaredState::kUnknown:
      return "unknown";
  }
  throw std::invalid_argument("no such declared state");
}

std::optional<bool> named_in(const DeclaredFunction& function, std::string_view dtype) {
  const auto has = [&](const std::vector<std::string>& list) {
    return std::find(list.begin(), list.end(), dtype) != list.end();
  };
  if (!has(function.dtypes)) return std::nullopt;
  return !has(function.dtypes_missing);
}

}  // namespace seamark
