#include "seamark/report/build/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "seamark/base/text.h"
#include "seamark/report/build/declared_parts.h"
#include "seamark/report/build/derive.h"
#include "seamark/report/build/estimate_report.h"
#include "seamark/report/build/sample_report.h"

namespace seamark::report {

using analysis::CategoryCount;
using analysis::FunctionCounts;
using analysis::Summary;
using analysis::TargetCategories;
using analysis::TargetRow;
using Align = Column::Align;

namespace {

constexpr int kBarWidth = 20;

std::vector<Remark> head_of(const Summary& summary, const RenderOptions& options, const Glyphs& glyphs) {
  const std::string dot = fmt::format(" {} ", glyphs.dot);
  std::string title = "Seamark";
  if (!options.tool_version.empty()) title += " " + ellipsize(one_line(options.tool_version), 20);
  std::string line = fmt::format("{} ", glyphs.dot);
  if (summary.runs.size() == 1) {
    const store::RunInfo& info = summary.runs.front().info;
    line += fmt::format("run {}{}{}{}{}", short_id(info.uuid), dot, utc_text(info.started_unix_us), dot,
                        name_of(info.state));
  } else {
    line += plural(static_cast<std::int64_t>(summary.runs.size()), "run");
  }
  std::int64_t cases = 0;
  for (const analysis::FunctionRow& function : summary.functions) {
    cases += static_cast<std::int64_t>(function.cases.size());
  }
  std::vector<Remark> head;
  head.push_back({title, line, Tone::kStrong});
  head.push_back(
      {{},
       fmt::format("{}{}{}{}{}{}store {}",
                   plural(static_cast<std::int64_t>(summary.functions.size()), "function"), dot,
                   plural(cases, "case"), dot,
                   plural(static_cast<std::int64_t>(summary.targets.size()), "target"), dot, summary.store),
       Tone::kPlain});
  for (const analysis::RunFacts& run : summary.runs) {
    if (run.info.subset_note.empty()) continue;
    head.push_back({"Subset:", run.info.subset_note, Tone::kPartial});
    break;
  }
  return head;
}

// "26 100%", right-aligned within the column of its neighbours.
Cell share_cell(int count, int total, Tone tone, const Glyphs& glyphs) {
  const Tone shown = count == 0 ? Tone::kDim : tone;
  if (total == 0) return {glyphs.none, Tone::kDim};
  return {fmt::format("{} {:>4}", count, percent_text(count, total, glyphs)), shown};
}

Cell count_cell(std::int64_t count, Tone tone) { return {count_text(count), count == 0 ? Tone::kDim : tone}; }

Cell level_cell(const TargetRow& target, const Glyphs& glyphs) {
  return {level_text(target, glyphs), target.compiled_only ? Tone::kCompiled : Tone::kPlain};
}

// Pass, partial and fail as parts of a bar over all planned functions; `on_host` of those that pass apart.
Cell bar_cell(const FunctionCounts& counts, int on_host, bool compiled_only, bool unicode) {
  Cell cell;
  const int total = std::max(1, counts.functions);
  int used = 0;
  int seen = 0;
  auto part = [&](int count, const char* glyph, Tone tone) {
    seen += count;
    const int end = (seen * kBarWidth + total / 2) / total;
    std::string text;
    for (; used < end; ++used) text += glyph;
    cell.spans.emplace_back(text, tone);
  };
  part(counts.pass - on_host, unicode ? "█" : "#", compiled_only ? Tone::kCompiled : Tone::kGood);
  part(on_host, unicode ? "▒" : "h", Tone::kHost);
  part(counts.partial, unicode ? "▓" : "+", Tone::kPartial);
  part(counts.fail, unicode ? "░" : "-", Tone::kBad);
  part(counts.functions - counts.pass - counts.partial - counts.fail, unicode ? "·" : ".", Tone::kDim);
  return cell;
}

// A list by target: what was executed, then what was only compiled, then those of which nothing is known.
// `add` adds the row of a target.
template <typename Add>
Section by_target(const Summary& summary, Section section, std::vector<Column> columns, Add add) {
  TextTable table(std::move(columns));
  const TargetOrder order = order_of(summary);
  for (const std::size_t i : order.executed) add(table, summary.targets[i]);
  if (!order.compiled_only.empty())
    table.add_section("compiled only: what passes compiles; nothing was executed", Tone::kCompiled);
  for (const std::size_t i : order.compiled_only) add(table, summary.targets[i]);
  if (!order.unknown.empty()) table.add_section("not run: nothing is known of these");
  for (const std::size_t i : order.unknown) add(table, summary.targets[i]);
  section.blocks.emplace_back(std::move(table));
  return section;
}

Section verdict_section(const Summary& summary, const RenderOptions& options, const Glyphs& glyphs,
                        Extent extent) {
  const auto any = [&](int FunctionCounts::* count) {
    return std::any_of(summary.targets.begin(), summary.targets.end(),
                       [&](const TargetRow& one) { return one.all.*count > 0; });
  };
  const bool any_coarse = any(&FunctionCounts::default_precision);
  const bool any_unchecked = any(&FunctionCounts::unchecked);
  std::vector<Column> columns = {{"target"},
                                 {"evidence"},
                                 {"func-\ntions", Align::kRight, 2},
                                 {"ran", Align::kRight},
                                 {"pass", Align::kRight},
                                 {"partial", Align::kRight},
                                 {"fail", Align::kRight},
                                 {"slow\nw/c", Align::kRight},
                                 {"un-\nansw.", Align::kRight},
                                 {"not\nrun", Align::kRight},
                                 {"on\nref", Align::kRight, 1},
                                 {.head = "", .optional = 3, .drawn = true}};
  constexpr std::size_t kAfterPass = 5;
  constexpr std::size_t kAfterFail = 7;
  const bool page = extent == Extent::kPage;
  if (any_unchecked) columns.insert(columns.begin() + kAfterFail, Column{"un-\nchecked", Align::kRight});
  if (any_coarse) columns.insert(columns.begin() + kAfterFail, Column{"default\nprec.", Align::kRight});
  if (page) columns.insert(columns.begin() + kAfterPass, Column{"on\nhost", Align::kRight});
  return by_target(
      summary,
      {.id = "overview",
       .heading = "Functions by verdict",
       .note = std::string("Over each function's core cases; shares of the functions that ran. ") +
               (page ? "on host: of those that pass. " : "") +
               "slow w/c: slow warm / slow cold, beside the verdict. Counted apart: unansw., unanswered: "
               "fails before "
               "the device could answer; on ref: fails the same way on the reference.",
       .blocks = {}},
      std::move(columns), [&](TextTable& table, const TargetRow& target) {
        const FunctionCounts& all = target.all;
        const int ran = all.pass + all.partial + all.fail;
        const int on_host =
            passes_on_host(summary, static_cast<std::size_t>(&target - summary.targets.data()));
        std::vector<Cell> row = {
            Cell::target(target.target),
            level_cell(target, glyphs),
            count_text(all.functions),
            count_text(ran),
            share_cell(all.pass, ran, target.compiled_only ? Tone::kCompiled : Tone::kGood, glyphs),
            share_cell(all.partial, ran, Tone::kPartial, glyphs),
            share_cell(all.fail, ran, Tone::kBad, glyphs),
            {slow_text(target, glyphs), all.slow_warm + all.slow_cold > 0 ? Tone::kSlow : Tone::kDim},
            count_cell(all.unanswered, Tone::kPlain),
            count_cell(all.not_run, Tone::kPlain),
            count_cell(all.fails_on_reference, Tone::kPlain),
            bar_cell(all, page ? on_host : 0, target.compiled_only, options.unicode)};
        if (any_unchecked) row.insert(row.begin() + kAfterFail, count_cell(all.unchecked, Tone::kPlain));
        if (any_coarse)
          row.insert(row.begin() + kAfterFail, count_cell(all.default_precision, Tone::kPartial));
        if (page) row.insert(row.begin() + kAfterPass, count_cell(on_host, Tone::kHost));
        table.add_row(std::move(row));
      });
}

Section rate_section(const Summary& summary, const Glyphs& glyphs) {
  return by_target(
      summary,
      {.id = "rates",
       .heading = "Runs, and runs on the device",
       .note = "Shares of the functions that ran, with Wilson's 95% interval. on device: passes, and nothing "
               "fell back to the host, of those with device work. no work: no operation depends on an "
               "input; without: without them. uncorrected: with what fails on the reference and what is "
               "unanswered.",
       .blocks = {}},
      {{"target"},
       {"evidence", Align::kLeft, 1},
       {"runs", Align::kRight},
       {"95%", Align::kRight, 2},
       {"on\ndevice", Align::kRight},
       {"95%", Align::kRight, 4},
       {"no\nwork", Align::kRight},
       {"without:\nruns", Align::kRight, 1},
       {"95%", Align::kRight, 5},
       {"uncor-\nrected", Align::kRight},
       {"95%", Align::kRight, 5},
       {"all cases\npass", Align::kRight, 3},
       {"errors", Align::kRight, 3}},
      [&](TextTable& table, const TargetRow& target) {
        const FunctionCounts& all = target.all;
        const analysis::Rate& bare = target.with_device_work.runs;
        const analysis::Rate& on_device = all.runs_on_device;
        const bool fell_back = on_device.value && bare.value && on_device.count < bare.count;
        table.add_row({Cell::target(target.target),
                       level_cell(target, glyphs),
                       {rate_text(all.runs, glyphs), Tone::kStrong},
                       {rate_interval_text(all.runs, glyphs), Tone::kDim},
                       {rate_text(on_device, glyphs), fell_back ? Tone::kHost : Tone::kStrong},
                       {rate_interval_text(on_device, glyphs), Tone::kDim},
                       count_text(all.no_device_work),
                       rate_text(bare, glyphs),
                       {rate_interval_text(bare, glyphs), Tone::kDim},
                       rate_text(all.runs_uncorrected, glyphs),
                       {rate_interval_text(all.runs_uncorrected, glyphs), Tone::kDim},
                       rate_text(target.cases.runs, glyphs),
                       count_cell(target.cases.error, Tone::kBad)});
        if (target.ran && !target.compiled_only && !on_device.reason.empty())
          table.add_note("on device: " + on_device.reason);
      });
}

// Frameworks differ in how many of their cases take gradients: only like is set beside like.
Section kind_section(const Summary& summary, const Glyphs& glyphs) {
  const bool any = std::any_of(summary.targets.begin(), summary.targets.end(),
                               [](const TargetRow& target) { return target.gradient.runs.total > 0; });
  if (!any) return {};
  return by_target(
      summary,
      {.id = "kinds",
       .heading = "Forward and gradient apart",
       .note = "Functions by the core cases that take no gradient, and by those that take one: frameworks "
               "are compared column by column.",
       .blocks = {}},
      {{"target"},
       {"evidence", Align::kLeft, 1},
       {"forward:\nruns", Align::kRight},
       {"95%", Align::kRight, 2},
       {"partial", Align::kRight},
       {"fail", Align::kRight},
       {"gradient:\nruns", Align::kRight},
       {"95%", Align::kRight, 2},
       {"partial", Align::kRight},
       {"fail", Align::kRight}},
      [&](TextTable& table, const TargetRow& target) {
        std::vector<Cell> row = {Cell::target(target.target), level_cell(target, glyphs)};
        for (const analysis::KindCounts* kind : {&target.forward, &target.gradient}) {
          row.emplace_back(rate_text(kind->runs, glyphs), Tone::kStrong);
          row.emplace_back(rate_interval_text(kind->runs, glyphs), Tone::kDim);
          row.push_back(count_cell(kind->partial, Tone::kPartial));
          row.push_back(count_cell(kind->fail, Tone::kBad));
        }
        table.add_row(std::move(row));
      });
}

Section placement_section(const Summary& summary, const Glyphs& glyphs) {
  return by_target(
      summary,
      {.id = "placement",
       .heading = "Cases by placement",
       .note =
           "Cases that pass, core or not. host: something that computes ran there; unknown: nothing proves "
           "either; none: nothing to place.",
       .blocks = {}},
      {{"target"},
       {"evidence", Align::kLeft, 1},
       {"pass", Align::kRight},
       {"device", Align::kRight},
       {"host", Align::kRight},
       {"unknown", Align::kRight},
       {"none", Align::kRight}},
      [&](TextTable& table, const TargetRow& target) {
        const analysis::CaseCounts& cases = target.cases;
        table.add_row(
            {Cell::target(target.target), level_cell(target, glyphs), count_cell(cases.pass, Tone::kPlain),
             count_cell(cases.placed_device, Tone::kGood), count_cell(cases.placed_host, Tone::kHost),
             count_cell(cases.placed_unknown, Tone::kPlain), count_cell(cases.placed_none, Tone::kPlain)});
      });
}

// "not-implemented" as narrow lines.
std::string narrow_head(Category category) {
  constexpr std::size_t kLongest = 8;
  std::string head;
  for (const std::string_view word : split(name_of(category), '-')) {
    head += head.empty() ? "" : "\n";
    const std::size_t middle = word.size() > kLongest ? (word.size() + 1) / 2 : word.size();
    head += word.substr(0, middle);
    if (middle < word.size()) head += fmt::format("-\n{}", word.substr(middle));
  }
  return head;
}

// No column of it is left out: a category that is not shown would be a failure that is not told.
TextTable category_matrix(const Summary& summary) {
  std::set<Category> shown;
  for (const TargetCategories& target : summary.categories) {
    for (const CategoryCount& count : target.categories) {
      if (count.functions > 0) shown.insert(count.category);
    }
  }
  std::vector<Column> columns{{"target"}, {"evidence"}};
  for (const Category category : shown) columns.push_back({narrow_head(category), Align::kRight});
  columns.push_back({"un-\nansw.", Align::kRight});
  columns.push_back({"on\nref", Align::kRight});
  TextTable table(std::move(columns));
  table.keep_all_columns();
  for (const TargetCategories& target : summary.categories) {
    const bool compiled = is_compiled_only(summary, target.target);
    std::vector<Cell> cells{Cell::target(target.target),
                            {compiled ? "compiled" : "executed", compiled ? Tone::kCompiled : Tone::kPlain}};
    std::map<Category, int> counts;
    std::int64_t reference = 0;
    int unanswered = 0;
    for (const CategoryCount& count : target.categories) {
      counts[count.category] += count.functions;
      reference += count.fails_on_reference;
      unanswered += count.unanswered;
    }
    for (const Category category : shown) cells.push_back(count_cell(counts[category], Tone::kBad));
    cells.push_back(count_cell(unanswered, Tone::kPlain));
    cells.push_back(count_cell(reference, Tone::kPlain));
    table.add_row(std::move(cells));
  }
  return table;
}

TextTable example_table(const Summary& summary) {
  TextTable table({{"target"},
                   {"category"},
                   {"func-\ntions", Align::kRight},
                   {"un-\nansw.", Align::kRight},
                   {"cases", Align::kRight},
                   {"for example", Align::kLeft, 0, 16}});
  for (const TargetCategories& target : summary.categories) {
    bool first = true;
    for (const CategoryCount& count : target.categories) {
      if (count.cases == 0 && count.functions == 0 && count.unanswered == 0) continue;
      table.add_row({first ? Cell::target(target.target) : Cell(),
                     {std::string(name_of(count.category)), Tone::kBad},
                     count_text(count.functions),
                     count_text(count.unanswered),
                     count_text(count.cases),
                     Cell::functions(count.examples)});
      first = false;
    }
  }
  return table;
}

Section category_section(const Summary& summary) {
  Section section{.id = "categories",
                  .heading = "Failures by category",
                  .note =
                      "Functions by the most frequent category among their failing core cases. "
                      "In no other column: unansw., functions whose failures say nothing of the "
                      "device; on ref, failing cases that fail the same way on the reference.",
                  .blocks = {}};
  TextTable examples = example_table(summary);
  if (examples.empty()) {
    section.say(no_failures_text(summary));
    return section;
  }
  section.blocks.emplace_back(category_matrix(summary));
  section.blocks.emplace_back(std::move(examples));
  return section;
}

Section target_section(const Summary& summary, const Glyphs& glyphs, Extent extent) {
  std::vector<Column> columns{{"target"},
                              {"framework"},
                              {"device", Align::kLeft, 0, 12},
                              {"workers", Align::kLeft, 1},
                              {"baseline", Align::kLeft, 1},
                              {"cases", Align::kRight, 2},
                              {"CPU", Align::kRight},
                              {"wall", Align::kRight}};
  if (extent == Extent::kPage) {
    for (const char* head : {"attempted", "pass", "skipped"}) columns.push_back({head, Align::kRight});
    columns.push_back({"environment"});
  }
  TextTable table(std::move(columns));
  for (const TargetRow& target : summary.targets) {
    const analysis::CaseCounts& cases = target.cases;
    std::vector<Cell> row{Cell::target_here(target.target),
                          framework_text(target),
                          target.device_name,
                          std::string(name_of(target.mode)),
                          target.baseline.empty() ? std::string("is its own") : target.baseline,
                          count_text(cases.planned),
                          seconds_text(target.cpu_s, glyphs),
                          seconds_text(target.wall_s, glyphs)};
    if (extent == Extent::kPage) {
      for (const std::int64_t count : {cases.planned - cases.not_attempted, cases.pass, cases.skip})
        row.emplace_back(count_text(count));
      row.emplace_back(std::string(utf8_prefix(target.environment_hash, 64)), Tone::kDim);
    }
    table.add_row(std::move(row));
  }
  return {.id = "targets",
          .heading = "Targets",
          .note = "CPU and wall are sums over attempts.",
          .blocks = {std::move(table)}};
}

}  // namespace

Document run_document(const Summary& summary, const RenderOptions& options, Extent extent) {
  const Glyphs glyphs = Glyphs::of(options.unicode);
  const bool page = extent == Extent::kPage;
  Document document{.head = head_of(summary, options, glyphs), .sections = {}};
  if (summary.targets.empty()) {
    document.head.push_back({{}, "Nothing to report: the run has no targets.", Tone::kPlain});
    return document;
  }
  document.add(verdict_section(summary, options, glyphs, extent));
  document.add(rate_section(summary, glyphs));
  document.add(kind_section(summary, glyphs));
  document.add(placement_section(summary, glyphs));
  document.add(sample_section(summary, glyphs));
  document.add(category_section(summary));
  if (page) document.add(failure_section(summary, Uses(options.findings), glyphs));
  document.add(latency_section(summary, options.rows, glyphs));
  document.add(estimate_section(summary, page ? std::numeric_limits<int>::max() : options.rows, glyphs));
  document.add(declared_section(summary));
  document.add(target_section(summary, glyphs, extent));
  document.add(note_section(summary, glyphs));
  return document;
}

}  // namespace seamark::report
