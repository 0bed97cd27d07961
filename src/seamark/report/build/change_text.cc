#include "seamark/report/build/change_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "seamark/base/text.h"
#include "seamark/report/build/derive.h"

namespace seamark::report {

using analysis::CaseCell;
using analysis::Change;
using analysis::ChangeKind;
using analysis::Comparison;
using analysis::PairDelta;

namespace {

constexpr std::size_t kIdDigits = 8;

std::string category_text(const CaseCell& cell) {
  return cell.category ? std::string(name_of(*cell.category)) : std::string("no category");
}

std::string joined(const std::string& a, const std::string& b, std::string_view separator) {
  if (a.empty()) return b;
  return b.empty() ? a : a + std::string(separator) + b;
}

std::string failure_text(const CaseCell& cell) {
  std::string text = joined(category_text(cell), first_error_line(cell), ": ");
  if (cell.fails_on_reference) text += " (fails on the reference too)";
  return text;
}

std::string times_text(const Change& change, const PairDelta* pair, const Glyphs& glyphs) {
  const analysis::Ratio& ratio = *change.ratio;
  std::string text = fmt::format("{} {}, {} to {}", change.clock == analysis::Clock::kWarm ? "warm" : "cold",
                                 ratio_text(ratio.ratio, glyphs), seconds_text(ratio.baseline_s, glyphs),
                                 seconds_text(ratio.target_s, glyphs));
  if (ratio.interval) {
    text += fmt::format(" (95% interval {}", interval_text(ratio.interval, glyphs, ""));
  } else {
    text += " (" + (ratio.interval_reason.empty() ? "no interval" : ratio.interval_reason);
  }
  if (pair != nullptr) text += fmt::format(", floor {}", ratio_text(pair->floor.value, glyphs));
  return text + ")";
}

}  // namespace

std::string first_error_line(const CaseCell& cell) {
  std::string first;
  for (const std::string_view line : split_lines(cell.error->message)) {
    first = one_line(line);
    if (!first.empty()) break;
  }
  return error_line(cell.error->type, first);
}

std::string standing_text(const CaseCell& cell) {
  if (!cell.outcome) return "not attempted";
  switch (*cell.outcome) {
    case Outcome::kPass:
      return fmt::format("passes ({})", name_of(cell.evidence));
    case Outcome::kSkip:
    case Outcome::kError:
      return joined(std::string(name_of(*cell.outcome)), one_line(cell.reason), ": ");
    case Outcome::kFlaky:
      return "flaky: " + failure_text(cell);
    default:
      return "fails: " + failure_text(cell);
  }
}

std::string place_of(const Change& change) {
  const std::string place = one_line(change.case_name.empty() ? change.function : change.case_name);
  return place.empty() ? "(all of it)" : place;
}

std::string statement_of(const Change& change, const PairDelta* pair, const Glyphs& glyphs) {
  const bool of_case = pair != nullptr && change.case_index.has_value();
  const analysis::CaseDelta* delta = of_case ? &pair->cases[*change.case_index] : nullptr;
  const CaseCell* before = of_case && delta->before ? &*delta->before : nullptr;
  const CaseCell* after = of_case && delta->after ? &*delta->after : nullptr;
  std::string text;
  switch (change.kind) {
    case ChangeKind::kNewFailure:
    case ChangeKind::kAddedFailure:
      if (after != nullptr) text = failure_text(*after);
      break;
    case ChangeKind::kCategoryChanged:
      if (before != nullptr && after != nullptr) {
        text = fmt::format("{}, now {}", category_text(*before), failure_text(*after));
      }
      break;
    case ChangeKind::kNewPass:
      if (before != nullptr) text = "it was " + failure_text(*before);
      break;
    case ChangeKind::kSlower:
    case ChangeKind::kFaster:
      if (change.ratio) text = times_text(change, pair, glyphs);
      break;
    case ChangeKind::kWeakerEvidence:
      if (before != nullptr && after != nullptr) {
        text = fmt::format("{}, now {}", name_of(before->evidence), name_of(after->evidence));
      }
      break;
    case ChangeKind::kFlaky:
    case ChangeKind::kNotRun:
    case ChangeKind::kNewlyRun:
      if (after != nullptr) text = standing_text(*after);
      break;
    default:
      break;
  }
  text = joined(text, one_line(change.detail), "; ");
  if (change.expected) {
    text = joined(text, "expected", "; ");
    text = joined(text, one_line(change.expected_comment), ": ");
  }
  return text;
}

std::string pair_title(const PairDelta& pair) {
  const std::string before = one_line(pair.before.target);
  const std::string after = one_line(pair.after.target);
  return before == after ? after : before + " against " + after;
}

std::string side_text(const analysis::OperandFacts& side) {
  if (side.runs.empty()) return one_line(side.store);
  const analysis::RunFacts& run = side.runs.front();
  std::string text = fmt::format("run {} of {}, {}", one_line(run.info.uuid).substr(0, kIdDigits),
                                 one_line(side.store), utc_text(run.info.started_unix_us));
  if (side.runs.size() > 1) text += fmt::format(", joined with {} more", side.runs.size() - 1);
  return text;
}

std::string answer_of(const Comparison& comparison) {
  return fmt::format("{} (of {})",
                     comparison.findings == 0 ? "no findings" : plural(comparison.findings, "finding"),
                     replace_all(comparison.gate, ",", ", "));
}

std::string drift_text(const analysis::Drift& drift) {
  std::string text =
      fmt::format("{}: {}, now {}", one_line(drift.what), one_line(drift.before), one_line(drift.after));
  return drift.target.empty() ? text : one_line(drift.target) + ": " + text;
}

std::vector<std::string> unanswered_texts(const Comparison& comparison) {
  std::vector<std::pair<std::string, std::string>> by_reason;  // reason, kinds
  for (const analysis::Unanswered& one : comparison.unanswered) {
    auto at = std::find_if(by_reason.begin(), by_reason.end(),
                           [&](const auto& known) { return known.first == one.reason; });
    if (at == by_reason.end()) at = by_reason.insert(at, {one.reason, {}});
    at->second = joined(at->second, std::string(name_of(one.kind)), ", ");
  }
  std::vector<std::string> out;
  out.reserve(by_reason.size());
  for (const auto& [reason, kinds] : by_reason) out.push_back(kinds + ": " + one_line(reason));
  return out;
}

std::string overall_text(const analysis::Overall& overall, const Glyphs& glyphs) {
  if (!overall.median.value) return {};
  std::string text = ratio_text(*overall.median.value, glyphs);
  if (overall.interval) text += fmt::format(" ({})", interval_text(overall.interval, glyphs, ""));
  return text + " over " + plural(overall.cases, overall.of_functions ? "function" : "case");
}

std::vector<const Change*> changes_of(const std::vector<Change>& changes, ChangeKind kind) {
  std::vector<const Change*> out;
  for (const Change& change : changes) {
    if (change.kind == kind) out.push_back(&change);
  }
  return out;
}

std::size_t unexpected_of(const std::vector<Change>& changes, ChangeKind kind) {
  return static_cast<std::size_t>(std::count_if(changes.begin(), changes.end(), [kind](const Change& change) {
    return change.kind == kind && !change.expected;
  }));
}

std::string heading_of(ChangeKind kind) {
  constexpr std::array<const char*, analysis::kChangeKinds> kHeadings{"newly failing",
                                                                      "failing, nothing to compare with",
                                                                      "unexpectedly passing",
                                                                      "failing for another reason",
                                                                      "newly flaky",
                                                                      "no longer run",
                                                                      "slower",
                                                                      "dropped",
                                                                      "passing on less evidence",
                                                                      "stale expectations",
                                                                      "newly passing",
                                                                      "newly run",
                                                                      "no longer flaky",
                                                                      "faster",
                                                                      "added"};
  return kHeadings.at(static_cast<std::size_t>(kind));
}

}  // namespace seamark::report
