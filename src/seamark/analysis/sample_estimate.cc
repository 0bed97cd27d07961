#include "seamark/analysis/sample_estimate.h"

#include <map>
#include <optional>
#include <utility>

#include "seamark/analysis/answers.h"
#include "seamark/analysis/summary.h"

namespace seamark::analysis {
namespace {

using Key = std::pair<std::string, std::string>;  // framework, sampled function

// The id that all runs name; empty: they name none, or several.
std::string sample_of(const std::vector<RunFacts>& runs, std::map<std::string, std::string>& names) {
  std::string id;
  for (const RunFacts& run : runs) {
    const Value* sample = run.info.options.find("sample");
    if (sample == nullptr || !sample->is_object()) return {};
    const std::string own = sample->string_or("id", "");
    if (own.empty() || (!id.empty() && own != id)) return {};
    id = own;
    const Value* map = sample->find("names");
    if (map == nullptr || !map->is_object()) continue;
    for (const auto& [function, sampled] : map->as_object()) {
      if (sampled.is_string()) names[function] = sampled.as_string();
    }
  }
  return id;
}

Answer answer_of(const FunctionCell& cell) {
  if (!cell.verdict) return Answer::kNone;
  switch (*cell.verdict) {
    case Verdict::kPass:
      return Answer::kPass;
    case Verdict::kPartial:
    case Verdict::kFail:
      return Answer::kFail;
    case Verdict::kNotRun:
      return Answer::kNone;
  }
  return Answer::kNone;
}

// Of one target. Two rows can be one function under two names: a failure of either is one.
std::map<Key, Answer> answers_of(const Summary& summary, std::size_t target,
                                 const std::map<std::string, std::string>& names) {
  std::map<Key, Answer> answers;
  for (const FunctionRow& row : summary.functions) {
    const Answer own = answer_of(row.cells[target]);
    if (own == Answer::kNone) continue;
    const auto renamed = names.find(row.name);
    Answer& known =
        answers.try_emplace({row.framework, renamed == names.end() ? row.name : renamed->second}, own)
            .first->second;
    if (own == Answer::kFail) known = own;
  }
  return answers;
}

}  // namespace

Status fill_sample(Summary& summary, store::Store& store) {
  std::map<std::string, std::string> names;
  const std::string id = sample_of(summary.runs, names);
  if (id.empty()) return {};
  Result<Sample> read = store.sample(id);
  if (!read) {
    // A merged or cut store may lack it: the run's own results stand without.
    if (read.error().is(store::StoreError::kNoSuchSample)) return {};
    return read.error();
  }
  SampleReport report;
  report.info = std::move(read->info);
  for (std::size_t t = 0; t < summary.targets.size(); ++t) {
    const TargetRow& row = summary.targets[t];
    const std::map<Key, Answer> answers = answers_of(summary, t, names);
    TargetSample one;
    one.target = row.target;
    one.framework = row.framework;
    one.compiled_only = row.compiled_only;
    const auto answer = [&](const SampledFunction& function) {
      const auto found = answers.find({function.framework, function.function});
      return found == answers.end() ? Answer::kNone : found->second;
    };
    const std::vector<StratumOutcome> strata =
        outcomes_of(read->strata, read->functions, row.framework, answer);
    if (strata.empty()) continue;
    one.estimate = design_estimate(strata);
    for (const SampledFunction& function : read->functions) {
      if (function.framework != row.framework || !function.counts()) continue;
      if (function.is_replaced() || answer(function) == Answer::kNone)
        one.unknown.push_back(function.function);
    }
    report.targets.push_back(std::move(one));
  }
  if (!report.targets.empty()) summary.sample = std::move(report);
  return {};
}

}  // namespace seamark::analysis
