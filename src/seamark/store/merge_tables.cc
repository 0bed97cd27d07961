// Store::merge_stores, catalogues, declared tables and samples: a row with an id and a key, and rows that are
// its own.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "seamark/base/text.h"
#include "seamark/store/merge.h"

namespace seamark::store {

namespace {

struct OwnedTable {
  std::string_view table;
  std::string_view owner;  // the column of `table`s that names the row
};

struct TableKind {
  std::string_view what;
  std::string_view table;
  std::vector<std::string_view> key;      // columns
  std::vector<std::string_view> no_part;  // of what two of one key are compared by
  std::vector<OwnedTable> owned;
};

const TableKind& catalogue_kind() {
  static const TableKind kind{"catalogue of",
                              "catalogues",
                              {"framework", "version"},
                              {"id", "python", "taken_us"},
                              {{"catalogue_functions", "catalogue_id"},
                               {"catalogue_exclusions", "catalogue_id"},
                               {"catalogue_modules", "catalogue_id"}}};
  return kind;
}

const TableKind& declared_kind() {
  static const TableKind kind{"declared table of",
                              "declared_tables",
                              {"framework", "version", "device"},
                              {"id", "taken_us"},
                              {{"declared_functions", "table_id"}}};
  return kind;
}

const TableKind& sample_kind() {
  static const TableKind kind{
      "sample",
      "samples",
      {"hash"},
      {"id", "name", "created_us"},
      {{"sample_frames", "sample_id"}, {"sample_strata", "sample_id"}, {"sample_functions", "sample_id"}}};
  return kind;
}

std::string list_of(const std::vector<std::string>& columns) {
  std::string out;
  for (const std::string& one : columns) out += fmt::format("{}\"{}\"", out.empty() ? "" : ", ", one);
  return out;
}

std::string values_of(std::size_t count) {
  std::string out;
  for (std::size_t i = 1; i <= count; ++i) out += fmt::format("{}?{}", i == 1 ? "" : ", ", i);
  return out;
}

// Of a row and what is its own. The columns are those of `into`, so that both are asked for the same.
Result<std::vector<std::uint64_t>> content_of(Connection& into, Connection& connection, const TableKind& kind,
                                              std::int64_t id) {
  std::vector<std::uint64_t> out;
  const auto add = [&](std::string_view table, std::string_view owner,
                       const std::vector<std::string_view>& without) -> Status {
    const Result<std::vector<std::string>> columns = columns_of(into, table, without);
    if (!columns) return columns.error();
    const Result<std::uint64_t> hash = hash_of_rows(
        connection,
        fmt::format("SELECT {0} FROM {1} WHERE {2} = ?1 ORDER BY {0}", list_of(*columns), table, owner), id);
    if (!hash) return hash.error();
    out.push_back(*hash);
    return {};
  };
  if (Status done = add(kind.table, "id", kind.no_part); !done) return done.error();
  for (const OwnedTable& owned : kind.owned) {
    if (Status done = add(owned.table, owned.owner, {owned.owner}); !done) return done.error();
  }
  return out;
}

// The row of the same key; 0: none.
Result<std::int64_t> find_key(Connection& connection, const TableKind& kind,
                              const std::vector<std::string>& key) {
  std::string where;
  for (std::size_t i = 0; i < key.size(); ++i)
    where += fmt::format("{}{} = ?{}", i == 0 ? "" : " AND ", kind.key[i], i + 1);
  Result<Statement> row = connection.prepare(fmt::format("SELECT id FROM {} WHERE {}", kind.table, where));
  if (!row) return row.error();
  for (std::size_t i = 0; i < key.size(); ++i) row->bind(static_cast<int>(i) + 1, key[i]);
  const Result<bool> there = row->step();
  if (!there) return there.error();
  return *there ? row->integer(0) : 0;
}

Result<std::vector<std::string>> key_of(Connection& connection, const TableKind& kind, std::int64_t id) {
  Result<Statement> row = connection.prepare(
      fmt::format("SELECT {} FROM {} WHERE id = ?1", fmt::join(kind.key, ", "), kind.table));
  if (!row) return row.error();
  row->bind(1, id);
  const Result<bool> there = row->step();
  if (!there) return there.error();
  std::vector<std::string> key;
  for (int i = 0; i < row->columns(); ++i) key.push_back(row->string(i));
  if (!*there || std::any_of(key.begin(), key.end(), [](const std::string& one) { return one.empty(); }))
    return connection.corrupt(fmt::format("a row of {} without a name", kind.table));
  return key;
}

// Whether the store lacks what has this id elsewhere; says what is kept.
Result<bool> is_missing(const OpenStore& into, const OpenStore& from, const TableKind& kind, std::int64_t id,
                        const std::vector<std::string>& key, MergedStore& merged) {
  const Result<std::int64_t> known = find_key(into.connection, kind, key);
  if (!known) return known.error();
  if (*known == 0) return true;
  const auto ours = content_of(into.connection, into.connection, kind, *known);
  if (!ours) return ours.error();
  const auto theirs = content_of(into.connection, from.connection, kind, id);
  if (!theirs) return theirs.error();
  if (*ours == *theirs) {
    ++merged.other_known;
  } else {
    merged.kept.push_back(fmt::format("{} {}", kind.what, join(key, " ")));
  }
  return false;
}

Result<std::int64_t> copy_all(const OpenStore& into, const OpenStore& from, const TableKind& kind,
                              std::int64_t id, const std::vector<std::string_view>& without = {}) {
  Result<std::int64_t> added = copy_row(into.connection, from.connection, kind.table, id, without);
  if (!added) return added.error();
  for (const OwnedTable& owned : kind.owned) {
    if (Status done = copy_rows(into.connection, from.connection, owned.table, owned.owner, id, *added);
        !done)
      return done.error();
  }
  return added;
}

Status merge_catalogues(const OpenStore& into, const OpenStore& from, MergedStore& merged) {
  const Result<std::vector<std::int64_t>> ids = ids_of(from.connection, catalogue_kind().table);
  if (!ids) return ids.error();
  for (const std::int64_t id : *ids) {
    const auto key = key_of(from.connection, catalogue_kind(), id);
    if (!key) return key.error();
    if (const auto readable = from.store.catalogue((*key)[0], (*key)[1]); !readable) return readable.error();
    const Result<bool> missing = is_missing(into, from, catalogue_kind(), id, *key, merged);
    if (!missing) return missing.error();
    if (!*missing) continue;
    if (const auto added = copy_all(into, from, catalogue_kind(), id); !added) return added.error();
    ++merged.catalogues;
  }
  return {};
}

Status merge_declared(const OpenStore& into, const OpenStore& from, MergedStore& merged) {
  const Result<std::vector<std::int64_t>> ids = ids_of(from.connection, declared_kind().table);
  if (!ids) return ids.error();
  if (ids->empty()) return {};
  if (const auto readable = from.store.declared(); !readable) return readable.error();
  for (const std::int64_t id : *ids) {
    const auto key = key_of(from.connection, declared_kind(), id);
    if (!key) return key.error();
    const Result<bool> missing = is_missing(into, from, declared_kind(), id, *key, merged);
    if (!missing) return missing.error();
    if (!*missing) continue;
    if (const auto added = copy_all(into, from, declared_kind(), id); !added) return added.error();
    ++merged.declared;
  }
  return {};
}

// Two samples do not share a name: the one that comes goes without.
Result<bool> is_name_taken(Store& into, const std::string& name) {
  const Result<std::vector<SampleInfo>> samples = into.samples();
  if (!samples) return samples.error();
  return !name.empty() && std::any_of(samples->begin(), samples->end(),
                                      [&](const SampleInfo& one) { return one.name == name; });
}

Status merge_samples(const OpenStore& into, const OpenStore& from, MergedStore& merged) {
  const Result<std::vector<std::int64_t>> ids = ids_of(from.connection, sample_kind().table);
  if (!ids) return ids.error();
  for (const std::int64_t id : *ids) {
    const auto key = key_of(from.connection, sample_kind(), id);
    if (!key) return key.error();
    const Result<Sample> sample = from.store.sample(key->front());
    if (!sample) return sample.error();
    if (content_hash_of(*sample) != key->front()) {
      merged.kept.push_back(
          fmt::format("sample {}: left out, its id is not that of its content", key->front()));
      continue;
    }
    const Result<bool> missing = is_missing(into, from, sample_kind(), id, *key, merged);
    if (!missing) return missing.error();
    if (!*missing) continue;
    const Result<bool> taken = is_name_taken(into.store, sample->info.name);
    if (!taken) return taken.error();
    if (*taken) {
      merged.kept.push_back(
          fmt::format("the name of sample {}: {} comes without it", sample->info.name, key->front()));
    }
    const auto without = *taken ? std::vector<std::string_view>{"name"} : std::vector<std::string_view>();
    if (const auto added = copy_all(into, from, sample_kind(), id, without); !added) return added.error();
    ++merged.samples;
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> columns_of(Connection& connection, std::string_view table,
                                            const std::vector<std::string_view>& without) {
  const Result<Statement> row = connection.prepare(fmt::format("SELECT * FROM {} LIMIT 0", table));
  if (!row) return row.error();
  std::vector<std::string> out;
  for (int i = 0; i < row->columns(); ++i) {
    std::string name = row->column_name(i);
    if (std::find(without.begin(), without.end(), name) == without.end()) out.push_back(std::move(name));
  }
  return out;
}

Result<std::uint64_t> hash_of_rows(Connection& connection, const std::string& sql, std::int64_t id) {
  Result<Statement> row = connection.prepare(sql);
  if (!row) return row.error();
  row->bind(1, id);
  std::string hashes;
  while (true) {
    const Result<bool> more = row->step();
    if (!more) return more.error();
    if (!*more) return fnv1a64(hashes);
    std::vector<std::string> values;
    for (int i = 0; i < row->columns(); ++i) values.push_back((row->is_null(i) ? "-" : "+") + row->string(i));
    const std::vector<std::string_view> fields(values.begin(), values.end());
    hashes += to_hex(fnv1a64_fields(fields));
  }
}

Result<std::vector<std::int64_t>> ids_of(Connection& connection, std::string_view table) {
  Result<Statement> row = connection.prepare(fmt::format("SELECT id FROM {} ORDER BY id", table));
  if (!row) return row.error();
  std::vector<std::int64_t> out;
  while (true) {
    const Result<bool> more = row->step();
    if (!more) return more.error();
    if (!*more) return out;
    out.push_back(row->integer(0));
  }
}

Result<std::int64_t> copy_row(Connection& into, Connection& from, std::string_view table, std::int64_t id,
                              const std::vector<std::string_view>& without) {
  std::vector<std::string_view> left_out = {"id"};
  left_out.insert(left_out.end(), without.begin(), without.end());
  const Result<std::vector<std::string>> columns = columns_of(into, table, left_out);
  if (!columns) return columns.error();
  Result<Statement> row =
      from.prepare(fmt::format("SELECT {} FROM {} WHERE id = ?1", list_of(*columns), table));
  if (!row) return row.error();
  row->bind(1, id);
  const Result<bool> there = row->step();
  if (!there) return there.error();
  if (!*there) return from.corrupt(fmt::format("a row of {} is gone", table));
  Result<Statement> insert = into.prepare(
      fmt::format("INSERT INTO {}({}) VALUES ({})", table, list_of(*columns), values_of(columns->size())));
  if (!insert) return insert.error();
  for (int i = 0; i < row->columns(); ++i) insert->bind_from(i + 1, *row, i);
  if (Status done = insert->run(); !done) return done.error();
  return into.last_row_id();
}

Status copy_rows(Connection& into, Connection& from, std::string_view table, std::string_view owner,
                 std::int64_t id, std::int64_t new_id) {
  const Result<std::vector<std::string>> columns = columns_of(into, table, {owner});
  if (!columns) return columns.error();
  Result<Statement> row =
      from.prepare(fmt::format("SELECT {} FROM {} WHERE {} = ?1", list_of(*columns), table, owner));
  if (!row) return row.error();
  row->bind(1, id);
  Result<Statement> insert = into.prepare(fmt::format(
      "INSERT INTO {}({}, {}) VALUES ({})", table, list_of(*columns), owner, values_of(columns->size() + 1)));
  if (!insert) return insert.error();
  while (true) {
    const Result<bool> more = row->step();
    if (!more) return more.error();
    if (!*more) return {};
    for (int i = 0; i < row->columns(); ++i) insert->bind_from(i + 1, *row, i);
    insert->bind(row->columns() + 1, new_id);
    if (Status done = insert->run(); !done) return done;
  }
}

Status merge_tables(const OpenStore& into, const OpenStore& from, MergedStore& merged) {
  for (const auto part : {merge_catalogues, merge_declared, merge_samples}) {
    if (Status done = part(into, from, merged); !done) return done;
  }
  return {};
}

}  // namespace seamark::store
