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

void CallRange::add(const UsageRow& row) {
  if (is_certain(row.tier)) least += row.calls;
  // What is possible at least is possible at most, too.
  if (row.tier == UsageTier::kResolved || row.tier == UsageTier::kInferred ||
      row.tier == UsageTier::kPossibleMost)
    most += row.calls;
}

CallRange UsageTable::calls_of(std::string_view function) const {
  CallRange calls;
  for (const UsageRow& row : rows) {
    if (row.function == function) calls.add(row);
  }
  calls.most = std::max(calls.least, calls.most);
  return calls;
}

}  // namespace seamark
