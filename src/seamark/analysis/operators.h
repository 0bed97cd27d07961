// Operators of a framework that a target lacks, and the functions that they hold back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "seamark/analysis/summary.h"
#include "seamark/base/result.h"
#include "seamark/classify/rules.h"
#include "seamark/store/store.h"

namespace seamark::analysis {

// A core case that needs it fails for want of it, or has it computed on the host.
struct MissingOperator {
  std::string name;  // as the framework says it: aten::nonzero
  bool raises = false;
  bool on_host = false;
  std::vector<std::size_t> functions;  // that it holds back, places in Summary::functions
  int alone = 0;                       // of these, with nothing else in their way
  std::int64_t cases = 0;              // core cases that it holds back
};

struct TargetOperators {
  std::string target;
  // Functions with a core case that fails, or of which something ran on the host; without what fails on the
  // reference or is unanswered.
  int held_back = 0;
  int unnamed = 0;                         // of these, for which no operator is named
  std::vector<MissingOperator> operators;  // by name
};

// Of each target of `summary`, which `options` gave with its messages, in its order. Reads the store again,
// where something ran on the host. Errors are the store's.
Result<std::vector<TargetOperators>> missing_operators(store::Store& store, const classify::RuleSet& rules,
                                                       const Summary& summary, const SummaryOptions& options);

}  // namespace seamark::analysis
