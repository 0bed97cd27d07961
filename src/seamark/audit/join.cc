#include "seamark/audit/join.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "seamark/base/text.h"
#include "seamark/model/target_name.h"
#include "seamark/report/build/derive.h"

namespace seamark::audit {
namespace {

using analysis::CaseCell;
using analysis::FunctionCell;
using analysis::FunctionRow;
using analysis::Summary;

constexpr std::array<std::string_view, kLastAnswer> kNames = {
    "fails",   "partly",   "on-host",  "precision", "slow",
    "unknown", "declared", "compiles", "passes",    "no-device-work"};
constexpr std::array<std::string_view, kLastAnswer> kMeanings = {
    "fails",          "fails in part",  "passes, but on the host", "passes at the highest precision alone",
    "passes, slowly", "not known",      "only declared",           "compiles (nothing was executed)",
    "passes",         "needs no device"};

const FunctionRow* row_of(const Summary& summary, const FunctionUse& use) {
  const auto found = std::find_if(
      summary.functions.begin(), summary.functions.end(),
      [&](const FunctionRow& row) { return row.framework == use.framework && row.name == use.name; });
  return found == summary.functions.end() ? nullptr : &*found;
}

std::optional<std::size_t> target_of(const Summary& summary, const std::string& target) {
  for (std::size_t t = 0; t < summary.targets.size(); ++t) {
    if (summary.targets[t].target == target) return t;
  }
  return std::nullopt;
}

// Of the cases that fail there the first, and how many there are.
struct Failing {
  const analysis::CaseRow* row = nullptr;
  const CaseCell* cell = nullptr;
  int cases = 0;
  int core = 0;
};

Failing failing_of(const FunctionRow& row, std::size_t t) {
  Failing out;
  for (const analysis::CaseRow& one : row.cases) {
    if (!one.core || !one.cells[t].planned) continue;
    ++out.core;
    if (!report::case_failed(one.cells[t])) continue;
    ++out.cases;
    if (out.row == nullptr) {
      out.row = &one;
      out.cell = &one.cells[t];
    }
  }
  return out;
}

std::string failure_text(const FunctionCell& cell, const Failing& failing) {
  std::string error = failing.cell == nullptr ? std::string()
                                              : report::error_line(failing.cell->error->type.get(),
                                                                   failing.cell->error->message.get());
  if (cell.verdict == Verdict::kFail) return error;
  std::string says = cell.only_dtypes.get().empty()
                         ? fmt::format("{} of {} cases", failing.cases, failing.core)
                         : cell.only_dtypes.get();
  if (cell.only_dtypes.get().empty() && cell.forward == Verdict::kPass && cell.gradient &&
      *cell.gradient != Verdict::kPass)
    says = "its gradient";
  return says + (error.empty() ? "" : ": " + error);
}

FunctionAnswer answer_of(const FunctionRow& row, std::size_t t, const Results& results) {
  const FunctionCell& cell = row.cells[t];
  FunctionAnswer out;
  out.origin = results.origin;
  out.evidence = name_of(cell.evidence);
  if (cell.category) out.category = name_of(*cell.category);
  const report::CellStatus standing = report::standing_of(cell);
  switch (standing) {
    case report::CellStatus::kNoDeviceWork:
      out.answer = Answer::kNoWork;
      return out;
    case report::CellStatus::kFail:
    case report::CellStatus::kPartial: {
      const Failing failing = failing_of(row, t);
      out.answer = standing == report::CellStatus::kFail ? Answer::kFails : Answer::kPartly;
      out.says = failure_text(cell, failing);
      if (failing.row != nullptr) out.case_name = failing.row->name;
      return out;
    }
    case report::CellStatus::kPass:
      break;
    default:
      out.says = report::standing_text(standing);
      return out;
  }
  if (cell.no_device_work) {
    out.answer = Answer::kNoWork;
  } else if (results.summary->targets[t].compiled_only) {
    out.answer = Answer::kCompiles;
  } else if (cell.on_device == false) {
    out.answer = Answer::kHost;
  } else if (cell.default_precision) {
    out.answer = Answer::kPrecision;
  } else if (cell.slow_warm) {
    out.answer = Answer::kSlow;
    const report::Glyphs glyphs = report::Glyphs::of(true);
    const analysis::Measured ratio = report::times_of(row, t, *results.summary).warm_ratio;
    if (ratio.value) {
      out.says =
          report::ratio_text(*ratio.value, glyphs) + " as slow as " + results.summary->targets[t].baseline;
    }
  } else {
    out.answer = Answer::kPasses;
  }
  return out;
}

std::optional<FunctionAnswer> declared_answer(const FunctionUse& use, const Results& results,
                                              std::string_view family) {
  for (const Declared& declared : results.summary->declared) {
    if (declared.head.framework != use.framework || declared.head.family != family) continue;
    const auto found = std::find_if(declared.functions.begin(), declared.functions.end(),
                                    [&](const DeclaredFunction& one) { return one.name == use.name; });
    if (found == declared.functions.end()) continue;
    FunctionAnswer out;
    if (found->host_only || found->state == DeclaredState::kNoOperator) {
      out.answer = found->host_only ? Answer::kNoWork : Answer::kUnknown;
    } else if (found->state != DeclaredState::kUnknown) {
      out.answer = Answer::kDeclared;
      out.evidence = "declared";
      out.says = found->state == DeclaredState::kNamed
                     ? fmt::format("{} names a kernel for {}", declared.head.package, declared.head.device)
                     : fmt::format("{} names no kernel for {} of {}", declared.head.package,
                                   declared.head.device, join(found->missing, ", "));
    }
    out.origin = results.origin;
    return out;
  }
  return std::nullopt;
}

// Of the first results that know; nullopt: none do.
std::optional<FunctionAnswer> measured_answer(const FunctionUse& use, std::span<const Results> results,
                                              const std::string& target) {
  std::optional<FunctionAnswer> unknown;
  for (const Results& one : results) {
    const std::optional<std::size_t> t = target_of(*one.summary, target);
    const FunctionRow* row = t ? row_of(*one.summary, use) : nullptr;
    if (row == nullptr) continue;
    if (row->host_only) {
      FunctionAnswer none;
      none.answer = Answer::kNoWork;
      none.origin = one.origin;
      return none;
    }
    if (!row->cells[*t].planned) continue;
    FunctionAnswer answer = answer_of(*row, *t, one);
    if (answer.answer != Answer::kUnknown) return answer;
    if (!unknown) unknown = std::move(answer);
  }
  return unknown;
}

}  // namespace

std::string_view name_of(Answer answer) { return kNames.at(static_cast<std::size_t>(answer) - 1); }
std::string_view meaning_of(Answer answer) { return kMeanings.at(static_cast<std::size_t>(answer) - 1); }

std::vector<std::string> candidates(std::span<const Results> results, const std::string& framework,
                                    const std::string& to) {
  std::map<std::string, std::int64_t> known;  // functions that were asked there
  for (const Results& one : results) {
    for (std::size_t t = 0; t < one.summary->targets.size(); ++t) {
      const analysis::TargetRow& target = one.summary->targets[t];
      if (target.framework != framework || !stands_for(target.target, to)) continue;
      known[target.target] += std::count_if(one.summary->functions.begin(), one.summary->functions.end(),
                                            [&](const FunctionRow& row) { return row.cells[t].planned; });
    }
  }
  std::vector<std::string> names;
  for (const auto& [name, functions] : known) names.push_back(name);
  std::stable_sort(names.begin(), names.end(),
                   [&](const std::string& a, const std::string& b) { return known[a] > known[b]; });
  return names;
}

Answers answers_for(const Project& project, std::span<const Results> results, const Move& move) {
  Answers out;
  std::map<std::string, std::string> from;
  for (const std::string& framework : project.frameworks) {
    const std::vector<std::string> there = candidates(results, framework, move.to);
    out.targets[framework] = there.empty() ? std::string() : there.front();
    if (!there.empty()) out.asked.insert(framework);
    const std::vector<std::string> here =
        move.from.empty() ? std::vector<std::string>() : candidates(results, framework, move.from);
    if (!here.empty()) from[framework] = here.front();
  }
  for (const FunctionUse& use : project.functions) {
    std::optional<FunctionAnswer> answer;
    const std::string& target = out.targets[use.framework];
    if (!target.empty()) answer = measured_answer(use, results, target);
    if (!answer || answer->answer == Answer::kUnknown) {
      for (const Results& one : results) {
        std::optional<FunctionAnswer> declared = declared_answer(use, one, family_of(move.to));
        if (!declared) continue;
        if (!answer || declared->answer != Answer::kUnknown) answer = std::move(declared);
        break;
      }
    }
    if (!answer) answer.emplace();
    if (!use.known && answer->says.empty()) answer->says = "no catalogue has this name";
    const auto here = from.find(use.framework);
    if (here != from.end() && is_finding(answer->answer)) {
      const std::optional<FunctionAnswer> before = measured_answer(use, results, here->second);
      answer->fails_before = before && before->answer <= answer->answer;
    }
    out.functions.push_back(std::move(*answer));
  }
  return out;
}

std::set<std::string> concerned_frameworks(const Rule& rule, const Move& move, const Answers& answers) {
  const auto concerned = [&](const std::string& device) {
    const std::size_t slash = device.find('/');
    if (slash != std::string::npos)
      return rule.concerns(device) ? std::set{device.substr(0, slash)} : std::set<std::string>();
    std::set<std::string> out;
    for (const auto& [framework, target] : answers.targets) {
      if (rule.concerns(fmt::format("{}/{}", framework, device))) out.insert(framework);
    }
    return out;
  };
  if (!move.from.empty() && !concerned(move.from).empty()) return {};
  return concerned(move.to);
}

}  // namespace seamark::audit
