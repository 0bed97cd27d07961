#include "seamark/report/build/study_report.h"

#include <utility>

#include "seamark/report/build/change_report.h"
#include "seamark/report/document/document_formats.h"
#include "seamark/report/render/data_parts.h"
#include "seamark/report/render/json_parts.h"

namespace seamark::report {

using analysis::Agreement;
using analysis::NowCounts;
using analysis::StudyComparison;
using analysis::StudyLine;
using analysis::StudyTarget;

namespace {

using Array = Value::Array;
using Object = Value::Object;

Value counts_json(const NowCounts& counts) {
  return Value(Object{{"functions", Value(counts.functions)},
                      {"pass", Value(counts.pass)},
                      {"partial", Value(counts.partial)},
                      {"fail", Value(counts.fail)},
                      {"unchecked", Value(counts.unchecked)}});
}

Value agreement_json(const Agreement& agreement) {
  const analysis::Confusion& confusion = agreement.confusion;
  Object object{{"fails_now_failed_then", Value(confusion.fail_failed)},
                {"fails_now_ran_then", Value(confusion.fail_ran)},
                {"passes_now_failed_then", Value(confusion.pass_failed)},
                {"passes_now_ran_then", Value(confusion.pass_ran)},
                {"agreement", json::rate(agreement.agreement)},
                {"always_pass", json::rate(agreement.always_pass)},
                {"precision", json::rate(agreement.precision)},
                {"recall", json::rate(agreement.recall)}};
  json::put(object, "kappa", agreement.kappa);
  return Value(std::move(object));
}

Value line_json(const StudyLine& line) {
  constexpr const char* kNames[] = {"passes", "fails", "unchecked"};
  return Value(Object{{"function", Value(line.name)},
                      {"published", Value(line.published)},
                      {"host_only", Value(line.host_only)},
                      {"now", Value(kNames[static_cast<std::size_t>(line.now)])},
                      {"verdict", json::name_or_null(line.verdict)},
                      {"category", json::name_or_null(line.category)},
                      {"rule", text_or_null(line.rule)},
                      {"case", text_or_null(line.case_name)},
                      {"type", text_or_null(line.type)},
                      {"message", text_or_null(line.message)},
                      {"reason", text_or_null(line.reason)}});
}

Value then_json(const analysis::StudyFramework& then) {
  auto counts = [](const analysis::StudyCounts& c) {
    return Value(
        Object{{"pass", Value(c.success)}, {"partial", Value(c.partial)}, {"fail", Value(c.complete)}});
  };
  auto percent = [](const std::vector<std::int64_t>& values) {
    Array array;
    for (const std::int64_t value : values) array.emplace_back(value);
    return Value(std::move(array));
  };
  return Value(Object{{"functions", Value(then.functions)},
                      {"tpu", counts(then.tpu.counts)},
                      {"gpu", counts(then.gpu.counts)},
                      {"tpu_percent", percent(then.tpu.percent)},
                      {"gpu_percent", percent(then.gpu.percent)}});
}

Value target_json(const StudyTarget& target) {
  Array categories;
  for (const analysis::CategoryChange& change : target.categories) {
    categories.emplace_back(Object{{"category", Value(name_of(change.category))},
                                   {"then", Value(change.then)},
                                   {"now", Value(change.now)}});
  }
  Array lines;
  for (const StudyLine& line : target.lines) lines.push_back(line_json(line));
  return Value(Object{{"target", Value(target.target)},
                      {"framework", Value(target.framework)},
                      {"compiled_only", Value(target.compiled_only)},
                      {"device_then", Value(target.device.label)},
                      {"version_then", Value(target.version_then)},
                      {"versions_now", json::strings(target.versions_now)},
                      {"compilers", json::strings(target.compilers)},
                      {"then", then_json(target.then)},
                      {"now", counts_json(target.now)},
                      {"published", counts_json(target.published)},
                      {"published_without_host_only", counts_json(target.published_without_host_only)},
                      {"categories", Value(std::move(categories))},
                      {"all", agreement_json(target.all)},
                      {"without_host_only", agreement_json(target.without_host_only)},
                      {"host_only", agreement_json(target.host_only)},
                      {"functions", Value(std::move(lines))}});
}

std::string study_json(const StudyComparison& comparison, const RenderOptions& options) {
  Array runs;
  for (const analysis::RunFacts& run : comparison.runs) runs.emplace_back(run.info.uuid);
  Array targets;
  for (const StudyTarget& target : comparison.targets) targets.push_back(target_json(target));
  auto pooled = [](const std::optional<Agreement>& agreement) {
    return agreement ? agreement_json(*agreement) : Value();
  };
  Value top = headed_value("seamark-compare-study/1", options);
  top.set("study", Object{{"title", Value(comparison.title)},
                          {"source", Value(comparison.source)},
                          {"devices", Value(comparison.devices)}});
  top.set("store", comparison.store).set("runs", std::move(runs));
  top.set("rules_version", comparison.rules_version).set("targets", std::move(targets));
  top.set("missing_frameworks", json::strings(comparison.missing)).set("pooled", pooled(comparison.pooled));
  top.set("pooled_without_host_only", pooled(comparison.pooled_without_host_only));
  Value changes = changes_object(comparison.changes);
  for (auto& [key, value] : changes.as_object()) {
    if (key != "rules_version") top.set(key, std::move(value));
  }
  return dump_json_pretty(top);
}

}  // namespace

std::string render_study(Format format, const StudyComparison& comparison, const RenderOptions& options) {
  switch (format) {
    case Format::kJson:
      return study_json(comparison, options);
    case Format::kJunit:
    case Format::kSarif:
      return render_changes(format, comparison.changes, options);
    default:
      return render(format, comparison.title, study_document(comparison, options), options);
  }
}

}  // namespace seamark::report
