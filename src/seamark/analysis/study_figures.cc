#include "seamark/analysis/study_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <utility>

#include "seamark/analysis/places.h"
#include "seamark/analysis/tabulate.h"

namespace seamark::analysis {

namespace {

constexpr std::size_t kGrid = 81;                                       // points of a density
constexpr std::array<double, 6> kFactors = {1, 1.1, 1.25, 1.5, 2, 10};  // of Figure 7
constexpr int kBinsPerDecade = 4;                                       // of a histogram of seconds

// --- Figure 1

Exhibit scatter(const ResultSet& findings, std::optional<DevicePair> pair) {
  const std::string title = "Time per function";
  if (!pair) return Exhibit::none("figure-1", title, kNoPair);
  const std::string& a = findings.devices[pair->first].label;
  const std::string& b = findings.devices[pair->second].label;
  const Columns<TimedFunction> columns = {
      {"framework", [](auto& one) { return one.framework->name; }},
      {"function", &TimedFunction::function},
      {"a_s", a, kSeconds, &TimedFunction::a_s},
      {"b_s", b, kSeconds, &TimedFunction::b_s},
  };
  return tabulate("figure-1", fmt::format("{}, {} against {}", title, b, a),
                  timed_functions(frameworks_of(findings), *pair), columns, Chart::kScatter)
      .if_empty({kNothingTimed});
}

// --- Figure 2: Gaussian kernels over log10 of the seconds, Silverman's rule of thumb for their width
// (Silverman, Density Estimation, 1986, equation 3.31).

using Seconds = double PairTime::*;  // of either device

std::vector<double> logs_of(const std::vector<PairTime>& times, Seconds seconds) {
  std::vector<double> out;
  for (const PairTime& time : times) {
    if (time.*seconds > 0) out.push_back(std::log10(time.*seconds));
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

struct DensityPoint : Place {
  double seconds;
  double density;
};

void add_density(std::vector<DensityPoint>& out, const Place& place, const std::vector<double>& xs,
                 double low, double high) {
  if (xs.size() < 3) return;
  const double width = bandwidth_of(xs);
  const double scale = 1 / (static_cast<double>(xs.size()) * width * std::sqrt(2 * std::numbers::pi));
  for (std::size_t i = 0; i < kGrid; ++i) {
    const double at = low + (high - low) * static_cast<double>(i) / static_cast<double>(kGrid - 1);
    double sum = 0;
    for (const double x : xs) sum += std::exp(-0.5 * (at - x) * (at - x) / (width * width));
    out.push_back({place, std::pow(10, at), sum * scale});
  }
}

Exhibit densities(const ResultSet& findings, std::optional<DevicePair> pair) {
  const std::string title = "Density of the functions' times";
  if (!pair) return Exhibit::none("figure-2", title, kNoPair);
  std::vector<DensityPoint> points;
  for (const FrameworkResult& framework : findings.frameworks) {
    const std::vector<PairTime> times = pair_times(framework.functions, pair->first, pair->second);
    const std::vector<double> a = logs_of(times, &PairTime::a_s);
    const std::vector<double> b = logs_of(times, &PairTime::b_s);
    if (a.empty() || b.empty()) continue;
    const auto [a_low, a_high] = std::minmax_element(a.begin(), a.end());
    const auto [b_low, b_high] = std::minmax_element(b.begin(), b.end());
    const double low = std::min(*a_low, *b_low) - 1;
    const double high = std::max(*a_high, *b_high) + 1;
    add_density(points, {&findings, &framework, pair->first}, a, low, high);
    add_density(points, {&findings, &framework, pair->second}, b, low, high);
  }
  const Columns<DensityPoint> columns = {
      {"framework", &DensityPoint::name},
      {"device", &DensityPoint::device},
      {"seconds", "time", kSeconds, &DensityPoint::seconds},
      {"density", "density per decade", kRatio, &DensityPoint::density},
  };
  return tabulate("figure-2", title, points, columns, Chart::kDensity).if_empty({kNothingTimed});
}

// --- Figures 3 and 7: share of functions that are faster.

struct Faster {
  const FrameworkResult* framework;
  std::string generations;  // of Figure 7
  double factor;
  std::int64_t faster;
  std::int64_t functions;
  [[nodiscard]] const std::string& name() const { return framework->name; }
  [[nodiscard]] Datum share() const { return Datum::share(faster, functions); }
};

// By each of the factors, of each framework with times of both.
template <class Factors>
void add_faster(std::vector<Faster>& out, const ResultSet& findings, DevicePair pair, const Factors& factors,
                const std::string& generations) {
  for (const FrameworkResult& framework : findings.frameworks) {
    const std::vector<PairTime> times = pair_times(framework.generations(), pair.first, pair.second);
    if (times.empty()) continue;
    for (const double factor : factors) {
      const auto faster = std::count_if(times.begin(), times.end(),
                                        [&](const PairTime& time) { return time.ratio() * factor < 1; });
      out.push_back({&framework, generations, factor, faster, std::ssize(times)});
    }
  }
}

std::string raw_times(const ResultSet& findings) {
  return findings.raw_note.empty() ? "" : "times: " + findings.raw_note;
}

Exhibit share_faster(const ResultSet& findings, std::optional<DevicePair> pair) {
  const std::string title = "Functions faster on";
  if (!pair) return Exhibit::none("figure-3", title, kNoPair);
  const std::string& a = findings.devices[pair->first].label;
  const std::string& b = findings.devices[pair->second].label;
  std::vector<Faster> rows;
  add_faster(rows, findings, {pair->second, pair->first}, std::array{1.0}, {});
  const Columns<Faster> columns = {
      {"framework", &Faster::name},
      {"faster_percent", "faster on " + a, kPercent, &Faster::share},
      {"functions", "functions", kCount, &Faster::functions},
  };
  return tabulate("figure-3", fmt::format("{} {} than on {}", title, a, b), rows, columns, Chart::kBars)
      .if_empty({kNothingTimed})
      .note({raw_times(findings)});
}

Exhibit faster_by_factor(const ResultSet& findings, const std::vector<DevicePair>& generations) {
  std::vector<Faster> rows;
  for (const auto& [older, newer] : generations) {
    add_faster(rows, findings, {older, newer}, kFactors,
               fmt::format("{} to {}", findings.devices[older].label, findings.devices[newer].label));
  }
  const Columns<Faster> columns = {
      {"framework", &Faster::name},
      {"generations", &Faster::generations},
      {"factor", "by at least", kRatio, &Faster::factor},
      {"faster_percent", "functions", kPercent, &Faster::share},
  };
  return tabulate("figure-7", "Functions faster on the newer generation, by factor", rows, columns,
                  Chart::kBars)
      .if_empty({generations.empty() ? "name generations with --generations OLD:NEW" : kNothingTimed})
      .note({raw_times(findings)});
}

// --- Figures 4 and 5: failures by use.

struct Failing : Place {
  CountsResult counts;
  int decile = 0;                       // of Figure 4
  std::optional<std::int64_t> printed;  // of Figure 5: the share of all that fail, for want of counts
  [[nodiscard]] bool alone() const { return printed && counts.total() == 0; }
  [[nodiscard]] std::int64_t functions() const { return counts.total(); }
  [[nodiscard]] Datum part(std::int64_t count) const {
    return alone() ? Datum::none(kPercent, "published together alone") : Datum::share(count, counts.total());
  }
  [[nodiscard]] Datum both() const {
    return alone() ? Datum::count(*printed, kPercent) : part(counts.failing());
  }
};

Columns<Failing> failing_columns() {
  return {{"framework", &Failing::name},
          {"device", &Failing::device},
          {"partial_percent", "partial", kPercent, [](auto& one) { return one.part(one.counts.partial); }},
          {"complete_percent", "complete", kPercent, [](auto& one) { return one.part(one.counts.fail); }},
          {"failing_percent", "both", kPercent, &Failing::both}};
}

Exhibit of_the_deciles(const ResultSet& findings, const std::vector<std::size_t>& devices) {
  std::vector<Failing> rows;
  for (const Place& place : places(findings, devices)) {
    for (const auto& [decile, counts] : by_decile(place)) rows.push_back({place, counts, decile, {}});
  }
  Columns<Failing> columns = failing_columns();
  columns.insert(columns.begin() + 2, {"decile", "decile", kCount, &Failing::decile});
  columns.emplace_back("functions", "functions", kCount, &Failing::functions);
  return tabulate("figure-4", "Failures by decile of use (1: most used)", rows, columns, Chart::kStackedBars)
      .if_empty({findings.published ? findings.verdict_reason : kUseUnknown});
}

Exhibit of_the_top(const ResultSet& findings, const std::vector<std::size_t>& devices) {
  std::vector<Failing> rows;
  for (const Place& place : places(findings, devices)) {
    rows.push_back({place, counts_of(place, &FunctionResult::is_top), 0, place.totals().printed_top});
  }
  std::erase_if(rows, [](auto& one) { return one.functions() == 0 && !one.printed; });
  return tabulate("figure-5", "Failures of the most used functions", rows, failing_columns(),
                  Chart::kStackedBars)
      .if_empty({kUseUnknown})
      .if_without_interval(kPercent, kOnlyPercentPublished);
}

// --- Figure 6

struct CategoryShare : Place {
  Category category;
  std::int64_t functions;
  std::int64_t all;  // that fail
};

Exhibit by_category(const ResultSet& findings, const std::vector<std::size_t>& devices) {
  std::vector<CategoryShare> rows;
  for (const Place& place : places(findings, devices)) {
    std::int64_t all = 0;
    for (const auto& [category, functions] : place.totals().categories) all += functions;
    for (const auto& [category, functions] : place.totals().categories)
      rows.push_back({place, category, functions, all});
  }
  const Columns<CategoryShare> columns = {
      {"framework", &CategoryShare::name},
      {"device", &CategoryShare::device},
      {"category", [](auto& one) { return name_of(one.category); }},
      {"functions", "functions", kCount, &CategoryShare::functions},
      {"percent", "of the failing", kPercent, [](auto& one) { return Datum::share(one.functions, one.all); }},
  };
  return tabulate("figure-6", "Failing functions by category", rows, columns, Chart::kStackedBars)
      .if_empty({why_no_failures(findings, devices)});
}

// --- Figures 8 to 10

struct Bin {
  std::string device;
  int at;
  int functions;
  [[nodiscard]] static double edge(int at) { return std::pow(10, static_cast<double>(at) / kBinsPerDecade); }
};

Exhibit histogram(const ResultSet& findings, std::optional<DevicePair> pair, const std::string& name,
                  std::string id) {
  const std::string title = findings.known.label(name) + ": distribution of the functions' times";
  if (!pair) return Exhibit::none(std::move(id), title, kNoPair);
  std::vector<Bin> rows;
  if (const FrameworkResult* framework = findings.framework(name)) {
    const std::vector<PairTime> times = pair_times(framework->functions, pair->first, pair->second);
    for (const auto& [device, seconds] :
         {std::pair{pair->first, &PairTime::a_s}, {pair->second, &PairTime::b_s}}) {
      std::map<int, int> bins;
      for (const double x : logs_of(times, seconds)) ++bins[static_cast<int>(std::floor(x * kBinsPerDecade))];
      for (const auto& [at, functions] : bins)
        rows.push_back({findings.devices[device].label, at, functions});
    }
  }
  const Columns<Bin> columns = {
      {"device", &Bin::device},
      {"from_s", "from", kSeconds, [](auto& one) { return Bin::edge(one.at); }},
      {"to_s", "to", kSeconds, [](auto& one) { return Bin::edge(one.at + 1); }},
      {"functions", "functions", kCount, &Bin::functions},
  };
  return tabulate(std::move(id), title, rows, columns, Chart::kHistogram).if_empty({kNothingTimed});
}

}  // namespace

std::vector<Exhibit> study_figures(const ResultSet& findings, const ExhibitChoice& choice) {
  const std::optional<DevicePair> pair = choice.pair_of(findings);
  const std::optional<DevicePair> newest = choice.pair || !findings.newest_pair ? pair : findings.newest_pair;
  std::vector<std::size_t> devices;
  if (pair) devices = {pair->first, pair->second};
  std::vector<Exhibit> out = {scatter(findings, pair),
                              densities(findings, pair),
                              share_faster(findings, newest),
                              of_the_deciles(findings, devices),
                              of_the_top(findings, devices),
                              by_category(findings, devices),
                              faster_by_factor(findings, choice.generations_of(findings))};
  for (const std::string& name : findings.figure_order) {
    out.push_back(histogram(findings, pair, name, fmt::format("figure-{}", out.size() + 1)));
  }
  return out;
}

}  // namespace seamark::analysis
