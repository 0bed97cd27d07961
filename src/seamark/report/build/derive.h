// What several reports say in the same words: levels, labels, times per function.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/analysis/summary.h"
#include "seamark/report/render/number_text.h"

namespace seamark::report {

// "verified", "verified 92% of 350" (passing cases, the rest executed), "compiled"; Glyphs::none where
// nothing passes, "not usable" where that is why. A target on which nothing was executed never says more than
// "compiled".
std::string level_text(const analysis::TargetRow& target, const Glyphs& glyphs);

// "1/0": slow functions, warm and cold; Glyphs::none for what was not compared with a baseline.
std::string slow_text(const analysis::TargetRow& target, const Glyphs& glyphs);

// "nothing is known of torch/npu: no such device is visible"; empty where a case was run on it.
std::string unknown_text(const analysis::TargetRow& target);

// Functions that pass, but a core case of them fell back to the host.
int passes_on_host(const analysis::Summary& summary, std::size_t target);

// Why FunctionCell::on_device has no value.
std::string on_device_reason(const analysis::FunctionCell& cell, const analysis::TargetRow& target);

// Something was compiled only, or lowered only.
bool any_compiled_only(const analysis::Summary& summary);

// The target of that name was compiled or lowered for, and nothing was executed on it.
bool is_compiled_only(const analysis::Summary& summary, const std::string& target);

// What the words of a report mean for a function on a target.
enum class CellStatus : unsigned char {
  kPass,
  kPartial,
  kFail,
  kNotRun,
  kFailsOnReference,
  kCasesOnly,
  kUnanswered,    // all that was run fails in a way that says nothing of the device
  kNoDeviceWork,  // not run, as there is nothing to run
  kUnchecked,     // nothing fails, and nothing that passes checks a result
  kNotPlanned
};
inline constexpr std::size_t kCellStatuses = static_cast<std::size_t>(CellStatus::kNotPlanned) + 1;
CellStatus standing_of(const analysis::FunctionCell& cell);
// "pass", "partial", "fail", "not run", "fails on reference", "cases only", "unanswered", "no device work",
// "unchecked", "".
std::string standing_text(CellStatus standing);

// Where no function fails: "Nothing failed.", what failed of the cases that decide no verdict, or on the
// reference only, and of which targets nothing is known.
std::string no_failures_text(const analysis::Summary& summary);

// The outcome of one case, with what qualifies it: "pass", "fail", "not run" (not attempted), "".
std::string outcome_text(const analysis::CaseCell& cell);
bool case_failed(const analysis::CaseCell& cell);

// "ValueError: no such axis": on one line, at most 300 bytes, with its type where the message does not begin
// with it.
std::string error_line(std::string_view type, std::string_view message);

// Times of a function on a target over those of its core cases that were timed there.
struct FunctionTimes {
  analysis::Measured warm_s;  // mean of the cases' warm medians
  int warm_cases = 0;
  analysis::Measured warm_ratio;  // geometric mean over cases timed on both sides
  int warm_ratio_cases = 0;
  analysis::Measured cold_s;
  int cold_cases = 0;
  int cold_ratio_cases = 0;
};
FunctionTimes times_of(const analysis::FunctionRow& function, std::size_t target,
                       const analysis::Summary& summary);

// The first failing case of a function on a target that says most: a core one before others, one
// that does not fail on the reference before one that does. nullptr when none fails.
const analysis::CaseRow* telling_case(const analysis::FunctionRow& function, std::size_t target);

// The first 8 characters of a run's id.
std::string short_id(const std::string& uuid);

// "torch 2.13.0".
std::string framework_text(const analysis::TargetRow& target);

// Frameworks in the order of the targets, each once.
std::vector<std::string> frameworks_of(const analysis::Summary& summary);

// Indices into Summary::targets: those that executed, those that only compiled, those of which nothing is
// known.
struct TargetOrder {
  std::vector<std::size_t> executed;
  std::vector<std::size_t> compiled_only;
  std::vector<std::size_t> unknown;
};
TargetOrder order_of(const analysis::Summary& summary);

// What "compiled" says, and what it does not.
std::string compiled_meaning();

}  // namespace seamark::report
