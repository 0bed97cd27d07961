#include "seamark/report/render/json_report.h"

#include <string>

#include "seamark/analysis/dtype_verdict.h"
#include "seamark/report/build/declared_parts.h"
#include "seamark/report/build/derive.h"
#include "seamark/report/build/estimate_report.h"
#include "seamark/report/build/sample_report.h"
#include "seamark/report/render/data_parts.h"
#include "seamark/report/render/json_parts.h"

namespace seamark::report {

using analysis::Ratio;
using analysis::Summary;
using json::flag;
using json::interval;
using json::name_or_null;
using json::number;
using json::put;
using json::rate;
using json::strings;
using Object = Value::Object;
using Array = Value::Array;

namespace {

Value ratio(const std::optional<Ratio>& from) {
  if (!from) return {};
  Object object{{"value", number(from->ratio)},
                {"interval", interval(from->interval)},
                {"interval_reason", from->interval ? Value() : text_or_null(from->interval_reason)},
                {"target_s", number(from->target_s)},
                {"baseline_s", number(from->baseline_s)},
                {"target_n", Value(from->target_n)},
                {"baseline_n", Value(from->baseline_n)},
                {"slow", Value(from->slow)},
                {"noisy", Value(from->noisy)}};
  return Value(std::move(object));
}

Value run_value(const analysis::RunFacts& run) {
  const store::RunInfo& info = run.info;
  Object object{{"id", Value(info.uuid)},
                {"state", Value(store::name_of(info.state))},
                {"state_reason", text_or_null(info.state_reason)},
                {"command", Value(info.command)},
                {"seed", Value(info.seed)},
                {"protocol", Value(info.protocol)},
                {"started", text_or_null(iso_text(info.started_unix_us))},
                {"ended", info.ended_unix_us ? text_or_null(iso_text(*info.ended_unix_us)) : Value()}};
  put(object, "wall_s", {info.wall_s, "the run has not ended"});
  put(object, "cpu_s", {info.cpu_s, "not measured"});
  object.emplace_back("placement_proof", Value(info.proof));
  object.emplace_back("reference_check", Value(info.reference));
  object.emplace_back("subset", text_or_null(info.subset_note));
  object.emplace_back("full_command", text_or_null(info.full_command));
  object.emplace_back("planned", Value(run.planned));
  object.emplace_back("attempted", Value(run.attempted));
  object.emplace_back("host", info.host);
  object.emplace_back("versions", info.versions);
  object.emplace_back("options", info.options);
  return Value(std::move(object));
}

Value function_counts(const analysis::FunctionCounts& counts) {
  return Value(Object{{"functions", Value(counts.functions)},
                      {"pass", Value(counts.pass)},
                      {"partial", Value(counts.partial)},
                      {"fail", Value(counts.fail)},
                      {"not_run", Value(counts.not_run)},
                      {"fails_on_reference", Value(counts.fails_on_reference)},
                      {"unanswered", Value(counts.unanswered)},
                      {"unchecked", Value(counts.unchecked)},
                      {"no_device_work", Value(counts.no_device_work)},
                      {"cases_only", Value(counts.cases_only)},
                      {"uncorrected_pass", Value(counts.uncorrected_pass)},
                      {"uncorrected_partial", Value(counts.uncorrected_partial)},
                      {"uncorrected_fail", Value(counts.uncorrected_fail)},
                      {"flaky", Value(counts.flaky)},
                      {"default_precision", Value(counts.default_precision)},
                      {"slow_warm", Value(counts.slow_warm)},
                      {"slow_cold", Value(counts.slow_cold)},
                      {"placement_unproven", Value(counts.placement_unproven)},
                      {"runs", rate(counts.runs)},
                      {"runs_uncorrected", rate(counts.runs_uncorrected)},
                      {"runs_on_device", rate(counts.runs_on_device)}});
}

Value kind_counts(const analysis::KindCounts& counts) {
  return Value(Object{{"pass", Value(counts.pass)},
                      {"partial", Value(counts.partial)},
                      {"fail", Value(counts.fail)},
                      {"runs", rate(counts.runs)}});
}

Value case_counts(const analysis::CaseCounts& counts) {
  return Value(Object{{"planned", Value(counts.planned)},
                      {"pass", Value(counts.pass)},
                      {"fail", Value(counts.fail)},
                      {"timeout", Value(counts.timeout)},
                      {"crash", Value(counts.crash)},
                      {"flaky", Value(counts.flaky)},
                      {"skip", Value(counts.skip)},
                      {"error", Value(counts.error)},
                      {"not_attempted", Value(counts.not_attempted)},
                      {"fails_on_reference", Value(counts.fails_on_reference)},
                      {"unanswered", Value(counts.unanswered)},
                      {"unchecked", Value(counts.unchecked)},
                      {"no_device_work", Value(counts.no_device_work)},
                      {"default_precision", Value(counts.default_precision)},
                      {"placed_device", Value(counts.placed_device)},
                      {"placed_host", Value(counts.placed_host)},
                      {"placed_unknown", Value(counts.placed_unknown)},
                      {"placed_none", Value(counts.placed_none)},
                      {"runs", rate(counts.runs)},
                      {"runs_uncorrected", rate(counts.runs_uncorrected)},
                      {"runs_on_device", rate(counts.runs_on_device)}});
}

Value target_value(const analysis::TargetRow& target) {
  Object evidence;
  for (const analysis::EvidenceCount& count : target.evidence) {
    evidence.emplace_back(std::string(name_of(count.evidence)), Value(count.cases));
  }
  Object object{{"target", Value(target.target)},
                {"framework", Value(target.framework)},
                {"framework_versions", strings(target.framework_versions)},
                {"device_name", text_or_null(target.device_name)},
                {"worker_mode", Value(name_of(target.mode))},
                {"usable", Value(target.usable)},
                {"unusable_reason", text_or_null(target.reason)},
                {"remedy", text_or_null(target.remedy)},
                {"environment_hash", text_or_null(target.environment_hash)},
                {"baseline", text_or_null(target.baseline)},
                {"reference", text_or_null(target.reference)},
                {"reference_note", text_or_null(target.reference_note)},
                {"ran", Value(target.ran)},
                {"compiled_only", Value(target.compiled_only)},
                {"evidence", Value(std::move(evidence))},
                {"functions", function_counts(target.all)},
                {"functions_with_device_work", function_counts(target.with_device_work)},
                {"forward", kind_counts(target.forward)},
                {"gradient", kind_counts(target.gradient)},
                {"cases", case_counts(target.cases)},
                {"core_cases", case_counts(target.core_cases)},
                {"ratios_warm", Value(target.ratios_warm)},
                {"ratios_cold", Value(target.ratios_cold)}};
  put(object, "median_ratio_warm", target.median_ratio_warm);
  put(object, "median_ratio_cold", target.median_ratio_cold);
  object.emplace_back("median_ratio_warm_interval", interval(target.median_ratio_warm_interval));
  object.emplace_back("median_ratio_cold_interval", interval(target.median_ratio_cold_interval));
  object.emplace_back("flips", rate(target.flips));
  object.emplace_back("timing_failures", Value(target.timing_failures));
  put(object, "cpu_s", target.cpu_s);
  object.emplace_back("wall_s", number(target.wall_s));
  object.emplace_back("device", text_or_null(target.device));
  object.emplace_back("compilers", strings(target.compilers));
  return Value(std::move(object));
}

Value cell_value(const analysis::CaseCell& cell, const analysis::TargetRow& target) {
  Object object{{"target", Value(target.target)},
                {"outcome", name_or_null(cell.outcome)},
                {"evidence", cell.outcome ? Value(name_of(cell.evidence)) : Value()},
                {"category", name_or_null(cell.category)},
                {"rule", text_or_null(cell.error->rule)},
                {"reason", text_or_null(cell.reason)},
                {"type", text_or_null(cell.error->type)},
                {"message", text_or_null(cell.error->message)},
                {"confirmed_by", text_or_null(cell.error->confirmed_by)},
                {"failing_call", text_or_null(cell.error->failing_call)},
                {"unconfirmed", Value(cell.unconfirmed)},
                {"fails_on_reference", Value(cell.fails_on_reference)},
                {"unanswered", Value(cell.unanswered)},
                {"unchecked", Value(cell.unchecked)},
                {"no_device_work", Value(cell.no_device_work)},
                {"fallback", flag(fell_back(cell.placement))}};
  put(object, "cold_s", cell.times->cold_s);
  object.emplace_back("cold_kind", text_or_null(cell.times->cold_kind));
  put(object, "warm_s", cell.times->warm_s);
  object.emplace_back("warm_interval", interval(cell.times->warm_interval));
  object.emplace_back("warm_n", Value(cell.times->warm_n));
  object.emplace_back("unstable", Value(cell.times->unstable));
  object.emplace_back("cold_ratio", ratio(cell.cold));
  object.emplace_back("warm_ratio", ratio(cell.warm));
  object.emplace_back("attempts", Value(cell.attempts));
  object.emplace_back("estimated", estimate_json(cell.estimated));
  return Value(std::move(object));
}

Value case_value(const analysis::CaseRow& row, const Summary& summary) {
  Array cells;
  for (std::size_t t = 0; t < row.cells.size(); ++t) {
    if (row.cells[t].planned) cells.push_back(cell_value(row.cells[t], summary.targets[t]));
  }
  return Value(Object{{"name", Value(row.name)},
                      {"hash", Value(row.hash)},
                      {"suite", Value(row.suite)},
                      {"dtype", text_or_null(row.dtype)},
                      {"shape", text_or_null(row.shape)},
                      {"core", Value(row.core)},
                      {"host_only", Value(row.host_only)},
                      {"grad", Value(row.grad)},
                      {"targets", Value(std::move(cells))}});
}

Value dtypes_value(const std::vector<analysis::DtypeRow>& rows, std::size_t t) {
  Object dtypes;
  for (const analysis::DtypeRow& row : rows) {
    if (const auto& cell = row.cells[t]) {
      dtypes.emplace_back(row.dtype, Value(Object{{"verdict", Value(name_of(cell->verdict))},
                                                  {"passed", Value(cell->passed)},
                                                  {"cases", Value(cell->cases)}}));
    }
  }
  return Value(std::move(dtypes));
}

Value function_cell_value(const analysis::FunctionRow& function, std::size_t t, const Summary& summary,
                          const std::vector<analysis::DtypeRow>& dtypes) {
  const analysis::FunctionCell& cell = function.cells[t];
  const FunctionTimes times = times_of(function, t, summary);
  Object object{{"target", Value(summary.targets[t].target)},
                {"verdict", name_or_null(cell.verdict)},
                {"uncorrected_verdict", cell.cases_only ? Value() : Value(name_of(cell.uncorrected))},
                {"forward_verdict", name_or_null(cell.forward)},
                {"gradient_verdict", name_or_null(cell.gradient)},
                {"fails_on_reference", Value(cell.fails_on_reference)},
                {"unanswered", Value(cell.unanswered)},
                {"unchecked", Value(cell.unchecked)},
                {"no_device_work", Value(cell.no_device_work)},
                {"flaky", Value(cell.flaky)},
                {"default_precision", Value(cell.default_precision)},
                {"only_dtypes", text_or_null(cell.only_dtypes)},
                {"dtypes", dtypes_value(dtypes, t)},
                {"evidence", cell.core_passed > 0 ? Value(name_of(cell.evidence)) : Value()},
                {"on_device", flag(cell.on_device)},
                {"on_device_reason", text_or_null(on_device_reason(cell, summary.targets[t]))},
                {"category", name_or_null(cell.category)},
                {"slow_warm", times.warm_ratio_cases > 0 ? Value(cell.slow_warm) : Value()},
                {"slow_cold", times.cold_ratio_cases > 0 ? Value(cell.slow_cold) : Value()},
                {"core_cases", Value(cell.core_cases)},
                {"core_passed", Value(cell.core_passed)}};
  put(object, "warm_s", times.warm_s);
  put(object, "cold_s", times.cold_s);
  put(object, "warm_ratio", times.warm_ratio);
  return Value(std::move(object));
}

Value function_value(const analysis::FunctionRow& function, const Summary& summary) {
  const std::vector<analysis::DtypeRow> dtypes = analysis::dtypes_of(function);
  Array cells;
  for (std::size_t t = 0; t < function.cells.size(); ++t) {
    if (function.cells[t].planned) cells.push_back(function_cell_value(function, t, summary, dtypes));
  }
  Array cases;
  for (const analysis::CaseRow& row : function.cases) cases.push_back(case_value(row, summary));
  return Value(Object{{"name", Value(function.name)},
                      {"framework", Value(function.framework)},
                      {"host_only", Value(function.host_only)},
                      {"targets", Value(std::move(cells))},
                      {"cases", Value(std::move(cases))}});
}

Value category_value(const analysis::TargetCategories& target) {
  Array rows;
  for (const analysis::CategoryCount& count : target.categories) {
    rows.emplace_back(Object{{"category", Value(name_of(count.category))},
                             {"study_category", Value(study_name_of(count.category))},
                             {"functions", Value(count.functions)},
                             {"unanswered", Value(count.unanswered)},
                             {"cases", Value(count.cases)},
                             {"fails_on_reference", Value(count.fails_on_reference)},
                             {"examples", strings(count.examples)}});
  }
  return Value(Object{{"target", Value(target.target)}, {"categories", Value(std::move(rows))}});
}

Value ratio_rows(const std::vector<analysis::RatioRow>& rows) {
  Array array;
  for (const analysis::RatioRow& row : rows) {
    array.emplace_back(Object{{"function", Value(row.function)},
                              {"case", Value(row.case_name)},
                              {"kind", Value(row.kind)},
                              {"ratio", ratio(row.ratio)}});
  }
  return Value(std::move(array));
}

Value ratios_value(const analysis::TargetRatios& ratios) {
  return Value(Object{{"target", Value(ratios.target)},
                      {"baseline", Value(ratios.baseline)},
                      {"reason", text_or_null(ratios.reason)},
                      {"warm_slowest_first", ratio_rows(ratios.warm)},
                      {"warm_fastest_first", ratio_rows(ratios.warm_fastest)},
                      {"cold_slowest_first", ratio_rows(ratios.cold)},
                      {"cold_fastest_first", ratio_rows(ratios.cold_fastest)}});
}

Value noise_value(const analysis::NoiseFloor& floor) {
  Object object{{"target", Value(floor.target)}, {"cases", Value(floor.cases)}};
  put(object, "median", floor.median);
  put(object, "p95", floor.p95);
  return Value(std::move(object));
}

}  // namespace

std::string render_json(const Summary& summary, const RenderOptions& options) {
  Value top = headed_value("seamark-report/2", options);
  top.set("store", Object{{"file", Value(summary.store)}, {"schema_version", Value(summary.schema_version)}});
  top.set("choice", summary.choice).set("rules_version", summary.rules_version);
  top.set("slow", Object{{"factor", number(summary.slow_factor)}, {"floor_s", number(summary.slow_floor_s)}});
  top.set("runs", list_value(summary.runs, run_value));
  top.set("targets", list_value(summary.targets, target_value));
  top.set("categories", list_value(summary.categories, category_value));
  top.set("ratios", list_value(summary.ratios, ratios_value));
  top.set("noise", list_value(summary.noise, noise_value));
  top.set("declared", declared_value(summary.declared, &summary));
  top.set("estimates", estimates_json(summary));
  top.set("estimate_pairs", estimate_pairs_json(summary));
  top.set("sample", sample_value(summary));
  top.set("functions",
          list_value(summary.functions, [&](const auto& row) { return function_value(row, summary); }));
  return dump_json_pretty(top);
}

}  // namespace seamark::report
