#include "seamark/report/build/study_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "seamark/base/text.h"
#include "seamark/report/document/text_table.h"
#include "seamark/report/render/data_parts.h"
#include "seamark/report/render/json_parts.h"
#include "seamark/report/render/markdown_text.h"

namespace seamark::report {

using analysis::Agreement;
using analysis::NowCounts;
using analysis::StudyComparison;
using analysis::StudyLine;
using analysis::StudyTarget;

// The answer stands where it is seen: last on a terminal, first in a comment.
std::string render_study(Format format, const StudyComparison& comparison, const RenderOptions& options) {
  switch (format) {
    case Format::kTerminal:
      return study_terminal(comparison, options) +
             section_heading("CHANGES", "The same as changes, function by function where it was timed then.",
                             options) +
             changes_terminal(comparison.changes, options);
    case Format::kMarkdown:
      return changes_markdown(comparison.changes, options) + "\n" + study_markdown(comparison);
    case Format::kJson:
      return study_json(comparison, options);
    default:
      return render_changes(format, comparison.changes, options);
  }
}

std::string verb_of(const StudyTarget& target) { return target.compiled_only ? "compiles" : "runs"; }

std::string versions_text(const StudyTarget& target) {
  std::string now = one_line(join(target.versions_now, ", "));
  if (now.empty()) now = "an unknown version";
  std::string out =
      fmt::format("{} {} then, {} now", one_line(target.framework), one_line(target.version_then), now);
  for (const std::string& compiler : target.compilers) out += ", " + one_line(compiler);
  return out;
}

std::vector<Note> study_notes(const StudyComparison& comparison) {
  std::vector<Note> notes;
  for (const analysis::RunFacts& run : comparison.runs) {
    if (run.info.subset_note.empty()) continue;
    notes.push_back({"subset", one_line(run.info.subset_note)});
    break;
  }
  const bool compiled = std::any_of(comparison.targets.begin(), comparison.targets.end(),
                                    [](const StudyTarget& target) { return target.compiled_only; });
  if (compiled) {
    notes.push_back({"compiled", compiled_meaning()});
    notes.push_back(
        {"lower bound",
         "a rate of failures to compile is a lower bound: wrong numbers, timeouts and what runs out of "
         "memory while it runs are not seen. About a fifth of the study's failures on TPU were "
         "numerical."});
  }
  notes.push_back(
      {"then",
       "a published latency means that at least one test of the function ran on that device. The "
       "study did not publish which functions failed: that none was published is taken for a failure, "
       "though fewer failed altogether than lack a latency (see the totals). Precision, recall and "
       "kappa are biased by that."});
  notes.push_back(
      {"now", "at least one core case passes, as then; cases, shapes and versions are not the study's."});
  for (const std::string& framework : comparison.missing) {
    notes.push_back(
        {"missing", fmt::format("{}: no target to hold against the study in the chosen runs: not compared",
                                one_line(framework))});
  }
  return notes;
}

std::vector<Unchecked> unchecked_of(const StudyTarget& target) {
  std::vector<Unchecked> out;
  for (const StudyLine& line : target.lines) {
    if (line.now != analysis::Now::kUnchecked) continue;
    const std::string reason = one_line(line.reason);
    auto at =
        std::find_if(out.begin(), out.end(), [&](const Unchecked& one) { return one.reason == reason; });
    if (at == out.end()) at = out.insert(out.end(), {reason, {}});
    at->functions.push_back(line.name);
  }
  std::stable_sort(out.begin(), out.end(), [](const Unchecked& a, const Unchecked& b) {
    return a.functions.size() > b.functions.size();
  });
  return out;
}

std::vector<const StudyLine*> failing_lines(const StudyTarget& target) {
  std::vector<const StudyLine*> out;
  for (const StudyLine& line : target.lines) {
    if (line.now == analysis::Now::kFails || line.verdict == Verdict::kPartial) out.push_back(&line);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const StudyLine* a, const StudyLine* b) { return a->published > b->published; });
  return out;
}

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
                      {"tpu", counts(then.tpu)},
                      {"gpu", counts(then.gpu)},
                      {"tpu_percent", percent(then.tpu_percent)},
                      {"gpu_percent", percent(then.gpu_percent)}});
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

}  // namespace

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

}  // namespace seamark::report
