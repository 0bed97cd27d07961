// Store::save_runs: runs from elsewhere, in one transaction.
#include <fmt/format.h>

#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "seamark/store/connection.h"
#include "seamark/store/merge.h"
#include "seamark/store/run_content.h"
#include "seamark/store/store.h"

namespace seamark::store {

namespace {

using CaseKey = std::tuple<std::string, std::string, std::string>;  // target, case, hash

// The greatest number that a case's attempts on a target have in a run.
Result<std::map<CaseKey, int>> last_attempts(Connection& connection, std::string_view uuid) {
  Result<Statement> rows = connection.prepare(
      "SELECT t.target, c.name, c.hash, max(a.attempt) FROM runs r JOIN run_targets t ON t.run_id = r.id "
      "JOIN attempts a ON a.run_target_id = t.id JOIN cases c ON c.id = a.case_id WHERE r.uuid = ?1 "
      "GROUP BY 1, 2, 3");
  if (!rows) return rows.error();
  rows->bind(1, uuid);
  std::map<CaseKey, int> out;
  while (true) {
    Result<bool> row = rows->step();
    if (!row) return row.error();
    if (!*row) return out;
    out[{rows->string(0), rows->string(1), rows->string(2)}] = static_cast<int>(rows->integer(3));
  }
}

// Of an export: what the run of the same id lacks. What both have must be the same, and a run that was made
// here, or merged, is whole.
Result<std::vector<Attempt>> missing_of(Store& store, const RunBundle& run, const RunInfo& ours,
                                        const SecretShapes* secrets, SavedRun& saved) {
  const Result<RunAttempts> known = RunAttempts::read(store, ours.uuid, Fields::kExported, secrets);
  if (!known) return known.error();
  const bool is_whole = !ours.options.bool_or("imported", false);
  std::vector<Attempt> out;
  for (const Attempt& attempt : run.attempts) {
    const RunAttempts::Match match = known->match(attempt);
    if (match == RunAttempts::Match::kSame) ++saved.known;
    if (match == RunAttempts::Match::kMissing) out.push_back(attempt);
    if (match == RunAttempts::Match::kMissing && is_whole)
      saved.conflict = fmt::format("it has no {}", name_of(attempt));
    if (match == RunAttempts::Match::kOther) {
      Result<std::string> difference = known->difference(store, attempt);
      if (!difference) return difference.error();
      saved.conflict = std::move(*difference);
    }
    if (!saved.conflict.empty()) return std::vector<Attempt>();
  }
  return out;
}

// Of tests: what comes after what is there.
Result<std::vector<Attempt>> new_attempts(Connection& connection, const RunBundle& run, SavedRun& saved) {
  std::vector<Attempt> out;
  Result<std::map<CaseKey, int>> last = last_attempts(connection, run.info.uuid);
  if (!last) return last.error();
  for (const Attempt& attempt : run.attempts) {
    const auto there = last->find({attempt.target, attempt.case_name, attempt.case_hash});
    const int greatest = there == last->end() ? 0 : there->second;
    if (!run.renumber && attempt.attempt <= greatest) {
      ++saved.known;
      continue;
    }
    out.push_back(attempt);
    if (run.renumber) out.back().attempt += greatest;
  }
  return out;
}

Status write_plan(RunWriter& writer, const RunBundle& run) {
  for (const RunTarget& target : run.targets) {
    if (Status done = writer.add_target(target); !done) return done;
    std::vector<CaseInfo> cases;
    for (const auto& [name, info] : run.plan) {
      if (name == target.target) cases.push_back(info);
    }
    if (Status done = writer.plan(target.target, cases); !done) return done;
  }
  return {};
}

}  // namespace

Result<std::optional<RunInfo>> find_run(Store& store, const std::string& uuid) {
  Result<std::vector<RunInfo>> runs = store.runs();
  if (!runs) return runs.error();
  for (RunInfo& run : *runs) {
    if (run.uuid == uuid) return std::optional(std::move(run));
  }
  return std::optional<RunInfo>();
}

Status reopen(Connection& connection, std::string_view uuid) {
  Result<Statement> update = connection.prepare("UPDATE runs SET state = ?2, owner = NULL WHERE uuid = ?1");
  if (!update) return update.error();
  update->bind(1, uuid).bind(2, static_cast<int>(RunState::kInterrupted));
  return update->run();
}

Status end_as_told(Connection& connection, const RunInfo& info) {
  Result<Statement> update = connection.prepare(
      "UPDATE runs SET state = ?2, state_reason = ?3, ended_us = ?4, wall_s = ?5, cpu_s = ?6, owner = NULL "
      "WHERE uuid = ?1");
  if (!update) return update.error();
  update->bind(1, info.uuid).bind(2, static_cast<int>(info.state)).bind_or_null(3, info.state_reason);
  update->bind(4, info.ended_unix_us).bind(5, info.wall_s).bind(6, info.cpu_s);
  return update->run();
}

Result<std::vector<SavedRun>> Store::save_runs(std::span<const RunBundle> runs) {
  Result<Transaction> transaction = Transaction::begin(*connection_);
  if (!transaction) return transaction.error();
  std::vector<SavedRun> out;
  for (const RunBundle& run : runs) {
    SavedRun& saved = out.emplace_back();
    const Result<std::optional<RunInfo>> ours = find_run(*this, run.info.uuid);
    if (!ours) return ours.error();
    const bool there = ours->has_value();
    saved.is_new = !there;
    const Result<std::vector<Attempt>> attempts =
        there && run.exported ? missing_of(*this, run, **ours, connection_->secrets(), saved)
                              : new_attempts(*connection_, run, saved);
    if (!attempts) return attempts.error();
    saved.added = static_cast<std::int64_t>(attempts->size());
    if (there && attempts->empty()) continue;
    if (there) {
      if (Status done = reopen(*connection_, run.info.uuid); !done) return done.error();
    }
    Result<RunWriter> writer = there ? resume_run(run.info.uuid) : begin_run(run.info);
    if (!writer) return writer.error();
    writer->insert_only();
    if (Status done = write_plan(*writer, run); !done) return done.error();
    if (Status done = writer->commit(*attempts); !done) return done.error();
    for (const auto& [kind, detail] : run.events) {
      if (Status done = writer->event(kind, detail); !done) return done.error();
    }
    if (Status done = end_as_told(*connection_, run.info); !done) return done.error();
    saved.kept = writer->take_kept();
  }
  if (Status done = transaction->commit(); !done) return done.error();
  return out;
}

}  // namespace seamark::store
