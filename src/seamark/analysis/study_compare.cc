#include "seamark/analysis/study_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "seamark/analysis/analysis_error.h"
#include "seamark/analysis/study_changes.h"
#include "seamark/base/text.h"
#include "seamark/model/target_name.h"
#include "seamark/model/verdict.h"

namespace seamark::analysis {

namespace {

// The failing core case that says most: one that says something of the device before one that does not.
const CaseRow* telling_case(const FunctionRow& function, std::size_t target) {
  const CaseRow* best = nullptr;
  for (const CaseRow& row : function.cases) {
    const CaseCell& cell = row.cells[target];
    if (!row.core || !failed(cell.outcome)) continue;
    const auto says_nothing = [](const CaseCell& one) { return one.fails_on_reference || one.unanswered; };
    if (best == nullptr || (says_nothing(best->cells[target]) && !says_nothing(cell))) best = &row;
  }
  return best;
}

std::string why_not_run(const FunctionRow& function, std::size_t target) {
  for (const CaseRow& row : function.cases) {
    const CaseCell& cell = row.cells[target];
    if (row.core && !cell.reason.empty()) return cell.reason;
  }
  return "nothing of it was run";
}

void tell_failure(StudyLine& line, const FunctionRow& function, std::size_t target) {
  line.category = function.cells[target].category;
  const CaseRow* row = telling_case(function, target);
  if (row == nullptr) return;
  const CaseCell& cell = row->cells[target];
  if (!line.category) line.category = cell.category;
  line.rule = cell.error->rule;
  line.case_name = row->name;
  line.type = cell.error->type;
  line.message = cell.error->message;
}

void fill_now(StudyLine& line, const FunctionRow& function, std::size_t target) {
  const FunctionCell& cell = function.cells[target];
  line.host_only = function.host_only;
  line.verdict = cell.verdict;
  if (!cell.planned) {
    line.reason = "not planned on this target";
  } else if (!cell.verdict) {
    line.reason = cell.unchecked            ? "what passes shows only that nothing was raised"
                  : cell.unanswered         ? "its failure says nothing of the device"
                  : cell.fails_on_reference ? "fails the same way on the reference"
                                            : "it has no core case";
    if (!cell.unchecked && (cell.unanswered || cell.fails_on_reference)) tell_failure(line, function, target);
  } else if (*cell.verdict == Verdict::kNotRun) {
    line.reason = why_not_run(function, target);
  } else if (*cell.verdict == Verdict::kFail) {
    line.now = Now::kFails;
    tell_failure(line, function, target);
  } else {
    line.now = Now::kPasses;
    if (*cell.verdict == Verdict::kPartial) tell_failure(line, function, target);
  }
}

void count(NowCounts& counts, const StudyLine& line) {
  ++counts.functions;
  if (line.now == Now::kUnchecked) {
    ++counts.unchecked;
  } else if (line.now == Now::kFails) {
    ++counts.fail;
  } else {
    ++(line.verdict == Verdict::kPartial ? counts.partial : counts.pass);
  }
}

void count(Confusion& confusion, const StudyLine& line) {
  if (line.now == Now::kUnchecked) return;
  const bool fails = line.now == Now::kFails;
  if (line.published) {
    ++(fails ? confusion.fail_ran : confusion.pass_ran);
  } else {
    ++(fails ? confusion.fail_failed : confusion.pass_failed);
  }
}

Confusion sum(const Confusion& a, const Confusion& b) {
  return {a.fail_failed + b.fail_failed, a.fail_ran + b.fail_ran, a.pass_failed + b.pass_failed,
          a.pass_ran + b.pass_ran};
}

// Every category that one of the sides has.
std::vector<CategoryChange> category_changes(const StudyTarget& target) {
  std::map<Category, CategoryChange> changes;
  for (const auto& [category, functions] : target.then.categories(target.side)) {
    if (functions > 0) changes[category].then = functions;
  }
  for (const StudyLine& line : target.lines) {
    const bool counts = line.now == Now::kFails || line.verdict == Verdict::kPartial;
    if (counts) ++changes[line.category.value_or(Category::kUnclassified)].now;
  }
  std::vector<CategoryChange> out;
  for (auto& [category, change] : changes) {
    change.category = category;
    out.push_back(change);
  }
  return out;
}

const FunctionRow* find_function(const Summary& summary, const StudyFunction& function) {
  for (const FunctionRow& row : summary.functions) {
    if (row.framework == function.framework && row.name == function.name_today) return &row;
  }
  return nullptr;
}

std::vector<StudyLine> lines_of(const Summary& summary, std::size_t target, const Study& study,
                                StudySide side) {
  std::vector<StudyLine> lines;
  for (const StudyFunction& function : study.functions()) {
    if (function.framework != summary.targets[target].framework) continue;
    StudyLine line;
    const bool removed = function.status_today == "removed";
    line.name = function.name_today.empty() ? function.published_name : function.name_today;
    line.published = function.on(side).has_value();
    const FunctionRow* row = find_function(summary, function);
    if (row != nullptr) {
      fill_now(line, *row, target);
    } else {
      line.reason = removed ? "removed from the framework since" : "no case of it in the store";
    }
    lines.push_back(std::move(line));
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const StudyLine& a, const StudyLine& b) { return a.name < b.name; });
  return lines;
}

StudyTarget target_of(const Summary& summary, std::size_t t, const Study& study, const StudyFramework& then) {
  const TargetRow& row = summary.targets[t];
  StudyTarget out;
  out.target = row.target;
  out.ran = row.ran;
  out.compiled_only = row.compiled_only;
  out.framework = row.framework;
  out.version_then = then.version;
  out.versions_now = row.framework_versions;
  out.compilers = row.compilers;
  out.then = then;
  out.side = study_side(row.target);
  out.device = study.main_device(out.side);
  out.lines = lines_of(summary, t, study, out.side);
  Confusion device;
  Confusion host;
  for (const StudyLine& line : out.lines) {
    count(out.now, line);
    if (line.published) count(out.published, line);
    if (line.published && !line.host_only) count(out.published_without_host_only, line);
    count(line.host_only ? host : device, line);
  }
  out.without_host_only = agreement_of(device);
  out.host_only = agreement_of(host);
  out.all = agreement_of(sum(device, host));
  out.categories = category_changes(out);
  return out;
}

void pool(StudyComparison& comparison) {
  std::set<std::string> frameworks;
  Confusion all;
  Confusion device;
  for (const StudyTarget& target : comparison.targets) {
    if (!frameworks.insert(target.framework).second) return;
    all = sum(all, target.all.confusion);
    device = sum(device, target.without_host_only.confusion);
  }
  if (frameworks.size() < 2) return;
  comparison.pooled = agreement_of(all);
  comparison.pooled_without_host_only = agreement_of(device);
}

}  // namespace

namespace {

bool is_gpu_family(const std::string& family) {
  return family == "cuda" || family == "rocm" || family == "mps" || family == "xpu";
}

// "Tesla T4" names a t4, "Tesla T40" does not.
bool names_device(std::string_view device_name, std::string_view key) {
  const std::string lower = lower_ascii(device_name);
  const std::vector<std::string_view> words = split(lower, ' ');
  return std::find(words.begin(), words.end(), key) != words.end();
}

}  // namespace

StudySide study_side(const std::string& target) {
  const Result<TargetName> parts = TargetName::parse(target);
  return parts && is_gpu_family(parts->family) ? StudySide::kGpu : StudySide::kTpu;
}

std::vector<std::string> study_targets(const std::vector<store::StoredTarget>& targets, const Study& study) {
  const std::string gpu = study.main_device(StudySide::kGpu).key;
  std::vector<std::string> out;
  for (const store::StoredTarget& one : targets) {
    const std::string& name = one.target.target;
    const Result<TargetName> parts = TargetName::parse(name);
    if (!parts || std::find(out.begin(), out.end(), name) != out.end()) continue;
    const bool tpu = parts->family == "tpu" && parts->generation == study.tpu();
    const bool same_gpu =
        is_gpu_family(parts->family) &&
        (parts->generation.empty() ? names_device(one.target.device_name, gpu) : parts->generation == gpu);
    if (tpu || same_gpu) out.push_back(name);
  }
  return out;
}

Result<StudyComparison> compare_with_study(const Summary& summary, const Study& study,
                                           const StudyOptions& options) {
  StudyComparison comparison;
  comparison.title = study.title();
  comparison.source = study.source();
  comparison.devices = study.devices();
  comparison.store = summary.store;
  comparison.runs = summary.runs;
  comparison.rules_version = summary.rules_version;
  for (std::size_t t = 0; t < summary.targets.size(); ++t) {
    const StudyFramework* then = study.framework(summary.targets[t].framework);
    if (then != nullptr) comparison.targets.push_back(target_of(summary, t, study, *then));
  }
  if (comparison.targets.empty()) {
    return Error(AnalysisError::kNothing,
                 fmt::format("{} holds no result of a target that {} can be compared with", summary.store,
                             study.title()),
                 fmt::format("run one: seamark run --target '*/tpu-{}+aot'", study.tpu()));
  }
  for (const StudyFunction& function : study.functions()) {
    const bool seen =
        std::any_of(comparison.targets.begin(), comparison.targets.end(),
                    [&](const StudyTarget& one) { return one.framework == function.framework; });
    const bool told = std::find(comparison.missing.begin(), comparison.missing.end(), function.framework) !=
                      comparison.missing.end();
    if (!seen && !told) comparison.missing.push_back(function.framework);
  }
  pool(comparison);
  comparison.changes = changes_since(study, summary, comparison, options);
  return comparison;
}

}  // namespace seamark::analysis
