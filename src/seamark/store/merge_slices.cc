// Store::merge_stores, slices: those of one run become one run.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "seamark/base/text.h"
#include "seamark/store/encode.h"
#include "seamark/store/merge.h"
#include "seamark/store/run_content.h"
#include "seamark/store/run_slices.h"

namespace seamark::store {

namespace {

// What all slices of a run share.
std::string settings_of(const RunInfo& run) {
  RunInfo shared;
  shared.seed = run.seed;
  shared.protocol = run.protocol;
  shared.proof = run.proof;
  shared.reference = run.reference;
  shared.versions.set("seamark", run.versions.string_or("seamark", ""));
  shared.options = Value(Value::Object{});
  if (run.options.is_object()) {
    for (const auto& [key, value] : run.options.as_object()) {
      // Which targets can be used differs from machine to machine, and with them what a sample lacks.
      if (key == "slices" || key == "targets") continue;
      shared.options.set(key, key == "sample" ? Value(value.string_or("id", "")) : value);
    }
  }
  return text_of(shared);
}

// What results of two machines must share to stand in one run: all but where things lie.
std::string environment_of(const RunTarget& target) {
  RunTarget shared = target;
  shared.facts = Value();
  shared.reason.clear();
  shared.remedy.clear();
  if (shared.environment_lock.is_object()) {
    Value lock{Value::Object{}};
    for (const auto& [key, value] : shared.environment_lock.as_object()) {
      if (key != "interpreter") lock.set(key, value);
    }
    shared.environment_lock = std::move(lock);
  }
  return text_of(shared);
}

std::map<std::string, std::string> environments_of(const std::vector<StoredTarget>& targets) {
  std::map<std::string, std::string> out;
  for (const StoredTarget& one : targets) {
    if (one.target.usable) out[one.target.target] = environment_of(one.target);
  }
  return out;
}

// Where both have a target and its environments differ: how; empty: nowhere.
std::string difference_of_environments(const std::map<std::string, std::string>& ours,
                                       const std::map<std::string, std::string>& theirs) {
  for (const auto& [target, text] : theirs) {
    const auto known = ours.find(target);
    if (known == ours.end() || known->second == text) continue;
    return fmt::format("{}: {}", target, first_difference(known->second, text));
  }
  return {};
}

std::string apart_id(const std::string& uuid, const std::map<std::string, std::string>& environments) {
  std::string all;
  for (const auto& [target, text] : environments) all += target + text;
  return fmt::format("{}~{}", uuid.substr(0, uuid.find('~')), to_hex(fnv1a64(all)).substr(0, 8));
}

struct Fit {
  std::string refused;    // why; empty: it fits
  std::size_t known = 0;  // slices that are there already
};

Fit fit_of(const SlicedRun& ours, const SlicedRun& theirs) {
  Fit fit;
  for (const RunSlice& one : theirs.slices) {
    for (const RunSlice& there : ours.slices) {
      if (there.target != one.target) continue;
      if (there.slice.count != one.slice.count || there.plan != one.plan) {
        fit.refused = fmt::format("slice {} of {} is of another plan than slice {}", one.slice.str(),
                                  one.target, there.slice.str());
        return fit;
      }
      if (there.slice.index != one.slice.index) continue;
      if (there.part == one.part) {
        ++fit.known;
      } else {
        fit.refused =
            fmt::format("slice {} of {} was made twice; give each whole run a name of its own with --job",
                        one.slice.str(), one.target);
        return fit;
      }
    }
  }
  return fit;
}

// Why no slice can be joined to a run that is there; empty: it can.
std::string_view why_not_joined(const SlicedRun& ours, const RunInfo& run) {
  if (!ours.is_sliced()) return "that run is whole, and no slice";
  if (!ours.joined && !ours.engine && run.state != RunState::kFinished)
    return "the slice that is there has not ended: go on with it with --resume";
  return {};
}

// What a run that several made says of itself.
Status save_joined(Connection& connection, const RunInfo& info, const std::string& owner) {
  const std::string options = encode_document(info.options);
  const std::string host = encode_document(info.host);
  Result<Statement> update = connection.prepare(
      "UPDATE runs SET state = ?2, state_reason = ?3, started_us = ?4, ended_us = ?5, wall_s = ?6, "
      "cpu_s = ?7, options = ?8, command = ?9, subset_note = ?10, full_command = ?11, host = ?12, "
      "owner = ?13 WHERE uuid = ?1");
  if (!update) return update.error();
  update->bind(1, info.uuid).bind(2, static_cast<int>(info.state)).bind_or_null(3, info.state_reason);
  update->bind(4, info.started_unix_us).bind(5, info.ended_unix_us).bind(6, info.wall_s);
  update->bind(7, info.cpu_s).bind_or_null(8, options).bind(9, info.command);
  update->bind_or_null(10, info.subset_note).bind_or_null(11, info.full_command).bind_or_null(12, host);
  update->bind_or_null(13, owner);
  return update->run();
}

template <typename T>
std::optional<T> sum(const std::optional<T>& a, const std::optional<T>& b) {
  if (!a) return b;
  return b ? std::optional<T>(*a + *b) : a;
}

void add_targets(Value& options, const Value& theirs) {
  Value both{Value::Array{}};
  std::set<std::string> seen;
  for (const Value* document : {static_cast<const Value*>(&options), &theirs}) {
    const Value* list = document->find("targets");
    if (list == nullptr || !list->is_array()) continue;
    for (const Value& one : list->as_array()) {
      if (one.is_string() && seen.insert(one.as_string()).second) both.push(one);
    }
  }
  options.set("targets", std::move(both));
}

// `info`, with what `theirs` adds: both sliced.
void take_in(RunInfo& info, SlicedRun& ours, const RunInfo& run, const SlicedRun& theirs) {
  for (const RunSlice& one : theirs.slices) {
    const bool there = std::any_of(ours.slices.begin(), ours.slices.end(), [&](const RunSlice& mine) {
      return mine.target == one.target && mine.slice == one.slice;
    });
    if (!there) ours.slices.push_back(one);
  }
  for (const auto& [target, count] : theirs.asked) ours.asked.try_emplace(target, count);
  ours.joined = true;
  if (info.started_unix_us == 0 || run.started_unix_us < info.started_unix_us)
    info.started_unix_us = run.started_unix_us;
  info.ended_unix_us = std::max(info.ended_unix_us, run.ended_unix_us);
  info.wall_s = sum(info.wall_s, run.wall_s);
  info.cpu_s = sum(info.cpu_s, run.cpu_s);
  add_targets(info.options, run.options);
  set_slices(info.options, ours);
  const std::string missing = ours.missing_text();
  info.state = missing.empty() ? RunState::kFinished : RunState::kInterrupted;
  info.state_reason = missing;
  info.command = ours.command;
  info.full_command = ours.full_command;
  info.subset_note = ours.subset_note;
  if (!missing.empty()) info.subset_note += (info.subset_note.empty() ? "" : " ") + missing + ".";
}

// Where and when a slice was made.
Value slice_event(const RunInfo& run, const SlicedRun& theirs) {
  Value detail;
  Value list{Value::Array{}};
  for (const RunSlice& one : theirs.slices) list.push(fmt::format("{} {}", one.target, one.slice.str()));
  detail.set("slices", std::move(list));
  detail.set("host", run.host);
  detail.set("wall_s", run.wall_s ? Value(*run.wall_s) : Value());
  detail.set("cpu_s", run.cpu_s ? Value(*run.cpu_s) : Value());
  return detail;
}

Status add_event(Connection& connection, const std::string& uuid, const RunInfo& run,
                 const SlicedRun& theirs) {
  if (theirs.joined) return {};  // it comes with those of its slices
  Result<Statement> insert = connection.prepare(
      "INSERT INTO events(run_id, at_us, kind, detail) SELECT id, ?2, 'slice', ?3 FROM runs WHERE uuid = ?1");
  if (!insert) return insert.error();
  const std::string detail = dump_json(slice_event(run, theirs));
  return insert->bind(1, uuid).bind(2, run.started_unix_us).bind(3, detail).run();
}

Result<std::string> owner_of(Connection& connection, const std::string& uuid) {
  Result<Statement> row = connection.prepare("SELECT owner FROM runs WHERE uuid = ?1");
  if (!row) return row.error();
  row->bind(1, uuid);
  const Result<bool> there = row->step();
  if (!there) return there.error();
  return *there ? row->string(0) : std::string();
}

struct Into {
  std::optional<RunInfo> run;  // that is there
  SlicedRun slices;            // of it
  bool apart = false;          // it is not the one of that id: environments differ
};

// Which run takes a slice in: that of its id, or one beside it where an environment differs.
Result<Into> run_for(const OpenStore& into, RunInfo& run, const std::map<std::string, std::string>& theirs,
                     MergedStore& merged) {
  const std::string id = run.uuid;
  Into out;
  for (const std::string& candidate : {id, apart_id(id, theirs)}) {
    run.uuid = candidate;
    Result<std::optional<RunInfo>> there = find_run(into.store, candidate);
    if (!there) return there.error();
    out.run = std::move(*there);
    if (!out.run) return out;
    out.slices = sliced_run(*out.run);
    const Result<std::vector<StoredTarget>> targets = into.store.targets({RunChoice::Kind::kOne, candidate});
    if (!targets) return targets.error();
    const std::string difference = difference_of_environments(environments_of(*targets), theirs);
    if (difference.empty()) return out;
    if (out.apart) break;
    out.apart = true;
    merged.apart.push_back({apart_id(id, theirs), difference});
  }
  return Error(StoreError::kConflict, fmt::format("run {} is there with other environments", run.uuid));
}

}  // namespace

Status merge_slices(const OpenStore& into, const OpenStore& from, RunInfo run, MergedStore& merged) {
  const RunChoice source{RunChoice::Kind::kOne, run.uuid};
  const SlicedRun theirs = sliced_run(run);
  if (!theirs.joined && run.state != RunState::kFinished) {
    merged.unfinished.push_back(fmt::format(
        "{} of run {}", theirs.slices.empty() ? "" : theirs.slices.front().slice.str(), run.uuid));
    return {};
  }
  const Result<std::vector<StoredTarget>> targets = from.store.targets(source);
  if (!targets) return targets.error();
  Result<Into> found = run_for(into, run, environments_of(*targets), merged);
  if (!found) return found.error();
  const bool there = found->run.has_value();
  RunInfo joined = there ? *found->run : run;
  SlicedRun& ours = found->slices;
  const auto refuse = [&](std::string why) -> Status {
    merged.refused.push_back({run.uuid, std::move(why)});
    return {};
  };
  Fit fit;
  if (there) {
    if (const std::string why(why_not_joined(ours, joined)); !why.empty()) return refuse(why);
    const std::string mine = settings_of(joined);
    if (const std::string other = settings_of(run); mine != other)
      return refuse(first_difference(mine, other));
    fit = fit_of(ours, theirs);
    if (!fit.refused.empty()) return refuse(fit.refused);
    if (fit.known == theirs.slices.size()) {
      ++merged.known;
      return {};
    }
  } else {
    ours = theirs;
    ours.slices.clear();
    joined.wall_s.reset();
    joined.cpu_s.reset();
  }
  const Result<std::string> owner = there ? owner_of(into.connection, run.uuid) : std::string();
  if (!owner) return owner.error();
  take_in(joined, ours, run, theirs);
  if (!there) {
    const Result<RunWriter> begun = into.store.begin_run(joined);
    if (!begun) return begun.error();
  }
  if (Status done = copy_slices(into, from, source, joined, fit.known > 0, merged); !done) return done;
  if (Status done = add_event(into.connection, joined.uuid, run, theirs); !done) return done;
  merged.runs += there ? 0 : 1;
  merged.slices += static_cast<std::int64_t>(theirs.slices.size());
  return save_joined(into.connection, joined, *owner);
}

}  // namespace seamark::store
