#include "seamark/analysis/study_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace seamark::analysis {

namespace {

using Pair = std::pair<std::size_t, std::size_t>;

constexpr std::string_view kNoPair = "two devices are needed: name them with --pair A:B";
constexpr std::size_t kExtremes = 3;  // greatest and least ratios a framework, as the study's Table 2

// What was printed stands beside what follows from the counts, where rounding does not explain the
// difference.
// Half of the last digit of a printed percentage: 0.5 of 44, 0.005 of 44.44.
double half_digit(double printed) {
  double unit = 1;
  while (unit > 1e-3 && std::abs(std::round(printed / unit) * unit - printed) > 1e-9) unit /= 10;
  return unit / 2;
}

void beside(Datum& datum, std::optional<double> printed, double half_unit) {
  if (!printed) return;
  if (!datum.value) {
    datum.value = printed;
    datum.reason.clear();
    return;
  }
  if (std::abs(*datum.value - *printed) > half_unit + 1e-9) datum.printed = printed;
}

constexpr std::array<const char*, 3> kVerdicts = {"pass", "partial", "fail"};
constexpr std::array<const char*, 3> kVerdictHeads = {"pass", "partial", "complete"};

std::vector<ExhibitColumn> verdict_columns(const ResultSet& findings, const std::vector<std::size_t>& devices,
                                           Unit unit) {
  std::vector<ExhibitColumn> out = {{"framework", "", Unit::kText}};
  for (const std::size_t device : devices) {
    for (std::size_t i = 0; i < kVerdicts.size(); ++i) {
      const DeviceResult& one = findings.devices[device];
      out.push_back({fmt::format("{}_{}{}", one.key, kVerdicts[i], unit == Unit::kPercent ? "_percent" : ""),
                     fmt::format("{}\n{}", one.label, kVerdictHeads[i]), unit});
    }
  }
  return out;
}

std::array<std::int64_t, 3> parts(const CountsResult& counts) {
  return {counts.pass, counts.partial, counts.fail};
}

std::vector<Datum> verdict_cells(const TotalsResult& totals, Unit unit) {
  std::vector<Datum> out;
  for (std::size_t i = 0; i < kVerdicts.size(); ++i) {
    Datum datum = Datum::none(unit, "no data");
    if (totals.counts && totals.counts->total() > 0) {
      const std::int64_t count = parts(*totals.counts)[i];
      datum = unit == Unit::kCount ? Datum::of(unit, static_cast<double>(count))
                                   : Datum::share(count, totals.counts->total());
    }
    if (unit == Unit::kPercent && totals.printed_percent.size() == kVerdicts.size()) {
      beside(datum, static_cast<double>(totals.printed_percent[i]), 0.5);
    }
    out.push_back(std::move(datum));
  }
  return out;
}

// Tables 1, 3 and 8: verdicts per framework, side by side for some devices.
Exhibit verdicts(const ResultSet& findings, std::string id, std::string title,
                 const std::vector<std::size_t>& devices, Unit unit) {
  Exhibit out{std::move(id), std::move(title), verdict_columns(findings, devices, unit), {}, {},
              Chart::kNone};
  for (const FrameworkResult& framework : findings.frameworks) {
    std::vector<Datum> row = {Datum::of(framework.label)};
    for (const std::size_t device : devices) {
      for (Datum& datum : verdict_cells(framework.totals[device], unit)) row.push_back(std::move(datum));
    }
    const bool any =
        std::any_of(row.begin() + 1, row.end(), [](const Datum& d) { return d.value.has_value(); });
    if (any) out.rows.push_back(std::move(row));
  }
  if (!findings.sample_note.empty() && unit == Unit::kPercent) out.notes.push_back(findings.sample_note);
  if (!findings.published && !out.rows.empty()) {
    out.notes.emplace_back(
        "over forward and gradient cases together, as in the study; frameworks compare by the exhibit "
        "'rates', which has "
        "them apart");
  }
  return out;
}

Exhibit empty(std::string id, std::string title, std::string_view why) {
  return {std::move(id), std::move(title), {}, {}, {std::string(why)}, Chart::kNone};
}

std::string pair_text(const ResultSet& findings, Pair pair) {
  return fmt::format("{} against {}", findings.devices[pair.second].label,
                     findings.devices[pair.first].label);
}

std::vector<ExhibitColumn> time_columns(const ResultSet& findings, Pair pair) {
  const DeviceResult& a = findings.devices[pair.first];
  const DeviceResult& b = findings.devices[pair.second];
  return {{"function", "function", Unit::kText},
          {fmt::format("{}_s", a.key), a.label, Unit::kSeconds},
          {fmt::format("{}_s", b.key), b.label, Unit::kSeconds},
          {"ratio", fmt::format("{}\n/ {}", b.label, a.label), Unit::kRatio}};
}

std::vector<Datum> time_row(const PairTime& time) {
  Datum ratio = Datum::of(Unit::kRatio, time.ratio());
  // Published times have three decimals of a millisecond: short ones say little about their ratio.
  const double rounding = 0.5e-6 * (1 / time.a_s + 1 / time.b_s) * time.ratio();
  beside(ratio, time.printed_ratio, rounding + 0.5e-3);
  ratio.interval = time.interval;
  return {Datum::of(time.function), Datum::of(Unit::kSeconds, time.a_s), Datum::of(Unit::kSeconds, time.b_s),
          std::move(ratio)};
}

Exhibit extremes(const ResultSet& findings, Pair pair) {
  Exhibit out{"table-2",
              "Greatest and least ratios, " + pair_text(findings, pair),
              time_columns(findings, pair),
              {},
              {},
              Chart::kNone};
  out.columns.insert(out.columns.begin(), {"framework", "", Unit::kText});
  for (const FrameworkResult& framework : findings.frameworks) {
    const std::vector<PairTime> times = pair_times(framework.functions, pair.first, pair.second);
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (i >= kExtremes && i + kExtremes < times.size()) continue;
      std::vector<Datum> row = time_row(times[i]);
      row.insert(row.begin(), Datum::of(framework.label));
      out.rows.push_back(std::move(row));
    }
  }
  out.notes.push_back("times: " + findings.time_note);
  if (out.rows.empty()) out.notes.emplace_back("no function was timed on both");
  return out;
}

// --- Table 4

Datum top_failures(const ResultSet& findings, const FrameworkResult& framework, std::size_t device) {
  CountsResult counts;
  bool known = false;
  for (const FunctionResult& function : framework.functions) {
    if (!function.top.value_or(false)) continue;
    known = true;
    const Found& found = function.on[device];
    if (!found.tested) continue;
    ++(*found.verdict == Verdict::kPass ? counts.pass : counts.fail);
  }
  if (findings.published) return Datum::none(Unit::kPercent, findings.verdict_reason);
  if (!known) return Datum::none(Unit::kPercent, "the use of functions is not known");
  return Datum::share(counts.fail, counts.total());
}

Exhibit top_against_all(const ResultSet& findings, const std::vector<std::size_t>& devices) {
  Exhibit out{"table-4",
              "Failures of the most used functions and of all, partial or complete",
              {{"framework", "", Unit::kText}},
              {},
              {},
              Chart::kNone};
  for (const std::size_t device : devices) {
    const DeviceResult& one = findings.devices[device];
    out.columns.push_back({one.key + "_top_percent", one.label + "\nmost used", Unit::kPercent});
    out.columns.push_back({one.key + "_all_percent", one.label + "\nall", Unit::kPercent});
  }
  for (const FrameworkResult& framework : findings.frameworks) {
    std::vector<Datum> row = {Datum::of(framework.label)};
    for (const std::size_t device : devices) {
      const TotalsResult& totals = framework.totals[device];
      Datum top = top_failures(findings, framework, device);
      beside(top, totals.printed_top, 0.5);
      row.push_back(std::move(top));
      Datum all = Datum::none(Unit::kPercent, "no data");
      if (totals.counts) {
        all = Datum::share(totals.counts->failing(), totals.functions.value_or(totals.counts->total()));
      }
      beside(all, totals.printed_all, 0.5);
      row.push_back(std::move(all));
    }
    out.rows.push_back(std::move(row));
  }
  if (!findings.sample_note.empty()) out.notes.push_back(findings.sample_note);
  return out;
}

// Tables 5 to 7: every function of one framework.
Exhibit latencies(const ResultSet& findings, const FrameworkResult& framework, Pair pair, std::string id) {
  Exhibit out{std::move(id),
              fmt::format("{}: latency per function, {}", framework.label, pair_text(findings, pair)),
              time_columns(findings, pair),
              {},
              {},
              Chart::kNone};
  for (const PairTime& time : pair_times(framework.functions, pair.first, pair.second)) {
    out.rows.push_back(time_row(time));
  }
  out.notes.push_back("times: " + findings.time_note);
  if (out.rows.empty()) out.notes.emplace_back("no function was timed on both");
  return out;
}

// --- headlines

Datum share_beyond(const std::vector<PairTime>& times, const HeadlineResult& headline) {
  if (times.empty()) return Datum::none(Unit::kPercent, "no function was timed on both");
  const auto beyond = [&](const PairTime& time) {
    return headline.measure == StudyHeadline::Measure::kSlower ? time.ratio() > headline.factor
                                                               : time.ratio() * headline.factor < 1;
  };
  return Datum::share(std::count_if(times.begin(), times.end(), beyond),
                      static_cast<std::int64_t>(times.size()));
}

std::string headline_text(const ResultSet& findings, const HeadlineResult& headline) {
  const std::string b = findings.devices[headline.b].label;
  if (headline.measure == StudyHeadline::Measure::kFailure) return "fail on " + b + ", partly or completely";
  const char* word = headline.measure == StudyHeadline::Measure::kSlower ? "slower" : "faster";
  const std::string by = headline.factor == 1 ? "" : fmt::format(" by over {} times", headline.factor);
  return fmt::format("{} on {} than on {}{}", word, b, findings.devices[*headline.a].label, by);
}

Datum headline_value(const ResultSet& findings, const FrameworkResult& framework,
                     const HeadlineResult& headline) {
  if (headline.measure == StudyHeadline::Measure::kFailure) {
    const TotalsResult& totals = framework.totals[headline.b];
    if (!totals.counts) return Datum::none(Unit::kPercent, "no data");
    return Datum::share(totals.counts->failing(), totals.functions.value_or(totals.counts->total()));
  }
  if (!headline.a) return Datum::none(Unit::kPercent, "no data");
  // Two of the published devices have published times; other pairs only what was derived.
  const bool main = findings.main_pair && findings.main_pair->first == *headline.a &&
                    findings.main_pair->second == headline.b;
  const std::vector<FunctionResult>& functions = main ? framework.functions : framework.generations();
  return share_beyond(pair_times(functions, *headline.a, headline.b), headline);
}

// The study's measures for a pair of a store's devices.
std::vector<HeadlineResult> own_headlines(const ResultSet& findings, Pair pair) {
  std::vector<HeadlineResult> out;
  for (const FrameworkResult& framework : findings.frameworks) {
    using Measure = StudyHeadline::Measure;
    out.push_back({framework.name, Measure::kFailure, std::nullopt, pair.second, 1, std::nullopt});
    out.push_back({framework.name, Measure::kSlower, pair.first, pair.second, 1, std::nullopt});
    out.push_back({framework.name, Measure::kSlower, pair.first, pair.second, 10, std::nullopt});
    out.push_back({framework.name, Measure::kFaster, pair.first, pair.second, 1, std::nullopt});
  }
  return out;
}

}  // namespace

std::vector<Exhibit> study_tables(const ResultSet& findings, const ExhibitChoice& choice) {
  const std::optional<Pair> pair = choice.pair ? choice.pair : findings.main_pair;
  std::vector<std::size_t> main;
  if (pair) {
    main = {pair->first, pair->second};
  } else if (!findings.devices.empty()) {
    main = {0};
  }
  const std::vector<Pair>& generations =
      choice.generations.empty() ? findings.generation_pairs : choice.generations;
  std::vector<Exhibit> out;
  out.push_back(verdicts(findings, "table-1",
                         "Portability: pass, partial and complete failure, percent of functions", main,
                         Unit::kPercent));
  out.push_back(pair ? extremes(findings, *pair) : empty("table-2", "Greatest and least ratios", kNoPair));
  // The study has the generations of the GPU alone.
  out.push_back(
      generations.empty()
          ? empty("table-3", "Generations of a device", "name them with --generations OLD:NEW")
          : verdicts(findings, "table-3",
                     fmt::format("Generations of a device: {}", pair_text(findings, generations.front())),
                     {generations.front().first, generations.front().second}, Unit::kPercent));
  out.push_back(top_against_all(findings, main));
  int number = 5;
  for (const char* name : {"torch", "tensorflow", "jax"}) {  // the study's own order
    const std::string id = fmt::format("table-{}", number++);
    const FrameworkResult* framework = findings.framework(name);
    const std::string title = findings.known.label(name) + ": latency per function";
    if (framework == nullptr) {
      out.push_back(empty(id, title, "no data"));
    } else {
      out.push_back(pair ? latencies(findings, *framework, *pair, id) : empty(id, title, kNoPair));
    }
  }
  out.push_back(
      verdicts(findings, "table-8", "Functions that pass, partly and completely fail", main, Unit::kCount));
  for (Exhibit& one : out) note_missing_intervals(one);
  return out;
}

Exhibit headlines(const ResultSet& findings, const ExhibitChoice& choice) {
  Exhibit out{"headlines",
              "Shares of functions that the text names",
              {{"framework", "", Unit::kText},
               {"what", "functions that", Unit::kText},
               {"percent", "share", Unit::kPercent}},
              {},
              {},
              Chart::kNone};
  const std::optional<Pair> pair = choice.pair ? choice.pair : findings.main_pair;
  std::vector<HeadlineResult> list = choice.pair ? std::vector<HeadlineResult>{} : findings.headlines;
  if (list.empty() && pair) list = own_headlines(findings, *pair);
  for (const HeadlineResult& headline : list) {
    const FrameworkResult* framework = findings.framework(headline.framework);
    if (framework == nullptr) continue;
    Datum value = headline_value(findings, *framework, headline);
    if (headline.printed) beside(value, headline.printed, half_digit(*headline.printed));
    out.rows.push_back(
        {Datum::of(framework->label), Datum::of(headline_text(findings, headline)), std::move(value)});
  }
  if (out.rows.empty()) out.notes.emplace_back(kNoPair);
  return out;
}

}  // namespace seamark::analysis
