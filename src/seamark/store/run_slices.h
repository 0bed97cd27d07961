// A run that several machines share: each makes a slice of it, in a store of its own, and a merge joins the
// slices. What a run's options say of this.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "seamark/base/value.h"
#include "seamark/model/slice.h"
#include "seamark/store/records.h"

namespace seamark::store {

// What one target has of a slice.
struct RunSlice {
  std::string target;
  Slice slice;
  std::string plan;  // hash of all cases of the target, those of other slices too
  std::string part;  // equal where one process made it
};

struct SlicedRun {
  std::vector<RunSlice> slices;               // by target, then index; that have ended where it is joined
  std::map<std::string, std::int64_t> asked;  // target: slices, where somebody knows
  bool joined = false;                        // by a merge: its slices have ended
  std::string command;                        // of the whole run
  std::string subset_note;                    // of the whole run, as RunInfo has it
  std::string full_command;                   // likewise
  bool engine = false;                        // `seamark run --engine` makes it, and can go on with it

  [[nodiscard]] bool is_sliced() const { return !slices.empty() || !asked.empty(); }
  // Of each target, as far as anybody said it.
  [[nodiscard]] std::map<std::string, std::int64_t> counts() const;
  // Of each target that lacks one, in order.
  [[nodiscard]] std::map<std::string, std::vector<std::int64_t>> missing() const;
  // "2 of 64 slices of torch/cpu are missing (3, 7)"; empty: none is.
  [[nodiscard]] std::string missing_text() const;
};

// A store's document is untrusted: what is none of ours is no slice.
[[nodiscard]] SlicedRun sliced_run(const RunInfo& run);
void set_slices(Value& options, const SlicedRun& run);

}  // namespace seamark::store
