#include "seamark/analysis/operators.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "seamark/model/verdict.h"

namespace seamark::analysis {

namespace {

using Names = std::vector<std::string>;  // in order, each once

// What ran on the host, by case and target. Many have it in common.
class HostNames {
 public:
  explicit HostNames(const Summary& summary) : targets_(summary.targets.size()) {
    std::size_t places = 0;
    for (const FunctionRow& function : summary.functions) {
      for (const CaseRow& row : function.cases) places_[row.name] = places++;
    }
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      by_target_[summary.targets[t].target] = t;
      targets_[t].resize(places);
    }
  }

  void add(std::string_view target, std::string_view case_name, Names names) {
    const auto t = by_target_.find(target);
    const auto place = places_.find(case_name);
    if (t == by_target_.end() || place == places_.end()) return;
    const Names*& at = targets_[t->second][place->second];
    if (at != nullptr) names.insert(names.end(), at->begin(), at->end());
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    at = &*known_.insert(std::move(names)).first;
  }

  // Of the case at this place among all of the summary's.
  [[nodiscard]] const Names& of(std::size_t target, std::size_t place) const {
    static const Names nothing;
    const Names* names = targets_[target][place];
    return names == nullptr ? nothing : *names;
  }

 private:
  std::unordered_map<std::string_view, std::size_t> by_target_;
  std::unordered_map<std::string_view, std::size_t> places_;
  std::vector<std::vector<const Names*>> targets_;
  std::set<Names> known_;
};

// What messages name as missing, by the rule that gave their category. Many cells have both in common: they
// are read once.
class MessageReader {
 public:
  explicit MessageReader(const classify::RuleSet& rules) : rules_(rules) {}
  const std::vector<std::string>& operators_of(const CellError& error) {
    const auto [at, is_new] = known_.try_emplace({error.rule.get().data(), error.message.get().data()});
    if (is_new) at->second = rules_.operators(error.rule, error.message);
    return at->second;
  }

 private:
  const classify::RuleSet& rules_;
  std::map<std::pair<const char*, const char*>, std::vector<std::string>> known_;
};

// The operators of one target, function by function.
class OperatorTally {
 public:
  // Of a case that fails, or that ran on the host: what it names.
  void add(const Names& raises, const Names& on_host, bool fails) {
    held_ = true;
    otherwise_ = otherwise_ || (fails ? raises.empty() : on_host.empty());
    for (const std::string& name : raises) operators_[name].raises = true;
    for (const std::string& name : on_host) operators_[name].on_host = true;
    Names names;
    std::set_union(raises.begin(), raises.end(), on_host.begin(), on_host.end(), std::back_inserter(names));
    for (const std::string& name : names) ++operators_[name].cases;
    of_function_.insert(names.begin(), names.end());
  }

  void end_function(std::size_t function) {
    out_.held_back += held_ ? 1 : 0;
    out_.unnamed += held_ && of_function_.empty() ? 1 : 0;
    for (const std::string& name : of_function_) {
      MissingOperator& one = operators_[name];
      one.functions.push_back(function);
      one.alone += of_function_.size() == 1 && !otherwise_ ? 1 : 0;
    }
    held_ = otherwise_ = false;
    of_function_.clear();
  }

  TargetOperators finish(const std::string& target) && {
    out_.target = target;
    for (auto& [name, one] : operators_) {
      one.name = name;
      out_.operators.push_back(std::move(one));
    }
    return std::move(out_);
  }

 private:
  TargetOperators out_;
  std::map<std::string, MissingOperator> operators_;
  std::set<std::string> of_function_;
  bool held_ = false;
  bool otherwise_ = false;  // it fails, or leaves the device, for another reason, too
};

TargetOperators operators_of(const Summary& summary, std::size_t target, const HostNames& host,
                             MessageReader& messages) {
  OperatorTally tally;
  std::size_t place = 0;
  for (std::size_t f = 0; f < summary.functions.size(); ++f) {
    for (const CaseRow& row : summary.functions[f].cases) {
      const Names& on_host = host.of(target, place++);
      const CaseCell& cell = row.cells[target];
      if (!row.core || !was_run(cell.outcome) || cell.fails_on_reference || cell.unanswered) continue;
      const bool fails = failed(cell.outcome);
      if (fails || !on_host.empty() || cell.placement == Where::kHost)
        tally.add(messages.operators_of(*cell.error), on_host, fails);
    }
    tally.end_function(f);
  }
  return std::move(tally).finish(summary.targets[target].target);
}

}  // namespace

Result<std::vector<TargetOperators>> missing_operators(store::Store& store, const classify::RuleSet& rules,
                                                       const Summary& summary,
                                                       const SummaryOptions& options) {
  HostNames host(summary);
  const Status read = store.for_each_on_host(
      options.run, [&](std::string_view target, std::string_view case_name, const Names& operators) {
        host.add(target, case_name, operators);
      });
  if (!read) return read.error();
  MessageReader messages(rules);
  std::vector<TargetOperators> out;
  for (std::size_t t = 0; t < summary.targets.size(); ++t)
    out.push_back(operators_of(summary, t, host, messages));
  return out;
}

}  // namespace seamark::analysis
