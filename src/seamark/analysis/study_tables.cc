#include "seamark/analysis/study_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "seamark/analysis/places.h"
#include "seamark/analysis/tabulate.h"

namespace seamark::analysis {

namespace {

using FrameworkPointer = const FrameworkResult*;
using Measure = StudyHeadline::Measure;

constexpr std::size_t kExtremes = 3;  // greatest and least ratios a framework, as the study's Table 2

// Half of the last digit of a printed percentage: 0.5 of 44, 0.005 of 44.44.
double half_digit(double printed) {
  double unit = 1;
  while (unit > 1e-3 && std::abs(std::round(printed / unit) * unit - printed) > 1e-9) unit /= 10;
  return unit / 2;
}

// What was printed stands beside what follows from the counts, where rounding does not explain the
// difference; alone, where nothing follows.
Datum beside(Datum datum, std::optional<double> printed, double half_unit) {
  if (!printed) return datum;
  if (!datum.value) return Datum::of(datum.unit, *printed);
  if (std::abs(*datum.value - *printed) > half_unit + 1e-9) datum.printed = printed;
  return datum;
}

std::string pair_text(const ResultSet& findings, DevicePair pair) {
  return fmt::format("{} against {}", findings.devices[pair.second].label,
                     findings.devices[pair.first].label);
}

// --- Tables 1, 3 and 8: verdicts per framework, side by side for some devices

struct VerdictColumn {
  const char* key;
  const char* head;
  std::int64_t CountsResult::* count;
};
constexpr std::array<VerdictColumn, 3> kVerdicts = {{{"pass", "pass", &CountsResult::pass},
                                                     {"partial", "partial", &CountsResult::partial},
                                                     {"fail", "complete", &CountsResult::fail}}};

Datum verdict_cell(const TotalsResult& totals, std::size_t verdict, Unit unit) {
  Datum out = Datum::none(unit, "no data");
  if (totals.counts && totals.counts->total() > 0) {
    const std::int64_t count = *totals.counts.*kVerdicts[verdict].count;
    out = unit == kCount ? Datum::count(count) : Datum::share(count, totals.counts->total());
  }
  if (unit == kCount || totals.printed_percent.empty()) return out;
  return beside(std::move(out), static_cast<double>(totals.printed_percent[verdict]), 0.5);
}

Exhibit verdicts(const ResultSet& findings, std::string id, std::string title,
                 const std::vector<std::size_t>& devices, Unit unit) {
  const bool percent = unit == kPercent;
  Columns<FrameworkPointer> columns = {{"framework", "", kText, &FrameworkResult::label}};
  for (const std::size_t device : devices) {
    const DeviceResult& on = findings.devices[device];
    for (std::size_t i = 0; i < kVerdicts.size(); ++i) {
      columns.emplace_back(fmt::format("{}_{}{}", on.key, kVerdicts[i].key, percent ? "_percent" : ""),
                           on.label + "\n" + kVerdicts[i].head, unit,
                           [=](FrameworkPointer one) { return verdict_cell(one->totals[device], i, unit); });
    }
  }
  return tabulate(std::move(id), std::move(title), frameworks_of(findings), columns)
      .drop_empty_rows()
      .note({percent ? findings.sample_note : ""})
      .if_filled({findings.published ? ""
                                     : "over forward and gradient cases together, as in the study; "
                                       "frameworks compare by the exhibit 'rates', which has them apart"});
}

// --- Tables 2, 5, 6 and 7: times and their ratios

// Published times have three decimals of a millisecond: short ones say little about their ratio.
Datum ratio_cell(const TimedFunction& time) {
  const double rounding = 0.5e-6 * (1 / time.a_s + 1 / time.b_s) * time.ratio();
  Datum out = beside(Datum::of(kRatio, time.ratio()), time.printed_ratio, rounding + 0.5e-3);
  out.interval = time.interval;
  return out;
}

Exhibit times(const ResultSet& findings, DevicePair pair, std::string id, std::string title,
              const std::vector<TimedFunction>& functions, bool with_framework) {
  const DeviceResult& a = findings.devices[pair.first];
  const DeviceResult& b = findings.devices[pair.second];
  Columns<TimedFunction> columns = {{"function", &TimedFunction::function},
                                    {a.key + "_s", a.label, kSeconds, &TimedFunction::a_s},
                                    {b.key + "_s", b.label, kSeconds, &TimedFunction::b_s},
                                    {"ratio", fmt::format("{}\n/ {}", b.label, a.label), kRatio, ratio_cell}};
  if (with_framework) {
    columns.insert(columns.begin(), {"framework", "", kText, [](auto& one) { return one.framework->label; }});
  }
  return tabulate(std::move(id), std::move(title), functions, columns)
      .note({"times: " + findings.time_note})
      .if_empty({kNothingTimed});
}

Exhibit extremes(const ResultSet& findings, std::optional<DevicePair> pair) {
  const std::string title = "Greatest and least ratios";
  if (!pair) return Exhibit::none("table-2", title, kNoPair);
  return times(findings, *pair, "table-2", title + ", " + pair_text(findings, *pair),
               timed_functions(frameworks_of(findings), *pair, kExtremes), true);
}

// Every function of one framework.
Exhibit latencies(const ResultSet& findings, std::optional<DevicePair> pair, const std::string& name,
                  std::string id) {
  const std::string title = findings.known.label(name) + ": latency per function";
  const FrameworkResult* framework = findings.framework(name);
  if (framework == nullptr || !pair)
    return Exhibit::none(std::move(id), title, framework == nullptr ? "no data" : kNoPair);
  return times(findings, *pair, std::move(id), title + ", " + pair_text(findings, *pair),
               timed_functions({framework}, *pair), false);
}

// --- Table 4

// Of what was tested. A study prints its own number of functions.
Datum failing_share(const TotalsResult& totals) {
  if (!totals.counts) return Datum::none(kPercent, "no data");
  return Datum::share(totals.counts->failing(), totals.functions.value_or(totals.counts->total()));
}

Datum failing_share_of_top(const Place& place) {
  const std::vector<FunctionResult>& all = place.framework->functions;
  if (place.findings->published) return Datum::none(kPercent, place.findings->verdict_reason);
  if (std::none_of(all.begin(), all.end(), std::mem_fn(&FunctionResult::is_top)))
    return Datum::none(kPercent, kUseUnknown);
  const CountsResult counts = counts_of(place, &FunctionResult::is_top);
  return Datum::share(counts.failing(), counts.total());
}

Exhibit top_against_all(const ResultSet& findings, const std::vector<std::size_t>& devices) {
  Columns<FrameworkPointer> columns = {{"framework", "", kText, &FrameworkResult::label}};
  for (const std::size_t device : devices) {
    const auto& [key, label, note] = findings.devices[device];
    columns.emplace_back(
        key + "_top_percent", label + "\nmost used", kPercent, [&, device](FrameworkPointer one) {
          return beside(failing_share_of_top({&findings, one, device}), one->totals[device].printed_top, 0.5);
        });
    columns.emplace_back(key + "_all_percent", label + "\nall", kPercent, [device](FrameworkPointer one) {
      return beside(failing_share(one->totals[device]), one->totals[device].printed_all, 0.5);
    });
  }
  return tabulate("table-4", "Failures of the most used functions and of all, partial or complete",
                  frameworks_of(findings), columns)
      .note({findings.sample_note});
}

// --- headlines

std::string headline_text(const ResultSet& findings, const StudyHeadline& headline) {
  const std::string& b = findings.devices[*findings.device(headline.b)].label;
  if (headline.measure == Measure::kFailure) return "fail on " + b + ", partly or completely";
  const char* word = headline.measure == Measure::kSlower ? "slower" : "faster";
  const std::string by = headline.factor == 1 ? "" : fmt::format(" by over {} times", headline.factor);
  const std::optional<std::size_t> a = findings.device(headline.a);
  return fmt::format("{} on {} than on {}{}", word, b, a ? findings.devices[*a].label : headline.a, by);
}

Datum headline_value(const ResultSet& findings, const StudyHeadline& headline) {
  const FrameworkResult& framework = *findings.framework(headline.framework);
  const std::optional<std::size_t> a = findings.device(headline.a);
  const std::size_t b = *findings.device(headline.b);
  if (headline.measure == Measure::kFailure) return failing_share(framework.totals[b]);
  if (!a) return Datum::none(kPercent, "no data");
  // Two of the published devices have published times; other pairs only what was derived.
  const bool main = findings.main_pair == DevicePair{*a, b};
  const std::vector<PairTime> times = pair_times(main ? framework.functions : framework.generations(), *a, b);
  if (times.empty()) return Datum::none(kPercent, kNothingTimed);
  const auto beyond = std::count_if(times.begin(), times.end(), [&](const PairTime& time) {
    return headline.measure == Measure::kSlower ? time.ratio() > headline.factor
                                                : time.ratio() * headline.factor < 1;
  });
  return Datum::share(beyond, std::ssize(times));
}

// The study's measures for a pair of a store's devices.
std::vector<StudyHeadline> own_headlines(const ResultSet& findings, DevicePair pair) {
  const std::string& a = findings.devices[pair.first].key;
  const std::string& b = findings.devices[pair.second].key;
  std::vector<StudyHeadline> out;
  for (const FrameworkResult& framework : findings.frameworks) {
    out.push_back({framework.name, Measure::kFailure, {}, b, 1, {}});
    out.push_back({framework.name, Measure::kSlower, a, b, 1, {}});
    out.push_back({framework.name, Measure::kSlower, a, b, 10, {}});
    out.push_back({framework.name, Measure::kFaster, a, b, 1, {}});
  }
  return out;
}

}  // namespace

std::vector<Exhibit> study_tables(const ResultSet& findings, const ExhibitChoice& choice) {
  const std::optional<DevicePair> pair = choice.pair_of(findings);
  std::vector<std::size_t> main;
  if (pair) {
    main = {pair->first, pair->second};
  } else if (!findings.devices.empty()) {
    main = {0};
  }
  std::vector<Exhibit> out;
  out.push_back(verdicts(findings, "table-1",
                         "Portability: pass, partial and complete failure, percent of functions", main,
                         kPercent));
  out.push_back(extremes(findings, pair));
  const std::string generations = "Generations of a device";
  if (choice.generations_of(findings).empty()) {
    out.push_back(Exhibit::none("table-3", generations, "name them with --generations OLD:NEW"));
  } else {  // the study has the generations of the GPU alone
    const DevicePair of = choice.generations_of(findings).front();
    out.push_back(verdicts(findings, "table-3", generations + ": " + pair_text(findings, of),
                           {of.first, of.second}, kPercent));
  }
  out.push_back(top_against_all(findings, main));
  for (const std::string& name : findings.table_order) {
    out.push_back(latencies(findings, pair, name, fmt::format("table-{}", out.size() + 1)));
  }
  out.push_back(verdicts(findings, fmt::format("table-{}", out.size() + 1),
                         "Functions that pass, partly and completely fail", main, kCount));
  for (Exhibit& one : out) one = std::move(one).if_without_interval(kPercent, kOnlyPercentPublished);
  return out;
}

Exhibit headlines(const ResultSet& findings, const ExhibitChoice& choice) {
  const std::optional<DevicePair> pair = choice.pair_of(findings);
  std::vector<StudyHeadline> list = choice.pair ? std::vector<StudyHeadline>{} : findings.headlines;
  if (list.empty() && pair) list = own_headlines(findings, *pair);
  std::erase_if(list, [&](auto& one) {
    return findings.framework(one.framework) == nullptr || !findings.device(one.b);
  });
  const Columns<StudyHeadline> columns = {
      {"framework", "", kText, [&](auto& one) { return findings.framework(one.framework)->label; }},
      {"what", "functions that", kText, [&](auto& one) { return headline_text(findings, one); }},
      {"percent", "share", kPercent,
       [&](auto& one) {
         return beside(headline_value(findings, one), one.printed, half_digit(one.printed.value_or(0)));
       }},
  };
  return tabulate("headlines", "Shares of functions that the text names", list, columns).if_empty({kNoPair});
}

}  // namespace seamark::analysis
