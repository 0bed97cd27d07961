// Estimates of a summary: per target, and TPU against GPU. Internal to the room.
#pragma once

#include <vector>

#include "seamark/analysis/collect.h"
#include "seamark/analysis/summary.h"

namespace seamark::analysis {

// Reads cells that fill_cells() has filled. `wanted` per target: false is left out.
void fill_estimates(Summary& summary, const Collected& collected, const std::vector<bool>& wanted,
                    const SummaryOptions& options);

}  // namespace seamark::analysis
