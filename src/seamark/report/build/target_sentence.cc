#include "seamark/report/build/target_sentence.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "seamark/base/text.h"
#include "seamark/model/target_name.h"
#include "seamark/report/build/derive.h"

namespace seamark::report {

using analysis::FunctionCounts;
using analysis::Summary;
using analysis::TargetRow;

namespace {

bool is_cpu(const TargetRow& row) {
  const Result<TargetName> name = TargetName::parse(row.target);
  return name && name->family == "cpu";
}

// ", half of them on the host": of the functions that pass. Those without work for a device are among them.
std::string placement_part(const Summary& summary, std::size_t target) {
  const TargetRow& row = summary.targets[target];
  const int pass = row.all.pass;
  if (pass == 0 || row.all.runs_on_device.total == 0) return {};
  const auto of_them = [&](int count) {
    if (count == pass) return std::string(pass == 1 ? "" : " all of them");
    if (2 * count == pass && count > 1) return std::string(" half of them");
    return fmt::format(" {} of them", count_text(count));
  };
  const int host = passes_on_host(summary, target);
  const int unknown = row.all.placement_unproven;
  std::string text;
  if (host > 0) text = fmt::format(",{} on the host", of_them(host));
  if (unknown > 0) text += fmt::format(",{} with unknown placement", of_them(unknown));
  // That a CPU's functions run on the CPU needs no words.
  if (text.empty() && !is_cpu(row)) text = ", without falling back to the host";
  return text;
}

// ", typically 7.02× slower than torch/cpu": cases that were timed on both sides.
std::string ratio_part(const TargetRow& row, const Glyphs& glyphs) {
  if (!row.median_ratio_warm.value || *row.median_ratio_warm.value <= 0) return {};
  const double ratio = *row.median_ratio_warm.value;
  const std::string baseline = one_line(row.baseline);
  const std::optional<analysis::Interval>& interval = row.median_ratio_warm_interval;
  const bool same = interval ? interval->low <= 1 && interval->high >= 1 : ratio > 0.95 && ratio < 1.05;
  std::string text = same ? "about as fast as " + baseline
                          : fmt::format("{} {} than {}", ratio_text(ratio < 1 ? 1 / ratio : ratio, glyphs),
                                        ratio < 1 ? "faster" : "slower", baseline);
  // Without an interval there are too few cases to say what is typical.
  if (interval) return ", typically " + text;
  return fmt::format(", {} over {}", text, plural(row.ratios_warm, "case"));
}

// "; 6 unanswered, 1 not run": functions that are in no denominator.
std::string rest_part(const FunctionCounts& all) {
  std::vector<std::string> parts;
  const auto add = [&](int count, std::string_view one, std::string_view many) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count_text(count), count == 1 ? one : many));
  };
  add(all.unanswered, "unanswered", "unanswered");
  add(all.fails_on_reference, "fails on the reference", "fail on the reference");
  add(all.unchecked, "unchecked", "unchecked");
  add(all.not_run, "not run", "not run");
  return parts.empty() ? "" : "; " + join(parts, ", ");
}

}  // namespace

std::string target_sentence(const Summary& summary, std::size_t target, const Glyphs& glyphs) {
  const TargetRow& row = summary.targets[target];
  const std::string name = one_line(row.target);
  if (!row.ran) {
    const std::string why = row.usable ? "none of its cases was run" : one_line(row.reason);
    return fmt::format("{} ran nothing{}{}", name, why.empty() ? "" : ": ", why);
  }
  const char* verb = row.compiled_only ? "compiles" : "runs";
  const FunctionCounts& all = row.all;
  const std::int64_t answered = all.pass + all.partial + all.fail;
  if (all.functions == 0) {
    return fmt::format("{} {} {} of {}; no function has a verdict", name, verb,
                       count_text(row.cases.runs.count), plural(row.cases.runs.total, "case"));
  }
  std::string text =
      answered == 0
          ? fmt::format("{} answers for none of {}", name, plural(all.functions, "function"))
          : fmt::format("{} {} {} of {}", name, verb, count_text(all.pass), plural(answered, "function"));
  if (row.compiled_only) {
    text += "; nothing was executed";
  } else {
    text += placement_part(summary, target) + ratio_part(row, glyphs);
  }
  return text + rest_part(all);
}

}  // namespace seamark::report
