#include "seamark/report/render/csv_report.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "seamark/base/text.h"
#include "seamark/report/build/derive.h"

namespace seamark::report {

using analysis::FunctionCell;
using analysis::FunctionRow;
using analysis::Measured;
using analysis::Summary;
using analysis::TargetRow;

namespace {

std::string field(std::string_view raw) { return csv_field(one_line(raw)); }

std::string number(const Measured& measured) {
  if (!measured.value || !std::isfinite(*measured.value)) return {};
  return fmt::format("{:.9g}", *measured.value);
}

std::string flag(bool value) { return value ? "1" : "0"; }

std::string_view verdict(const FunctionCell& cell) {
  return cell.verdict ? name_of(*cell.verdict) : std::string_view();
}

std::string versions(const TargetRow& target) {
  std::string text;
  for (const std::string& version : target.framework_versions) text += (text.empty() ? "" : " ") + version;
  return text;
}

std::string row(const FunctionRow& function, std::size_t t, const Summary& summary) {
  const TargetRow& target = summary.targets[t];
  const FunctionCell& cell = function.cells[t];
  const FunctionTimes times = times_of(function, t, summary);
  const std::string fields[] = {
      field(function.framework),
      field(versions(target)),
      field(function.name),
      flag(function.host_only),
      field(target.target),
      field(target.baseline),
      std::string(verdict(cell)),
      cell.cases_only ? std::string() : std::string(name_of(cell.uncorrected)),
      flag(cell.fails_on_reference),
      flag(cell.flaky),
      cell.core_passed > 0 ? std::string(name_of(cell.evidence)) : std::string(),
      flag(target.compiled_only),
      fmt::format("{}", cell.core_cases),
      fmt::format("{}", cell.core_passed),
      cell.on_device ? flag(*cell.on_device) : std::string(),
      field(on_device_reason(cell, target)),
      cell.category ? std::string(name_of(*cell.category)) : std::string(),
      times.warm_ratio_cases > 0 ? flag(cell.slow_warm) : std::string(),
      times.cold_ratio_cases > 0 ? flag(cell.slow_cold) : std::string(),
      number(times.warm_s),
      field(times.warm_s.reason),
      number(times.cold_s),
      field(times.cold_s.reason),
      number(times.warm_ratio),
      field(times.warm_ratio.reason),
      flag(cell.unanswered),
      flag(cell.no_device_work),
      cell.forward ? std::string(name_of(*cell.forward)) : std::string(),
      cell.gradient ? std::string(name_of(*cell.gradient)) : std::string(),
      flag(cell.unchecked),
  };
  std::string line;
  for (const std::string& text : fields) line += (line.empty() ? "" : ",") + text;
  return line + "\r\n";
}

constexpr std::string_view kHead =
    "framework,framework_version,function,host_only,target,baseline,verdict,uncorrected_verdict,"
    "fails_on_reference,flaky,evidence,compiled_only,core_cases,core_passed,on_device,on_device_reason,"
    "category,slow_warm,"
    "slow_cold,warm_s,warm_s_reason,cold_s,cold_s_reason,warm_ratio,warm_ratio_reason,unanswered,no_device_"
    "work,forward_verdict,"
    "gradient_verdict,unchecked\r\n";

}  // namespace

std::string render_csv(const Summary& summary, const RenderOptions&) {
  std::string out(kHead);
  for (const FunctionRow& function : summary.functions) {
    for (std::size_t t = 0; t < summary.targets.size(); ++t) {
      if (function.cells[t].planned) out += row(function, t, summary);
    }
  }
  return out;
}

}  // namespace seamark::report
