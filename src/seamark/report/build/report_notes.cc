// The remarks that stand below the tables (declared in run_report.h).
#include <fmt/format.h>

#include <algorithm>

#include "seamark/base/text.h"
#include "seamark/report/build/derive.h"
#include "seamark/report/build/run_report.h"

namespace seamark::report {

namespace {

using analysis::RunFacts;
using analysis::Summary;
using analysis::TargetRow;

void run_notes(const RunFacts& run, bool several, const Glyphs& glyphs, std::vector<Remark>& notes) {
  const store::RunInfo& info = run.info;
  const std::string prefix = several ? fmt::format("run {}: ", short_id(info.uuid)) : std::string();
  if (!info.subset_note.empty()) {
    std::string text = prefix + one_line(info.subset_note);
    if (!info.full_command.empty()) text += fmt::format(" Everything: {}", one_line(info.full_command));
    notes.push_back({"subset", text, Tone::kPartial});
  }
  if (info.state != store::RunState::kFinished || run.attempted < run.planned) {
    std::string text = prefix;
    if (info.state != store::RunState::kFinished) text += fmt::format("{}; ", name_of(info.state));
    text += fmt::format("{} of {} cases planned on all targets were attempted", count_text(run.attempted),
                        count_text(run.planned));
    if (!info.state_reason.empty()) text += " (" + one_line(info.state_reason) + ")";
    notes.push_back({"incomplete", text, Tone::kPartial});
  }
  auto seconds = [&](const std::optional<double>& value) {
    return value ? seconds_text(*value, glyphs) : std::string("not measured");
  };
  notes.push_back({"cost", fmt::format("{}wall {}, CPU {} (supervisor and workers)", prefix,
                                       seconds(info.wall_s), seconds(info.cpu_s))});
  notes.push_back(
      {"checks", fmt::format("{}placement proof {}, reference check {}, protocol {}, seed {}", prefix,
                             info.proof ? "on" : "OFF", info.reference ? "on" : "OFF",
                             info.protocol.empty() ? "unknown" : one_line(info.protocol), info.seed)});
  const Value* confirm = info.options.find("confirm");
  if (confirm != nullptr && confirm->is_bool() && !confirm->as_bool()) {
    notes.push_back(
        {"checks", prefix + "failures were not run again alone (--no-confirm): a flaky case looks like one"});
  }
}

void noise_notes(const Summary& summary, const Glyphs& glyphs, std::vector<Remark>& notes) {
  std::string text;
  std::vector<std::pair<std::string, std::string>> unmeasured;  // reason, targets
  for (const analysis::NoiseFloor& floor : summary.noise) {
    if (!floor.median.value) {
      const std::string reason = one_line(floor.median.reason);
      const auto same = std::find_if(unmeasured.begin(), unmeasured.end(),
                                     [&](const auto& other) { return other.first == reason; });
      if (same == unmeasured.end())
        unmeasured.emplace_back(reason, one_line(floor.target));
      else
        same->second += ", " + one_line(floor.target);
      continue;
    }
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", one_line(floor.target),
                        ratio_text(*floor.median.value, glyphs));
    if (floor.p95.value) text += fmt::format(" (95%: {})", ratio_text(*floor.p95.value, glyphs));
    text += " over " + plural(floor.cases, "case");
  }
  for (const auto& [reason, targets] : unmeasured) {
    text += fmt::format("{}not measured on {}", text.empty() ? "" : "; ", targets);
    if (!reason.empty()) text += " (" + reason + ")";
  }
  if (text.empty()) text = "not measured: no target was timed";
  notes.push_back({"noise floor", "the same target against itself, median: " + text});
}

void flip_notes(const Summary& summary, std::vector<Remark>& notes) {
  std::string text;
  for (const TargetRow& target : summary.targets) {
    if (target.flips.total == 0) continue;
    if (!text.empty()) text += "; ";
    text += fmt::format("{} {} of {}", one_line(target.target), target.flips.count, target.flips.total);
  }
  if (text.empty()) text = "none was run again";
  notes.push_back({"flips", "passes that did not pass again alone: " + text});
}

// What the tables of functions leave out.
void cases_only_notes(const Summary& summary, std::vector<Remark>& notes) {
  std::string text;
  for (const TargetRow& target : summary.targets) {
    if (target.all.cases_only == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", one_line(target.target),
                        count_text(target.all.cases_only));
  }
  if (!text.empty())
    notes.push_back({"cases only", "functions without a core case here, which have no verdict: " + text});
}

// Shown even where it is none: how far the categories can be trusted.
void unclassified_notes(const Summary& summary, std::vector<Remark>& notes) {
  std::string text;
  for (const analysis::TargetCategories& target : summary.categories) {
    std::int64_t all = 0;
    std::int64_t unknown = 0;
    for (const analysis::CategoryCount& count : target.categories) {
      const std::int64_t cases = count.cases + count.fails_on_reference;
      all += cases;
      if (count.category == Category::kUnclassified) unknown += cases;
    }
    if (all == 0) continue;
    text += fmt::format("{}{} {} of {}", text.empty() ? "" : "; ", one_line(target.target),
                        count_text(unknown), count_text(all));
  }
  if (!text.empty()) notes.push_back({"no category", "failing cases that no rule knows: " + text});
}

void target_notes(const Summary& summary, std::vector<Remark>& notes) {
  for (const TargetRow& target : summary.targets) {
    const std::string name = one_line(target.target);
    if (!target.usable) {
      std::string text = target.ran ? name + ": " + one_line(target.reason) : unknown_text(target);
      if (!target.remedy.empty()) text += fmt::format("; remedy: {}", one_line(target.remedy));
      notes.push_back({"unusable", text, Tone::kPartial});
    }
    // That a reference is its own needs no words.
    const bool is_reference = target.reference.empty() && target.target == target.framework + "/cpu";
    if (!target.reference_note.empty() && !is_reference) {
      notes.push_back({"reference", name + ": " + one_line(target.reference_note)});
    }
    if (target.timing_failures > 0) {
      notes.push_back({"timing", fmt::format("{}: {} passed but could not be timed", name,
                                             plural(target.timing_failures, "case"))});
    }
    if (target.usable && !target.ran && target.cases.planned > 0)
      notes.push_back({"unknown", unknown_text(target)});
    if (target.all.placement_unproven > 0 && !target.compiled_only) {
      notes.push_back({"placement", fmt::format("{}: {} run, but where is unknown", name,
                                                plural(target.all.placement_unproven, "function"))});
    }
    if (target.all.flaky > 0) {
      notes.push_back({"flaky", fmt::format("{}: {} counted as failed", name,
                                            plural(target.all.flaky, "flaky function"))});
    }
  }
}

}  // namespace

Section note_section(const Summary& summary, const Glyphs& glyphs) {
  std::vector<Remark> notes;
  for (const RunFacts& run : summary.runs) run_notes(run, summary.runs.size() > 1, glyphs, notes);
  // The most limiting first: what was left out, what is incomplete, what could not be used.
  target_notes(summary, notes);
  noise_notes(summary, glyphs, notes);
  flip_notes(summary, notes);
  unclassified_notes(summary, notes);
  cases_only_notes(summary, notes);
  std::stable_sort(notes.begin(), notes.end(), [](const Remark& a, const Remark& b) {
    auto rank = [](const Remark& note) {
      if (note.label == "subset") return 0;
      if (note.label == "incomplete") return 1;
      return note.label == "unusable" ? 2 : 3;
    };
    return rank(a) < rank(b);
  });
  notes.push_back(
      {"verdicts", "over a function's core cases, classified by rules " +
                       (summary.rules_version.empty() ? "none" : one_line(summary.rules_version))});
  notes.push_back(
      {"slow", fmt::format("the whole interval of the ratio to the baseline lies beyond {:g}{} and the time "
                           "beyond {:g} ms; a cold time measured once must be three times as far",
                           summary.slow_factor, glyphs.times, 1e3 * summary.slow_floor_s)});
  const auto any = [&](int analysis::FunctionCounts::* count) {
    return std::any_of(summary.targets.begin(), summary.targets.end(),
                       [&](const TargetRow& target) { return target.all.*count > 0; });
  };
  if (any(&analysis::FunctionCounts::unanswered)) {
    notes.push_back(
        {"unanswered",
         "all that was run fails before the device could answer, in a bridge to its compiler or for "
         "a package that the environment lacks"});
  }
  if (any(&analysis::FunctionCounts::unchecked)) {
    notes.push_back(
        {"unchecked",
         "nothing fails, and nothing that passes checks a result: it shows only that nothing was raised"});
  }
  if (any(&analysis::FunctionCounts::default_precision)) {
    notes.push_back(
        {"precision",
         "default prec.: functions that pass with a core case that is right at the device's highest "
         "precision alone; --rule study counts these cases as failed"});
  }
  if (any(&analysis::FunctionCounts::no_device_work)) {
    notes.push_back(
        {"no work",
         "no device work: no operation depends on an input (constants, metadata), or the function "
         "is host-only"});
  }
  if (any_compiled_only(summary)) notes.push_back({"compiled", compiled_meaning()});
  return {.id = "notes", .heading = "Notes", .note = {}, .blocks = {Remarks{std::move(notes)}}};
}

}  // namespace seamark::report
