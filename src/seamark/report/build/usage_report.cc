#include "seamark/report/build/usage_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "seamark/base/clock.h"
#include "seamark/base/text.h"
#include "seamark/report/render/number_text.h"

namespace seamark::report {
namespace {

using UsageRows = std::span<const UsageRow>;

// The rows of one framework and tier; they lie together.
UsageRows rows_of(const UsageTable& table, const std::string& framework, UsageTier tier) {
  const auto is_it = [&](const UsageRow& row) { return row.framework == framework && row.tier == tier; };
  const auto begin = std::find_if(table.rows.begin(), table.rows.end(), is_it);
  return {begin, std::find_if_not(begin, table.rows.end(), is_it)};
}

std::set<std::string> frameworks_of(const UsageTable& table) {
  std::set<std::string> names;
  for (const UsageImports& one : table.imports) names.insert(one.framework);
  for (const UsageRow& row : table.rows) names.insert(row.framework);
  return names;
}

std::string sum_text(UsageRows rows, std::int64_t UsageRow::* what) {
  std::int64_t total = 0;
  for (const UsageRow& row : rows) total += row.*what;
  return count_text(total);
}

std::string number_text(std::size_t number) { return count_text(static_cast<std::int64_t>(number)); }

std::string corpus_text(const store::UsageCorpus& corpus) {
  std::string text =
      fmt::format("{} of Python ({}), {} scanned", plural(corpus.files, "file"),
                  format_bytes(static_cast<std::uint64_t>(corpus.bytes)), count_text(corpus.candidates));
  if (corpus.protocol == "paper") text += "; counted as the study did";
  if (!corpus.complete)
    text += fmt::format("; not all of it: {} of {} shards", corpus.shards, corpus.planned);
  std::vector<std::string> catalogues;
  for (const auto& [framework, version] : corpus.catalogues)
    catalogues.push_back(fmt::format("{} {}", framework, version));
  return text + (catalogues.empty() ? "; without a catalogue: names are as they were imported"
                                    : "; names by the catalogues of " + join(catalogues, ", "));
}

Column number_column(const char* head, int optional = 0) {
  return {.head = head, .align = Column::Align::kRight, .optional = optional};
}

TextTable totals(const UsageTable& table) {
  const bool paper = table.protocol == "paper";
  std::vector<Column> columns{{"framework"},
                              number_column("files that\nimport it"),
                              number_column(paper ? "names" : "functions"),
                              number_column(paper ? "uses" : "calls")};
  if (!paper) {
    for (Column& column :
         std::vector<Column>{number_column("references", 2), number_column("inferred\ncalls"),
                             number_column("unknown\nnames"), number_column("their\ncalls", 1)})
      columns.push_back(std::move(column));
  }
  TextTable out(std::move(columns));
  for (const std::string& framework : frameworks_of(table)) {
    std::int64_t importing = 0;
    for (const UsageImports& one : table.imports) importing += one.framework == framework ? one.files : 0;
    const UsageRows resolved = rows_of(table, framework, paper ? UsageTier::kBare : UsageTier::kResolved);
    const UsageRows inferred = rows_of(table, framework, UsageTier::kInferred);
    const UsageRows unknown = rows_of(table, framework, UsageTier::kUnknown);
    out.add_row({framework, count_text(importing), number_text(resolved.size()),
                 sum_text(resolved, &UsageRow::calls), sum_text(resolved, &UsageRow::references),
                 sum_text(inferred, &UsageRow::calls), number_text(unknown.size()),
                 sum_text(unknown, &UsageRow::calls)});
  }
  return out;
}

TextTable first_rows(UsageRows rows, std::size_t top, const char* head) {
  const bool bare = rows.front().tier == UsageTier::kBare;
  std::vector<Column> columns{{.head = head, .elastic = 24, .keep_end = true},
                              number_column(bare ? "uses" : "calls")};
  if (!bare) columns.push_back(number_column("references", 2));
  columns.push_back(number_column("files"));
  columns.push_back(number_column("repositories", 1));
  TextTable table(std::move(columns));
  for (const UsageRow& row : rows.first(std::min(top, rows.size()))) {
    std::vector<Cell> cells{row.function, count_text(row.calls)};
    if (!bare) cells.emplace_back(count_text(row.references));
    cells.emplace_back(count_text(row.files));
    cells.emplace_back(count_text(row.repositories));
    table.add_row(std::move(cells));
  }
  return table;
}

// Methods called on objects of unknown type.
TextTable possible_rows(UsageRows most, UsageRows least, std::size_t top) {
  std::map<std::string_view, std::int64_t> sure;
  for (const UsageRow& row : least) sure.emplace(row.function, row.calls);
  TextTable table({{.head = "method", .elastic = 24, .keep_end = true},
                   number_column("calls,\nat least"),
                   number_column("at most"),
                   number_column("files"),
                   number_column("repositories", 1)});
  for (const UsageRow& row : most.first(std::min(top, most.size()))) {
    const auto found = sure.find(row.function);
    table.add_row({row.function, count_text(found == sure.end() ? 0 : found->second), count_text(row.calls),
                   count_text(row.files), count_text(row.repositories)});
  }
  return table;
}

struct TierText {
  UsageTier tier;
  const char* title;
  const char* note;
  const char* column;
};

constexpr TierText kTiers[] = {
    {UsageTier::kResolved, "functions", "", "function"},
    {UsageTier::kInferred, "methods of what a name holds",
     "Counted apart: the name was bound to a known class or factory in the same scope.", "method"},
    {UsageTier::kPossibleMost, "methods of objects of unknown type",
     "At most: some class of the framework has a method of that name. At least: no other known type has one.",
     "method"},
    {UsageTier::kUnknown, "names that the catalogue does not know", "Moved, removed, misspelt, or data.",
     "name"},
    {UsageTier::kBare, "names, as the study counted",
     "Any identifier of that spelling in a file that imports.", "name"},
};

Section troubles(const char* title, const char* note, std::int64_t count, std::span<const UsageLoss> first) {
  Section section{title, fmt::format("{}: {}", title, count_text(count)), note, {}};
  Items lines;
  for (const UsageLoss& loss : first) lines.texts.push_back(loss_line(loss));
  const auto listed = static_cast<std::int64_t>(first.size());
  if (count > listed) lines.texts.push_back(fmt::format("and {} more", count_text(count - listed)));
  if (count > 0) section.blocks.emplace_back(std::move(lines));
  return section;
}

}  // namespace

Document usage_document(const UsageView& view, std::size_t top) {
  const store::UsageCorpus& corpus = view.corpus;
  Document document;
  document.head.push_back({corpus.label + ":", corpus_text(corpus), Tone::kStrong});
  if (corpus.unresolved_stars > 0) {
    document.head.push_back(
        {"", fmt::format("{} of a framework are not resolved: no catalogue says what they bind",
                         plural(corpus.unresolved_stars, "star import"))});
  }
  document.add({"frameworks", "Frameworks", {}, {totals(view.table)}});
  for (const std::string& framework : frameworks_of(view.table)) {
    for (const TierText& part : kTiers) {
      const UsageRows rows = rows_of(view.table, framework, part.tier);
      if (rows.empty() || top == 0) continue;
      const bool possible = part.tier == UsageTier::kPossibleMost;
      const UsageRows least = rows_of(view.table, framework, UsageTier::kPossibleLeast);
      document.add(
          {.id = fmt::format("{}-{}", framework, name_of(part.tier)),
           .heading = fmt::format("{}: {}, {} of {}", framework, part.title,
                                  number_text(std::min(rows.size(), top)), number_text(rows.size())),
           .note = part.note,
           .blocks = {possible ? possible_rows(rows, least, top) : first_rows(rows, top, part.column)}});
    }
  }
  document.add(
      troubles("repaired", "Counted, with what is not UTF-8 read as U+FFFD.", corpus.repaired, view.repairs));
  document.add(troubles("lost", "What could not be read. The rest was counted.", corpus.losses, view.losses));
  return document;
}

}  // namespace seamark::report
