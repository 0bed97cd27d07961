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

// What every reader needs of every attempt.
constexpr std::string_view kHeadSql =
    "a.id, a.run_target_id, a.case_id, a.attempt, a.phase, a.outcome, a.evidence, a.wall_s, a.cpu_s, "
    "a.placement_proven, a.on_device, a.attributes";
constexpr int kHeadColumns = 12;

// The rest. What only some readers need is NULL for the others, so that every column keeps its place: SQLite
// skips what it is not asked for.
constexpr std::string_view kRestSql =
    "{identity}, a.signature, a.confirmed_by, a.failed, a.fail_stage, a.fail_type, a.precision_rerun, "
    "a.protocol, a.cold_kind, a.cold_s, a.cold_reason, a.warm_median_s, a.warm_low_s, a.warm_high_s, "
    "a.warm_min_s, a.warm_iqr_s, a.warm_n, a.warm_unstable, a.warm_reason, a.reason";
// Their places, from the first of the rest.
enum Rest : int {
  kName = 0,
  kHash,
  kMode,
  kStarted,
  kWaitStatus,
  kSignature,
  kConfirmedBy,
  kFailed,
  kStage,
  kType,
  kPrecisionRerun,
  kProtocol,
  kColdKind,
  kColdS,
  kColdReason,
  kWarmMedian,
  kWarmLow,
  kWarmHigh,
  kWarmMin,
  kWarmIqr,
  kWarmN,
  kWarmUnstable,
  kWarmReason,
  kReason,
  kMessage,
  kPlacement,
  kReference,
  kCompiled,
  kTraceback,
  kCapture,
};

// Of a pass such a reader needs nothing but the head, and most attempts are passes: the rest of the others is
// read beside it by a query of its own. Where runs are joined, asking twice takes longer than it spares.
bool is_brief(const RunChoice& choice, const AttemptColumns& wanted) {
  return choice.kind != RunChoice::Kind::kAll && !wanted.identity && !wanted.documents && !wanted.traceback;
}

bool has_rest(const Attempt& attempt) {
  return attempt.outcome != Outcome::kPass || attempt.phase == Phase::kTiming;
}

std::string rest_condition() {
  return fmt::format(" AND (a.outcome <> {} OR a.phase = {})", static_cast<int>(Outcome::kPass),
                     static_cast<int>(Phase::kTiming));
}

std::string rest_of(const AttemptColumns& wanted) {
  std::string columns =
      fmt::format(fmt::runtime(kRestSql),
                  fmt::arg("identity", wanted.identity ? "c.name, c.hash, a.mode, a.started_us, a.wait_status"
                                                       : "NULL, NULL, 1, 0, NULL"));
  columns += wanted.failure_text ? ", CASE WHEN a.failed THEN a.fail_message END" : ", NULL";
  columns += wanted.documents ? ", a.placement, a.reference, a.compiled" : ", NULL, NULL, NULL";
  columns += wanted.traceback ? ", a.fail_traceback, a.capture" : ", NULL, NULL";
  return columns;
}

enum class Part : std::uint8_t { kWhole, kHead, kRest };  // kRest: behind the id, of what has one

std::string columns_of(Part part, const AttemptColumns& wanted) {
  if (part == Part::kHead) return std::string(kHeadSql);
  if (part == Part::kRest) return "a.id, " + rest_of(wanted);
  return fmt::format("{}, {}", kHeadSql, rest_of(wanted));
}

// Of one run the attempts of one target, ?1, which are a stretch of an index; or, where they are scanned, the
// stretch of the table from ?1 to ?2. Of joined runs those of all these targets that are chosen.
std::string query(const RunChoice& choice, const AttemptFilter& filter,
                  const std::vector<TargetName>& targets, bool scan, Part part) {
  const bool joined = choice.kind == RunChoice::Kind::kAll;
  std::string sql = joined ? chosen_cte(choice) : std::string();
  sql += fmt::format("SELECT {} FROM ", columns_of(part, filter.columns));
  sql += joined ? "chosen CROSS JOIN attempts a ON a.run_target_id = chosen.run_target_id AND "
                  "a.case_id = chosen.case_id "
                : "attempts a ";
  if (filter.columns.identity || !filter.function.empty()) sql += "JOIN cases c ON c.id = a.case_id ";
  if (!filter.function.empty()) sql += "JOIN functions f ON f.id = c.function_id ";
  if (joined) {
    std::string ids;
    for (const TargetName& one : targets) ids += fmt::format("{}{}", ids.empty() ? "" : ", ", one.id);
    sql += fmt::format("WHERE a.run_target_id IN ({})", ids);
  } else {
    sql += scan ? "WHERE a.id BETWEEN ?1 AND ?2" : "WHERE a.run_target_id = ?1";
  }
  if (part == Part::kRest) sql += rest_condition();
  if (!filter.function.empty()) sql += " AND f.name = ?2";
  return sql + (scan ? " ORDER BY a.id" : " ORDER BY a.run_target_id, a.case_id, a.attempt");
}

// The rows of a query; in brief their heads, and beside them the rest of those that have one, in their order.
struct Rows {
  Statement head;  // or the whole
  std::optional<Statement> rest;

  static Result<Rows> prepare(Connection& connection, const RunChoice& choice, const AttemptFilter& filter,
                              const std::vector<TargetName>& targets, bool scan) {
    const bool brief = is_brief(choice, filter.columns);
    Result<Statement> head =
        connection.prepare(query(choice, filter, targets, scan, brief ? Part::kHead : Part::kWhole));
    if (!head) return head.error();
    Rows rows{std::move(*head), std::nullopt};
    if (!brief) return rows;
    Result<Statement> rest = connection.prepare(query(choice, filter, targets, scan, Part::kRest));
    if (!rest) return rest.error();
    rows.rest.emplace(std::move(*rest));
    return rows;
  }

  void reset() {
    head.reset();
    if (rest) rest->reset();
  }
  template <typename T>
  void bind(int index, const T& value) {
    head.bind(index, value);
    if (rest) rest->bind(index, value);
  }
};

// The columns of a row from `first` on.
struct Columns {
  const Statement& row;
  int first = 0;
  [[nodiscard]] std::string_view text(int column) const { return row.text(first + column); }
  [[nodiscard]] std::int64_t integer(int column) const { return row.integer(first + column); }
  [[nodiscard]] std::optional<double> maybe_number(int column) const {
    return row.maybe_number(first + column);
  }
};

void read_failure(const Columns& rest, Attempt& attempt) {
  if (rest.integer(kFailed) == 0) {
    attempt.failure.reset();
    return;
  }
  // Keeps the room that the texts have, as all of this does.
  Failure& failure = attempt.failure ? *attempt.failure : attempt.failure.emplace();
  failure.stage = rest.text(kStage);
  failure.type = rest.text(kType);
  failure.precision_rerun = rest.text(kPrecisionRerun);
  failure.message = rest.text(kMessage);
  failure.traceback = rest.text(kTraceback);
}

void read_latency(const Columns& rest, Latency& latency) {
  latency.protocol = rest.text(kProtocol);
  latency.cold_kind = rest.text(kColdKind);
  latency.cold_s = rest.maybe_number(kColdS);
  latency.cold_reason = rest.text(kColdReason);
  latency.warm_median_s = rest.maybe_number(kWarmMedian);
  latency.warm_low_s = rest.maybe_number(kWarmLow);
  latency.warm_high_s = rest.maybe_number(kWarmHigh);
  latency.warm_min_s = rest.maybe_number(kWarmMin);
  latency.warm_iqr_s = rest.maybe_number(kWarmIqr);
  latency.warm_n = rest.integer(kWarmN);
  latency.unstable = rest.integer(kWarmUnstable) != 0;
  latency.warm_reason = rest.text(kWarmReason);
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

Status read_head_enums(const Connection& connection, const Statement& row, Attempt& attempt) {
  Result<Phase> phase = read_enum(connection, row.integer(4), Phase::kTiming, "phase");
  if (!phase) return phase.error();
  Result<Outcome> outcome = read_enum(connection, row.integer(5), Outcome::kFlaky, "outcome");
  if (!outcome) return outcome.error();
  Result<Evidence> evidence = read_enum(connection, row.integer(6), Evidence::kVerified, "evidence");
  if (!evidence) return evidence.error();
  attempt.phase = *phase;
  attempt.outcome = *outcome;
  attempt.evidence = *evidence;
  return {};
}

// Into an attempt that held another before: everything is set anew.
Status read_head(const Connection& connection, const Statement& row, StoredAttempt& stored) {
  stored.id = row.integer(0);
  stored.run_target_id = row.integer(1);
  stored.case_id = row.integer(2);
  Attempt& attempt = stored.attempt;
  attempt.attempt = static_cast<int>(row.integer(3));
  if (Status read = read_head_enums(connection, row, attempt); !read) return read;
  attempt.wall_s = row.number(7);
  attempt.cpu_s = row.maybe_number(8);
  attempt.placement.proven = row.integer(9) != 0;
  attempt.placement.on_device.reset();
  if (const std::optional<std::int64_t> on_device = row.maybe_integer(10)) {
    attempt.placement.on_device = *on_device != 0;
  }
  attempt.attributes.clear();
  attempt.operations.clear();
  if (const std::string_view json = row.text(11); !json.empty()) {
    Result<std::vector<std::string>> attributes = decode_list(json);
    if (!attributes) return connection.corrupt("attributes: " + attributes.error().message());
    attempt.attributes = std::move(*attributes);
  }
  return {};
}

Status read_documents(const Connection& connection, const Columns& rest, Attempt& attempt) {
  Placement placement;
  placement.proven = attempt.placement.proven;
  placement.on_device = attempt.placement.on_device;
  if (Status read = decode_placement(rest.text(kPlacement), placement); !read) {
    return connection.corrupt("placement: " + read.error().message());
  }
  attempt.placement = std::move(placement);
  if (Status read = read_document_of(connection, rest.text(kReference), attempt.reference); !read)
    return read;
  return read_document_of(connection, rest.text(kCompiled), attempt.compiled);
}

Status read_rest(const Connection& connection, const Columns& rest, const AttemptColumns& wanted,
                 Attempt& attempt) {
  attempt.case_name = rest.text(kName);
  attempt.case_hash = rest.text(kHash);
  Result<WorkerMode> mode = read_enum(connection, rest.integer(kMode), WorkerMode::kProcess, "worker mode");
  if (!mode) return mode.error();
  attempt.mode = *mode;
  attempt.started_unix_us = rest.integer(kStarted);
  attempt.wait_status.reset();
  if (const auto status = rest.row.maybe_integer(rest.first + kWaitStatus)) {
    attempt.wait_status = static_cast<int>(*status);
  }
  attempt.signature = rest.text(kSignature);
  attempt.confirmed_by = rest.text(kConfirmedBy);
  attempt.reason = rest.text(kReason);
  attempt.capture = rest.text(kCapture);
  if (wanted.identity || attempt.phase == Phase::kTiming) {
    read_latency(rest, attempt.latency);
  } else {
    attempt.latency = Latency{};
  }
  read_failure(rest, attempt);
  return wanted.documents ? read_documents(connection, rest, attempt) : Status();
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

// What belongs to an attempt and stands elsewhere.
struct Details {
  Statement operations;
  Statement samples;
};

// Steps through one query; `visit` says whether to go on, and so does the result.
class AttemptWalk {
 public:
  AttemptWalk(Connection& connection, const AttemptFilter& filter, std::vector<TargetName> targets,
              const std::function<bool(const StoredAttempt&)>& visit)
      : connection_(connection), filter_(filter), targets_(std::move(targets)), visit_(visit) {}

  Result<bool> walk(Rows& rows, Details& details) {
    while (true) {
      Result<bool> row = rows.head.step();
      if (!row) return row.error();
      if (!*row) return true;
      if (!name_target(rows.head.integer(1))) continue;
      if (Status read = read_attempt(rows); !read) return read.error();
      if (filter_.columns.operations || filter_.columns.samples) {
        if (Status read = read_operations(connection_, details.operations, stored_); !read)
          return read.error();
      }
      if (filter_.columns.samples) {
        if (Status read = read_samples(connection_, details.samples, stored_); !read) return read.error();
      }
      if (!visit_(stored_)) return false;
    }
  }

 private:
  Status read_attempt(Rows& rows) {
    Attempt& attempt = stored_.attempt;
    if (Status read = read_head(connection_, rows.head, stored_); !read) return read;
    if (!rows.rest) return read_rest(connection_, {rows.head, kHeadColumns}, filter_.columns, attempt);
    const bool had_rest = std::exchange(has_rest_, has_rest(attempt));
    if (!has_rest_) {
      if (had_rest) clear_rest(attempt);
      return {};
    }
    do {  // that of other targets is passed over
      Result<bool> row = rows.rest->step();
      if (!row) return row.error();
      if (!*row) return connection_.corrupt(fmt::format("attempt {} is there by half", stored_.id));
    } while (rows.rest->integer(0) != stored_.id);
    return read_rest(connection_, {*rows.rest, 1}, filter_.columns, attempt);
  }

  static void clear_rest(Attempt& attempt) {
    for (std::string* text : {&attempt.signature, &attempt.confirmed_by, &attempt.reason}) text->clear();
    attempt.failure.reset();
    attempt.latency = Latency{};
  }

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
  bool has_rest_ = false;  // the attempt that was read last, in brief
};

Result<Details> details_of(Connection& connection) {
  Result<Statement> operations = connection.prepare(
      "SELECT name, cold_s, cold_reason, warm_reason, inner_calls, position FROM operations "
      "WHERE attempt_id = ?1 ORDER BY position");
  if (!operations) return operations.error();
  Result<Statement> samples =
      connection.prepare("SELECT position, kind, seconds FROM time_samples WHERE attempt_id = ?1");
  if (!samples) return samples.error();
  return Details{std::move(*operations), std::move(*samples)};
}

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

  Result<Details> details = details_of(*connection_);
  if (!details) return details.error();
  AttemptWalk walk(*connection_, filter, *targets, visit);

  if (filter.as_committed && filter.function.empty() && choice.kind != RunChoice::Kind::kAll) {
    Result<std::optional<Stretch>> stretch = stretch_of(*connection_, *targets);
    if (!stretch) return stretch.error();
    if (*stretch) {
      Result<Rows> rows = Rows::prepare(*connection_, choice, filter, *targets, true);
      if (!rows) return rows.error();
      rows->bind(1, (*stretch)->first);
      rows->bind(2, (*stretch)->last);
      Result<bool> walked = walk.walk(*rows, *details);
      return walked ? Status() : Status(walked.error());
    }
  }
  Result<Rows> rows = Rows::prepare(*connection_, choice, filter, *targets, false);
  if (!rows) return rows.error();
  if (choice.kind == RunChoice::Kind::kAll) {
    if (!filter.function.empty()) rows->bind(2, filter.function);
    Result<bool> walked = walk.walk(*rows, *details);
    return walked ? Status() : Status(walked.error());
  }
  for (const TargetName& target : *targets) {
    rows->reset();
    rows->bind(1, target.id);
    if (!filter.function.empty()) rows->bind(2, filter.function);
    Result<bool> walked = walk.walk(*rows, *details);
    if (!walked) return walked.error();
    if (!*walked) return {};
  }
  return {};
}

}  // namespace seamark::store
