// Store::for_each_attempt: streams attempts, reading only the columns that were asked for.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "seamark/store/connection.h"
#include "seamark/store/encode.h"
#include "seamark/store/run_reader.h"
#include "seamark/store/store.h"

namespace seamark::store {

namespace {

// What only some readers need is NULL for the others, so that every column keeps its place: SQLite skips what
// it is not asked for.
constexpr std::string_view kAlways =
    "a.id, a.run_target_id, a.case_id, NULL, {identity}, a.outcome, a.evidence, {times}, a.wall_s, a.cpu_s, "
    "{status}, a.signature, a.confirmed_by, a.failed, "
    "a.fail_stage, a.fail_type, a.precision_rerun, a.placement_proven, a.on_device, a.attributes, "
    "a.protocol, "
    "a.cold_kind, a.cold_s, a.cold_reason, a.warm_median_s, a.warm_low_s, a.warm_high_s, a.warm_min_s, "
    "a.warm_iqr_s, a.warm_n, a.warm_unstable, a.warm_reason, a.reason";
constexpr int kFirstOptional = 37;

std::string columns_of(const AttemptColumns& wanted) {
  std::string columns =
      fmt::format(fmt::runtime(kAlways),
                  fmt::arg("identity", wanted.identity ? "c.name, c.hash, a.attempt, a.phase, a.mode"
                                                       : "NULL, NULL, a.attempt, a.phase, 1"),
                  fmt::arg("times", wanted.identity ? "a.started_us" : "0"),
                  fmt::arg("status", wanted.identity ? "a.wait_status" : "NULL"));
  columns += wanted.failure_text ? ", CASE WHEN a.failed THEN a.fail_message END" : ", NULL";
  columns += wanted.documents ? ", a.placement, a.reference, a.compiled" : ", NULL, NULL, NULL";
  columns += wanted.traceback ? ", a.fail_traceback, a.capture" : ", NULL, NULL";
  return columns;
}

// Of one run the attempts of one target, ?1, which are a stretch of an index; of joined runs those of all
// these targets that are chosen.
std::string query(const RunChoice& choice, const AttemptFilter& filter,
                  const std::vector<TargetName>& targets, bool scan = false) {
  const bool joined = choice.kind == RunChoice::Kind::kAll;
  std::string sql = joined ? chosen_cte(choice) : std::string();
  sql += fmt::format("SELECT {} FROM ", columns_of(filter.columns));
  sql += joined ? "chosen CROSS JOIN attempts a ON a.run_target_id = chosen.run_target_id AND "
                  "a.case_id = chosen.case_id "
                : "attempts a ";
  if (filter.columns.identity || !filter.function.empty()) sql += "JOIN cases c ON c.id = a.case_id ";
  if (!filter.function.empty()) sql += "JOIN functions f ON f.id = c.function_id ";
  if (!joined && scan) {
    return sql + "WHERE a.id BETWEEN ?1 AND ?2 ORDER BY a.id";
  }
  if (joined) {
    std::string ids;
    for (const TargetName& one : targets) ids += fmt::format("{}{}", ids.empty() ? "" : ", ", one.id);
    sql += fmt::format("WHERE a.run_target_id IN ({})", ids);
  } else {
    sql += "WHERE a.run_target_id = ?1";
  }
  if (!filter.function.empty()) sql += " AND f.name = ?2";
  return sql + " ORDER BY a.run_target_id, a.case_id, a.attempt";
}

// Keeps the room that the string has.
void read_text(const Statement& row, int column, std::string& out) { out.assign(row.text(column)); }

void read_failure(const Statement& row, Attempt& attempt) {
  if (row.integer(17) == 0) {
    attempt.failure.reset();
    return;
  }
  Failure& failure = attempt.failure ? *attempt.failure : attempt.failure.emplace();
  read_text(row, 18, failure.stage);
  read_text(row, 19, failure.type);
  read_text(row, 20, failure.precision_rerun);
  read_text(row, kFirstOptional, failure.message);
  read_text(row, kFirstOptional + 4, failure.traceback);
}

void read_latency(const Statement& row, Latency& latency) {
  read_text(row, 24, latency.protocol);
  read_text(row, 25, latency.cold_kind);
  latency.cold_s = row.maybe_number(26);
  read_text(row, 27, latency.cold_reason);
  latency.warm_median_s = row.maybe_number(28);
  latency.warm_low_s = row.maybe_number(29);
  latency.warm_high_s = row.maybe_number(30);
  latency.warm_min_s = row.maybe_number(31);
  latency.warm_iqr_s = row.maybe_number(32);
  latency.warm_n = row.integer(33);
  latency.unstable = row.integer(34) != 0;
  read_text(row, 35, latency.warm_reason);
}

Status read_enums(const Connection& connection, const Statement& row, Attempt& attempt) {
  Result<Phase> phase = read_enum(connection, row.integer(7), Phase::kTiming, "phase");
  if (!phase) return phase.error();
  Result<WorkerMode> mode = read_enum(connection, row.integer(8), WorkerMode::kProcess, "worker mode");
  if (!mode) return mode.error();
  Result<Outcome> outcome = read_enum(connection, row.integer(9), Outcome::kFlaky, "outcome");
  if (!outcome) return outcome.error();
  Result<Evidence> evidence = read_enum(connection, row.integer(10), Evidence::kVerified, "evidence");
  if (!evidence) return evidence.error();
  attempt.phase = *phase;
  attempt.mode = *mode;
  attempt.outcome = *outcome;
  attempt.evidence = *evidence;
  return {};
}

Status read_document_of(const Connection& connection, std::string_view json, Value& out) {
  if (json.empty()) {
    if (!out.is_null()) out = Value();
    return {};
  }
  Result<Value> value = read_document(connection, json);
  if (!value) return value.error();
  out = std::move(*value);
  return {};
}

Status read_documents(const Connection& connection, const Statement& row, Attempt& attempt) {
  attempt.attributes.clear();
  if (const std::string_view json = row.text(23); !json.empty()) {
    Result<std::vector<std::string>> attributes = decode_list(json);
    if (!attributes) return connection.corrupt("attributes: " + attributes.error().message());
    attempt.attributes = std::move(*attributes);
  }
  if (Status read = decode_placement(row.text(kFirstOptional + 1), attempt.placement); !read) {
    return connection.corrupt("placement: " + read.error().message());
  }
  if (Status read = read_document_of(connection, row.text(kFirstOptional + 2), attempt.reference); !read)
    return read;
  return read_document_of(connection, row.text(kFirstOptional + 3), attempt.compiled);
}

// Into an attempt that held another before: everything is set anew.
Status read_attempt(const Connection& connection, const Statement& row, bool all_latencies,
                    StoredAttempt& stored) {
  stored.id = row.integer(0);
  stored.run_target_id = row.integer(1);
  stored.case_id = row.integer(2);
  Attempt& attempt = stored.attempt;
  read_text(row, 4, attempt.case_name);
  read_text(row, 5, attempt.case_hash);
  attempt.attempt = static_cast<int>(row.integer(6));
  attempt.started_unix_us = row.integer(11);
  attempt.wall_s = row.number(12);
  attempt.cpu_s = row.maybe_number(13);
  attempt.wait_status.reset();
  if (const std::optional<std::int64_t> status = row.maybe_integer(14)) {
    attempt.wait_status = static_cast<int>(*status);
  }
  read_text(row, 15, attempt.signature);
  read_text(row, 16, attempt.confirmed_by);
  attempt.placement = Placement{};
  attempt.placement.proven = row.integer(21) != 0;
  if (const std::optional<std::int64_t> on_device = row.maybe_integer(22)) {
    attempt.placement.on_device = *on_device != 0;
  }
  read_text(row, 36, attempt.reason);
  read_text(row, kFirstOptional + 5, attempt.capture);
  attempt.operations.clear();
  if (Status read = read_enums(connection, row, attempt); !read) return read;
  if (all_latencies || attempt.phase == Phase::kTiming) {
    read_latency(row, attempt.latency);
  } else {
    attempt.latency = Latency{};
  }
  read_failure(row, attempt);
  return read_documents(connection, row, attempt);
}

Status read_operations(Connection& connection, Statement& statement, StoredAttempt& stored) {
  statement.reset();
  statement.bind(1, stored.id);
  while (true) {
    Result<bool> row = statement.step();
    if (!row) return row.error();
    if (!*row) return {};
    TimedOperation& operation = stored.attempt.operations.emplace_back();
    operation.name = statement.string(0);
    operation.cold_s = statement.maybe_number(1);
    operation.cold_reason = statement.string(2);
    operation.warm_reason = statement.string(3);
    operation.inner = statement.integer(4);
    if (statement.integer(5) != static_cast<std::int64_t>(stored.attempt.operations.size()) - 1) {
      return connection.corrupt(fmt::format("the operations of attempt {} have gaps", stored.id));
    }
  }
}

Status read_samples(Connection& connection, Statement& statement, StoredAttempt& stored) {
  statement.reset();
  statement.bind(1, stored.id);
  while (true) {
    Result<bool> row = statement.step();
    if (!row) return row.error();
    if (!*row) return {};
    const std::int64_t position = statement.integer(0);
    Result<SampleKind> kind = read_enum(connection, statement.integer(1), SampleKind::kDevice, "sample kind");
    if (!kind) return kind.error();
    std::optional<std::vector<double>> seconds = decode_samples(statement.blob(2));
    if (!seconds || position < 0 || std::cmp_greater_equal(position, stored.attempt.operations.size())) {
      return connection.corrupt(fmt::format("the time samples of attempt {} do not fit", stored.id));
    }
    TimedOperation& operation = stored.attempt.operations[static_cast<std::size_t>(position)];
    (*kind == SampleKind::kWarm ? operation.warm_s : operation.device_s) = std::move(*seconds);
  }
}

bool wanted(const AttemptFilter& filter, const TargetName& target) {
  const std::vector<std::string>& names = filter.targets;
  return names.empty() || std::find(names.begin(), names.end(), target.target) != names.end();
}

// Steps through one query; `visit` says whether to go on, and so does the result.
class AttemptWalk {
 public:
  AttemptWalk(Connection& connection, const AttemptFilter& filter, std::vector<TargetName> targets,
              const std::function<bool(const StoredAttempt&)>& visit)
      : connection_(connection), filter_(filter), targets_(std::move(targets)), visit_(visit) {}

  Result<bool> walk(Statement& attempts, Statement& operations, Statement& samples) {
    while (true) {
      Result<bool> row = attempts.step();
      if (!row) return row.error();
      if (!*row) return true;
      if (!name_target(attempts.integer(1))) continue;
      if (Status read = read_attempt(connection_, attempts, filter_.columns.identity, stored_); !read)
        return read.error();
      if (filter_.columns.operations || filter_.columns.samples) {
        if (Status read = read_operations(connection_, operations, stored_); !read) return read.error();
      }
      if (filter_.columns.samples) {
        if (Status read = read_samples(connection_, samples, stored_); !read) return read.error();
      }
      if (!visit_(stored_)) return false;
    }
  }

 private:
  // False: it is of none of the targets. Many rows of one target follow each other.
  bool name_target(std::int64_t run_target_id) {
    if (named_ == run_target_id) return true;
    const auto at = std::find_if(targets_.begin(), targets_.end(),
                                 [&](const TargetName& one) { return one.id == run_target_id; });
    if (at == targets_.end()) return false;
    stored_.attempt.target = at->target;
    named_ = run_target_id;
    return true;
  }

  Connection& connection_;
  const AttemptFilter& filter_;
  std::vector<TargetName> targets_;
  const std::function<bool(const StoredAttempt&)>& visit_;
  StoredAttempt stored_;
  std::optional<std::int64_t> named_;
};

struct Stretch {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

// Where all the targets' attempts lie in the table, if little else lies there.
Result<std::optional<Stretch>> stretch_of(Connection& connection, const std::vector<TargetName>& targets) {
  Result<std::int64_t> runs = connection.integer("SELECT count(*) FROM runs");
  if (!runs) return runs.error();
  if (*runs == 1) {  // nothing else can lie there: there is no need to count
    return std::optional(Stretch{0, std::numeric_limits<std::int64_t>::max()});
  }
  Result<Statement> statement = connection.prepare(
      "SELECT count(*), min(id), max(id) FROM attempts "
      "WHERE run_target_id = ?1");
  if (!statement) return statement.error();
  std::int64_t count = 0;
  std::optional<Stretch> found;
  for (const TargetName& target : targets) {
    statement->reset();
    statement->bind(1, target.id);
    Result<bool> row = statement->step();
    if (!row) return row.error();
    if (!*row || statement->integer(0) == 0) continue;
    count += statement->integer(0);
    const Stretch own{statement->integer(1), statement->integer(2)};
    found = found ? Stretch{std::min(found->first, own.first), std::max(found->last, own.last)} : own;
  }
  if (found && (found->last - found->first) / 2 > count) found.reset();
  return found;
}

}  // namespace

Status Store::for_each_attempt(const AttemptFilter& filter,
                               const std::function<bool(const StoredAttempt&)>& visit) {
  Result<std::vector<RunInfo>> runs = select(filter.run);
  if (!runs) return runs.error();
  RunChoice choice = filter.run;
  if (choice.kind != RunChoice::Kind::kAll) choice = {RunChoice::Kind::kOne, runs->front().uuid};
  Result<std::vector<TargetName>> targets = target_names(*connection_, choice);
  if (!targets) return targets.error();
  std::erase_if(*targets, [&](const TargetName& one) { return !wanted(filter, one); });

  Result<Statement> attempts = connection_->prepare(query(choice, filter, *targets));
  if (!attempts) return attempts.error();
  if (!filter.function.empty()) attempts->bind(2, filter.function);
  Result<Statement> operations = connection_->prepare(
      "SELECT name, cold_s, cold_reason, warm_reason, inner_calls, position FROM operations "
      "WHERE attempt_id = ?1 ORDER BY position");
  if (!operations) return operations.error();
  Result<Statement> samples =
      connection_->prepare("SELECT position, kind, seconds FROM time_samples WHERE attempt_id = ?1");
  if (!samples) return samples.error();

  AttemptWalk walk(*connection_, filter, *targets, visit);
  if (choice.kind == RunChoice::Kind::kAll) {
    Result<bool> walked = walk.walk(*attempts, *operations, *samples);
    return walked ? Status() : Status(walked.error());
  }
  if (filter.as_committed && filter.function.empty()) {
    Result<std::optional<Stretch>> stretch = stretch_of(*connection_, *targets);
    if (!stretch) return stretch.error();
    if (*stretch) {
      Result<Statement> scan = connection_->prepare(query(choice, filter, *targets, true));
      if (!scan) return scan.error();
      scan->bind(1, (*stretch)->first);
      scan->bind(2, (*stretch)->last);
      Result<bool> walked = walk.walk(*scan, *operations, *samples);
      return walked ? Status() : Status(walked.error());
    }
  }
  for (const TargetName& target : *targets) {
    attempts->reset();
    attempts->bind(1, target.id);
    if (!filter.function.empty()) attempts->bind(2, filter.function);
    Result<bool> walked = walk.walk(*attempts, *operations, *samples);
    if (!walked) return walked.error();
    if (!*walked) return {};
  }
  return {};
}

}  // namespace seamark::store
