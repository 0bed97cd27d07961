#include "seamark/model/usage.h"

#include <algorithm>
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
    case UsageTier::kPossibleLeast:
      return "possible-least";
    case UsageTier::kPossibleMost:
      return "possible-most";
  }
  throw std::invalid_argument("no such usage tier");
}

CallRange UsageTable::calls_of(std::string_view function) const {
  CallRange calls;
  std::int64_t more = 0;
  for (const UsageRow& row : rows) {
    if (row.function != function) continue;
    if (is_certain(row.tier)) calls.least += row.calls;
    if (row.tier == UsageTier::kResolved || row.tier == UsageTier::kInferred) more += row.calls;
    if (row.tier == UsageTier::kPossibleMost) more += row.calls;
  }
  calls.most = std::max(calls.least, more);
  return calls;
}

}  // namespace seamark
