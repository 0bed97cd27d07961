// What the page's scripts read (declared in html_parts.h). Texts are plain, numbers have three digits.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "seamark/analysis/dtype_verdict.h"
#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/report/build/declared_parts.h"
#include "seamark/report/build/run_report.h"
#include "seamark/report/page/html_page.h"
#include "seamark/report/page/html_parts.h"
#include "seamark/report/page/html_text.h"

namespace seamark::report::html {

using analysis::CaseCell;
using analysis::CaseRow;
using analysis::FunctionCell;
using analysis::FunctionRow;
using analysis::Measured;
using analysis::Summary;
using analysis::TargetRow;

namespace {

constexpr std::size_t kChunk = 64;

// Bits of a function's cell and of a case's; page/model.js has them too.
constexpr int kFlaky = 1;
constexpr int kSlowWarm = 2;
constexpr int kSlowCold = 4;
constexpr int kOnHost = 8;
constexpr int kOnDevice = 16;
constexpr int kFailsOnReference = 32;
constexpr int kUnconfirmed = 64;
constexpr int kNoisy = 128;
constexpr int kUnanswered = 256;
constexpr int kNoDeviceWork = 512;

// Each value once; others say its place.
class Places {
 public:
  int of(Value value) {
    const auto [at, added] = places_.emplace(dump_json(value), static_cast<int>(places_.size()));
    if (added) list_.push(std::move(value));
    return at->second;
  }
  [[nodiscard]] Value list() const { return list_; }

 private:
  std::map<std::string, int> places_;
  Value list_ = Value::Array{};
};

Value number(double value) {
  if (!std::isfinite(value)) return {};
  return parse_double(fmt::format("{:.3g}", value)).value_or(0);
}

Value number(const Measured& measured) { return measured.value ? number(*measured.value) : Value(); }

std::array<Value, 2> ends(const std::optional<analysis::Interval>& interval) {
  if (!interval) return {};
  return {number(interval->low), number(interval->high)};
}

// --- the index

struct Names {
  Places categories;
  Places levels;
  Places dtypes;
};

// The dtypes of the failing cases of a function on a target.
Value failing_dtypes(const FunctionRow& function, std::size_t t, Names& names) {
  std::vector<bool> seen;
  Value out = Value::Array{};
  for (const CaseRow& row : function.cases) {
    if (row.dtype.empty() || !case_failed(row.cells[t])) continue;
    const auto place = static_cast<std::size_t>(names.dtypes.of(one_line(row.dtype)));
    if (seen.size() <= place) seen.resize(place + 1);
    if (!seen[place]) out.push(static_cast<int>(place));
    seen[place] = true;
  }
  return out;
}

int flags_of(const FunctionCell& cell) {
  int flags = cell.flaky ? kFlaky : 0;
  if (cell.slow_warm) flags |= kSlowWarm;
  if (cell.slow_cold) flags |= kSlowCold;
  if (cell.on_device) flags |= *cell.on_device ? kOnDevice : kOnHost;
  if (cell.fails_on_reference) flags |= kFailsOnReference;
  if (cell.no_device_work && cell.verdict != Verdict::kNotRun) flags |= kNoDeviceWork;
  return flags;
}

// 0, or standing, level and category (-1: none), flags, warm seconds, ratio, dtypes that fail; of a partial
// pass also the core cases that passed, and all of them.
Value index_cell(const FunctionRow& function, std::size_t t, const Summary& summary, Names& names) {
  const FunctionCell& cell = function.cells[t];
  const CellStatus standing = standing_of(cell);
  if (standing == CellStatus::kNotPlanned) return 0;
  const FunctionTimes times = times_of(function, t, summary);
  Value out = Value::Array{static_cast<int>(standing),
                           cell.core_passed > 0 ? names.levels.of(std::string(name_of(cell.evidence))) : -1,
                           cell.category ? names.categories.of(std::string(name_of(*cell.category))) : -1,
                           flags_of(cell),
                           number(times.warm_s),
                           number(times.warm_ratio),
                           failing_dtypes(function, t, names)};
  if (standing == CellStatus::kPartial) {
    out.push(cell.core_passed);
    out.push(cell.core_cases);
  }
  while (out.as_array().back().is_null() ||
         (out.as_array().back().is_array() && out.as_array().back().as_array().empty())) {
    out.as_array().pop_back();
  }
  return out;
}

Value dtypes_of(const FunctionRow& function, Names& names) {
  std::map<int, bool> places;
  for (const CaseRow& row : function.cases) {
    if (!row.dtype.empty()) places[names.dtypes.of(one_line(row.dtype))] = true;
  }
  Value out = Value::Array{};
  for (const auto& [place, present] : places) out.push(place);
  return out;
}

// Per device that is declared for: its name, the data types that are named, those that are not.
Value declared_dtypes(const FunctionRow& function, const Summary& summary) {
  Value out = Value::Array{};
  for (const Declared& one : summary.declared) {
    const DeclaredFunction* found = find_declared(one, function.name);
    if (found == nullptr || found->dtypes.empty()) continue;
    std::string named;
    std::string missing;
    for (const std::string& dtype : found->dtypes)
      (named_in(*found, dtype) == true ? named : missing) += one_line(dtype) + " ";
    out.push(Value::Array{one_line(one.head.device), named, missing});
  }
  return out;
}

Value index_function(const FunctionRow& function, const Summary& summary,
                     const std::vector<std::string>& frameworks, const Uses& uses, Names& names) {
  Value out;
  const std::string shown = one_line(function.name);
  out.set("n", shown);
  if (anchor('f', function.name) != anchor('f', shown)) out.set("a", anchor('f', function.name));
  const auto framework = std::find(frameworks.begin(), frameworks.end(), function.framework);
  out.set("f", static_cast<int>(framework - frameworks.begin()));
  if (function.host_only) out.set("h", 1);
  if (const analysis::FunctionResult* use = uses.of(function); use != nullptr) {
    Value used = Value::Array{*use->calls, use->decile.value_or(0)};
    if (use->most_calls > *use->calls) used.as_array().emplace_back(use->most_calls);
    out.set("u", std::move(used));
  }
  out.set("d", dtypes_of(function, names));
  if (Value declared = declared_dtypes(function, summary); !declared.as_array().empty())
    out.set("dd", std::move(declared));
  Value cells = Value::Array{};
  for (const std::size_t t : targets_of(function.framework, summary)) {
    cells.push(index_cell(function, t, summary, names));
  }
  out.set("c", std::move(cells));
  return out;
}

Value index_target(const TargetRow& target, const std::vector<std::string>& frameworks) {
  const auto framework = std::find(frameworks.begin(), frameworks.end(), target.framework);
  Value out;
  out.set("name", one_line(target.target));
  out.set("anchor", anchor('t', target.target));
  out.set("framework", static_cast<int>(framework - frameworks.begin()));
  out.set("baseline", one_line(target.baseline));
  out.set("compiled", target.compiled_only);
  return out;
}

std::string index(const Summary& summary, const Uses& uses) {
  const std::vector<std::string> frameworks = frameworks_of(summary);
  Names names;
  Value functions = Value::Array{};
  for (const FunctionRow& function : summary.functions) {
    functions.push(index_function(function, summary, frameworks, uses, names));
  }
  Value targets = Value::Array{};
  for (const TargetRow& target : summary.targets) targets.push(index_target(target, frameworks));
  Value words = Value::Array{};
  for (const std::string& framework : frameworks) words.push(one_line(framework));
  Value out;
  out.set("schema", "seamark-page/1");
  out.set("chunk", static_cast<int>(kChunk));
  out.set("frameworks", std::move(words));
  out.set("targets", std::move(targets));
  out.set("categories", names.categories.list());
  out.set("levels", names.levels.list());
  out.set("dtypes", names.dtypes.list());
  Value order = Value::Array{};
  for (const std::string_view dtype : analysis::dtype_order()) order.push(std::string(dtype));
  out.set("dtype_order", std::move(order));
  out.set("functions", std::move(functions));
  return data_element("seamark-index", dump_json(out));
}

// --- the cases

int flags_of(const CaseCell& cell) {
  int flags = cell.warm && cell.warm->slow ? kSlowWarm : 0;
  if (cell.cold && cell.cold->slow) flags |= kSlowCold;
  if (cell.placement == Where::kHost) flags |= kOnHost;
  if (cell.placement == Where::kDevice) flags |= kOnDevice;
  if (cell.fails_on_reference) flags |= kFailsOnReference;
  if (cell.unanswered) flags |= kUnanswered;
  if (cell.unconfirmed) flags |= kUnconfirmed;
  if (cell.no_device_work || cell.placement == Where::kNone) flags |= kNoDeviceWork;
  if (cell.times->unstable) flags |= kNoisy;
  return flags;
}

// All of a case's cell that is words; most cells of a part share theirs with others.
Value words_of(const CaseCell& cell, const TargetRow& target) {
  const bool passes = cell.outcome == Outcome::kPass;
  const bool failed = case_failed(cell);
  Value words = Value::Array{passes && target.compiled_only ? "compiles" : outcome_text(cell),
                             look_of(cell).css,
                             passes ? std::string(name_of(cell.evidence)) : std::string(),
                             std::string(cell.category ? name_of(*cell.category) : std::string_view()),
                             one_line(cell.error->type),
                             plain_text(cell.error->message),
                             plain_text(cell.reason),
                             failed ? one_line(cell.error->rule) : std::string(),
                             failed ? one_line(cell.error->confirmed_by) : std::string(),
                             failed ? one_line(cell.error->failing_call) : std::string()};
  while (words.as_array().back().as_string().empty()) words.as_array().pop_back();
  return words;
}

// 0, or words (a place), flags, cold, warm, its interval and number, ratio, its interval.
Value case_cell(const CaseCell& cell, const TargetRow& target, Places& words) {
  if (!cell.planned) return 0;
  const auto warm = ends(cell.times->warm_interval);
  const auto ratio = ends(cell.warm ? cell.warm->interval : std::nullopt);
  Value out = Value::Array{words.of(words_of(cell, target)),
                           flags_of(cell),
                           number(cell.times->cold_s),
                           number(cell.times->warm_s),
                           warm[0],
                           warm[1],
                           cell.times->warm_n > 0 ? Value(cell.times->warm_n) : Value(),
                           cell.warm ? number(cell.warm->ratio) : Value(),
                           ratio[0],
                           ratio[1]};
  while (out.as_array().back().is_null()) out.as_array().pop_back();
  return out;
}

// Name (with a leading / where the function's stands in front), dtype, shape, suite, bits (core, gradient),
// cells.
Value case_row(const CaseRow& row, const FunctionRow& function, const Summary& summary, Places& texts,
               Places& words) {
  const std::string whole = one_line(row.name);
  const std::string part = case_part(row.name, function.name);
  Value cells = Value::Array{};
  for (const std::size_t t : targets_of(function.framework, summary)) {
    cells.push(case_cell(row.cells[t], summary.targets[t], words));
  }
  return Value::Array{part == whole ? whole : "/" + part,      texts.of(one_line(row.dtype)),
                      texts.of(one_line(row.shape)),           texts.of(one_line(row.suite)),
                      (row.core ? 1 : 0) | (row.grad ? 2 : 0), std::move(cells)};
}

std::string chunk(const Summary& summary, std::size_t first) {
  Places texts;
  Places words;
  Value functions = Value::Array{};
  for (std::size_t i = first; i < std::min(first + kChunk, summary.functions.size()); ++i) {
    Value cases = Value::Array{};
    for (const CaseRow& row : summary.functions[i].cases) {
      cases.push(case_row(row, summary.functions[i], summary, texts, words));
    }
    functions.push(std::move(cases));
  }
  Value out;
  out.set("texts", texts.list());
  out.set("words", words.list());
  out.set("functions", std::move(functions));
  return data_element(fmt::format("seamark-cases-{}", first / kChunk), dump_json(out));
}

}  // namespace

std::string page_data(const Summary& summary, const Uses& uses) {
  std::string out = index(summary, uses);
  for (std::size_t first = 0; first < summary.functions.size(); first += kChunk) {
    out += chunk(summary, first);
  }
  return out;
}

}  // namespace seamark::report::html
