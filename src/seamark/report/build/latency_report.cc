// Ratios to the baseline (declared in run_report.h).
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "seamark/base/text.h"
#include "seamark/report/build/derive.h"
#include "seamark/report/build/run_report.h"

namespace seamark::report {

using analysis::RatioRow;
using analysis::Summary;
using analysis::TargetRatios;
using Align = Column::Align;

namespace {

std::string bracketed(const std::optional<analysis::Interval>& interval, const Glyphs& glyphs) {
  return interval ? " [" + interval_text(interval, glyphs, {}) + "]" : std::string();
}

std::string baseline_line(const TargetRatios& ratios, const Summary& summary, const Glyphs& glyphs) {
  std::string text = fmt::format("{} against {}", ratios.target, ratios.baseline);
  for (const analysis::TargetRow& row : summary.targets) {
    if (row.target != ratios.target) continue;
    if (row.median_ratio_warm.value) {
      text += fmt::format(": warm, median {}{} over {}", ratio_text(*row.median_ratio_warm.value, glyphs),
                          bracketed(row.median_ratio_warm_interval, glyphs), plural(row.ratios_warm, "case"));
    }
    if (row.median_ratio_cold.value) {
      text += fmt::format("; cold, median {}{} over {}", ratio_text(*row.median_ratio_cold.value, glyphs),
                          bracketed(row.median_ratio_cold_interval, glyphs), plural(row.ratios_cold, "case"));
    }
  }
  return text;
}

std::string ratio_remark(const analysis::Ratio& ratio) {
  std::string text = ratio.slow ? "slow" : "";
  if (ratio.noisy) text += text.empty() ? "noisy" : ", noisy";
  return text;
}

// At most `most` rows, of which the first has the label.
void add_ratios(TextTable& table, const std::string& label, const std::vector<RatioRow>& rows,
                std::size_t most, const Glyphs& glyphs, std::set<std::string>& reasons) {
  for (std::size_t i = 0; i < std::min(most, rows.size()); ++i) {
    const RatioRow& row = rows[i];
    const analysis::Ratio& ratio = row.ratio;
    table.add_row({{i == 0 ? label : std::string(), Tone::kDim},
                   Cell::function(row.function),
                   {case_part(row.case_name, row.function), Tone::kDim},
                   seconds_text(ratio.target_s, glyphs),
                   seconds_text(ratio.baseline_s, glyphs),
                   {ratio_text(ratio.ratio, glyphs), ratio.slow ? Tone::kSlow : Tone::kStrong},
                   {interval_text(ratio.interval, glyphs, glyphs.none), Tone::kDim},
                   {ratio_remark(ratio), ratio.slow ? Tone::kSlow : Tone::kDim}});
    if (!ratio.interval && !ratio.interval_reason.empty()) reasons.insert(ratio.interval_reason);
  }
}

// Rows of one kind ("warm"): all of them, slowest first, when there are at most twice `rows`; else the
// slowest `rows` and the fastest. `reasons`: why ratios that are shown have no interval.
void add_kind(TextTable& table, const std::vector<RatioRow>& slowest, const std::vector<RatioRow>& fastest,
              int rows, const Glyphs& glyphs, std::set<std::string>& reasons) {
  if (slowest.empty()) return;
  const auto limit = static_cast<std::size_t>(std::max(1, rows));
  const std::string& kind = slowest.front().kind;
  if (slowest.size() <= 2 * limit)
    return add_ratios(table, kind + ", all", slowest, 2 * limit, glyphs, reasons);
  add_ratios(table, kind + ", slowest", slowest, limit, glyphs, reasons);
  add_ratios(table, kind + ", fastest", fastest, limit, glyphs, reasons);
}

}  // namespace

std::string case_part(const std::string& case_name, const std::string& function) {
  const std::string name = one_line(case_name);
  const std::string prefix = one_line(function) + "/";
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

Section latency_section(const Summary& summary, int rows, const Glyphs& glyphs) {
  Section section{.id = "latency",
                  .heading = "Slowest and fastest against the baseline",
                  .note =
                      "Per function its most extreme case; above 1 is slower. warm: median in "
                      "steady state; cold: the first call, "
                      "tracing and compiling included. Intervals cover at least 95%.",
                  .blocks = {}};
  TextTable table({{""},
                   {"function", Align::kLeft, 0, 16, true},
                   {"case", Align::kLeft, 2, 12},
                   {"target", Align::kRight},
                   {"baseline", Align::kRight},
                   {"ratio", Align::kRight},
                   {"95%", Align::kRight, 1},
                   {""}});
  Items without;
  std::set<std::string> reasons;
  for (const TargetRatios& ratios : summary.ratios) {
    if (ratios.warm.empty() && ratios.cold.empty()) {
      const bool compiled = is_compiled_only(summary, ratios.target);
      const std::string why = compiled                ? "compiled only, nothing was executed"
                              : ratios.reason.empty() ? "no case was timed on both sides"
                                                      : ratios.reason;
      without.texts.push_back(fmt::format("{}: no ratios ({})", ratios.target, why));
      continue;
    }
    table.add_section(baseline_line(ratios, summary, glyphs), Tone::kStrong);
    add_kind(table, ratios.warm, ratios.warm_fastest, rows, glyphs, reasons);
    add_kind(table, ratios.cold, ratios.cold_fastest, rows, glyphs, reasons);
  }
  if (!table.empty()) section.blocks.emplace_back(std::move(table));
  for (const std::string& reason : reasons) without.texts.push_back("no interval: " + reason);
  if (!without.texts.empty()) section.blocks.emplace_back(std::move(without));
  if (section.blocks.empty()) section.say("No target has another as its baseline.");
  return section;
}

}  // namespace seamark::report
