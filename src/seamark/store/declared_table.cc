// What frameworks declare: tables of their own, for no device was asked.
#include <string>
#include <utility>

#include "seamark/model/declared.h"
#include "seamark/store/connection.h"
#include "seamark/store/encode.h"
#include "seamark/store/store.h"

namespace seamark::store {

namespace {

Status remove_declared(Connection& connection, const DeclaredHead& head) {
  for (const char* sql :
       {"DELETE FROM declared_functions WHERE table_id IN (SELECT id FROM declared_tables WHERE framework = "
        "?1 "
        "AND version = ?2 AND device = ?3)",
        "DELETE FROM declared_tables WHERE framework = ?1 AND version = ?2 AND device = ?3"}) {
    Result<Statement> rows = connection.prepare(sql);
    if (!rows) return rows.error();
    rows->bind(1, head.framework).bind(2, head.version).bind(3, head.device);
    if (Status done = rows->run(); !done) return done;
  }
  return {};
}

Result<std::int64_t> insert_head(Connection& connection, const DeclaredHead& head) {
  Result<Statement> insert = connection.prepare(
      "INSERT INTO declared_tables(framework, version, device, family, package, package_version, source, "
      "note, "
      "taken_us) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");
  if (!insert) return insert.error();
  insert->bind(1, head.framework).bind(2, head.version).bind(3, head.device).bind(4, head.family);
  insert->bind(5, head.package).bind(6, head.package_version).bind(7, head.source);
  insert->bind_or_null(8, head.note).bind(9, head.taken_unix_us);
  if (Status done = insert->run(); !done) return done.error();
  return connection.last_row_id();
}

Status insert_functions(Connection& connection, std::int64_t id,
                        const std::vector<DeclaredFunction>& functions) {
  Result<Statement> insert = connection.prepare(
      "INSERT INTO declared_functions(table_id, function, state, host_only, cases, named_cases, operators, "
      "missing, note, dtypes, dtypes_missing) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)");
  if (!insert) return insert.error();
  for (const DeclaredFunction& function : functions) {
    const std::string operators = encode_list(function.operators);
    const std::string missing = encode_list(function.missing);
    const std::string dtypes = encode_list(function.dtypes);
    const std::string dtypes_missing = encode_list(function.dtypes_missing);
    insert->bind(1, id).bind(2, function.name).bind(3, static_cast<int>(function.state));
    insert->bind(4, function.host_only).bind(5, function.cases).bind(6, function.named);
    insert->bind_or_null(7, operators).bind_or_null(8, missing).bind_or_null(9, function.note);
    insert->bind_or_null(10, dtypes).bind_or_null(11, dtypes_missing);
    if (Status done = insert->run(); !done) return done;
  }
  return {};
}

Result<DeclaredFunction> read_function(const Connection& connection, const Statement& row) {
  DeclaredFunction function;
  function.name = row.string(0);
  const std::int64_t state = row.integer(1);
  if (state < 1 || state > kLastDeclaredState) return connection.corrupt("a declared state");
  function.state = static_cast<DeclaredState>(state);
  function.host_only = row.integer(2) != 0;
  function.cases = static_cast<int>(row.integer(3));
  function.named = static_cast<int>(row.integer(4));
  Result<std::vector<std::string>> operators = decode_list(row.text(5));
  Result<std::vector<std::string>> missing = decode_list(row.text(6));
  Result<std::vector<std::string>> dtypes = decode_list(row.text(8));
  Result<std::vector<std::string>> dtypes_missing = decode_list(row.text(9));
  if (!operators || !missing) return connection.corrupt("a list of operators");
  if (!dtypes || !dtypes_missing) return connection.corrupt("a list of data types");
  function.operators = std::move(*operators);
  function.missing = std::move(*missing);
  function.dtypes = std::move(*dtypes);
  function.dtypes_missing = std::move(*dtypes_missing);
  function.note = row.string(7);
  return function;
}

Status read_functions(Connection& connection, std::int64_t id, std::string_view only,
                      std::vector<DeclaredFunction>& functions) {
  Result<Statement> row = connection.prepare(
      "SELECT function, state, host_only, cases, named_cases, operators, missing, note, dtypes, "
      "dtypes_missing FROM declared_functions "
      "WHERE table_id = ?1 AND (?2 = '' OR function = ?2) ORDER BY function");
  if (!row) return row.error();
  row->bind(1, id).bind(2, only);
  while (true) {
    Result<bool> more = row->step();
    if (!more) return more.error();
    if (!*more) return {};
    Result<DeclaredFunction> function = read_function(connection, *row);
    if (!function) return function.error();
    functions.push_back(std::move(*function));
  }
}

}  // namespace

Status Store::save_declared(std::span<const Declared> declared) {
  Result<Transaction> transaction = Transaction::begin(*connection_);
  if (!transaction) return transaction.error();
  for (const Declared& one : declared) {
    if (Status done = remove_declared(*connection_, one.head); !done) return done;
    Result<std::int64_t> id = insert_head(*connection_, one.head);
    if (!id) return id.error();
    if (Status done = insert_functions(*connection_, *id, one.functions); !done) return done;
  }
  return transaction->commit();
}

Result<std::vector<Declared>> Store::declared(std::string_view function) {
  std::vector<Declared> list;
  std::vector<std::int64_t> ids;
  {
    Result<Statement> row = connection_->prepare(
        "SELECT id, framework, version, device, family, package, package_version, source, note, taken_us "
        "FROM declared_tables ORDER BY taken_us DESC, id");
    if (!row) return row.error();
    while (true) {
      Result<bool> more = row->step();
      if (!more) return more.error();
      if (!*more) break;
      ids.push_back(row->integer(0));
      list.push_back({.head = {.framework = row->string(1),
                               .version = row->string(2),
                               .device = row->string(3),
                               .family = row->string(4),
                               .package = row->string(5),
                               .package_version = row->string(6),
                               .source = row->string(7),
                               .note = row->string(8),
                               .taken_unix_us = row->integer(9)},
                      .functions = {}});
    }
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (Status done = read_functions(*connection_, ids[i], function, list[i].functions); !done)
      return done.error();
  }
  return list;
}

}  // namespace seamark::store
