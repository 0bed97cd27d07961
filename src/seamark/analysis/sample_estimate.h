// From the verdicts of a run of a sample to the failure rate of the whole catalogue.
#pragma once

#include <string>
#include <vector>

#include "seamark/analysis/estimator.h"
#include "seamark/base/result.h"
#include "seamark/model/sample.h"
#include "seamark/store/store.h"

namespace seamark::analysis {

struct Summary;

// One target. A function fails when its verdict is fail or partial; without a verdict (no core case, not
// run, fails on the reference too) nothing is known of it.
struct TargetSample {
  std::string target;
  std::string framework;
  bool compiled_only = false;  // what passes compiles
  DesignEstimate estimate;
  std::vector<std::string> unknown;  // sampled functions without an answer, in the sample's order
};

// What the run was of, and what it says of the population.
struct SampleReport {
  SampleInfo info;
  std::vector<TargetSample> targets;  // in order; only of the sample's frameworks
};

// Fills summary.sample where all its runs are of one sample that the store still has.
Status fill_sample(Summary& summary, store::Store& store);

}  // namespace seamark::analysis
