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
#include "seamark/analysis/places.h"
#include "seamark/analysis/tabulate.h"
#include "seamark/model/verdict.h"

namespace seamark::analysis {

namespace {

// `cell` of each row's framework on each device. A row has a framework.
template <class Row, class Cell>
Exhibit matrix(const ResultSet& findings, const std::vector<std::size_t>& devices, std::string id,
               std::string title, const std::vector<Row>& rows, Column<Row> of, Cell cell) {
  Columns<Row> columns = {{"framework", [](const Row& one) { return one.framework->label; }}, std::move(of)};
  for (const std::size_t device : devices) {
    columns.emplace_back(findings.devices[device].key + "_percent", findings.devices[device].label, kPercent,
                         [&findings, device, cell](const Row& one) {
                           return cell(one, Place{&findings, one.framework, device});
                         });
  }
  return tabulate(std::move(id), std::move(title), rows, columns);
}

// --- dtypes

struct Ran {
  std::int64_t pass = 0;
  std::int64_t total = 0;
};

struct DtypeRow {
  const FrameworkResult* framework;
  std::string dtype;
  std::vector<Ran> ran;  // by the summary's target
};

std::vector<DtypeRow> count_dtypes(const ResultSet& findings, const Summary& summary) {
  std::vector<DtypeRow> out;
  for (const FrameworkResult& framework : findings.frameworks) {
    std::map<std::string, std::vector<Ran>> dtypes;
    for (const FunctionRow& function : summary.functions) {
      if (function.framework != framework.name) continue;
      for (const CaseRow& one : function.cases) {
        std::vector<Ran>& ran = dtypes[one.dtype];
        ran.resize(summary.targets.size());
        for (std::size_t t = 0; t < one.cells.size(); ++t) {
          const CaseCell& cell = one.cells[t];
          if (!was_run(cell.outcome) || cell.fails_on_reference || cell.unanswered || cell.unchecked)
            continue;
          ++ran[t].total;
          ran[t].pass += cell.outcome == Outcome::kPass;
        }
      }
    }
    for (auto& [dtype, ran] : dtypes)
      out.push_back({&framework, dtype.empty() ? "none" : dtype, std::move(ran)});
  }
  return out;
}

Exhibit dtypes(const ResultSet& findings, const BeyondOptions& options) {
  const Summary* summary = options.summary;
  const std::vector<std::size_t> devices = matrix_devices(findings, options);
  const auto cell = [&](const DtypeRow& row, const Place& place) {
    const auto at = std::find_if(summary->targets.begin(), summary->targets.end(),
                                 [&](const TargetRow& one) { return one.target == place.target(); });
    if (at == summary->targets.end()) return Datum::none(kPercent, "no such target in the run");
    const Ran& ran = row.ran[static_cast<std::size_t>(at - summary->targets.begin())];
    return Datum::share(ran.pass, ran.total);
  };
  Exhibit out = matrix(findings, devices, "dtypes", "Cases that run, by dtype",
                       summary == nullptr ? std::vector<DtypeRow>{} : count_dtypes(findings, *summary),
                       {"dtype", &DtypeRow::dtype}, cell)
                    .drop_empty_rows();
  if (summary == nullptr) return std::move(out).note({"not published: the study tells no dtypes"});
  return std::move(out)
      .if_empty({"nothing ran"})
      .note({"of all cases that were run, without those that fail the same way on the reference and those "
             "whose failure says nothing of the device"})
      .note(evidence_notes(findings, devices));
}

// --- categories

struct CategoryRow {
  const FrameworkResult* framework;
  Category category;
};

Datum category_share(const CategoryRow& row, const Place& place) {
  const TotalsResult& totals = place.totals();
  if (!totals.counts || !totals.categories_known)
    return Datum::none(kPercent, place.findings->published ? "not published" : "nothing ran");
  const auto at = std::find_if(totals.categories.begin(), totals.categories.end(),
                               [&](auto& one) { return one.first == row.category; });
  return Datum::share(at == totals.categories.end() ? 0 : at->second, totals.counts->total());
}

Exhibit categories(const ResultSet& findings, const BeyondOptions& options) {
  const std::vector<std::size_t> devices = matrix_devices(findings, options);
  std::vector<CategoryRow> rows;
  for (const FrameworkResult& framework : findings.frameworks) {
    std::set<Category> seen;
    for (const std::size_t device : devices) {
      for (const auto& [category, functions] : framework.totals[device].categories) seen.insert(category);
    }
    for (const Category category : seen) rows.push_back({&framework, category});
  }
  return matrix(findings, devices, "categories",
                "Functions that fail, partly or completely, by category: percent of those that were run",
                rows, {"category", [](auto& one) { return name_of(one.category); }}, category_share)
      .if_empty({why_no_failures(findings, asked_devices(findings, options))})
      .note(evidence_notes(findings, devices));
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

struct Likeness {
  std::string what;
  Place a;  // on the same device
  Place b;
  Correlation tau;
  Correlation rho;
  [[nodiscard]] std::string evidence() const {
    return a.evidence() == b.evidence() ? a.evidence() : a.evidence() + "; " + b.evidence();
  }
};

// Of the functions that both frameworks have, by what `measure` gives of both.
template <typename Of>
void add_likeness(std::vector<Likeness>& out, std::string what, const Place& a, const Place& b, Of measure) {
  const auto others = by_shared_name(*b.framework);
  std::vector<double> xs;
  std::vector<double> ys;
  for (const auto& [name, function] : by_shared_name(*a.framework)) {
    const auto other = others.find(name);
    if (other == others.end()) continue;
    const std::optional<double> x = measure(*function);
    const std::optional<double> y = measure(*other->second);
    if (!x || !y) continue;
    xs.push_back(*x);
    ys.push_back(*y);
  }
  if (!xs.empty()) out.push_back({std::move(what), a, b, kendall(xs, ys), spearman_test(xs, ys)});
}

std::vector<Likeness> likenesses(const ResultSet& findings, const BeyondOptions& options,
                                 const FrameworkResult& a, const FrameworkResult& b) {
  std::vector<Likeness> out;
  if (const auto pair = options.choice.pair_of(findings)) {
    const auto ratio = [&](const FunctionResult& function) -> std::optional<double> {
      const std::vector<PairTime> time = pair_times({function}, pair->first, pair->second);
      return time.empty() ? std::nullopt : std::optional(time.front().ratio());
    };
    const auto& [first, second] = *pair;
    add_likeness(out,
                 fmt::format("ratio {} / {}", findings.devices[second].label, findings.devices[first].label),
                 {&findings, &a, second}, {&findings, &b, second}, ratio);
  }
  for (const std::size_t device : matrix_devices(findings, options)) {
    const auto failure = [&](const FunctionResult& function) -> std::optional<double> {
      const Found& found = function.on[device];
      if (!found.tested) return std::nullopt;
      return found.verdict == Verdict::kPass ? 0 : 1;
    };
    add_likeness(out, "failure on " + findings.devices[device].label, {&findings, &a, device},
                 {&findings, &b, device}, failure);
  }
  return out;
}

Datum coefficient(const Correlation& found) {
  Datum out = Datum::of(kNumber, Measured{found.value, found.reason});
  out.interval = found.interval;
  return out;
}

// Of a handful of pairs a probability would say more than is known.
Datum probability(const Correlation& found) {
  constexpr std::int64_t kFewest = 10;
  if (found.value && found.pairs < kFewest) return Datum::none(kNumber, "p of fewer than 10 pairs");
  return Datum::of(kNumber, Measured{found.p, found.reason});
}

Exhibit correlation(const ResultSet& findings, const BeyondOptions& options) {
  const std::vector<FrameworkResult>& all = findings.frameworks;
  std::vector<Likeness> rows;
  for (auto a = all.begin(); a != all.end(); ++a) {
    for (auto b = a + 1; b != all.end(); ++b) {
      for (Likeness& one : likenesses(findings, options, *a, *b)) rows.push_back(std::move(one));
    }
  }
  const Columns<Likeness> columns = {
      {"what", &Likeness::what},
      {"evidence", &Likeness::evidence},
      {"frameworks", [](auto& one) { return one.a.label() + ", " + one.b.label(); }},
      {"pairs", "pairs", kCount, [](auto& one) { return one.tau.pairs; }},
      {"tau_b", "tau-b", kNumber, [](auto& one) { return coefficient(one.tau); }},
      {"tau_b_p", "p", kNumber, [](auto& one) { return probability(one.tau); }},
      {"spearman", "Spearman", kNumber, [](auto& one) { return coefficient(one.rho); }},
      {"spearman_p", "p", kNumber, [](auto& one) { return probability(one.rho); }},
  };
  return tabulate("correlation", "Do the same functions fare alike in two frameworks?", rows, columns)
      .if_empty({all.size() < 2 ? "there is one framework alone"
                                : "no function of one framework has its like in another"})
      .if_filled({"pairs: functions of both frameworks whose last name is the same (torch.sin, "
                  "jax.numpy.sin; reduce_ left out), where one function alone of each bears it",
                  "a failure is 0 or 1: tau-b is then the phi coefficient; below some twenty pairs p and "
                  "intervals are rough"});
}

}  // namespace

std::vector<Exhibit> matrix_exhibits(const ResultSet& findings, const BeyondOptions& options) {
  return {dtypes(findings, options), categories(findings, options), correlation(findings, options)};
}

}  // namespace seamark::analysis
