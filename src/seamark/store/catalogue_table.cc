// Catalogues and what the attempts say of their functions.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "seamark/model/outcome.h"
#include "seamark/store/connection.h"
#include "seamark/store/encode.h"
#include "seamark/store/store.h"

namespace seamark::store {

namespace {

constexpr std::int64_t kMostReserved = 20'000;

constexpr std::string_view kCatalogueColumns =
    "SELECT id, framework, version, rule_version, python, functions, modules, flat, flat_all, taken_us "
    "FROM catalogues ";

CatalogueHead read_head(const Statement& row) {
  return {.framework = row.string(1),
          .version = row.string(2),
          .rule_version = row.integer(3),
          .python = row.string(4),
          .functions = row.integer(5),
          .modules = row.integer(6),
          .flat = row.integer(7),
          .flat_all = row.integer(8),
          .taken_unix_us = row.integer(9)};
}

Status remove_catalogue(Connection& connection, const CatalogueHead& head) {
  for (const char* table : {"catalogue_functions", "catalogue_exclusions", "catalogue_modules"}) {
    Result<Statement> rows =
        connection.prepare(fmt::format("DELETE FROM {} WHERE catalogue_id IN "
                                       "(SELECT id FROM catalogues WHERE framework = ?1 AND version = ?2)",
                                       table));
    if (!rows) return rows.error();
    if (Status done = rows->bind(1, head.framework).bind(2, head.version).run(); !done) return done;
  }
  Result<Statement> own = connection.prepare("DELETE FROM catalogues WHERE framework = ?1 AND version = ?2");
  if (!own) return own.error();
  return own->bind(1, head.framework).bind(2, head.version).run();
}

Result<std::int64_t> insert_head(Connection& connection, const CatalogueHead& head) {
  Result<Statement> insert = connection.prepare(
      "INSERT INTO catalogues(framework, version, rule_version, python, functions, modules, flat, flat_all, "
      "taken_us) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");
  if (!insert) return insert.error();
  insert->bind(1, head.framework).bind(2, head.version).bind(3, head.rule_version);
  insert->bind_or_null(4, head.python).bind(5, head.functions).bind(6, head.modules);
  insert->bind(7, head.flat).bind(8, head.flat_all).bind(9, head.taken_unix_us);
  if (Status done = insert->run(); !done) return done.error();
  return connection.last_row_id();
}

Status insert_functions(Connection& connection, std::int64_t id,
                        const std::vector<CatalogueFunction>& functions) {
  Result<Statement> insert = connection.prepare(
      "INSERT INTO catalogue_functions(catalogue_id, name, kind, class, module, qualname, documented, "
      "deprecated, signature, signature_from, signature_reason, note, declared, aliases, deprecated_aliases, "
      "bases) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)");
  if (!insert) return insert.error();
  for (const CatalogueFunction& function : functions) {
    const std::string declared = encode_list(function.declared);
    const std::string aliases = encode_list(function.aliases);
    const std::string deprecated = encode_list(function.deprecated_aliases);
    const std::string bases = encode_list(function.bases);
    insert->bind(1, id).bind(2, function.name).bind(3, function.kind).bind_or_null(4, function.holder);
    insert->bind_or_null(5, function.module).bind_or_null(6, function.qualname).bind(7, function.documented);
    insert->bind_or_null(8, function.deprecated).bind_or_null(9, function.signature);
    insert->bind_or_null(10, function.signature_from).bind_or_null(11, function.signature_reason);
    insert->bind_or_null(12, function.note).bind_or_null(13, declared).bind_or_null(14, aliases);
    insert->bind_or_null(15, deprecated).bind_or_null(16, bases);
    if (Status done = insert->run(); !done) return done;
  }
  return {};
}

Status insert_rest(Connection& connection, std::int64_t id, const Catalogue& catalogue) {
  Result<Statement> exclusion = connection.prepare(
      "INSERT INTO catalogue_exclusions(catalogue_id, reason, count, examples) VALUES (?1, ?2, ?3, ?4)");
  if (!exclusion) return exclusion.error();
  for (const CatalogueExclusion& row : catalogue.exclusions) {
    const std::string examples = encode_list(row.examples);
    exclusion->bind(1, id).bind(2, row.reason).bind(3, row.count).bind_or_null(4, examples);
    if (Status done = exclusion->run(); !done) return done;
  }
  Result<Statement> broken =
      connection.prepare("INSERT INTO catalogue_modules(catalogue_id, module, error) VALUES (?1, ?2, ?3)");
  if (!broken) return broken.error();
  for (const CatalogueBroken& row : catalogue.broken) {
    broken->bind(1, id).bind(2, row.module).bind(3, row.error);
    if (Status done = broken->run(); !done) return done;
  }
  return {};
}

Status read_list(const Connection& connection, std::string_view json, std::vector<std::string>& list) {
  Result<std::vector<std::string>> read = decode_list(json);
  if (!read) return connection.corrupt("a list of names");
  list = std::move(*read);
  return {};
}

Status read_functions(Connection& connection, std::int64_t id, std::vector<CatalogueFunction>& functions) {
  Result<Statement> row = connection.prepare(
      "SELECT name, kind, class, module, qualname, documented, deprecated, signature, signature_from, "
      "signature_reason, note, declared, aliases, deprecated_aliases, bases FROM catalogue_functions "
      "WHERE catalogue_id = ?1 ORDER BY name");
  if (!row) return row.error();
  row->bind(1, id);
  while (true) {
    Result<bool> more = row->step();
    if (!more) return more.error();
    if (!*more) return {};
    CatalogueFunction function;
    function.name = row->string(0);
    function.kind = row->string(1);
    function.holder = row->string(2);
    function.module = row->string(3);
    function.qualname = row->string(4);
    function.documented = row->integer(5) != 0;
    function.deprecated = row->string(6);
    function.signature = row->string(7);
    function.signature_from = row->string(8);
    function.signature_reason = row->string(9);
    function.note = row->string(10);
    int column = 11;
    for (std::vector<std::string>* list :
         {&function.declared, &function.aliases, &function.deprecated_aliases, &function.bases}) {
      if (Status read = read_list(connection, row->text(column++), *list); !read) return read;
    }
    functions.push_back(std::move(function));
  }
}

Status read_names(Connection& connection, std::int64_t id, std::vector<CatalogueFunction>& functions) {
  Result<Statement> row = connection.prepare(
      "SELECT name, kind, aliases, bases FROM catalogue_functions WHERE catalogue_id = ?1 ORDER BY name");
  if (!row) return row.error();
  row->bind(1, id);
  while (true) {
    const Result<bool> more = row->step();
    if (!more) return more.error();
    if (!*more) return {};
    CatalogueFunction& function = functions.emplace_back();
    function.name = row->string(0);
    function.kind = row->string(1);
    if (Status read = read_list(connection, row->text(2), function.aliases); !read) return read;
    if (Status read = read_list(connection, row->text(3), function.bases); !read) return read;
  }
}

// The number and the head of a catalogue.
Result<std::pair<std::int64_t, CatalogueHead>> find_catalogue(Connection& connection,
                                                              std::string_view framework,
                                                              std::string_view version) {
  Result<Statement> row = connection.prepare(std::string(kCatalogueColumns) +
                                             "WHERE framework = ?1 AND (?2 = '' OR version = ?2) "
                                             "ORDER BY taken_us DESC, id DESC LIMIT 1");
  if (!row) return row.error();
  row->bind(1, framework).bind(2, version);
  const Result<bool> found = row->step();
  if (!found) return found.error();
  if (*found) return std::pair(row->integer(0), read_head(*row));
  return Error(StoreError::kNoSuchCatalogue,
               fmt::format("{}: it holds no catalogue of {}{}{}", connection.file().string(), framework,
                           version.empty() ? "" : " ", version),
               "`seamark catalog` makes one");
}

Status read_rest(Connection& connection, std::int64_t id, Catalogue& catalogue) {
  Result<Statement> exclusion = connection.prepare(
      "SELECT reason, count, examples FROM catalogue_exclusions WHERE catalogue_id = ?1 ORDER BY reason");
  if (!exclusion) return exclusion.error();
  exclusion->bind(1, id);
  while (true) {
    Result<bool> more = exclusion->step();
    if (!more) return more.error();
    if (!*more) break;
    std::vector<std::string> examples;
    if (Status read = read_list(connection, exclusion->text(2), examples); !read) return read;
    catalogue.exclusions.push_back({exclusion->string(0), exclusion->integer(1), std::move(examples)});
  }
  Result<Statement> broken = connection.prepare(
      "SELECT module, error FROM catalogue_modules WHERE catalogue_id = ?1 ORDER BY module");
  if (!broken) return broken.error();
  broken->bind(1, id);
  while (true) {
    Result<bool> more = broken->step();
    if (!more) return more.error();
    if (!*more) return {};
    catalogue.broken.push_back({broken->string(0), broken->string(1)});
  }
}

}  // namespace

Status Store::save_catalogue(const Catalogue& catalogue) {
  Result<Transaction> transaction = Transaction::begin(*connection_);
  if (!transaction) return transaction.error();
  if (Status done = remove_catalogue(*connection_, catalogue.head); !done) return done;
  Result<std::int64_t> id = insert_head(*connection_, catalogue.head);
  if (!id) return id.error();
  if (Status done = insert_functions(*connection_, *id, catalogue.functions); !done) return done;
  if (Status done = insert_rest(*connection_, *id, catalogue); !done) return done;
  return transaction->commit();
}

Result<std::vector<CatalogueHead>> Store::catalogues() {
  Result<Statement> row =
      connection_->prepare(std::string(kCatalogueColumns) + "ORDER BY taken_us DESC, id DESC");
  if (!row) return row.error();
  std::vector<CatalogueHead> heads;
  while (true) {
    Result<bool> more = row->step();
    if (!more) return more.error();
    if (!*more) return heads;
    heads.push_back(read_head(*row));
  }
}

Result<Catalogue> Store::catalogue(std::string_view framework, std::string_view version) {
  auto found = find_catalogue(*connection_, framework, version);
  if (!found) return found.error();
  Catalogue catalogue;
  catalogue.head = std::move(found->second);
  if (Status done = read_functions(*connection_, found->first, catalogue.functions); !done)
    return done.error();
  if (Status done = read_rest(*connection_, found->first, catalogue); !done) return done.error();
  return catalogue;
}

Result<Catalogue> Store::catalogue_names(std::string_view framework, std::string_view version) {
  auto found = find_catalogue(*connection_, framework, version);
  if (!found) return found.error();
  Catalogue catalogue;
  catalogue.head = std::move(found->second);
  catalogue.functions.reserve(static_cast<std::size_t>(
      std::clamp<std::int64_t>(catalogue.head.functions, 0, kMostReserved)));  // what a file says
  if (Status done = read_names(*connection_, found->first, catalogue.functions); !done) return done.error();
  return catalogue;
}

Result<std::vector<FunctionEvidence>> Store::function_evidence() {
  const auto number = [](auto value) { return static_cast<int>(value); };
  // A failure in the comparison has run; one that raised may not have reached the device.
  Result<Statement> row = connection_->prepare(fmt::format(
      "SELECT f.framework, coalesce(t.framework_version, ''), f.name, "
      "max(a.outcome = {pass} AND a.evidence >= {lowered}), "
      "max((a.outcome = {pass} AND a.evidence >= {executed}) OR (a.outcome = {fail} AND a.fail_stage = "
      "'compare' "
      "AND a.evidence >= {executed})), "
      "max(a.outcome = {pass} AND a.evidence = {verified}) "
      "FROM attempts a JOIN run_targets t ON t.id = a.run_target_id JOIN cases c ON c.id = a.case_id "
      "JOIN functions f ON f.id = c.function_id WHERE a.outcome NOT IN ({skip}, {error}) GROUP BY 1, 2, 3",
      fmt::arg("pass", number(Outcome::kPass)), fmt::arg("fail", number(Outcome::kFail)),
      fmt::arg("skip", number(Outcome::kSkip)), fmt::arg("error", number(Outcome::kError)),
      fmt::arg("lowered", number(Evidence::kLowered)), fmt::arg("executed", number(Evidence::kExecuted)),
      fmt::arg("verified", number(Evidence::kVerified))));
  if (!row) return row.error();
  std::vector<FunctionEvidence> list;
  while (true) {
    Result<bool> more = row->step();
    if (!more) return more.error();
    if (!*more) return list;
    list.push_back({row->string(0), row->string(1), row->string(2), row->integer(3) != 0,
                    row->integer(4) != 0, row->integer(5) != 0});
  }
}

}  // namespace seamark::store
