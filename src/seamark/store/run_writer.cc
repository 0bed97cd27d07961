#include <fmt/format.h>

#include <array>
#include <deque>
#include <map>
#include <random>
#include <utility>

#include "seamark/base/clock.h"
#include "seamark/base/text.h"
#include "seamark/model/outcome.h"
#include "seamark/store/attempt_columns.h"
#include "seamark/store/connection.h"
#include "seamark/store/encode.h"
#include "seamark/store/run_owner.h"
#include "seamark/store/run_reader.h"
#include "seamark/store/store.h"

namespace seamark::store {

namespace {

// Random, as RFC 9562 says of version 4.
std::string draw_uuid() {
  std::random_device device;
  std::array<std::uint8_t, 16> bytes{};
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(device());
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3f) | 0x80);
  const std::string hex = to_hex(bytes);
  return fmt::format("{}-{}-{}-{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(12, 4),
                     hex.substr(16, 4), hex.substr(20));
}

std::int64_t now_us() { return SystemClock().unix_us(); }

Result<std::int64_t> one_integer(Result<Statement>& statement) {
  if (!statement) return statement.error();
  Result<bool> row = statement->step();
  if (!row) return row.error();
  const std::int64_t value = *row ? statement->integer(0) : 0;
  statement->reset();
  return value;
}

// With a parameter for each stored column, in the registry's order, behind target and case.
std::string insert_sql() {
  std::string names = "run_target_id, case_id";
  std::string values = "?, ?";
  for (const AttemptColumn& column : attempt_columns()) {
    if (column.stored.empty()) continue;
    names += fmt::format(", {}", column.stored);
    values += ", ?";
  }
  return fmt::format("INSERT INTO attempts({}) VALUES ({}) ON CONFLICT DO NOTHING RETURNING id", names,
                     values);
}

using CaseKey = std::pair<std::string, std::string>;  // name, hash

struct TargetState {
  std::int64_t id = 0;
  std::map<CaseKey, std::int64_t> cases;  // what is planned
};

}  // namespace

struct RunWriter::Impl {
  std::shared_ptr<Connection> connection;
  std::string uuid;
  std::int64_t run_id = 0;
  std::map<std::string, TargetState, std::less<>> targets;
  std::map<CaseKey, std::int64_t> case_ids;
  std::map<std::pair<std::string, std::string>, std::int64_t> function_ids;
  bool insert_only = false;
  std::vector<std::string> kept;
  std::string insert_attempt_sql = insert_sql();

  Status load_plan();
  Result<std::optional<std::int64_t>> environment_id(const Value& lock);
  Result<std::int64_t> function_id(const CaseInfo& info);
  Result<std::int64_t> case_id(const CaseInfo& info);
  Result<std::optional<std::int64_t>> known_case(const CaseInfo& info);
  Status keep_target(const RunTarget& target, std::int64_t id);
  Status keep_planned(std::string_view target, std::int64_t target_id, const CaseInfo& info,
                      std::int64_t case_id);
  Status insert_target(const RunTarget& target);
  Status insert_attempt(const Attempt& attempt);
  Status insert_operations(std::int64_t attempt_id, const Attempt& attempt);
  Status insert_samples(std::int64_t attempt_id, std::int64_t position, SampleKind kind,
                        const std::vector<double>& seconds);
};

RunWriter::RunWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RunWriter::RunWriter(RunWriter&&) noexcept = default;
RunWriter& RunWriter::operator=(RunWriter&&) noexcept = default;
RunWriter::~RunWriter() = default;

const std::string& RunWriter::uuid() const { return impl_->uuid; }
void RunWriter::set_lock_patience(int milliseconds) { impl_->connection->set_lock_patience(milliseconds); }
void RunWriter::insert_only() { impl_->insert_only = true; }
std::vector<std::string> RunWriter::take_kept() { return std::exchange(impl_->kept, {}); }

// --- beginning and resuming

Result<RunWriter> Store::begin_run(RunInfo info) {
  if (info.uuid.empty()) info.uuid = draw_uuid();
  if (info.started_unix_us == 0) info.started_unix_us = now_us();
  const std::string host = encode_document(info.host);
  const std::string versions = encode_document(info.versions);
  const std::string options = encode_document(info.options);
  const std::string owner = this_process();
  std::deque<std::string> texts;
  Result<Statement> insert = connection_->prepare(
      "INSERT INTO runs(uuid, state, owner, command, seed, protocol, proof, reference, subset_note, "
      "full_command, started_us, host, versions, options) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)");
  if (!insert) return insert.error();
  insert->bind(1, info.uuid)
      .bind(2, static_cast<int>(RunState::kRunning))
      .bind(3, owner)
      .bind(4, masked(info.command, connection_->secrets(), texts));
  insert->bind(5, info.seed).bind(6, info.protocol).bind(7, info.proof).bind(8, info.reference);
  insert->bind_or_null(9, info.subset_note)
      .bind_or_null(10, masked(info.full_command, connection_->secrets(), texts))
      .bind(11, info.started_unix_us);
  insert->bind_or_null(12, host).bind_or_null(13, versions).bind_or_null(14, options);
  if (Status done = insert->run(); !done) return done.error().within("cannot begin a run");
  auto impl = std::make_unique<RunWriter::Impl>();
  impl->connection = connection_;
  impl->uuid = info.uuid;
  impl->run_id = connection_->last_row_id();
  return RunWriter(std::move(impl));
}

Result<RunWriter> Store::resume_run(std::string_view uuid) {
  Result<Transaction> transaction = Transaction::begin(*connection_);
  if (!transaction) return transaction.error();
  auto impl = std::make_unique<RunWriter::Impl>();
  impl->connection = connection_;
  impl->uuid = uuid;
  {
    Result<Statement> find = connection_->prepare("SELECT id, state, owner FROM runs WHERE uuid = ?1");
    if (!find) return find.error();
    find->bind(1, uuid);
    Result<bool> row = find->step();
    if (!row) return row.error();
    if (!*row) {
      return Error(StoreError::kNoSuchRun, fmt::format("{}: it holds no run {}", file().string(), uuid),
                   "`seamark report --run all` names the runs");
    }
    impl->run_id = find->integer(0);
    if (find->integer(1) == static_cast<int>(RunState::kFinished)) {
      return Error(StoreError::kConflict, fmt::format("run {} is finished", uuid), "start a new run");
    }
    if (Status ended = check_ended(uuid, find->text(2)); !ended) return ended.error();
  }
  const std::string owner = this_process();
  Result<Statement> update = connection_->prepare(
      "UPDATE runs SET state = ?2, state_reason = NULL, ended_us = NULL, owner = ?3 WHERE id = ?1");
  if (!update) return update.error();
  update->bind(1, impl->run_id).bind(2, static_cast<int>(RunState::kRunning)).bind(3, owner);
  if (Status done = update->run(); !done) return done.error();
  if (Status loaded = impl->load_plan(); !loaded) return loaded.error();
  if (Status done = transaction->commit(); !done) return done.error();
  return RunWriter(std::move(impl));
}

Status RunWriter::Impl::load_plan() {
  Result<Statement> rows = connection->prepare(
      "SELECT t.target, t.id, c.name, c.hash, c.id FROM run_targets t LEFT JOIN plan p ON p.run_target_id = "
      "t.id "
      "LEFT JOIN cases c ON c.id = p.case_id WHERE t.run_id = ?1");
  if (!rows) return rows.error();
  rows->bind(1, run_id);
  while (true) {
    Result<bool> row = rows->step();
    if (!row) return row.error();
    if (!*row) return {};
    TargetState& state = targets[rows->string(0)];
    state.id = rows->integer(1);
    if (!rows->is_null(4)) state.cases[{rows->string(2), rows->string(3)}] = rows->integer(4);
  }
}

// --- targets and plan

Result<std::optional<std::int64_t>> RunWriter::Impl::environment_id(const Value& lock) {
  if (lock.is_null()) return std::optional<std::int64_t>();
  const std::string text = encode_document(lock, connection->secrets());
  const std::string hash = to_hex(fnv1a64(text));
  Result<Statement> find = connection->prepare("SELECT id, lock FROM environments WHERE hash = ?1");
  if (!find) return find.error();
  find->bind(1, hash);
  Result<bool> row = find->step();
  if (!row) return row.error();
  if (*row) {
    if (find->text(1) != text) return connection->corrupt("two environments have the hash " + hash);
    return std::optional(find->integer(0));
  }
  find->reset();
  Result<Statement> insert = connection->prepare("INSERT INTO environments(hash, lock) VALUES (?1, ?2)");
  if (!insert) return insert.error();
  insert->bind(1, hash).bind(2, text);
  if (Status done = insert->run(); !done) return done.error();
  return std::optional(connection->last_row_id());
}

Status RunWriter::Impl::insert_target(const RunTarget& target) {
  if (const auto known = targets.find(target.target); insert_only && known != targets.end())
    return keep_target(target, known->second.id);
  Result<std::optional<std::int64_t>> environment = environment_id(target.environment_lock);
  if (!environment) return environment.error();
  const std::string entry = encode_document(target.entry, connection->secrets());
  const std::string facts = encode_document(target.facts, connection->secrets());
  std::deque<std::string> texts;
  Result<Statement> insert = connection->prepare(
      "INSERT INTO run_targets(run_id, target, framework, framework_version, environment_id, device_name, "
      "mode, "
      "baseline, usable, reason, remedy, entry, facts) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, "
      "?12, "
      "?13) ON CONFLICT(run_id, target) DO UPDATE SET framework = excluded.framework, framework_version = "
      "excluded.framework_version, environment_id = excluded.environment_id, device_name = "
      "excluded.device_name, "
      "mode = excluded.mode, baseline = excluded.baseline, usable = excluded.usable, reason = "
      "excluded.reason, "
      "remedy = excluded.remedy, entry = excluded.entry, facts = excluded.facts RETURNING id");
  if (!insert) return insert.error();
  insert->bind(1, run_id)
      .bind(2, target.target)
      .bind(3, target.framework)
      .bind_or_null(4, target.framework_version);
  insert->bind(5, *environment).bind_or_null(6, target.device_name).bind(7, static_cast<int>(target.mode));
  insert->bind_or_null(8, target.baseline)
      .bind(9, target.usable)
      .bind_or_null(10, masked(target.reason, connection->secrets(), texts));
  insert->bind_or_null(11, masked(target.remedy, connection->secrets(), texts))
      .bind_or_null(12, entry)
      .bind_or_null(13, facts);
  Result<std::int64_t> id = one_integer(insert);
  if (!id) return id.error();
  targets[target.target].id = *id;
  return {};
}

Status RunWriter::add_target(const RunTarget& target) {
  Result<Transaction> transaction = Transaction::begin(*impl_->connection);
  if (!transaction) return transaction.error();
  if (Status done = impl_->insert_target(target); !done) return done;
  return transaction->commit();
}

Result<std::int64_t> RunWriter::Impl::function_id(const CaseInfo& info) {
  const auto known = function_ids.find({info.framework, info.function});
  if (known != function_ids.end()) return known->second;
  Result<Statement> insert = connection->prepare(
      "INSERT INTO functions(framework, name) VALUES (?1, ?2) ON CONFLICT(framework, name) DO UPDATE "
      "SET name = excluded.name RETURNING id");
  if (!insert) return insert.error();
  insert->bind(1, info.framework).bind(2, info.function);
  Result<std::int64_t> id = one_integer(insert);
  if (id) function_ids[{info.framework, info.function}] = *id;
  return id;
}

Result<std::int64_t> RunWriter::Impl::case_id(const CaseInfo& info) {
  const auto known = case_ids.find({info.name, info.hash});
  if (known != case_ids.end()) return known->second;
  if (insert_only) {
    const Result<std::optional<std::int64_t>> there = known_case(info);
    if (!there) return there.error();
    if (*there) return **there;
  }
  Result<std::int64_t> function = function_id(info);
  if (!function) return function.error();
  const std::string params = encode_document(info.params);
  Result<Statement> insert = connection->prepare(
      "INSERT INTO cases(function_id, name, hash, suite, dtype, shape, grad, quick, timeout_s, params) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT(hash, name) DO UPDATE SET "
      "function_id = excluded.function_id, suite = excluded.suite, quick = excluded.quick, "
      "timeout_s = excluded.timeout_s RETURNING id");
  if (!insert) return insert.error();
  insert->bind(1, *function).bind(2, info.name).bind(3, info.hash).bind(4, info.suite);
  insert->bind_or_null(5, info.dtype).bind_or_null(6, info.shape).bind(7, info.grad).bind(8, info.quick);
  insert->bind(9, info.timeout_s).bind_or_null(10, params);
  Result<std::int64_t> id = one_integer(insert);
  if (id) case_ids[{info.name, info.hash}] = *id;
  return id;
}

// --- what stays as it is

namespace {

// Adds to `text` what differs, unless nothing was said.
void add_difference(std::string& text, std::string_view name, std::string_view ours,
                    std::string_view theirs) {
  if (theirs.empty() || ours == theirs) return;
  text += fmt::format("{}{} {}, not {}", text.empty() ? "" : "; ", name, ellipsize(one_line(ours), 60),
                      ellipsize(one_line(theirs), 60));
}

std::string_view yes_no(bool value) { return value ? "yes" : "no"; }
std::string seconds_text(double seconds) { return seconds > 0 ? fmt::format("{} s", seconds) : ""; }

}  // namespace

Result<std::optional<std::int64_t>> RunWriter::Impl::known_case(const CaseInfo& info) {
  Result<Statement> row = connection->prepare(
      "SELECT c.id, f.name, f.framework, c.suite, c.dtype, c.shape, c.grad, c.quick, c.timeout_s, c.params "
      "FROM cases c JOIN functions f ON f.id = c.function_id WHERE c.hash = ?1 AND c.name = ?2");
  if (!row) return row.error();
  row->bind(1, info.hash).bind(2, info.name);
  const Result<bool> there = row->step();
  if (!there) return there.error();
  if (!*there) return std::optional<std::int64_t>();
  std::string text;
  add_difference(text, "function", row->text(1), info.function);
  add_difference(text, "framework", row->text(2), info.framework);
  add_difference(text, "suite", row->text(3), info.suite);
  add_difference(text, "dtype", row->text(4), info.dtype);
  add_difference(text, "shape", row->text(5), info.shape);
  add_difference(text, "gradient", yes_no(row->integer(6) != 0), yes_no(info.grad));
  add_difference(text, "quick", yes_no(row->integer(7) != 0), yes_no(info.quick));
  add_difference(text, "timeout", seconds_text(row->number(8)), seconds_text(info.timeout_s));
  add_difference(text, "parameters", row->text(9), encode_document(info.params));
  const std::int64_t id = row->integer(0);
  case_ids[{info.name, info.hash}] = id;
  if (!text.empty()) kept.push_back(fmt::format("case {}: {}", info.name, text));
  return std::optional(id);
}

Status RunWriter::Impl::keep_target(const RunTarget& target, std::int64_t id) {
  Result<Statement> row =
      connection->prepare("SELECT framework_version, device_name, baseline FROM run_targets WHERE id = ?1");
  if (!row) return row.error();
  row->bind(1, id);
  if (const Result<bool> there = row->step(); !there) return there.error();
  std::string text;
  add_difference(text, "version", row->text(0), target.framework_version);
  add_difference(text, "device", row->text(1), target.device_name);
  add_difference(text, "baseline", row->text(2), target.baseline);
  if (!text.empty()) kept.push_back(fmt::format("target {} of run {}: {}", target.target, uuid, text));
  return {};
}

Status RunWriter::Impl::keep_planned(std::string_view target, std::int64_t target_id, const CaseInfo& info,
                                     std::int64_t case_id) {
  Result<Statement> row =
      connection->prepare("SELECT core, host_only FROM plan WHERE run_target_id = ?1 AND case_id = ?2");
  if (!row) return row.error();
  row->bind(1, target_id).bind(2, case_id);
  if (const Result<bool> there = row->step(); !there) return there.error();
  std::string text;
  add_difference(text, "core", yes_no(row->integer(0) != 0), yes_no(info.core));
  add_difference(text, "host-only", yes_no(row->integer(1) != 0), yes_no(info.host_only));
  if (!text.empty())
    kept.push_back(fmt::format("case {} on {} of run {}: {}", info.name, target, uuid, text));
  return {};
}

Status RunWriter::plan(std::string_view target, std::span<const CaseInfo> cases) {
  const auto state = impl_->targets.find(target);
  if (state == impl_->targets.end()) {
    return Error(StoreError::kConflict,
                 fmt::format("target {} was not added to the run before its plan", target));
  }
  Result<Transaction> transaction = Transaction::begin(*impl_->connection);
  if (!transaction) return transaction.error();
  Result<Statement> insert = impl_->connection->prepare(
      "INSERT INTO plan(run_target_id, case_id, core, host_only) VALUES (?1, ?2, ?3, ?4) "
      "ON CONFLICT(run_target_id, case_id) DO UPDATE SET core = excluded.core, host_only = "
      "excluded.host_only");
  if (!insert) return insert.error();
  for (const CaseInfo& info : cases) {
    Result<std::int64_t> id = impl_->case_id(info);
    if (!id) return id.error();
    if (impl_->insert_only && state->second.cases.contains({info.name, info.hash})) {
      if (Status done = impl_->keep_planned(target, state->second.id, info, *id); !done) return done;
      continue;
    }
    insert->bind(1, state->second.id).bind(2, *id).bind(3, info.core).bind(4, info.host_only);
    if (Status done = insert->run(); !done) return done;
    state->second.cases[{info.name, info.hash}] = *id;
  }
  return transaction->commit();
}

// --- attempts

Status RunWriter::commit(std::span<const Attempt> attempts) {
  if (attempts.empty()) return {};
  Result<Transaction> transaction = Transaction::begin(*impl_->connection);
  if (!transaction) return transaction.error().within("cannot store results");
  for (const Attempt& attempt : attempts) {
    if (Status done = impl_->insert_attempt(attempt); !done)
      return done.error().within("cannot store results");
  }
  if (Status done = transaction->commit(); !done) return done.error().within("cannot store results");
  return {};
}

Status RunWriter::Impl::insert_attempt(const Attempt& attempt) {
  const auto target = targets.find(attempt.target);
  if (target == targets.end()) {
    return Error(StoreError::kConflict, fmt::format("target {} is not in run {}", attempt.target, uuid));
  }
  const auto planned = target->second.cases.find({attempt.case_name, attempt.case_hash});
  if (planned == target->second.cases.end()) {
    return Error(StoreError::kConflict,
                 fmt::format("case {} ({}) was not planned for {} in run {}", attempt.case_name,
                             attempt.case_hash, attempt.target, uuid));
  }
  Result<Statement> insert = connection->prepare(insert_attempt_sql);
  if (!insert) return insert.error();
  insert->bind(1, target->second.id).bind(2, planned->second);
  std::deque<std::string> texts;
  int index = 2;
  for (const AttemptColumn& column : attempt_columns()) {
    if (!column.stored.empty()) {
      bind_column(column, {.attempt = &attempt}, *insert, ++index, connection->secrets(), texts);
    }
  }
  Result<std::int64_t> id = one_integer(insert);
  if (!id) return id.error();
  if (*id == 0) {
    return Error(StoreError::kConflict,
                 fmt::format("attempt {} of {} on {} is already in run {}", attempt.attempt,
                             attempt.case_name, attempt.target, uuid));
  }
  return insert_operations(*id, attempt);
}

Status RunWriter::Impl::insert_operations(std::int64_t attempt_id, const Attempt& attempt) {
  std::int64_t position = 0;
  for (const TimedOperation& operation : attempt.operations) {
    Result<Statement> insert = connection->prepare(
        "INSERT INTO operations(attempt_id, position, name, cold_s, cold_reason, warm_reason, inner_calls) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
    if (!insert) return insert.error();
    insert->bind(1, attempt_id).bind(2, position).bind(3, operation.name).bind(4, operation.cold_s);
    insert->bind_or_null(5, operation.cold_reason)
        .bind_or_null(6, operation.warm_reason)
        .bind(7, operation.inner);
    if (Status done = insert->run(); !done) return done;
    if (Status s = insert_samples(attempt_id, position, SampleKind::kWarm, operation.warm_s); !s) return s;
    if (Status s = insert_samples(attempt_id, position, SampleKind::kDevice, operation.device_s); !s)
      return s;
    ++position;
  }
  return {};
}

Status RunWriter::Impl::insert_samples(std::int64_t attempt_id, std::int64_t position, SampleKind kind,
                                       const std::vector<double>& seconds) {
  if (seconds.empty()) return {};
  Result<Statement> insert = connection->prepare(
      "INSERT INTO time_samples(attempt_id, position, kind, n, seconds) VALUES (?1, ?2, ?3, ?4, ?5)");
  if (!insert) return insert.error();
  const std::vector<std::uint8_t> bytes = encode_samples(seconds);
  insert->bind(1, attempt_id).bind(2, position).bind(3, static_cast<int>(kind));
  insert->bind(4, static_cast<std::int64_t>(seconds.size())).bind_blob(5, bytes);
  return insert->run();
}

// --- events and the end

Status RunWriter::event(std::string_view kind, const Value& detail) {
  const std::string text = encode_document(detail, impl_->connection->secrets());
  Result<Statement> insert =
      impl_->connection->prepare("INSERT INTO events(run_id, at_us, kind, detail) VALUES (?1, ?2, ?3, ?4)");
  if (!insert) return insert.error();
  insert->bind(1, impl_->run_id).bind(2, now_us()).bind(3, kind).bind_or_null(4, text);
  if (Status done = insert->run(); !done) return done.error().within("cannot store an event");
  return {};
}

Status RunWriter::finish(RunState state, std::string_view reason, double wall_s,
                         std::optional<double> cpu_s) {
  Result<Statement> update = impl_->connection->prepare(
      "UPDATE runs SET state = ?2, state_reason = ?3, ended_us = ?4, wall_s = coalesce(wall_s, 0) + ?5, "
      "cpu_s = CASE WHEN ?6 IS NULL THEN cpu_s ELSE coalesce(cpu_s, 0) + ?6 END, owner = NULL WHERE id = ?1");
  if (!update) return update.error();
  std::deque<std::string> texts;
  const std::string_view told = masked(reason, impl_->connection->secrets(), texts);
  update->bind(1, impl_->run_id).bind(2, static_cast<int>(state)).bind_or_null(3, told).bind(4, now_us());
  update->bind(5, wall_s).bind(6, cpu_s);
  if (Status done = update->run(); !done)
    return done.error().within("its results are stored, but the run cannot be ended");
  return {};
}

}  // namespace seamark::store
