#include "seamark/report/build/first_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "seamark/analysis/result_set.h"
#include "seamark/base/text.h"
#include "seamark/report/build/derive.h"
#include "seamark/report/build/target_sentence.h"
#include "seamark/report/build/uses.h"
#include "seamark/report/document/document.h"
#include "seamark/report/render/number_text.h"

namespace seamark::report {

using analysis::FunctionCell;
using analysis::FunctionRow;
using analysis::RunFacts;
using analysis::Summary;
using analysis::TargetRow;
using Align = Column::Align;

namespace {

constexpr std::size_t kScreenLines = 24;
constexpr std::size_t kFunctions = 5;

// "Seamark 0.1.0 · run 0b8f3c2e · 2026-11-21 11:02 UTC · 198 functions"
Remark screen_head(const Summary& summary, const RenderOptions& options, const Glyphs& glyphs) {
  std::vector<std::string> facts;
  if (summary.runs.size() == 1) {
    const store::RunInfo& info = summary.runs.front().info;
    facts = {"run " + short_id(info.uuid), utc_text(info.started_unix_us)};
    if (info.state != store::RunState::kFinished) facts.emplace_back(name_of(info.state));
  } else {
    facts = {plural(static_cast<std::int64_t>(summary.runs.size()), "run")};
  }
  facts.push_back(plural(static_cast<std::int64_t>(summary.functions.size()), "function"));
  const std::string dot = fmt::format(" {} ", glyphs.dot);
  return {"Seamark " + ellipsize(one_line(options.tool_version), 20), dot.substr(1) + join(facts, dot),
          Tone::kStrong};
}

// ---- targets

Cell time_cell(const TargetRow& target, const Glyphs& glyphs) {
  if (!target.ran) return {target.usable ? "not run" : one_line(target.reason), Tone::kPartial};
  if (target.compiled_only) return {"compiled, not executed", Tone::kCompiled};
  if (!target.median_ratio_warm.value) return {glyphs.none, Tone::kDim};
  return {
      fmt::format("{} {}", ratio_text(*target.median_ratio_warm.value, glyphs), one_line(target.baseline)),
      target.all.slow_warm > 0 ? Tone::kSlow : Tone::kPlain};
}

TextTable line_per_target(const Summary& summary, const Glyphs& glyphs) {
  TextTable table({{"target", Align::kLeft, 0, 12},
                   {"runs", Align::kRight},
                   {"on device", Align::kRight},
                   {"unanswered", Align::kRight},
                   {"typical time", Align::kLeft, 0, 12}});
  const auto add = [&](std::size_t at) {
    const TargetRow& target = summary.targets[at];
    const analysis::Rate& on_device = target.all.runs_on_device;
    table.add_row({Cell::target(target.target),
                   {rate_text(target.all.runs, glyphs), Tone::kStrong},
                   {rate_text(on_device, glyphs), on_device.value ? Tone::kStrong : Tone::kDim},
                   {count_text(target.all.unanswered), target.all.unanswered > 0 ? Tone::kPlain : Tone::kDim},
                   time_cell(target, glyphs)});
  };
  const TargetOrder order = order_of(summary);
  for (const auto* group : {&order.executed, &order.compiled_only, &order.unknown}) {
    for (const std::size_t at : *group) add(at);
  }
  return table;
}

// Of what is its own baseline the table says all.
Items sentences(const Summary& summary, const Glyphs& glyphs) {
  Items items;
  for (std::size_t at = 0; at < summary.targets.size(); ++at) {
    const TargetRow& target = summary.targets[at];
    if (target.ran && (!target.baseline.empty() || summary.targets.size() == 1))
      items.texts.push_back(target_sentence(summary, at, glyphs) + ".");
  }
  return items;
}

// ---- failing functions

struct FailingFunction {
  const FunctionRow* function;
  std::optional<std::int64_t> calls;
  std::vector<std::size_t> targets;
};

bool fails(const FunctionCell& cell) {
  return cell.verdict == Verdict::kFail || cell.verdict == Verdict::kPartial;
}

// The most called first.
std::vector<FailingFunction> failing_functions(const Summary& summary, const analysis::ResultSet* findings) {
  const Uses uses(findings);
  std::vector<FailingFunction> failing;
  for (const FunctionRow& function : summary.functions) {
    FailingFunction one{&function, {}, {}};
    for (std::size_t at = 0; at < function.cells.size(); ++at) {
      if (fails(function.cells[at])) one.targets.push_back(at);
    }
    if (one.targets.empty()) continue;
    one.calls = uses.calls_of(function);
    failing.push_back(std::move(one));
  }
  std::stable_sort(failing.begin(), failing.end(), [](const FailingFunction& a, const FailingFunction& b) {
    return std::pair(a.calls.value_or(0), a.targets.size()) >
           std::pair(b.calls.value_or(0), b.targets.size());
  });
  return failing;
}

std::string_view cause_of(const FunctionCell& cell) {
  return name_of(cell.category.value_or(Category::kUnclassified));
}

// "cpu+inductor" of "torch/cpu+inductor": beside a function its framework needs no words.
std::string device_of(const TargetRow& target) {
  const std::string name = one_line(target.target);
  return name.substr(name.find('/') + 1);
}

// The cause of most of its targets; a target with another one says so.
std::vector<Cell> failing_row(const Summary& summary, const FailingFunction& one, const Glyphs& glyphs) {
  std::map<std::string_view, int> causes;
  bool partial = true;
  for (const std::size_t at : one.targets) {
    ++causes[cause_of(one.function->cells[at])];
    partial = partial && one.function->cells[at].verdict == Verdict::kPartial;
  }
  const auto main = std::max_element(causes.begin(), causes.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<std::string> on;
  for (const std::size_t at : one.targets) {
    const std::string_view cause = cause_of(one.function->cells[at]);
    const std::string name = device_of(summary.targets[at]);
    on.push_back(cause == main->first ? name : fmt::format("{} ({})", name, cause));
  }
  return {Cell::function(one.function->name),
          one.calls ? count_text(*one.calls) : glyphs.none,
          {std::string(main->first), partial ? Tone::kPartial : Tone::kBad},
          join(on, ", ")};
}

TextTable failing_table(const Summary& summary, const std::vector<FailingFunction>& failing,
                        const Glyphs& glyphs) {
  const auto count = static_cast<std::int64_t>(failing.size());
  const std::string head = failing.size() > kFunctions
                               ? fmt::format("{} fail, most called", count_text(count))
                               : "failing functions";
  TextTable table({{head, Align::kLeft, 0, head.size(), true},
                   {"calls", Align::kRight},
                   {"cause"},
                   {"on", Align::kLeft, 0, 12}});
  for (std::size_t i = 0; i < std::min(failing.size(), kFunctions); ++i)
    table.add_row(failing_row(summary, failing[i], glyphs));
  return table;
}

// ---- what was not tested, and where the rest is

std::vector<std::string> texts_in(const Value& options, std::string_view key) {
  std::vector<std::string> texts;
  const Value* list = options.find(key);
  if (list == nullptr || !list->is_array()) return texts;
  for (const Value& item : list->as_array()) {
    if (item.is_string()) texts.push_back(one_line(item.as_string()));
  }
  return texts;
}

// What a run was not asked for.
std::vector<std::string> not_asked_for(const RunFacts& run) {
  const Value& options = run.info.options;
  std::vector<std::string> parts;
  if (const auto globs = texts_in(options, "functions"); !globs.empty())
    parts.push_back("functions other than " + join(globs, ", "));
  if (const std::string sample = options.string_or("shipped_sample", ""); !sample.empty() && sample != "all")
    parts.push_back(fmt::format("functions not in the sample {}", one_line(sample)));
  if (const std::string glob = options.string_or("case", ""); !glob.empty())
    parts.push_back("cases other than " + one_line(glob));
  if (options.string_or("cases", "all") != "all") parts.emplace_back("non-core cases");
  return parts;
}

Remarks ways_on(const Summary& summary, const ScreenPlaces& places) {
  const std::string& store = places.store_flag;
  const std::string again = "seamark report" + store + places.chosen;
  Remarks remarks;
  const auto not_tested = [&](std::string what, std::string command) {
    remarks.list.push_back({"not tested", std::move(what), Tone::kPartial});
    if (!command.empty()) remarks.list.push_back({{}, std::move(command)});
  };
  const std::vector<std::size_t> unknown = order_of(summary).unknown;
  if (!unknown.empty() && !places.fixed) {
    const auto others = static_cast<std::int64_t>(unknown.size()) - 1;
    not_tested(one_line(summary.targets[unknown.front()].target) +
                   (others > 0 ? " and " + plural(others, "target more", "targets more") : ""),
               "seamark targets");
  }
  for (const RunFacts& run : summary.runs) {
    if (run.attempted >= run.planned || places.fixed) continue;
    const bool goes_on = run.info.state != store::RunState::kFinished;
    not_tested(plural(run.planned - run.attempted, "planned case"),
               goes_on ? "seamark run --resume" + store : "");
  }
  std::vector<std::string> choice;
  if (summary.runs.size() == 1) choice = not_asked_for(summary.runs.front());
  if (summary.sample) {
    choice.insert(choice.begin(), fmt::format("functions that the sample {} did not draw",
                                              one_line(summary.sample->info.name)));
  }
  if (!choice.empty() && !places.fixed) not_tested(join(choice, ", "), "seamark run" + store);
  remarks.list.push_back({"page", places.page.empty() ? again + " -o report.html" : one_line(places.page)});
  remarks.list.push_back({"all tables", again + " --full"});
  return remarks;
}

std::string screen_text(const Summary& summary, const ScreenPlaces& places, const RenderOptions& options,
                        bool with_sentences) {
  const Glyphs glyphs = Glyphs::of(options.unicode);
  Document document{.head = {screen_head(summary, options, glyphs)}, .sections = {}};
  if (summary.targets.empty()) {
    document.head.push_back({{}, "Nothing to report: the run has no targets.", Tone::kPlain});
    return terminal_text(document, options);
  }
  Section targets{.id = "overview", .heading = {}, .note = {}, .blocks = {line_per_target(summary, glyphs)}};
  if (with_sentences) targets.blocks.emplace_back(sentences(summary, glyphs));
  document.add(std::move(targets));
  Section functions{.id = "failing", .heading = {}, .note = {}, .blocks = {}};
  const std::vector<FailingFunction> failing = failing_functions(summary, options.findings);
  if (failing.empty()) {
    functions.say(no_failures_text(summary));
  } else {
    functions.blocks.emplace_back(failing_table(summary, failing, glyphs));
  }
  document.add(std::move(functions));
  document.add({.id = "ways", .heading = {}, .note = {}, .blocks = {ways_on(summary, places)}});
  std::string text = terminal_text(document, options);
  return text.erase(text.find("\n\n"), 1);  // the head stands on the table
}

}  // namespace

std::string first_screen(const Summary& summary, const ScreenPlaces& places, const RenderOptions& options) {
  std::string text = screen_text(summary, places, options, true);
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  return lines <= kScreenLines ? text : screen_text(summary, places, options, false);
}

}  // namespace seamark::report
