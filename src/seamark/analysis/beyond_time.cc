// Times beyond the study's tables: the typical ratio and its test, what is intolerably slow, cold against
// warm.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "seamark/analysis/association.h"
#include "seamark/analysis/beyond.h"

namespace seamark::analysis {

namespace {

using Pair = std::pair<std::size_t, std::size_t>;

constexpr std::string_view kNotPublished = "not published: the study gives one time per function and device";
constexpr std::string_view kTooFew = "fewer than 6 values: no interval of their median at 95%";

// The median with the interval that inverts the sign test.
Datum median_of(Unit unit, const std::vector<double>& values, std::string none) {
  const std::optional<double> middle = median(values);
  if (!middle) return Datum::none(unit, std::move(none));
  Datum out = Datum::of(unit, *middle);
  out.interval = median_interval(values);
  return out;
}

void note_if_few(Exhibit& out, const std::vector<double>& values) {
  if (values.empty() || median_interval(values)) return;
  if (std::find(out.notes.begin(), out.notes.end(), kTooFew) == out.notes.end())
    out.notes.emplace_back(kTooFew);
}

// --- ratios

// The chosen pair, or each device against the first of the findings' own pair.
std::vector<Pair> pairs_of(const ResultSet& findings, const BeyondOptions& options) {
  if (options.choice.pair) return {*options.choice.pair};
  std::vector<Pair> out;
  if (!findings.main_pair) return out;
  const std::size_t a = findings.main_pair->first;
  for (std::size_t b = 0; b < findings.devices.size(); ++b) {
    if (b != a) out.emplace_back(a, b);
  }
  return out;
}

std::vector<PairTime> times_of(const FrameworkResult& framework, Pair pair) {
  std::vector<PairTime> out = pair_times(framework.functions, pair.first, pair.second);
  return out.empty() ? pair_times(framework.raw, pair.first, pair.second) : out;
}

void add_ratio(Exhibit& out, const ResultSet& findings, const FrameworkResult& framework, Pair pair) {
  const std::vector<PairTime> times = times_of(framework, pair);
  if (times.empty()) return;
  std::vector<double> ratios;
  std::int64_t slower = 0;
  std::int64_t faster = 0;
  for (const PairTime& time : times) {
    ratios.push_back(time.ratio());
    slower += time.ratio() > 1;
    faster += time.ratio() < 1;
  }
  note_if_few(out, ratios);
  const auto total = static_cast<std::int64_t>(times.size());
  out.rows.push_back(
      {Datum::of(framework.label), Datum::of(findings.devices[pair.second].label),
       Datum::of(findings.devices[pair.first].label), Datum::of(framework.totals[pair.second].evidence),
       Datum::of(Unit::kCount, static_cast<double>(total)), median_of(Unit::kRatio, ratios, {}),
       Datum::share(slower, total), Datum::of(Unit::kNumber, fair_coin_two_sided(slower, slower + faster))});
}

Exhibit ratios(const ResultSet& findings, const BeyondOptions& options) {
  Exhibit out{"ratios",
              "How much slower is the typical function? Warm times, device against device",
              {beyond_text("framework"),
               beyond_text("device"),
               {"against", "against", Unit::kText},
               beyond_text("evidence"),
               {"functions", "functions", Unit::kCount},
               {"median_ratio", "median\nratio", Unit::kRatio},
               {"slower_percent", "slower", Unit::kPercent},
               {"p", "p", Unit::kNumber}},
              {},
              {},
              Chart::kNone};
  for (const Pair& pair : pairs_of(findings, options)) {
    for (const FrameworkResult& framework : findings.frameworks) add_ratio(out, findings, framework, pair);
  }
  if (out.rows.empty()) {
    out.notes.emplace_back("no function was timed on two devices");
    return out;
  }
  out.notes.emplace_back(
      "the interval of the median and p are those of the paired sign test over functions: p is the chance, "
      "were either "
      "device as likely to be the faster, of a split as uneven");
  out.notes.push_back("times: " + findings.time_note);
  if (!findings.raw_note.empty())
    out.notes.push_back("times of other devices than those: " + findings.raw_note);
  return out;
}

// --- slow

struct Slow {
  std::int64_t compared = 0;
  std::int64_t slow = 0;
};

Slow slow_of(const Summary& summary, std::size_t target, bool warm) {
  Slow out;
  for (const FunctionRow& function : summary.functions) {
    const auto has_ratio = [&](const CaseRow& one) {
      return one.core && (warm ? one.cells[target].warm : one.cells[target].cold);
    };
    if (std::none_of(function.cases.begin(), function.cases.end(), has_ratio)) continue;
    ++out.compared;
    const FunctionCell& cell = function.cells[target];
    out.slow += warm ? cell.slow_warm : cell.slow_cold;
  }
  return out;
}

Exhibit slow(const ResultSet& findings, const Summary* summary) {
  Exhibit out{"slow",
              "Intolerable latency: functions slower than their baseline by more than a factor, beyond doubt",
              {beyond_text("target"),
               beyond_text("baseline"),
               beyond_text("evidence"),
               beyond_text("time"),
               {"factor", "factor", Unit::kRatio},
               {"functions", "functions", Unit::kCount},
               {"slow_percent", "slow", Unit::kPercent}},
              {},
              {},
              Chart::kNone};
  if (summary == nullptr) {
    out.notes.push_back(std::string(kNotPublished) + "; shares beyond a factor are in 'headlines'");
    return out;
  }
  for (std::size_t t = 0; t < summary->targets.size(); ++t) {
    const TargetRow& target = summary->targets[t];
    if (target.baseline.empty()) continue;
    const std::size_t device = *findings.device(target.target.substr(target.target.find('/') + 1));
    const std::string& evidence = findings.framework(target.framework)->totals[device].evidence;
    for (const bool warm : {true, false}) {
      const Slow found = slow_of(*summary, t, warm);
      Datum share = Datum::none(Unit::kPercent, target.compiled_only ? "compiled only: nothing was executed"
                                                                     : "no case was timed on both");
      if (found.compared > 0) share = Datum::share(found.slow, found.compared);
      out.rows.push_back({Datum::of(target.target), Datum::of(target.baseline), Datum::of(evidence),
                          Datum::of(std::string(warm ? "warm" : "cold")),
                          Datum::of(Unit::kRatio, summary->slow_factor),
                          Datum::of(Unit::kCount, static_cast<double>(found.compared)), std::move(share)});
    }
  }
  out.notes.push_back(
      fmt::format("slow: of a core case the whole interval of the ratio lies beyond the factor "
                  "(--slow-factor) and the time beyond "
                  "{:g} ms; a cold time measured once must be three times as far",
                  summary->slow_floor_s * 1e3));
  return out;
}

// --- cold against warm

struct BothTimes {
  std::string kind;
  std::vector<double> cold;
  std::vector<double> warm;
  std::vector<double> ratio;
};

std::map<std::string, BothTimes> both_times(const Summary& summary, std::size_t target) {
  std::map<std::string, BothTimes> out;
  for (const FunctionRow& function : summary.functions) {
    for (const CaseRow& one : function.cases) {
      const CaseCell& cell = one.cells[target];
      if (!cell.times->cold_s.value || !cell.times->warm_s.value || !(*cell.times->warm_s.value > 0))
        continue;
      BothTimes& times = out[cell.times->cold_kind];
      times.cold.push_back(*cell.times->cold_s.value);
      times.warm.push_back(*cell.times->warm_s.value);
      times.ratio.push_back(*cell.times->cold_s.value / *cell.times->warm_s.value);
    }
  }
  return out;
}

Exhibit cold_warm(const ResultSet& findings, const Summary* summary) {
  Exhibit out{"cold-warm",
              "The first call against the steady state",
              {beyond_text("target"),
               beyond_text("evidence"),
               {"kind", "first call", Unit::kText},
               {"cases", "cases", Unit::kTally},
               {"cold_s", "cold,\nmedian", Unit::kSeconds},
               {"warm_s", "warm,\nmedian", Unit::kSeconds},
               {"ratio", "cold / warm,\nmedian", Unit::kRatio}},
              {},
              {},
              Chart::kNone};
  if (summary == nullptr) {
    out.notes.emplace_back(kNotPublished);
    return out;
  }
  for (std::size_t t = 0; t < summary->targets.size(); ++t) {
    const TargetRow& target = summary->targets[t];
    const std::size_t device = *findings.device(target.target.substr(target.target.find('/') + 1));
    const std::map<std::string, BothTimes> kinds = both_times(*summary, t);
    for (const auto& [kind, times] : kinds) {
      note_if_few(out, times.ratio);
      out.rows.push_back(
          {Datum::of(target.target), Datum::of(findings.framework(target.framework)->totals[device].evidence),
           Datum::of(kind), Datum::of(Unit::kTally, static_cast<double>(times.ratio.size())),
           median_of(Unit::kSeconds, times.cold, {}), median_of(Unit::kSeconds, times.warm, {}),
           median_of(Unit::kRatio, times.ratio, {})});
    }
  }
  if (out.rows.empty()) {
    out.notes.emplace_back("no case has both times");
    return out;
  }
  out.notes.emplace_back(
      "cases with both times; intervals of the medians from order statistics (the sign test)");
  return out;
}

}  // namespace

std::vector<Exhibit> time_exhibits(const ResultSet& findings, const BeyondOptions& options) {
  std::vector<Exhibit> out;
  out.push_back(ratios(findings, options));
  out.push_back(slow(findings, options.summary));
  out.push_back(cold_warm(findings, options.summary));
  return out;
}

}  // namespace seamark::analysis
