// A comparison with a study for people, with its changes (declared in study_report.h).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "seamark/base/text.h"
#include "seamark/report/build/change_report.h"
#include "seamark/report/build/derive.h"
#include "seamark/report/build/study_report.h"
#include "seamark/report/render/number_text.h"

namespace seamark::report {

using analysis::Agreement;
using analysis::NowCounts;
using analysis::StudyComparison;
using analysis::StudyCounts;
using analysis::StudyLine;
using analysis::StudyTarget;
using Align = Column::Align;

namespace {

// "compiles" where nothing was executed, else "runs".
std::string verb_of(const StudyTarget& target) { return target.compiled_only ? "compiles" : "runs"; }

// "jax/tpu-v3+aot, compiled: against TPU v3-8: jax 0.4.8 then, 0.10.2 now, libtpu 0.0.42.1".
std::string versions_text(const StudyTarget& target) {
  const char* evidence = !target.ran ? "nothing ran" : target.compiled_only ? "compiled" : "executed";
  std::string now = join(target.versions_now, ", ");
  if (now.empty()) now = "an unknown version";
  std::string out = fmt::format("{}, {}: against {}: {} {} then, {} now", target.target, evidence,
                                target.device.label.empty() ? "the study's device" : target.device.label,
                                target.framework, target.version_then, now);
  for (const std::string& compiler : target.compilers) out += ", " + compiler;
  return out;
}

// "61 functions: 52 compile (1 in part), 0 do not, 9 not checked".
std::string outcomes_now(const NowCounts& counts, const std::string& verb) {
  return fmt::format("{}: {} {} ({} in part), {} {} not, {} not checked",
                     plural(counts.functions, "function"), counts.pass + counts.partial,
                     verb.substr(0, verb.size() - 1), counts.partial, counts.fail,
                     counts.fail == 1 ? "does" : "do", counts.unchecked);
}

Section then_section(const StudyComparison& comparison) {
  Section section{.id = "then",
                  .heading = "Of what ran then",
                  .note = "Functions with a latency published on the study's device, and what they do today.",
                  .blocks = {}};
  for (const StudyTarget& target : comparison.targets) {
    section.say(versions_text(target));
    section.blocks.emplace_back(
        Items{{outcomes_now(target.published, verb_of(target)),
               "without host-only, " + outcomes_now(target.published_without_host_only, verb_of(target))}});
  }
  return section;
}

Section total_section(const StudyComparison& comparison, const Glyphs& glyphs) {
  TextTable table({{"target"},
                   {""},
                   {"func-\ntions", Align::kRight},
                   {"pass", Align::kRight},
                   {"partial", Align::kRight},
                   {"fail", Align::kRight},
                   {"not\nchecked", Align::kRight},
                   {"pass", Align::kRight},
                   {"fails in\npart or whole", Align::kRight, 1}});
  const auto share = [&](int count, int total) { return rate_text(analysis::rate_of(count, total), glyphs); };
  for (const StudyTarget& target : comparison.targets) {
    const StudyCounts& then = target.then.counts(target.side);
    const std::vector<std::int64_t>& percent = target.then.percent(target.side);
    table.add_row({Cell::target(target.target), "then " + target.version_then,
                   count_text(target.then.functions), count_text(then.success), count_text(then.partial),
                   count_text(then.complete), glyphs.none,
                   percent.empty() ? std::string(glyphs.none) : fmt::format("{}%", percent.front()),
                   share(then.partial + then.complete, target.then.functions)});
    const NowCounts& now = target.now;
    const int checked = now.pass + now.partial + now.fail;
    table.add_row({"",
                   {verb_of(target) + " now", target.compiled_only ? Tone::kCompiled : Tone::kPlain},
                   count_text(now.functions),
                   count_text(now.pass),
                   count_text(now.partial),
                   count_text(now.fail),
                   count_text(now.unchecked),
                   share(now.pass, checked),
                   share(now.partial + now.fail, checked)});
  }
  return {.id = "totals",
          .heading = "Totals",
          .note =
              "Then: Tables 1 and 8, on that device. Now: the functions that the study tested or published; "
              "shares are of those checked.",
          .blocks = {std::move(table)}};
}

const char* unseen_by_compiling(Category category) {
  if (category == Category::kFloatPrecision) return "not seen by compiling";
  if (category == Category::kTimeout) return "only the compiler's time is seen";
  if (category == Category::kMemory) return "only what the compiler foresees";
  return "";
}

Section category_change_section(const StudyComparison& comparison) {
  TextTable table({{"target"}, {"category"}, {"then", Align::kRight}, {"now", Align::kRight}, {""}});
  for (const StudyTarget& target : comparison.targets) {
    for (const analysis::CategoryChange& change : target.categories) {
      table.add_row({&change == &target.categories.front() ? Cell::target(target.target) : Cell(),
                     std::string(name_of(change.category)),
                     count_text(change.then),
                     count_text(change.now),
                     {target.compiled_only ? unseen_by_compiling(change.category) : "", Tone::kDim}});
    }
  }
  if (table.empty()) return {};
  return {.id = "categories",
          .heading = "Failing functions by category",
          .note = "Then: Figure 6, partial and complete failures.",
          .blocks = {std::move(table)}};
}

constexpr std::array<const char*, 10> kAgreementRows = {
    "functions checked",        "fails now, failed then", "fails now, ran then",
    "passes now, failed then",  "passes now, ran then",   "precision on failures",
    "recall of failures",       "Cohen's kappa",          "agreement",
    "always saying pass agrees"};

std::array<std::string, kAgreementRows.size()> agreement_column(const Agreement& agreement,
                                                                const Glyphs& glyphs) {
  const analysis::Confusion& confusion = agreement.confusion;
  const auto share = [&](const analysis::Rate& rate) {
    if (!rate.value) return std::string(glyphs.none);
    return fmt::format("{} ({} of {})", percent_text(rate.count, rate.total, glyphs), rate.count, rate.total);
  };
  return {count_text(agreement.agreement.total),
          count_text(confusion.fail_failed),
          count_text(confusion.fail_ran),
          count_text(confusion.pass_failed),
          count_text(confusion.pass_ran),
          share(agreement.precision),
          share(agreement.recall),
          agreement.kappa.value ? fmt::format("{:.2f}", *agreement.kappa.value) : std::string(glyphs.none),
          share(agreement.agreement),
          share(agreement.always_pass)};
}

// The confusion table; its columns are groups of functions.
TextTable agreement_table(const std::string& label,
                          const std::vector<std::pair<const char*, const Agreement*>>& groups,
                          const Glyphs& glyphs) {
  std::vector<Column> columns{{one_line(label), Align::kLeft, 0, 20}};
  std::vector<std::array<std::string, kAgreementRows.size()>> values;
  for (const auto& [name, agreement] : groups) {
    columns.push_back({name, Align::kRight});
    values.push_back(agreement_column(*agreement, glyphs));
  }
  TextTable table(std::move(columns));
  for (std::size_t row = 0; row < kAgreementRows.size(); ++row) {
    std::vector<Cell> cells{kAgreementRows[row]};
    for (const auto& column : values) cells.emplace_back(column[row]);
    table.add_row(std::move(cells));
  }
  return table;
}

Section agreement_section(const StudyComparison& comparison, const Glyphs& glyphs) {
  Section section{
      .id = "agreement",
      .heading = "Does it predict?",
      .note = "Failing today as a forecast of failing then; the last line is what it has to beat.",
      .blocks = {}};
  for (const StudyTarget& target : comparison.targets) {
    section.blocks.emplace_back(agreement_table(target.target,
                                                {{"without host-only", &target.without_host_only},
                                                 {"host-only", &target.host_only},
                                                 {"all", &target.all}},
                                                glyphs));
  }
  if (comparison.pooled && comparison.pooled_without_host_only) {
    section.blocks.emplace_back(agreement_table(
        "all frameworks",
        {{"without host-only", &*comparison.pooled_without_host_only}, {"all", &*comparison.pooled}},
        glyphs));
  }
  return section;
}

// What fails, and partly fails; what was published first.
Section why_not_section(const StudyComparison& comparison, const Glyphs& glyphs) {
  Section section{.id = "why-not", .heading = "Why not", .note = {}, .blocks = {}};
  for (const StudyTarget& target : comparison.targets) {
    TextTable table({{"function", Align::kLeft, 0, 16, true}, {"then"}, {"now"}, {"category"}});
    for (const bool published : {true, false}) {
      for (const StudyLine& line : target.lines) {
        const bool fails = line.now == analysis::Now::kFails;
        if (line.published != published || (!fails && line.verdict != Verdict::kPartial)) continue;
        table.add_row({Cell::function(line.name, Tone::kStrong), published ? "ran" : "no latency",
                       fails ? Cell("fails", Tone::kBad) : Cell("in part", Tone::kPartial),
                       line.category ? std::string(name_of(*line.category)) : std::string(glyphs.none)});
        if (std::string message = error_line(line.type, line.message); !message.empty())
          table.add_note(std::move(message));
      }
    }
    if (table.empty()) continue;
    section.say(target.target);
    section.blocks.emplace_back(std::move(table));
  }
  return section;
}

// Functions by the reason for which they could not be checked, the most frequent first.
Section unchecked_section(const StudyComparison& comparison) {
  Section section{.id = "not-checked", .heading = "Not checked", .note = {}, .blocks = {}};
  for (const StudyTarget& target : comparison.targets) {
    std::vector<std::pair<std::string, std::vector<std::string>>> groups;
    for (const StudyLine& line : target.lines) {
      if (line.now != analysis::Now::kUnchecked) continue;
      auto at = std::find_if(groups.begin(), groups.end(),
                             [&](const auto& group) { return group.first == line.reason; });
      if (at == groups.end()) at = groups.insert(groups.end(), {line.reason, {}});
      at->second.push_back(line.name);
    }
    std::stable_sort(groups.begin(), groups.end(),
                     [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
    Items items;
    for (const auto& [reason, functions] : groups) {
      items.texts.push_back(fmt::format("{} ({}): {}", reason, functions.size(), join(functions, ", ")));
    }
    if (items.texts.empty()) continue;
    section.say(target.target);
    section.blocks.emplace_back(std::move(items));
  }
  return section;
}

// What limits the figures.
Section limit_section(const StudyComparison& comparison) {
  Remarks notes;
  for (const analysis::RunFacts& run : comparison.runs) {
    if (run.info.subset_note.empty()) continue;
    notes.list.push_back({"subset", run.info.subset_note, Tone::kPartial});
    break;
  }
  if (std::any_of(comparison.targets.begin(), comparison.targets.end(),
                  [](const StudyTarget& target) { return target.compiled_only; })) {
    notes.list.push_back({"compiled", compiled_meaning()});
    notes.list.push_back(
        {"lower bound",
         "a rate of failures to compile is a lower bound: wrong numbers, timeouts and what runs out of "
         "memory while it runs are not seen. About a fifth of the study's failures on TPU were "
         "numerical."});
  }
  notes.list.push_back(
      {"then",
       "a published latency means that at least one test of the function ran on that device. The "
       "study did not publish which functions failed: that none was published is taken for a failure, "
       "though fewer failed altogether than lack a latency (see the totals). Precision, recall and "
       "kappa are biased by that."});
  notes.list.push_back(
      {"now", "at least one core case passes, as then; cases, shapes and versions are not the study's."});
  for (const std::string& framework : comparison.missing) {
    notes.list.push_back(
        {"missing", framework + ": no target to hold against the study in the chosen runs: not compared",
         Tone::kPartial});
  }
  return {.id = "notes", .heading = "Notes", .note = {}, .blocks = {std::move(notes)}};
}

}  // namespace

Document study_document(const StudyComparison& comparison, const RenderOptions& options) {
  const Glyphs glyphs = Glyphs::of(options.unicode);
  Document document = changes_document(comparison.changes, options);
  document.head.push_back(
      {"study", fmt::format("{}, {}. {}", comparison.title, comparison.devices, comparison.source)});
  document.head.push_back({"store", comparison.store});
  std::vector<Section> changes = std::exchange(document.sections, {});
  document.add(then_section(comparison));
  document.add(total_section(comparison, glyphs));
  document.add(category_change_section(comparison));
  document.add(agreement_section(comparison, glyphs));
  document.add(why_not_section(comparison, glyphs));
  document.add(unchecked_section(comparison));
  document.add(limit_section(comparison));
  changes.front().heading = "Changes";
  changes.front().note =
      "The same as changes, function by function where it was timed then. " + changes.front().note;
  std::move(changes.begin(), changes.end(), std::back_inserter(document.sections));
  return document;
}

}  // namespace seamark::report
