#include "seamark/analysis/collect.h"

#include <algorithm>
#include <unordered_map>

#include "seamark/base/text.h"

namespace seamark::analysis {

namespace {

constexpr std::size_t kMessageBytes = 2000;
constexpr std::size_t kKeyBytes = 4000;

bool wanted(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

struct CasePlace {
  std::size_t function = 0;
  std::size_t row = 0;
};

class Collector {
 public:
  Collector(store::Store& store, const classify::RuleSet& rules, const SummaryOptions& options)
      : store_(store), rules_(rules), options_(options) {}

  Result<Collected> run() {
    if (Status s = read_runs(); !s) return s.error();
    if (Status s = read_targets(); !s) return s.error();
    if (Status s = read_cases(); !s) return s.error();
    if (Status s = read_plan(); !s) return s.error();
    if (Status s = read_attempts(); !s) return s.error();
    return std::move(out_);
  }

 private:
  Status read_runs() {
    Result<std::vector<store::RunInfo>> runs = store_.select(options_.run);
    if (!runs) return runs.error();
    for (store::RunInfo& info : *runs) {
      out_.proof = out_.proof && info.proof;
      run_index_[info.uuid] = out_.runs.size();
      RunFacts facts;
      facts.info = std::move(info);
      out_.runs.push_back(std::move(facts));
    }
    return {};
  }

  // One row per name; where runs are joined, what the latest of them says.
  Status read_targets() {
    Result<std::vector<store::StoredTarget>> stored = store_.targets(options_.run);
    if (!stored) return stored.error();
    names_ = names_to_read(*stored);
    std::unordered_map<std::string, std::size_t> by_name;
    for (const store::StoredTarget& one : *stored) {
      if (!wanted(names_, one.target.target)) continue;
      const auto [place, is_new] = by_name.try_emplace(one.target.target, out_.targets.size());
      if (is_new) {
        out_.targets.emplace_back();
        out_.planned_baselines.emplace_back();
      }
      target_of_[one.id] = place->second;
      run_of_[one.id] = one.run;
      fill(out_.targets[place->second], one);
      out_.planned_baselines[place->second] = one.target.baseline;
    }
    return {};
  }

  // What is asked for, and what that is held against. Empty: everything.
  [[nodiscard]] std::vector<std::string> names_to_read(const std::vector<store::StoredTarget>& stored) const {
    std::vector<std::string> names = options_.targets;
    for (const store::StoredTarget& one : stored) {
      if (options_.targets.empty() || !wanted(options_.targets, one.target.target)) continue;
      names.push_back(one.target.framework + "/cpu");
      if (!one.target.baseline.empty()) names.push_back(one.target.baseline);
      if (!options_.baseline.empty()) names.push_back(options_.baseline);
    }
    return names;
  }

  static void fill(TargetRow& row, const store::StoredTarget& stored) {
    const store::RunTarget& target = stored.target;
    row.target = target.target;
    row.framework = target.framework;
    std::vector<std::string>& versions = row.framework_versions;
    const std::string& version = target.framework_version;
    if (!version.empty() && std::find(versions.begin(), versions.end(), version) == versions.end()) {
      versions.push_back(version);
    }
    row.device_name = target.device_name;
    row.mode = target.mode;
    row.usable = target.usable;
    row.reason = target.reason;
    row.remedy = target.remedy;
    row.environment_hash = stored.environment_hash;
  }

  // Rows by framework, function and case name; versions of a case (other hashes) share a row.
  Status read_cases() {
    Result<std::vector<store::StoredCase>> cases = store_.cases(options_.run);
    if (!cases) return cases.error();
    for (const store::StoredCase& stored : *cases) {
      const CaseInfo& info = stored.info;
      if (!options_.function.empty() && info.function != options_.function) continue;
      if (out_.functions.empty() || out_.functions.back().row.name != info.function ||
          out_.functions.back().row.framework != info.framework) {
        FunctionSlot& slot = out_.functions.emplace_back();
        slot.row.framework = info.framework;
        slot.row.name = info.function;
        slot.row.cells.resize(out_.targets.size());
      }
      FunctionSlot& function = out_.functions.back();
      if (function.cases.empty() || function.cases.back().row.name != info.name) {
        CaseSlot& slot = function.cases.emplace_back();
        slot.facts.resize(out_.targets.size());
      }
      CaseRow& row = function.cases.back().row;
      row.name = info.name;
      row.hash = info.hash;
      row.suite = info.suite;
      row.dtype = info.dtype;
      row.shape = info.shape;
      row.grad = info.grad;
      row.core = row.core || info.core;
      row.host_only = row.host_only || info.host_only;
      function.row.host_only = function.row.host_only || info.host_only;
      place_of_[stored.id] = {out_.functions.size() - 1, function.cases.size() - 1};
    }
    return {};
  }

  Status read_plan() {
    Result<std::vector<store::PlannedCase>> plan = store_.planned(options_.run);
    if (!plan) return plan.error();
    for (const store::PlannedCase& one : *plan) {
      const auto target = target_of_.find(one.run_target_id);
      const auto place = place_of_.find(one.case_id);
      if (target == target_of_.end() || place == place_of_.end()) continue;
      CellFacts& cell = cell_at(place->second, target->second);
      cell.case_id = one.case_id;
      cell.core = one.core;
      cell.host_only = one.host_only;
      ++out_.runs[run_index_[run_of_[one.run_target_id]]].planned;
    }
    return {};
  }

  CellFacts& cell_at(const CasePlace& place, std::size_t target) {
    return out_.functions[place.function].cases[place.row].facts[target];
  }

  Status read_attempts() {
    store::AttemptFilter filter;
    filter.run = options_.run;
    filter.targets = names_;
    filter.function = options_.function;
    filter.columns.failure_text = true;  // the rules read it
    if (options_.detail == Detail::kFull) {
      filter.columns = store::AttemptColumns::all();
      make_room_for_attempts();
    }
    return store_.for_each_attempt(filter, [this](const store::StoredAttempt& stored) {
      const auto target = target_of_.find(stored.run_target_id);
      const auto place = place_of_.find(stored.case_id);
      if (target == target_of_.end() || place == place_of_.end()) return true;
      add(cell_at(place->second, target->second), stored, place->second, target->second);
      return true;
    });
  }

  void make_room_for_attempts() {
    out_.attempts.resize(out_.functions.size());
    for (std::size_t f = 0; f < out_.functions.size(); ++f) {
      out_.attempts[f].resize(out_.functions[f].cases.size());
      for (auto& row : out_.attempts[f]) row.resize(out_.targets.size());
    }
  }

  void add(CellFacts& cell, const store::StoredAttempt& stored, const CasePlace& place, std::size_t target) {
    const Attempt& attempt = stored.attempt;
    const std::string& run = run_of_[stored.run_target_id];
    if (cell.count++ == 0) ++out_.runs[run_index_[run]].attempted;
    TargetRow& row = out_.targets[target];
    row.wall_s += attempt.wall_s;
    if (attempt.cpu_s) row.cpu_s.value = row.cpu_s.value.value_or(0) + *attempt.cpu_s;

    std::optional<classify::Classification> classification = rules_.classify(attempt);
    if (attempt.phase == Phase::kTiming) {
      add_timing(cell, attempt);
    } else {
      add_check(cell, attempt, classification);
    }
    if (options_.detail == Detail::kFull) {
      out_.attempts[place.function][place.row][target].push_back({run, attempt, std::move(classification)});
    }
  }

  static void add_timing(CellFacts& cell, const Attempt& attempt) {
    if (attempt.outcome != Outcome::kPass) {
      ++cell.timing_failures;
      return;
    }
    cell.timings.push_back({attempt.latency, attempt.evidence >= Evidence::kExecuted});
  }

  void add_check(CellFacts& cell, const Attempt& attempt,
                 const std::optional<classify::Classification>& classification) {
    cell.attempts.push_back({attempt.phase, attempt.outcome, attempt.signature});
    if (!was_run(attempt.outcome)) {
      cell.reason = attempt.reason;
      return;
    }
    cell.ran = true;
    cell.any_evidence = std::max(cell.any_evidence, attempt.evidence);
    if (attempt.phase == Phase::kRecheck) {
      ++cell.rechecked;
      if (attempt.outcome != Outcome::kPass) ++cell.flipped;
    }
    if (attempt.outcome == Outcome::kPass) {
      add_pass(cell, attempt);
    } else if (!cell.classification) {
      add_failure(cell, attempt, classification);
    }
  }

  static bool says(const Attempt& attempt, std::string_view attribute) {
    return std::find(attempt.attributes.begin(), attempt.attributes.end(), attribute) !=
           attempt.attributes.end();
  }

  static void add_pass(CellFacts& cell, const Attempt& attempt) {
    cell.pass_evidence = std::max(cell.pass_evidence, attempt.evidence);
    if (says(attempt, "host-fallback") ||
        (attempt.placement.proven && attempt.placement.on_device == false)) {
      cell.fell_back = true;
    } else if (attempt.placement.proven && attempt.placement.on_device == true) {
      cell.proven_on_device = true;
    }
  }

  void add_failure(CellFacts& cell, const Attempt& attempt,
                   const std::optional<classify::Classification>& classification) {
    cell.classification = classification;
    cell.signature = attempt.signature;
    cell.confirmed_by = attempt.confirmed_by;
    cell.says_reference = says(attempt, "fails-on-reference");
    if (!attempt.failure) return;
    cell.type = attempt.failure->type;
    cell.failure_key = cell.type + '\n' + message_key(attempt.failure->message);
    if (options_.detail != Detail::kNone) {
      const std::string repaired =
          repair_utf8(std::string_view(attempt.failure->message).substr(0, kMessageBytes + 8));
      cell.message = std::string(utf8_prefix(repaired, kMessageBytes));
    }
  }

  store::Store& store_;
  const classify::RuleSet& rules_;
  const SummaryOptions& options_;
  Collected out_;
  std::vector<std::string> names_;  // of targets to read; empty: all
  std::unordered_map<std::string, std::size_t> run_index_;
  std::unordered_map<std::int64_t, std::size_t> target_of_;  // run_target_id -> target
  std::unordered_map<std::int64_t, std::string> run_of_;     // run_target_id -> uuid
  std::unordered_map<std::int64_t, CasePlace> place_of_;     // case_id -> row
};

}  // namespace

std::string message_key(std::string_view message) {
  std::string key;
  message = message.substr(0, kKeyBytes);
  key.reserve(message.size());
  bool in_address = false;  // after 0x
  for (std::size_t i = 0; i < message.size(); ++i) {
    const char c = message[i];
    const bool digit = c >= '0' && c <= '9';
    in_address = in_address && (digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'));
    if (c == 'x' && i > 0 && message[i - 1] == '0') in_address = true;
    if (digit || in_address) continue;
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (space && (key.empty() || key.back() == ' ')) continue;
    key += space ? ' ' : c;
  }
  return key;
}

Result<Collected> collect(store::Store& store, const classify::RuleSet& rules,
                          const SummaryOptions& options) {
  return Collector(store, rules, options).run();
}

}  // namespace seamark::analysis
