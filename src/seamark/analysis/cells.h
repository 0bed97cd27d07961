// From collected facts to the cells of a summary: outcomes, reference, ratios, verdicts. Internal.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "seamark/analysis/collect.h"

namespace seamark::analysis {

// Which target another one is held against; nullopt: none.
struct Pairing {
  std::vector<std::optional<std::size_t>> reference;  // per target
  std::vector<std::optional<std::size_t>> baseline;
  std::vector<bool> is_reference;  // FRAMEWORK/cpu itself
};

// Fills the rows' baseline and reference, and the reason where there is none.
Pairing pair_targets(Collected& collected, const SummaryOptions& options);

// The cells of one function: of its cases, then its own.
void fill_cells(FunctionSlot& function, const Pairing& pairing, const SummaryOptions& options);

// Nullopt unless like can be held against like.
std::optional<Ratio> warm_ratio(const CellFacts& target, const CellFacts& baseline,
                                const SummaryOptions& options);
std::optional<Ratio> cold_ratio(const CellFacts& target, const CellFacts& baseline,
                                const SummaryOptions& options);

}  // namespace seamark::analysis
