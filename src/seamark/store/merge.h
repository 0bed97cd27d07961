// The parts of Store::merge_stores. Each inserts what the store lacks and changes nothing. Internal to the
// room.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/store/connection.h"
#include "seamark/store/records.h"
#include "seamark/store/store.h"

namespace seamark::store {

// A store and its handle.
struct OpenStore {
  Store& store;
  Connection& connection;
};

Result<std::optional<RunInfo>> find_run(Store& store, const std::string& uuid);
// State, end and times of a run from elsewhere, which nobody measured here.
Status end_as_told(Connection& connection, const RunInfo& info);

// A run that has ended is opened for as long as the transaction; nobody owns it then.
Status reopen(Connection& connection, std::string_view uuid);

Status merge_runs(const OpenStore& into, const OpenStore& from, MergedStore& merged);
// A run of which both may have slices: joined into one.
Status merge_slices(const OpenStore& into, const OpenStore& from, RunInfo run, MergedStore& merged);
// What the run `what` of `from` has, added to the run that is there. `overlap`: some of it may be there.
Status copy_slices(const OpenStore& into, const OpenStore& from, const RunChoice& what, const RunInfo& run,
                   bool overlap, MergedStore& merged);
// Catalogues, declared tables and samples.
Status merge_tables(const OpenStore& into, const OpenStore& from, MergedStore& merged);
Status merge_usage(const OpenStore& into, const OpenStore& from, MergedStore& merged);

// --- rows as they lie there

// The names of a table's columns, but for some.
Result<std::vector<std::string>> columns_of(Connection& connection, std::string_view table,
                                            const std::vector<std::string_view>& without);
// Of all rows that a query on one number gives; equal hashes: equal rows.
Result<std::uint64_t> hash_of_rows(Connection& connection, const std::string& sql, std::int64_t id);
// A row with an id, under a new one, but for some columns, which become null.
Result<std::int64_t> copy_row(Connection& into, Connection& from, std::string_view table, std::int64_t id,
                              const std::vector<std::string_view>& without = {});
// All rows that `owner`, a column, says are of `id`, as those of `new_id`.
Status copy_rows(Connection& into, Connection& from, std::string_view table, std::string_view owner,
                 std::int64_t id, std::int64_t new_id);
// The ids of a table.
Result<std::vector<std::int64_t>> ids_of(Connection& connection, std::string_view table);

// The hash that a sample has by its content.
std::string content_hash_of(const Sample& sample);

}  // namespace seamark::store
