// Store::for_each_attempt: streams attempts, reading only the columns that were asked for.

#include <fmt/format.h>

#include <utility>

#include "seamark/store/connection.h"
#include "seamark/store/encode.h"
#include "seamark/store/run_reader.h"
#include "seamark/store/store.h"

namespace seamark::store {

namespace {

constexpr std::string_view kAlways =
    "a.id, a.run_target_id, a.case_id, t.target, c.name, c.hash, a.attempt, a.phase, a.mode, a.outcome, "
    "a.evidence, a.started_us, a.wall_s, a.cpu_s, a.wait_status, a.signature, a.confirmed_by, a.failed, "
    "a.fail_stage, a.fail_type, a.precision_rerun, a.placement_proven, a.on_device, a.attributes, "
    "a.protocol, "
    "a.cold_kind, a.cold_s, a.cold_reason, a.warm_median_s, a.warm_low_s, a.warm_high_s, a.warm_min_s, "
    "a.warm_iqr_s, a.warm_n, a.warm_unstable, a.warm_reason, a.reason";
constexpr int kFirstOptional = 37;

std::string query(const RunChoice& choice, const AttemptFilter& filter) {
  std::string columns(kAlways);
  columns += filter.columns.failure_text ? ", a.fail_message" : ", NULL";
  columns += filter.columns.documents ? ", a.placement, a.reference, a.compiled" : ", NULL, NULL, NULL";
  columns += filter.columns.traceback ? ", a.fail_traceback, a.capture" : ", NULL, NULL";
  std::string where;
  int parameter = 2;
  if (!filter.function.empty()) where += fmt::format(" AND f.name = ?{}", parameter++);
  if (!filter.targets.empty()) {
    where += " AND t.target IN (";
    for (std::size_t i = 0; i < filter.targets.size(); ++i) {
      where += fmt::format("{}?{}", i == 0 ? "" : ", ", parameter++);
    }
    where += ')';
  }
  return fmt::format(
      "{}SELECT {} FROM chosen CROSS JOIN attempts a ON a.run_target_id = chosen.run_target_id AND "
      "a.case_id = chosen.case_id JOIN run_targets t ON t.id = a.run_target_id JOIN cases c ON c.id = "
      "a.case_id "
      "JOIN functions f ON f.id = c.function_id WHERE 1{} ORDER BY a.run_target_id, a.case_id, a.attempt",
      chosen_cte(choice), columns, where);
}

void read_failure(const Statement& row, Attempt& attempt) {
  if (row.integer(17) == 0) return;
  Failure& failure = attempt.failure.emplace();
  failure.stage = row.string(18);
  failure.type = row.string(19);
  failure.precision_rerun = row.string(20);
  failure.message = row.string(kFirstOptional);
  failure.traceback = row.string(kFirstOptional + 4);
}

void read_latency(const Statement& row, Latency& latency) {
  latency.protocol = row.string(24);
  latency.cold_kind = row.string(25);
  latency.cold_s = row.maybe_number(26);
  latency.cold_reason = row.string(27);
  latency.warm_median_s = row.maybe_number(28);
  latency.warm_low_s = row.maybe_number(29);
  latency.warm_high_s = row.maybe_number(30);
  latency.warm_min_s = row.maybe_number(31);
  latency.warm_iqr_s = row.maybe_number(32);
  latency.warm_n = row.integer(33);
  latency.unstable = row.integer(34) != 0;
  latency.warm_reason = row.string(35);
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

Status read_documents(const Connection& connection, const Statement& row, Attempt& attempt) {
  Result<std::vector<std::string>> attributes = decode_list(row.text(23));
  if (!attributes) return connection.corrupt("attributes: " + attributes.error().message());
  attempt.attributes = std::move(*attributes);
  if (Status read = decode_placement(row.text(kFirstOptional + 1), attempt.placement); !read) {
    return connection.corrupt("placement: " + read.error().message());
  }
  Result<Value> reference = read_document(connection, row.text(kFirstOptional + 2));
  if (!reference) return reference.error();
  attempt.reference = std::move(*reference);
  Result<Value> compiled = read_document(connection, row.text(kFirstOptional + 3));
  if (!compiled) return compiled.error();
  attempt.compiled = std::move(*compiled);
  return {};
}

Status read_attempt(const Connection& connection, const Statement& row, StoredAttempt& stored) {
  stored.id = row.integer(0);
  stored.run_target_id = row.integer(1);
  stored.case_id = row.integer(2);
  Attempt& attempt = stored.attempt;
  attempt.target = row.string(3);
  attempt.case_name = row.string(4);
  attempt.case_hash = row.string(5);
  attempt.attempt = static_cast<int>(row.integer(6));
  attempt.started_unix_us = row.integer(11);
  attempt.wall_s = row.number(12);
  attempt.cpu_s = row.maybe_number(13);
  if (const std::optional<std::int64_t> status = row.maybe_integer(14)) {
    attempt.wait_status = static_cast<int>(*status);
  }
  attempt.signature = row.string(15);
  attempt.confirmed_by = row.string(16);
  attempt.placement.proven = row.integer(21) != 0;
  if (const std::optional<std::int64_t> on_device = row.maybe_integer(22)) {
    attempt.placement.on_device = *on_device != 0;
  }
  attempt.reason = row.string(36);
  attempt.capture = row.string(kFirstOptional + 5);
  read_latency(row, attempt.latency);
  if (Status read = read_enums(connection, row, attempt); !read) return read;
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

}  // namespace

Status Store::for_each_attempt(const AttemptFilter& filter,
                               const std::function<bool(const StoredAttempt&)>& visit) {
  Result<std::vector<RunInfo>> runs = select(filter.run);
  if (!runs) return runs.error();
  RunChoice choice = filter.run;
  if (choice.kind != RunChoice::Kind::kAll) choice = {RunChoice::Kind::kOne, runs->front().uuid};

  Result<Statement> attempts = connection_->prepare(query(choice, filter));
  if (!attempts) return attempts.error();
  if (choice.kind != RunChoice::Kind::kAll) attempts->bind(1, choice.id);
  int parameter = 2;
  if (!filter.function.empty()) attempts->bind(parameter++, filter.function);
  for (const std::string& target : filter.targets) attempts->bind(parameter++, target);

  Result<Statement> operations = connection_->prepare(
      "SELECT name, cold_s, cold_reason, warm_reason, inner_calls, position FROM operations "
      "WHERE attempt_id = ?1 ORDER BY position");
  if (!operations) return operations.error();
  Result<Statement> samples =
      connection_->prepare("SELECT position, kind, seconds FROM time_samples WHERE attempt_id = ?1");
  if (!samples) return samples.error();

  while (true) {
    Result<bool> row = attempts->step();
    if (!row) return row.error();
    if (!*row) return {};
    StoredAttempt stored;
    if (Status read = read_attempt(*connection_, *attempts, stored); !read) return read;
    if (filter.columns.operations || filter.columns.samples) {
      if (Status read = read_operations(*connection_, *operations, stored); !read) return read;
    }
    if (filter.columns.samples) {
      if (Status read = read_samples(*connection_, *samples, stored); !read) return read;
    }
    if (!visit(stored)) return {};
  }
}

}  // namespace seamark::store
