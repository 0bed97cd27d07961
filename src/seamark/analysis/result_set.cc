#include "seamark/analysis/result_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "seamark/model/target_name.h"

namespace seamark::analysis {

namespace {

constexpr int kDeciles = 10;

TotalsResult totals_of(const StudyTotals& printed, std::int64_t functions) {
  TotalsResult totals;
  totals.counts = CountsResult{printed.counts.success, printed.counts.partial, printed.counts.complete};
  totals.printed_percent = printed.percent;
  totals.functions = functions;
  totals.printed_top = printed.top_percent;
  totals.printed_all = printed.all_percent;
  totals.categories_known = true;
  totals.categories.assign(printed.categories.begin(), printed.categories.end());
  return totals;
}

// A function that was timed, and no more is known of it.
FunctionResult timed_function(const std::string& name, std::vector<std::optional<double>> seconds) {
  FunctionResult out;
  out.name = name;
  out.on.resize(seconds.size());
  out.times.push_back({.seconds = std::move(seconds), .operations = {}, .intervals = {}});
  return out;
}

FrameworkResult found_framework(const Study& study, const StudyFramework& framework,
                                const ResultSet& findings) {
  const auto [gpu, tpu] = *findings.main_pair;
  FrameworkResult out;
  out.name = framework.name;
  out.label = findings.known.label(framework.name);
  out.versions = {framework.version};
  out.totals.resize(findings.devices.size());
  out.totals[gpu] = totals_of(framework.gpu, framework.functions);
  out.totals[tpu] = totals_of(framework.tpu, framework.functions);
  for (const auto& [key, percent] : framework.other_percent)
    out.totals[*findings.device(key)].printed_percent = percent;
  for (TotalsResult& totals : out.totals) totals.evidence = "executed, as published";
  for (const StudyFunction& function : study.functions()) {
    if (function.framework != framework.name || !function.gpu_s || !function.tpu_s) continue;
    std::vector<std::optional<double>> seconds(findings.devices.size());
    seconds[gpu] = function.gpu_s;
    seconds[tpu] = function.tpu_s;
    out.functions.push_back(timed_function(function.published_name, std::move(seconds)));
    out.functions.back().printed_ratio = function.tpu_over_gpu;
  }
  for (const StudyTimes& times : study.times()) {
    if (times.framework == framework.name) out.raw.push_back(timed_function(times.test, times.seconds));
  }
  return out;
}

std::string device_key(std::string_view target) {
  const std::size_t slash = target.find('/');
  return std::string(slash == std::string_view::npos ? target : target.substr(slash + 1));
}

Found found_of(const FunctionCell& cell) {
  Found found;
  if (!cell.verdict) return found;
  found.verdict = cell.verdict;
  found.tested = *cell.verdict != Verdict::kNotRun;
  if (*cell.verdict == Verdict::kPartial || *cell.verdict == Verdict::kFail) found.category = cell.category;
  return found;
}

void add_verdict(TotalsResult& totals, const Found& found) {
  if (!found.tested) return;
  if (!totals.counts) totals.counts.emplace();
  totals.counts->add(found);
  totals.categories_known = true;
  if (!found.category) return;
  auto at = std::find_if(totals.categories.begin(), totals.categories.end(),
                         [&](const auto& one) { return one.first == *found.category; });
  if (at == totals.categories.end()) at = totals.categories.insert(at, {*found.category, 0});
  ++at->second;
}

std::string evidence_of(const TargetRow& target) {
  std::int64_t all = 0;
  for (const EvidenceCount& one : target.evidence) all += one.cases;
  std::string out;
  for (auto one = target.evidence.rbegin(); one != target.evidence.rend(); ++one) {
    if (!out.empty()) out += ", ";
    out += name_of(one->evidence);
    if (target.evidence.size() > 1)
      out += fmt::format(" {:.0f}%", 100.0 * static_cast<double>(one->cases) / static_cast<double>(all));
  }
  if (target.evidence.size() > 1) out += fmt::format(" of {} cases", all);
  if (!out.empty()) return out;
  return !target.ran ? "nothing ran" : target.compiled_only ? "compiled" : "nothing passes";
}

// Calls of all functions of a framework that are called at all, most first.
std::vector<std::int64_t> called(const std::map<std::string_view, CallRange>& by_name) {
  std::vector<std::int64_t> calls;
  for (const auto& [name, range] : by_name) {
    if (range.least > 0) calls.push_back(range.least);
  }
  std::sort(calls.begin(), calls.end(), std::greater<>());
  return calls;
}

// Equal ones share the better place, as no order among them means anything.
void rank(FrameworkResult& found, const UsageTable& usage, int top) {
  const std::string_view framework = found.name;
  std::vector<FunctionResult>& functions = found.functions;
  std::map<std::string_view, CallRange> by_name;
  for (const UsageRow& row : usage.rows) {
    if (row.framework == framework) by_name[row.function].add(row);
  }
  const std::vector<std::int64_t> calls = called(by_name);
  found.calls = std::accumulate(calls.begin(), calls.end(), std::int64_t{0});
  for (FunctionResult& one : functions) {
    const auto at = by_name.find(one.name);
    const CallRange range = at == by_name.end() ? CallRange() : at->second;
    one.calls = range.least;
    one.most_calls = range.most;
    one.top = false;
    if (*one.calls == 0) continue;  // never seen: in no decile
    const auto before = std::lower_bound(calls.begin(), calls.end(), *one.calls, std::greater<>());
    const auto place = static_cast<std::size_t>(before - calls.begin());
    one.top = std::cmp_less(place, top);
    one.decile = static_cast<int>(place * kDeciles / calls.size()) + 1;
  }
}

FunctionResult function_of(const FunctionRow& row, const ResultSet& findings,
                           const std::vector<std::optional<std::size_t>>& column) {
  FunctionResult found;
  found.name = row.name;
  found.host_only = row.host_only;
  found.on.resize(findings.devices.size());
  for (std::size_t device = 0; device < column.size(); ++device) {
    if (column[device]) found.on[device] = found_of(row.cells[*column[device]]);
  }
  for (const CaseRow& one : row.cases) {
    if (!one.core) continue;
    TimesResult times;
    for (const std::optional<std::size_t>& at : column) {
      const bool passed = at && one.cells[*at].outcome == Outcome::kPass;
      times.seconds.push_back(passed ? one.cells[*at].times->warm_s.value : std::nullopt);
      times.operations.push_back(passed ? one.cells[*at].times->operations : 1);
    }
    if (std::none_of(times.seconds.begin(), times.seconds.end(), [](const auto& s) { return s.has_value(); }))
      continue;
    for (const std::optional<std::size_t>& at : column) {
      times.intervals.push_back(at ? one.cells[*at].times->warm_interval : std::nullopt);
    }
    found.times.push_back(std::move(times));
  }
  return found;
}

}  // namespace

void CountsResult::add(const Found& found) {
  if (!found.tested) return;
  pass += *found.verdict == Verdict::kPass;
  partial += *found.verdict == Verdict::kPartial;
  fail += *found.verdict == Verdict::kFail;
}

std::optional<std::size_t> ResultSet::device(std::string_view key) const {
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (devices[i].key == key) return i;
  }
  return std::nullopt;
}

const FrameworkResult* ResultSet::framework(std::string_view name) const {
  for (const FrameworkResult& one : frameworks) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

ResultSet findings_of(const Study& study, const Frameworks& known) {
  ResultSet out;
  out.known = known;
  out.title = study.title();
  out.source = study.source();
  out.published = true;
  out.verdict_reason = study.not_published().empty() ? "not published" : study.not_published();
  out.time_note = "published means; what an interval of a ratio needs was not published";
  out.raw_note = "derived from the study's raw timings, not published";
  for (const StudyDevice& device : study.devices_timed())
    out.devices.push_back({device.key, device.label, {}});
  out.contradictions = study.contradictions();
  const StudyLayout& layout = study.layout();
  const auto pair_of = [&](const StudyPair& keys) {
    return DevicePair{out.device(keys.a).value(), out.device(keys.b).value()};
  };
  out.main_pair = pair_of(layout.main);
  if (layout.newest) out.newest_pair = pair_of(*layout.newest);
  for (const StudyPair& one : layout.generations) out.generation_pairs.push_back(pair_of(one));
  out.table_order = layout.tables;
  out.figure_order = layout.figures;
  for (const StudyFramework& one : study.frameworks())
    out.frameworks.push_back(found_framework(study, one, out));
  out.headlines = study.headlines();
  return out;
}

ResultSet findings_of(const Summary& summary, const Frameworks& frameworks, const UsageTable* usage,
                      const Study* study, int top) {
  ResultSet out;
  out.known = frameworks;
  for (const Framework& one : frameworks.all()) out.table_order.push_back(one.name);
  out.figure_order = study == nullptr ? out.table_order : study->layout().figures;
  if (study != nullptr) out.table_order = study->layout().tables;
  out.title = summary.store;
  out.source = fmt::format("run {}, rules {}", summary.choice, summary.rules_version);
  out.verdict_reason = "not run";
  out.time_note = "mean over the passing core cases of each one's warm median";
  if (summary.sample) {
    out.sample_note =
        "the run is a sample: intervals here are of the functions drawn, those of the population are in "
        "'sample'";
  }
  for (const TargetRow& target : summary.targets) {
    const std::string key = device_key(target.target);
    const std::optional<std::size_t> known = out.device(key);
    if (!known)
      out.devices.push_back(
          {key, key,
           target.compiled_only ? "compiled only: what passes compiles, nothing was executed" : ""});
    if (out.framework(target.framework) == nullptr) {
      out.frameworks.push_back(
          {target.framework, frameworks.label(target.framework), target.framework_versions, {}, {}, {}, {}});
    }
  }
  std::stable_sort(out.frameworks.begin(), out.frameworks.end(),
                   [&](const FrameworkResult& a, const FrameworkResult& b) {
                     return frameworks.place(a.name) < frameworks.place(b.name);
                   });
  for (FrameworkResult& framework : out.frameworks) {
    framework.totals.resize(out.devices.size());
    std::vector<std::optional<std::size_t>> column(out.devices.size());
    for (std::size_t i = 0; i < summary.targets.size(); ++i) {
      const TargetRow& target = summary.targets[i];
      if (target.framework != framework.name) continue;
      const std::optional<std::size_t> device = out.device(device_key(target.target));
      if (!device) continue;  // all were added above
      column[*device] = i;
      framework.totals[*device].evidence = evidence_of(target);
    }
    for (const FunctionRow& row : summary.functions) {
      if (row.framework != framework.name) continue;
      FunctionResult found = function_of(row, out, column);
      for (std::size_t i = 0; i < found.on.size(); ++i) add_verdict(framework.totals[i], found.on[i]);
      framework.functions.push_back(std::move(found));
    }
    if (usage != nullptr) rank(framework, *usage, top);
    for (TotalsResult& totals : framework.totals) {
      std::stable_sort(totals.categories.begin(), totals.categories.end(),
                       [](const auto& x, const auto& y) { return x.second > y.second; });
    }
  }
  if (out.devices.size() > 1) out.main_pair = {0, 1};
  return out;
}

std::string why_no_failures(const ResultSet& findings, const std::vector<std::size_t>& devices) {
  bool any = false;
  std::string unknown;
  for (const FrameworkResult& framework : findings.frameworks) {
    for (const std::size_t device : devices) {
      const TotalsResult& totals = framework.totals[device];
      if (totals.counts) {
        any = true;
      } else if (!totals.evidence.empty()) {
        unknown += fmt::format("{}{} on {}", unknown.empty() ? "" : ", ", framework.label,
                               findings.devices[device].label);
      }
    }
  }
  if (unknown.empty()) return any ? "no function fails" : "nothing ran";
  return (any ? "no function fails; nothing is known of " : "nothing is known of ") + unknown +
         ", where nothing ran";
}

namespace {

// Of one device, summed over operations; the ends of its intervals, where all are known.
struct DeviceSum {
  double seconds = 0;
  double low = 0;
  double high = 0;
  double operations = 0;
  bool bounded = true;
  void add(const TimesResult& times, std::size_t device) {
    const double n = times.operations.empty() ? 1 : times.operations[device];
    seconds += *times.seconds[device] * n;
    operations += n;
    bounded = bounded && !times.intervals.empty() && times.intervals[device];
    if (!bounded) return;
    low += times.intervals[device]->low * n;
    high += times.intervals[device]->high * n;
  }
};

}  // namespace

std::vector<PairTime> pair_times(const std::vector<FunctionResult>& functions, std::size_t a, std::size_t b) {
  std::vector<PairTime> out;
  for (const FunctionResult& function : functions) {
    DeviceSum of_a;
    DeviceSum of_b;
    for (const TimesResult& times : function.times) {
      if (!times.seconds[a] || !times.seconds[b]) continue;
      of_a.add(times, a);
      of_b.add(times, b);
    }
    if (!(of_a.seconds > 0)) continue;
    PairTime& pair = out.emplace_back();
    pair.function = function.name;
    pair.printed_ratio = function.printed_ratio;
    pair.a_s = of_a.seconds / of_a.operations;
    pair.b_s = of_b.seconds / of_b.operations;
    if (!of_a.bounded || !of_b.bounded || !(of_a.low > 0)) continue;
    // Both means at the ends of their intervals, as of a single ratio.
    const double scale = of_a.operations / of_b.operations;
    pair.interval = Interval{of_b.low / of_a.high * scale, of_b.high / of_a.low * scale};
  }
  std::sort(out.begin(), out.end(), [](const PairTime& x, const PairTime& y) {
    return x.ratio() != y.ratio() ? x.ratio() > y.ratio() : x.function < y.function;
  });
  return out;
}

}  // namespace seamark::analysis
