// Samples of functions, with the strata that they speak for.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/model/sample.h"
#include "seamark/store/connection.h"
#include "seamark/store/merge.h"
#include "seamark/store/store.h"

namespace seamark::store {

namespace {

constexpr std::string_view kInfoColumns =
    "SELECT id, hash, name, created_us, seed, generator, procedure, population, frequency, usage, parameters "
    "FROM samples ";

Value content_of(const Sample& sample) {
  const SampleInfo& info = sample.info;
  Value content;
  content.set("seed", std::to_string(info.seed)).set("generator", info.generator);
  content.set("procedure", info.procedure).set("population", info.population).set("usage", info.usage);
  content.set("frequency", info.frequency).set("parameters", info.parameters);
  Value strata{Value::Array{}};
  for (const SampleStratum& one : sample.strata) {
    strata.push(Value(Value::Array{one.framework, one.name, one.functions, one.drawn, one.calls}));
  }
  content.set("strata", std::move(strata));
  Value functions{Value::Array{}};
  for (const SampledFunction& one : sample.functions) {
    functions.push(Value(Value::Array{one.framework, one.function, std::string(name_of(one.role)),
                                      one.stratum, one.rank, one.calls, one.reason, one.replaces}));
  }
  content.set("functions", std::move(functions));
  return content;
}

Status insert_frames(Connection& connection, std::int64_t id, const Sample& sample) {
  Result<Statement> insert = connection.prepare(
      "INSERT INTO sample_frames(sample_id, framework, version, seen, never_seen, calls, unknown_names, "
      "unknown_calls) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
  if (!insert) return insert.error();
  for (const SampleFrame& one : sample.frames) {
    insert->bind(1, id).bind(2, one.framework).bind_or_null(3, one.version).bind(4, one.seen);
    insert->bind(5, one.never_seen).bind(6, one.calls).bind(7, one.unknown_names).bind(8, one.unknown_calls);
    if (Status done = insert->run(); !done) return done;
  }
  return {};
}

Status insert_strata(Connection& connection, std::int64_t id, const Sample& sample) {
  Result<Statement> insert = connection.prepare(
      "INSERT INTO sample_strata(sample_id, position, framework, stratum, decile, functions, drawn, calls) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
  if (!insert) return insert.error();
  std::int64_t position = 0;
  for (const SampleStratum& one : sample.strata) {
    insert->bind(1, id).bind(2, position++).bind(3, one.framework).bind(4, one.name);
    one.decile > 0 ? insert->bind(5, one.decile) : insert->bind_null(5);
    insert->bind(6, one.functions).bind(7, one.drawn).bind(8, one.calls);
    if (Status done = insert->run(); !done) return done;
  }
  return {};
}

Status insert_functions(Connection& connection, std::int64_t id, const Sample& sample) {
  Result<Statement> insert = connection.prepare(
      "INSERT INTO sample_functions(sample_id, position, framework, function, role, stratum, rank, decile, "
      "inclusion, calls, uncalled, files, reason, replaced_by, replaces) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)");
  if (!insert) return insert.error();
  std::int64_t position = 0;
  for (const SampledFunction& one : sample.functions) {
    insert->bind(1, id).bind(2, position++).bind(3, one.framework).bind(4, one.function);
    insert->bind(5, static_cast<int>(one.role)).bind_or_null(6, one.stratum);
    one.rank > 0 ? insert->bind(7, one.rank) : insert->bind_null(7);
    one.decile > 0 ? insert->bind(8, one.decile) : insert->bind_null(8);
    insert->bind(9, one.inclusion).bind(10, one.calls).bind(11, one.references).bind(12, one.files);
    insert->bind_or_null(13, one.reason).bind_or_null(14, one.replaced_by).bind_or_null(15, one.replaces);
    if (Status done = insert->run(); !done) return done;
  }
  return {};
}

Status insert_sample(Connection& connection, const std::string& hash, const Sample& sample) {
  const SampleInfo& info = sample.info;
  std::int64_t id = 0;
  {
    Result<Statement> insert = connection.prepare(
        "INSERT INTO samples(hash, name, created_us, seed, generator, procedure, population, frequency, "
        "usage, "
        "parameters) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)");
    if (!insert) return insert.error();
    const std::string parameters = info.parameters.is_object() ? dump_json(info.parameters) : std::string();
    insert->bind(1, hash).bind_or_null(2, info.name).bind(3, info.created_unix_us);
    insert->bind(4, static_cast<std::int64_t>(info.seed)).bind(5, info.generator).bind(6, info.procedure);
    insert->bind(7, info.population).bind(8, info.frequency).bind(9, info.usage);
    insert->bind_or_null(10, parameters);
    if (Status done = insert->run(); !done) return done;
    id = connection.last_row_id();
  }
  if (Status done = insert_frames(connection, id, sample); !done) return done;
  if (Status done = insert_strata(connection, id, sample); !done) return done;
  return insert_functions(connection, id, sample);
}

struct StoredInfo {
  std::int64_t row = 0;
  SampleInfo info;
};

Result<std::vector<StoredInfo>> read_infos(Connection& connection) {
  Result<Statement> row = connection.prepare(std::string(kInfoColumns) + "ORDER BY created_us DESC, id DESC");
  if (!row) return row.error();
  std::vector<StoredInfo> all;
  while (true) {
    Result<bool> more = row->step();
    if (!more) return more.error();
    if (!*more) return all;
    StoredInfo one;
    one.row = row->integer(0);
    one.info.id = row->string(1);
    one.info.name = row->string(2);
    one.info.created_unix_us = row->integer(3);
    one.info.seed = static_cast<std::uint64_t>(row->integer(4));
    one.info.generator = row->string(5);
    one.info.procedure = row->string(6);
    one.info.population = row->string(7);
    one.info.frequency = row->string(8);
    one.info.usage = row->string(9);
    if (!row->is_null(10)) {
      Result<Value> parameters = parse_json(row->text(10));
      if (!parameters) return connection.corrupt("the parameters of a sample");
      one.info.parameters = std::move(*parameters);
    }
    all.push_back(std::move(one));
  }
}

Status read_frames(Connection& connection, std::int64_t id, Sample& sample) {
  Result<Statement> row = connection.prepare(
      "SELECT framework, version, seen, never_seen, calls, unknown_names, unknown_calls FROM sample_frames "
      "WHERE sample_id = ?1 ORDER BY framework");
  if (!row) return row.error();
  row->bind(1, id);
  while (true) {
    Result<bool> more = row->step();
    if (!more) return more.error();
    if (!*more) return {};
    sample.frames.push_back({.framework = row->string(0),
                             .version = row->string(1),
                             .seen = row->integer(2),
                             .never_seen = row->integer(3),
                             .calls = row->integer(4),
                             .unknown_names = row->integer(5),
                             .unknown_calls = row->integer(6)});
  }
}

Status read_strata(Connection& connection, std::int64_t id, Sample& sample) {
  Result<Statement> row = connection.prepare(
      "SELECT framework, stratum, decile, functions, drawn, calls FROM sample_strata WHERE sample_id = ?1 "
      "ORDER BY position");
  if (!row) return row.error();
  row->bind(1, id);
  while (true) {
    Result<bool> more = row->step();
    if (!more) return more.error();
    if (!*more) return {};
    SampleStratum one;
    one.framework = row->string(0);
    one.name = row->string(1);
    one.decile = static_cast<int>(row->integer(2));
    one.functions = row->integer(3);
    one.drawn = row->integer(4);
    one.calls = row->integer(5);
    if (one.drawn < 0 || one.functions < one.drawn || one.calls < 0) {
      return connection.corrupt("a stratum of a sample");
    }
    sample.strata.push_back(std::move(one));
  }
}

Status read_functions(Connection& connection, std::int64_t id, Sample& sample) {
  Result<Statement> row = connection.prepare(
      "SELECT framework, function, role, stratum, rank, decile, inclusion, calls, uncalled, files, reason, "
      "replaced_by, replaces FROM sample_functions WHERE sample_id = ?1 ORDER BY position");
  if (!row) return row.error();
  row->bind(1, id);
  while (true) {
    Result<bool> more = row->step();
    if (!more) return more.error();
    if (!*more) return {};
    SampledFunction one;
    one.framework = row->string(0);
    one.function = row->string(1);
    const std::int64_t role = row->integer(2);
    if (role < 1 || role > kLastSampleRole) return connection.corrupt("the role of a sampled function");
    one.role = static_cast<SampleRole>(role);
    one.stratum = row->string(3);
    one.rank = row->integer(4);
    one.decile = static_cast<int>(row->integer(5));
    one.inclusion = row->maybe_number(6);
    one.calls = row->integer(7);
    one.references = row->integer(8);
    one.files = row->integer(9);
    one.reason = row->string(10);
    one.replaced_by = row->string(11);
    one.replaces = row->string(12);
    if (one.calls < 0) return connection.corrupt("the calls of a sampled function");
    sample.functions.push_back(std::move(one));
  }
}

Error no_such_sample(const Connection& connection, std::string_view what,
                     const std::vector<StoredInfo>& all) {
  if (all.empty()) {
    return {StoreError::kNoSuchSample, fmt::format("{} holds no sample", connection.file().string()),
            "`seamark sample` draws one"};
  }
  std::vector<std::string> names;
  for (const StoredInfo& one : all) names.push_back(one.info.name.empty() ? one.info.id : one.info.name);
  if (names.size() > 8) {
    names.resize(8);
    names.emplace_back("...");
  }
  return {StoreError::kNoSuchSample,
          fmt::format("{} holds no sample '{}', or several begin so", connection.file().string(), what),
          fmt::format("it holds: {}", join(names, ", "))};
}

}  // namespace

std::string content_hash_of(const Sample& sample) { return to_hex(fnv1a64(dump_json(content_of(sample)))); }

Result<std::string> Store::save_sample(const Sample& sample) {
  const std::string hash = content_hash_of(sample);
  Result<Transaction> transaction = Transaction::begin(*connection_);
  if (!transaction) return transaction.error();
  Result<std::vector<StoredInfo>> all = read_infos(*connection_);
  if (!all) return all.error();
  bool known = false;
  for (const StoredInfo& one : *all) {
    known = known || one.info.id == hash;
    if (!sample.info.name.empty() && one.info.name == sample.info.name && one.info.id != hash) {
      return Error(StoreError::kSampleNameTaken,
                   fmt::format("{} holds another sample '{}'", file().string(), sample.info.name),
                   "give it another name with --name");
    }
  }
  if (known) {
    Result<Statement> update =
        connection_->prepare("UPDATE samples SET created_us = ?2, name = coalesce(?3, name) WHERE hash = ?1");
    if (!update) return update.error();
    update->bind(1, hash).bind(2, sample.info.created_unix_us).bind_or_null(3, sample.info.name);
    if (Status done = update->run(); !done) return done.error();
  } else if (Status done = insert_sample(*connection_, hash, sample); !done) {
    return done.error();
  }
  if (Status done = transaction->commit(); !done) return done.error();
  return hash;
}

Result<std::vector<SampleInfo>> Store::samples() {
  Result<std::vector<StoredInfo>> all = read_infos(*connection_);
  if (!all) return all.error();
  std::vector<SampleInfo> infos;
  for (StoredInfo& one : *all) infos.push_back(std::move(one.info));
  return infos;
}

Result<Sample> Store::sample(std::string_view what) {
  Result<std::vector<StoredInfo>> all = read_infos(*connection_);
  if (!all) return all.error();
  const StoredInfo* found = nullptr;
  int matches = 0;
  for (const StoredInfo& one : *all) {
    if (what.empty() || one.info.name == what) {
      found = &one;
      matches = 1;
      break;
    }
    if (!one.info.id.starts_with(what)) continue;
    found = &one;
    ++matches;
  }
  if (matches != 1) return no_such_sample(*connection_, what, *all);
  Sample sample;
  sample.info = found->info;
  if (Status done = read_frames(*connection_, found->row, sample); !done) return done.error();
  if (Status done = read_strata(*connection_, found->row, sample); !done) return done.error();
  if (Status done = read_functions(*connection_, found->row, sample); !done) return done.error();
  return sample;
}

}  // namespace seamark::store
