// Matrices by dtype and by category, and how the frameworks' functions go together.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "seamark/analysis/association.h"
#include "seamark/analysis/beyond.h"
#include "seamark/model/verdict.h"

namespace seamark::analysis {

namespace {

std::vector<ExhibitColumn> device_columns(const ResultSet& findings, const std::vector<std::size_t>& devices,
                                          const char* row) {
  std::vector<ExhibitColumn> out = {beyond_text("framework"), beyond_text(row)};
  for (const std::size_t device : devices) {
    out.push_back(
        {findings.devices[device].key + "_percent", findings.devices[device].label, Unit::kPercent});
  }
  return out;
}

void add_notes(Exhibit& out, std::vector<std::string> notes) {
  for (std::string& note : notes) out.notes.push_back(std::move(note));
}

// --- dtypes

struct Ran {
  std::int64_t pass = 0;
  std::int64_t total = 0;
};

// By dtype, then by the summary's target.
using ByDtype = std::map<std::string, std::vector<Ran>>;

ByDtype count_dtypes(const Summary& summary, const std::string& framework) {
  ByDtype out;
  for (const FunctionRow& function : summary.functions) {
    if (function.framework != framework) continue;
    for (const CaseRow& one : function.cases) {
      std::vector<Ran>& ran = out[one.dtype];
      ran.resize(summary.targets.size());
      for (std::size_t t = 0; t < one.cells.size(); ++t) {
        const CaseCell& cell = one.cells[t];
        if (!was_run(cell.outcome) || cell.fails_on_reference || cell.unanswered) continue;
        ++ran[t].total;
        ran[t].pass += cell.outcome == Outcome::kPass;
      }
    }
  }
  return out;
}

std::optional<std::size_t> target_on(const Summary& summary, const std::string& name) {
  for (std::size_t t = 0; t < summary.targets.size(); ++t) {
    if (summary.targets[t].target == name) return t;
  }
  return std::nullopt;
}

Exhibit dtypes(const ResultSet& findings, const BeyondOptions& options) {
  const std::vector<std::size_t> devices = matrix_devices(findings, options);
  Exhibit out{"dtypes",    "Cases that run, by dtype", device_columns(findings, devices, "dtype"), {}, {},
              Chart::kNone};
  if (options.summary == nullptr) {
    out.notes.emplace_back("not published: the study tells no dtypes");
    return out;
  }
  for (const FrameworkResult& framework : findings.frameworks) {
    for (const auto& [dtype, ran] : count_dtypes(*options.summary, framework.name)) {
      std::vector<Datum> row = {Datum::of(framework.label), Datum::of(dtype.empty() ? "none" : dtype)};
      bool any = false;
      for (const std::size_t device : devices) {
        const auto t = target_on(*options.summary, framework.name + "/" + findings.devices[device].key);
        if (!t) {
          row.push_back(Datum::none(Unit::kPercent, "no such target in the run"));
          continue;
        }
        row.push_back(Datum::share(ran[*t].pass, ran[*t].total));
        any = any || ran[*t].total > 0;
      }
      if (any) out.rows.push_back(std::move(row));
    }
  }
  if (out.rows.empty()) out.notes.emplace_back("nothing ran");
  out.notes.emplace_back(
      "of all cases that were run, without those that fail the same way on the reference and those whose "
      "failure says nothing of the device");
  add_notes(out, evidence_notes(findings, devices));
  return out;
}

// --- categories

Exhibit categories(const ResultSet& findings, const BeyondOptions& options) {
  const std::vector<std::size_t> devices = matrix_devices(findings, options);
  Exhibit out{"categories",
              "Functions that fail, partly or completely, by category: percent of those that were run",
              device_columns(findings, devices, "category"),
              {},
              {},
              Chart::kNone};
  for (const FrameworkResult& framework : findings.frameworks) {
    std::set<Category> seen;
    for (const std::size_t device : devices) {
      for (const auto& [category, functions] : framework.totals[device].categories) seen.insert(category);
    }
    for (const Category category : seen) {
      std::vector<Datum> row = {Datum::of(framework.label), Datum::of(std::string(name_of(category)))};
      for (const std::size_t device : devices) {
        const TotalsResult& totals = framework.totals[device];
        if (!totals.counts || !totals.categories_known) {
          row.push_back(Datum::none(Unit::kPercent, findings.published ? "not published" : "nothing ran"));
          continue;
        }
        const auto at = std::find_if(totals.categories.begin(), totals.categories.end(),
                                     [&](const auto& one) { return one.first == category; });
        row.push_back(Datum::share(at == totals.categories.end() ? 0 : at->second, totals.counts->total()));
      }
      out.rows.push_back(std::move(row));
    }
  }
  if (out.rows.empty()) out.notes.emplace_back(why_no_failures(findings, asked_devices(findings, options)));
  add_notes(out, evidence_notes(findings, devices));
  return out;
}

// --- correlation

// The last part of a name, as frameworks share it: TensorFlow's reductions are called reduce_sum.
std::string shared_name(std::string_view name) {
  std::string_view last = name.substr(name.rfind('.') + 1);
  constexpr std::string_view kReduce = "reduce_";
  if (last.starts_with(kReduce)) last.remove_prefix(kReduce.size());
  return std::string(last);
}

// Functions by shared name; those whose name another function of the framework shares are left out.
std::map<std::string, const FunctionResult*> by_shared_name(const FrameworkResult& framework) {
  std::map<std::string, const FunctionResult*> out;
  std::set<std::string> twice;
  for (const FunctionResult& function : framework.functions) {
    const std::string name = shared_name(function.name);
    if (!out.emplace(name, &function).second) twice.insert(name);
  }
  for (const std::string& name : twice) out.erase(name);
  return out;
}

struct Matched {
  std::vector<double> x;
  std::vector<double> y;
};

template <typename Measure>
Matched matched(const FrameworkResult& a, const FrameworkResult& b, Measure measure) {
  const auto others = by_shared_name(b);
  Matched out;
  for (const auto& [name, function] : by_shared_name(a)) {
    const auto at = others.find(name);
    if (at == others.end()) continue;
    const std::optional<double> x = measure(*function);
    const std::optional<double> y = measure(*at->second);
    if (!x || !y) continue;
    out.x.push_back(*x);
    out.y.push_back(*y);
  }
  return out;
}

// Of a handful of pairs a probability would say more than is known.
Datum probability(const Correlation& found) {
  constexpr std::int64_t kFewest = 10;
  if (found.value && found.pairs < kFewest) return Datum::none(Unit::kNumber, "p of fewer than 10 pairs");
  return Datum::of(Unit::kNumber, Measured{found.p, found.reason});
}

Datum coefficient(const Correlation& found) {
  Datum out = Datum::of(Unit::kNumber, Measured{found.value, found.reason});
  out.interval = found.interval;
  return out;
}

void add_row(Exhibit& out, std::string what, std::string evidence, const FrameworkResult& a,
             const FrameworkResult& b, const Matched& pairs) {
  if (pairs.x.empty()) return;
  const Correlation tau = kendall(pairs.x, pairs.y);
  const Correlation rho = spearman_test(pairs.x, pairs.y);
  out.rows.push_back({Datum::of(std::move(what)), Datum::of(std::move(evidence)),
                      Datum::of(a.label + ", " + b.label),
                      Datum::of(Unit::kCount, static_cast<double>(tau.pairs)), coefficient(tau),
                      probability(tau), coefficient(rho), probability(rho)});
}

std::string both_evidence(const FrameworkResult& a, const FrameworkResult& b, std::size_t device) {
  const std::string& x = a.totals[device].evidence;
  const std::string& y = b.totals[device].evidence;
  return x == y ? x : x + "; " + y;
}

void add_correlations(Exhibit& out, const ResultSet& findings, const BeyondOptions& options,
                      const FrameworkResult& a, const FrameworkResult& b) {
  const auto pair = options.choice.pair ? options.choice.pair : findings.main_pair;
  if (pair) {
    const auto ratio = [&](const FunctionResult& function) -> std::optional<double> {
      const std::vector<PairTime> time = pair_times({function}, pair->first, pair->second);
      return time.empty() ? std::nullopt : std::optional(time.front().ratio());
    };
    add_row(out,
            fmt::format("ratio {} / {}", findings.devices[pair->second].label,
                        findings.devices[pair->first].label),
            both_evidence(a, b, pair->second), a, b, matched(a, b, ratio));
  }
  for (const std::size_t device : matrix_devices(findings, options)) {
    const auto failure = [&](const FunctionResult& function) -> std::optional<double> {
      const Found& found = function.on[device];
      if (!found.tested) return std::nullopt;
      return found.verdict == Verdict::kPass ? 0 : 1;
    };
    add_row(out, "failure on " + findings.devices[device].label, both_evidence(a, b, device), a, b,
            matched(a, b, failure));
  }
}

Exhibit correlation(const ResultSet& findings, const BeyondOptions& options) {
  Exhibit out{"correlation",
              "Do the same functions fare alike in two frameworks?",
              {beyond_text("what"),
               beyond_text("evidence"),
               beyond_text("frameworks"),
               {"pairs", "pairs", Unit::kCount},
               {"tau_b", "tau-b", Unit::kNumber},
               {"tau_b_p", "p", Unit::kNumber},
               {"spearman", "Spearman", Unit::kNumber},
               {"spearman_p", "p", Unit::kNumber}},
              {},
              {},
              Chart::kNone};
  for (std::size_t i = 0; i < findings.frameworks.size(); ++i) {
    for (std::size_t j = i + 1; j < findings.frameworks.size(); ++j) {
      add_correlations(out, findings, options, findings.frameworks[i], findings.frameworks[j]);
    }
  }
  if (out.rows.empty()) {
    out.notes.emplace_back(findings.frameworks.size() < 2
                               ? "there is one framework alone"
                               : "no function of one framework has its like in another");
    return out;
  }
  out.notes.emplace_back(
      "pairs: functions of both frameworks whose last name is the same (torch.sin, jax.numpy.sin; reduce_ "
      "left out), "
      "where one function alone of each bears it");
  out.notes.emplace_back(
      "a failure is 0 or 1: tau-b is then the phi coefficient; below some twenty pairs p and intervals are "
      "rough");
  return out;
}

}  // namespace

std::vector<Exhibit> matrix_exhibits(const ResultSet& findings, const BeyondOptions& options) {
  std::vector<Exhibit> out;
  out.push_back(dtypes(findings, options));
  out.push_back(categories(findings, options));
  out.push_back(correlation(findings, options));
  return out;
}

}  // namespace seamark::analysis
