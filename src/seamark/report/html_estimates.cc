// Estimated latencies (declared in html_parts.h).
#include <fmt/format.h>

#include "seamark/base/text.h"
#include "seamark/report/estimate_report.h"
#include "seamark/report/html_parts.h"
#include "seamark/report/html_text.h"

namespace seamark::report::html {

using analysis::EstimatePair;
using analysis::EstimateRow;
using analysis::Measured;
using analysis::Summary;
using analysis::TargetEstimates;

namespace {

std::string counted_cell(int count, const Measured& middle, const Glyphs& glyphs) {
  if (count == 0) return element("td", "num muted", glyphs.none);
  return element("td", "num", fmt::format("{}<small>of {}</small>", seconds_text(middle, glyphs), count));
}

std::string target_table(const Summary& summary, const Glyphs& glyphs) {
  std::string rows;
  for (const TargetEstimates& target : summary.estimates) {
    rows += fmt::format("<tr><th scope=\"row\">{}{}</th>",
                        link(anchor('t', target.target), line(target.target)), level_tag("estimated", true));
    rows += element("td", "", line(target.device_summary));
    rows += element("td", "", line(join(target.compilers, ", ")));
    rows += element("td", "num", fmt::format("{}", target.functions));
    rows += counted_cell(target.by_cycles, target.median_cycles_s, glyphs);
    rows += counted_cell(target.by_optimal, target.median_optimal_s, glyphs);
    rows += counted_cell(target.by_roofline, target.median_roofline_s, glyphs);
    rows += element("td", "muted", line(gap_text(target))) + "</tr>\n";
  }
  return table(
      "ratios", "Estimates by target",
      "<th scope=\"col\">target</th><th scope=\"col\">rates of</th><th scope=\"col\">compiler</th>"
      "<th scope=\"col\" class=\"num\">functions</th><th scope=\"col\" class=\"num\">cycles, median</th>"
      "<th scope=\"col\" class=\"num\">optimal, median</th>"
      "<th scope=\"col\" class=\"num\">roofline, median</th><th scope=\"col\">without</th>",
      rows);
}

std::string pair_table(const EstimatePair& pair, const Glyphs& glyphs) {
  std::string rows;
  for (const EstimateRow& row : pair.rows) {
    rows += fmt::format("<tr><th scope=\"row\">{}</th>", link(anchor('f', row.function), name(row.function)));
    rows += element("td", "num", seconds_text(row.tpu_s, glyphs));
    rows += element("td", "num", seconds_text(row.gpu_s, glyphs));
    rows += element("td", "num strong", ratio_text(row.ratio, glyphs));
    rows += element("td", "num", seconds_text(row.tpu_cycles_s, glyphs));
    rows +=
        element("td", "num",
                row.published_ratio ? ratio_text(*row.published_ratio, glyphs) : std::string(glyphs.none));
    rows += "</tr>\n";
  }
  return fmt::format("<h3>{} <span class=\"muted\">against</span> {}</h3><p class=\"note\">Estimated: {}</p>",
                     link(anchor('t', pair.tpu), line(pair.tpu)), link(anchor('t', pair.gpu), line(pair.gpu)),
                     line(pair_text(pair, glyphs))) +
         table("ratios", fmt::format("Estimated ratios of {} to {}", pair.tpu, pair.gpu),
               "<th scope=\"col\">function</th><th scope=\"col\" class=\"num\">TPU, roofline</th>"
               "<th scope=\"col\" class=\"num\">GPU, roofline</th><th scope=\"col\" class=\"num\">ratio</th>"
               "<th scope=\"col\" class=\"num\">TPU, cycles</th>"
               "<th scope=\"col\" class=\"num\">published ratio</th>",
               rows);
}

}  // namespace

std::string estimate_section(const Summary& summary, const Glyphs& glyphs) {
  if (summary.estimates.empty()) return {};
  std::string out = target_table(summary, glyphs);
  for (const EstimatePair& pair : summary.estimate_pairs) out += pair_table(pair, glyphs);
  std::string note = line(estimate_meaning());
  if (!summary.estimate_pairs.empty()) {
    note += " TPU against GPU is roofline against roofline; above 1 the TPU is slower.";
    if (!summary.study.empty())
      note += " Published: measured by " + line(summary.study) + " on its own devices.";
  }
  return section("estimates", "Estimated latency", note, out);
}

}  // namespace seamark::report::html
