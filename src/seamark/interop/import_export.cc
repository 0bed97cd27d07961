// Reads what `seamark export --format jsonl` writes. Columns that an older export lacks are what they would
// be if nothing was known.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/interop/import.h"
#include "seamark/model/attributes.h"
#include "seamark/model/target_name.h"

namespace seamark::interop {

namespace {

constexpr DocumentLimits kRowLimits = {.max_bytes = std::size_t{4} << 20, .max_depth = 4};
constexpr std::int64_t kMostAttempts = 1'000'000;

// The members of one row; the first that is not what it has to be is kept.
class Row {
 public:
  explicit Row(const Value& value) : value_(value) {}  // borrows it

  std::string text(const char* key, bool required = false) {
    const Value* found = value_.find(key);
    if (found == nullptr || found->is_null()) {
      if (required) wrong(key, "is missing");
      return {};
    }
    if (!found->is_string()) wrong(key, fmt::format("is {}, not a string", found->type_name()));
    return found->is_string() ? found->as_string() : std::string();
  }
  bool flag(const char* key) {
    const Value* found = value_.find(key);
    if (found == nullptr || found->is_null()) return false;
    if (!found->is_bool()) wrong(key, "is no boolean");
    return found->is_bool() && found->as_bool();
  }
  std::optional<bool> maybe_flag(const char* key) {
    const Value* found = value_.find(key);
    if (found == nullptr || found->is_null()) return std::nullopt;
    return flag(key);
  }
  std::optional<double> time(const char* key) {
    const Value* found = value_.find(key);
    if (found == nullptr || found->is_null()) return std::nullopt;
    const bool good = found->is_number() && std::isfinite(found->as_number()) && found->as_number() >= 0;
    if (!good) wrong(key, "is no time");
    return good ? std::optional(found->as_number()) : std::nullopt;
  }
  std::int64_t count(const char* key, std::int64_t fallback, std::int64_t most) {
    const Value* found = value_.find(key);
    if (found == nullptr || found->is_null()) return fallback;
    const bool good = found->is_int() && found->as_int() >= 0 && found->as_int() <= most;
    if (!good) wrong(key, "is no count");
    return good ? found->as_int() : fallback;
  }
  template <typename Read>
  auto named(const char* key, Read read) {
    using Enum = decltype(read(std::string_view()))::value_type;
    const std::string name = text(key, true);
    const auto found = read(name);
    if (!found) wrong(key, fmt::format("'{}' is not known", bounded_name(name)));
    return found.value_or(static_cast<Enum>(1));
  }
  void wrong(std::string_view key, std::string_view what) {
    if (problem_.empty()) problem_ = fmt::format("'{}' {}", key, what);
  }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  const Value& value_;
  std::string problem_;
};

// What every row says of its run; an older export says less.
struct RunContent {
  std::string id;
  std::string protocol;
  store::RunState state = store::RunState::kFinished;
  std::int64_t started_us = 0;
  std::optional<std::int64_t> ended_us;
  bool says_state = false;
};

struct RowContent {
  RunContent run;
  bool is_attempted = true;  // else the case was planned, and no more
  store::RunTarget target;
  CaseInfo info;
  Attempt attempt;
};

Latency read_latency(Row& row) {
  Latency latency;
  latency.protocol = row.text("protocol");
  latency.cold_kind = row.text("cold_kind");
  latency.cold_s = row.time("cold_s");
  latency.cold_reason = row.text("cold_reason");
  latency.warm_median_s = row.time("warm_median_s");
  latency.warm_low_s = row.time("warm_low_s");
  latency.warm_high_s = row.time("warm_high_s");
  latency.warm_min_s = row.time("warm_min_s");
  latency.warm_iqr_s = row.time("warm_iqr_s");
  latency.warm_n = row.count("warm_n", 0, std::int64_t{1} << 40);
  latency.unstable = row.flag("unstable");
  latency.warm_reason = row.text("warm_reason");
  return latency;
}

void read_failure(Row& row, Attempt& attempt) {
  Failure failure;
  failure.stage = row.text("stage");
  failure.type = row.text("type");
  failure.message = row.text("message");
  failure.precision_rerun = row.text("precision_rerun");
  const bool any = !failure.stage.empty() || !failure.type.empty() || !failure.message.empty();
  if (any) attempt.failure = std::move(failure);
}

void read_placement(Row& row, Attempt& attempt) {
  attempt.placement.on_device = row.maybe_flag("on_device");
  const std::optional<bool> fallback = row.maybe_flag("fallback");
  const std::string attributes = row.text("attributes");
  for (const std::string_view one : split_words(attributes)) attempt.attributes.emplace_back(one);
  const bool says_fallback = has_attribute(attempt, attribute::kHostFallback);
  // An older export says no more than this.
  if (!attempt.placement.on_device && fallback && !says_fallback) attempt.placement.on_device = !*fallback;
  attempt.placement.proven = attempt.placement.on_device.has_value();
}

std::optional<store::RunState> run_state_from(std::string_view name) {
  using enum store::RunState;
  for (const store::RunState state : {kRunning, kFinished, kInterrupted, kFailed}) {
    if (name_of(state) == name) return state;
  }
  return std::nullopt;
}

constexpr std::int64_t kMostMoment = std::int64_t{1} << 60;

void read_run(Row& row, const Value& value, RunContent& run) {
  run.id = row.text("run", true);
  run.protocol = row.text("run_protocol");
  if (value.find("run_state") == nullptr) return;
  run.says_state = true;
  run.state = row.named("run_state", run_state_from);
  run.started_us = row.count("run_started_us", 0, kMostMoment);
  const std::int64_t ended_us = row.count("run_ended_us", 0, kMostMoment);
  if (ended_us != 0) run.ended_us = ended_us;
}

void read_attempt(Row& row, Attempt& attempt) {
  attempt.attempt = static_cast<int>(row.count("attempt", 1, kMostAttempts));
  attempt.phase = row.named("phase", phase_from);
  attempt.outcome = row.named("outcome", outcome_from);
  attempt.evidence = row.named("evidence", evidence_from);
  attempt.reason = row.text("reason");
  attempt.signature = row.text("signature");
  attempt.confirmed_by = row.text("confirmed_by");
  attempt.latency = read_latency(row);
  read_failure(row, attempt);
  read_placement(row, attempt);
  attempt.wall_s = row.time("wall_s").value_or(0);
  attempt.cpu_s = row.time("cpu_s");
  attempt.started_unix_us = row.count("started_us", 0, kMostMoment);
  if (attempt.attempt < 1) row.wrong("attempt", "is less than 1");
  if (attempt.outcome == Outcome::kFlaky) row.wrong("outcome", "is of a case, not of an attempt");
}

// A planned case without an attempt: its row has neither a number nor an outcome.
bool says_attempt(const Value& value) {
  const Value* number = value.find("attempt");
  const Value* outcome = value.find("outcome");
  return number == nullptr || !number->is_null() || outcome == nullptr || !outcome->is_null();
}

// What is wrong with the row; empty: nothing.
std::string read_row(const Value& value, RowContent& out) {
  if (!value.is_object()) return fmt::format("expected a table, found {}", value.type_name());
  Row row(value);
  read_run(row, value, out.run);
  store::RunTarget& target = out.target;
  target.target = row.text("target", true);
  target.framework = row.text("framework", true);
  target.framework_version = row.text("version");
  target.device_name = row.text("device");
  target.baseline = row.text("baseline");
  CaseInfo& info = out.info;
  info.framework = target.framework;
  info.function = row.text("function", true);
  info.name = row.text("case", true);
  info.hash = row.text("case_hash");
  if (info.hash.empty()) info.hash = "export-" + to_hex(fnv1a64(info.name));
  info.suite = row.text("suite");
  info.dtype = row.text("dtype");
  info.shape = row.text("shape");
  info.core = row.flag("core");
  info.quick = row.flag("quick") || row.flag("first_core");  // as an older export names it
  info.host_only = row.flag("host_only");
  info.grad = row.flag("grad");
  Attempt& attempt = out.attempt;
  attempt.target = target.target;
  attempt.case_name = info.name;
  attempt.case_hash = info.hash;
  out.is_attempted = says_attempt(value);
  if (out.is_attempted) read_attempt(row, attempt);
  if (value.find("mode") != nullptr) attempt.mode = row.named("mode", worker_mode_from);
  target.mode = attempt.mode;
  if (row.problem().empty()) {
    if (!TargetName::parse(target.target)) row.wrong("target", "is no name of a target");
    if (!target.target.starts_with(target.framework + "/")) row.wrong("framework", "is not the target's");
    if (out.run.id.empty() || out.run.id.size() > 100) row.wrong("run", "is no id of a run");
    if (info.function.empty() || info.name.empty()) row.wrong("case", "is empty");
  }
  return row.problem();
}

// One run of the file as it grows.
struct Growing {
  store::WholeRun whole;
  std::set<std::pair<std::string, std::string>> planned;  // target, case and hash
  std::set<std::pair<std::string, int>> numbers;          // target, case and hash; attempt
};

class ExportReader {
 public:
  ExportReader(const ImportFile& file, const ImportRequest& request) : file_(file), request_(request) {}

  Result<Imported> read() {
    std::size_t number = 0;
    for (std::string_view line : split_lines(file_.text)) {
      ++number;
      if (number == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
      if (trim(line).empty()) continue;
      const Result<Value> value = parse_json(line, kRowLimits);
      RowContent content;
      const std::string problem = value ? read_row(*value, content) : value.error().message();
      if (problem.empty()) {
        add(std::move(content), number);
      } else {
        lose(number, problem);
      }
    }
    if (runs_.empty() && !out_.losses.empty()) {
      return Error(InteropError::kBadInput,
                   fmt::format("{}: {}", out_.losses.front().place, out_.losses.front().what),
                   "it is no export of attempts as JSON lines: see --format");
    }
    finish();
    return std::move(out_);
  }

 private:
  void lose(std::size_t line, std::string what) {
    out_.losses.push_back({fmt::format("{}:{}", file_.name, line), std::move(what)});
  }

  // The run of a row, made when it is the first.
  Growing& run_of(const RowContent& row) {
    const auto [at, is_new] = index_.try_emplace(row.run.id, runs_.size());
    if (!is_new) return runs_[at->second];
    Growing& growing = runs_.emplace_back();
    growing.whole.exported = true;
    store::RunInfo& info = growing.whole.info;
    info.uuid = row.run.id;
    info.state = row.run.state;
    info.command = request_.command;
    info.protocol = row.run.protocol.empty() ? "full" : row.run.protocol;
    info.subset_note = "imported from an export of Seamark";
    info.options.set("imported", Value(true));
    info.started_unix_us = row.run.started_us != 0 ? row.run.started_us : row.attempt.started_unix_us;
    info.ended_unix_us = row.run.says_state ? row.run.ended_us : request_.now_us;
    return growing;
  }

  void add(RowContent row, std::size_t line) {
    if (row.is_attempted) ++out_.tests;
    Growing& growing = run_of(row);
    store::WholeRun& whole = growing.whole;
    const std::string name = row.info.name + "\n" + row.info.hash;
    if (row.is_attempted &&
        !growing.numbers.emplace(row.target.target + "\n" + name, row.attempt.attempt).second)
      return lose(line, fmt::format("attempt {} of this case is there already", row.attempt.attempt));
    const bool known_target =
        std::any_of(whole.targets.begin(), whole.targets.end(),
                    [&](const store::RunTarget& one) { return one.target == row.target.target; });
    if (!known_target) whole.targets.push_back(row.target);
    if (row.is_attempted) functions_.insert(row.info.function);
    if (growing.planned.emplace(row.target.target, name).second)
      whole.plan.emplace_back(row.target.target, std::move(row.info));
    if (row.is_attempted) whole.attempts.push_back(std::move(row.attempt));
  }

  void finish() {
    out_.functions = static_cast<std::int64_t>(functions_.size());
    for (Growing& growing : runs_) {
      Value event;
      event.set("file", Value(bounded_name(file_.name)));
      event.set("hash", Value(content_hash(file_.text)));
      event.set("bytes", Value(static_cast<std::int64_t>(file_.text.size())));
      event.set("format", Value(name_of(ForeignForm::kSeamarkJsonl)));
      growing.whole.events.emplace_back(std::string(kImportedEvent), std::move(event));
      out_.runs.push_back(std::move(growing.whole));
    }
  }

  const ImportFile& file_;
  const ImportRequest& request_;
  std::vector<Growing> runs_;  // in the order of the file
  std::map<std::string, std::size_t> index_;
  std::set<std::string> functions_;
  Imported out_;
};

}  // namespace

Result<Imported> import_export(const ImportFile& file, const ImportRequest& request) {
  return ExportReader(file, request).read();
}

}  // namespace seamark::interop
