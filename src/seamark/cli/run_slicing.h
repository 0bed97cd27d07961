// `seamark run --slice`: what of a run's plan one machine does.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/cli/run_request.h"
#include "seamark/model/slice.h"
#include "seamark/store/run_slices.h"

namespace seamark::cli {

// What --slice says. kUsage.
Result<Slice> slice_named(std::string_view flag);

// Leaves each target the cases of every Nth function, so that a function's failures are confirmed and its
// cases are timed by one machine. A target may be left with none.
[[nodiscard]] store::SlicedRun cut(std::vector<RunTargetPlan>& targets, const Slice& slice);

// How many slices it takes that none is expected to last longer; at most one a function. `seconds`: of each
// case.
[[nodiscard]] std::int64_t slices_for(std::span<const CaseInfo> cases, std::span<const double> seconds,
                                      double most_s);

// What the run is known by whose slices these are: the same on every machine that is asked for the same.
[[nodiscard]] std::string sliced_id(const RunRequest& request, const Slice& slice,
                                    const std::vector<std::string>& asked);

// The command of the whole run.
[[nodiscard]] std::string without_slice(std::string_view as_typed);

// What --job takes: letters, digits, and . _ -.
[[nodiscard]] bool is_job(std::string_view name);

}  // namespace seamark::cli
