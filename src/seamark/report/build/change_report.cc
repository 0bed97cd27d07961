#include "seamark/report/build/change_report.h"

#include <fmt/format.h>

#include "seamark/base/text.h"
#include "seamark/report/build/change_text.h"
#include "seamark/report/document/document_formats.h"
#include "seamark/report/render/data_parts.h"
#include "seamark/report/render/json_parts.h"

namespace seamark::report {

using analysis::CaseCell;
using analysis::CaseDelta;
using analysis::Change;
using analysis::Comparison;
using analysis::PairDelta;

std::string render_changes(Format format, const Comparison& comparison, const RenderOptions& options) {
  switch (format) {
    case Format::kJson:
      return changes_json(comparison, options);
    case Format::kJunit:
      return junit_text(changes_findings(comparison));
    case Format::kSarif:
      return sarif_text(changes_findings(comparison), options);
    default:
      return render(format, "Comparison", changes_document(comparison, options), options);
  }
}

namespace {

using Array = Value::Array;
using Object = Value::Object;

Value counts_json(const analysis::StatusCounts& counts) {
  return Value(Object{{"added", Value(counts.added)},
                      {"dropped", Value(counts.dropped)},
                      {"changed", Value(counts.changed)},
                      {"unchanged", Value(counts.unchanged)},
                      {"not_compared", Value(counts.not_compared)}});
}

Value cell_json(const std::optional<CaseCell>& cell) {
  if (!cell) return {};
  const bool passes = cell->outcome == Outcome::kPass;
  return Value(Object{{"outcome", json::name_or_null(cell->outcome)},
                      {"evidence", passes ? Value(name_of(cell->evidence)) : Value()},
                      {"category", json::name_or_null(cell->category)},
                      {"rule", text_or_null(cell->error->rule)},
                      {"type", text_or_null(cell->error->type)},
                      {"message", text_or_null(cell->error->message)},
                      {"reason", text_or_null(cell->reason)},
                      {"fails_on_reference", Value(cell->fails_on_reference)},
                      {"unconfirmed", Value(cell->unconfirmed)},
                      {"warm_s", json::number(cell->times->warm_s.value)},
                      {"cold_s", json::number(cell->times->cold_s.value)}});
}

Value ratio_json(const std::optional<analysis::Ratio>& ratio) {
  if (!ratio) return {};
  return Value(Object{{"value", json::number(ratio->ratio)},
                      {"interval", json::interval(ratio->interval)},
                      {"interval_reason", text_or_null(ratio->interval_reason)},
                      {"before_s", json::number(ratio->baseline_s)},
                      {"after_s", json::number(ratio->target_s)},
                      {"before_n", Value(ratio->baseline_n)},
                      {"after_n", Value(ratio->target_n)},
                      {"unstable", Value(ratio->noisy)}});
}

Value overall_json(const analysis::Overall& overall) {
  Object object;
  json::put(object, "median", overall.median);
  object.emplace_back("interval", json::interval(overall.interval));
  object.emplace_back(overall.of_functions ? "functions" : "cases", Value(overall.cases));
  return Value(std::move(object));
}

Value change_json(const Change& change, const PairDelta* pair) {
  const bool timed = change.ratio.has_value();
  return Value(
      Object{{"kind", Value(name_of(change.kind))},
             {"finding", Value(change.finding)},
             {"target", Value(change.target)},
             {"function", text_or_null(change.function)},
             {"case", text_or_null(change.case_name)},
             {"clock", timed ? Value(change.clock == analysis::Clock::kWarm ? "warm" : "cold") : Value()},
             {"ratio", ratio_json(change.ratio)},
             {"text", Value(statement_of(change, pair, Glyphs::of(true)))},
             {"expected", Value(change.expected)},
             {"expected_reason", text_or_null(change.expected_comment)}});
}

Value changes_json_of(const std::vector<Change>& changes, const PairDelta* pair) {
  Array array;
  for (const Change& change : changes) array.push_back(change_json(change, pair));
  return Value(std::move(array));
}

Value functions_json(const PairDelta& pair) {
  Array functions;
  std::size_t at = 0;
  for (std::size_t f = 0; f < pair.functions.size(); ++f) {
    const analysis::FunctionDelta& function = pair.functions[f];
    Array cases;
    for (; at < pair.cases.size() && pair.cases[at].function == f; ++at) {
      const CaseDelta& one = pair.cases[at];
      cases.emplace_back(Object{{"name", Value(one.name)},
                                {"suite", Value(one.suite)},
                                {"core", Value(one.core)},
                                {"presence", Value(name_of(one.presence))},
                                {"changed", Value(one.changed)},
                                {"not_compared", text_or_null(one.not_compared)},
                                {"expected", Value(one.expected)},
                                {"before", cell_json(one.before)},
                                {"after", cell_json(one.after)},
                                {"warm", ratio_json(one.warm)},
                                {"cold", ratio_json(one.cold)}});
    }
    functions.emplace_back(Object{{"name", Value(function.name)},
                                  {"framework", Value(function.framework)},
                                  {"host_only", Value(function.host_only)},
                                  {"status", Value(name_of(function.status))},
                                  {"verdict_before", json::name_or_null(function.before)},
                                  {"verdict_after", json::name_or_null(function.after)},
                                  {"cases", Value(std::move(cases))}});
  }
  return Value(std::move(functions));
}

Value target_json(const analysis::TargetRow& row) {
  return Value(Object{{"target", Value(row.target)},
                      {"framework_versions", json::strings(row.framework_versions)},
                      {"device_name", text_or_null(row.device_name)},
                      {"compiled_only", Value(row.compiled_only)}});
}

Value pair_json(const PairDelta& pair) {
  Array reasons;
  for (const analysis::ReasonCount& one : pair.not_compared) {
    reasons.emplace_back(Object{{"reason", Value(one.reason)}, {"cases", Value(one.cases)}});
  }
  return Value(Object{{"before", target_json(pair.before)},
                      {"after", target_json(pair.after)},
                      {"noise_floor", Value(Object{{"factor", json::number(pair.floor.value)},
                                                   {"source", Value(pair.floor.source)}})},
                      {"warm", overall_json(pair.warm)},
                      {"cold", overall_json(pair.cold)},
                      {"unstable", Value(pair.unstable)},
                      {"functions_by_status", counts_json(pair.function_counts)},
                      {"cases_by_status", counts_json(pair.case_counts)},
                      {"not_compared", Value(std::move(reasons))},
                      {"changes", changes_json_of(pair.changes, &pair)},
                      {"functions", functions_json(pair)}});
}

Value side_json(const analysis::OperandFacts& side) {
  Array runs;
  for (const analysis::RunFacts& run : side.runs) {
    runs.emplace_back(Object{{"id", Value(run.info.uuid)},
                             {"started", text_or_null(iso_text(run.info.started_unix_us))},
                             {"state", Value(name_of(run.info.state))},
                             {"protocol", text_or_null(run.info.protocol)}});
  }
  return Value(
      Object{{"side", Value(side.label)}, {"store", Value(side.store)}, {"runs", Value(std::move(runs))}});
}

}  // namespace

Value changes_object(const Comparison& comparison) {
  Array pairs;
  for (const PairDelta& pair : comparison.pairs) pairs.push_back(pair_json(pair));
  Array drifts;
  for (const analysis::Drift& drift : comparison.drifts) {
    drifts.emplace_back(Object{{"targets", text_or_null(drift.target)},
                               {"what", Value(drift.what)},
                               {"before", Value(drift.before)},
                               {"after", Value(drift.after)}});
  }
  Array unanswered;
  for (const analysis::Unanswered& one : comparison.unanswered) {
    unanswered.emplace_back(Object{{"kind", Value(name_of(one.kind))}, {"reason", Value(one.reason)}});
  }
  const analysis::ExpectationFacts& facts = comparison.expectations;
  Value expectations;
  if (!facts.file.empty()) {
    expectations = Value(Object{{"file", Value(facts.file)},
                                {"entries", Value(facts.entries)},
                                {"matched", Value(facts.matched)},
                                {"not_judged", Value(facts.not_judged)}});
  }
  return Value(Object{{"findings", Value(comparison.findings)},
                      {"fail_on", Value(comparison.gate)},
                      {"before", side_json(comparison.before)},
                      {"after", side_json(comparison.after)},
                      {"rules_version", Value(comparison.rules_version)},
                      {"drift", Value(std::move(drifts))},
                      {"not_answered", Value(std::move(unanswered))},
                      {"expectations", std::move(expectations)},
                      {"changes", changes_json_of(comparison.of_targets, nullptr)},
                      {"pairs", Value(std::move(pairs))}});
}

std::string changes_json(const Comparison& comparison, const RenderOptions& options) {
  Value top = headed_value("seamark-compare/1", options);
  Value rest = changes_object(comparison);
  for (auto& [key, value] : rest.as_object()) top.set(key, std::move(value));
  return dump_json_pretty(top);
}

}  // namespace seamark::report
