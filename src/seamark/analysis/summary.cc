#include "seamark/analysis/summary.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "seamark/analysis/cells.h"
#include "seamark/analysis/collect.h"
#include "seamark/analysis/declared_counts.h"
#include "seamark/analysis/estimate_table.h"
#include "seamark/analysis/tally.h"

namespace seamark::analysis {

namespace {

std::string describe(const store::RunChoice& choice, const std::vector<RunFacts>& runs) {
  switch (choice.kind) {
    case store::RunChoice::Kind::kAll:
      return "all";
    case store::RunChoice::Kind::kLatest:
      return "latest";
    case store::RunChoice::Kind::kOne:
      return runs.empty() ? choice.id : runs.front().info.uuid;
  }
  return {};
}

using Wanted = std::vector<bool>;  // per target; false: read only to hold others against it

Wanted wanted_targets(const Collected& collected, const SummaryOptions& options) {
  Wanted wanted;
  for (const TargetRow& row : collected.targets) {
    const auto& names = options.targets;
    wanted.push_back(names.empty() || std::find(names.begin(), names.end(), row.target) != names.end());
  }
  return wanted;
}

template <typename T>
void keep(std::vector<T>& items, const Wanted& wanted) {
  std::size_t kept = 0;
  for (std::size_t t = 0; t < wanted.size() && t < items.size(); ++t) {
    if (!wanted[t]) continue;
    if (kept != t) items[kept] = std::move(items[t]);
    ++kept;
  }
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(kept), items.end());
}

void keep_wanted(Summary& summary, const Wanted& wanted) {
  keep(summary.targets, wanted);
  for (FunctionRow& function : summary.functions) {
    keep(function.cells, wanted);
    for (CaseRow& row : function.cases) keep(row.cells, wanted);
  }
  for (auto& of_function : summary.attempts) {
    for (auto& of_case : of_function) keep(of_case, wanted);
  }
}

void fill_targets(Summary& summary, Collected& collected, const Pairing& pairing, const Wanted& wanted) {
  const std::vector<TargetTally> tallies = tally(collected);
  for (std::size_t t = 0; t < collected.targets.size(); ++t) {
    if (!wanted[t]) continue;
    TargetRow& row = collected.targets[t];
    tallies[t].fill(row, collected.proof);
    TargetCategories categories = tallies[t].categories(row);
    if (!categories.categories.empty()) summary.categories.push_back(std::move(categories));
    if (!row.baseline.empty()) {
      summary.ratios.push_back(tallies[t].ratios(row, pairing.baseline[t].has_value()));
    }
    if (tallies[t].timed()) summary.noise.push_back(tallies[t].noise(row));
  }
}

Status read_declared(Summary& summary, store::Store& store, const SummaryOptions& options) {
  std::vector<FrameworkVersions> run;
  for (const TargetRow& row : summary.targets) run.push_back({row.framework, row.framework_versions});
  Result<std::vector<Declared>> all = store.declared(options.function);
  if (!all) return all.error();
  summary.declared = choose_declared(std::move(*all), run);
  return {};
}

}  // namespace

Result<Summary> summarize(store::Store& store, const classify::RuleSet& rules,
                          const SummaryOptions& options) {
  Result<Collected> read = collect(store, rules, options);
  if (!read) return read.error();
  Collected& collected = *read;
  const Pairing pairing = pair_targets(collected, options);
  for (FunctionSlot& function : collected.functions) fill_cells(function, pairing, options);

  Summary summary;
  summary.store = store.file().string();
  summary.choice = describe(options.run, collected.runs);
  summary.rules_version = rules.version();
  summary.schema_version = store::schema_version();
  summary.slow_factor = options.slow_factor;
  summary.slow_floor_s = options.slow_floor_s;
  const Wanted wanted = wanted_targets(collected, options);
  fill_targets(summary, collected, pairing, wanted);
  fill_estimates(summary, collected, wanted, options);
  summary.runs = std::move(collected.runs);
  summary.targets = std::move(collected.targets);
  summary.attempts = std::move(collected.attempts);
  for (FunctionSlot& function : collected.functions) {
    for (CaseSlot& one : function.cases) function.row.cases.push_back(std::move(one.row));
    summary.functions.push_back(std::move(function.row));
  }
  keep_wanted(summary, wanted);
  if (Status s = read_declared(summary, store, options); !s) return s.error();
  // One function alone says nothing of the population.
  if (options.function.empty()) {
    if (Status s = fill_sample(summary, store); !s) return s.error();
  }
  return summary;
}

}  // namespace seamark::analysis
