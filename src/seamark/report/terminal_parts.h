// The longer sections of the terminal report.
#pragma once

#include <string>

#include "seamark/analysis/summary.h"
#include "seamark/report/number_text.h"
#include "seamark/report/render_options.h"

namespace seamark::report {

// Failures by category: a matrix of targets and categories, then examples.
std::string failure_section(const analysis::Summary& summary, const RenderOptions& options,
                            const Glyphs& glyphs);
// Slowest and fastest functions against the baseline of each target, warm and cold apart.
std::string ratio_section(const analysis::Summary& summary, const RenderOptions& options,
                          const Glyphs& glyphs);

// Rows of one kind ("warm") in the order of a table: all of them, slowest first, when there are at most
// twice `rows`; else the slowest `rows` and, from `fastest`, the fastest.
struct RatioPick {
  std::string label;  // "warm, all", "warm, slowest", "warm, fastest"
  std::vector<const analysis::RatioRow*> rows;
};
std::vector<RatioPick> ratio_picks(const std::vector<analysis::RatioRow>& slowest,
                                   const std::vector<analysis::RatioRow>& fastest, int rows);
// "slow", "noisy", why there is no interval.
std::string ratio_remark(const analysis::Ratio& ratio);
// The part of a case's name after the function's: "argsort[f32,100]".
std::string case_part(const std::string& case_name, const std::string& function);

}  // namespace seamark::report
