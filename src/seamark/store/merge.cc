// Store::merge_stores: what other stores hold, in one transaction.
#include "seamark/store/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "seamark/base/text.h"
#include "seamark/store/run_content.h"
#include "seamark/store/run_owner.h"
#include "seamark/store/run_slices.h"

namespace seamark::store {

namespace {

constexpr std::size_t kMostRunId = 100;

RunChoice choice_of(const std::string& uuid) { return {RunChoice::Kind::kOne, uuid}; }

AttemptFilter everything_of(const std::string& uuid) {
  AttemptFilter filter;
  filter.run = choice_of(uuid);
  filter.columns = AttemptColumns::all();
  filter.as_committed = true;
  return filter;
}

// Whether the process that makes the run is alive.
Result<bool> is_live(Connection& connection, const RunInfo& run) {
  if (run.state != RunState::kRunning) return false;
  Result<Statement> row = connection.prepare("SELECT owner FROM runs WHERE uuid = ?1");
  if (!row) return row.error();
  row->bind(1, run.uuid);
  const Result<bool> there = row->step();
  if (!there) return there.error();
  return *there && live_owner(row->text(0)) > 0;
}

// --- one run, copied

Status copy_plan(RunWriter& writer, const OpenStore& from, const RunChoice& run) {
  const Result<std::vector<StoredTarget>> targets = from.store.targets(run);
  if (!targets) return targets.error();
  const Result<std::vector<StoredCase>> cases = from.store.cases(run);
  if (!cases) return cases.error();
  std::unordered_map<std::int64_t, const CaseInfo*> by_id;
  for (const StoredCase& one : *cases) by_id[one.id] = &one.info;
  const Result<std::vector<PlannedCase>> planned = from.store.planned(run);
  if (!planned) return planned.error();
  for (const StoredTarget& target : *targets) {
    if (Status done = writer.add_target(target.target); !done) return done;
  }
  for (const std::span<const PlannedCase> of_target : by_target(*planned)) {
    const auto target = std::find_if(targets->begin(), targets->end(), [&](const StoredTarget& one) {
      return one.id == of_target.front().run_target_id;
    });
    if (target == targets->end()) return from.connection.corrupt("a plan without its target");
    std::vector<CaseInfo> infos;
    infos.reserve(of_target.size());
    for (const PlannedCase& one : of_target) {
      const auto known = by_id.find(one.case_id);
      if (known == by_id.end()) return from.connection.corrupt("a plan without its case");
      CaseInfo& info = infos.emplace_back(*known->second);
      info.core = one.core;
      info.host_only = one.host_only;
    }
    if (Status done = writer.plan(target->target.target, infos); !done) return done;
  }
  return {};
}

Status copy_events(Connection& connection, Store& from, const RunChoice& run, const std::string& into) {
  const Result<std::vector<StoredEvent>> events = from.events(run);
  if (!events) return events.error();
  Result<Statement> insert = connection.prepare(
      "INSERT INTO events(run_id, at_us, kind, detail) SELECT id, ?2, ?3, ?4 FROM runs WHERE uuid = ?1");
  if (!insert) return insert.error();
  for (const StoredEvent& event : *events) {
    const std::string detail = dump_json(event.detail);
    insert->bind(1, into).bind(2, event.at_unix_us).bind(3, event.kind);
    insert->bind_or_null(4, event.detail.is_null() ? std::string_view() : std::string_view(detail));
    if (Status done = insert->run(); !done) return done;
  }
  return {};
}

// Targets, plan, attempts and events of the run `what` there, but for the attempts in `known`.
Status copy_content(RunWriter& writer, const OpenStore& into, const OpenStore& from, const RunChoice& what,
                    const RunAttempts* known, MergedStore& merged) {
  writer.insert_only();
  if (Status done = copy_plan(writer, from, what); !done) return done;
  Status written;
  Status read = from.store.for_each_attempt(everything_of(what.id), [&](const StoredAttempt& stored) {
    if (known != nullptr && known->match(stored.attempt) == RunAttempts::Match::kSame) return true;
    written = writer.commit({&stored.attempt, 1});
    ++merged.attempts;
    return written.ok();
  });
  if (!read) return read;
  if (!written) return written;
  if (Status done = copy_events(into.connection, from.store, what, writer.uuid()); !done) return done;
  for (std::string& text : writer.take_kept()) merged.kept.push_back(std::move(text));
  return {};
}

Status copy_run(const OpenStore& into, const OpenStore& from, const RunInfo& run, MergedStore& merged) {
  Result<RunWriter> writer = into.store.begin_run(run);
  if (!writer) return writer.error();
  if (Status done = copy_content(*writer, into, from, choice_of(run.uuid), nullptr, merged); !done)
    return done;
  ++merged.runs;
  return end_as_told(into.connection, run);
}

// --- one run that is there already, compared

std::string difference_of_targets(const std::vector<StoredTarget>& ours,
                                  const std::vector<StoredTarget>& theirs) {
  std::map<std::string_view, const RunTarget*> by_name;
  for (const StoredTarget& one : ours) by_name[one.target.target] = &one.target;
  for (const StoredTarget& one : theirs) {
    const auto known = by_name.find(one.target.target);
    if (known == by_name.end()) return fmt::format("it has no target {}", one.target.target);
    const std::string mine = text_of(*known->second);
    const std::string other = text_of(one.target);
    if (mine != other) return fmt::format("target {}: {}", one.target.target, first_difference(mine, other));
    by_name.erase(known);
  }
  return by_name.empty() ? std::string()
                         : fmt::format("it has the target {}, which is not there", by_name.begin()->first);
}

// By target, case and whether it is core and host-only; sorted.
Result<std::vector<std::uint64_t>> plan_hashes(Store& store, const RunChoice& run) {
  const Result<std::vector<StoredTarget>> targets = store.targets(run);
  if (!targets) return targets.error();
  const Result<StoredPlan> plan = store.plan(run);
  if (!plan) return plan.error();
  std::unordered_map<std::int64_t, std::uint64_t> cases;
  for (const StoredCase& one : plan->cases) {
    const std::string_view fields[] = {one.info.name, one.info.hash};
    cases[one.id] = fnv1a64_fields(fields);
  }
  std::unordered_map<std::int64_t, std::uint64_t> names;
  for (const StoredTarget& one : *targets) names[one.id] = fnv1a64(one.target.target);
  std::vector<std::uint64_t> out;
  out.reserve(plan->planned.size());
  for (const PlannedCase& one : plan->planned) {
    out.push_back(fnv1a64(
        fmt::format("{} {} {} {}", names[one.run_target_id], cases[one.case_id], one.core, one.host_only)));
  }
  std::sort(out.begin(), out.end());
  return out;
}

Result<std::string> difference_of_plans(Store& into, Store& from, const RunChoice& run) {
  const Result<std::vector<std::uint64_t>> ours = plan_hashes(into, run);
  if (!ours) return ours.error();
  const Result<std::vector<std::uint64_t>> theirs = plan_hashes(from, run);
  if (!theirs) return theirs.error();
  if (*ours == *theirs) return std::string();
  if (ours->size() == theirs->size()) return std::string("other cases are planned, or other ones are core");
  return fmt::format("{} cases are planned, not {}", ours->size(), theirs->size());
}

Result<std::string> difference_of_events(Store& into, Store& from, const RunChoice& run) {
  const Result<std::vector<StoredEvent>> ours = into.events(run);
  if (!ours) return ours.error();
  const Result<std::vector<StoredEvent>> theirs = from.events(run);
  if (!theirs) return theirs.error();
  if (ours->size() != theirs->size())
    return fmt::format("it has {} events, not {}", ours->size(), theirs->size());
  for (std::size_t i = 0; i < ours->size(); ++i) {
    const std::string mine = text_of((*ours)[i]);
    const std::string other = text_of((*theirs)[i]);
    if (mine != other) return fmt::format("event {}: {}", i + 1, first_difference(mine, other));
  }
  return std::string();
}

Result<std::string> difference_of_attempts(Store& into, Store& from, const RunInfo& run) {
  const Result<RunAttempts> known = RunAttempts::read(into, run.uuid, Fields::kAll);
  if (!known) return known.error();
  std::size_t count = 0;
  Result<std::string> difference = std::string();
  const Status read = from.for_each_attempt(everything_of(run.uuid), [&](const StoredAttempt& stored) {
    ++count;
    const RunAttempts::Match match = known->match(stored.attempt);
    if (match == RunAttempts::Match::kMissing)
      difference = fmt::format("it has no {}", name_of(stored.attempt));
    if (match == RunAttempts::Match::kOther) difference = known->difference(into, stored.attempt);
    return match == RunAttempts::Match::kSame;
  });
  if (!read) return read.error();
  if (!difference || !difference->empty() || count == known->size()) return difference;
  return fmt::format("it has {} attempts, not {}", known->size(), count);
}

// In what the run that is there differs; empty: in nothing.
Result<std::string> difference_of(Store& into, Store& from, const RunInfo& ours, const RunInfo& theirs) {
  const RunChoice run = choice_of(theirs.uuid);
  const std::string mine = text_of(ours);
  if (const std::string other = text_of(theirs); mine != other) return first_difference(mine, other);
  const Result<std::vector<StoredTarget>> our_targets = into.targets(run);
  if (!our_targets) return our_targets.error();
  const Result<std::vector<StoredTarget>> their_targets = from.targets(run);
  if (!their_targets) return their_targets.error();
  if (std::string text = difference_of_targets(*our_targets, *their_targets); !text.empty()) return text;
  if (Result<std::string> text = difference_of_plans(into, from, run); !text || !text->empty()) return text;
  if (Result<std::string> text = difference_of_attempts(into, from, theirs); !text || !text->empty())
    return text;
  return difference_of_events(into, from, run);
}

}  // namespace

Status copy_slices(const OpenStore& into, const OpenStore& from, const RunChoice& what, const RunInfo& run,
                   bool overlap, MergedStore& merged) {
  // It goes on for as long as the transaction.
  if (Status done = reopen(into.connection, run.uuid); !done) return done;
  Result<RunWriter> writer = into.store.resume_run(run.uuid);
  if (!writer) return writer.error();
  if (!overlap) return copy_content(*writer, into, from, what, nullptr, merged);
  const Result<RunAttempts> known = RunAttempts::read(into.store, run.uuid, Fields::kAll);
  if (!known) return known.error();
  return copy_content(*writer, into, from, what, &*known, merged);
}

Status merge_runs(const OpenStore& into, const OpenStore& from, MergedStore& merged) {
  Result<std::vector<RunInfo>> ours = into.store.runs();
  if (!ours) return ours.error();
  Result<std::vector<RunInfo>> theirs = from.store.runs();
  if (!theirs) return theirs.error();
  std::map<std::string_view, const RunInfo*> known;
  for (const RunInfo& run : *ours) known[run.uuid] = &run;
  std::reverse(theirs->begin(), theirs->end());  // the first start first
  for (const RunInfo& run : *theirs) {
    if (run.uuid.empty() || run.uuid.size() > kMostRunId)
      return from.connection.corrupt("a run without an id");
    const Result<bool> live = is_live(from.connection, run);
    if (!live) return live.error();
    if (*live) {
      merged.live.push_back(run.uuid);
      continue;
    }
    const auto there = known.find(run.uuid);
    if (sliced_run(run).is_sliced()) {
      if (Status done = merge_slices(into, from, run, merged); !done) return done;
      continue;
    }
    if (there == known.end()) {
      if (Status done = copy_run(into, from, run, merged); !done) return done;
      continue;
    }
    Result<std::string> difference = difference_of(into.store, from.store, *there->second, run);
    if (!difference) return difference.error();
    if (difference->empty()) ++merged.known;
    if (!difference->empty()) merged.refused.push_back({run.uuid, std::move(*difference)});
  }
  return {};
}

Result<std::vector<MergedStore>> Store::merge_stores(std::span<Store> stores, bool strict) {
  // With SQLite's own 2 MB the pages of one large transaction are written several times.
  if (Status done = connection_->execute("PRAGMA cache_size = -65536"); !done) return done.error();
  Result<Transaction> transaction = Transaction::begin(*connection_);
  if (!transaction) return transaction.error();
  const OpenStore into{*this, *connection_};
  std::vector<MergedStore> out;
  for (Store& store : stores) {
    const OpenStore from{store, *store.connection_};
    const Result<Transaction> reading = Transaction::begin_reading(from.connection);
    if (!reading) return reading.error();
    MergedStore& merged = out.emplace_back();
    for (const auto part : {merge_runs, merge_tables, merge_usage}) {
      if (Status done = part(into, from, merged); !done)
        return done.error().within(fmt::format("cannot merge {}", store.file().string()));
    }
    if (strict && !merged.refused.empty()) {
      return Error(
          StoreError::kConflict,
          fmt::format("{}: its run {} is not the one of {}: {}", store.file().string(),
                      merged.refused.front().run, file().string(), merged.refused.front().difference),
          "leave out --strict: the rest is merged then");
    }
  }
  if (Status done = transaction->commit(); !done) return done.error();
  return out;
}

}  // namespace seamark::store
