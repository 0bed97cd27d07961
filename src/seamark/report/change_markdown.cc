// A comparison for a pull request (declared in change_report.h).
#include <fmt/format.h>

#include "seamark/base/text.h"
#include "seamark/report/change_report.h"
#include "seamark/report/change_text.h"
#include "seamark/report/markdown_text.h"

namespace seamark::report {

using analysis::Change;
using analysis::ChangeKind;
using analysis::Comparison;
using analysis::PairDelta;

namespace {

constexpr std::size_t kMostRows = 50;       // of one kind
constexpr std::size_t kMostBytes = 60'000;  // a comment on GitHub holds 65,536 characters
constexpr std::size_t kMostStatement = 240;

std::string bounded(const std::string& text) {
  const std::string_view kept = utf8_prefix(text, kMostStatement);
  return std::string(kept) + (kept.size() < text.size() ? " ..." : "");
}

std::string row_of(const Change& change, const PairDelta* pair) {
  return markdown::line({markdown::code(change.target), markdown::code(place_of(change)),
                         markdown::plain(bounded(statement_of(change, pair, Glyphs::of(true))))});
}

struct Rows {
  std::string text;
  std::size_t count = 0;
};

Rows rows_of(const Comparison& comparison, ChangeKind kind) {
  Rows rows;
  const auto add = [&](const std::vector<Change>& changes, const PairDelta* pair) {
    for (const Change* change : changes_of(changes, kind)) {
      if (change->expected) continue;
      if (rows.count++ < kMostRows) rows.text += row_of(*change, pair);
    }
  };
  for (const PairDelta& pair : comparison.pairs) add(pair.changes, &pair);
  add(comparison.of_targets, nullptr);
  return rows;
}

bool has_finding(const Comparison& comparison, ChangeKind kind) {
  const auto is_finding = [&](const std::vector<Change>& changes) {
    for (const Change& change : changes) {
      if (change.kind == kind && change.finding) return true;
    }
    return false;
  };
  for (const PairDelta& pair : comparison.pairs) {
    if (is_finding(pair.changes)) return true;
  }
  return is_finding(comparison.of_targets);
}

std::string kind_text(const Comparison& comparison, ChangeKind kind) {
  const Rows rows = rows_of(comparison, kind);
  if (rows.count == 0) return {};
  std::string body = markdown::table_head({"target", "what", "how"}) + rows.text;
  if (rows.count > kMostRows) body += fmt::format("\nand {} more\n", rows.count - kMostRows);
  const std::string mark = has_finding(comparison, kind) ? "\xe2\x9d\x8c " : "";
  return markdown::details(fmt::format("{}{} ({})", mark, heading_of(kind), rows.count), body);
}

std::string number(std::size_t count) {
  return count == 0 ? "" : count_text(static_cast<std::int64_t>(count));
}

std::string table(const Comparison& comparison) {
  const Glyphs glyphs = Glyphs::of(true);
  std::string out =
      markdown::table_head({"target", ">functions unchanged", ">changed", ">added", ">dropped",
                            ">newly failing", ">newly passing", ">slower", ">faster", ">warm overall"});
  for (const PairDelta& pair : comparison.pairs) {
    const analysis::StatusCounts& counts = pair.function_counts;
    const auto tally = [&](ChangeKind kind) { return number(unexpected_of(pair.changes, kind)); };
    const auto of = [](int count) { return number(static_cast<std::size_t>(count)); };
    out += markdown::line({markdown::code(pair_title(pair)), of(counts.unchanged), of(counts.changed),
                           of(counts.added), of(counts.dropped), tally(ChangeKind::kNewFailure),
                           tally(ChangeKind::kNewPass), tally(ChangeKind::kSlower),
                           tally(ChangeKind::kFaster), markdown::plain(overall_text(pair.warm, glyphs))});
  }
  return out + "\n";
}

std::string notes(const Comparison& comparison) {
  std::string rows;
  for (const PairDelta& pair : comparison.pairs) {
    for (const analysis::ReasonCount& one : pair.not_compared) {
      rows += fmt::format("- {}: {} not compared, {}\n", markdown::code(pair_title(pair)),
                          plural(one.cases, "case"), markdown::plain(one.reason));
    }
    if (pair.unstable > 0) {
      rows += fmt::format("- {}: {} too unstable to say slower or faster\n", markdown::code(pair_title(pair)),
                          plural(pair.unstable, "time"));
    }
    if (!pair.warm.median.value && !pair.cold.median.value) continue;
    rows += fmt::format("- {}: noise floor {}, {}\n", markdown::code(pair_title(pair)),
                        ratio_text(pair.floor.value, Glyphs::of(true)), markdown::plain(pair.floor.source));
  }
  for (const std::string& text : unanswered_texts(comparison)) {
    rows += "- not answered: " + markdown::plain(text) + "\n";
  }
  const analysis::ExpectationFacts& facts = comparison.expectations;
  if (!facts.file.empty()) {
    rows +=
        fmt::format("- {} of {} in {} fail as expected, {} not judged\n", facts.matched,
                    plural(facts.entries, "entry", "entries"), markdown::code(facts.file), facts.not_judged);
  }
  rows += fmt::format("- before: {}\n- after: {}\n", markdown::plain(side_text(comparison.before)),
                      markdown::plain(side_text(comparison.after)));
  return markdown::details("What was compared", rows);
}

std::string drifts(const Comparison& comparison) {
  if (comparison.drifts.empty()) return {};
  std::string rows;
  for (std::size_t d = 0; d < std::min(comparison.drifts.size(), kMostRows); ++d) {
    rows += "- " + markdown::plain(drift_text(comparison.drifts[d])) + "\n";
  }
  if (comparison.drifts.size() > kMostRows)
    rows += fmt::format("- and {} more\n", comparison.drifts.size() - kMostRows);
  return markdown::details(fmt::format("\xe2\x9a\xa0\xef\xb8\x8f drift: {} else than the change under test",
                                       plural(static_cast<std::int64_t>(comparison.drifts.size()),
                                              "thing differs", "things differ")),
                           rows);
}

}  // namespace

std::string changes_markdown(const Comparison& comparison, const RenderOptions& /*options*/) {
  std::string out = fmt::format("**Seamark: {}**\n\n", markdown::plain(answer_of(comparison)));
  out += table(comparison);
  std::string folded;
  std::size_t left_out = 0;
  const std::string end = drifts(comparison) + notes(comparison);
  for (std::size_t k = 0; k < analysis::kChangeKinds; ++k) {
    const std::string text = kind_text(comparison, static_cast<ChangeKind>(k));
    const bool fits = out.size() + folded.size() + text.size() + end.size() < kMostBytes;
    if (fits) {
      folded += text;
    } else {
      ++left_out;
    }
  }
  if (left_out > 0) {
    folded +=
        fmt::format("{} left out: too long for a comment; the JSON has all.\n\n",
                    plural(static_cast<std::int64_t>(left_out), "kind of change is", "kinds of changes are"));
  }
  return out + folded + end;
}

}  // namespace seamark::report
