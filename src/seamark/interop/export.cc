#include "seamark/interop/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "seamark/base/file_writer.h"
#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/store/attempt_columns.h"

namespace seamark::interop {

namespace {

using store::attempt_columns;
using store::AttemptColumn;
using store::AttemptView;

std::string csv_cell(const Value& value) {
  if (value.is_null()) return {};
  if (value.is_bool()) return value.as_bool() ? "1" : "0";
  if (value.is_int()) return fmt::format("{}", value.as_int());
  if (value.is_double()) return fmt::format("{}", value.as_number());
  return csv_field(plain_text(value.as_string()));
}

std::string csv_line(const AttemptView& row) {
  std::string line;
  for (const AttemptColumn& column : attempt_columns()) {
    if (!column.in_csv()) continue;
    if (!line.empty()) line += ',';  // a run has an id
    line += csv_cell(export_value(column, row));
  }
  return line + "\r\n";
}

std::string csv_header() {
  std::vector<std::string_view> keys;
  for (const AttemptColumn& column : attempt_columns()) {
    if (column.in_csv()) keys.push_back(column.key);
  }
  return join(keys, ",") + "\r\n";
}

std::string json_line(const AttemptView& row) {
  Value::Object object;
  object.reserve(attempt_columns().size());
  for (const AttemptColumn& column : attempt_columns()) {
    if (!column.key.empty()) object.emplace_back(std::string(column.key), export_value(column, row));
  }
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

// What the attempt belongs to; the case as its plan has it.
AttemptView row_of(const PlanKey& key, Lookup& lookup) {
  const store::StoredTarget& target = lookup.targets.at(key.first);
  const store::PlannedCase& plan = lookup.plan.at(key);
  CaseInfo& info = lookup.cases.at(key.second);
  info.core = plan.core;
  info.host_only = plan.host_only;
  return {.run = &lookup.runs.at(target.run), .target = &target.target, .info = &info};
}

// Of JSON lines, which can be imported: the planned cases that nobody came to.
Status write_planned(FileWriter& file, Lookup& lookup, const ExportOptions& options,
                     const std::set<PlanKey>& attempted) {
  for (const auto& [key, plan] : lookup.plan) {
    if (attempted.contains(key)) continue;
    const CaseInfo& info = lookup.cases.at(plan.case_id);
    const store::RunTarget& target = lookup.targets.at(plan.run_target_id).target;
    if (!options.function.empty() && info.function != options.function) continue;
    if (!options.targets.empty() &&
        std::find(options.targets.begin(), options.targets.end(), target.target) == options.targets.end())
      continue;
    if (Status done = file.write(json_line(row_of(key, lookup))); !done) return done;
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
    AttemptView row = row_of({stored.run_target_id, stored.case_id}, *lookup);
    row.attempt = &stored.attempt;
    if (const auto found = rules.classify(stored.attempt)) row.category = found->category;
    written = file->write(csv ? csv_line(row) : json_line(row));
    if (!csv) attempted.emplace(stored.run_target_id, stored.case_id);
    ++rows;
    return written.ok();
  });
  if (!read) return read.error();
  if (!written) return unwritable(written.error());
  if (!csv) {
    if (Status done = write_planned(*file, *lookup, options, attempted); !done)
      return unwritable(done.error());
  }
  if (Status done = file->commit(); !done) return unwritable(done.error());
  return rows;
}

}  // namespace seamark::interop
