#include "seamark/analysis/study_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <utility>

namespace seamark::analysis {

namespace {

using Pair = std::pair<std::size_t, std::size_t>;

constexpr std::string_view kNoPair = "two devices are needed: name them with --pair A:B";
constexpr std::string_view kNothingTimed = "no function was timed on both";
constexpr std::size_t kGrid = 81;                                       // points of a density
constexpr std::array<double, 6> kFactors = {1, 1.1, 1.25, 1.5, 2, 10};  // of Figure 7
constexpr int kBinsPerDecade = 4;                                       // of a histogram of seconds

ExhibitColumn text(const std::string& key) { return {key, key, Unit::kText}; }
ExhibitColumn column(std::string key, std::string head, Unit unit) {
  return {std::move(key), std::move(head), unit};
}

void note_if_empty(Exhibit& exhibit, std::string_view why) {
  if (exhibit.rows.empty()) exhibit.notes.emplace_back(why);
}

Exhibit scatter(const ResultSet& findings, Pair pair) {
  const DeviceResult& a = findings.devices[pair.first];
  const DeviceResult& b = findings.devices[pair.second];
  Exhibit out{"figure-1",
              fmt::format("Time per function, {} against {}", b.label, a.label),
              {text("framework"), text("function"), column("a_s", a.label, Unit::kSeconds),
               column("b_s", b.label, Unit::kSeconds)},
              {},
              {},
              Chart::kScatter};
  for (const FrameworkResult& framework : findings.frameworks) {
    for (const PairTime& time : pair_times(framework.functions, pair.first, pair.second)) {
      out.rows.push_back({Datum::of(framework.name), Datum::of(time.function),
                          Datum::of(Unit::kSeconds, time.a_s), Datum::of(Unit::kSeconds, time.b_s)});
    }
  }
  note_if_empty(out, kNothingTimed);
  return out;
}

// --- Figure 2: Gaussian kernels over log10 of the seconds, Silverman's rule of thumb for their width
// (Silverman, Density Estimation, 1986, equation 3.31).

std::vector<double> logs_of(const std::vector<PairTime>& times, bool second) {
  std::vector<double> out;
  for (const PairTime& time : times) {
    const double seconds = second ? time.b_s : time.a_s;
    if (seconds > 0) out.push_back(std::log10(seconds));
  }
  return out;
}

double bandwidth_of(const std::vector<double>& xs) {
  double mean = 0;
  for (const double x : xs) mean += x / static_cast<double>(xs.size());
  double square = 0;
  for (const double x : xs) square += (x - mean) * (x - mean);
  const double deviation = std::sqrt(square / static_cast<double>(xs.size() - 1));
  const double quartiles = (*quantile(xs, 0.75) - *quantile(xs, 0.25)) / 1.34;
  const double spread = quartiles > 0 ? std::min(deviation, quartiles) : deviation;
  return std::max(0.9 * spread * std::pow(static_cast<double>(xs.size()), -0.2), 1e-3);
}

void add_density(Exhibit& out, const std::string& framework, const std::string& device,
                 const std::vector<double>& xs, double low, double high) {
  if (xs.size() < 3) return;
  const double width = bandwidth_of(xs);
  const double scale = 1 / (static_cast<double>(xs.size()) * width * std::sqrt(2 * std::numbers::pi));
  for (std::size_t i = 0; i < kGrid; ++i) {
    const double at = low + (high - low) * static_cast<double>(i) / static_cast<double>(kGrid - 1);
    double sum = 0;
    for (const double x : xs) sum += std::exp(-0.5 * (at - x) * (at - x) / (width * width));
    out.rows.push_back({Datum::of(framework), Datum::of(device), Datum::of(Unit::kSeconds, std::pow(10, at)),
                        Datum::of(Unit::kRatio, sum * scale)});
  }
}

Exhibit densities(const ResultSet& findings, Pair pair) {
  Exhibit out{"figure-2",
              "Density of the functions' times",
              {text("framework"), text("device"), column("seconds", "time", Unit::kSeconds),
               column("density", "density per decade", Unit::kRatio)},
              {},
              {},
              Chart::kDensity};
  for (const FrameworkResult& framework : findings.frameworks) {
    const std::vector<PairTime> times = pair_times(framework.functions, pair.first, pair.second);
    const std::vector<double> a = logs_of(times, false);
    const std::vector<double> b = logs_of(times, true);
    if (a.empty() || b.empty()) continue;
    const auto [a_low, a_high] = std::minmax_element(a.begin(), a.end());
    const auto [b_low, b_high] = std::minmax_element(b.begin(), b.end());
    const double low = std::min(*a_low, *b_low) - 1;
    const double high = std::max(*a_high, *b_high) + 1;
    add_density(out, framework.name, findings.devices[pair.first].label, a, low, high);
    add_density(out, framework.name, findings.devices[pair.second].label, b, low, high);
  }
  note_if_empty(out, kNothingTimed);
  return out;
}

// --- Figures 3 and 7: share of functions that are faster.

std::int64_t faster_on_b(const std::vector<PairTime>& times, double factor) {
  return std::count_if(times.begin(), times.end(),
                       [&](const PairTime& time) { return time.ratio() * factor < 1; });
}

Exhibit share_faster(const ResultSet& findings, Pair pair) {
  const std::string& a = findings.devices[pair.first].label;
  const std::string& b = findings.devices[pair.second].label;
  Exhibit out{"figure-3",
              fmt::format("Functions faster on {} than on {}", a, b),
              {text("framework"), column("faster_percent", "faster on " + a, Unit::kPercent),
               column("functions", "functions", Unit::kCount)},
              {},
              {},
              Chart::kBars};
  for (const FrameworkResult& framework : findings.frameworks) {
    const std::vector<PairTime> times = pair_times(framework.generations(), pair.second, pair.first);
    if (times.empty()) continue;
    const auto total = static_cast<std::int64_t>(times.size());
    out.rows.push_back({Datum::of(framework.name), Datum::share(faster_on_b(times, 1), total),
                        Datum::of(Unit::kCount, static_cast<double>(total))});
  }
  note_if_empty(out, kNothingTimed);
  if (!findings.raw_note.empty()) out.notes.push_back("times: " + findings.raw_note);
  return out;
}

Exhibit faster_by_factor(const ResultSet& findings, const std::vector<Pair>& generations) {
  Exhibit out{"figure-7",
              "Functions faster on the newer generation, by factor",
              {text("framework"), text("generations"), column("factor", "by at least", Unit::kRatio),
               column("faster_percent", "functions", Unit::kPercent)},
              {},
              {},
              Chart::kBars};
  for (const Pair& pair : generations) {
    const std::string label =
        fmt::format("{} to {}", findings.devices[pair.first].label, findings.devices[pair.second].label);
    for (const FrameworkResult& framework : findings.frameworks) {
      const std::vector<PairTime> times = pair_times(framework.generations(), pair.first, pair.second);
      if (times.empty()) continue;
      for (const double factor : kFactors) {
        out.rows.push_back(
            {Datum::of(framework.name), Datum::of(label), Datum::of(Unit::kRatio, factor),
             Datum::share(faster_on_b(times, factor), static_cast<std::int64_t>(times.size()))});
      }
    }
  }
  note_if_empty(out, generations.empty() ? "name generations with --generations OLD:NEW" : kNothingTimed);
  if (!findings.raw_note.empty()) out.notes.push_back("times: " + findings.raw_note);
  return out;
}

// --- Figures 4 and 5: failures by use.

struct Failures {
  std::int64_t tested = 0;
  std::int64_t partial = 0;
  std::int64_t complete = 0;
  void add(const Found& found) {
    if (!found.tested) return;
    ++tested;
    partial += *found.verdict == Verdict::kPartial;
    complete += *found.verdict == Verdict::kFail;
  }
};

Exhibit by_decile(const ResultSet& findings, const std::vector<std::size_t>& devices) {
  Exhibit out{
      "figure-4",
      "Failures by decile of use (1: most used)",
      {text("framework"), text("device"), column("decile", "decile", Unit::kCount),
       column("partial_percent", "partial", Unit::kPercent),
       column("complete_percent", "complete", Unit::kPercent),
       column("failing_percent", "both", Unit::kPercent), column("functions", "functions", Unit::kCount)},
      {},
      {},
      Chart::kStackedBars};
  for (const FrameworkResult& framework : findings.frameworks) {
    for (const std::size_t device : devices) {
      std::map<int, Failures> deciles;
      for (const FunctionResult& function : framework.functions) {
        if (function.decile) deciles[*function.decile].add(function.on[device]);
      }
      for (const auto& [decile, failures] : deciles) {
        out.rows.push_back({Datum::of(framework.name), Datum::of(findings.devices[device].label),
                            Datum::of(Unit::kCount, decile), Datum::share(failures.partial, failures.tested),
                            Datum::share(failures.complete, failures.tested),
                            Datum::share(failures.partial + failures.complete, failures.tested),
                            Datum::of(Unit::kCount, static_cast<double>(failures.tested))});
      }
    }
  }
  note_if_empty(out, findings.published ? std::string_view(findings.verdict_reason)
                                        : std::string_view("the use of functions is not known"));
  return out;
}

Exhibit of_the_top(const ResultSet& findings, const std::vector<std::size_t>& devices) {
  Exhibit out{"figure-5",
              "Failures of the most used functions",
              {text("framework"), text("device"), column("partial_percent", "partial", Unit::kPercent),
               column("complete_percent", "complete", Unit::kPercent),
               column("failing_percent", "both", Unit::kPercent)},
              {},
              {},
              Chart::kStackedBars};
  for (const FrameworkResult& framework : findings.frameworks) {
    for (const std::size_t device : devices) {
      Failures failures;
      for (const FunctionResult& function : framework.functions) {
        if (function.top.value_or(false)) failures.add(function.on[device]);
      }
      const std::optional<std::int64_t> printed = framework.totals[device].printed_top;
      if (failures.tested == 0 && !printed) continue;
      const auto none = [&] { return Datum::none(Unit::kPercent, "published together alone"); };
      out.rows.push_back({Datum::of(framework.name), Datum::of(findings.devices[device].label),
                          failures.tested > 0 ? Datum::share(failures.partial, failures.tested) : none(),
                          failures.tested > 0 ? Datum::share(failures.complete, failures.tested) : none(),
                          failures.tested > 0
                              ? Datum::share(failures.partial + failures.complete, failures.tested)
                              : Datum::of(Unit::kPercent, static_cast<double>(*printed))});
    }
  }
  note_if_empty(out, "the use of functions is not known");
  note_missing_intervals(out);
  return out;
}

Exhibit by_category(const ResultSet& findings, const std::vector<std::size_t>& devices) {
  Exhibit out{
      "figure-6",
      "Failing functions by category",
      {text("framework"), text("device"), text("category"), column("functions", "functions", Unit::kCount),
       column("percent", "of the failing", Unit::kPercent)},
      {},
      {},
      Chart::kStackedBars};
  for (const FrameworkResult& framework : findings.frameworks) {
    for (const std::size_t device : devices) {
      std::int64_t sum = 0;
      for (const auto& [category, functions] : framework.totals[device].categories) sum += functions;
      for (const auto& [category, functions] : framework.totals[device].categories) {
        out.rows.push_back({Datum::of(framework.name), Datum::of(findings.devices[device].label),
                            Datum::of(std::string(name_of(category))),
                            Datum::of(Unit::kCount, static_cast<double>(functions)),
                            Datum::share(functions, sum)});
      }
    }
  }
  note_if_empty(out, why_no_failures(findings, devices));
  return out;
}

// --- Figures 8 to 10

Exhibit histogram(const ResultSet& findings, const FrameworkResult* framework, Pair pair, std::string id,
                  const std::string& label) {
  Exhibit out{std::move(id),
              label + ": distribution of the functions' times",
              {text("device"), column("from_s", "from", Unit::kSeconds), column("to_s", "to", Unit::kSeconds),
               column("functions", "functions", Unit::kCount)},
              {},
              {},
              Chart::kHistogram};
  if (framework != nullptr) {
    const std::vector<PairTime> times = pair_times(framework->functions, pair.first, pair.second);
    for (const bool second : {false, true}) {
      std::map<int, int> bins;
      for (const double x : logs_of(times, second)) ++bins[static_cast<int>(std::floor(x * kBinsPerDecade))];
      for (const auto& [bin, functions] : bins) {
        const auto edge = [](int at) { return std::pow(10, static_cast<double>(at) / kBinsPerDecade); };
        out.rows.push_back({Datum::of(findings.devices[second ? pair.second : pair.first].label),
                            Datum::of(Unit::kSeconds, edge(bin)), Datum::of(Unit::kSeconds, edge(bin + 1)),
                            Datum::of(Unit::kCount, functions)});
      }
    }
  }
  note_if_empty(out, kNothingTimed);
  return out;
}

Exhibit without_pair(std::string id, std::string title) {
  return {std::move(id), std::move(title), {}, {}, {std::string(kNoPair)}, Chart::kNone};
}

}  // namespace

std::vector<Exhibit> study_figures(const ResultSet& findings, const ExhibitChoice& choice) {
  const std::optional<Pair> pair = choice.pair ? choice.pair : findings.main_pair;
  const std::optional<Pair> newest = choice.pair || !findings.newest_pair ? pair : findings.newest_pair;
  const std::vector<Pair>& generations =
      choice.generations.empty() ? findings.generation_pairs : choice.generations;
  std::vector<std::size_t> devices;
  if (pair) devices = {pair->first, pair->second};
  std::vector<Exhibit> out;
  out.push_back(pair ? scatter(findings, *pair) : without_pair("figure-1", "Time per function"));
  out.push_back(pair ? densities(findings, *pair)
                     : without_pair("figure-2", "Density of the functions' times"));
  out.push_back(newest ? share_faster(findings, *newest) : without_pair("figure-3", "Functions faster on"));
  out.push_back(by_decile(findings, devices));
  out.push_back(of_the_top(findings, devices));
  out.push_back(by_category(findings, devices));
  out.push_back(faster_by_factor(findings, generations));
  int number = 8;
  for (const char* name : {"tensorflow", "torch", "jax"}) {  // the study's own order
    const std::string id = fmt::format("figure-{}", number++);
    const std::string label = findings.known.label(name);
    out.push_back(pair ? histogram(findings, findings.framework(name), *pair, id, label)
                       : without_pair(id, label + ": distribution of the functions' times"));
  }
  return out;
}

}  // namespace seamark::analysis
