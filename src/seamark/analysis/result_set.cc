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

std::vector<DeviceResult> devices_of(const Study& study) {
  std::vector<DeviceResult> out;
  for (const StudyDevice& device : study.devices_timed()) out.push_back({device.key, device.label, {}});
  // A study without further devices still has the two that its functions were timed on.
  if (out.empty()) out = {{"gpu", "GPU", {}}, {"tpu", "TPU", {}}};
  return out;
}

TotalsResult totals_of(const StudyCounts& counts, std::vector<std::int64_t> percent,
                       const std::vector<std::pair<Category, int>>& categories) {
  TotalsResult totals;
  totals.counts = CountsResult{counts.success, counts.partial, counts.complete};
  totals.printed_percent = std::move(percent);
  totals.categories_known = true;
  for (const auto& [category, functions] : categories) totals.categories.emplace_back(category, functions);
  return totals;
}

FrameworkResult found_framework(const Study& study, const StudyFramework& framework, std::size_t gpu,
                                std::size_t newer_gpu, std::size_t tpu, std::size_t devices) {
  FrameworkResult out;
  out.name = framework.name;
  out.versions = {framework.version};
  out.totals.resize(devices);
  out.totals[gpu] = totals_of(framework.gpu, framework.gpu_percent, framework.gpu_categories);
  out.totals[tpu] = totals_of(framework.tpu, framework.tpu_percent, framework.tpu_categories);
  out.totals[gpu].functions = out.totals[tpu].functions = framework.functions;
  for (TotalsResult& totals : out.totals) totals.evidence = "executed, as published";
  if (newer_gpu != gpu) out.totals[newer_gpu].printed_percent = framework.newer_gpu_percent;
  if (framework.failure_percent) {
    out.totals[gpu].printed_top = framework.failure_percent->gpu_top;
    out.totals[gpu].printed_all = framework.failure_percent->gpu_all;
    out.totals[tpu].printed_top = framework.failure_percent->tpu_top;
    out.totals[tpu].printed_all = framework.failure_percent->tpu_all;
  }
  for (const StudyFunction& function : study.functions()) {
    if (function.framework != framework.name || !function.gpu_s || !function.tpu_s) continue;
    FunctionResult found;
    found.name = function.published_name;
    found.on.resize(devices);
    TimesResult times;
    times.seconds.resize(devices);
    times.seconds[gpu] = function.gpu_s;
    times.seconds[tpu] = function.tpu_s;
    found.times.push_back(std::move(times));
    found.printed_ratio = function.tpu_over_gpu;
    out.functions.push_back(std::move(found));
  }
  for (const StudyTimes& times : study.times()) {
    if (times.framework != framework.name) continue;
    FunctionResult found;
    found.name = times.test;
    found.on.resize(devices);
    found.times.push_back({.seconds = times.seconds, .operations = {}, .intervals = {}});
    out.raw.push_back(std::move(found));
  }
  return out;
}

std::size_t device_or(const ResultSet& findings, std::string_view key, std::size_t fallback) {
  return findings.device(key).value_or(fallback);
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
  if (*found.verdict == Verdict::kPass) ++totals.counts->pass;
  if (*found.verdict == Verdict::kPartial) ++totals.counts->partial;
  if (*found.verdict == Verdict::kFail) ++totals.counts->fail;
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
std::vector<std::int64_t> called(const UsageTable& usage, std::string_view framework) {
  std::vector<std::int64_t> calls;
  for (const UsageRow& row : usage.rows) {
    if (row.framework == framework && row.tier == UsageTier::kResolved && row.calls > 0)
      calls.push_back(row.calls);
  }
  std::sort(calls.begin(), calls.end(), std::greater<>());
  return calls;
}

// Equal ones share the better place, as no order among them means anything.
void rank(FrameworkResult& found, const UsageTable& usage, int top) {
  const std::string_view framework = found.name;
  std::vector<FunctionResult>& functions = found.functions;
  const std::vector<std::int64_t> calls = called(usage, framework);
  found.calls = std::accumulate(calls.begin(), calls.end(), std::int64_t{0});
  std::map<std::string_view, std::int64_t> by_name;
  for (const UsageRow& row : usage.rows) {
    if (row.framework == framework && row.tier == UsageTier::kResolved) by_name[row.function] += row.calls;
  }
  for (FunctionResult& one : functions) {
    const auto at = by_name.find(one.name);
    one.calls = at == by_name.end() ? 0 : at->second;
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
  out.devices = devices_of(study);
  out.contradictions = study.contradictions();
  const std::size_t gpu = device_or(out, study.main_device(StudySide::kGpu).key, 0);
  const std::size_t newer = device_or(out, "a100", gpu);
  const std::size_t tpu = device_or(out, study.main_device(StudySide::kTpu).key, out.devices.size() - 1);
  for (const StudyFramework& framework : study.frameworks()) {
    out.frameworks.push_back(found_framework(study, framework, gpu, newer, tpu, out.devices.size()));
    out.frameworks.back().label = known.label(framework.name);
  }
  out.main_pair = {gpu, tpu};
  if (newer != gpu) {
    out.generation_pairs.emplace_back(gpu, newer);
    out.newest_pair = {newer, tpu};
  }
  if (const auto older = out.device("tpu-v2-8")) out.generation_pairs.emplace_back(*older, tpu);
  for (const StudyHeadline& headline : study.headlines()) {
    const std::optional<std::size_t> b = out.device(headline.b);
    if (!b) continue;
    out.headlines.push_back({headline.framework, headline.measure, out.device(headline.a), *b,
                             headline.factor, headline.printed});
  }
  return out;
}

ResultSet findings_of(const Summary& summary, const Frameworks& frameworks, const UsageTable* usage,
                      int top) {
  ResultSet out;
  out.known = frameworks;
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

// Both means at the ends of their intervals, as of a single ratio.
class RatioBounds {
 public:
  struct Operand {
    std::size_t device;
    double operations;
  };
  void add(const TimesResult& times, const Operand& a, const Operand& b) {
    known_ = known_ && !times.intervals.empty() && times.intervals[a.device] && times.intervals[b.device];
    if (!known_) return;
    a_.add(*times.intervals[a.device], a.operations);
    b_.add(*times.intervals[b.device], b.operations);
  }
  [[nodiscard]] std::optional<Interval> ratio() const {
    if (!known_ || !(a_.low > 0)) return std::nullopt;
    const double scale = a_.operations / b_.operations;
    return Interval{b_.low / a_.high * scale, b_.high / a_.low * scale};
  }

 private:
  struct Sum {
    double low = 0;
    double high = 0;
    double operations = 0;
    void add(const Interval& interval, double of) {
      low += interval.low * of;
      high += interval.high * of;
      operations += of;
    }
  };
  bool known_ = true;
  Sum a_;
  Sum b_;
};

}  // namespace

std::vector<PairTime> pair_times(const std::vector<FunctionResult>& functions, std::size_t a, std::size_t b) {
  std::vector<PairTime> out;
  for (const FunctionResult& function : functions) {
    PairTime pair;
    pair.function = function.name;
    pair.printed_ratio = function.printed_ratio;
    RatioBounds bounds;
    double a_operations = 0;
    double b_operations = 0;
    for (const TimesResult& times : function.times) {
      if (!times.seconds[a] || !times.seconds[b]) continue;
      const double of_a = times.operations.empty() ? 1 : times.operations[a];
      const double of_b = times.operations.empty() ? 1 : times.operations[b];
      pair.a_s += *times.seconds[a] * of_a;
      pair.b_s += *times.seconds[b] * of_b;
      a_operations += of_a;
      b_operations += of_b;
      bounds.add(times, {a, of_a}, {b, of_b});
      ++pair.operations;
    }
    if (pair.operations == 0 || !(pair.a_s > 0)) continue;
    pair.a_s /= a_operations;
    pair.b_s /= b_operations;
    pair.interval = bounds.ratio();
    out.push_back(std::move(pair));
  }
  std::sort(out.begin(), out.end(), [](const PairTime& x, const PairTime& y) {
    return x.ratio() != y.ratio() ? x.ratio() > y.ratio() : x.function < y.function;
  });
  return out;
}

}  // namespace seamark::analysis
