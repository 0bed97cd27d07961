#include "seamark/cli/usage_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "seamark/base/clock.h"
#include "seamark/base/text.h"
#include "seamark/report/number_text.h"
#include "seamark/report/text_table.h"

namespace seamark::cli {
namespace {

using report::Cell;
using report::Column;
using report::count_text;
using report::plural;
using report::RenderOptions;
using report::TextTable;
using report::Tone;

Column number_column(const char* head, int optional = 0) {
  return {.head = head, .align = Column::Align::kRight, .optional = optional};
}

using Rows = std::span<const UsageRow>;

// The rows of one framework and tier; they lie together.
Rows part_of(const UsageTable& table, const std::string& framework, UsageTier tier) {
  const auto is_it = [&](const UsageRow& row) { return row.framework == framework && row.tier == tier; };
  const auto begin = std::find_if(table.rows.begin(), table.rows.end(), is_it);
  const auto end = std::find_if_not(begin, table.rows.end(), is_it);
  return {begin, end};
}

std::vector<std::string> frameworks_of(const UsageTable& table) {
  std::set<std::string> names;
  for (const UsageImports& one : table.imports) names.insert(one.framework);
  for (const UsageRow& row : table.rows) names.insert(row.framework);
  return {names.begin(), names.end()};
}

std::int64_t sum(Rows rows, std::int64_t UsageRow::* what) {
  std::int64_t total = 0;
  for (const UsageRow& row : rows) total += row.*what;
  return total;
}

std::string head(const UsageView& view, const RenderOptions& options) {
  const store::UsageCorpus& corpus = view.corpus;
  std::string text =
      fmt::format("{}: {} of Python ({}), {} scanned", one_line(corpus.label), plural(corpus.files, "file"),
                  format_bytes(static_cast<std::uint64_t>(corpus.bytes)), count_text(corpus.candidates));
  if (corpus.protocol == "paper") text += "; counted as the study did";
  if (!corpus.complete) {
    text += fmt::format("; not all of it: {} of {} shards", corpus.shards, corpus.planned);
  }
  std::vector<std::string> catalogues;
  catalogues.reserve(corpus.catalogues.size());
  for (const auto& [framework, version] : corpus.catalogues) {
    catalogues.push_back(fmt::format("{} {}", framework, version));
  }
  text += catalogues.empty() ? "; without a catalogue: names are as they were imported"
                             : "; names by the catalogues of " + join(catalogues, ", ");
  return report::wrapped(one_line(text), report::usable_width(options));
}

std::string totals(const UsageTable& table, const RenderOptions& options) {
  const bool paper = table.protocol == "paper";
  TextTable out(paper ? std::vector<Column>{{"framework"},
                                            number_column("files that\nimport it"),
                                            number_column("names"),
                                            number_column("uses")}
                      : std::vector<Column>{{"framework"},
                                            number_column("files that\nimport it"),
                                            number_column("functions"),
                                            number_column("calls"),
                                            number_column("references", 2),
                                            number_column("inferred\ncalls"),
                                            number_column("unknown\nnames"),
                                            number_column("their\ncalls", 1)});
  for (const std::string& framework : frameworks_of(table)) {
    std::int64_t importing = 0;
    for (const UsageImports& one : table.imports) importing += one.framework == framework ? one.files : 0;
    const Rows resolved = part_of(table, framework, paper ? UsageTier::kBare : UsageTier::kResolved);
    const Rows inferred = part_of(table, framework, UsageTier::kInferred);
    const Rows unknown = part_of(table, framework, UsageTier::kUnknown);
    out.add_row(
        {one_line(framework), count_text(importing), count_text(static_cast<std::int64_t>(resolved.size())),
         count_text(sum(resolved, &UsageRow::calls)), count_text(sum(resolved, &UsageRow::references)),
         count_text(sum(inferred, &UsageRow::calls)), count_text(static_cast<std::int64_t>(unknown.size())),
         count_text(sum(unknown, &UsageRow::calls))});
  }
  return out.render(options);
}

std::string first_rows(Rows rows, std::size_t top, const char* head, const RenderOptions& options) {
  const bool bare = rows.front().tier == UsageTier::kBare;
  std::vector<Column> columns{{.head = head, .elastic = 24, .keep_end = true},
                              number_column(bare ? "uses" : "calls")};
  if (!bare) columns.push_back(number_column("references", 2));
  columns.push_back(number_column("files"));
  columns.push_back(number_column("repositories", 1));
  TextTable table(std::move(columns));
  for (const UsageRow& row : rows.first(std::min(top, rows.size()))) {
    std::vector<Cell> cells{one_line(row.function), count_text(row.calls)};
    if (!bare) cells.emplace_back(count_text(row.references));
    cells.emplace_back(count_text(row.files));
    cells.emplace_back(count_text(row.repositories));
    table.add_row(std::move(cells));
  }
  return table.render(options);
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
    {UsageTier::kUnknown, "names that the catalogue does not know", "Moved, removed, misspelt, or data.",
     "name"},
    {UsageTier::kBare, "names, as the study counted",
     "Any identifier of that spelling in a file that imports.", "name"},
};

std::string functions(const UsageTable& table, std::size_t top, const RenderOptions& options) {
  std::string text;
  for (const std::string& framework : frameworks_of(table)) {
    for (const TierText& part : kTiers) {
      const Rows rows = part_of(table, framework, part.tier);
      if (rows.empty() || top == 0) continue;
      const auto all = static_cast<std::int64_t>(rows.size());
      const std::string title =
          fmt::format("{}: {}, {} of {}", one_line(framework), part.title,
                      count_text(std::min(all, static_cast<std::int64_t>(top))), count_text(all));
      text +=
          report::section_heading(title, part.note, options) + first_rows(rows, top, part.column, options);
    }
  }
  return text;
}

std::string troubles(std::int64_t count, std::span<const UsageLoss> first, const RenderOptions& options) {
  std::string text;
  for (const UsageLoss& loss : first) {
    text += "  " + report::wrapped(loss_line(loss), report::usable_width(options), "    ", 2);
  }
  const auto listed = static_cast<std::int64_t>(first.size());
  if (count > listed) text += fmt::format("  and {} more\n", count_text(count - listed));
  return text;
}

std::string losses(const UsageView& view, const RenderOptions& options) {
  std::string text;
  if (view.corpus.unresolved_stars > 0) {
    text += "\n" + report::wrapped(
                       fmt::format("{} of a framework are not resolved: no catalogue says what they bind",
                                   plural(view.corpus.unresolved_stars, "star import")),
                       report::usable_width(options));
  }
  if (view.corpus.repaired > 0) {
    text += report::section_heading(fmt::format("repaired: {}", count_text(view.corpus.repaired)),
                                    "Counted, with what is not UTF-8 read as U+FFFD.", options);
    text += troubles(view.corpus.repaired, view.repairs, options);
  }
  if (view.corpus.losses > 0) {
    text += report::section_heading(fmt::format("lost: {}", count_text(view.corpus.losses)),
                                    "What could not be read. The rest was counted.", options);
    text += troubles(view.corpus.losses, view.losses, options);
  }
  return text;
}

}  // namespace

std::string usage_text(const UsageView& view, std::size_t top, const RenderOptions& options) {
  return head(view, options) + "\n" + totals(view.table, options) + functions(view.table, top, options) +
         losses(view, options);
}

}  // namespace seamark::cli
