// Reads what `seamark export --format jsonl` writes. Columns that an older export lacks are what they would
// be if nothing was known.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/interop/import.h"
#include "seamark/model/attributes.h"
#include "seamark/model/target_name.h"
#include "seamark/store/attempt_columns.h"

namespace seamark::interop {

namespace {

constexpr DocumentLimits kRowLimits = {.max_bytes = std::size_t{4} << 20, .max_depth = 4};

struct RowContent {
  store::RunInfo run;
  bool says_state = false;   // an older export does not
  bool is_attempted = true;  // else the case was planned, and no more
  store::RunTarget target;
  CaseInfo info;
  Attempt attempt;
};

// The placement of an export that has flags instead of it.
Where older_placement(const RowContent& row, std::optional<bool> on_device, std::optional<bool> fallback) {
  const Attempt& attempt = row.attempt;
  if (row.info.host_only || has_attribute(attempt, attribute::kNoDeviceWork)) return Where::kNone;
  if (on_device == false || fallback == true || has_attribute(attempt, attribute::kHostFallback))
    return Where::kHost;
  return on_device || fallback ? Where::kDevice : Where::kUnknown;
}

// An older export names some columns otherwise, or lacks them.
void read_older(const Value& value, RowContent& out) {
  const auto flag = [&](const char* key) {
    const Value* found = value.find(key);
    return found != nullptr && found->is_bool() ? std::optional(found->as_bool()) : std::nullopt;
  };
  if (flag("first_core").value_or(false)) out.info.quick = true;
  if (out.info.hash.empty()) out.info.hash = "export-" + to_hex(fnv1a64(out.info.name));
  if (value.find("placement") == nullptr)
    out.attempt.placement.where = older_placement(out, flag("on_device"), flag("fallback"));
}

// A planned case without an attempt: its row has neither a number nor an outcome.
bool says_attempt(const Value& value) {
  const Value* number = value.find("attempt");
  const Value* outcome = value.find("outcome");
  return number == nullptr || !number->is_null() || outcome == nullptr || !outcome->is_null();
}

bool is_there(const Value& value, const char* key) {
  const Value* found = value.find(key);
  return found != nullptr && !found->is_null();
}

// What is wrong with the row; empty: nothing.
std::string read_columns(const Value& value, RowContent& out) {
  store::AttemptSlot slot{.run = &out.run, .target = &out.target, .info = &out.info};
  if (out.is_attempted) slot.attempt = &out.attempt;
  if (is_there(value, "stage") || is_there(value, "type") || is_there(value, "message"))
    out.attempt.failure.emplace();
  for (const store::AttemptColumn& column : store::attempt_columns()) {
    if (column.key.empty()) continue;
    const Value* found = value.find(column.key);
    const bool needed = column.required && (column.stored.empty() || out.is_attempted);
    if (needed && (found == nullptr || found->is_null())) return fmt::format("'{}' is missing", column.key);
    if (found == nullptr) continue;
    if (std::string problem = store::import_value(column, slot, *found); !problem.empty())
      return fmt::format("'{}' {}", column.key, problem);
  }
  return {};
}

// What columns say together.
std::string check_row(const RowContent& row) {
  if (row.attempt.attempt < 1) return "'attempt' is less than 1";
  if (row.attempt.outcome == Outcome::kFlaky) return "'outcome' is of a case, not of an attempt";
  if (!TargetName::parse(row.target.target)) return "'target' is no name of a target";
  if (!row.target.target.starts_with(row.target.framework + "/")) return "'framework' is not the target's";
  if (row.run.uuid.empty() || row.run.uuid.size() > 100) return "'run' is no id of a run";
  if (row.info.function.empty() || row.info.name.empty()) return "'case' is empty";
  return {};
}

std::string read_row(const Value& value, RowContent& out) {
  if (!value.is_object()) return fmt::format("expected a table, found {}", value.type_name());
  out.says_state = value.find("run_state") != nullptr;
  if (!out.says_state) out.run.state = store::RunState::kFinished;
  out.is_attempted = says_attempt(value);
  if (std::string problem = read_columns(value, out); !problem.empty()) return problem;
  if (out.run.ended_unix_us == 0) out.run.ended_unix_us.reset();
  read_older(value, out);
  Attempt& attempt = out.attempt;
  attempt.target = out.target.target;
  attempt.case_name = out.info.name;
  attempt.case_hash = out.info.hash;
  if (out.is_attempted) out.target.mode = attempt.mode;
  out.info.framework = out.target.framework;
  return check_row(out);
}

// One run of the file as it grows.
struct RunBuilder {
  store::RunBundle whole;
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
  RunBuilder& run_of(const RowContent& row) {
    const auto [at, is_new] = index_.try_emplace(row.run.uuid, runs_.size());
    if (!is_new) return runs_[at->second];
    RunBuilder& growing = runs_.emplace_back();
    growing.whole.exported = true;
    store::RunInfo& info = growing.whole.info;
    info = row.run;
    info.command = request_.command;
    if (info.protocol.empty()) info.protocol = "full";
    info.subset_note = "imported from an export of Seamark";
    info.options.set("imported", Value(true));
    if (info.started_unix_us == 0) info.started_unix_us = row.attempt.started_unix_us;
    if (!row.says_state) info.ended_unix_us = request_.now_us;
    return growing;
  }

  void add(RowContent row, std::size_t line) {
    if (row.is_attempted) ++out_.tests;
    RunBuilder& growing = run_of(row);
    store::RunBundle& whole = growing.whole;
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
    for (RunBuilder& growing : runs_) {
      Value event;
      event.set("file", Value(bounded_name(file_.name)));
      event.set("hash", Value(content_hash(file_.text)));
      event.set("bytes", Value(static_cast<std::int64_t>(file_.text.size())));
      event.set("format", Value(name_of(ExternalForm::kSeamarkJsonl)));
      growing.whole.events.emplace_back(std::string(kImportedEvent), std::move(event));
      out_.runs.push_back(std::move(growing.whole));
    }
  }

  const ImportFile& file_;
  const ImportRequest& request_;
  std::vector<RunBuilder> runs_;  // in the order of the file
  std::map<std::string, std::size_t> index_;
  std::set<std::string> functions_;
  Imported out_;
};

}  // namespace

Result<Imported> import_export(const ImportFile& file, const ImportRequest& request) {
  return ExportReader(file, request).read();
}

}  // namespace seamark::interop
