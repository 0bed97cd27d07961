// Store::merge_stores, usage: corpora by their labels, with shards of their own; what several machines
// counted of one corpus becomes one. A shard that comes has no identity, so that no count of another machine
// is ever taken for one of a file here.
#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "seamark/base/clock.h"
#include "seamark/base/text.h"
#include "seamark/store/merge.h"

namespace seamark::store {

namespace {

struct Member {
  std::int64_t position = 0;
  std::int64_t shard = 0;
};

Result<std::vector<Member>> members_of(Connection& connection, std::int64_t corpus) {
  Result<Statement> row = connection.prepare(
      "SELECT position, shard_id FROM usage_corpus_shards WHERE corpus_id = ?1 ORDER BY position");
  if (!row) return row.error();
  row->bind(1, corpus);
  std::vector<Member> out;
  while (true) {
    const Result<bool> more = row->step();
    if (!more) return more.error();
    if (!*more) return out;
    out.push_back({row->integer(0), row->integer(1)});
  }
}

Result<std::int64_t> id_of_corpus(Connection& connection, std::string_view label) {
  Result<Statement> row = connection.prepare("SELECT id FROM usage_corpora WHERE label = ?1");
  if (!row) return row.error();
  row->bind(1, label);
  const Result<bool> there = row->step();
  if (!there) return there.error();
  return *there ? row->integer(0) : 0;
}

// Of a corpus: what must be equal for shards to be of one.
constexpr const char* kKind =
    "SELECT protocol, vocabulary, options, catalogues, inputs, planned FROM usage_corpora WHERE id = ?1";

// Of what was counted in a shard, whenever and by whichever machine.
Result<std::uint64_t> content_of_shard(Connection& connection, std::int64_t shard) {
  std::string hashes;
  for (const char* sql :
       {"SELECT name, protocol, vocabulary, options, bytes, files, candidates, losses, unresolved_stars, "
        "repaired, repositories FROM usage_shards WHERE id = ?1",
        "SELECT framework, files FROM usage_imports WHERE shard_id = ?1 ORDER BY 1",
        "SELECT position, file, line, what, repaired FROM usage_losses WHERE shard_id = ?1 ORDER BY 1",
        "SELECT n.framework, n.name, c.tier, c.calls, c.\"references\", c.files, c.repositories "
        "FROM usage_counts c JOIN usage_names n ON n.id = c.name_id WHERE c.shard_id = ?1 ORDER BY 1, 2, "
        "3"}) {
    const Result<std::uint64_t> hash = hash_of_rows(connection, sql, shard);
    if (!hash) return hash.error();
    hashes += to_hex(*hash);
  }
  return fnv1a64(hashes);
}

Result<std::int64_t> name_id(Connection& into, const Statement& row) {
  Result<Statement> insert =
      into.prepare("INSERT INTO usage_names(framework, name) VALUES (?1, ?2) ON CONFLICT DO NOTHING");
  if (!insert) return insert.error();
  if (Status done = insert->bind(1, row.text(0)).bind(2, row.text(1)).run(); !done) return done.error();
  Result<Statement> find = into.prepare("SELECT id FROM usage_names WHERE framework = ?1 AND name = ?2");
  if (!find) return find.error();
  find->bind(1, row.text(0)).bind(2, row.text(1));
  if (const Result<bool> there = find->step(); !there) return there.error();
  return find->integer(0);
}

Status copy_counts(Connection& into, Connection& from, std::int64_t shard, std::int64_t new_shard) {
  Result<Statement> row = from.prepare(
      "SELECT n.framework, n.name, c.tier, c.calls, c.\"references\", c.files, c.repositories "
      "FROM usage_counts c JOIN usage_names n ON n.id = c.name_id WHERE c.shard_id = ?1");
  if (!row) return row.error();
  row->bind(1, shard);
  Result<Statement> insert = into.prepare(
      "INSERT INTO usage_counts(name_id, shard_id, tier, calls, \"references\", files, repositories) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
  if (!insert) return insert.error();
  while (true) {
    const Result<bool> more = row->step();
    if (!more) return more.error();
    if (!*more) return {};
    const Result<std::int64_t> name = name_id(into, *row);
    if (!name) return name.error();
    insert->bind(1, *name).bind(2, new_shard);
    for (int column = 2; column < 7; ++column) insert->bind_from(column + 1, *row, column);
    if (Status done = insert->run(); !done) return done;
  }
}

Result<std::int64_t> copy_shard(Connection& into, Connection& from, std::int64_t shard) {
  Result<std::int64_t> added = copy_row(into, from, "usage_shards", shard, {"identity"});
  if (!added) return added.error();
  for (const std::string_view table : {"usage_imports", "usage_losses"}) {
    if (Status done = copy_rows(into, from, table, "shard_id", shard, *added); !done) return done.error();
  }
  if (Status done = copy_counts(into, from, shard, *added); !done) return done.error();
  return added;
}

// What two stores have of one corpus.
struct Overlap {
  std::vector<Member> missing;  // that we lack, of theirs
  bool same = true;             // what both have
};

Result<Overlap> overlap_of(Connection& into, Connection& from, std::int64_t ours, std::int64_t theirs) {
  Overlap out;
  const Result<std::uint64_t> mine = hash_of_rows(into, kKind, ours);
  if (!mine) return mine.error();
  const Result<std::uint64_t> other = hash_of_rows(from, kKind, theirs);
  if (!other) return other.error();
  out.same = *mine == *other;
  const Result<std::vector<Member>> known = members_of(into, ours);
  if (!known) return known.error();
  const Result<std::vector<Member>> members = members_of(from, theirs);
  if (!members) return members.error();
  std::map<std::int64_t, std::int64_t> there;
  for (const Member& one : *known) there[one.position] = one.shard;
  for (const Member& member : *members) {
    const auto both = there.find(member.position);
    if (both == there.end()) {
      out.missing.push_back(member);
      continue;
    }
    const Result<std::uint64_t> a = content_of_shard(into, both->second);
    if (!a) return a.error();
    const Result<std::uint64_t> b = content_of_shard(from, member.shard);
    if (!b) return b.error();
    out.same = out.same && *a == *b;
  }
  return out;
}

Status add_members(Connection& into, Connection& from, std::int64_t corpus,
                   const std::vector<Member>& members, std::map<std::int64_t, std::int64_t>& shards);

// A corpus is whole when it has all of its shards.
Status end_when_whole(Connection& into, std::int64_t corpus) {
  Result<Statement> update = into.prepare(
      "UPDATE usage_corpora SET complete = 1, ended_us = ?2 WHERE id = ?1 AND complete = 0 AND planned = "
      "(SELECT count(*) FROM usage_corpus_shards WHERE corpus_id = ?1)");
  if (!update) return update.error();
  return update->bind(1, corpus).bind(2, SystemClock().unix_us()).run();
}

// `shards`: what was copied, by its id there.
Status copy_corpus(Connection& into, Connection& from, std::int64_t corpus,
                   std::map<std::int64_t, std::int64_t>& shards) {
  const Result<std::int64_t> added = copy_row(into, from, "usage_corpora", corpus);
  if (!added) return added.error();
  const Result<std::vector<Member>> members = members_of(from, corpus);
  if (!members) return members.error();
  return add_members(into, from, *added, *members, shards);
}

Status add_members(Connection& into, Connection& from, std::int64_t corpus,
                   const std::vector<Member>& members, std::map<std::int64_t, std::int64_t>& shards) {
  Result<Statement> insert =
      into.prepare("INSERT INTO usage_corpus_shards(corpus_id, position, shard_id) VALUES (?1, ?2, ?3)");
  if (!insert) return insert.error();
  for (const Member& member : members) {
    const auto [shard, is_new] = shards.try_emplace(member.shard, 0);
    if (is_new) {
      const Result<std::int64_t> copied = copy_shard(into, from, member.shard);
      if (!copied) return copied.error();
      shard->second = *copied;
    }
    insert->bind(1, corpus).bind(2, member.position).bind(3, shard->second);
    if (Status done = insert->run(); !done) return done;
  }
  return {};
}

}  // namespace

Status merge_usage(const OpenStore& into, const OpenStore& from, MergedStore& merged) {
  const Result<std::vector<UsageCorpus>> corpora = from.store.usage_corpora();
  if (!corpora) return corpora.error();
  std::map<std::int64_t, std::int64_t> shards;
  for (const UsageCorpus& corpus : *corpora) {
    const Result<std::int64_t> theirs = id_of_corpus(from.connection, corpus.label);
    if (!theirs) return theirs.error();
    const Result<std::int64_t> ours = id_of_corpus(into.connection, corpus.label);
    if (!ours) return ours.error();
    if (*ours == 0) {
      if (const auto readable = from.store.usage(corpus.label); !readable) return readable.error();
      if (Status done = copy_corpus(into.connection, from.connection, *theirs, shards); !done) return done;
      ++merged.corpora;
      continue;
    }
    const Result<Overlap> overlap = overlap_of(into.connection, from.connection, *ours, *theirs);
    if (!overlap) return overlap.error();
    if (!overlap->same) {
      merged.kept.push_back(fmt::format("usage of {}", corpus.label));
    } else if (overlap->missing.empty()) {
      ++merged.other_known;
    } else {
      if (const auto readable = from.store.usage(corpus.label); !readable) return readable.error();
      if (Status done = add_members(into.connection, from.connection, *ours, overlap->missing, shards); !done)
        return done;
      if (Status done = end_when_whole(into.connection, *ours); !done) return done;
      merged.shards += static_cast<std::int64_t>(overlap->missing.size());
    }
  }
  return {};
}

}  // namespace seamark::store
