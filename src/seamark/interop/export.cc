#include "seamark/interop/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "seamark/base/file_writer.h"
#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/model/attributes.h"

namespace seamark::interop {

namespace {

// Appended to, never reordered. Values of a row stand in the same order.
constexpr std::array<std::string_view, 51> kColumns = {
    "run",       "target",          "framework",    "version",    "function",   "case",
    "attempt",   "phase",           "outcome",      "category",   "evidence",   "fallback",
    "cold_s",    "warm_median_s",   "message",      "dtype",      "shape",      "core",
    "host_only", "reason",          "signature",    "warm_n",     "warm_low_s", "warm_high_s",
    "case_hash", "suite",           "grad",         "quick",      "mode",       "stage",
    "type",      "precision_rerun", "confirmed_by", "on_device",  "attributes", "protocol",
    "cold_kind", "cold_reason",     "warm_reason",  "warm_min_s", "warm_iqr_s", "unstable",
    "wall_s",    "cpu_s",           "started_us",   "device",     "baseline",   "run_protocol",
    "run_state", "run_started_us",  "run_ended_us"};

// Only JSON lines, which can be imported, say the last three: they are the run's, and change until it ends.
constexpr std::size_t kCsvColumns = kColumns.size() - 3;

using Row = std::array<Value, kColumns.size()>;  // null: empty

Value text(std::string_view value) { return value.empty() ? Value() : Value(value); }
Value number(const std::optional<double>& value) { return value ? Value(*value) : Value(); }

Value fallback_of(const Attempt& attempt) {
  if (has_attribute(attempt, attribute::kHostFallback)) return true;
  if (!attempt.placement.proven || !attempt.placement.on_device) return {};
  return !*attempt.placement.on_device;
}

std::string csv_cell(const Value& value) {
  if (value.is_null()) return {};
  if (value.is_bool()) return value.as_bool() ? "1" : "0";
  if (value.is_int()) return fmt::format("{}", value.as_int());
  if (value.is_double()) return fmt::format("{}", value.as_number());
  return csv_field(plain_text(value.as_string()));
}

std::string csv_line(const Row& row) {
  std::string line;
  for (std::size_t i = 0; i < kCsvColumns; ++i) {
    if (i != 0) line += ',';
    line += csv_cell(row[i]);
  }
  return line + "\r\n";
}

std::string csv_header() {
  return fmt::format("{}\r\n", fmt::join(std::span(kColumns).first(kCsvColumns), ","));
}

std::string json_line(const Row& row) {
  Value::Object object;
  object.reserve(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) object.emplace_back(std::string(kColumns[i]), row[i]);
  return dump_json(Value(std::move(object))) + '\n';
}

using PlanKey = std::pair<std::int64_t, std::int64_t>;  // run_target_id, case_id

struct Lookup {
  std::unordered_map<std::int64_t, store::StoredTarget> targets;  // run_target_id
  std::unordered_map<std::int64_t, CaseInfo> cases;               // case_id
  std::map<PlanKey, store::PlannedCase> plan;
  std::map<std::string, store::RunInfo> runs;  // by id
};

Result<Lookup> look_up(store::Store& store, const store::RunChoice& run) {
  Lookup lookup;
  Result<std::vector<store::RunInfo>> runs = store.select(run);
  if (!runs) return runs.error();
  for (const store::RunInfo& info : *runs) lookup.runs[info.uuid] = info;
  Result<std::vector<store::StoredTarget>> targets = store.targets(run);
  if (!targets) return targets.error();
  for (store::StoredTarget& target : *targets) lookup.targets.emplace(target.id, std::move(target));
  Result<std::vector<store::StoredCase>> cases = store.cases(run);
  if (!cases) return cases.error();
  for (store::StoredCase& one : *cases) lookup.cases.emplace(one.id, std::move(one.info));
  Result<std::vector<store::PlannedCase>> plan = store.planned(run);
  if (!plan) return plan.error();
  for (const store::PlannedCase& one : *plan) lookup.plan[{one.run_target_id, one.case_id}] = one;
  return lookup;
}

Row row_of(const store::StoredAttempt& stored, const Lookup& lookup, const classify::RuleSet& rules) {
  const Attempt& attempt = stored.attempt;
  const store::StoredTarget& target = lookup.targets.at(stored.run_target_id);
  const CaseInfo& info = lookup.cases.at(stored.case_id);
  const store::PlannedCase& plan = lookup.plan.at({stored.run_target_id, stored.case_id});
  const std::optional<classify::Classification> category = rules.classify(attempt);
  const Latency& latency = attempt.latency;
  const Failure failure = attempt.failure.value_or(Failure());
  const store::RunInfo& run = lookup.runs.at(target.run);
  return {
      Value(target.run),
      Value(attempt.target),
      Value(target.target.framework),
      text(target.target.framework_version),
      Value(info.function),
      Value(attempt.case_name),
      Value(attempt.attempt),
      Value(name_of(attempt.phase)),
      Value(name_of(attempt.outcome)),
      category ? Value(name_of(category->category)) : Value(),
      Value(name_of(attempt.evidence)),
      fallback_of(attempt),
      number(latency.cold_s),
      number(latency.warm_median_s),
      text(failure.message),
      text(info.dtype),
      text(info.shape),
      Value(plan.core),
      Value(plan.host_only),
      text(attempt.reason),
      text(attempt.signature),
      Value(latency.warm_n),
      number(latency.warm_low_s),
      number(latency.warm_high_s),
      text(attempt.case_hash),
      text(info.suite),
      Value(info.grad),
      Value(info.quick),
      Value(name_of(attempt.mode)),
      text(failure.stage),
      text(failure.type),
      text(failure.precision_rerun),
      text(attempt.confirmed_by),
      attempt.placement.proven && attempt.placement.on_device ? Value(*attempt.placement.on_device) : Value(),
      text(join(attempt.attributes, " ")),
      text(latency.protocol),
      text(latency.cold_kind),
      text(latency.cold_reason),
      text(latency.warm_reason),
      number(latency.warm_min_s),
      number(latency.warm_iqr_s),
      Value(latency.unstable),
      Value(attempt.wall_s),
      number(attempt.cpu_s),
      Value(attempt.started_unix_us),
      text(target.target.device_name),
      text(target.target.baseline),
      text(run.protocol),
      Value(name_of(run.state)),
      Value(run.started_unix_us),
      run.ended_unix_us ? Value(*run.ended_unix_us) : Value()};
}

// A case that was planned and not attempted: what is known of it without an attempt.
void clear_attempt(Row& row) {
  constexpr std::array<std::string_view, 21> kOfPlan = {
      "run",   "target", "framework", "version",      "function",  "case",           "dtype",
      "shape", "core",   "host_only", "case_hash",    "suite",     "grad",           "quick",
      "mode",  "device", "baseline",  "run_protocol", "run_state", "run_started_us", "run_ended_us"};
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (std::find(kOfPlan.begin(), kOfPlan.end(), kColumns[i]) == kOfPlan.end()) row[i] = Value();
  }
}

// Of JSON lines, which can be imported: the planned cases that nobody came to.
Status write_planned(FileWriter& file, const Lookup& lookup, const classify::RuleSet& rules,
                     const ExportOptions& options, const std::set<PlanKey>& attempted) {
  for (const auto& [key, plan] : lookup.plan) {
    if (attempted.contains(key)) continue;
    const CaseInfo& info = lookup.cases.at(plan.case_id);
    const store::RunTarget& target = lookup.targets.at(plan.run_target_id).target;
    if (!options.function.empty() && info.function != options.function) continue;
    if (!options.targets.empty() &&
        std::find(options.targets.begin(), options.targets.end(), target.target) == options.targets.end())
      continue;
    store::StoredAttempt none;
    none.run_target_id = plan.run_target_id;
    none.case_id = plan.case_id;
    none.attempt.target = target.target;
    none.attempt.case_name = info.name;
    none.attempt.case_hash = info.hash;
    none.attempt.mode = target.mode;
    Row row = row_of(none, lookup, rules);
    clear_attempt(row);
    if (Status done = file.write(json_line(row)); !done) return done;
  }
  return {};
}

Error unwritable(const Error& why) {
  return {InteropError::kUnwritable, why.message(),
          why.is(IoError::kNoSpace) ? "free some space, or give another file with -o"
                                    : "give a file in a folder that can be written with -o"};
}

}  // namespace

Result<std::int64_t> export_attempts(store::Store& store, const classify::RuleSet& rules,
                                     const ExportOptions& options, const std::filesystem::path& output) {
  Result<Lookup> lookup = look_up(store, options.run);
  if (!lookup) return lookup.error();
  Result<FileWriter> file = FileWriter::create(output);
  if (!file) return unwritable(file.error());
  const bool csv = options.format == Format::kCsv;
  if (csv) {
    if (Status done = file->write(csv_header()); !done) return unwritable(done.error());
  }
  store::AttemptFilter filter;
  filter.run = options.run;
  filter.targets = options.targets;
  filter.function = options.function;
  filter.columns.failure_text = true;
  std::int64_t rows = 0;
  std::set<PlanKey> attempted;
  Status written;
  Status read = store.for_each_attempt(filter, [&](const store::StoredAttempt& stored) {
    const Row row = row_of(stored, *lookup, rules);
    written = file->write(csv ? csv_line(row) : json_line(row));
    if (!csv) attempted.emplace(stored.run_target_id, stored.case_id);
    ++rows;
    return written.ok();
  });
  if (!read) return read.error();
  if (!written) return unwritable(written.error());
  if (!csv) {
    if (Status done = write_planned(*file, *lookup, rules, options, attempted); !done)
      return unwritable(done.error());
  }
  if (Status done = file->commit(); !done) return unwritable(done.error());
  return rows;
}

}  // namespace seamark::interop
