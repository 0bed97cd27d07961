#include "seamark/analysis/collect.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "seamark/base/interned_string.h"
#include "seamark/base/text.h"
#include "seamark/model/attributes.h"

namespace seamark::analysis {

namespace {

constexpr std::size_t kMessageBytes = 2000;
constexpr std::size_t kKeyBytes = 4000;
constexpr std::size_t kMostCompilers = 8;
constexpr std::size_t kMostRead = 32'768;  // different texts of failures

bool wanted(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

struct CasePlace {
  std::size_t function = 0;
  std::size_t row = 0;
};

// Case ids to rows. Ids come in order for a while, so that the next one is mostly beside the last.
class CasePlaces {
 public:
  void add(std::int64_t id, const CasePlace& place) { places_.push_back({id, place}); }
  void finish() {
    std::sort(places_.begin(), places_.end(), [](const Entry& a, const Entry& b) { return a.id < b.id; });
  }
  [[nodiscard]] const CasePlace* find(std::int64_t id) {
    if (last_ < places_.size() && places_[last_].id == id) return &places_[last_].place;
    if (last_ + 1 < places_.size() && places_[last_ + 1].id == id) return &places_[++last_].place;
    const auto at = std::lower_bound(places_.begin(), places_.end(), id,
                                     [](const Entry& one, std::int64_t key) { return one.id < key; });
    if (at == places_.end() || at->id != id) return nullptr;
    last_ = static_cast<std::size_t>(at - places_.begin());
    return &at->place;
  }

 private:
  struct Entry {
    std::int64_t id = 0;
    CasePlace place;
  };
  std::vector<Entry> places_;
  std::size_t last_ = 0;
};

class Collector {
 public:
  // `as_committed` is quicker, and wrong where the attempts of a case were not committed in their order.
  Collector(store::Store& store, const classify::RuleSet& rules, const SummaryOptions& options,
            bool as_committed)
      : store_(store), rules_(rules), options_(options), as_committed_(as_committed) {}

  [[nodiscard]] bool out_of_order() const { return out_of_order_; }

  Result<Collected> run() {
    if (Status s = read_runs(); !s) return s.error();
    if (Status s = read_targets(); !s) return s.error();
    if (Status s = read_plan(); !s) return s.error();
    if (Status s = read_attempts(); !s) return s.error();
    if (out_of_order_) return std::move(out_);
    if (Status s = read_estimates(); !s) return s.error();
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
  Status read_plan() {
    Result<store::StoredPlan> plan = store_.plan(options_.run);
    if (!plan) return plan.error();
    add_cases(std::move(plan->cases));
    std::vector<PlannedLane> cursors = cursors_of(plan->planned);
    while (!cursors.empty()) {
      const auto next = std::min_element(cursors.begin(), cursors.end(), [](const auto& a, const auto& b) {
        return a.left.front().case_id < b.left.front().case_id;
      });
      add_planned(next->left.front().case_id, cursors);
      std::erase_if(cursors, [](const PlannedLane& one) { return one.left.empty(); });
    }
    return {};
  }

  // What is the same for all attempts of a target in a run.
  struct TargetCursor {
    std::int64_t id = 0;
    std::size_t target = 0;
    std::size_t run = 0;
  };

  // The plan of one target, from the case on that comes next.
  struct PlannedLane {
    TargetCursor cursor;
    std::span<const store::PlannedCase> left;
  };

  // It comes target by target and cells lie case by case: all targets are walked abreast, as going through
  // all cells once for each takes long.
  std::vector<PlannedLane> cursors_of(std::span<const store::PlannedCase> planned) {
    std::vector<PlannedLane> cursors;
    for (const std::span<const store::PlannedCase> of_target : store::by_target(planned)) {
      if (const TargetCursor* cursor = cursor_of(of_target.front().run_target_id))
        cursors.push_back({*cursor, of_target});
    }
    return cursors;
  }

  // One case, on all targets that have it.
  void add_planned(std::int64_t case_id, std::vector<PlannedLane>& cursors) {
    const CasePlace* place = places_.find(case_id);
    for (PlannedLane& one : cursors) {
      const store::PlannedCase& planned = one.left.front();
      if (planned.case_id != case_id) continue;
      one.left = one.left.subspan(1);
      if (place == nullptr) continue;
      CellFacts& cell = cell_at(*place, one.cursor.target);
      cell.case_id = case_id;
      cell.core = planned.core;
      cell.host_only = planned.host_only;
      ++out_.runs[one.cursor.run].planned;
    }
  }

  void add_cases(std::vector<store::StoredCase> cases) {
    for (store::StoredCase& stored : cases) {
      CaseInfo& info = stored.info;
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
        function.cases.emplace_back();
      }
      CaseRow& row = function.cases.back().row;
      row.name = std::move(info.name);
      row.hash = std::move(info.hash);
      row.suite = std::move(info.suite);
      row.dtype = std::move(info.dtype);
      row.shape = std::move(info.shape);
      row.grad = info.grad;
      row.core = row.core || info.core;
      row.host_only = row.host_only || info.host_only;
      places_.add(stored.id, {out_.functions.size() - 1, function.cases.size() - 1});
    }
    places_.finish();
    for (FunctionSlot& function : out_.functions) {
      make_room(function);
      function.row.host_only = is_host_only(function);
    }
  }

  // All of its core cases are; where none is core, all of its cases.
  static bool is_host_only(const FunctionSlot& function) {
    const auto& cases = function.cases;
    const bool any_core =
        std::any_of(cases.begin(), cases.end(), [](const CaseSlot& one) { return one.row.core; });
    return std::all_of(cases.begin(), cases.end(),
                       [&](const CaseSlot& one) { return one.row.host_only || (any_core && !one.row.core); });
  }

  void make_room(FunctionSlot& function) const {
    const std::size_t targets = out_.targets.size();
    function.facts.resize(function.cases.size() * targets);
    std::span<CellFacts> left = function.facts;
    for (CaseSlot& one : function.cases) {
      one.facts = left.first(targets);
      left = left.subspan(targets);
    }
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
    filter.columns.identity = false;
    filter.as_committed = as_committed_;
    if (options_.detail == Detail::kFull) {
      filter.columns = store::AttemptColumns::all();
      make_room_for_attempts();
    }
    return store_.for_each_attempt(filter, [this](const store::StoredAttempt& stored) {
      const TargetCursor* cursor = cursor_of(stored.run_target_id);
      const CasePlace* place = places_.find(stored.case_id);
      if (cursor == nullptr || place == nullptr) return true;
      CellFacts& cell = cell_at(*place, cursor->target);
      const int before = std::exchange(cell.last_attempt, stored.attempt.attempt);
      out_of_order_ = as_committed_ && stored.attempt.attempt <= before;
      if (out_of_order_) return false;
      add(cell, stored, *place, *cursor);
      return true;
    });
  }

  // A pass of its own over the targets whose rates are known: what compilers said is read for no other.
  Status read_estimates() {
    if (options_.devices == nullptr) return {};
    store::AttemptFilter filter;
    std::vector<const Device*> devices;
    for (TargetRow& row : out_.targets) {
      devices.push_back(options_.devices->of_target(row.target));
      if (devices.back() == nullptr) continue;
      row.device = devices.back()->name;
      filter.targets.push_back(row.target);
    }
    if (filter.targets.empty()) return {};
    filter.run = options_.run;
    filter.function = options_.function;
    filter.columns.documents = true;
    filter.columns.identity = false;
    return store_.for_each_attempt(filter, [&](const store::StoredAttempt& stored) {
      const TargetCursor* cursor = cursor_of(stored.run_target_id);
      const CasePlace* place = places_.find(stored.case_id);
      if (cursor != nullptr && place != nullptr)
        add_estimate(*place, cursor->target, stored.attempt, *devices[cursor->target]);
      return true;
    });
  }

  void add_estimate(const CasePlace& place, std::size_t target, const Attempt& attempt,
                    const Device& device) {
    if (!attempt.compiled.is_object()) return;
    std::string compiler = attempt.compiled.string_or("compiler", "");
    if (!compiler.empty()) {
      compiler += " " + attempt.compiled.string_or("version", "");
      std::vector<std::string>& known = out_.targets[target].compilers;
      const bool is_new = std::find(known.begin(), known.end(), compiler) == known.end();
      if (is_new && known.size() < kMostCompilers) known.push_back(std::move(compiler));
    }
    CellFacts& cell = cell_at(place, target);
    if (cell.extras->estimate || attempt.outcome != Outcome::kPass) return;
    const CaseRow& row = out_.functions[place.function].cases[place.row].row;
    cell.extras.edit().estimate = estimate_of(attempt.compiled, device, row.dtype);
  }

  void make_room_for_attempts() {
    out_.attempts.resize(out_.functions.size());
    for (std::size_t f = 0; f < out_.functions.size(); ++f) {
      out_.attempts[f].resize(out_.functions[f].cases.size());
      for (auto& row : out_.attempts[f]) row.resize(out_.targets.size());
    }
  }

  // The plan and attempts come target by target. nullptr: it is not read.
  const TargetCursor* cursor_of(std::int64_t run_target_id) {
    if (cursor_ && cursor_->id == run_target_id) return &*cursor_;
    const auto target = target_of_.find(run_target_id);
    if (target == target_of_.end()) return nullptr;
    cursor_ = TargetCursor{run_target_id, target->second, run_index_[run_of_[run_target_id]]};
    return &*cursor_;
  }

  void add(CellFacts& cell, const store::StoredAttempt& stored, const CasePlace& place,
           const TargetCursor& cursor) {
    const Attempt& attempt = stored.attempt;
    if (cell.count++ == 0) ++out_.runs[cursor.run].attempted;
    TargetRow& row = out_.targets[cursor.target];
    row.wall_s += attempt.wall_s;
    if (attempt.cpu_s) row.cpu_s.value = row.cpu_s.value.value_or(0) + *attempt.cpu_s;
    if (attempt.max_ulp_err && attempt.phase == Phase::kCorrectness) {
      const CaseRow& of_case = out_.functions[place.function].cases[place.row].row;
      row.ulp_errors[of_case.dtype].push_back(*attempt.max_ulp_err);
    }

    if (attempt.phase == Phase::kTiming) {
      add_timing(cell, attempt);
    } else {
      const bool coarse =
          attempt.outcome == Outcome::kPass && has_attribute(attempt, attribute::kDefaultPrecision);
      cell.default_precision = cell.default_precision || (coarse && !options_.study_rule);
      if (coarse && options_.study_rule) {
        add_check(cell, failed_as_in_the_study(attempt));
      } else {
        add_check(cell, attempt);
      }
    }
    if (options_.detail == Detail::kFull) {
      out_.attempts[place.function][place.row][cursor.target].push_back(
          {out_.runs[cursor.run].info.uuid, attempt, rules_.classify(attempt)});
    }
  }

  static void add_timing(CellFacts& cell, const Attempt& attempt) {
    if (attempt.outcome != Outcome::kPass) {
      ++cell.extras.edit().timing_failures;
      return;
    }
    cell.extras.edit().timings.push_back({attempt.latency, attempt.evidence >= Evidence::kExecuted});
  }

  static Attempt failed_as_in_the_study(Attempt attempt) {
    attempt.outcome = Outcome::kFail;
    attempt.failure = Failure{.stage = "compare",
                              .type = "",
                              .message = "right at the highest precision alone",
                              .traceback = "",
                              .precision_rerun = "pass",
                              .failing_call = ""};
    return attempt;
  }

  void add_check(CellFacts& cell, const Attempt& attempt) {
    const InternedString signature(attempt.signature);
    cell.outcome.add(attempt.phase, attempt.outcome, signature);
    cell.no_work = cell.no_work || has_attribute(attempt, attribute::kNoDeviceWork);
    if (!was_run(attempt.outcome)) {
      cell.extras.edit().reason = texts_.share(attempt.reason);
      return;
    }
    cell.unchecked = cell.unchecked || has_attribute(attempt, attribute::kUnchecked);
    cell.ran = true;
    cell.any_evidence = std::max(cell.any_evidence, attempt.evidence);
    if (attempt.phase == Phase::kRecheck && cell.outcome.first() == Outcome::kPass) {
      CellExtras& extras = cell.extras.edit();
      ++extras.rechecked;
      if (attempt.outcome != Outcome::kPass) ++extras.flipped;
    }
    if (attempt.outcome == Outcome::kPass) {
      add_pass(cell, attempt);
    } else if (!cell.extras->failure) {
      add_failure(cell, attempt, signature);
    }
  }

  static void add_pass(CellFacts& cell, const Attempt& attempt) {
    cell.pass_evidence = std::max(cell.pass_evidence, attempt.evidence);
    for (const Where where : {Where::kHost, Where::kDevice, Where::kNone}) {
      if (cell.placement != where && attempt.placement.where != where) continue;
      cell.placement = where;
      break;
    }
  }

  void add_failure(CellFacts& cell, const Attempt& attempt, const InternedString& signature) {
    FailureFacts& facts = cell.extras.edit().failure.emplace();
    const Read& read = read_text(attempt);
    facts.category = read.category;
    facts.key = read.key;
    facts.signature = signature;
    facts.says_reference = has_attribute(attempt, attribute::kFailsOnReference);
    CellError& error = facts.error.edit();
    error.rule = read.rule;
    error.message = read.message;
    error.confirmed_by = attempt.confirmed_by;
    if (attempt.failure) {
      error.type = texts_.share(attempt.failure->type);
      error.failing_call = texts_.share(attempt.failure->failing_call);
      facts.in_bridge = attempt.failure->stage == "bridge";
    }
  }

  // What follows from a failure's text and what else its rules see.
  struct Read {
    std::optional<Category> category;
    InternedString rule;
    InternedString key;
    InternedString message;
  };

  // Many cases fail with the same words: they are read once.
  const Read& read_text(const Attempt& attempt) {
    const std::string_view target = attempt.target;
    const std::size_t slash = std::min(target.find('/'), target.size());
    const std::size_t mode = std::min(target.find('+'), target.size());
    key_.clear();
    const std::string_view device = target.substr(slash);
    // All that a rule may ask of a target: framework, family, mode.
    key_.append(target.substr(0, slash)).append(device.substr(0, device.find_first_of("-+")));
    key_.append(target.substr(mode)).push_back('\0');
    key_.push_back(static_cast<char>(attempt.outcome));
    if (attempt.failure) {
      for (const std::string* part : {&attempt.failure->stage, &attempt.failure->type,
                                      &attempt.failure->precision_rerun, &attempt.failure->message}) {
        key_.append(*part).push_back('\0');
      }
    }
    key_.append(attempt.capture);
    if (const auto known = read_.find(key_); known != read_.end()) return known->second;
    if (read_.size() >= kMostRead) read_.clear();
    return read_.emplace(key_, read_anew(attempt)).first->second;
  }

  Read read_anew(const Attempt& attempt) {
    Read out;
    if (const std::optional<classify::Classification> found = rules_.classify(attempt)) {
      out.category = found->category;
      out.rule = texts_.share(found->rule);
    }
    if (!attempt.failure) return out;
    const Failure& failure = *attempt.failure;
    out.key = texts_.share(failure.type + '\n' + message_key(failure.message));
    if (options_.detail == Detail::kNone) return out;
    const std::string repaired = repair_utf8(std::string_view(failure.message).substr(0, kMessageBytes + 8));
    out.message = InternedString(std::string(utf8_prefix(repaired, kMessageBytes)));
    return out;
  }

  store::Store& store_;
  const classify::RuleSet& rules_;
  const SummaryOptions& options_;
  bool as_committed_;
  bool out_of_order_ = false;
  Collected out_;
  std::vector<std::string> names_;  // of targets to read; empty: all
  std::unordered_map<std::string, std::size_t> run_index_;
  std::unordered_map<std::int64_t, std::size_t> target_of_;  // run_target_id -> target
  std::unordered_map<std::int64_t, std::string> run_of_;     // run_target_id -> uuid
  CasePlaces places_;
  std::optional<TargetCursor> cursor_;  // of the last attempt
  StringInterner texts_;
  std::string key_;  // of the last text that was read
  std::unordered_map<std::string, Read> read_;
};

}  // namespace

std::string message_key(std::string_view message) {
  message = message.substr(0, kKeyBytes);
  std::string key(message.size(), ' ');
  std::size_t size = 0;
  bool in_address = false;  // after 0x
  for (std::size_t i = 0; i < message.size(); ++i) {
    const char c = message[i];
    const bool digit = c >= '0' && c <= '9';
    in_address = in_address && (digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'));
    if (c == 'x' && i > 0 && message[i - 1] == '0') in_address = true;
    if (digit || in_address) continue;
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (space && (size == 0 || key[size - 1] == ' ')) continue;
    key[size++] = space ? ' ' : c;
  }
  key.resize(size);
  return key;
}

Result<Collected> collect(store::Store& store, const classify::RuleSet& rules,
                          const SummaryOptions& options) {
  Collector quick(store, rules, options, true);
  Result<Collected> collected = quick.run();
  if (!collected || !quick.out_of_order()) return collected;
  return Collector(store, rules, options, false).run();
}

}  // namespace seamark::analysis
