#include "seamark/report/terminal_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "seamark/base/text.h"
#include "seamark/report/declared_parts.h"
#include "seamark/report/derive.h"
#include "seamark/report/estimate_report.h"
#include "seamark/report/number_text.h"
#include "seamark/report/sample_report.h"
#include "seamark/report/terminal_parts.h"
#include "seamark/report/text_table.h"

namespace seamark::report {

using analysis::FunctionCounts;
using analysis::Summary;
using analysis::TargetRow;
using Align = Column::Align;

namespace {

constexpr int kBarWidth = 20;

std::string head_of(const Summary& summary, const RenderOptions& options, const Glyphs& glyphs) {
  const std::string dot = fmt::format(" {} ", glyphs.dot);
  std::string title = "Seamark";
  if (!options.tool_version.empty()) title += " " + ellipsize(one_line(options.tool_version), 20);
  std::string line;
  if (summary.runs.size() == 1) {
    const store::RunInfo& info = summary.runs.front().info;
    line = fmt::format("{}run {}{}{}{}{}", dot, short_id(info.uuid), dot, utc_text(info.started_unix_us), dot,
                       name_of(info.state));
  } else {
    line = dot + plural(static_cast<std::int64_t>(summary.runs.size()), "run");
  }
  std::int64_t cases = 0;
  for (const analysis::FunctionRow& function : summary.functions) {
    cases += static_cast<std::int64_t>(function.cases.size());
  }
  const std::size_t used = display_width(title) + 1;
  std::string out = toned(title, Tone::kStrong, options.color) + " ";
  out += wrapped(line, usable_width(options), {}, used);
  const std::string facts = fmt::format(
      "{}{}{}{}{}{}store {}", plural(static_cast<std::int64_t>(summary.functions.size()), "function"), dot,
      plural(cases, "case"), dot, plural(static_cast<std::int64_t>(summary.targets.size()), "target"), dot,
      one_line(summary.store));
  out += wrapped(facts, usable_width(options));
  for (const analysis::RunFacts& run : summary.runs) {
    if (run.info.subset_note.empty()) continue;
    out += toned("Subset: ", Tone::kPartial, options.color) +
           wrapped(one_line(run.info.subset_note), usable_width(options), {}, 8);
    break;
  }
  return out;
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

// Pass, partial and fail as parts of a bar over all planned functions.
Cell bar_cell(const FunctionCounts& counts, bool compiled_only, bool unicode) {
  Cell cell;
  const int total = std::max(1, counts.functions);
  int used = 0;
  int seen = 0;
  auto part = [&](int count, const char* glyph, Tone tone) {
    seen += count;
    const int end = (seen * kBarWidth + total / 2) / total;
    std::string text;
    for (; used < end; ++used) text += glyph;
    cell.spans.push_back({text, tone});
  };
  part(counts.pass, unicode ? "█" : "#", compiled_only ? Tone::kCompiled : Tone::kGood);
  part(counts.partial, unicode ? "▓" : "+", Tone::kPartial);
  part(counts.fail, unicode ? "░" : "-", Tone::kBad);
  part(counts.functions - counts.pass - counts.partial - counts.fail, unicode ? "·" : ".", Tone::kDim);
  return cell;
}

std::vector<Cell> verdict_row(const TargetRow& target, bool unicode, const Glyphs& glyphs) {
  const FunctionCounts& all = target.all;
  const int ran = all.pass + all.partial + all.fail;
  return {
      one_line(target.target),
      level_cell(target, glyphs),
      {count_text(all.functions), Tone::kPlain},
      {count_text(ran), Tone::kPlain},
      share_cell(all.pass, ran, target.compiled_only ? Tone::kCompiled : Tone::kGood, glyphs),
      share_cell(all.partial, ran, Tone::kPartial, glyphs),
      share_cell(all.fail, ran, Tone::kBad, glyphs),
      {slow_text(target, glyphs), all.slow_warm + all.slow_cold > 0 ? Tone::kSlow : Tone::kDim},
      count_cell(all.unanswered, Tone::kPlain),
      count_cell(all.not_run, Tone::kPlain),
      count_cell(all.fails_on_reference, Tone::kPlain),
      bar_cell(all, target.compiled_only, unicode),
  };
}

void add_grouped(TextTable& table, const Summary& summary, const Glyphs& glyphs,
                 std::vector<Cell> (*row)(const TargetRow&, bool, const Glyphs&), bool unicode) {
  const TargetOrder order = order_of(summary);
  for (const std::size_t i : order.executed) table.add_row(row(summary.targets[i], unicode, glyphs));
  if (!order.compiled_only.empty()) {
    table.add_section("compiled only: what passes compiles; nothing was executed", Tone::kCompiled);
    for (const std::size_t i : order.compiled_only) table.add_row(row(summary.targets[i], unicode, glyphs));
  }
  if (order.unknown.empty()) return;
  table.add_section("not run: nothing is known of these", Tone::kDim);
  for (const std::size_t i : order.unknown) table.add_row(row(summary.targets[i], unicode, glyphs));
}

std::string verdict_section(const Summary& summary, const RenderOptions& options, const Glyphs& glyphs) {
  TextTable table({{"target"},
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
                   {"", Align::kLeft, 3}});
  add_grouped(table, summary, glyphs, verdict_row, options.unicode);
  std::string out = section_heading(
      "FUNCTIONS BY VERDICT",
      "Over each function's core cases; shares of the functions that ran. slow w/c: slow "
      "warm / slow cold, beside the verdict. Counted apart: unansw., unanswered: fails before "
      "the device could answer; on ref: fails the same way on the reference.",
      options);
  return out + table.render(options);
}

std::vector<Cell> rate_row(const TargetRow& target, bool, const Glyphs& glyphs) {
  const FunctionCounts& all = target.all;
  const analysis::Rate& bare = target.with_device_work.runs;
  const bool fell_back = all.runs_on_device.value && bare.value && all.runs_on_device.count < bare.count;
  return {
      one_line(target.target),
      level_cell(target, glyphs),
      {rate_text(all.runs, glyphs), Tone::kStrong},
      {rate_interval_text(all.runs, glyphs), Tone::kDim},
      {rate_text(all.runs_on_device, glyphs), fell_back ? Tone::kPartial : Tone::kStrong},
      {rate_interval_text(all.runs_on_device, glyphs), Tone::kDim},
      count_text(all.no_device_work),
      rate_text(bare, glyphs),
      rate_text(all.runs_uncorrected, glyphs),
      rate_text(target.cases.runs, glyphs),
      count_cell(target.cases.error, Tone::kBad),
  };
}

std::string rate_section(const Summary& summary, const RenderOptions& options, const Glyphs& glyphs) {
  TextTable table({{"target"},
                   {"evidence", Align::kLeft, 1},
                   {"runs", Align::kRight},
                   {"95%", Align::kRight, 2},
                   {"on\ndevice", Align::kRight},
                   {"95%", Align::kRight, 4},
                   {"no\nwork", Align::kRight},
                   {"without:\nruns", Align::kRight, 1},
                   {"uncor-\nrected", Align::kRight},
                   {"all cases\npass", Align::kRight, 3},
                   {"errors", Align::kRight, 3}});
  add_grouped(table, summary, glyphs, rate_row, options.unicode);
  std::string out = section_heading("RUNS, AND RUNS ON THE DEVICE",
                                    "Shares of the functions that ran, with Wilson's 95% interval. on "
                                    "device: passes, and nothing fell back to the host, of those with device "
                                    "work. no work: no operation depends on an input; without: without them. "
                                    "uncorrected: with what fails on the reference and what is unanswered.",
                                    options);
  return out + table.render(options);
}

std::vector<Cell> kind_row(const TargetRow& target, bool, const Glyphs& glyphs) {
  std::vector<Cell> row = {one_line(target.target), level_cell(target, glyphs)};
  for (const analysis::KindCounts* kind : {&target.forward, &target.gradient}) {
    row.push_back({rate_text(kind->runs, glyphs), Tone::kStrong});
    row.push_back({rate_interval_text(kind->runs, glyphs), Tone::kDim});
    row.push_back(count_cell(kind->partial, Tone::kPartial));
    row.push_back(count_cell(kind->fail, Tone::kBad));
  }
  return row;
}

// Frameworks differ in how many of their cases take gradients: only like is set beside like.
std::string kind_section(const Summary& summary, const RenderOptions& options, const Glyphs& glyphs) {
  const bool any = std::any_of(summary.targets.begin(), summary.targets.end(),
                               [](const TargetRow& target) { return target.gradient.runs.total > 0; });
  if (!any) return {};
  TextTable table({{"target"},
                   {"evidence", Align::kLeft, 1},
                   {"forward:\nruns", Align::kRight},
                   {"95%", Align::kRight, 2},
                   {"partial", Align::kRight},
                   {"fail", Align::kRight},
                   {"gradient:\nruns", Align::kRight},
                   {"95%", Align::kRight, 2},
                   {"partial", Align::kRight},
                   {"fail", Align::kRight}});
  add_grouped(table, summary, glyphs, kind_row, options.unicode);
  return section_heading(
             "FORWARD AND GRADIENT APART",
             "Functions by the core cases that take no gradient, and by those that take one: frameworks "
             "are compared column by column.",
             options) +
         table.render(options);
}

std::string target_section(const Summary& summary, const RenderOptions& options, const Glyphs& glyphs) {
  TextTable table({{"target"},
                   {"framework"},
                   {"device", Align::kLeft, 0, 12},
                   {"workers", Align::kLeft, 1},
                   {"baseline", Align::kLeft, 1},
                   {"cases", Align::kRight, 2},
                   {"CPU", Align::kRight},
                   {"wall", Align::kRight}});
  for (const TargetRow& target : summary.targets) {
    table.add_row({one_line(target.target), framework_text(target), one_line(target.device_name),
                   std::string(name_of(target.mode)),
                   target.baseline.empty() ? std::string("is its own") : one_line(target.baseline),
                   count_text(target.cases.planned), seconds_text(target.cpu_s, glyphs),
                   seconds_text(target.wall_s, glyphs)});
  }
  return section_heading("TARGETS", "CPU and wall are sums over attempts.", options) + table.render(options);
}

std::string note_section(const Summary& summary, const RenderOptions& options, const Glyphs& glyphs) {
  std::string out = section_heading("NOTES", {}, options);
  constexpr std::size_t kLabel = 12;
  const std::string indent(2 + kLabel, ' ');
  for (const Note& note : notes_of(summary, glyphs)) {
    const bool loud = note.label == "subset" || note.label == "incomplete" || note.label == "unusable";
    out += "  " + toned(pad_right(note.label, kLabel), loud ? Tone::kPartial : Tone::kDim, options.color);
    out += wrapped(note.text, usable_width(options), indent, indent.size());
  }
  return out;
}

}  // namespace

std::string render_terminal(const Summary& summary, const RenderOptions& options) {
  const Glyphs glyphs = Glyphs::of(options.unicode);
  std::string out = head_of(summary, options, glyphs);
  if (summary.targets.empty()) return out + "\nNothing to report: the run has no targets.\n";
  out += verdict_section(summary, options, glyphs);
  out += rate_section(summary, options, glyphs);
  out += kind_section(summary, options, glyphs);
  out += sample_section(summary, options, glyphs);
  out += failure_section(summary, options, glyphs);
  out += ratio_section(summary, options, glyphs);
  out += estimate_section(summary, options, glyphs);
  out += declared_section(summary.declared, options);
  out += target_section(summary, options, glyphs);
  out += note_section(summary, options, glyphs);
  return out;
}

}  // namespace seamark::report
