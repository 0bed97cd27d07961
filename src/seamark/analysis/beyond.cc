#include "seamark/analysis/beyond.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "seamark/analysis/association.h"
#include "seamark/analysis/places.h"
#include "seamark/analysis/tabulate.h"
#include "seamark/base/quantile.h"
#include "seamark/base/text.h"

namespace seamark::analysis {

namespace {

constexpr double kSure = 0.05;
constexpr const char* kTotalsAlone = "not published: the study gives totals and latencies alone";

Datum percent_of(const ShareEstimate& share) {
  std::optional<Interval> interval;
  if (share.low && share.high) interval = Interval{*share.low, *share.high};
  return Datum::percent({share.value, share.reason}, interval);
}

Exhibit rates(const ResultSet& findings, const Summary* summary) {
  const Columns<TargetPlace> columns = {
      {"target", &TargetPlace::target},
      {"evidence", &TargetPlace::evidence},
      {"runs_percent", "runs", kPercent, [](auto& one) { return one.row->all.runs; }},
      {"forward_percent", "forward", kPercent, [](auto& one) { return one.row->forward.runs; }},
      {"gradient_percent", "gradient", kPercent, [](auto& one) { return one.row->gradient.runs; }},
      {"device_runs_percent", "runs, with\ndevice work", kPercent,
       [](auto& one) { return one.row->with_device_work.runs; }},
      {"on_device_percent", "on the\ndevice", kPercent,
       [](auto& one) { return one.row->all.runs_on_device; }},
      {"uncorrected_percent", "runs,\nuncorrected", kPercent,
       [](auto& one) { return one.row->all.runs_uncorrected; }},
  };
  return tabulate("rates", "Functions that run, by forward and gradient cases, and that run on the device",
                  target_places(findings, summary), columns)
      .note({summary == nullptr
                 ? kTotalsAlone
                 : "forward and gradient: over those core cases alone; with device work: without functions "
                   "of which no operation depends on an input; uncorrected: with what fails on the "
                   "reference and what is unanswered",
             findings.sample_note});
}

// The results of one dtype on one target.
struct ErrorRow : TargetPlace {
  std::string dtype;
  std::vector<double> ulp;  // ascending
  [[nodiscard]] double at(double q) const { return quantile_of_sorted(ulp, q); }
};

Exhibit errors(const ResultSet& findings, const Summary* summary) {
  std::vector<ErrorRow> rows;
  for (const TargetPlace& place : target_places(findings, summary)) {
    for (const auto& [dtype, ulp] : place.row->ulp_errors) {
      rows.push_back({place, dtype.empty() ? "not named" : dtype, ulp});
      std::sort(rows.back().ulp.begin(), rows.back().ulp.end());
    }
  }
  const Columns<ErrorRow> columns = {
      {"target", &ErrorRow::target},
      {"evidence", &ErrorRow::evidence},
      {"dtype", &ErrorRow::dtype},
      {"results", "results", kTally, [](auto& one) { return one.ulp.size(); }},
      {"median_ulp", "median", kNumber, [](auto& one) { return one.at(0.5); }},
      {"p90_ulp", "90%", kNumber, [](auto& one) { return one.at(0.9); }},
      {"p99_ulp", "99%", kNumber, [](auto& one) { return one.at(0.99); }},
      {"max_ulp", "most", kNumber, [](auto& one) { return one.at(1); }},
  };
  return tabulate("errors", "How far results are from their reference, in units in the last place", rows,
                  columns, Chart::kSpread)
      .if_empty({summary == nullptr ? kTotalsAlone : "no result was compared in a dtype that rounds"})
      .if_filled(
          {"of each compared result, wrong ones too, the largest error of its elements, in the spacing "
           "of its dtype's numbers at the reference: beside a reference of 0 any error is large"});
}

struct SampledTarget : Place {
  const DesignEstimate* estimate;
};

Exhibit sample_rates(const ResultSet& findings, const Summary* summary) {
  const bool sampled = summary != nullptr && summary->sample;
  std::vector<SampledTarget> rows;
  if (sampled) {
    for (const TargetSample& one : summary->sample->targets)
      rows.push_back({place_of(findings, one.target, one.framework), &one.estimate});
  }
  const Columns<SampledTarget> columns = {
      {"target", &SampledTarget::target},
      {"evidence", &SampledTarget::evidence},
      {"population", "population", kCount, [](auto& one) { return one.estimate->functions; }},
      {"drawn", "drawn", kCount, [](auto& one) { return one.estimate->drawn; }},
      {"answered", "answered", kCount, [](auto& one) { return one.estimate->answered; }},
      {"functions_fail_percent", "functions\nthat fail", kPercent,
       [](auto& one) { return percent_of(one.estimate->of_functions); }},
      {"calls_break_percent", "calls that\nbreak", kPercent,
       [](auto& one) { return percent_of(one.estimate->of_size); }},
  };
  return tabulate("sample", "What the run says of the whole population that its functions were drawn from",
                  rows, columns)
      .note({summary == nullptr ? kTotalsAlone
             : sampled          ? "design-based, by stratum; calls: " + summary->sample->info.usage
                                : "the run is of no sample that the store has"});
}

// --- failures held against use

bool fails(const Found& found) {
  return found.tested && (found.verdict == Verdict::kPartial || found.verdict == Verdict::kFail);
}

std::string source_note(const BeyondOptions& options) {
  return options.usage.empty() ? kUseUnknown : "calls: " + options.usage;
}

// --- trend

// Of the deciles of use, where there are some.
Trend trend_of(const Place& place) {
  std::vector<TrendGroup> groups;
  for (const auto& [decile, counts] : by_decile(place)) {
    if (counts.total() > 0) groups.push_back({decile, counts.failing(), counts.total()});
  }
  return cochran_armitage(groups);
}

const char* reading_of(const Trend& trend) {
  if (!trend.p) return "no data";
  if (*trend.p >= kSure) return "no trend shown";
  return *trend.z > 0 ? "rarely used ones fail more" : "much used ones fail more";
}

struct TrendRow : Place {
  CountsResult counts;  // of all deciles
  Trend trend;
};

Exhibit trend(const ResultSet& findings, const BeyondOptions& options) {
  std::vector<TrendRow> rows;
  for (const Place& place : places(findings, all_devices(findings))) {
    const CountsResult counts = counts_of(place, [](auto& one) { return one.decile.has_value(); });
    if (counts.total() > 0) rows.push_back({place, counts, trend_of(place)});
  }
  const Columns<TrendRow> columns = {
      {"framework", &TrendRow::label},
      {"device", &TrendRow::device},
      {"evidence", &TrendRow::evidence},
      {"functions", "functions", kCount, [](auto& one) { return one.counts.total(); }},
      {"failing_percent", "failing", kPercent,
       [](auto& one) { return Datum::share(one.counts.failing(), one.counts.total()); }},
      {"z", "z", kNumber, [](auto& one) { return Measured{one.trend.z, one.trend.reason}; }},
      {"p", "p", kNumber, [](auto& one) { return Measured{one.trend.p, one.trend.reason}; }},
      {"method", [](auto& one) { return !one.trend.p      ? ""
                                        : one.trend.exact ? "exact"
                                                          : "normal"; }},
      {"reading", [](auto& one) { return reading_of(one.trend); }},
  };
  return tabulate("trend",
                  "Do rarely used functions fail more? Failures, partial or complete, against decile of use",
                  rows, columns)
      .if_empty({findings.published ? findings.verdict_reason : source_note(options)})
      .if_filled(
          {"Cochran-Armitage test over the deciles of use (1: most used), two-sided; functions that are "
           "never called are in no decile",
           "p of each row by itself: among many rows some are small by chance", source_note(options)});
}

// --- calls

// Of the functions that were tested and are called.
struct Calls {
  std::int64_t functions = 0;
  std::int64_t failing = 0;
  double all = 0;
  double broken = 0;
  double squares = 0;
};

Calls calls_on(const Place& place) {
  Calls out;
  for (const FunctionResult& function : place.framework->functions) {
    const Found& found = function.on[place.at];
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

Datum share_of_calls(double part, double whole) {
  if (!(whole > 0)) return Datum::none(kPercent, "nothing of it is called");
  Datum out = Datum::of(kPercent, 100 * part / whole);
  out.total = std::llround(whole);
  return out;
}

// The sample's own estimate where the run is of one, else of the functions that were tested.
struct CallsRow : Place {
  Calls calls;
  const ShareEstimate* sample = nullptr;
  [[nodiscard]] Datum broken() const {
    if (sample != nullptr) return percent_of(*sample);
    Datum out = Datum::percent(weighted_share(calls.broken, calls.all),
                               weighted_interval(calls.broken, calls.all, calls.squares));
    if (out.value) out.total = std::llround(calls.all);
    return out;
  }
  [[nodiscard]] Datum coverage() const {
    const std::int64_t all = framework->calls.value_or(0);
    return all > 0 ? share_of_calls(calls.all, static_cast<double>(all))
                   : Datum::none(kPercent, "the calls of all functions are not known");
  }
};

const ShareEstimate* sample_of(const Summary* summary, const std::string& target) {
  if (summary == nullptr || !summary->sample) return nullptr;
  const std::vector<TargetSample>& all = summary->sample->targets;
  const auto found = std::find_if(all.begin(), all.end(), [&](auto& one) { return one.target == target; });
  return found != all.end() && found->estimate.of_size.value ? &found->estimate.of_size : nullptr;
}

Exhibit calls_weighted(const ResultSet& findings, const BeyondOptions& options) {
  std::vector<CallsRow> rows;
  for (const Place& place : places(findings, all_devices(findings)))
    rows.push_back({place, calls_on(place), sample_of(options.summary, place.target())});
  std::erase_if(rows, [](auto& one) { return one.calls.functions == 0; });
  const Columns<CallsRow> columns = {
      {"framework", &CallsRow::label},
      {"device", &CallsRow::device},
      {"evidence", &CallsRow::evidence},
      {"functions", "functions\ncalled", kCount, [](auto& one) { return one.calls.functions; }},
      {"failing_percent", "of these\nfail", kPercent,
       [](auto& one) { return Datum::share(one.calls.failing, one.calls.functions); }},
      {"calls", "their\ncalls", kTally, [](auto& one) { return one.calls.all; }},
      {"calls_break_percent", "calls that\nbreak", kPercent, &CallsRow::broken},
      {"coverage_percent", "of all\ncalls", kPercent, &CallsRow::coverage},
      {"estimate", [](auto& one) { return one.sample == nullptr ? "tested" : "sample"; }},
  };
  return tabulate("calls-weighted",
                  "What share of real calls breaks? Failures, partial or complete, weighted by calls", rows,
                  columns)
      .if_empty({findings.published ? findings.verdict_reason : source_note(options)})
      .if_filled(
          {source_note(options) + "; a function that fails for some dtypes counts with all its calls",
           "tested: of the calls of the functions that were run, the interval that of as many draws as "
           "Kish's effective number; sample: of the population's calls, by the sample's design"});
}

// --- to-do

struct ToDo : Place {
  const FunctionResult* function;
  std::size_t rank = 0;  // from 1
  Datum of_calls = {};
  Datum with_above = {};  // the calls of it and of those above, of all that break
  [[nodiscard]] double calls() const { return static_cast<double>(function->calls.value_or(0)); }
  [[nodiscard]] const char* verdict() const {
    return function->on[at].verdict == Verdict::kFail ? "fail" : "partial";
  }
  [[nodiscard]] std::string_view category() const {
    return function->on[at].category ? name_of(*function->on[at].category) : "";
  }
};

// What fails, most called first.
std::vector<ToDo> failing_on(const Place& place) {
  std::vector<ToDo> out;
  for (const FunctionResult& function : place.framework->functions) {
    if (fails(function.on[place.at])) out.push_back({place, &function});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const ToDo& x, const ToDo& y) { return x.calls() > y.calls(); });
  const Calls calls = calls_on(place);
  std::size_t rank = 0;
  double above = 0;
  for (ToDo& one : out) {
    one.rank = ++rank;
    one.of_calls = share_of_calls(one.calls(), calls.all);
    one.with_above = share_of_calls(above += one.calls(), calls.broken);
  }
  return out;
}

// Leaves the first `rows`, and says so in a note; 0: all.
template <class Row>
void cut(std::vector<Row>& list, std::size_t rows, const Place& place, std::vector<std::string>& notes) {
  if (rows == 0 || list.size() <= rows) return;
  notes.push_back(fmt::format("{}: {} more, in the other formats", place.target(), list.size() - rows));
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(rows), list.end());
}

Exhibit to_do(const ResultSet& findings, const BeyondOptions& options) {
  const std::vector<std::size_t> devices = asked_devices(findings, options);
  std::vector<ToDo> rows;
  std::vector<std::string> left_out;
  for (const Place& place : places(findings, devices)) {
    std::vector<ToDo> list = failing_on(place);
    cut(list, options.to_do_rows, place, left_out);
    std::move(list.begin(), list.end(), std::back_inserter(rows));
  }
  const Columns<ToDo> columns = {
      {"target", &ToDo::target},
      {"rank", "", kTally, &ToDo::rank},
      {"function", [](auto& one) { return one.function->name; }},
      {"verdict", &ToDo::verdict},
      {"category", &ToDo::category},
      {"calls", "calls", kTally, &ToDo::calls},
      {"calls_percent", "of all\ncalls", kPercent, &ToDo::of_calls},
      {"cumulative_percent", "of breaking\ncalls, with\nthose above", kPercent, &ToDo::with_above},
  };
  return tabulate("to-do", "What to mend first: failing functions by the calls that they would unlock", rows,
                  columns)
      .note(left_out)
      .if_empty({findings.published ? findings.verdict_reason : why_no_failures(findings, devices)})
      .if_filled(
          {source_note(options) +
           "; shares are of the calls of all functions run on the target, and of those among them that "
           "break: counted, not estimated, so without an interval"})
      .if_filled(evidence_notes(findings, matrix_devices(findings, options)));
}

// --- missing operators

struct Lack : Place {
  const MissingOperator* one;
  std::vector<const FunctionResult*> functions;  // that it holds back, most called first
  std::size_t rank = 0;
  double calls = 0;
  Datum of_calls = {};
  [[nodiscard]] const std::string& operator_name() const { return one->name; }
  [[nodiscard]] const char* how() const {
    return one->raises && one->on_host ? "both" : one->raises ? "raises" : "host";
  }
  [[nodiscard]] std::string function_names() const {
    std::vector<std::string> names;
    for (const FunctionResult* function : functions) names.push_back(function->name);
    return join(names, ", ");
  }
};

// Of one target, those first that most calls need.
std::vector<Lack> lacks_of(const Place& place, const TargetOperators& of_target, const Summary& summary) {
  std::map<std::string_view, const FunctionResult*> by_name;
  for (const FunctionResult& one : place.framework->functions) by_name[one.name] = &one;
  const Calls all = calls_on(place);
  std::vector<Lack> out;
  for (const MissingOperator& one : of_target.operators) {
    Lack& lack = out.emplace_back(Lack{place, &one, {}});
    for (const std::size_t function : one.functions)
      lack.functions.push_back(by_name.at(summary.functions[function].name));
    std::stable_sort(lack.functions.begin(), lack.functions.end(),
                     [](auto* x, auto* y) { return x->calls.value_or(0) > y->calls.value_or(0); });
    for (const FunctionResult* function : lack.functions)
      lack.calls += static_cast<double>(function->calls.value_or(0));
    lack.of_calls = share_of_calls(lack.calls, all.all);
  }
  std::stable_sort(out.begin(), out.end(), [](const Lack& x, const Lack& y) {
    return std::pair(x.calls, x.functions.size()) > std::pair(y.calls, y.functions.size());
  });
  for (std::size_t i = 0; i < out.size(); ++i) out[i].rank = i + 1;
  return out;
}

}  // namespace

Exhibit missing_operators(const ResultSet& findings, const BeyondOptions& options) {
  const std::vector<std::size_t> devices = asked_devices(findings, options);
  const bool known = options.operators != nullptr;
  std::vector<Lack> rows;
  std::vector<std::string> notes;
  for (const TargetPlace& place : target_places(findings, known ? options.summary : nullptr)) {
    if (std::find(devices.begin(), devices.end(), place.at) == devices.end()) continue;
    const TargetOperators& of_target = (*options.operators)[place.t];
    std::vector<Lack> list = lacks_of(place, of_target, *options.summary);
    if (list.empty()) continue;
    notes.push_back(fmt::format(
        "{}: {} functions fail or ran on the host, {} of them without naming an operator; shares are of the "
        "{:.0f} calls of all functions run there",
        of_target.target, of_target.held_back, of_target.unnamed, calls_on(place).all));
    cut(list, options.to_do_rows, place, notes);
    std::move(list.begin(), list.end(), std::back_inserter(rows));
  }
  Columns<Lack> columns = {
      {"target", &Lack::target},
      {"rank", "", kTally, &Lack::rank},
      {"operator", &Lack::operator_name},
      {"how", &Lack::how},
      {"functions", "holds\nback", kCount, [](auto& lack) { return lack.functions.size(); }},
      {"alone", "alone", kCount, [](auto& lack) { return lack.one->alone; }},
      {"cases", "cases", kTally, [](auto& lack) { return lack.one->cases; }},
      {"calls", "calls", kTally, &Lack::calls},
      {"calls_percent", "of the\ncalls", kPercent, &Lack::of_calls},
  };
  if (options.to_do_rows == 0) {
    columns.emplace_back("function_names", "functions", kText, &Lack::function_names);
  } else {  // names give way before figures do: the notes have what shares are of
    for (Lack& one : rows) one.of_calls.total.reset();
  }
  return tabulate("missing-operators",
                  "What is missing: operators by the calls of the functions that they hold back", rows,
                  columns)
      .note(notes)
      .if_empty({findings.published ? findings.verdict_reason
                 : known            ? "no operator is named as missing"
                                    : "not read of this store"})
      .if_filled(
          {"raises: its function fails for want of it; host: it ran on the host; alone: nothing else is "
           "known to hold these functions back. A function counts for each of its operators; cases are "
           "core cases",
           source_note(options)});
}

std::vector<std::string> evidence_notes(const ResultSet& findings, const std::vector<std::size_t>& devices) {
  std::map<std::string, std::vector<std::string>> by_evidence;
  for (const Place& place : places(findings, devices)) {
    if (!place.evidence().empty())
      by_evidence[place.evidence()].push_back(place.label() + " on " + place.device());
  }
  std::vector<std::string> out;
  for (const auto& [evidence, where] : by_evidence) {
    out.push_back(fmt::format("evidence of what passes, {}: {}", join(where, ", "), evidence));
  }
  return out;
}

std::vector<std::size_t> asked_devices(const ResultSet& findings, const BeyondOptions& options) {
  if (options.choice.pair) return {options.choice.pair->first, options.choice.pair->second};
  return all_devices(findings);
}

std::vector<std::size_t> matrix_devices(const ResultSet& findings, const BeyondOptions& options) {
  std::vector<std::size_t> out = asked_devices(findings, options);
  if (options.choice.pair) return out;
  std::erase_if(out, [&](std::size_t device) {
    return std::none_of(findings.frameworks.begin(), findings.frameworks.end(),
                        [&](const FrameworkResult& one) { return one.totals[device].counts.has_value(); });
  });
  return out;
}

std::vector<Exhibit> drawn_beyond(const ResultSet& findings, const BeyondOptions& options) {
  if (options.summary == nullptr) return {};
  return {errors(findings, options.summary)};
}

std::vector<Exhibit> beyond_study(const ResultSet& findings, const BeyondOptions& options) {
  std::vector<Exhibit> out = {rates(findings, options.summary),        errors(findings, options.summary),
                              sample_rates(findings, options.summary), trend(findings, options),
                              calls_weighted(findings, options),       to_do(findings, options),
                              missing_operators(findings, options)};
  for (const auto part : {time_exhibits, matrix_exhibits}) {
    for (Exhibit& one : part(findings, options)) out.push_back(std::move(one));
  }
  return out;
}

}  // namespace seamark::analysis
