#include "seamark/report/build/sample_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "seamark/base/text.h"
#include "seamark/report/render/json_parts.h"

namespace seamark::report {

using analysis::SampleReport;
using analysis::ShareEstimate;
using analysis::Summary;
using analysis::TargetSample;
using Align = Column::Align;

namespace {

constexpr std::size_t kNamesShown = 4;

// Tenths of a percent below 10: a rate of 0.4% is not 0%.
std::string share_text(double share) {
  const double percent = share * 100;
  if (percent > 0 && percent < 0.1) return "<0.1%";
  return percent >= 9.95 || percent == 0 ? fmt::format("{:.0f}%", percent) : fmt::format("{:.1f}%", percent);
}

std::string range_text(double low, double high, const Glyphs& glyphs) {
  return share_text(low) + glyphs.range + share_text(high);
}

std::string value_text(const ShareEstimate& share, const Glyphs& glyphs) {
  return share.value ? share_text(*share.value) : std::string(glyphs.none);
}

std::string interval_of(const ShareEstimate& share, const Glyphs& glyphs) {
  return share.value ? range_text(*share.low, *share.high, glyphs) : std::string(glyphs.none);
}

std::string bounds_of(const ShareEstimate& share, const Glyphs& glyphs) {
  return range_text(share.lowest, share.highest, glyphs);
}

std::string answered_text(const TargetSample& target) {
  return fmt::format("{} of {}", target.estimate.answered, target.estimate.drawn);
}

// What is missing, and why there is no value.
std::string remark_of(const TargetSample& target) {
  const ShareEstimate& functions = target.estimate.of_functions;
  const ShareEstimate& calls = target.estimate.of_size;
  std::string out;
  if (!functions.value && !calls.value && functions.reason == calls.reason) {
    out = "no rates: " + one_line(functions.reason);
  } else {
    if (!functions.value) out = "no rate of functions: " + one_line(functions.reason);
    if (!calls.value) out += (out.empty() ? "" : "; ") + ("no rate of calls: " + one_line(calls.reason));
  }
  if (target.unknown.empty()) return out;
  const std::size_t shown = std::min(target.unknown.size(), kNamesShown);
  std::string names;
  for (std::size_t i = 0; i < shown; ++i) names += (i == 0 ? "" : ", ") + one_line(target.unknown[i]);
  if (target.unknown.size() > shown) names += fmt::format(" and {} more", target.unknown.size() - shown);
  return out + fmt::format("{}nothing is known of {}", out.empty() ? "" : "; ", names);
}

std::string title_of(const SampleReport& sample) {
  return sample.info.name.empty()
             ? one_line(sample.info.id)
             : fmt::format("{} ({})", one_line(sample.info.name), one_line(sample.info.id));
}

Value share_value(const ShareEstimate& share) {
  return Value(Value::Object{{"value", json::number(share.value)},
                             {"low", json::number(share.low)},
                             {"high", json::number(share.high)},
                             {"reason", text_or_null(share.reason)},
                             {"best", json::number(share.best)},
                             {"worst", json::number(share.worst)},
                             {"lowest", json::number(share.lowest)},
                             {"highest", json::number(share.highest)}});
}

std::string sample_meaning(const SampleReport& sample) {
  return fmt::format(
      "Sample {}: {}; seed {}; population {}; usage {}. Failures (fail or partial) of the whole population, "
      "as the "
      "sample lets expect, with 95% intervals; calls: what share of real calls would break. bounds: whatever "
      "the "
      "functions without a result would have done.",
      title_of(sample), one_line(sample.info.procedure), sample.info.seed, one_line(sample.info.population),
      one_line(sample.info.usage));
}

}  // namespace

Section sample_section(const Summary& summary, const Glyphs& glyphs) {
  if (!summary.sample) return {};
  TextTable table({{"target"},
                   {"popu-\nlation", Align::kRight, 2},
                   {"known", Align::kRight},
                   {"functions\nfail", Align::kRight},
                   {"95%", Align::kRight},
                   {"bounds", Align::kRight, 1},
                   {"calls\nbreak", Align::kRight},
                   {"95%", Align::kRight},
                   {"bounds", Align::kRight, 1}});
  for (const TargetSample& one : summary.sample->targets) {
    const ShareEstimate& functions = one.estimate.of_functions;
    const ShareEstimate& calls = one.estimate.of_size;
    table.add_row({Cell::target(one.target, one.compiled_only ? Tone::kCompiled : Tone::kPlain),
                   count_text(one.estimate.functions), answered_text(one),
                   Cell(value_text(functions, glyphs), Tone::kStrong), interval_of(functions, glyphs),
                   bounds_of(functions, glyphs), Cell(value_text(calls, glyphs), Tone::kStrong),
                   interval_of(calls, glyphs), bounds_of(calls, glyphs)});
    if (const std::string remark = remark_of(one); !remark.empty()) table.add_note(remark);
  }
  return {.id = "catalogue",
          .heading = "The whole catalogue",
          .note = sample_meaning(*summary.sample),
          .blocks = {std::move(table)}};
}

Value sample_value(const Summary& summary) {
  if (!summary.sample) return {};
  const SampleInfo& info = summary.sample->info;
  Value targets{Value::Array{}};
  for (const TargetSample& one : summary.sample->targets) {
    const analysis::DesignEstimate& estimate = one.estimate;
    targets.push(Value(Value::Object{{"target", Value(one.target)},
                                     {"compiled_only", Value(one.compiled_only)},
                                     {"population", Value(estimate.functions)},
                                     {"population_calls", json::number(estimate.size)},
                                     {"drawn", Value(estimate.drawn)},
                                     {"answered", Value(estimate.answered)},
                                     {"failed", Value(estimate.failed)},
                                     {"functions_fail", share_value(estimate.of_functions)},
                                     {"calls_break", share_value(estimate.of_size)},
                                     {"unknown", text_list(one.unknown)}}));
  }
  return Value(Value::Object{{"id", Value(info.id)},
                             {"name", text_or_null(info.name)},
                             {"procedure", Value(info.procedure)},
                             {"seed", Value(static_cast<std::int64_t>(info.seed))},
                             {"generator", Value(info.generator)},
                             {"population", Value(info.population)},
                             {"usage", Value(info.usage)},
                             {"targets", std::move(targets)}});
}

}  // namespace seamark::report
