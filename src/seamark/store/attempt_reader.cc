// Store::for_each_attempt: streams attempts, reading only the columns that were asked for.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "seamark/store/attempt_columns.h"
#include "seamark/store/connection.h"
#include "seamark/store/encode.h"
#include "seamark/store/run_reader.h"
#include "seamark/store/store.h"

namespace seamark::store {

namespace {

// Summaries need only the head columns of passes, which are most rows; a second query fetches the rest of the
// others. Where runs are joined, asking twice takes longer than it spares.
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

enum class Part : std::uint8_t { kWhole, kHead, kRest };  // kRest: behind the id, of what has one

bool is_wanted(const AttemptColumn& column, const AttemptColumns& wanted, Part part) {
  if (column.stored.empty()) return false;
  switch (column.load) {
    case Load::kHead:
      return part != Part::kRest;
    case Load::kRest:
      return part != Part::kHead;
    case Load::kIdentity:
      return part != Part::kHead && wanted.identity;
    case Load::kFailureText:
      return part != Part::kHead && wanted.failure_text;
    case Load::kDocuments:
      return part != Part::kHead && wanted.documents;
    case Load::kTraceback:
      return part != Part::kHead && wanted.traceback;
  }
  return false;
}

// The columns of a query behind its first ones, in order.
using Selected = std::vector<const AttemptColumn*>;

Selected select_columns(Part part, const AttemptColumns& wanted) {
  Selected selected;
  for (const AttemptColumn& column : attempt_columns()) {
    if (is_wanted(column, wanted, part)) selected.push_back(&column);
  }
  return selected;
}

// The row's ids, and the name and hash of its case where they are wanted, stand before the columns.
constexpr std::string_view kIds = "a.id, a.run_target_id, a.case_id, {}";
constexpr int kHeadFrom = 5;  // also of the whole
constexpr int kRestFrom = 1;

std::string columns_of(Part part, const AttemptColumns& wanted) {
  std::string sql =
      part == Part::kRest
          ? "a.id"
          : fmt::format(fmt::runtime(kIds),
                        part == Part::kWhole && wanted.identity ? "c.name, c.hash" : "NULL, NULL");
  // A text behind the row's own page is read for what failed alone.
  for (const AttemptColumn* column : select_columns(part, wanted)) {
    sql += fmt::format(
        fmt::runtime(column->load == Load::kFailureText ? ", CASE WHEN a.failed THEN a.{} END" : ", a.{}"),
        column->stored);
  }
  return sql;
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
      : connection_(connection),
        filter_(filter),
        targets_(std::move(targets)),
        visit_(visit),
        head_(select_columns(is_brief(filter.run, filter.columns) ? Part::kHead : Part::kWhole,
                             filter.columns)),
        rest_(select_columns(Part::kRest, filter.columns)) {}

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
    stored_.id = rows.head.integer(0);
    stored_.run_target_id = rows.head.integer(1);
    stored_.case_id = rows.head.integer(2);
    attempt.case_name = rows.head.text(3);
    attempt.case_hash = rows.head.text(4);
    attempt.operations.clear();
    if (Status read = read_columns(head_, rows.head, kHeadFrom); !read || !rows.rest) return read;
    const bool had_rest = std::exchange(has_rest_, has_rest(attempt));
    if (!has_rest_) {
      if (had_rest) {
        for (const AttemptColumn* column : rest_) clear_column(*column, {.attempt = &attempt});
      }
      return {};
    }
    do {  // that of other targets is passed over
      Result<bool> row = rows.rest->step();
      if (!row) return row.error();
      if (!*row) return connection_.corrupt(fmt::format("attempt {} is there by half", stored_.id));
    } while (rows.rest->integer(0) != stored_.id);
    return read_columns(rest_, *rows.rest, kRestFrom);
  }

  // Into an attempt that held another before: everything is set anew.
  Status read_columns(const Selected& columns, const Statement& row, int first) {
    const AttemptSlot slot{.attempt = &stored_.attempt};
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (Status read = read_column(*columns[i], slot, connection_, row, first + static_cast<int>(i)); !read)
        return read;
    }
    return {};
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
  Selected head_;  // or the whole
  Selected rest_;
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
