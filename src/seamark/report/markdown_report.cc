#include "seamark/report/markdown_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "seamark/base/text.h"
#include "seamark/report/derive.h"
#include "seamark/report/estimate_report.h"
#include "seamark/report/markdown_text.h"
#include "seamark/report/sample_report.h"
#include "seamark/report/terminal_parts.h"

namespace seamark::report {

using analysis::FunctionCounts;
using analysis::Summary;
using analysis::TargetRow;
using markdown::code;
using markdown::details;
using markdown::line;
using markdown::plain;
using markdown::table_head;

namespace {

std::string share(int count, int total, const Glyphs& glyphs) {
  if (total == 0) return glyphs.none;
  return fmt::format("{} of {} ({})", count, total, percent_text(count, total, glyphs));
}

std::string with_interval(const analysis::Rate& rate, const Glyphs& glyphs) {
  if (!rate.value) return glyphs.none;
  return fmt::format("{} [{}]", rate_text(rate, glyphs), rate_interval_text(rate, glyphs));
}

std::string verdict_line(const TargetRow& target, const Glyphs& glyphs) {
  const FunctionCounts& all = target.all;
  const int ran = all.pass + all.partial + all.fail;
  return line({code(target.target),
               target.compiled_only ? "**" + level_text(target, glyphs) + "**" : level_text(target, glyphs),
               share(all.pass, ran, glyphs), share(all.partial, ran, glyphs), share(all.fail, ran, glyphs),
               slow_text(target, glyphs), fmt::format("{}", all.unanswered), fmt::format("{}", all.not_run),
               fmt::format("{}", all.fails_on_reference), with_interval(all.runs, glyphs),
               with_interval(all.runs_on_device, glyphs)});
}

std::string verdict_table(const Summary& summary, const Glyphs& glyphs) {
  std::string out =
      table_head({"target", "evidence", ">pass", ">partial", ">fail", ">slow warm / cold", ">unanswered",
                  ">not run", ">fails on reference", ">runs [95%]", ">on the device [95%]"});
  const TargetOrder order = order_of(summary);
  for (const std::size_t i : order.executed) out += verdict_line(summary.targets[i], glyphs);
  for (const std::size_t i : order.compiled_only) out += verdict_line(summary.targets[i], glyphs);
  for (const std::size_t i : order.unknown) out += verdict_line(summary.targets[i], glyphs);
  return out;
}

std::string rate_table(const Summary& summary, const Glyphs& glyphs) {
  std::string out =
      table_head({"target", "evidence", ">functions", ">no device work", ">runs with device work",
                  ">forward [95%]", ">gradient [95%]", ">runs uncorrected", ">all cases pass"});
  for (const TargetRow& target : summary.targets) {
    out +=
        line({code(target.target), level_text(target, glyphs), fmt::format("{}", target.all.functions),
              fmt::format("{}", target.all.no_device_work), rate_text(target.with_device_work.runs, glyphs),
              with_interval(target.forward.runs, glyphs), with_interval(target.gradient.runs, glyphs),
              rate_text(target.all.runs_uncorrected, glyphs), rate_text(target.cases.runs, glyphs)});
  }
  return out;
}

std::string failure_table(const Summary& summary) {
  std::string rows;
  for (const analysis::TargetCategories& target : summary.categories) {
    const bool compiled =
        std::any_of(summary.targets.begin(), summary.targets.end(),
                    [&](const TargetRow& row) { return row.target == target.target && row.compiled_only; });
    for (const analysis::CategoryCount& count : target.categories) {
      if (count.functions == 0 && count.cases == 0 && count.unanswered == 0) continue;
      std::string examples;
      for (const std::string& name : count.examples) examples += (examples.empty() ? "" : ", ") + code(name);
      rows += line({code(target.target), compiled ? "**compiled**" : "executed",
                    std::string(name_of(count.category)), fmt::format("{}", count.functions),
                    fmt::format("{}", count.unanswered), fmt::format("{}", count.cases), examples});
    }
  }
  if (rows.empty()) return plain(no_failures_text(summary)) + "\n";
  return table_head(
             {"target", "evidence", "category", ">functions", ">unanswered", ">cases", "for example"}) +
         rows;
}

std::string ratio_lines(const std::vector<RatioPick>& picks, const std::string& target,
                        const Glyphs& glyphs) {
  std::string out;
  for (const RatioPick& pick : picks) {
    for (const analysis::RatioRow* row : pick.rows) {
      const std::string remark = ratio_remark(row->ratio);
      out += line({code(target), plain(pick.label), code(row->function),
                   seconds_text(row->ratio.target_s, glyphs), seconds_text(row->ratio.baseline_s, glyphs),
                   "**" + ratio_text(row->ratio.ratio, glyphs) + "**" + (remark.empty() ? "" : " " + remark),
                   interval_text(row->ratio.interval, glyphs, glyphs.none)});
    }
  }
  return out;
}

std::string ratio_table(const Summary& summary, const RenderOptions& options, const Glyphs& glyphs) {
  std::string rows;
  std::string without;
  for (const analysis::TargetRatios& ratios : summary.ratios) {
    if (ratios.warm.empty() && ratios.cold.empty()) {
      const std::string reason = ratios.reason.empty() ? "no case was timed on both sides" : ratios.reason;
      without += (without.empty() ? "" : ", ") + fmt::format("{} ({})", code(ratios.target), plain(reason));
    }
    rows += ratio_lines(ratio_picks(ratios.warm, ratios.warm_fastest, options.rows), ratios.target, glyphs);
    rows += ratio_lines(ratio_picks(ratios.cold, ratios.cold_fastest, options.rows), ratios.target, glyphs);
  }
  std::string out;
  if (!rows.empty()) {
    out = table_head({"target", "time", "function", ">on the target", ">on the baseline", ">ratio", ">95%"}) +
          rows;
  }
  if (!without.empty()) out += "\nNo ratios: " + without + "\n";
  return out.empty() ? "No target has another as its baseline.\n" : out;
}

std::string note_list(const Summary& summary, const Glyphs& glyphs) {
  std::string out;
  for (const Note& note : notes_of(summary, glyphs)) {
    out += fmt::format("- **{}**: {}\n", note.label, plain(note.text));
  }
  return out;
}

std::string head(const Summary& summary, const RenderOptions& options) {
  std::string out =
      options.tool_version.empty() ? "**Seamark**" : "**Seamark " + plain(options.tool_version) + "**";
  for (const analysis::RunFacts& run : summary.runs) {
    out += fmt::format(" · run {} · {} · {}", code(short_id(run.info.uuid)),
                       plain(utc_text(run.info.started_unix_us)), store::name_of(run.info.state));
    if (summary.runs.size() > 1) break;
  }
  if (summary.runs.size() > 1) out += fmt::format(" · and {} more", summary.runs.size() - 1);
  out += fmt::format(" · {} · {}\n", plural(static_cast<std::int64_t>(summary.functions.size()), "function"),
                     plural(static_cast<std::int64_t>(summary.targets.size()), "target"));
  for (const analysis::RunFacts& run : summary.runs) {
    if (run.info.subset_note.empty()) continue;
    out += "\n> Subset: " + plain(run.info.subset_note);
    if (!run.info.full_command.empty()) out += " Everything: " + code(run.info.full_command);
    out += '\n';
    break;
  }
  return out + "\n";
}

}  // namespace

std::string render_markdown(const Summary& summary, const RenderOptions& options) {
  const Glyphs glyphs = Glyphs::of(options.unicode);
  std::string out = head(summary, options);
  if (summary.targets.empty()) return out + "Nothing to report: the run has no targets.\n";
  out += verdict_table(summary, glyphs);
  out +=
      "\nVerdicts are over each function's core cases; shares are of the functions that ran. On the device: "
      "passes, and nothing fell back to the host, of those with device work.";
  if (any_compiled_only(summary)) out += " " + compiled_meaning() + ".";
  out += "\n\n";
  out +=
      details("Forward and gradient, device work, uncorrected rates, all cases", rate_table(summary, glyphs));
  out += details("Failures by category", failure_table(summary));
  out += details("Slowest and fastest against the baseline", ratio_table(summary, options, glyphs));
  if (!summary.estimates.empty()) {
    out += details("Estimated latency, TPU against GPU", estimate_markdown(summary, glyphs));
  }
  if (summary.sample) out += details("The whole catalogue", sample_markdown(summary, glyphs));
  out += details("Notes", note_list(summary, glyphs));
  while (out.size() > 1 && out[out.size() - 2] == '\n') out.pop_back();
  return out;
}

}  // namespace seamark::report
