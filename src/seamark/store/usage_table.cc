// Reading what was counted. Shards are merged some functions at a time: what is held is their rows, one
// number per repository and shard, and the table that comes out.
#include "seamark/store/usage_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "seamark/store/connection.h"
#include "seamark/store/encode.h"
#include "seamark/store/store.h"

namespace seamark::store {

namespace {

constexpr std::string_view kCorpusColumns =
    "SELECT c.label, c.protocol, c.vocabulary, c.options, c.catalogues, c.inputs, c.planned, c.complete, "
    "c.started_us, c.ended_us, count(s.id), coalesce(sum(s.bytes), 0), coalesce(sum(s.files), 0), "
    "coalesce(sum(s.candidates), 0), coalesce(sum(s.losses), 0), coalesce(sum(s.unresolved_stars), 0), "
    "coalesce(sum(s.cpu_s), 0.0), c.id, coalesce(sum(s.repaired), 0) "
    "FROM usage_corpora c LEFT JOIN usage_corpus_shards m ON m.corpus_id = c.id "
    "LEFT JOIN usage_shards s ON s.id = m.shard_id ";

// What encode_ascending() wrote, number by number; false: it is not that, or `take` says so.
template <typename Take>
bool each_ascending(std::span<const std::uint8_t> bytes, Take take) {
  std::uint64_t number = 0;
  std::uint64_t difference = 0;
  int shift = 0;
  bool first = true;
  for (const std::uint8_t byte : bytes) {
    if (shift > 63 || (shift == 63 && (byte & 0x7e) != 0)) return false;
    difference |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    shift += 7;
    if ((byte & 0x80) != 0) continue;
    const std::uint64_t next = number + difference;
    if (!first && next <= number) return false;
    if (!take(next)) return false;
    first = false;
    number = next;
    difference = 0;
    shift = 0;
  }
  return shift == 0;
}

struct NumberedCorpus {
  UsageCorpus corpus;
  std::int64_t id = 0;
};

Result<NumberedCorpus> read_corpus(const Connection& connection, const Statement& row) {
  NumberedCorpus read;
  UsageCorpus& corpus = read.corpus;
  corpus.label = row.string(0);
  corpus.protocol = row.string(1);
  corpus.vocabulary = row.string(2);
  corpus.options = row.string(3);
  const Result<Value> catalogues = decode_document(row.text(4));
  if (!catalogues || !(catalogues->is_null() || catalogues->is_object()))
    return connection.corrupt("the catalogues of a corpus");
  if (catalogues->is_object()) {
    for (const auto& [framework, version] : catalogues->as_object()) {
      if (version.is_string()) corpus.catalogues.emplace(framework, version.as_string());
    }
  }
  Result<std::vector<std::string>> inputs = decode_list(row.text(5));
  if (!inputs) return connection.corrupt("the inputs of a corpus");
  corpus.inputs = std::move(*inputs);
  corpus.planned = row.integer(6);
  corpus.complete = row.integer(7) != 0;
  corpus.started_unix_us = row.integer(8);
  corpus.ended_unix_us = row.maybe_integer(9);
  corpus.shards = row.integer(10);
  corpus.bytes = row.integer(11);
  corpus.files = row.integer(12);
  corpus.candidates = row.integer(13);
  corpus.losses = row.integer(14);
  corpus.unresolved_stars = row.integer(15);
  corpus.cpu_s = row.number(16);
  read.id = row.integer(17);
  corpus.repaired = row.integer(18);
  return read;
}

Result<NumberedCorpus> choose_corpus(Connection& connection, const std::optional<std::string>& label) {
  Result<Statement> row = connection.prepare(std::string(kCorpusColumns) +
                                             "WHERE ?1 IS NULL OR c.label = ?1 GROUP BY c.id "
                                             "ORDER BY c.started_us DESC, c.id DESC LIMIT 1");
  if (!row) return row.error();
  row->bind(1, label);
  const Result<bool> found = row->step();
  if (!found) return found.error();
  if (*found) return read_corpus(connection, *row);
  return Error(StoreError::kNoSuchUsage,
               label
                   ? fmt::format("{}: it holds no usage of a corpus '{}'", connection.file().string(), *label)
                   : fmt::format("{}: it holds no usage", connection.file().string()),
               "`seamark usage INPUT...` counts one");
}

// The shards of a corpus and, of each, its repositories as numbers that hold for the whole corpus.
struct Members {
  struct Shard {
    std::int64_t times = 1;  // a file that was given twice counts twice
    std::vector<std::uint32_t> repositories;
  };
  std::unordered_map<std::int64_t, Shard> shards;
  std::size_t repositories = 0;
};

Result<std::vector<std::uint64_t>> hashes_of(const Connection& connection, const Statement& row, int column) {
  std::optional<std::vector<std::uint64_t>> hashes = decode_ascending(row.blob(column));
  if (!hashes) return connection.corrupt("the repositories of a shard");
  return std::move(*hashes);
}

Result<Members> read_members(Connection& connection, std::int64_t corpus) {
  Members members;
  std::vector<std::uint64_t> all;
  for (const bool numbering : {false, true}) {  // twice, so that no two copies are held
    Result<Statement> row = connection.prepare(
        "SELECT s.id, count(*), s.repositories FROM usage_corpus_shards m "
        "JOIN usage_shards s ON s.id = m.shard_id WHERE m.corpus_id = ?1 GROUP BY s.id");
    if (!row) return row.error();
    row->bind(1, corpus);
    while (true) {
      const Result<bool> more = row->step();
      if (!more) return more.error();
      if (!*more) break;
      const Result<std::vector<std::uint64_t>> hashes = hashes_of(connection, *row, 2);
      if (!hashes) return hashes.error();
      if (!numbering) {
        const auto middle = static_cast<std::ptrdiff_t>(all.size());
        all.insert(all.end(), hashes->begin(), hashes->end());
        std::inplace_merge(all.begin(), all.begin() + middle, all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        continue;
      }
      Members::Shard& shard = members.shards[row->integer(0)];
      shard.times = row->integer(1);
      shard.repositories.reserve(hashes->size());
      for (const std::uint64_t hash : *hashes) {
        const auto at = std::lower_bound(all.begin(), all.end(), hash);
        if (at == all.end() || *at != hash) return connection.corrupt("the repositories of a shard");
        shard.repositories.push_back(static_cast<std::uint32_t>(at - all.begin()));
      }
    }
  }
  members.repositories = all.size();
  return members;
}

// What a shard counted of one name.
struct Counted {
  std::int64_t name = 0;
  std::int64_t tier = 0;
  const Members::Shard* shard = nullptr;
  std::int64_t calls = 0;
  std::int64_t references = 0;
  std::int64_t files = 0;
  std::size_t repositories_begin = 0;  // in Range::repositories
  std::size_t repositories_end = 0;
};

struct Name {
  std::int64_t id = 0;
  std::string framework;
  std::string name;
};

// Of all shards, the names of a range of numbers.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::vector<Name> names;                 // by number
  std::vector<Counted> rows;               // by name, then tier
  std::vector<std::uint8_t> repositories;  // as they lie in the columns

  void clear() {
    names.clear();
    rows.clear();
    repositories.clear();
  }
};

// How many rows are held at once, about; and how many names at least are read at once.
constexpr std::size_t kMostRows = std::size_t{1} << 13;
constexpr std::size_t kLeastNames = 64;

Status read_names(Connection& connection, Range& range) {
  Result<Statement> row = connection.prepare(
      "SELECT id, framework, name FROM usage_names WHERE id >= ?1 AND id < ?2 ORDER BY id");
  if (!row) return row.error();
  row->bind(1, range.begin).bind(2, range.end);
  while (true) {
    const Result<bool> more = row->step();
    if (!more) return more.error();
    if (!*more) return {};
    range.names.push_back({row->integer(0), row->string(1), row->string(2)});
  }
}

Status read_rows(Connection& connection, std::int64_t id, const Members::Shard& shard, Range& range) {
  Result<Statement> row = connection.prepare(
      "SELECT name_id, tier, calls, \"references\", files, repositories FROM usage_counts "
      "WHERE shard_id = ?1 AND name_id >= ?2 AND name_id < ?3");
  if (!row) return row.error();
  row->bind(1, id).bind(2, range.begin).bind(3, range.end);
  while (true) {
    const Result<bool> more = row->step();
    if (!more) return more.error();
    if (!*more) return {};
    const std::span<const std::uint8_t> repositories = row->blob(5);
    const std::size_t begin = range.repositories.size();
    range.repositories.insert(range.repositories.end(), repositories.begin(), repositories.end());
    range.rows.push_back({.name = row->integer(0),
                          .tier = row->integer(1),
                          .shard = &shard,
                          .calls = row->integer(2),
                          .references = row->integer(3),
                          .files = row->integer(4),
                          .repositories_begin = begin,
                          .repositories_end = range.repositories.size()});
  }
}

// Adds up the rows of one function and tier.
class Merger {
 public:
  Merger(Connection& connection, const Members& members)
      : connection_(connection), seen_in_(members.repositories, 0) {}

  Status add(Range& range) {
    std::sort(range.rows.begin(), range.rows.end(), [](const Counted& a, const Counted& b) {
      return std::tie(a.name, a.tier) < std::tie(b.name, b.tier);
    });
    for (const Counted& row : range.rows) {
      if (row.tier < 1 || row.tier > kLastUsageTier) return corrupt();
      const bool other = rows_.empty() || row.name != name_ || row.tier != tier_;
      if (other && !begin(row, range.names)) return corrupt();
      UsageRow& out = rows_.back();
      out.calls += row.shard->times * row.calls;
      out.references += row.shard->times * row.references;
      out.files += row.shard->times * row.files;
      if (!add_repositories(row, range.repositories, out)) return corrupt();
    }
    return {};
  }

  std::vector<UsageRow> take() {
    std::sort(rows_.begin(), rows_.end(), [](const UsageRow& a, const UsageRow& b) {
      return std::tie(a.framework, a.tier, b.calls, a.function) <
             std::tie(b.framework, b.tier, a.calls, b.function);
    });
    return std::move(rows_);
  }

 private:
  [[nodiscard]] Error corrupt() const { return connection_.corrupt("the counts of a function"); }

  bool begin(const Counted& counted, std::span<const Name> names) {
    const auto name = std::lower_bound(names.begin(), names.end(), counted.name,
                                       [](const Name& one, std::int64_t id) { return one.id < id; });
    if (name == names.end() || name->id != counted.name) return false;
    name_ = counted.name;
    tier_ = counted.tier;
    UsageRow& out = rows_.emplace_back();
    out.framework = name->framework;
    out.function = name->name;
    out.tier = static_cast<UsageTier>(counted.tier);
    return true;
  }

  bool add_repositories(const Counted& row, std::span<const std::uint8_t> bytes, UsageRow& out) {
    const std::vector<std::uint32_t>& numbers = row.shard->repositories;
    const auto stamp = static_cast<std::uint32_t>(rows_.size());
    return each_ascending(
        bytes.subspan(row.repositories_begin, row.repositories_end - row.repositories_begin),
        [&](std::uint64_t position) {
          if (position >= numbers.size()) return false;
          std::uint32_t& seen = seen_in_[numbers[position]];
          if (seen != stamp) ++out.repositories;
          seen = stamp;
          return true;
        });
  }

  Connection& connection_;
  std::vector<std::uint32_t> seen_in_;  // per repository: the last row that it was counted in
  std::vector<UsageRow> rows_;
  std::int64_t name_ = 0;
  std::int64_t tier_ = 0;
};

Result<std::vector<UsageRow>> merge(Connection& connection, std::int64_t corpus) {
  const Result<Members> members = read_members(connection, corpus);
  if (!members) return members.error();
  const Result<std::int64_t> last = connection.integer("SELECT coalesce(max(id), 0) FROM usage_names");
  if (!last) return last.error();
  Merger merger(connection, *members);
  const auto names =
      static_cast<std::int64_t>(std::max(kLeastNames, kMostRows / (members->shards.size() + 1)));
  Range range;
  for (range.begin = 1; range.begin <= *last; range.begin = range.end) {
    range.end = range.begin + std::min(names, *last - range.begin + 1);
    range.clear();
    if (Status read = read_names(connection, range); !read) return read.error();
    for (const auto& [id, shard] : members->shards) {
      if (Status read = read_rows(connection, id, shard, range); !read) return read.error();
    }
    if (Status added = merger.add(range); !added) return added.error();
  }
  return merger.take();
}

Result<std::vector<UsageImports>> read_imports(Connection& connection, std::int64_t corpus) {
  Result<Statement> row = connection.prepare(
      "SELECT i.framework, sum(i.files) FROM usage_corpus_shards m JOIN usage_imports i "
      "ON i.shard_id = m.shard_id WHERE m.corpus_id = ?1 GROUP BY 1 ORDER BY 1");
  if (!row) return row.error();
  row->bind(1, corpus);
  std::vector<UsageImports> imports;
  while (true) {
    const Result<bool> more = row->step();
    if (!more) return more.error();
    if (!*more) return imports;
    imports.push_back({row->string(0), row->integer(1)});
  }
}

}  // namespace

std::optional<std::vector<std::uint64_t>> decode_ascending(std::span<const std::uint8_t> bytes) {
  std::vector<std::uint64_t> numbers;
  const bool whole = each_ascending(bytes, [&numbers](std::uint64_t number) {
    numbers.push_back(number);
    return true;
  });
  if (!whole) return std::nullopt;
  return numbers;
}

Result<std::vector<UsageCorpus>> Store::usage_corpora() {
  Result<Statement> row = connection_->prepare(std::string(kCorpusColumns) +
                                               "GROUP BY c.id ORDER BY c.started_us DESC, c.id DESC");
  if (!row) return row.error();
  std::vector<UsageCorpus> corpora;
  while (true) {
    const Result<bool> more = row->step();
    if (!more) return more.error();
    if (!*more) return corpora;
    Result<NumberedCorpus> corpus = read_corpus(*connection_, *row);
    if (!corpus) return corpus.error();
    corpora.push_back(std::move(corpus->corpus));
  }
}

Result<UsageCorpus> Store::usage_corpus(const std::optional<std::string>& label) {
  Result<NumberedCorpus> chosen = choose_corpus(*connection_, label);
  if (!chosen) return chosen.error();
  return std::move(chosen->corpus);
}

Result<UsageTable> Store::usage(const std::optional<std::string>& label) {
  const Result<Transaction> reading = Transaction::begin_reading(*connection_);
  if (!reading) return reading.error();
  const Result<NumberedCorpus> chosen = choose_corpus(*connection_, label);
  if (!chosen) return chosen.error();
  UsageTable table;
  table.corpus = chosen->corpus.label;
  table.protocol = chosen->corpus.protocol;
  table.files = chosen->corpus.files;
  table.bytes = chosen->corpus.bytes;
  Result<std::vector<UsageImports>> imports = read_imports(*connection_, chosen->id);
  if (!imports) return imports.error();
  table.imports = std::move(*imports);
  Result<std::vector<UsageRow>> rows = merge(*connection_, chosen->id);
  if (!rows) return rows.error();
  table.rows = std::move(*rows);
  return table;
}

Result<std::vector<UsageLoss>> Store::usage_losses(const std::optional<std::string>& label, std::size_t limit,
                                                   bool repaired) {
  const Result<NumberedCorpus> chosen = choose_corpus(*connection_, label);
  if (!chosen) return chosen.error();
  Result<Statement> row = connection_->prepare(
      "SELECT l.file, l.line, l.what FROM usage_corpus_shards m "
      "JOIN usage_losses l ON l.shard_id = m.shard_id "
      "WHERE m.corpus_id = ?1 AND l.repaired = ?3 ORDER BY m.position, l.position LIMIT ?2");
  if (!row) return row.error();
  row->bind(1, chosen->id).bind(2, static_cast<std::int64_t>(limit)).bind(3, repaired);
  std::vector<UsageLoss> losses;
  while (true) {
    const Result<bool> more = row->step();
    if (!more) return more.error();
    if (!*more) return losses;
    losses.push_back({row->string(0), row->maybe_integer(1).value_or(0), row->string(2), repaired});
  }
}

}  // namespace seamark::store
