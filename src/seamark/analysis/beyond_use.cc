// Failures held against use: a trend over deciles, the calls that break, and what to mend first.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "seamark/analysis/association.h"
#include "seamark/analysis/beyond.h"

namespace seamark::analysis {

namespace {

constexpr double kSure = 0.05;

bool fails(const Found& found) {
  return found.tested && (found.verdict == Verdict::kPartial || found.verdict == Verdict::kFail);
}

// Why an exhibit that rests on use is empty.
void note_why_empty(Exhibit& exhibit, const ResultSet& findings, std::string_view otherwise) {
  if (!exhibit.rows.empty()) return;
  exhibit.notes.emplace_back(findings.published ? std::string_view(findings.verdict_reason) : otherwise);
}

std::string source_note(const BeyondOptions& options) {
  return options.usage.empty() ? std::string("the use of functions is not known") : "calls: " + options.usage;
}

// --- trend

std::vector<TrendGroup> by_decile(const FrameworkResult& framework, std::size_t device) {
  std::map<int, TrendGroup> deciles;
  for (const FunctionResult& function : framework.functions) {
    if (!function.decile || !function.on[device].tested) continue;
    TrendGroup& group = deciles[*function.decile];
    group.score = *function.decile;
    ++group.total;
    if (fails(function.on[device])) ++group.events;
  }
  std::vector<TrendGroup> out;
  for (const auto& [decile, group] : deciles) out.push_back(group);
  return out;
}

std::string reading_of(const Trend& trend) {
  if (!trend.p) return "no data";
  if (*trend.p >= kSure) return "no trend shown";
  return *trend.z > 0 ? "rarely used ones fail more" : "much used ones fail more";
}

Exhibit trend(const ResultSet& findings, const BeyondOptions& options) {
  Exhibit out{"trend",
              "Do rarely used functions fail more? Failures, partial or complete, against decile of use",
              {beyond_text("framework"),
               beyond_text("device"),
               beyond_text("evidence"),
               {"functions", "functions", Unit::kCount},
               {"failing_percent", "failing", Unit::kPercent},
               {"z", "z", Unit::kNumber},
               {"p", "p", Unit::kNumber},
               beyond_text("method"),
               beyond_text("reading")},
              {},
              {},
              Chart::kNone};
  for (const FrameworkResult& framework : findings.frameworks) {
    for (std::size_t device = 0; device < findings.devices.size(); ++device) {
      const std::vector<TrendGroup> groups = by_decile(framework, device);
      if (groups.empty()) continue;
      std::int64_t total = 0;
      std::int64_t events = 0;
      for (const TrendGroup& one : groups) {
        total += one.total;
        events += one.events;
      }
      const Trend found = cochran_armitage(groups);
      out.rows.push_back({Datum::of(framework.label), Datum::of(findings.devices[device].label),
                          Datum::of(framework.totals[device].evidence),
                          Datum::of(Unit::kCount, static_cast<double>(total)), Datum::share(events, total),
                          Datum::of(Unit::kNumber, Measured{found.z, found.reason}),
                          Datum::of(Unit::kNumber, Measured{found.p, found.reason}),
                          Datum::of(!found.p      ? ""
                                    : found.exact ? "exact"
                                                  : "normal"),
                          Datum::of(reading_of(found))});
    }
  }
  note_why_empty(out, findings, source_note(options));
  if (out.rows.empty()) return out;
  out.notes.emplace_back(
      "Cochran-Armitage test over the deciles of use (1: most used), two-sided; functions that are never "
      "called are "
      "in no decile");
  out.notes.emplace_back("p of each row by itself: among many rows some are small by chance");
  out.notes.push_back(source_note(options));
  return out;
}

// --- calls

struct Calls {
  std::int64_t functions = 0;
  std::int64_t failing = 0;
  double all = 0;
  double broken = 0;
  double squares = 0;
};

Calls calls_on(const FrameworkResult& framework, std::size_t device) {
  Calls out;
  for (const FunctionResult& function : framework.functions) {
    const Found& found = function.on[device];
    if (!found.tested || function.calls.value_or(0) == 0) continue;
    const auto calls = static_cast<double>(*function.calls);
    ++out.functions;
    out.all += calls;
    out.squares += calls * calls;
    if (!fails(found)) continue;
    ++out.failing;
    out.broken += calls;
  }
  return out;
}

const TargetSample* sample_of(const BeyondOptions& options, const std::string& target) {
  if (options.summary == nullptr || !options.summary->sample) return nullptr;
  for (const TargetSample& one : options.summary->sample->targets) {
    if (one.target == target) return &one;
  }
  return nullptr;
}

Datum share_of_calls(double part, double whole) {
  if (!(whole > 0)) return Datum::none(Unit::kPercent, "nothing of it is called");
  Datum out = Datum::of(Unit::kPercent, 100 * part / whole);
  out.total = std::llround(whole);
  return out;
}

// The sample's own estimate where the run is of one, else of the functions that were tested.
std::pair<Datum, std::string> broken_share(const Calls& calls, const TargetSample* sample) {
  if (sample != nullptr && sample->estimate.of_size.value) {
    const sample::ShareEstimate& of = sample->estimate.of_size;
    Datum out = Datum::of(Unit::kPercent, 100 * *of.value);
    if (of.low && of.high) out.interval = Interval{100 * *of.low, 100 * *of.high};
    return {std::move(out), "sample"};
  }
  Measured share = weighted_share(calls.broken, calls.all);
  if (share.value) share.value = 100 * *share.value;
  Datum out = Datum::of(Unit::kPercent, share);
  if (share.value) out.total = std::llround(calls.all);
  if (const auto interval = weighted_interval(calls.broken, calls.all, calls.squares))
    out.interval = Interval{100 * interval->low, 100 * interval->high};
  return {std::move(out), "tested"};
}

Exhibit calls_weighted(const ResultSet& findings, const BeyondOptions& options) {
  Exhibit out{"calls-weighted",
              "What share of real calls breaks? Failures, partial or complete, weighted by calls",
              {beyond_text("framework"),
               beyond_text("device"),
               beyond_text("evidence"),
               {"functions", "functions\ncalled", Unit::kCount},
               {"failing_percent", "of these\nfail", Unit::kPercent},
               {"calls", "their\ncalls", Unit::kTally},
               {"calls_break_percent", "calls that\nbreak", Unit::kPercent},
               {"coverage_percent", "of all\ncalls", Unit::kPercent},
               beyond_text("estimate")},
              {},
              {},
              Chart::kNone};
  for (const FrameworkResult& framework : findings.frameworks) {
    for (std::size_t device = 0; device < findings.devices.size(); ++device) {
      const Calls calls = calls_on(framework, device);
      if (calls.functions == 0) continue;
      const std::string target = framework.name + "/" + findings.devices[device].key;
      auto [share, estimate] = broken_share(calls, sample_of(options, target));
      Datum coverage = Datum::none(Unit::kPercent, "the calls of all functions are not known");
      if (framework.calls.value_or(0) > 0)
        coverage = share_of_calls(calls.all, static_cast<double>(*framework.calls));
      out.rows.push_back({Datum::of(framework.label), Datum::of(findings.devices[device].label),
                          Datum::of(framework.totals[device].evidence),
                          Datum::of(Unit::kCount, static_cast<double>(calls.functions)),
                          Datum::share(calls.failing, calls.functions), Datum::of(Unit::kTally, calls.all),
                          std::move(share), std::move(coverage), Datum::of(std::move(estimate))});
    }
  }
  note_why_empty(out, findings, source_note(options));
  if (out.rows.empty()) return out;
  out.notes.push_back(source_note(options) +
                      "; a function that fails for some dtypes counts with all its calls");
  out.notes.emplace_back(
      "tested: of the calls of the functions that were run, the interval that of as many draws as Kish's "
      "effective "
      "number; sample: of the population's calls, by the sample's design");
  return out;
}

// --- to-do

struct ToDo {
  const FunctionResult* function = nullptr;
  std::int64_t calls = 0;
};

std::vector<ToDo> failing_on(const FrameworkResult& framework, std::size_t device) {
  std::vector<ToDo> out;
  for (const FunctionResult& function : framework.functions) {
    if (fails(function.on[device])) out.push_back({&function, function.calls.value_or(0)});
  }
  std::stable_sort(out.begin(), out.end(), [](const ToDo& x, const ToDo& y) { return x.calls > y.calls; });
  return out;
}

void add_to_do(Exhibit& out, const ResultSet& findings, const FrameworkResult& framework, std::size_t device,
               const BeyondOptions& options) {
  const std::vector<ToDo> list = failing_on(framework, device);
  const Calls calls = calls_on(framework, device);
  double cumulative = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (options.to_do_rows > 0 && i >= options.to_do_rows) break;
    const Found& found = list[i].function->on[device];
    const auto own = static_cast<double>(list[i].calls);
    cumulative += own;
    out.rows.push_back({Datum::of(framework.name + "/" + findings.devices[device].key),
                        Datum::of(Unit::kTally, static_cast<double>(i + 1)),
                        Datum::of(list[i].function->name),
                        Datum::of(std::string(found.verdict == Verdict::kFail ? "fail" : "partial")),
                        found.category ? Datum::of(std::string(name_of(*found.category))) : Datum::of(""),
                        Datum::of(Unit::kTally, own), share_of_calls(own, calls.all),
                        share_of_calls(cumulative, calls.broken)});
  }
  if (options.to_do_rows > 0 && list.size() > options.to_do_rows) {
    out.notes.push_back(fmt::format("{}/{}: {} more, in the other formats", framework.name,
                                    findings.devices[device].key, list.size() - options.to_do_rows));
  }
}

Exhibit to_do(const ResultSet& findings, const BeyondOptions& options) {
  Exhibit out{"to-do",
              "What to mend first: failing functions by the calls that they would unlock",
              {beyond_text("target"),
               {"rank", "", Unit::kTally},
               beyond_text("function"),
               beyond_text("verdict"),
               beyond_text("category"),
               {"calls", "calls", Unit::kTally},
               {"calls_percent", "of the\ncalls", Unit::kPercent},
               {"cumulative_percent", "with those\nabove", Unit::kPercent}},
              {},
              {},
              Chart::kNone};
  const std::vector<std::size_t> devices = asked_devices(findings, options);
  for (const FrameworkResult& framework : findings.frameworks) {
    for (const std::size_t device : devices) add_to_do(out, findings, framework, device, options);
  }
  note_why_empty(out, findings, why_no_failures(findings, devices));
  if (out.rows.empty()) return out;
  out.notes.push_back(
      source_note(options) +
      "; shares are of the calls of all functions run on the target, and of those among them that "
      "break: counted, not estimated, so without an interval");
  for (std::string& note : evidence_notes(findings, matrix_devices(findings, options)))
    out.notes.push_back(std::move(note));
  return out;
}

}  // namespace

std::vector<Exhibit> use_exhibits(const ResultSet& findings, const BeyondOptions& options) {
  std::vector<Exhibit> out;
  out.push_back(trend(findings, options));
  out.push_back(calls_weighted(findings, options));
  out.push_back(to_do(findings, options));
  return out;
}

}  // namespace seamark::analysis
