#include "seamark/analysis/change.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

#include "seamark/analysis/analysis_error.h"
#include "seamark/analysis/cells.h"
#include "seamark/analysis/change_cases.h"
#include "seamark/analysis/collect.h"
#include "seamark/analysis/drift.h"
#include "seamark/analysis/tally.h"
#include "seamark/base/text.h"

namespace seamark::analysis {

namespace {

struct KindText {
  std::string_view name;
  std::string_view description;
};

constexpr std::array<KindText, kChangeKinds> kKinds{{
    {"new-failure", "A case that passed before fails now."},
    {"added-failure", "A case fails now, and before there was nothing to compare it with."},
    {"unexpected-pass", "A failure that is expected does not happen any more."},
    {"category-changed", "A case fails on both sides, now for another reason."},
    {"flaky", "A case does not give the same outcome twice now, and did before."},
    {"not-run", "A case that ran before was skipped, ended as an error of the harness or was not attempted."},
    {"slower", "A case takes longer, beyond the noise floor, and the interval of the ratio lies above 1."},
    {"dropped", "A target, function or case of the earlier side is gone."},
    {"weaker-evidence", "A case passes on both sides, now on less evidence."},
    {"stale-expectation", "An expectation names a function or case that is not there any more."},
    {"new-pass", "A case that failed before passes now."},
    {"newly-run", "A case that did not run before passes now."},
    {"no-longer-flaky", "A case that was flaky gives the same outcome each time."},
    {"faster", "A case takes less time, beyond the noise floor, and the interval of the ratio lies below 1."},
    {"added", "A target, function or case that the earlier side did not have."},
}};

// One side, read.
struct Read {
  Collected collected;
  std::vector<TargetTally> tallies;  // one per target
  std::vector<std::size_t> targets;  // asked for, and with something planned
  std::unordered_map<std::int64_t, std::string> hashes;
  DriftSide drift;
};

bool is_wanted(const Operand& side, const std::string& target) {
  return side.targets.empty() ||
         std::find(side.targets.begin(), side.targets.end(), target) != side.targets.end();
}

bool anything_planned(const Collected& collected, std::size_t target) {
  return std::any_of(collected.functions.begin(), collected.functions.end(),
                     [&](const FunctionSlot& slot) { return slot.row.cells[target].planned; });
}

Result<Read> read_side(const Operand& side, const classify::RuleSet& rules) {
  SummaryOptions options;
  options.run = side.run;
  options.targets = side.targets;
  options.detail = Detail::kMessages;
  Result<Collected> collected = collect(*side.store, rules, options);
  if (!collected) return collected.error();
  Read read;
  read.collected = std::move(*collected);
  const Pairing pairing = pair_targets(read.collected, options);
  for (FunctionSlot& function : read.collected.functions) fill_cells(function, pairing, options);
  read.tallies = tally(read.collected);
  for (std::size_t t = 0; t < read.collected.targets.size(); ++t) {
    read.tallies[t].fill(read.collected.targets[t], read.collected.proof);
    const bool wanted = is_wanted(side, read.collected.targets[t].target);
    if (wanted && anything_planned(read.collected, t)) read.targets.push_back(t);
  }
  const Result<std::vector<store::StoredCase>> cases = side.store->cases(side.run);
  if (!cases) return cases.error();
  for (const store::StoredCase& one : *cases) read.hashes[one.id] = one.info.hash;
  Result<std::vector<store::StoredTarget>> targets = side.store->targets(side.run);
  if (!targets) return targets.error();
  read.drift = {read.collected.runs, std::move(*targets)};
  return read;
}

// Rows of both sides by framework and function.
struct Row {
  const FunctionSlot* before = nullptr;
  const FunctionSlot* after = nullptr;
};
using Rows = std::map<std::pair<std::string, std::string>, Row>;

Rows rows_of(const Read& before, std::size_t b, const Read& after, std::size_t a) {
  Rows rows;
  for (const FunctionSlot& slot : before.collected.functions) {
    if (slot.row.cells[b].planned) rows[{slot.row.framework, slot.row.name}].before = &slot;
  }
  for (const FunctionSlot& slot : after.collected.functions) {
    if (slot.row.cells[a].planned) rows[{slot.row.framework, slot.row.name}].after = &slot;
  }
  return rows;
}

Overall overall_of_cases(const std::vector<CaseDelta>& cases, std::optional<Ratio> CaseDelta::* ratio) {
  std::vector<double> ratios;
  for (const CaseDelta& one : cases) {
    if (one.*ratio) ratios.push_back((one.*ratio)->ratio);
  }
  return overall_of(ratios, "no case was timed alike on both sides");
}

// Functions, cases and changes of one pair, function by function.
class PairBuilder {
 public:
  PairBuilder(const Read& before, std::size_t b, const Read& after, std::size_t a,
              const CompareOptions& options)
      : before_(before), after_(after), b_(b), a_(a) {
    out_.before = before.collected.targets[b];
    out_.after = after.collected.targets[a];
    out_.floor = floor_of(
        std::array{before.tallies[b].noise(out_.before), after.tallies[a].noise(out_.after)}, options);
  }

  PairDelta build() {
    for (const auto& [name, row] : rows_of(before_, b_, after_, a_)) add_function(row);
    out_.warm = overall_of_cases(out_.cases, &CaseDelta::warm);
    out_.cold = overall_of_cases(out_.cases, &CaseDelta::cold);
    count_reasons();
    sort_changes(out_.changes);
    return std::move(out_);
  }

 private:
  void add_function(const Row& row) {
    const FunctionRow& names = row.after != nullptr ? row.after->row : row.before->row;
    FunctionDelta function;
    function.framework = names.framework;
    function.name = names.name;
    function.host_only = names.host_only;
    if (row.before != nullptr) function.before = row.before->row.cells[b_].verdict;
    if (row.after != nullptr) function.after = row.after->row.cells[a_].verdict;
    const std::size_t first = out_.cases.size();
    const bool on_both = row.before != nullptr && row.after != nullptr;
    for (const auto& [name, pair] : cases_of(row)) add_case(names.name, name, pair, on_both);
    function.status = status_of(row, first);
    if (function.status == FunctionStatus::kAdded) add_whole(ChangeKind::kAdded, names.name);
    if (function.status == FunctionStatus::kDropped) add_whole(ChangeKind::kDropped, names.name);
    out_.function_counts.add(function.status);
    out_.functions.push_back(std::move(function));
  }

  struct CasePair {
    const CaseSlot* before = nullptr;
    const CaseSlot* after = nullptr;
  };

  [[nodiscard]] std::map<std::string, CasePair> cases_of(const Row& row) const {
    std::map<std::string, CasePair> cases;
    if (row.before != nullptr) {
      for (const CaseSlot& one : row.before->cases) {
        if (one.row.cells[b_].planned) cases[one.row.name].before = &one;
      }
    }
    if (row.after != nullptr) {
      for (const CaseSlot& one : row.after->cases) {
        if (one.row.cells[a_].planned) cases[one.row.name].after = &one;
      }
    }
    return cases;
  }

  void add_case(const std::string& function, const std::string& name, const CasePair& pair, bool tell) {
    CaseDelta one;
    one.function = out_.functions.size();
    one.name = name;
    one.suite = (pair.after != nullptr ? pair.after : pair.before)->row.suite;
    one.presence = presence_of(pair);
    CasePlaces places;
    if (pair.before != nullptr) {
      places.before = &pair.before->facts[b_];
      one.before = pair.before->row.cells[b_];
    }
    if (pair.after != nullptr) {
      places.after = &pair.after->facts[a_];
      one.after = pair.after->row.cells[a_];
    }
    one.core =
        (places.before != nullptr && places.before->core) || (places.after != nullptr && places.after->core);
    places.compiled_before = out_.before.compiled_only;
    places.compiled_after = out_.after.compiled_only;
    places.floor = out_.floor.value;
    CaseVerdict verdict = judge_case(one, places, tell);
    one.not_compared = std::move(verdict.not_compared);
    one.warm = std::move(verdict.warm);
    one.cold = std::move(verdict.cold);
    out_.unstable += verdict.unstable;
    one.changed = !verdict.changes.empty();
    for (Change& change : verdict.changes) {
      change.target = change.kind == ChangeKind::kDropped ? out_.before.target : out_.after.target;
      change.function = function;
      change.case_name = name;
      change.case_index = out_.cases.size();
      out_.changes.push_back(std::move(change));
    }
    out_.case_counts.add(case_status(one));
    out_.cases.push_back(std::move(one));
  }

  [[nodiscard]] Presence presence_of(const CasePair& pair) const {
    if (pair.before == nullptr) return Presence::kAdded;
    if (pair.after == nullptr) return Presence::kDropped;
    const auto old_hash = before_.hashes.find(pair.before->facts[b_].case_id);
    const auto new_hash = after_.hashes.find(pair.after->facts[a_].case_id);
    const bool same = old_hash != before_.hashes.end() && new_hash != after_.hashes.end() &&
                      old_hash->second == new_hash->second;
    return same ? Presence::kBoth : Presence::kRedefined;
  }

  static FunctionStatus case_status(const CaseDelta& one) {
    if (one.presence == Presence::kAdded) return FunctionStatus::kAdded;
    if (one.presence == Presence::kDropped) return FunctionStatus::kDropped;
    if (one.changed) return FunctionStatus::kChanged;
    return one.not_compared.empty() ? FunctionStatus::kUnchanged : FunctionStatus::kNotCompared;
  }

  [[nodiscard]] FunctionStatus status_of(const Row& row, std::size_t first) const {
    if (row.before == nullptr) return FunctionStatus::kAdded;
    if (row.after == nullptr) return FunctionStatus::kDropped;
    bool compared = false;
    for (std::size_t i = first; i < out_.cases.size(); ++i) {
      const CaseDelta& one = out_.cases[i];
      if (one.changed) return FunctionStatus::kChanged;
      compared = compared || one.not_compared.empty();
    }
    return compared ? FunctionStatus::kUnchanged : FunctionStatus::kNotCompared;
  }

  void add_whole(ChangeKind kind, const std::string& function) {
    Change change;
    change.kind = kind;
    change.target = kind == ChangeKind::kDropped ? out_.before.target : out_.after.target;
    change.function = function;
    out_.changes.push_back(std::move(change));
  }

  void count_reasons() {
    std::map<std::string, int> reasons;
    for (const CaseDelta& one : out_.cases) {
      if (!one.not_compared.empty()) ++reasons[one.not_compared];
    }
    for (const auto& [reason, cases] : reasons) out_.not_compared.push_back({reason, cases});
    std::stable_sort(out_.not_compared.begin(), out_.not_compared.end(),
                     [](const ReasonCount& a, const ReasonCount& b) { return a.cases > b.cases; });
  }

  const Read& before_;
  const Read& after_;
  std::size_t b_;
  std::size_t a_;
  PairDelta out_;
};

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

// Held against each other; the targets of one side only go into `comparison`.
Pairs pairs_of(const Operand& before, const Read& old_read, const Operand& after, const Read& new_read,
               Comparison& comparison) {
  if (before.one_target && after.one_target) {
    if (old_read.targets.empty() || new_read.targets.empty()) return {};
    const std::string& framework = old_read.collected.targets[old_read.targets.front()].framework;
    // Of different frameworks no function is the same.
    if (framework != new_read.collected.targets[new_read.targets.front()].framework) return {};
    return {{old_read.targets.front(), new_read.targets.front()}};
  }
  const auto find = [](const Read& read, const std::string& name) {
    return std::find_if(read.targets.begin(), read.targets.end(),
                        [&](std::size_t t) { return read.collected.targets[t].target == name; });
  };
  const auto tell = [&](ChangeKind kind, const std::string& target) {
    Change change;
    change.kind = kind;
    change.target = target;
    comparison.of_targets.push_back(std::move(change));
  };
  Pairs pairs;
  for (const std::size_t a : new_read.targets) {
    const std::string& name = new_read.collected.targets[a].target;
    const auto b = find(old_read, name);
    if (b != old_read.targets.end()) {
      pairs.emplace_back(*b, a);
    } else {
      tell(ChangeKind::kAdded, name);
    }
  }
  for (const std::size_t b : old_read.targets) {
    const std::string& name = old_read.collected.targets[b].target;
    if (find(new_read, name) == new_read.targets.end()) tell(ChangeKind::kDropped, name);
  }
  return pairs;
}

Error nothing_in_common(const Operand& before, const Read& old_read, const Operand& after,
                        const Read& new_read) {
  const auto names = [](const Read& read) {
    std::vector<std::string> out;
    for (const std::size_t t : read.targets) out.push_back(read.collected.targets[t].target);
    return out.empty() ? std::string("nothing that was planned") : join(out, ", ");
  };
  return Error(AnalysisError::kNothing,
               fmt::format("{} and {} have no target in common: {} against {}", before.label, after.label,
                           names(old_read), names(new_read)),
               "name one on each side, of the same framework: STORE@TARGET");
}

OperandFacts facts_of(const Operand& side, const Read& read) {
  return {side.label, side.store->file().string(), read.collected.runs};
}

}  // namespace

void StatusCounts::add(FunctionStatus status) {
  switch (status) {
    case FunctionStatus::kAdded:
      ++added;
      break;
    case FunctionStatus::kDropped:
      ++dropped;
      break;
    case FunctionStatus::kChanged:
      ++changed;
      break;
    case FunctionStatus::kUnchanged:
      ++unchanged;
      break;
    case FunctionStatus::kNotCompared:
      ++not_compared;
      break;
  }
}

Overall overall_of(const std::vector<double>& ratios, std::string_view none) {
  Overall overall;
  overall.cases = static_cast<int>(ratios.size());
  overall.median = {median(ratios), ratios.empty() ? std::string(none) : std::string()};
  overall.interval = median_interval(ratios);
  return overall;
}

Floor floor_of(std::span<const NoiseFloor> sides, const CompareOptions& options) {
  constexpr int kLeastCases = 5;
  if (options.floor) return {*options.floor, "given"};
  Floor floor{0, {}};
  for (const NoiseFloor& noise : sides) {
    if (noise.cases < kLeastCases || !noise.p95.value || *noise.p95.value < floor.value) continue;
    floor.value = *noise.p95.value;
    floor.source =
        fmt::format("measured: the 95th percentile of {} cases that were timed more than once", noise.cases);
  }
  if (!floor.source.empty()) return floor;
  return {options.assumed_floor,
          fmt::format("assumed: fewer than {} cases were timed twice on a side", kLeastCases)};
}

std::string_view name_of(ChangeKind kind) { return kKinds.at(static_cast<std::size_t>(kind)).name; }
std::string_view description_of(ChangeKind kind) {
  return kKinds.at(static_cast<std::size_t>(kind)).description;
}
bool is_regression(ChangeKind kind) { return kind <= ChangeKind::kStale; }

std::string_view name_of(Presence presence) {
  constexpr std::array<std::string_view, 4> kNames{"both", "added", "dropped", "redefined"};
  return kNames.at(static_cast<std::size_t>(presence));
}

std::string_view name_of(FunctionStatus status) {
  constexpr std::array<std::string_view, 5> kNames{"added", "dropped", "changed", "unchanged",
                                                   "not-compared"};
  return kNames.at(static_cast<std::size_t>(status));
}

Result<Comparison> compare_sides(const Operand& before, const Operand& after, const classify::RuleSet& rules,
                                 const CompareOptions& options) {
  const Result<Read> old_read = read_side(before, rules);
  if (!old_read) return old_read.error();
  const Result<Read> new_read = read_side(after, rules);
  if (!new_read) return new_read.error();
  Comparison comparison;
  comparison.before = facts_of(before, *old_read);
  comparison.after = facts_of(after, *new_read);
  comparison.rules_version = rules.version();
  const Pairs pairs = pairs_of(before, *old_read, after, *new_read, comparison);
  if (pairs.empty()) return nothing_in_common(before, *old_read, after, *new_read);
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& [b, a] : pairs) {
    comparison.pairs.push_back(PairBuilder(*old_read, b, *new_read, a, options).build());
    names.emplace_back(old_read->collected.targets[b].target, new_read->collected.targets[a].target);
  }
  sort_changes(comparison.of_targets);
  comparison.drifts = drifts_between(old_read->drift, new_read->drift, names);
  return comparison;
}

}  // namespace seamark::analysis
