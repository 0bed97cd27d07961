#include "seamark/store/schema_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <vector>

#include "seamark/base/sha256.h"
#include "seamark/base/text.h"
#include "seamark/store/schema.h"

namespace seamark::store {

namespace {

struct SchemaObject {
  std::string type;
  std::string name;
  std::string table;
  std::string sql;  // without spaces and quotes: versions of SQLite alter tables with others

  auto operator<=>(const SchemaObject&) const = default;
};

std::string without_spaces_and_quotes(std::string_view sql) {
  std::string out;
  std::copy_if(sql.begin(), sql.end(), std::back_inserter(out),
               [](char c) { return c != ' ' && c != '\n' && c != '\t' && c != '\r' && c != '"'; });
  return out;
}

// Sorted: triggers and views come last.
Result<std::vector<SchemaObject>> objects_of(Connection& connection) {
  Result<Statement> rows = connection.prepare("SELECT type, name, tbl_name, sql FROM sqlite_master");
  if (!rows) return rows.error();
  std::vector<SchemaObject> out;
  while (true) {
    Result<bool> row = rows->step();
    if (!row) return row.error();
    if (!*row) break;
    out.push_back(
        {rows->string(0), rows->string(1), rows->string(2), without_spaces_and_quotes(rows->text(3))});
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string title(const SchemaObject& object) {
  return fmt::format("the {} {}", ellipsize(one_line(object.type), 20), ellipsize(one_line(object.name), 60));
}

Error foreign_schema(const Connection& connection, std::string_view what) {
  return {StoreError::kNotAStore,
          fmt::format("{}: its schema is not what Seamark writes: {}", connection.file().string(), what),
          "do not believe it where it is a stranger's; what you added yourself can be taken out with sqlite3 "
          "(DROP TRIGGER, DROP VIEW, DROP INDEX, DROP TABLE)"};
}

}  // namespace

Result<std::string> schema_digest(Connection& connection) {
  const Result<std::vector<SchemaObject>> objects = objects_of(connection);
  if (!objects) return objects.error();
  std::string all;
  for (const SchemaObject& object : *objects) {
    for (const std::string* text : {&object.type, &object.name, &object.table, &object.sql}) {
      all += fmt::format("{}:{}", text->size(), *text);
    }
  }
  return to_hex(sha256(all));
}

Status check_schema(Connection& connection, int version) {
  if (version == schema_version()) {
    const Result<std::string> digest = schema_digest(connection);
    if (!digest) return digest.error();
    if (*digest == kNewestSchema) return {};
  }
  const Result<std::vector<SchemaObject>> found = objects_of(connection);
  if (!found) return found.error();
  Result<std::shared_ptr<Connection>> model = Connection::in_memory();
  if (!model) return model.error();
  if (Status made = migrate(**model, migrations(version)); !made) return made;
  const Result<std::vector<SchemaObject>> wanted = objects_of(**model);
  if (!wanted) return wanted.error();
  std::vector<SchemaObject> foreign;
  std::set_difference(found->begin(), found->end(), wanted->begin(), wanted->end(),
                      std::back_inserter(foreign));
  if (!foreign.empty()) return foreign_schema(connection, "it has " + title(foreign.back()));
  std::vector<SchemaObject> missing;
  std::set_difference(wanted->begin(), wanted->end(), found->begin(), found->end(),
                      std::back_inserter(missing));
  if (!missing.empty()) return foreign_schema(connection, "it lacks " + title(missing.back()));
  return {};
}

}  // namespace seamark::store
