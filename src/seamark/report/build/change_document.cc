// A comparison for people (declared in change_report.h).
#include <fmt/format.h>

#include <algorithm>

#include "seamark/base/text.h"
#include "seamark/report/build/change_report.h"
#include "seamark/report/build/change_text.h"

namespace seamark::report {

using analysis::Change;
using analysis::ChangeKind;
using analysis::Comparison;
using analysis::PairDelta;

namespace {

constexpr std::size_t kMostRegressions = 100;  // of one kind on one pair of targets
constexpr std::size_t kMostOthers = 50;
constexpr std::size_t kMostDifferences = 50;
constexpr std::size_t kCommentBytes = 60'000;  // a comment on GitHub holds 65,536 characters

std::string number(std::size_t count) {
  return count == 0 ? std::string("-") : count_text(static_cast<std::int64_t>(count));
}

Section table_section(const Comparison& comparison, const Glyphs& glyphs) {
  using Align = Column::Align;
  TextTable table({{.head = "target", .elastic = 24, .keep_end = true},
                   {.head = "same", .align = Align::kRight},
                   {.head = "changed", .align = Align::kRight},
                   {.head = "added", .align = Align::kRight},
                   {.head = "dropped", .align = Align::kRight},
                   {.head = "not\ncompared", .align = Align::kRight, .optional = 2},
                   {.head = "newly\nfailing", .align = Align::kRight},
                   {.head = "newly\npassing", .align = Align::kRight},
                   {.head = "slower", .align = Align::kRight},
                   {.head = "faster", .align = Align::kRight},
                   {.head = "warm\noverall", .align = Align::kRight, .optional = 1}});
  for (const PairDelta& pair : comparison.pairs) {
    const auto of = [](int count) { return number(static_cast<std::size_t>(count)); };
    const auto tally = [&pair](ChangeKind kind, Tone tone) {
      const std::size_t count = unexpected_of(pair.changes, kind);
      return Cell(number(count), count == 0 ? Tone::kDim : tone);
    };
    const analysis::StatusCounts& counts = pair.function_counts;
    table.add_row({Cell::target(pair_title(pair)), of(counts.unchanged), of(counts.changed), of(counts.added),
                   of(counts.dropped), of(counts.not_compared), tally(ChangeKind::kNewFailure, Tone::kBad),
                   tally(ChangeKind::kNewPass, Tone::kGood), tally(ChangeKind::kSlower, Tone::kSlow),
                   tally(ChangeKind::kFaster, Tone::kGood),
                   pair.warm.median.value ? ratio_text(*pair.warm.median.value, glyphs) : glyphs.none});
  }
  return {.id = "functions",
          .heading = "Functions",
          .note = "By target; cases that changed.",
          .blocks = {std::move(table)}};
}

Section drift_section(const Comparison& comparison) {
  Items items;
  for (const analysis::Drift& drift : comparison.drifts) {
    if (items.texts.size() < kMostDifferences) items.texts.push_back(drift_text(drift));
  }
  if (items.texts.empty()) return {};
  if (comparison.drifts.size() > items.texts.size())
    items.texts.push_back(fmt::format("and {} more", comparison.drifts.size() - items.texts.size()));
  return {.id = "drift",
          .heading = fmt::format("Drift ({})", comparison.drifts.size()),
          .note = "What differs besides the change under test; what differs below may come from these.",
          .blocks = {std::move(items)}};
}

// One item per change that is not expected.
Items items_of(const std::vector<const Change*>& changes, const PairDelta* pair, const Glyphs& glyphs) {
  Items items;
  std::size_t expected = 0;
  std::size_t more = 0;
  for (const Change* change : changes) {
    const std::size_t most = is_regression(change->kind) ? kMostRegressions : kMostOthers;
    if (change->expected) {
      ++expected;
    } else if (items.texts.size() >= most) {
      ++more;
    } else {
      const std::string statement = statement_of(*change, pair, glyphs);
      items.texts.push_back(place_of(*change) + (statement.empty() ? "" : ": " + statement));
    }
  }
  if (more > 0) items.texts.push_back(fmt::format("and {} more", more));
  if (expected > 0) items.texts.push_back(fmt::format("{} expected", expected));
  return items;
}

Section kind_section(const Comparison& comparison, ChangeKind kind, const Glyphs& glyphs) {
  Section section{.id = std::string(name_of(kind)),
                  .heading = {},
                  .note = std::string(analysis::description_of(kind)),
                  .blocks = {}};
  std::size_t unexpected = 0;
  bool finding = false;
  const auto add = [&](const std::string& title, const std::vector<const Change*>& changes,
                       const PairDelta* pair) {
    if (changes.empty()) return;
    for (const Change* change : changes) {
      unexpected += !change->expected;
      finding = finding || change->finding;
    }
    section.say(title);
    section.blocks.emplace_back(items_of(changes, pair, glyphs));
  };
  for (const PairDelta& pair : comparison.pairs) add(pair_title(pair), changes_of(pair.changes, kind), &pair);
  for (const Change* change : changes_of(comparison.of_targets, kind))
    add(one_line(change->target), {change}, nullptr);
  section.heading = fmt::format("{} ({}{})", heading_of(kind), unexpected, finding ? ", findings" : "");
  return section;
}

Section not_compared_section(const Comparison& comparison) {
  Items items;
  for (const PairDelta& pair : comparison.pairs) {
    for (const analysis::ReasonCount& one : pair.not_compared) {
      items.texts.push_back(
          fmt::format("{}: {}: {}", pair_title(pair), plural(one.cases, "case"), one.reason));
    }
    if (pair.unstable > 0) {
      items.texts.push_back(fmt::format("{}: {}: too unstable to say slower or faster", pair_title(pair),
                                        plural(pair.unstable, "time")));
    }
  }
  if (items.texts.empty()) return {};
  return {.id = "not-compared", .heading = "Not compared", .note = {}, .blocks = {std::move(items)}};
}

Section not_answered_section(const Comparison& comparison) {
  if (comparison.unanswered.empty()) return {};
  return {.id = "not-answered",
          .heading = "Not answered",
          .note = "Changes that the earlier side says nothing of.",
          .blocks = {Items{unanswered_texts(comparison)}}};
}

Section answer_section(const Comparison& comparison, const Glyphs& glyphs) {
  Remarks remarks;
  for (const PairDelta& pair : comparison.pairs) {
    if (!pair.warm.median.value && !pair.cold.median.value) continue;
    std::string text = pair_title(pair) + ": ";
    if (pair.warm.median.value) text += "warm " + overall_text(pair.warm, glyphs) + ", ";
    if (pair.cold.median.value) text += "cold " + overall_text(pair.cold, glyphs) + ", ";
    text += fmt::format("floor {} ({})", ratio_text(pair.floor.value, glyphs), pair.floor.source);
    remarks.list.push_back({"times", std::move(text)});
  }
  const analysis::ExpectationFacts& facts = comparison.expectations;
  if (!facts.file.empty()) {
    remarks.list.push_back({"expected", fmt::format("{} of {} in {} fail as expected, {} not judged",
                                                    facts.matched, plural(facts.entries, "entry", "entries"),
                                                    one_line(facts.file), facts.not_judged)});
  }
  remarks.list.push_back(
      {"answer", answer_of(comparison), comparison.findings == 0 ? Tone::kGood : Tone::kBad});
  return {.id = "answer", .heading = "In sum", .note = {}, .blocks = {std::move(remarks)}};
}

}  // namespace

Document changes_document(const Comparison& comparison, const RenderOptions& options) {
  const Glyphs glyphs = Glyphs::of(options.unicode);
  Document document{.head = {{"Seamark:", answer_of(comparison), Tone::kStrong},
                             {"before", side_text(comparison.before)},
                             {"after", side_text(comparison.after)}},
                    .sections = {},
                    .most_bytes = kCommentBytes};
  document.add(table_section(comparison, glyphs));
  document.add(drift_section(comparison));
  for (std::size_t k = 0; k < analysis::kChangeKinds; ++k)
    document.add(kind_section(comparison, static_cast<ChangeKind>(k), glyphs));
  document.add(not_compared_section(comparison));
  document.add(not_answered_section(comparison));
  document.add(answer_section(comparison, glyphs));
  return document;
}

}  // namespace seamark::report
