#include "seamark/model/sample.h"

#include <stdexcept>

namespace seamark {

std::string_view name_of(SampleRole role) {
  switch (role) {
    case SampleRole::kTop:
      return "top";
    case SampleRole::kDecile:
      return "decile";
    case SampleRole::kNeverSeen:
      return "never-seen";
    case SampleRole::kReplacement:
      return "replacement";
    case SampleRole::kOverlap:
      return "overlap";
    case SampleRole::kExcluded:
      return "excluded";
  }
  throw std::invalid_argument("no such sample role");
}

}  // namespace seamark
