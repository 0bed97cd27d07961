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

// Rows of one kind ("warm") in the order of a table: all of them, slowest first, when there are at most twice
// `rows`; else the slowest `rows` and, from `fastest`, the fastest.
struct RatioPick {
  std::string label;  // "warm, all", "warm, slowest", "warm, fastest"
  std::vector<const RatioRow*> rows;
};

std::vector<RatioPick> ratio_picks(const std::vector<RatioRow>& slowest, const std::vector<RatioRow>& fastest,
                                   int rows) {
  const auto limit = static_cast<std::size_t>(std::max(1, rows));
  std::vector<RatioPick> picks;
  if (slowest.empty()) return picks;
  const std::string kind = one_line(slowest.front().kind);
  auto take = [&](const std::vector<RatioRow>& from, std::size_t n, const char* what) {
    RatioPick pick{kind + what, {}};
    for (std::size_t i = 0; i < std::min(n, from.size()); ++i) pick.rows.push_back(&from[i]);
    if (!pick.rows.empty()) picks.push_back(std::move(pick));
  };
  if (slowest.size() <= 2 * limit) {
    take(slowest, 2 * limit, ", all");
  } else {
    take(slowest, limit, ", slowest");
    take(fastest, limit, ", fastest");
  }
  return picks;
}

std::string ratio_remark(const analysis::Ratio& ratio) {
  std::string text = ratio.slow ? "slow" : "";
  if (ratio.noisy) text += text.empty() ? "noisy" : ", noisy";
  return text;
}

// Why ratios that are shown have no interval.
void add_reasons(const std::vector<RatioPick>& picks, std::set<std::string>& reasons) {
  for (const RatioPick& pick : picks) {
    for (const RatioRow* row : pick.rows) {
      if (!row->ratio.interval && !row->ratio.interval_reason.empty())
        reasons.insert(row->ratio.interval_reason);
    }
  }
}

void add_picks(TextTable& table, const std::vector<RatioPick>& picks, const Glyphs& glyphs) {
  for (const RatioPick& pick : picks) {
    bool first = true;
    for (const RatioRow* row : pick.rows) {
      const analysis::Ratio& ratio = row->ratio;
      const Tone tone = ratio.slow ? Tone::kSlow : Tone::kStrong;
      table.add_row({{first ? pick.label : std::string(), Tone::kDim},
                     Cell::function(row->function),
                     {case_part(row->case_name, row->function), Tone::kDim},
                     seconds_text(ratio.target_s, glyphs),
                     seconds_text(ratio.baseline_s, glyphs),
                     {ratio_text(ratio.ratio, glyphs), tone},
                     {interval_text(ratio.interval, glyphs, glyphs.none), Tone::kDim},
                     {ratio_remark(ratio), tone == Tone::kSlow ? tone : Tone::kDim}});
      first = false;
    }
  }
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
    for (const std::vector<RatioPick>& picks : {ratio_picks(ratios.warm, ratios.warm_fastest, rows),
                                                ratio_picks(ratios.cold, ratios.cold_fastest, rows)}) {
      add_picks(table, picks, glyphs);
      add_reasons(picks, reasons);
    }
  }
  if (!table.empty()) section.blocks.emplace_back(std::move(table));
  for (const std::string& reason : reasons) without.texts.push_back("no interval: " + reason);
  if (!without.texts.empty()) section.blocks.emplace_back(std::move(without));
  if (section.blocks.empty()) section.say("No target has another as its baseline.");
  return section;
}

}  // namespace seamark::report
