#include "seamark/analysis/answers.h"

namespace seamark::analysis {

std::vector<StratumOutcome> outcomes_of(std::span<const SampleStratum> strata,
                                        std::span<const SampledFunction> functions,
                                        std::string_view framework, const AnswerOf& answer) {
  std::vector<StratumOutcome> out;
  for (const SampleStratum& stratum : strata) {
    if (stratum.framework != framework) continue;
    StratumOutcome& outcome = out.emplace_back();
    outcome.name = stratum.name;
    outcome.certain = stratum.name == "top";
    outcome.functions = stratum.functions;
    outcome.size = static_cast<double>(stratum.calls);
    for (const SampledFunction& one : functions) {
      if (one.framework != framework || one.stratum != stratum.name || !one.counts()) continue;
      outcome.units.push_back(
          {one.is_replaced() ? Answer::kNone : answer(one), static_cast<double>(one.calls)});
    }
  }
  return out;
}

}  // namespace seamark::analysis
