#include "seamark/store/run_reader.h"

#include <algorithm>
#include <span>
#include <utility>

#include "seamark/store/encode.h"

namespace seamark::store {

namespace {

constexpr std::string_view kRunColumns =
    "SELECT uuid, state, state_reason, command, seed, protocol, proof, reference, subset_note, full_command, "
    "started_us, ended_us, wall_s, cpu_s, host, versions, options FROM runs ";

Result<RunInfo> read_run(const Connection& connection, const Statement& row) {
  RunInfo run;
  run.uuid = row.string(0);
  Result<RunState> state = read_enum(connection, row.integer(1), RunState::kFailed, "run state");
  if (!state) return state.error();
  run.state = *state;
  run.state_reason = row.string(2);
  run.command = row.string(3);
  run.seed = row.integer(4);
  run.protocol = row.string(5);
  run.proof = row.integer(6) != 0;
  run.reference = row.integer(7) != 0;
  run.subset_note = row.string(8);
  run.full_command = row.string(9);
  run.started_unix_us = row.integer(10);
  run.ended_unix_us = row.maybe_integer(11);
  run.wall_s = row.maybe_number(12);
  run.cpu_s = row.maybe_number(13);
  int column = 14;
  for (Value* document : {&run.host, &run.versions, &run.options}) {
    Result<Value> value = read_document(connection, row.text(column++));
    if (!value) return value.error();
    *document = std::move(*value);
  }
  return run;
}

Result<Statement> prepare_for(Connection& connection, const RunChoice& choice, const std::string& sql) {
  Result<Statement> statement = connection.prepare(sql);
  if (statement && choice.kind != RunChoice::Kind::kAll) statement->bind(1, choice.id);
  return statement;
}

Result<StoredTarget> read_target(const Connection& connection, const Statement& row) {
  StoredTarget stored;
  RunTarget& target = stored.target;
  stored.id = row.integer(0);
  stored.run = row.string(1);
  target.target = row.string(2);
  target.framework = row.string(3);
  target.framework_version = row.string(4);
  target.device_name = row.string(5);
  Result<WorkerMode> mode = read_enum(connection, row.integer(6), WorkerMode::kProcess, "worker mode");
  if (!mode) return mode.error();
  target.mode = *mode;
  target.baseline = row.string(7);
  target.usable = row.integer(8) != 0;
  target.reason = row.string(9);
  target.remedy = row.string(10);
  stored.environment_hash = row.string(11);
  stored.planned = row.integer(12) != 0;
  int column = 13;
  for (Value* document : {&target.entry, &target.facts, &target.environment_lock}) {
    Result<Value> value = read_document(connection, row.text(column++));
    if (!value) return value.error();
    *document = std::move(*value);
  }
  return stored;
}

Result<StoredCase> read_case(const Connection& connection, const Statement& row) {
  StoredCase stored;
  CaseInfo& info = stored.info;
  stored.id = row.integer(0);
  info.name = row.string(1);
  info.function = row.string(2);
  info.framework = row.string(3);
  info.suite = row.string(4);
  info.hash = row.string(5);
  info.dtype = row.string(6);
  info.shape = row.string(7);
  info.core = row.integer(8) != 0;
  info.quick = row.integer(9) != 0;
  info.host_only = row.integer(10) != 0;
  info.grad = row.integer(11) != 0;
  info.timeout_s = row.number(12);
  Result<Value> params = read_document(connection, row.text(13));
  if (!params) return params.error();
  info.params = std::move(*params);
  return stored;
}

// Latest becomes that run's id; a beginning of an id becomes the whole.
Result<RunChoice> resolve(Store& store, const RunChoice& choice) {
  Result<std::vector<RunInfo>> runs = store.select(choice);
  if (!runs) return runs.error();
  if (choice.kind == RunChoice::Kind::kAll) return choice;
  return RunChoice{RunChoice::Kind::kOne, runs->front().uuid};
}

// Reads all rows of a query on the chosen runs through `read`.
template <typename T, typename Read>
Result<std::vector<T>> read_rows(Store& store, Connection& connection, const RunChoice& choice,
                                 const std::string& one, const std::string& all, Read read) {
  Result<RunChoice> resolved = resolve(store, choice);
  if (!resolved) return resolved.error();
  const bool joined = resolved->kind == RunChoice::Kind::kAll;
  Result<Statement> statement = prepare_for(connection, *resolved, joined ? all : one);
  if (!statement) return statement.error();
  std::vector<T> rows;
  while (true) {
    Result<bool> row = statement->step();
    if (!row) return row.error();
    if (!*row) return rows;
    Result<T> value = read(connection, *statement);
    if (!value) return value.error();
    rows.push_back(std::move(*value));
  }
}

}  // namespace

std::vector<std::span<const PlannedCase>> by_target(std::span<const PlannedCase> planned) {
  std::vector<std::span<const PlannedCase>> out;
  while (!planned.empty()) {
    const auto next = std::find_if(planned.begin(), planned.end(), [&](const PlannedCase& one) {
      return one.run_target_id != planned.front().run_target_id;
    });
    out.push_back(planned.first(static_cast<std::size_t>(next - planned.begin())));
    planned = planned.subspan(out.back().size());
  }
  return out;
}

Result<Value> read_document(const Connection& connection, std::string_view json) {
  Result<Value> value = decode_document(json);
  if (!value) return connection.corrupt("a document is no JSON: " + value.error().message());
  return value;
}

Result<std::vector<RunInfo>> read_runs(Connection& connection, const std::string& where) {
  Result<Statement> statement =
      connection.prepare(std::string(kRunColumns) + where + " ORDER BY started_us DESC, id DESC");
  if (!statement) return statement.error();
  std::vector<RunInfo> runs;
  while (true) {
    Result<bool> row = statement->step();
    if (!row) return row.error();
    if (!*row) return runs;
    Result<RunInfo> run = read_run(connection, *statement);
    if (!run) return run.error();
    runs.push_back(std::move(*run));
  }
}

std::string chosen_cte(const RunChoice& choice) {
  if (choice.kind != RunChoice::Kind::kAll) {
    return "WITH chosen(run_target_id, case_id) AS (SELECT p.run_target_id, p.case_id FROM runs r "
           "JOIN run_targets t ON t.run_id = r.id JOIN plan p ON p.run_target_id = t.id WHERE r.uuid = ?1) ";
  }
  // Per target and case name the latest run that attempted it, or planned it where none did.
  return "WITH ranked AS (SELECT p.run_target_id, p.case_id, row_number() OVER (PARTITION BY t.target, "
         "c.name "
         "ORDER BY EXISTS (SELECT 1 FROM attempts a WHERE a.run_target_id = p.run_target_id AND "
         "a.case_id = p.case_id) DESC, r.started_us DESC, r.id DESC, c.id DESC) AS place FROM plan p "
         "JOIN run_targets t ON t.id = p.run_target_id JOIN runs r ON r.id = t.run_id "
         "JOIN cases c ON c.id = p.case_id), "
         "chosen(run_target_id, case_id) AS (SELECT run_target_id, case_id FROM ranked WHERE place = 1) ";
}

Result<std::vector<StoredTarget>> Store::targets(const RunChoice& choice) {
  const std::string select =
      "SELECT t.id, r.uuid, t.target, t.framework, t.framework_version, t.device_name, t.mode, t.baseline, "
      "t.usable, t.reason, t.remedy, e.hash, EXISTS (SELECT 1 FROM plan p WHERE p.run_target_id = t.id), "
      "t.entry, t.facts, e.lock FROM runs r JOIN run_targets t ON t.run_id = r.id "
      "LEFT JOIN environments e ON e.id = t.environment_id ";
  return read_rows<StoredTarget>(*this, *connection_, choice, select + "WHERE r.uuid = ?1 ORDER BY t.id",
                                 select + "ORDER BY r.started_us, t.id", read_target);
}

Result<std::vector<StoredCase>> Store::cases(const RunChoice& choice) {
  const std::string rest =
      "SELECT c.id, c.name, f.name, f.framework, c.suite, c.hash, c.dtype, c.shape, max(p.core), "
      "c.quick, "
      "max(p.host_only), c.grad, c.timeout_s, c.params FROM chosen JOIN plan p USING (run_target_id, "
      "case_id) "
      "JOIN cases c ON c.id = p.case_id JOIN functions f ON f.id = c.function_id "
      "GROUP BY c.id ORDER BY f.framework, f.name, c.name";
  const std::string one = chosen_cte({RunChoice::Kind::kOne, {}}) + rest;
  const std::string all = chosen_cte({RunChoice::Kind::kAll, {}}) + rest;
  return read_rows<StoredCase>(*this, *connection_, choice, one, all, read_case);
}

Result<std::vector<PlannedCase>> Store::planned(const RunChoice& choice) {
  const std::string rest =
      "SELECT p.run_target_id, p.case_id, p.core, p.host_only FROM chosen "
      "JOIN plan p USING (run_target_id, case_id) ORDER BY p.run_target_id, p.case_id";
  const std::string one = chosen_cte({RunChoice::Kind::kOne, {}}) + rest;
  const std::string all = chosen_cte({RunChoice::Kind::kAll, {}}) + rest;
  return read_rows<PlannedCase>(*this, *connection_, choice, one, all,
                                [](const Connection&, const Statement& row) -> Result<PlannedCase> {
                                  return PlannedCase{row.integer(0), row.integer(1), row.integer(2) != 0,
                                                     row.integer(3) != 0};
                                });
}

Result<std::vector<TargetName>> target_names(Connection& connection, const RunChoice& choice) {
  const bool joined = choice.kind == RunChoice::Kind::kAll;
  Result<Statement> statement = connection.prepare(
      joined ? "SELECT id, target FROM run_targets ORDER BY id"
             : "SELECT t.id, t.target FROM run_targets t JOIN runs r ON r.id = t.run_id WHERE r.uuid = ?1 "
               "ORDER BY t.id");
  if (!statement) return statement.error();
  if (!joined) statement->bind(1, choice.id);
  std::vector<TargetName> out;
  while (true) {
    Result<bool> row = statement->step();
    if (!row) return row.error();
    if (!*row) return out;
    out.push_back({statement->integer(0), statement->string(1)});
  }
}

namespace {

// Of one run, target by target: each is a range of the plan's key, so nothing is sorted.
Result<std::vector<PlannedCase>> plan_of_run(Connection& connection, const RunChoice& choice) {
  Result<std::vector<TargetName>> targets = target_names(connection, choice);
  if (!targets) return targets.error();
  Result<Statement> statement = connection.prepare(
      "SELECT case_id, core, host_only FROM plan WHERE run_target_id = ?1 ORDER BY case_id");
  if (!statement) return statement.error();
  std::vector<PlannedCase> out;
  for (const TargetName& target : *targets) {
    statement->reset();
    statement->bind(1, target.id);
    while (true) {
      Result<bool> row = statement->step();
      if (!row) return row.error();
      if (!*row) break;
      out.push_back(
          {target.id, statement->integer(0), statement->integer(1) != 0, statement->integer(2) != 0});
    }
  }
  return out;
}

struct PlannedFlags {
  std::int64_t case_id = 0;
  bool core = false;
  bool host_only = false;
};

// Of two in order of case. A case is core where it is on any target.
std::vector<PlannedFlags> joined(const std::vector<PlannedFlags>& known, std::span<const PlannedCase> more) {
  std::vector<PlannedFlags> out;
  out.reserve(std::max(known.size(), more.size()));
  auto old = known.begin();
  for (const PlannedCase& one : more) {
    while (old != known.end() && old->case_id < one.case_id) out.push_back(*old++);
    out.push_back({one.case_id, one.core, one.host_only});
    if (old == known.end() || old->case_id != one.case_id) continue;
    out.back().core |= old->core;
    out.back().host_only |= old->host_only;
    ++old;
  }
  out.insert(out.end(), old, known.end());
  return out;
}

// By case, from what is by target and then case.
std::vector<PlannedFlags> flags_of(std::span<const PlannedCase> planned) {
  std::vector<PlannedFlags> out;
  for (const std::span<const PlannedCase> of_target : by_target(planned)) out = joined(out, of_target);
  return out;
}

Result<std::vector<StoredCase>> cases_of(Connection& connection, const std::vector<PlannedFlags>& flags) {
  Result<Statement> statement = connection.prepare(
      "SELECT c.id, c.name, f.name, f.framework, c.suite, c.hash, c.dtype, c.shape, c.quick, c.grad, "
      "c.timeout_s FROM cases c JOIN functions f ON f.id = c.function_id ORDER BY f.framework, f.name, "
      "c.name");
  if (!statement) return statement.error();
  std::vector<StoredCase> out;
  out.reserve(flags.size());
  while (true) {
    Result<bool> row = statement->step();
    if (!row) return row.error();
    if (!*row) return out;
    const std::int64_t id = statement->integer(0);
    const auto at =
        std::lower_bound(flags.begin(), flags.end(), id,
                         [](const PlannedFlags& one, std::int64_t key) { return one.case_id < key; });
    if (at == flags.end() || at->case_id != id) continue;
    StoredCase& stored = out.emplace_back();
    stored.id = id;
    stored.info.name = statement->string(1);
    stored.info.function = statement->string(2);
    stored.info.framework = statement->string(3);
    stored.info.suite = statement->string(4);
    stored.info.hash = statement->string(5);
    stored.info.dtype = statement->string(6);
    stored.info.shape = statement->string(7);
    stored.info.core = at->core;
    stored.info.quick = statement->integer(8) != 0;
    stored.info.host_only = at->host_only;
    stored.info.grad = statement->integer(9) != 0;
    stored.info.timeout_s = statement->number(10);
  }
}

}  // namespace

Result<StoredPlan> Store::plan(const RunChoice& choice) {
  Result<RunChoice> resolved = resolve(*this, choice);
  if (!resolved) return resolved.error();
  Result<std::vector<PlannedCase>> planned = resolved->kind == RunChoice::Kind::kAll
                                                 ? this->planned(*resolved)
                                                 : plan_of_run(*connection_, *resolved);
  if (!planned) return planned.error();
  Result<std::vector<StoredCase>> cases = cases_of(*connection_, flags_of(*planned));
  if (!cases) return cases.error();
  return StoredPlan{std::move(*cases), std::move(*planned)};
}

Result<std::vector<StoredEvent>> Store::events(const RunChoice& choice, std::string_view kind) {
  const std::string select =
      "SELECT r.uuid, e.at_us, e.kind, e.detail FROM runs r JOIN events e ON e.run_id = r.id ";
  Result<std::vector<StoredEvent>> events = read_rows<StoredEvent>(
      *this, *connection_, choice, select + "WHERE r.uuid = ?1 ORDER BY e.id", select + "ORDER BY e.id",
      [](const Connection& connection, const Statement& row) -> Result<StoredEvent> {
        Result<Value> detail = read_document(connection, row.text(3));
        if (!detail) return detail.error();
        return StoredEvent{row.string(0), row.integer(1), row.string(2), std::move(*detail)};
      });
  if (events && !kind.empty()) {
    std::erase_if(*events, [&](const StoredEvent& event) { return event.kind != kind; });
  }
  return events;
}

Result<std::vector<DoneAttempt>> Store::done(std::string_view uuid) {
  Result<Statement> statement = connection_->prepare(
      "SELECT t.target, c.name, c.hash, a.attempt, a.phase, a.outcome, a.signature, a.confirmed_by FROM runs "
      "r "
      "JOIN run_targets t ON t.run_id = r.id JOIN attempts a ON a.run_target_id = t.id "
      "JOIN cases c ON c.id = a.case_id WHERE r.uuid = ?1 ORDER BY a.run_target_id, a.case_id, a.attempt");
  if (!statement) return statement.error();
  statement->bind(1, uuid);
  std::vector<DoneAttempt> done;
  while (true) {
    Result<bool> row = statement->step();
    if (!row) return row.error();
    if (!*row) return done;
    Result<Phase> phase = read_enum(*connection_, statement->integer(4), Phase::kTiming, "phase");
    if (!phase) return phase.error();
    Result<Outcome> outcome = read_enum(*connection_, statement->integer(5), Outcome::kFlaky, "outcome");
    if (!outcome) return outcome.error();
    done.push_back({statement->string(0), statement->string(1), statement->string(2),
                    static_cast<int>(statement->integer(3)), *phase, *outcome, statement->string(6),
                    statement->string(7)});
  }
}

}  // namespace seamark::store
