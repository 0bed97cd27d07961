// From the results of the sampled functions to the estimator's input.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "seamark/analysis/estimator.h"
#include "seamark/model/sample.h"

namespace seamark::analysis {

using AnswerOf = std::function<Answer(const SampledFunction&)>;

// The strata of one framework with their drawn functions, weighed by calls. A replaced function did not
// answer, whatever is known of it: the user said that it cannot be tested.
std::vector<StratumOutcome> outcomes_of(std::span<const SampleStratum> strata,
                                        std::span<const SampledFunction> functions,
                                        std::string_view framework, const AnswerOf& answer);

}  // namespace seamark::analysis
