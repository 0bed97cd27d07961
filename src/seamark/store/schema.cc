#include "seamark/store/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "seamark/model/declared.h"
#include "seamark/model/outcome.h"
#include "seamark/model/sample.h"
#include "seamark/model/usage.h"
#include "seamark/store/attempt_columns.h"
#include "seamark/store/encode.h"
#include "seamark/store/records.h"

namespace seamark::store {

namespace {

// Columns that readers filter on come first and long texts last: SQLite reads a row's overflow pages
// only as far as it must.
constexpr std::string_view kVersion1 = R"sql(
CREATE TABLE enums(
  kind TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL,
  PRIMARY KEY(kind, number)) WITHOUT ROWID;

CREATE TABLE functions(
  id INTEGER PRIMARY KEY,
  framework TEXT NOT NULL,
  name TEXT NOT NULL,
  UNIQUE(framework, name));

CREATE TABLE cases(
  id INTEGER PRIMARY KEY,
  function_id INTEGER NOT NULL REFERENCES functions(id),
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  suite TEXT NOT NULL,
  dtype TEXT,
  shape TEXT,
  grad INTEGER NOT NULL,
  first_core INTEGER NOT NULL,
  timeout_s REAL,
  params TEXT,
  UNIQUE(hash, name));

CREATE TABLE environments(
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  lock TEXT NOT NULL);

CREATE TABLE runs(
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  state INTEGER NOT NULL,
  state_reason TEXT,
  owner TEXT,
  command TEXT NOT NULL,
  seed INTEGER NOT NULL,
  protocol TEXT NOT NULL,
  proof INTEGER NOT NULL,
  reference INTEGER NOT NULL,
  subset_note TEXT,
  full_command TEXT,
  started_us INTEGER NOT NULL,
  ended_us INTEGER,
  wall_s REAL,
  cpu_s REAL,
  host TEXT,
  versions TEXT,
  options TEXT);
CREATE INDEX runs_by_start ON runs(started_us);

CREATE TABLE run_targets(
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs(id),
  target TEXT NOT NULL,
  framework TEXT NOT NULL,
  framework_version TEXT,
  environment_id INTEGER REFERENCES environments(id),
  device_name TEXT,
  mode INTEGER NOT NULL,
  baseline TEXT,
  usable INTEGER NOT NULL,
  reason TEXT,
  remedy TEXT,
  entry TEXT,
  facts TEXT,
  UNIQUE(run_id, target));

CREATE TABLE plan(
  run_target_id INTEGER NOT NULL REFERENCES run_targets(id),
  case_id INTEGER NOT NULL REFERENCES cases(id),
  core INTEGER NOT NULL,
  host_only INTEGER NOT NULL,
  PRIMARY KEY(run_target_id, case_id)) WITHOUT ROWID;

CREATE TABLE attempts(
  id INTEGER PRIMARY KEY,
  run_target_id INTEGER NOT NULL,
  case_id INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  phase INTEGER NOT NULL,
  mode INTEGER NOT NULL,
  outcome INTEGER NOT NULL,
  evidence INTEGER NOT NULL,
  started_us INTEGER NOT NULL,
  wall_s REAL NOT NULL,
  cpu_s REAL,
  wait_status INTEGER,
  signature TEXT,
  confirmed_by TEXT,
  failed INTEGER NOT NULL,
  fail_stage TEXT,
  fail_type TEXT,
  precision_rerun TEXT,
  placement_proven INTEGER NOT NULL,
  on_device INTEGER,
  attributes TEXT,
  protocol TEXT,
  cold_kind TEXT,
  cold_s REAL,
  cold_reason TEXT,
  warm_median_s REAL,
  warm_low_s REAL,
  warm_high_s REAL,
  warm_min_s REAL,
  warm_iqr_s REAL,
  warm_n INTEGER NOT NULL,
  warm_unstable INTEGER NOT NULL,
  warm_reason TEXT,
  reason TEXT,
  fail_message TEXT,
  placement TEXT,
  reference TEXT,
  compiled TEXT,
  fail_traceback TEXT,
  capture TEXT,
  UNIQUE(run_target_id, case_id, attempt),
  FOREIGN KEY(run_target_id, case_id) REFERENCES plan(run_target_id, case_id));

CREATE TABLE operations(
  attempt_id INTEGER NOT NULL REFERENCES attempts(id),
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  cold_s REAL,
  cold_reason TEXT,
  warm_reason TEXT,
  inner_calls INTEGER NOT NULL,
  PRIMARY KEY(attempt_id, position)) WITHOUT ROWID;

CREATE TABLE time_samples(
  id INTEGER PRIMARY KEY,
  attempt_id INTEGER NOT NULL REFERENCES attempts(id),
  position INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  n INTEGER NOT NULL,
  seconds BLOB NOT NULL,
  UNIQUE(attempt_id, position, kind));

CREATE TABLE events(
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs(id),
  at_us INTEGER NOT NULL,
  kind TEXT NOT NULL,
  detail TEXT);

CREATE VIEW results AS
SELECT r.uuid AS run, t.target, t.framework, t.framework_version AS version, f.name AS function,
  c.name AS case_name, c.hash AS case_hash, c.dtype, c.shape, p.core, p.host_only, a.attempt,
  (SELECT name FROM enums WHERE kind = 'phase' AND number = a.phase) AS phase,
  (SELECT name FROM enums WHERE kind = 'mode' AND number = a.mode) AS mode,
  (SELECT name FROM enums WHERE kind = 'outcome' AND number = a.outcome) AS outcome,
  (SELECT name FROM enums WHERE kind = 'evidence' AND number = a.evidence) AS evidence,
  a.reason, a.fail_stage, a.fail_type, a.fail_message, a.signature, a.confirmed_by, a.placement_proven,
  a.on_device, a.attributes, a.protocol, a.cold_kind, a.cold_s, a.cold_reason, a.warm_median_s,
  a.warm_low_s, a.warm_high_s, a.warm_min_s, a.warm_iqr_s, a.warm_n, a.warm_unstable, a.warm_reason,
  a.wall_s, a.cpu_s, a.started_us, a.id AS attempt_id
FROM attempts a JOIN run_targets t ON t.id = a.run_target_id JOIN runs r ON r.id = t.run_id
  JOIN cases c ON c.id = a.case_id JOIN functions f ON f.id = c.function_id
  JOIN plan p ON p.run_target_id = a.run_target_id AND p.case_id = a.case_id;
)sql";

constexpr std::string_view kVersion2 = R"sql(
CREATE TABLE catalogues(
  id INTEGER PRIMARY KEY,
  framework TEXT NOT NULL,
  version TEXT NOT NULL,
  rule_version INTEGER NOT NULL,
  python TEXT,
  functions INTEGER NOT NULL,
  modules INTEGER NOT NULL,
  flat INTEGER NOT NULL,
  flat_all INTEGER NOT NULL,
  taken_us INTEGER NOT NULL,
  UNIQUE(framework, version));

CREATE TABLE catalogue_functions(
  catalogue_id INTEGER NOT NULL REFERENCES catalogues(id),
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  class TEXT,
  module TEXT,
  qualname TEXT,
  documented INTEGER NOT NULL,
  deprecated TEXT,
  signature TEXT,
  signature_from TEXT,
  signature_reason TEXT,
  note TEXT,
  declared TEXT,
  aliases TEXT,
  deprecated_aliases TEXT,
  bases TEXT,
  PRIMARY KEY(catalogue_id, name)) WITHOUT ROWID;

CREATE TABLE catalogue_exclusions(
  catalogue_id INTEGER NOT NULL REFERENCES catalogues(id),
  reason TEXT NOT NULL,
  count INTEGER NOT NULL,
  examples TEXT,
  PRIMARY KEY(catalogue_id, reason)) WITHOUT ROWID;

CREATE TABLE catalogue_modules(
  catalogue_id INTEGER NOT NULL REFERENCES catalogues(id),
  module TEXT NOT NULL,
  error TEXT NOT NULL,
  PRIMARY KEY(catalogue_id, module)) WITHOUT ROWID;
)sql";

constexpr std::string_view kVersion3 = R"sql(
CREATE TABLE declared_tables(
  id INTEGER PRIMARY KEY,
  framework TEXT NOT NULL,
  version TEXT NOT NULL,
  device TEXT NOT NULL,
  family TEXT NOT NULL,
  package TEXT NOT NULL,
  package_version TEXT NOT NULL,
  source TEXT NOT NULL,
  note TEXT,
  taken_us INTEGER NOT NULL,
  UNIQUE(framework, version, device));

CREATE TABLE declared_functions(
  table_id INTEGER NOT NULL REFERENCES declared_tables(id),
  function TEXT NOT NULL,
  state INTEGER NOT NULL,
  host_only INTEGER NOT NULL,
  cases INTEGER NOT NULL,
  named_cases INTEGER NOT NULL,
  operators TEXT,
  missing TEXT,
  note TEXT,
  PRIMARY KEY(table_id, function)) WITHOUT ROWID;
)sql";

// A shard belongs to every corpus that names it. Counts lie by name, so that a table is merged one function
// at a time.
constexpr std::string_view kVersion4 = R"sql(
CREATE TABLE usage_corpora(
  id INTEGER PRIMARY KEY,
  label TEXT NOT NULL UNIQUE,
  protocol TEXT NOT NULL,
  vocabulary TEXT NOT NULL,
  options TEXT NOT NULL,
  catalogues TEXT,
  inputs TEXT,
  planned INTEGER NOT NULL,
  complete INTEGER NOT NULL,
  started_us INTEGER NOT NULL,
  ended_us INTEGER);

CREATE TABLE usage_shards(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  identity TEXT,
  protocol TEXT NOT NULL,
  vocabulary TEXT NOT NULL,
  options TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  files INTEGER NOT NULL,
  candidates INTEGER NOT NULL,
  losses INTEGER NOT NULL,
  unresolved_stars INTEGER NOT NULL,
  cpu_s REAL NOT NULL,
  counted_us INTEGER NOT NULL,
  repositories BLOB NOT NULL);
CREATE INDEX usage_shards_by_identity ON usage_shards(identity);

CREATE TABLE usage_corpus_shards(
  corpus_id INTEGER NOT NULL REFERENCES usage_corpora(id),
  position INTEGER NOT NULL,
  shard_id INTEGER NOT NULL REFERENCES usage_shards(id),
  PRIMARY KEY(corpus_id, position)) WITHOUT ROWID;

CREATE TABLE usage_imports(
  shard_id INTEGER NOT NULL REFERENCES usage_shards(id),
  framework TEXT NOT NULL,
  files INTEGER NOT NULL,
  PRIMARY KEY(shard_id, framework)) WITHOUT ROWID;

CREATE TABLE usage_losses(
  shard_id INTEGER NOT NULL REFERENCES usage_shards(id),
  position INTEGER NOT NULL,
  file TEXT NOT NULL,
  line INTEGER,
  what TEXT NOT NULL,
  PRIMARY KEY(shard_id, position)) WITHOUT ROWID;

CREATE TABLE usage_names(
  id INTEGER PRIMARY KEY,
  framework TEXT NOT NULL,
  name TEXT NOT NULL,
  UNIQUE(framework, name));

CREATE TABLE usage_counts(
  name_id INTEGER NOT NULL REFERENCES usage_names(id),
  tier INTEGER NOT NULL,
  shard_id INTEGER NOT NULL REFERENCES usage_shards(id),
  calls INTEGER NOT NULL,
  "references" INTEGER NOT NULL,
  files INTEGER NOT NULL,
  repositories BLOB NOT NULL,
  PRIMARY KEY(name_id, tier, shard_id)) WITHOUT ROWID;
CREATE INDEX usage_counts_by_shard ON usage_counts(shard_id);
)sql";

constexpr std::string_view kVersion5 = R"sql(
CREATE TABLE samples(
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  name TEXT UNIQUE,
  created_us INTEGER NOT NULL,
  seed INTEGER NOT NULL,
  generator TEXT NOT NULL,
  procedure TEXT NOT NULL,
  population TEXT NOT NULL,
  frequency TEXT NOT NULL,
  usage TEXT NOT NULL,
  parameters TEXT);

CREATE TABLE sample_frames(
  sample_id INTEGER NOT NULL REFERENCES samples(id),
  framework TEXT NOT NULL,
  version TEXT,
  seen INTEGER NOT NULL,
  never_seen INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  unknown_names INTEGER NOT NULL,
  unknown_calls INTEGER NOT NULL,
  PRIMARY KEY(sample_id, framework)) WITHOUT ROWID;

CREATE TABLE sample_strata(
  sample_id INTEGER NOT NULL REFERENCES samples(id),
  framework TEXT NOT NULL,
  stratum TEXT NOT NULL,
  position INTEGER NOT NULL,
  decile INTEGER,
  functions INTEGER NOT NULL,
  drawn INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  PRIMARY KEY(sample_id, framework, stratum)) WITHOUT ROWID;

CREATE TABLE sample_functions(
  sample_id INTEGER NOT NULL REFERENCES samples(id),
  position INTEGER NOT NULL,
  framework TEXT NOT NULL,
  function TEXT NOT NULL,
  role INTEGER NOT NULL,
  stratum TEXT,
  rank INTEGER,
  decile INTEGER,
  inclusion REAL,
  calls INTEGER NOT NULL,
  uncalled INTEGER NOT NULL,
  files INTEGER NOT NULL,
  reason TEXT,
  replaced_by TEXT,
  replaces TEXT,
  PRIMARY KEY(sample_id, position)) WITHOUT ROWID;
)sql";

// Without an index that every counted name had to write: only what is removed was looked up by it.
constexpr std::string_view kVersion6 = R"sql(
ALTER TABLE usage_shards ADD COLUMN repaired INTEGER NOT NULL DEFAULT 0;
ALTER TABLE usage_losses ADD COLUMN repaired INTEGER NOT NULL DEFAULT 0;
DROP INDEX usage_counts_by_shard;
)sql";

// The rows of a shard lie together, so that counting one more writes to a few pages only, however many there
// are.
constexpr std::string_view kVersion7 = R"sql(
CREATE TABLE usage_counts_by_shard(
  shard_id INTEGER NOT NULL REFERENCES usage_shards(id),
  name_id INTEGER NOT NULL REFERENCES usage_names(id),
  tier INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  "references" INTEGER NOT NULL,
  files INTEGER NOT NULL,
  repositories BLOB NOT NULL,
  PRIMARY KEY(shard_id, name_id, tier)) WITHOUT ROWID;
INSERT INTO usage_counts_by_shard
  SELECT shard_id, name_id, tier, calls, "references", files, repositories FROM usage_counts ORDER BY 1, 2, 3;
DROP TABLE usage_counts;
ALTER TABLE usage_counts_by_shard RENAME TO usage_counts;
)sql";

// What a short run takes is no longer the first core case.
constexpr std::string_view kVersion8 = R"sql(
ALTER TABLE cases RENAME COLUMN first_core TO quick;
)sql";

// One enum says where an attempt ran. It was two flags: what was proven to be in neither place had nothing to
// place.
constexpr std::string_view kVersion9 = R"sql(
DROP VIEW results;
ALTER TABLE attempts RENAME COLUMN placement TO placement_details;
ALTER TABLE attempts RENAME COLUMN placement_proven TO placement;
UPDATE attempts SET placement = CASE
  WHEN attributes LIKE '%"no-device-work"%' OR attributes LIKE '%"host-only"%' THEN 4
  WHEN attributes LIKE '%"host-fallback"%' OR on_device = 0 THEN 2
  WHEN on_device = 1 THEN 1
  WHEN placement THEN 4
  ELSE 3 END;
ALTER TABLE attempts DROP COLUMN on_device;
CREATE VIEW results AS
SELECT r.uuid AS run, t.target, t.framework, t.framework_version AS version, f.name AS function,
  c.name AS case_name, c.hash AS case_hash, c.dtype, c.shape, p.core, p.host_only, a.attempt,
  (SELECT name FROM enums WHERE kind = 'phase' AND number = a.phase) AS phase,
  (SELECT name FROM enums WHERE kind = 'mode' AND number = a.mode) AS mode,
  (SELECT name FROM enums WHERE kind = 'outcome' AND number = a.outcome) AS outcome,
  (SELECT name FROM enums WHERE kind = 'evidence' AND number = a.evidence) AS evidence,
  a.reason, a.fail_stage, a.fail_type, a.fail_message, a.signature, a.confirmed_by,
  (SELECT name FROM enums WHERE kind = 'placement' AND number = a.placement) AS placement,
  a.attributes, a.protocol, a.cold_kind, a.cold_s, a.cold_reason, a.warm_median_s,
  a.warm_low_s, a.warm_high_s, a.warm_min_s, a.warm_iqr_s, a.warm_n, a.warm_unstable, a.warm_reason,
  a.wall_s, a.cpu_s, a.started_us, a.id AS attempt_id
FROM attempts a JOIN run_targets t ON t.id = a.run_target_id JOIN runs r ON r.id = t.run_id
  JOIN cases c ON c.id = a.case_id JOIN functions f ON f.id = c.function_id
  JOIN plan p ON p.run_target_id = a.run_target_id AND p.case_id = a.case_id;
)sql";

constexpr std::string_view kVersion12 = R"sql(
ALTER TABLE declared_functions ADD COLUMN dtypes TEXT;
ALTER TABLE declared_functions ADD COLUMN dtypes_missing TEXT;
)sql";

// Versions 10 and 11 are columns of attempts alone (attempt_columns.cc).
constexpr std::array<std::string_view, 12> kMigrations = {kVersion1, kVersion2, kVersion3, kVersion4,
                                                          kVersion5, kVersion6, kVersion7, kVersion8,
                                                          kVersion9, "",        "",        kVersion12};

template <typename E>
Status write_enum(Connection& connection, std::string_view kind, int last = static_cast<int>(kLast<E>)) {
  for (int number = 1; number <= last; ++number) {
    Result<Statement> insert =
        connection.prepare("INSERT OR REPLACE INTO enums(kind, number, name) VALUES (?1, ?2, ?3)");
    if (!insert) return insert.error();
    insert->bind(1, kind).bind(2, number).bind(3, name_of(static_cast<E>(number)));
    if (Status done = insert->run(); !done) return done;
  }
  return {};
}

// The names beside the numbers, for people who read a store with SQL.
Status write_enums(Connection& connection) {
  if (Status s = write_enum<Outcome>(connection, "outcome"); !s) return s;
  if (Status s = write_enum<Evidence>(connection, "evidence"); !s) return s;
  if (Status s = write_enum<Phase>(connection, "phase"); !s) return s;
  if (Status s = write_enum<WorkerMode>(connection, "mode"); !s) return s;
  if (Status s = write_enum<Where>(connection, "placement"); !s) return s;
  if (Status s = write_enum<RunState>(connection, "run_state"); !s) return s;
  if (Status s = write_enum<SampleRole>(connection, "sample_role", kLastSampleRole); !s) return s;
  if (Status s = write_enum<UsageTier>(connection, "usage_tier", kLastUsageTier); !s) return s;
  return write_enum<DeclaredState>(connection, "declared_state", kLastDeclaredState);
}

Error not_a_store(const Connection& connection, std::string_view why) {
  return {StoreError::kNotAStore,
          fmt::format("{}: it is not a Seamark store ({})", connection.file().string(), why),
          "give the path of a store that `seamark run` wrote"};
}

}  // namespace

int schema_version() {
  int version = static_cast<int>(kMigrations.size());
  for (const AttemptColumn& column : attempt_columns()) version = std::max(version, column.since);
  return version;
}

std::vector<std::string> migrations(int version) {
  std::vector<std::string> steps(kMigrations.begin(), kMigrations.end());
  steps.resize(static_cast<std::size_t>(schema_version()));
  for (const AttemptColumn& column : attempt_columns()) {
    if (column.since == 1 || column.stored.empty()) continue;
    steps[static_cast<std::size_t>(column.since) - 1] +=
        fmt::format("ALTER TABLE attempts ADD COLUMN {} {};\n", column.stored, sql_type(column));
  }
  if (version > 0) steps.resize(static_cast<std::size_t>(version));
  return steps;
}

Result<int> schema_version_of(Connection& connection, int newest) {
  Result<std::int64_t> application = connection.integer("PRAGMA application_id");
  if (!application) return application.error();
  Result<std::int64_t> version = connection.integer("PRAGMA user_version");
  if (!version) return version.error();
  if (*application != kApplicationId) {
    Result<std::int64_t> objects = connection.integer("SELECT count(*) FROM sqlite_master");
    if (!objects) return objects.error();
    if (*application == 0 && *version == 0 && *objects == 0) return 0;
    return not_a_store(connection, "an SQLite file of another program");
  }
  if (*version < 1) return not_a_store(connection, "it has no schema version");
  if (*version > newest) {
    return Error(StoreError::kNewerSchema,
                 fmt::format("{}: its schema has version {}, this program knows up to {}",
                             connection.file().string(), *version, newest),
                 "update seamark: `pip install --upgrade seamark`");
  }
  return static_cast<int>(*version);
}

Status migrate(Connection& connection, std::span<const std::string> steps) {
  const int newest = static_cast<int>(steps.size());
  Result<int> before = schema_version_of(connection, newest);
  if (!before) return before.error();
  if (*before == newest) return {};

  Result<Transaction> transaction = Transaction::begin(connection);
  if (!transaction) return transaction.error();
  Result<int> version = schema_version_of(connection, newest);  // another process may have been faster
  if (!version) return version.error();
  for (int step = *version; step < newest; ++step) {
    if (Status done = connection.execute(steps[static_cast<std::size_t>(step)]); !done) return done;
  }
  if (Status done = write_enums(connection); !done) return done;
  if (Status done = connection.execute(
          fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId, newest));
      !done) {
    return done;
  }
  return transaction->commit();
}

}  // namespace seamark::store
