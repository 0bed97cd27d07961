#include "seamark/report/build/estimate_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "seamark/base/text.h"
#include "seamark/report/render/json_parts.h"

namespace seamark::report {

using analysis::Estimate;
using analysis::EstimatePair;
using analysis::EstimateRow;
using analysis::Measured;
using analysis::Summary;
using analysis::TargetEstimates;
using Align = Column::Align;
using Array = Value::Array;
using Object = Value::Object;

namespace {

std::string counted(int count, const Measured& middle, const Glyphs& glyphs) {
  return count == 0 ? std::string(glyphs.none) : fmt::format("{} ({})", seconds_text(middle, glyphs), count);
}

std::string published_text(const std::optional<double>& ratio, const Glyphs& glyphs) {
  return ratio ? ratio_text(*ratio, glyphs) : std::string(glyphs.none);
}

std::string gap_text(const TargetEstimates& target) {
  std::string out;
  for (const analysis::EstimateGap& gap : target.gaps) {
    out += fmt::format("{}no {}: {} ({})", out.empty() ? "" : "; ", gap.method, one_line(gap.reason),
                       plural(gap.functions, "function"));
  }
  return out;
}

std::string pair_text(const EstimatePair& pair, const Glyphs& glyphs) {
  const auto functions = static_cast<std::int64_t>(pair.rows.size());
  std::string out = fmt::format(
      "{}, median {}, slower on the TPU {}, over 10{} {}", plural(functions, "function"),
      pair.median_ratio.value ? ratio_text(*pair.median_ratio.value, glyphs) : std::string(glyphs.none),
      pair.slower, glyphs.times, pair.far_slower);
  if (pair.memory_alone > 0) {
    out +=
        fmt::format("; by memory alone {}: there the ratio is that of the bandwidths and of the bytes moved",
                    pair.memory_alone);
  }
  if (pair.rank_correlation.value) {
    out += fmt::format("; rank correlation with the {} published ratios {:.2f}", pair.published,
                       *pair.rank_correlation.value);
  }
  return out;
}

TextTable target_table(const Summary& summary, const Glyphs& glyphs) {
  TextTable table({{"target"},
                   {"rates of", Align::kLeft, 3},
                   {"compiler", Align::kLeft, 2},
                   {"func-\ntions", Align::kRight},
                   {"cycles\nmedian", Align::kRight},
                   {"optimal\nmedian", Align::kRight},
                   {"roofline\nmedian", Align::kRight}});
  for (const TargetEstimates& target : summary.estimates) {
    table.add_row({Cell::target(target.target), target.device_summary, join(target.compilers, ", "),
                   count_text(target.functions), counted(target.by_cycles, target.median_cycles_s, glyphs),
                   counted(target.by_optimal, target.median_optimal_s, glyphs),
                   counted(target.by_roofline, target.median_roofline_s, glyphs)});
    if (const std::string gaps = gap_text(target); !gaps.empty()) table.add_note(gaps);
  }
  return table;
}

// All of them where they are few, else the ends.
std::vector<const EstimateRow*> picked(const EstimatePair& pair, int rows) {
  std::vector<const EstimateRow*> out;
  const std::size_t n = pair.rows.size();
  const auto ends = static_cast<std::size_t>(std::max(rows, 1));
  for (std::size_t i = 0; i < n; ++i) {
    if (n <= 2 * ends || i < ends || i + ends >= n) out.push_back(&pair.rows[i]);
  }
  return out;
}

TextTable pair_table(const Summary& summary, int rows, const Glyphs& glyphs) {
  TextTable table({{"function", Align::kLeft, 0, 16, true},
                   {"TPU", Align::kRight},
                   {"GPU", Align::kRight},
                   {"ratio", Align::kRight},
                   {"TPU by\ncycles", Align::kRight, 2},
                   {"published\nratio", Align::kRight},
                   {"published\nTPU", Align::kRight, 3},
                   {"published\nGPU", Align::kRight, 3}});
  auto seconds = [&](const std::optional<double>& value) {
    return value ? seconds_text(*value, glyphs) : std::string(glyphs.none);
  };
  for (const EstimatePair& pair : summary.estimate_pairs) {
    table.add_section(fmt::format("{} against {}: {}", pair.tpu, pair.gpu, pair_text(pair, glyphs)),
                      Tone::kCompiled);
    for (const EstimateRow* row : picked(pair, rows)) {
      table.add_row({Cell::function(row->function),
                     seconds_text(row->tpu_s, glyphs),
                     seconds_text(row->gpu_s, glyphs),
                     ratio_text(row->ratio, glyphs),
                     seconds_text(row->tpu_cycles_s, glyphs),
                     published_text(row->published_ratio, glyphs),
                     {seconds(row->published_tpu_s), Tone::kDim},
                     {seconds(row->published_gpu_s), Tone::kDim}});
    }
  }
  return table;
}

Object estimate_object(const Estimate& estimate) {
  Object object{{"evidence", Value("estimated")}};
  json::put(object, "cycles_s", estimate.cycles_s);
  object.emplace_back("cycles_note", text_or_null(estimate.cycles_note));
  json::put(object, "optimal_s", estimate.optimal_s);
  json::put(object, "roofline_s", estimate.roofline_s);
  object.emplace_back("roofline_note", text_or_null(estimate.roofline_note));
  return object;
}

Value row_json(const EstimateRow& row) {
  Object object{{"function", Value(row.function)},  {"cases", Value(row.cases)},
                {"tpu_s", json::number(row.tpu_s)}, {"gpu_s", json::number(row.gpu_s)},
                {"ratio", json::number(row.ratio)}, {"memory_alone", Value(row.memory_alone)}};
  json::put(object, "tpu_cycles_s", row.tpu_cycles_s);
  object.emplace_back("published_tpu_s", json::number(row.published_tpu_s));
  object.emplace_back("published_gpu_s", json::number(row.published_gpu_s));
  object.emplace_back("published_ratio", json::number(row.published_ratio));
  return Value(std::move(object));
}

}  // namespace

std::string estimate_meaning() {
  return "Estimates, never measurements; without launch overhead and transfers. cycles: the compiler's, over "
         "the published clock. optimal: the compiler's optimum. roofline: no faster than this, from flops, "
         "bytes and "
         "published peak rates.";
}

std::string estimate_remark(const Estimate& estimate) {
  std::string out;
  auto add = [&](const std::string& text) { out += (out.empty() ? "" : "; ") + one_line(text); };
  if (!estimate.roofline_note.empty()) add("roofline: " + estimate.roofline_note);
  if (!estimate.cycles_note.empty()) add("cycles: " + estimate.cycles_note);
  if (!estimate.cycles_s.value) add("no cycles: " + estimate.cycles_s.reason);
  if (!estimate.optimal_s.value) add("no optimum: " + estimate.optimal_s.reason);
  if (!estimate.roofline_s.value) add("no roofline: " + estimate.roofline_s.reason);
  return out;
}

Section estimate_section(const Summary& summary, int rows, const Glyphs& glyphs) {
  Section section{.id = "estimates", .heading = "Estimated latency", .note = {}, .blocks = {}};
  if (summary.estimates.empty()) return section;
  section.note = estimate_meaning() + " Medians over functions, with their number.";
  section.blocks.emplace_back(target_table(summary, glyphs));
  if (summary.estimate_pairs.empty()) {
    section.say("No TPU and GPU of one framework were both compiled for.");
    return section;
  }
  section.note += " TPU against GPU is roofline against roofline; above 1 the TPU is slower.";
  if (!summary.study.empty())
    section.note += " published: measured by " + summary.study + " on its own devices and shapes.";
  section.blocks.emplace_back(pair_table(summary, rows, glyphs));
  return section;
}

Value estimate_json(const std::optional<Estimate>& estimate) {
  return estimate ? Value(estimate_object(*estimate)) : Value();
}

Value estimates_json(const Summary& summary) {
  Array array;
  for (const TargetEstimates& target : summary.estimates) {
    Array gaps;
    for (const analysis::EstimateGap& gap : target.gaps) {
      gaps.emplace_back(Object{
          {"method", Value(gap.method)}, {"reason", Value(gap.reason)}, {"functions", Value(gap.functions)}});
    }
    Object object{{"target", Value(target.target)},         {"evidence", Value("estimated")},
                  {"device", Value(target.device)},         {"compilers", json::strings(target.compilers)},
                  {"functions", Value(target.functions)},   {"by_cycles", Value(target.by_cycles)},
                  {"by_optimal", Value(target.by_optimal)}, {"by_roofline", Value(target.by_roofline)}};
    json::put(object, "median_cycles_s", target.median_cycles_s);
    json::put(object, "median_optimal_s", target.median_optimal_s);
    json::put(object, "median_roofline_s", target.median_roofline_s);
    object.emplace_back("gaps", Value(std::move(gaps)));
    array.emplace_back(std::move(object));
  }
  return Value(std::move(array));
}

Value estimate_pairs_json(const Summary& summary) {
  Array array;
  for (const EstimatePair& pair : summary.estimate_pairs) {
    Array rows;
    for (const EstimateRow& row : pair.rows) rows.push_back(row_json(row));
    Object object{{"framework", Value(pair.framework)},
                  {"tpu", Value(pair.tpu)},
                  {"gpu", Value(pair.gpu)},
                  {"evidence", Value("estimated")},
                  {"method", Value("roofline")},
                  {"study", text_or_null(summary.study)},
                  {"slower", Value(pair.slower)},
                  {"over_10", Value(pair.far_slower)},
                  {"published", Value(pair.published)},
                  {"memory_alone", Value(pair.memory_alone)}};
    json::put(object, "median_ratio", pair.median_ratio);
    json::put(object, "rank_correlation", pair.rank_correlation);
    object.emplace_back("functions", Value(std::move(rows)));
    array.emplace_back(std::move(object));
  }
  return Value(std::move(array));
}

}  // namespace seamark::report
