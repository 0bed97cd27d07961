// Sources in, counts out, as text that tests compare.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/usage/input/source.h"
#include "seamark/usage/scan/scanner.h"

namespace seamark::usage {

// What data/usage says, without catalogues.
inline const Vocabulary& plain_vocabulary() {
  static const Vocabulary vocabulary =
      std::move(Vocabulary::load(std::string(SEAMARK_SOURCE_DIR) + "/data/usage", {}).value());
  return vocabulary;
}

// "torch.zeros 1 0, torch.Tensor.sum~ 1 0": calls and references; ~ inferred, ? unknown, > possible-least,
// < possible-most. Sorted.
inline std::string counts_of(Scanner& scanner, std::string_view source, bool framed = false) {
  const FileUsage& usage = scanner.scan(source, framed);
  std::vector<std::string> rows;
  for (const NameCount& one : usage.names) {
    std::string_view mark;
    if (one.tier == UsageTier::kInferred) mark = "~";
    if (one.tier == UsageTier::kUnknown) mark = "?";
    if (one.tier == UsageTier::kPossibleLeast) mark = ">";
    if (one.tier == UsageTier::kPossibleMost) mark = "<";
    rows.push_back(fmt::format("{}{} {} {}", scanner.name(one.name), mark, one.calls, one.references));
  }
  std::sort(rows.begin(), rows.end());
  return fmt::format("{}", fmt::join(rows, ", "));
}

// The same, read where it stands.
inline std::string counts_in_place(Scanner& scanner, std::string_view source) {
  const std::string margin(kTextMargin, '\n');
  const std::string framed = margin + std::string(source) + margin;
  return counts_of(scanner, std::string_view(framed).substr(kTextMargin, source.size()), true);
}

}  // namespace seamark::usage
