#include "seamark/report/build/derive.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "seamark/base/text.h"
#include "seamark/model/verdict.h"

namespace seamark::report {

using analysis::CaseCell;
using analysis::CaseRow;
using analysis::FunctionCell;
using analysis::FunctionRow;
using analysis::Measured;
using analysis::Summary;
using analysis::TargetRow;

std::string level_text(const TargetRow& target, const Glyphs& glyphs) {
  std::int64_t total = 0;
  const analysis::EvidenceCount* strongest = nullptr;
  for (const analysis::EvidenceCount& count : target.evidence) {
    if (count.cases == 0) continue;
    total += count.cases;
    if (strongest == nullptr || count.evidence > strongest->evidence) strongest = &count;
  }
  if (!target.usable && strongest == nullptr) return "not usable";
  if (strongest == nullptr) return target.compiled_only ? "compiled" : glyphs.none;
  std::string name(name_of(strongest->evidence));
  if (strongest->cases == total) return name;
  return fmt::format("{} {} of {}", name, percent_text(strongest->cases, total, glyphs), count_text(total));
}

std::string slow_text(const TargetRow& target, const Glyphs& glyphs) {
  if (target.ratios_warm + target.ratios_cold == 0) return glyphs.none;
  auto part = [&](int ratios, int slow) {
    return ratios > 0 ? fmt::format("{}", slow) : std::string(glyphs.none);
  };
  return part(target.ratios_warm, target.all.slow_warm) + "/" +
         part(target.ratios_cold, target.all.slow_cold);
}

int passes_on_host(const Summary& summary, std::size_t target) {
  return static_cast<int>(
      std::count_if(summary.functions.begin(), summary.functions.end(),
                    [&](const FunctionRow& row) { return row.cells[target].on_device == false; }));
}

std::string on_device_reason(const FunctionCell& cell, const TargetRow& target) {
  if (cell.on_device) return {};
  if (target.compiled_only) return "nothing was executed";
  if (cell.no_device_work) return "it does no device work";
  if (cell.unchecked) return "unchecked";
  return cell.verdict == Verdict::kPass ? "placement is unknown" : "does not pass";
}

bool is_compiled_only(const Summary& summary, const std::string& target) {
  return std::any_of(summary.targets.begin(), summary.targets.end(),
                     [&](const TargetRow& row) { return row.target == target && row.compiled_only; });
}

bool any_compiled_only(const Summary& summary) {
  return std::any_of(summary.targets.begin(), summary.targets.end(),
                     [](const TargetRow& target) { return target.compiled_only; });
}

CellStatus standing_of(const FunctionCell& cell) {
  if (!cell.planned) return CellStatus::kNotPlanned;
  if (cell.cases_only) return CellStatus::kCasesOnly;
  if (cell.unchecked) return CellStatus::kUnchecked;
  if (!cell.verdict) return cell.unanswered ? CellStatus::kUnanswered : CellStatus::kFailsOnReference;
  if (cell.verdict == Verdict::kNotRun && cell.no_device_work) return CellStatus::kNoDeviceWork;
  switch (*cell.verdict) {
    case Verdict::kPass:
      return CellStatus::kPass;
    case Verdict::kPartial:
      return CellStatus::kPartial;
    case Verdict::kFail:
      return CellStatus::kFail;
    case Verdict::kNotRun:
      return CellStatus::kNotRun;
  }
  return CellStatus::kNotRun;
}

std::string standing_text(CellStatus standing) {
  constexpr std::array<const char*, kCellStatuses> kWords{
      "pass",       "partial",    "fail",           "not run",   "fails on reference",
      "cases only", "unanswered", "no device work", "unchecked", ""};
  return kWords.at(static_cast<std::size_t>(standing));
}

std::string unknown_text(const TargetRow& target) {
  if (target.ran) return {};
  const std::string why = target.usable ? "none of its cases was run" : one_line(target.reason);
  return fmt::format("nothing is known of {}{}", one_line(target.target), why.empty() ? "" : ": " + why);
}

std::string no_failures_text(const Summary& summary) {
  std::string unknown;
  for (const TargetRow& target : summary.targets) {
    if (!target.ran) unknown += (unknown.empty() ? "" : "; ") + unknown_text(target);
  }
  if (!unknown.empty()) unknown[0] = 'N';
  const bool any_ran = std::any_of(summary.targets.begin(), summary.targets.end(),
                                   [](const TargetRow& one) { return one.ran; });
  if (!any_ran) return unknown.empty() ? "Nothing was run." : unknown + ".";
  if (!unknown.empty()) unknown = " " + unknown + ".";
  const auto counted = [&](std::int64_t analysis::CategoryCount::* number) {
    std::string text;
    for (const analysis::TargetCategories& target : summary.categories) {
      std::int64_t cases = 0;
      for (const analysis::CategoryCount& count : target.categories) cases += count.*number;
      if (cases > 0)
        text +=
            fmt::format("{} {} {}", text.empty() ? ":" : ",", one_line(target.target), plural(cases, "case"));
    }
    return text;
  };
  const std::string others = counted(&analysis::CategoryCount::cases);
  if (!others.empty()) return "No function fails; cases that decide no verdict do" + others + "." + unknown;
  const std::string reference = counted(&analysis::CategoryCount::fails_on_reference);
  return (reference.empty() ? "Nothing failed."
                            : "Nothing failed but what fails on the reference" + reference + ".") +
         unknown;
}

std::string outcome_text(const CaseCell& cell) {
  if (cell.unchecked) return "unchecked";
  if (cell.outcome) return std::string(name_of(*cell.outcome));
  return cell.planned ? "not run" : "";
}

std::string error_line(std::string_view type, std::string_view message) {
  constexpr std::size_t kMostBytes = 300;
  const std::string kind = one_line(type);
  std::string text = one_line(message);
  if (!kind.empty() && !text.starts_with(kind)) text = text.empty() ? kind : kind + ": " + text;
  const std::string_view kept = utf8_prefix(text, kMostBytes);
  return std::string(kept) + (kept.size() < text.size() ? " ..." : "");
}

bool case_failed(const CaseCell& cell) { return failed(cell.outcome); }

FunctionTimes times_of(const FunctionRow& function, std::size_t target, const Summary& summary) {
  double warm = 0;
  double cold = 0;
  double log_ratio = 0;
  FunctionTimes times;
  std::string why_warm;
  std::string why_cold;
  for (const CaseRow& row : function.cases) {
    const CaseCell& cell = row.cells[target];
    if (!row.core || !cell.planned) continue;
    if (cell.times->warm_s.value)
      warm += *cell.times->warm_s.value, ++times.warm_cases;
    else if (why_warm.empty())
      why_warm = cell.times->warm_s.reason;
    if (cell.times->cold_s.value)
      cold += *cell.times->cold_s.value, ++times.cold_cases;
    else if (why_cold.empty())
      why_cold = cell.times->cold_s.reason;
    times.cold_ratio_cases += cell.cold.has_value();
    if (cell.warm && cell.warm->ratio > 0) log_ratio += std::log(cell.warm->ratio), ++times.warm_ratio_cases;
  }
  auto mean = [](double sum, int n, const std::string& reason, const char* otherwise) {
    if (n > 0) return Measured{sum / n, {}};
    return Measured{std::nullopt, reason.empty() ? otherwise : reason};
  };
  const TargetRow& row = summary.targets[target];
  const char* otherwise = row.compiled_only ? "nothing was executed" : "not timed";
  times.warm_s = mean(warm, times.warm_cases, why_warm, otherwise);
  times.cold_s = mean(cold, times.cold_cases, why_cold, otherwise);
  if (times.warm_ratio_cases > 0) {
    times.warm_ratio.value = std::exp(log_ratio / times.warm_ratio_cases);
  } else if (row.compiled_only) {
    times.warm_ratio.reason = "nothing was executed";
  } else {
    times.warm_ratio.reason = row.baseline.empty() ? "is the baseline" : "no case was timed on both sides";
  }
  return times;
}

const CaseRow* telling_case(const FunctionRow& function, std::size_t target) {
  auto rank = [&](const CaseRow& row) {
    const CaseCell& cell = row.cells[target];
    return (row.core ? 2 : 0) + (cell.fails_on_reference || cell.unanswered ? 0 : 4) +
           (cell.error->message.empty() ? 0 : 1);
  };
  const CaseRow* best = nullptr;
  for (const CaseRow& row : function.cases) {
    if (!case_failed(row.cells[target])) continue;
    if (best == nullptr || rank(row) > rank(*best)) best = &row;
  }
  return best;
}

std::string short_id(const std::string& uuid) { return std::string(utf8_prefix(plain_text(uuid), 8)); }

std::string framework_text(const TargetRow& target) {
  std::string text = one_line(target.framework);
  const char* separator = " ";
  for (const std::string& version : target.framework_versions) {
    text += separator + one_line(version);
    separator = ", ";
  }
  return text;
}

std::vector<std::string> frameworks_of(const Summary& summary) {
  std::vector<std::string> names;
  auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const TargetRow& target : summary.targets) add(target.framework);
  for (const FunctionRow& function : summary.functions) add(function.framework);
  return names;
}

TargetOrder order_of(const Summary& summary) {
  TargetOrder order;
  for (std::size_t i = 0; i < summary.targets.size(); ++i) {
    const TargetRow& target = summary.targets[i];
    (!target.ran ? order.unknown : target.compiled_only ? order.compiled_only : order.executed).push_back(i);
  }
  return order;
}

std::string compiled_meaning() {
  return "this compiler, at this version, made an executable for these shapes and dtypes; not that it runs "
         "there, nor that it is accurate";
}

}  // namespace seamark::report
