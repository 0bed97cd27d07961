// Writing what was counted: a corpus, and its shards one by one.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "seamark/base/clock.h"
#include "seamark/base/value.h"
#include "seamark/store/connection.h"
#include "seamark/store/encode.h"
#include "seamark/store/store.h"

namespace seamark::store {

namespace {

// Of all losses of a corpus; the rest is only counted.
constexpr std::int64_t kMostLosses = 5000;

template <typename Number>
std::vector<std::uint8_t> encode_differences(std::span<const Number> numbers) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(numbers.size() * 2);
  std::uint64_t before = 0;
  for (const std::uint64_t number : numbers) {
    std::uint64_t difference = number - before;
    before = number;
    for (; difference >= 0x80; difference >>= 7)
      bytes.push_back(static_cast<std::uint8_t>(difference | 0x80));
    bytes.push_back(static_cast<std::uint8_t>(difference));
  }
  return bytes;
}

std::string encode_catalogues(const UsageCorpus& corpus) {
  Value object{Value::Object{}};
  for (const auto& [framework, version] : corpus.catalogues) object.set(framework, version);
  return encode_document(object);
}

Result<std::optional<std::int64_t>> find_corpus(Connection& connection, const std::string& label) {
  Result<Statement> row = connection.prepare("SELECT id FROM usage_corpora WHERE label = ?1");
  if (!row) return row.error();
  row->bind(1, label);
  const Result<bool> found = row->step();
  if (!found) return found.error();
  return *found ? std::optional(row->integer(0)) : std::nullopt;
}

Status bind_corpus(Statement& row, const UsageCorpus& corpus) {
  const std::string catalogues = encode_catalogues(corpus);
  const std::string inputs = encode_list(corpus.inputs);
  row.bind(1, corpus.label).bind(2, corpus.protocol).bind(3, corpus.vocabulary).bind(4, corpus.options);
  row.bind(5, catalogues).bind_or_null(6, inputs).bind(7, corpus.planned);
  row.bind(8, corpus.started_unix_us);
  return row.run();
}

// The number of a corpus that is there and has no shards.
Result<std::int64_t> put_corpus(Connection& connection, const UsageCorpus& corpus) {
  const Result<std::optional<std::int64_t>> known = find_corpus(connection, corpus.label);
  if (!known) return known.error();
  if (!*known) {
    Result<Statement> insert = connection.prepare(
        "INSERT INTO usage_corpora(label, protocol, vocabulary, options, catalogues, inputs, planned, "
        "complete, started_us) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8)");
    if (!insert) return insert.error();
    if (Status done = bind_corpus(*insert, corpus); !done) return done.error();
    return connection.last_row_id();
  }
  Result<Statement> shards = connection.prepare("DELETE FROM usage_corpus_shards WHERE corpus_id = ?1");
  if (!shards) return shards.error();
  if (Status done = shards->bind(1, **known).run(); !done) return done.error();
  Result<Statement> update = connection.prepare(
      "UPDATE usage_corpora SET protocol = ?2, vocabulary = ?3, options = ?4, catalogues = ?5, inputs = ?6, "
      "planned = ?7, complete = 0, started_us = ?8, ended_us = NULL WHERE label = ?1");
  if (!update) return update.error();
  if (Status done = bind_corpus(*update, corpus); !done) return done.error();
  return **known;
}

Result<std::int64_t> insert_shard(Connection& connection, std::int64_t corpus, const UsageShard& shard) {
  Result<Statement> insert = connection.prepare(
      "INSERT INTO usage_shards(name, identity, protocol, vocabulary, options, bytes, files, candidates, "
      "losses, unresolved_stars, cpu_s, counted_us, repositories, repaired) "
      "SELECT ?1, ?2, protocol, vocabulary, options, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?12 FROM usage_corpora "
      "WHERE id = ?11");
  if (!insert) return insert.error();
  const std::vector<std::uint8_t> repositories = encode_ascending(shard.repositories);
  insert->bind(1, shard.name).bind_or_null(2, shard.identity).bind(3, shard.bytes).bind(4, shard.files);
  insert->bind(5, shard.candidates).bind(6, shard.losses).bind(7, shard.unresolved_stars);
  insert->bind(8, shard.cpu_s).bind(9, SystemClock().unix_us()).bind_blob(10, repositories).bind(11, corpus);
  insert->bind(12, shard.repaired);
  if (Status done = insert->run(); !done) return done.error();
  return connection.last_row_id();
}

Status put_into(Connection& connection, std::int64_t corpus, std::int64_t position, std::int64_t shard) {
  Result<Statement> insert = connection.prepare(
      "INSERT OR REPLACE INTO usage_corpus_shards(corpus_id, position, shard_id) VALUES (?1, ?2, ?3)");
  if (!insert) return insert.error();
  return insert->bind(1, corpus).bind(2, position).bind(3, shard).run();
}

// Puts a shard that was counted in the corpus's way into it; false: there is none.
Result<bool> adopt(Connection& connection, std::int64_t corpus, std::int64_t position,
                   const std::string& identity) {
  if (identity.empty()) return false;
  std::int64_t shard = 0;
  {
    Result<Statement> row = connection.prepare(
        "SELECT s.id FROM usage_shards s JOIN usage_corpora c ON c.id = ?1 WHERE s.identity = ?2 "
        "AND s.protocol = c.protocol AND s.vocabulary = c.vocabulary AND s.options = c.options "
        "ORDER BY s.id DESC LIMIT 1");
    if (!row) return row.error();
    row->bind(1, corpus).bind(2, identity);
    const Result<bool> found = row->step();
    if (!found) return found.error();
    if (!*found) return false;
    shard = row->integer(0);
  }
  if (Status done = put_into(connection, corpus, position, shard); !done) return done.error();
  return true;
}

Status insert_imports(Connection& connection, std::int64_t id, const UsageShard& shard) {
  Result<Statement> insert =
      connection.prepare("INSERT INTO usage_imports(shard_id, framework, files) VALUES (?1, ?2, ?3)");
  if (!insert) return insert.error();
  for (const UsageImports& one : shard.imports) {
    if (Status done = insert->bind(1, id).bind(2, one.framework).bind(3, one.files).run(); !done) return done;
  }
  return {};
}

Status insert_losses(Connection& connection, std::int64_t corpus, std::int64_t id, const UsageShard& shard) {
  std::int64_t room = kMostLosses;
  {
    Result<Statement> row = connection.prepare(
        "SELECT count(*) FROM usage_losses WHERE shard_id IN "
        "(SELECT shard_id FROM usage_corpus_shards WHERE corpus_id = ?1)");
    if (!row) return row.error();
    row->bind(1, corpus);
    if (Result<bool> found = row->step(); !found) return found.error();
    room -= row->integer(0);
  }
  Result<Statement> insert = connection.prepare(
      "INSERT INTO usage_losses(shard_id, position, file, line, what, repaired) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
  if (!insert) return insert.error();
  for (std::int64_t i = 0; i < std::min(room, static_cast<std::int64_t>(shard.kept.size())); ++i) {
    const UsageLoss& loss = shard.kept[static_cast<std::size_t>(i)];
    insert->bind(1, id).bind(2, i).bind(3, loss.file).bind(5, loss.what).bind(6, loss.repaired);
    if (loss.line > 0) insert->bind(4, loss.line);
    if (loss.line <= 0) insert->bind_null(4);
    if (Status done = insert->run(); !done) return done;
  }
  return {};
}

// Finds the numbers of names, and gives them.
class NameIds {
 public:
  static Result<NameIds> prepare(Connection& connection) {
    Result<Statement> find =
        connection.prepare("SELECT id FROM usage_names WHERE framework = ?1 AND name = ?2");
    if (!find) return find.error();
    Result<Statement> insert = connection.prepare("INSERT INTO usage_names(framework, name) VALUES (?1, ?2)");
    if (!insert) return insert.error();
    return NameIds(connection, std::move(*find), std::move(*insert));
  }

  Result<std::int64_t> of(const UsageCount& count) {
    find_.bind(1, count.framework).bind(2, count.name);
    const Result<bool> found = find_.step();
    const std::int64_t id = found && *found ? find_.integer(0) : 0;
    find_.reset();
    if (!found) return found.error();
    if (*found) return id;
    if (Status done = insert_.bind(1, count.framework).bind(2, count.name).run(); !done) return done.error();
    return connection_->last_row_id();
  }

 private:
  NameIds(Connection& connection, Statement find, Statement insert)
      : connection_(&connection), find_(std::move(find)), insert_(std::move(insert)) {}

  Connection* connection_;
  Statement find_;
  Statement insert_;
};

// In the order of the table, whose rows lie next to each other then.
Result<std::vector<std::pair<std::int64_t, const UsageCount*>>> by_name_id(Connection& connection,
                                                                           const UsageShard& shard) {
  Result<NameIds> ids = NameIds::prepare(connection);
  if (!ids) return ids.error();
  std::vector<std::pair<std::int64_t, const UsageCount*>> rows;
  rows.reserve(shard.counts.size());
  for (const UsageCount& count : shard.counts) {
    const Result<std::int64_t> id = ids->of(count);
    if (!id) return id.error();
    rows.emplace_back(*id, &count);
  }
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first, a.second->tier) < std::pair(b.first, b.second->tier);
  });
  return rows;
}

Status insert_counts(Connection& connection, std::int64_t id, const UsageShard& shard) {
  const auto rows = by_name_id(connection, shard);
  if (!rows) return rows.error();
  Result<Statement> insert = connection.prepare(
      "INSERT INTO usage_counts(name_id, tier, shard_id, calls, \"references\", files, repositories) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
  if (!insert) return insert.error();
  for (const auto& [name, count] : *rows) {
    const std::vector<std::uint8_t> repositories = encode_ascending(count->repositories);
    insert->bind(1, name).bind(2, static_cast<int>(count->tier)).bind(3, id).bind(4, count->calls);
    insert->bind(5, count->references).bind(6, count->files).bind_blob(7, repositories);
    if (Status done = insert->run(); !done) return done;
  }
  return {};
}

Status remove_unnamed(Connection& connection) {
  constexpr std::string_view kUnnamed =
      "(SELECT id FROM usage_shards WHERE id NOT IN (SELECT shard_id FROM usage_corpus_shards))";
  const Result<std::int64_t> any = connection.integer(fmt::format("SELECT count(*) FROM {}", kUnnamed));
  if (!any) return any.error();
  if (*any == 0) return {};
  for (const char* table : {"usage_counts", "usage_losses", "usage_imports"}) {
    if (Status done = connection.execute(fmt::format("DELETE FROM {} WHERE shard_id IN {}", table, kUnnamed));
        !done) {
      return done;
    }
  }
  if (Status done = connection.execute(fmt::format("DELETE FROM usage_shards WHERE id IN {}", kUnnamed));
      !done)
    return done;
  return connection.execute("DELETE FROM usage_names WHERE id NOT IN (SELECT name_id FROM usage_counts)");
}

}  // namespace

std::vector<std::uint8_t> encode_ascending(std::span<const std::uint64_t> numbers) {
  return encode_differences(numbers);
}

std::vector<std::uint8_t> encode_ascending(std::span<const std::uint32_t> numbers) {
  return encode_differences(numbers);
}

Result<UsageBegin> Store::begin_usage(const UsageCorpus& corpus, std::span<const std::string> identities) {
  Result<Transaction> transaction = Transaction::begin(*connection_);
  if (!transaction) return transaction.error();
  const Result<std::int64_t> id = put_corpus(*connection_, corpus);
  if (!id) return id.error();
  UsageBegin begin{.corpus = *id, .counted = {}};
  for (std::size_t i = 0; i < identities.size(); ++i) {
    const Result<bool> found = adopt(*connection_, *id, static_cast<std::int64_t>(i), identities[i]);
    if (!found) return found.error();
    begin.counted.push_back(*found);
  }
  if (Status done = transaction->commit(); !done) return done.error();
  return begin;
}

Status Store::save_usage_shard(std::int64_t corpus, std::int64_t position, const UsageShard& shard) {
  Result<Transaction> transaction = Transaction::begin(*connection_);
  if (!transaction) return transaction.error();
  const Result<std::int64_t> id = insert_shard(*connection_, corpus, shard);
  if (!id) return id.error();
  if (Status done = insert_imports(*connection_, *id, shard); !done) return done;
  if (Status done = insert_losses(*connection_, corpus, *id, shard); !done) return done;
  if (Status done = insert_counts(*connection_, *id, shard); !done) return done;
  if (Status done = put_into(*connection_, corpus, position, *id); !done) return done;
  return transaction->commit();
}

Status Store::identify_usage_shards(std::int64_t corpus, std::span<const std::string> identities) {
  Result<Transaction> transaction = Transaction::begin(*connection_);
  if (!transaction) return transaction.error();
  {
    Result<Statement> update = connection_->prepare(
        "UPDATE usage_shards SET identity = ?3 WHERE identity IS NULL AND id = (SELECT shard_id FROM "
        "usage_corpus_shards WHERE corpus_id = ?1 AND position = ?2)");
    if (!update) return update.error();
    for (std::size_t i = 0; i < identities.size(); ++i) {
      if (identities[i].empty()) continue;
      update->bind(1, corpus).bind(2, static_cast<std::int64_t>(i)).bind(3, identities[i]);
      if (Status done = update->run(); !done) return done;
    }
  }
  return transaction->commit();
}

Status Store::finish_usage(std::int64_t corpus) {
  Result<Transaction> transaction = Transaction::begin(*connection_);
  if (!transaction) return transaction.error();
  {
    Result<Statement> update =
        connection_->prepare("UPDATE usage_corpora SET complete = 1, ended_us = ?2 WHERE id = ?1");
    if (!update) return update.error();
    if (Status done = update->bind(1, corpus).bind(2, SystemClock().unix_us()).run(); !done) return done;
  }
  if (Status done = remove_unnamed(*connection_); !done) return done;
  return transaction->commit();
}

}  // namespace seamark::store
