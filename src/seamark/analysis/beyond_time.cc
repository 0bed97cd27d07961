// Times beyond the study's tables: the typical ratio and its test, what is intolerably slow, cold against
// warm.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "seamark/analysis/association.h"
#include "seamark/analysis/beyond.h"
#include "seamark/analysis/places.h"
#include "seamark/analysis/tabulate.h"

namespace seamark::analysis {

namespace {

constexpr const char* kOneTimeEach = "not published: the study gives one time per function and device";
constexpr const char* kTooFew = "fewer than 6 values: no interval of their median at 95%";

// The median with the interval that inverts the sign test.
Datum median_of(Unit unit, const std::vector<double>& values) {
  Datum out = Datum::of(unit, Measured{median(values), {}});
  out.interval = median_interval(values);
  return out;
}

// --- ratios

struct PairedRatios : Place {
  std::string against;
  std::vector<double> ratios;
  [[nodiscard]] std::int64_t functions() const { return std::ssize(ratios); }
  [[nodiscard]] std::int64_t slower() const {
    return std::count_if(ratios.begin(), ratios.end(), [](double one) { return one > 1; });
  }
  [[nodiscard]] std::int64_t faster() const {
    return std::count_if(ratios.begin(), ratios.end(), [](double one) { return one < 1; });
  }
};

// The chosen pair, or each device against the first of the findings' own pair.
std::vector<DevicePair> pairs_of(const ResultSet& findings, const BeyondOptions& options) {
  if (options.choice.pair) return {*options.choice.pair};
  std::vector<DevicePair> out;
  if (!findings.main_pair) return out;
  const std::size_t a = findings.main_pair->first;
  for (const std::size_t b : all_devices(findings)) {
    if (b != a) out.emplace_back(a, b);
  }
  return out;
}

std::vector<PairedRatios> ratio_rows(const ResultSet& findings, const BeyondOptions& options) {
  std::vector<PairedRatios> out;
  for (const auto& [a, b] : pairs_of(findings, options)) {
    for (const FrameworkResult& framework : findings.frameworks) {
      std::vector<PairTime> times = pair_times(framework.functions, a, b);
      if (times.empty()) times = pair_times(framework.raw, a, b);
      if (times.empty()) continue;
      PairedRatios row{{&findings, &framework, b}, findings.devices[a].label, {}};
      for (const PairTime& time : times) row.ratios.push_back(time.ratio());
      out.push_back(std::move(row));
    }
  }
  return out;
}

Exhibit ratios(const ResultSet& findings, const BeyondOptions& options) {
  const Columns<PairedRatios> columns = {
      {"framework", &PairedRatios::label},
      {"device", &PairedRatios::device},
      {"against", &PairedRatios::against},
      {"evidence", &PairedRatios::evidence},
      {"functions", "functions", kCount, &PairedRatios::functions},
      {"median_ratio", "median\nratio", kRatio, [](auto& one) { return median_of(kRatio, one.ratios); }},
      {"slower_percent", "slower", kPercent,
       [](auto& one) { return Datum::share(one.slower(), one.functions()); }},
      {"p", "p", kNumber,
       [](auto& one) { return fair_coin_two_sided(one.slower(), one.slower() + one.faster()); }},
  };
  return tabulate("ratios", "How much slower is the typical function? Warm times, device against device",
                  ratio_rows(findings, options), columns)
      .if_without_interval(kRatio, kTooFew)
      .if_empty({"no function was timed on two devices"})
      .if_filled(
          {"the interval of the median and p are those of the paired sign test over functions: p is the "
           "chance, were either device as likely to be the faster, of a split as uneven",
           "times: " + findings.time_note,
           findings.raw_note.empty() ? "" : "times of other devices than those: " + findings.raw_note});
}

// --- slow

struct SlowRow : TargetPlace {
  bool warm;
  double factor;
  std::int64_t functions = 0;  // with a ratio
  std::int64_t slow = 0;
  [[nodiscard]] Datum share() const {
    if (functions > 0) return Datum::share(slow, functions);
    return Datum::none(
        kPercent, row->compiled_only ? "compiled only: nothing was executed" : "no case was timed on both");
  }
};

SlowRow slow_row(const TargetPlace& at, const Summary& summary, bool warm) {
  SlowRow out{at, warm, summary.slow_factor};
  for (const FunctionRow& function : summary.functions) {
    const auto has_ratio = [&](const CaseRow& one) {
      return one.core && (warm ? one.cells[at.t].warm : one.cells[at.t].cold);
    };
    if (std::none_of(function.cases.begin(), function.cases.end(), has_ratio)) continue;
    ++out.functions;
    const FunctionCell& cell = function.cells[at.t];
    out.slow += warm ? cell.slow_warm : cell.slow_cold;
  }
  return out;
}

Exhibit slow(const ResultSet& findings, const Summary* summary) {
  std::vector<SlowRow> rows;
  for (const TargetPlace& at : target_places(findings, summary)) {
    if (at.row->baseline.empty()) continue;
    for (const bool warm : {true, false}) rows.push_back(slow_row(at, *summary, warm));
  }
  const Columns<SlowRow> columns = {
      {"target", &SlowRow::target},
      {"baseline", [](auto& one) { return one.row->baseline; }},
      {"evidence", &SlowRow::evidence},
      {"time", [](auto& one) { return one.warm ? "warm" : "cold"; }},
      {"factor", "factor", kRatio, &SlowRow::factor},
      {"functions", "functions", kCount, &SlowRow::functions},
      {"slow_percent", "slow", kPercent, &SlowRow::share},
  };
  return tabulate(
             "slow",
             "Intolerable latency: functions slower than their baseline by more than a factor, beyond doubt",
             rows, columns)
      .note(
          {summary == nullptr
               ? std::string(kOneTimeEach) + "; shares beyond a factor are in 'headlines'"
               : fmt::format("slow: of a core case the whole interval of the ratio lies beyond the factor "
                             "(--slow-factor) and the time beyond {:g} ms; a cold time measured once must be "
                             "three times as far",
                             summary->slow_floor_s * 1e3)});
}

// --- cold against warm

struct BothTimes {
  std::vector<double> cold;
  std::vector<double> warm;
  std::vector<double> ratio;
};

struct ColdWarmRow : TargetPlace {
  std::string kind;
  BothTimes times;
};

// By kind of the first call.
std::map<std::string, BothTimes> both_times(const Summary& summary, std::size_t target) {
  std::map<std::string, BothTimes> out;
  for (const FunctionRow& function : summary.functions) {
    for (const CaseRow& one : function.cases) {
      const auto& measured = *one.cells[target].times;
      if (!measured.cold_s.value || !measured.warm_s.value || !(*measured.warm_s.value > 0)) continue;
      BothTimes& times = out[measured.cold_kind];
      times.cold.push_back(*measured.cold_s.value);
      times.warm.push_back(*measured.warm_s.value);
      times.ratio.push_back(*measured.cold_s.value / *measured.warm_s.value);
    }
  }
  return out;
}

Exhibit cold_warm(const ResultSet& findings, const Summary* summary) {
  std::vector<ColdWarmRow> rows;
  for (const TargetPlace& at : target_places(findings, summary)) {
    for (auto& [kind, times] : both_times(*summary, at.t)) rows.push_back({at, kind, std::move(times)});
  }
  const Columns<ColdWarmRow> columns = {
      {"target", &ColdWarmRow::target},
      {"evidence", &ColdWarmRow::evidence},
      {"kind", "first call", kText, &ColdWarmRow::kind},
      {"cases", "cases", kTally, [](auto& one) { return one.times.ratio.size(); }},
      {"cold_s", "cold,\nmedian", kSeconds, [](auto& one) { return median_of(kSeconds, one.times.cold); }},
      {"warm_s", "warm,\nmedian", kSeconds, [](auto& one) { return median_of(kSeconds, one.times.warm); }},
      {"ratio", "cold / warm,\nmedian", kRatio, [](auto& one) { return median_of(kRatio, one.times.ratio); }},
  };
  return tabulate("cold-warm", "The first call against the steady state", rows, columns)
      .if_without_interval(kRatio, kTooFew)
      .if_empty({summary == nullptr ? kOneTimeEach : "no case has both times"})
      .if_filled({"cases with both times; intervals of the medians from order statistics (the sign test)"});
}

}  // namespace

std::vector<Exhibit> time_exhibits(const ResultSet& findings, const BeyondOptions& options) {
  return {ratios(findings, options), slow(findings, options.summary), cold_warm(findings, options.summary)};
}

}  // namespace seamark::analysis
