#include "seamark/model/usage.h"

#include <stdexcept>

namespace seamark {

std::string_view name_of(UsageTier tier) {
  switch (tier) {
    case UsageTier::kResolved:
      return "resolved";
    case UsageTier::kInferred:
      return "inferred";
    case UsageTier::kUnknown:
      return "unknown";
    case UsageTier::kBare:
      return "bare";
  }
  throw std::invalid_argument("no such usage tier");
}

}  // namespace seamark
