// A comparison for people at a terminal (declared in change_report.h).
#include <fmt/format.h>

#include "seamark/base/text.h"
#include "seamark/report/change_report.h"
#include "seamark/report/change_text.h"
#include "seamark/report/text_table.h"

namespace seamark::report {

using analysis::Change;
using analysis::ChangeKind;
using analysis::Comparison;
using analysis::PairDelta;

namespace {

constexpr std::size_t kMostRegressions = 100;  // rows of one kind on one pair of targets
constexpr std::size_t kMostOthers = 8;
constexpr std::size_t kMostDrifts = 12;

class Page {
 public:
  Page(const Comparison& comparison, const RenderOptions& options)
      : comparison_(comparison), options_(options), glyphs_(Glyphs::of(options.unicode)) {}

  std::string render() {
    head();
    drifts();
    table();
    for (std::size_t k = 0; k < analysis::kChangeKinds; ++k) section(static_cast<ChangeKind>(k));
    not_compared();
    not_answered();
    foot();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string tone(std::string_view text, Tone tone) const {
    return toned(text, tone, options_.color);
  }

  void line(std::string_view label, std::string_view text) {
    constexpr std::size_t kLabel = 11;
    out_ += tone(pad_right(label, kLabel), Tone::kDim) +
            wrapped(text, usable_width(options_), std::string(kLabel, ' '), kLabel);
  }

  void head() {
    line("before", side_text(comparison_.before));
    line("after", side_text(comparison_.after));
  }

  void drifts() {
    const auto& all = comparison_.drifts;
    for (std::size_t d = 0; d < std::min(all.size(), kMostDrifts); ++d) {
      out_ += tone(pad_right(d == 0 ? "drift" : "", 11), Tone::kPartial) +
              wrapped(drift_text(all[d]), usable_width(options_), std::string(11, ' '), 11);
    }
    if (all.size() > kMostDrifts)
      line("", fmt::format("and {} more (--format json)", all.size() - kMostDrifts));
    if (!all.empty()) line("", "what differs below may come from these");
  }

  static std::string number(std::size_t count) {
    return count == 0 ? std::string("-") : count_text(static_cast<std::int64_t>(count));
  }
  static std::string number(int count) { return number(static_cast<std::size_t>(count)); }

  [[nodiscard]] static Cell tally(const PairDelta& pair, ChangeKind kind, Tone tone) {
    const std::size_t count = unexpected_of(pair.changes, kind);
    return {number(count), count == 0 ? Tone::kDim : tone};
  }

  void table() {
    out_ += section_heading("FUNCTIONS", "by target; cases that changed", options_);
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
    for (const PairDelta& pair : comparison_.pairs) {
      const analysis::StatusCounts& counts = pair.function_counts;
      table.add_row(
          {pair_title(pair), number(counts.unchanged), number(counts.changed), number(counts.added),
           number(counts.dropped), number(counts.not_compared),
           tally(pair, ChangeKind::kNewFailure, Tone::kBad), tally(pair, ChangeKind::kNewPass, Tone::kGood),
           tally(pair, ChangeKind::kSlower, Tone::kSlow), tally(pair, ChangeKind::kFaster, Tone::kGood),
           pair.warm.median.value ? ratio_text(*pair.warm.median.value, glyphs_)
                                  : std::string(glyphs_.none)});
    }
    out_ += table.render(options_);
  }

  void rows(const std::vector<const Change*>& changes, const PairDelta* pair, ChangeKind kind) {
    const std::size_t most = is_regression(kind) ? kMostRegressions : kMostOthers;
    std::size_t shown = 0;
    std::size_t expected = 0;
    for (const Change* change : changes) {
      if (change->expected) {
        ++expected;
        continue;
      }
      if (shown++ >= most) continue;
      if (!change->function.empty() || !change->case_name.empty()) {
        const Tone tone_of_it = change->finding ? Tone::kBad : Tone::kPlain;
        const std::string place = wrapped(place_of(*change), usable_width(options_) - 4);
        for (const std::string_view part : split_lines(place)) {
          out_ += "    " + tone(part, tone_of_it) + "\n";
        }
      }
      const std::string statement = statement_of(*change, pair, glyphs_);
      if (!statement.empty()) out_ += "      " + wrapped(statement, usable_width(options_), "      ", 6);
    }
    if (shown > most)
      out_ += tone(fmt::format("    and {} more (--format json)\n", shown - most), Tone::kDim);
    if (expected > 0) out_ += tone(fmt::format("    {} expected\n", expected), Tone::kDim);
  }

  void title(const std::string& text) {
    out_ += "  " + tone(ellipsize(text, usable_width(options_) - 2), Tone::kStrong) + "\n";
  }

  void section(ChangeKind kind) {
    std::size_t total = changes_of(comparison_.of_targets, kind).size();
    for (const PairDelta& pair : comparison_.pairs) total += changes_of(pair.changes, kind).size();
    if (total == 0) return;
    out_ += section_heading(upper(heading_of(kind)), analysis::description_of(kind), options_);
    for (const PairDelta& pair : comparison_.pairs) {
      const auto changes = changes_of(pair.changes, kind);
      if (changes.empty()) continue;
      title(pair_title(pair));
      rows(changes, &pair, kind);
    }
    for (const Change* change : changes_of(comparison_.of_targets, kind)) {
      title(one_line(change->target));
      rows({change}, nullptr, kind);
    }
  }

  void not_compared() {
    bool any = false;
    for (const PairDelta& pair : comparison_.pairs) {
      std::vector<std::string> parts;
      parts.reserve(pair.not_compared.size());
      for (const analysis::ReasonCount& one : pair.not_compared) {
        parts.push_back(fmt::format("{}: {}", plural(one.cases, "case"), one.reason));
      }
      if (pair.unstable > 0) {
        parts.push_back(
            fmt::format("{}: too unstable to say slower or faster", plural(pair.unstable, "time")));
      }
      if (parts.empty()) continue;
      if (!any) out_ += section_heading("NOT COMPARED", "", options_);
      any = true;
      title(pair_title(pair));
      out_ += "    " + wrapped(join(parts, "; "), usable_width(options_), "    ", 4);
    }
  }

  void not_answered() {
    if (comparison_.unanswered.empty()) return;
    out_ += section_heading("NOT ANSWERED", "Changes that the earlier side says nothing of.", options_);
    for (const std::string& text : unanswered_texts(comparison_)) {
      out_ += "  " + wrapped(text, usable_width(options_), "    ", 2);
    }
  }

  void times() {
    for (const PairDelta& pair : comparison_.pairs) {
      if (!pair.warm.median.value && !pair.cold.median.value) continue;
      std::string text = pair_title(pair) + ": ";
      if (pair.warm.median.value) text += "warm " + overall_text(pair.warm, glyphs_) + ", ";
      if (pair.cold.median.value) text += "cold " + overall_text(pair.cold, glyphs_) + ", ";
      text += fmt::format("floor {} ({})", ratio_text(pair.floor.value, glyphs_), pair.floor.source);
      line("times", text);
    }
  }

  void foot() {
    out_ += '\n';
    times();
    const analysis::ExpectationFacts& facts = comparison_.expectations;
    if (!facts.file.empty()) {
      line("expected",
           fmt::format("{} of {} in {} fail as expected, {} not judged", facts.matched,
                       plural(facts.entries, "entry", "entries"), one_line(facts.file), facts.not_judged));
    }
    out_ += tone(pad_right("answer", 11), Tone::kDim) +
            tone(answer_of(comparison_), comparison_.findings == 0 ? Tone::kGood : Tone::kBad) + "\n";
  }

  const Comparison& comparison_;
  const RenderOptions& options_;
  Glyphs glyphs_;
  std::string out_;
};

}  // namespace

std::string changes_terminal(const Comparison& comparison, const RenderOptions& options) {
  return Page(comparison, options).render();
}

}  // namespace seamark::report
