#include "seamark/analysis/beyond.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "seamark/base/text.h"

namespace seamark::analysis {

namespace {

constexpr std::string_view kNotPublished = "not published: the study gives totals and latencies alone";

Datum percent(const sample::ShareEstimate& share) {
  if (!share.value) return Datum::none(Unit::kPercent, share.reason);
  Datum out = Datum::of(Unit::kPercent, 100 * *share.value);
  if (share.low && share.high) out.interval = Interval{100 * *share.low, 100 * *share.high};
  return out;
}

Exhibit rates(const ResultSet& findings, const Summary* summary) {
  Exhibit out{"rates",
              "Functions that run, by forward and gradient cases, and that run on the device",
              {beyond_text("target"),
               beyond_text("evidence"),
               {"runs_percent", "runs", Unit::kPercent},
               {"forward_percent", "forward", Unit::kPercent},
               {"gradient_percent", "gradient", Unit::kPercent},
               {"device_runs_percent", "runs, with\ndevice work", Unit::kPercent},
               {"on_device_percent", "on the\ndevice", Unit::kPercent},
               {"uncorrected_percent", "runs,\nuncorrected", Unit::kPercent}},
              {},
              {},
              Chart::kNone};
  if (summary == nullptr) {
    out.notes.emplace_back(kNotPublished);
    return out;
  }
  for (const TargetRow& target : summary->targets) {
    const std::size_t device = *findings.device(target.target.substr(target.target.find('/') + 1));
    out.rows.push_back({Datum::of(target.target),
                        Datum::of(findings.framework(target.framework)->totals[device].evidence),
                        share_of(target.all.runs), share_of(target.forward.runs),
                        share_of(target.gradient.runs), share_of(target.with_device_work.runs),
                        share_of(target.all.runs_on_device), share_of(target.all.runs_uncorrected)});
  }
  out.notes.emplace_back(
      "forward and gradient: over those core cases alone; with device work: without functions of which no "
      "operation depends on an input; uncorrected: with what fails on the reference and what is unanswered");
  if (!findings.sample_note.empty()) out.notes.push_back(findings.sample_note);
  return out;
}

Exhibit sample_rates(const ResultSet& findings, const Summary* summary) {
  Exhibit out{"sample",
              "What the run says of the whole population that its functions were drawn from",
              {beyond_text("target"),
               beyond_text("evidence"),
               {"population", "population", Unit::kCount},
               {"drawn", "drawn", Unit::kCount},
               {"answered", "answered", Unit::kCount},
               {"functions_fail_percent", "functions\nthat fail", Unit::kPercent},
               {"calls_break_percent", "calls that\nbreak", Unit::kPercent}},
              {},
              {},
              Chart::kNone};
  if (summary == nullptr || !summary->sample) {
    out.notes.emplace_back(summary == nullptr ? std::string(kNotPublished)
                                              : "the run is of no sample that the store has");
    return out;
  }
  for (const TargetSample& target : summary->sample->targets) {
    const sample::DesignEstimate& estimate = target.estimate;
    const auto count = [](std::int64_t n) { return Datum::of(Unit::kCount, static_cast<double>(n)); };
    const std::size_t device = *findings.device(target.target.substr(target.target.find('/') + 1));
    out.rows.push_back({Datum::of(target.target),
                        Datum::of(findings.framework(target.framework)->totals[device].evidence),
                        count(estimate.functions), count(estimate.drawn), count(estimate.answered),
                        percent(estimate.of_functions), percent(estimate.of_size)});
  }
  out.notes.push_back("design-based, by stratum; calls: " + summary->sample->info.usage);
  return out;
}

}  // namespace

ExhibitColumn beyond_text(const std::string& key) { return {key, key, Unit::kText}; }

Datum share_of(const Rate& rate) {
  if (!rate.value) return Datum::none(Unit::kPercent, rate.reason);
  return Datum::share(rate.count, rate.total);
}

std::vector<std::string> evidence_notes(const ResultSet& findings, const std::vector<std::size_t>& devices) {
  std::map<std::string, std::vector<std::string>> by_evidence;
  for (const FrameworkResult& framework : findings.frameworks) {
    for (const std::size_t device : devices) {
      const std::string& evidence = framework.totals[device].evidence;
      if (!evidence.empty())
        by_evidence[evidence].push_back(framework.label + " on " + findings.devices[device].label);
    }
  }
  std::vector<std::string> out;
  for (const auto& [evidence, where] : by_evidence) {
    out.push_back(fmt::format("evidence of what passes, {}: {}", join(where, ", "), evidence));
  }
  return out;
}

std::vector<std::size_t> asked_devices(const ResultSet& findings, const BeyondOptions& options) {
  if (options.choice.pair) return {options.choice.pair->first, options.choice.pair->second};
  std::vector<std::size_t> out(findings.devices.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

std::vector<std::size_t> matrix_devices(const ResultSet& findings, const BeyondOptions& options) {
  if (options.choice.pair) return {options.choice.pair->first, options.choice.pair->second};
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < findings.devices.size(); ++i) {
    const bool any =
        std::any_of(findings.frameworks.begin(), findings.frameworks.end(),
                    [&](const FrameworkResult& one) { return one.totals[i].counts.has_value(); });
    if (any) out.push_back(i);
  }
  return out;
}

std::vector<Exhibit> rate_exhibits(const ResultSet& findings, const BeyondOptions& options) {
  std::vector<Exhibit> out;
  out.push_back(rates(findings, options.summary));
  out.push_back(sample_rates(findings, options.summary));
  return out;
}

std::vector<Exhibit> beyond_study(const ResultSet& findings, const BeyondOptions& options) {
  std::vector<Exhibit> out;
  for (const auto part : {rate_exhibits, use_exhibits, time_exhibits, matrix_exhibits}) {
    for (Exhibit& one : part(findings, options)) out.push_back(std::move(one));
  }
  return out;
}

}  // namespace seamark::analysis
