#include "seamark/model/declared.h"

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

}  // namespace seamark
