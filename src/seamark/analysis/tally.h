// From cells to the counts, categories, ratios and noise of each target. Internal to the room.
#pragma once

#include <cstddef>
#include <vector>

#include "seamark/analysis/collect.h"

namespace seamark::analysis {

// Counts, rates and medians of one target's row.
void fill_target_row(TargetRow& row, std::size_t target, const std::vector<FunctionSlot>& functions,
                     bool proof);

TargetCategories categories_of(const TargetRow& row, std::size_t target,
                               const std::vector<FunctionSlot>& functions);
TargetRatios ratios_of(const TargetRow& row, std::size_t target, const std::vector<FunctionSlot>& functions,
                       bool has_baseline);
// `timed` is false where the target has no timing at all.
NoiseFloor noise_of(const TargetRow& row, std::size_t target, const std::vector<FunctionSlot>& functions,
                    bool& timed);

}  // namespace seamark::analysis
