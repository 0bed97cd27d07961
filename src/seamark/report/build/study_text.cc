// The comparison with a study for people: terminal and Markdown (declared in study_report.h).
#include <fmt/format.h>

#include <array>
#include <utility>

#include "seamark/base/text.h"
#include "seamark/report/build/study_report.h"
#include "seamark/report/document/text_table.h"
#include "seamark/report/render/markdown_text.h"
#include "seamark/report/render/number_text.h"

namespace seamark::report {

using analysis::Agreement;
using analysis::NowCounts;
using analysis::StudyComparison;
using analysis::StudyLine;
using analysis::StudyTarget;
using Align = Column::Align;

namespace {

constexpr std::size_t kMessageBytes = 300;

// --- words of both

std::string message_of(const StudyLine& line) {
  const std::string type = one_line(line.type);
  std::string message = one_line(line.message);
  if (!type.empty() && !message.starts_with(type)) message = message.empty() ? type : type + ": " + message;
  const std::string_view kept = utf8_prefix(message, kMessageBytes);
  return std::string(kept) + (kept.size() < message.size() ? " ..." : "");
}

// "61 functions with a published latency: 52 compile (1 in part), 0 fail, 9 not checked".
std::string answer_of(const NowCounts& counts, const std::string& verb) {
  const std::string plural_verb = verb.substr(0, verb.size() - 1);
  return fmt::format("{}: {} {} ({} in part), {} {} not, {} not checked",
                     plural(counts.functions, "function"), counts.pass + counts.partial, plural_verb,
                     counts.partial, counts.fail, counts.fail == 1 ? "does" : "do", counts.unchecked);
}

std::string device_then(const StudyTarget& target) {
  return target.device.label.empty() ? "the study's device" : one_line(target.device.label);
}

std::string percent_then(const StudyTarget& target, const Glyphs& glyphs) {
  const std::vector<std::int64_t>& percent = target.then.percent(target.side);
  return percent.empty() ? std::string(glyphs.none) : fmt::format("{}%", percent.front());
}

// One block of the confusion table: its columns are groups of functions.
struct AgreementBlock {
  std::string label;
  std::vector<std::pair<std::string, const Agreement*>> groups;
};

std::vector<AgreementBlock> agreement_blocks(const StudyComparison& comparison) {
  std::vector<AgreementBlock> blocks;
  for (const StudyTarget& target : comparison.targets) {
    blocks.push_back({one_line(target.target),
                      {{"without host-only", &target.without_host_only},
                       {"host-only", &target.host_only},
                       {"all", &target.all}}});
  }
  if (comparison.pooled && comparison.pooled_without_host_only) {
    blocks.push_back(
        {"all frameworks",
         {{"without host-only", &*comparison.pooled_without_host_only}, {"all", &*comparison.pooled}}});
  }
  return blocks;
}

std::string evidence_of(const StudyTarget& target) {
  return !target.ran ? "nothing ran" : target.compiled_only ? "compiled" : "executed";
}

std::string share_text(const analysis::Rate& rate, const Glyphs& glyphs) {
  if (!rate.value) return glyphs.none;
  return fmt::format("{} ({} of {})", percent_text(rate.count, rate.total, glyphs), rate.count, rate.total);
}

constexpr std::array<const char*, 10> kAgreementRows = {
    "functions checked",        "fails now, failed then", "fails now, ran then",
    "passes now, failed then",  "passes now, ran then",   "precision on failures",
    "recall of failures",       "Cohen's kappa",          "agreement",
    "always saying pass agrees"};

std::array<std::string, kAgreementRows.size()> agreement_column(const Agreement& agreement,
                                                                const Glyphs& glyphs) {
  const analysis::Confusion& confusion = agreement.confusion;
  return {count_text(agreement.agreement.total),
          count_text(confusion.fail_failed),
          count_text(confusion.fail_ran),
          count_text(confusion.pass_failed),
          count_text(confusion.pass_ran),
          share_text(agreement.precision, glyphs),
          share_text(agreement.recall, glyphs),
          agreement.kappa.value ? fmt::format("{:.2f}", *agreement.kappa.value) : std::string(glyphs.none),
          share_text(agreement.agreement, glyphs),
          share_text(agreement.always_pass, glyphs)};
}

// --- terminal

class Page {
 public:
  Page(const StudyComparison& comparison, const RenderOptions& options)
      : comparison_(comparison), options_(options), glyphs_(Glyphs::of(options.unicode)) {}

  std::string render() const {
    std::string out = head() + answers() + totals() + categories() + agreements();
    for (const StudyTarget& target : comparison_.targets) out += failures(target) + unchecked(target);
    return out + notes();
  }

 private:
  [[nodiscard]] std::string head() const {
    std::string out = toned("Seamark", Tone::kStrong, options_.color) + " ";
    out += wrapped("against " + one_line(comparison_.title) + ", " + one_line(comparison_.devices),
                   usable_width(options_), {}, 8);
    out += wrapped(one_line(comparison_.source), usable_width(options_));
    return out + wrapped("store " + one_line(comparison_.store), usable_width(options_));
  }

  [[nodiscard]] std::string answers() const {
    std::string out = section_heading(
        "OF WHAT RAN THEN",
        "Functions with a latency published on the study's device, and what they do today.", options_);
    for (const StudyTarget& target : comparison_.targets) {
      out += "  " + toned(ellipsize(one_line(target.target), 40), Tone::kStrong, options_.color) + "  " +
             toned(evidence_of(target), Tone::kCompiled, options_.color) + "\n";
      out += "    " + wrapped(fmt::format("against {}: {}", device_then(target), versions_text(target)),
                              usable_width(options_), "    ", 4);
      for (const std::string& answer :
           {answer_of(target.published, verb_of(target)),
            "without host-only, " + answer_of(target.published_without_host_only, verb_of(target))}) {
        out += "    " + wrapped(answer, usable_width(options_), "    ", 4);
      }
    }
    return out;
  }

  [[nodiscard]] std::string totals() const {
    TextTable table({{"target"},
                     {""},
                     {"func-\ntions", Align::kRight},
                     {"pass", Align::kRight},
                     {"partial", Align::kRight},
                     {"fail", Align::kRight},
                     {"not\nchecked", Align::kRight},
                     {"pass", Align::kRight},
                     {"fails in\npart or whole", Align::kRight, 1}});
    for (const StudyTarget& target : comparison_.targets) {
      const analysis::StudyCounts& then = target.then.counts(target.side);
      auto percent = [&](int count, int total) {
        return rate_text(analysis::rate_of(count, total), glyphs_);
      };
      const int ran_then = target.then.functions;
      table.add_row({one_line(target.target), "then " + one_line(target.version_then), count_text(ran_then),
                     count_text(then.success), count_text(then.partial), count_text(then.complete),
                     glyphs_.none, percent_then(target, glyphs_),
                     percent(then.partial + then.complete, ran_then)});
      const NowCounts& now = target.now;
      const int checked = now.pass + now.partial + now.fail;
      table.add_row({"",
                     {verb_of(target) + " now", Tone::kCompiled},
                     count_text(now.functions),
                     count_text(now.pass),
                     count_text(now.partial),
                     count_text(now.fail),
                     count_text(now.unchecked),
                     percent(now.pass, checked),
                     percent(now.partial + now.fail, checked)});
    }
    return section_heading(
               "TOTALS",
               "Then: Tables 1 and 8, on that device. Now: the functions that the study tested or published; "
               "shares are of those checked.",
               options_) +
           table.render(options_);
  }

  [[nodiscard]] std::string categories() const {
    TextTable table({{"target"}, {"category"}, {"then", Align::kRight}, {"now", Align::kRight}, {""}});
    for (const StudyTarget& target : comparison_.targets) {
      std::string shown = one_line(target.target);
      for (const analysis::CategoryChange& change : target.categories) {
        table.add_row({shown,
                       std::string(name_of(change.category)),
                       count_text(change.then),
                       count_text(change.now),
                       {category_remark(target, change.category), Tone::kDim}});
        shown.clear();
      }
    }
    if (table.empty()) return {};
    return section_heading("FAILING FUNCTIONS BY CATEGORY", "Then: Figure 6, partial and complete failures.",
                           options_) +
           table.render(options_);
  }

  static std::string category_remark(const StudyTarget& target, Category category) {
    if (!target.compiled_only) return {};
    if (category == Category::kFloatPrecision) return "not seen by compiling";
    if (category == Category::kTimeout) return "only the compiler's time is seen";
    if (category == Category::kMemory) return "only what the compiler foresees";
    return {};
  }

  [[nodiscard]] std::string agreements() const {
    std::string out = section_heading(
        "DOES IT PREDICT?",
        "Failing today as a forecast of failing then; the last line is what it has to beat.", options_);
    for (const AgreementBlock& block : agreement_blocks(comparison_)) {
      std::vector<Column> columns{{block.label, Align::kLeft, 0, 20}};
      std::vector<std::array<std::string, kAgreementRows.size()>> values;
      for (const auto& [name, agreement] : block.groups) {
        columns.push_back({name, Align::kRight});
        values.push_back(agreement_column(*agreement, glyphs_));
      }
      TextTable table(std::move(columns));
      for (std::size_t row = 0; row < kAgreementRows.size(); ++row) {
        std::vector<Cell> cells{kAgreementRows[row]};
        for (const auto& column : values) cells.emplace_back(column[row]);
        table.add_row(std::move(cells));
      }
      out += table.render(options_);
    }
    return out;
  }

  [[nodiscard]] std::string failures(const StudyTarget& target) const {
    const std::vector<const StudyLine*> lines = failing_lines(target);
    if (lines.empty()) return {};
    TextTable table({{"function", Align::kLeft, 0, 16, true}, {"then"}, {"now"}, {"category"}});
    for (const StudyLine* line : lines) {
      table.add_row(
          {{one_line(line->name), Tone::kStrong},
           line->published ? "ran" : "no latency",
           line->now == analysis::Now::kFails ? Cell("fails", Tone::kBad) : Cell("in part", Tone::kPartial),
           line->category ? std::string(name_of(*line->category)) : std::string(glyphs_.none)});
      if (const std::string message = message_of(*line); !message.empty()) table.add_note(message);
    }
    return section_heading("WHY NOT", one_line(target.target), options_) + table.render(options_);
  }

  [[nodiscard]] std::string unchecked(const StudyTarget& target) const {
    std::string out;
    for (const Unchecked& group : unchecked_of(target)) {
      std::vector<std::string> names;
      for (const std::string& name : group.functions) names.push_back(one_line(name));
      out += "  " + wrapped(fmt::format("{} ({}): {}", group.reason, names.size(), join(names, ", ")),
                            usable_width(options_), "    ", 2);
    }
    return out.empty() ? out : section_heading("NOT CHECKED", one_line(target.target), options_) + out;
  }

  [[nodiscard]] std::string notes() const {
    std::string out = section_heading("NOTES", {}, options_);
    constexpr std::size_t kLabel = 12;
    const std::string indent(2 + kLabel, ' ');
    for (const Note& note : study_notes(comparison_)) {
      const bool loud = note.label == "subset" || note.label == "missing";
      out += "  " + toned(pad_right(note.label, kLabel), loud ? Tone::kPartial : Tone::kDim, options_.color);
      out += wrapped(note.text, usable_width(options_), indent, indent.size());
    }
    return out;
  }

  const StudyComparison& comparison_;
  const RenderOptions& options_;
  Glyphs glyphs_;
};

// --- Markdown

std::string totals_markdown(const StudyTarget& target, const Glyphs& glyphs) {
  using markdown::line;
  auto number = [](int count) { return fmt::format("{}", count); };
  const analysis::StudyCounts& then = target.then.counts(target.side);
  const NowCounts& now = target.now;
  std::string out = markdown::table_head(
      {"", ">functions", ">pass", ">partial", ">fail", ">not checked", ">pass of those checked"});
  out += line({"then, on " + markdown::plain(device_then(target)), number(target.then.functions),
               number(then.success), number(then.partial), number(then.complete), glyphs.none,
               percent_then(target, glyphs)});
  out += line({verb_of(target) + " now", number(now.functions), number(now.pass), number(now.partial),
               number(now.fail), number(now.unchecked),
               rate_text(analysis::rate_of(now.pass, now.pass + now.partial + now.fail), glyphs)});
  if (target.categories.empty()) return out;
  out += "\n" + markdown::table_head({"failing functions by category", ">then", ">now"});
  for (const analysis::CategoryChange& change : target.categories) {
    out += line({std::string(name_of(change.category)), number(change.then), number(change.now)});
  }
  return out;
}

std::string lines_markdown(const StudyTarget& target) {
  std::string out;
  const std::vector<const StudyLine*> lines = failing_lines(target);
  if (!lines.empty()) {
    std::string rows = markdown::table_head({"function", "then", "now", "category", "what it said"});
    for (const StudyLine* line : lines) {
      rows += markdown::line({markdown::code(line->name), line->published ? "ran" : "no latency",
                              line->now == analysis::Now::kFails ? "fails" : "in part",
                              line->category ? std::string(name_of(*line->category)) : std::string(),
                              markdown::plain(message_of(*line))});
    }
    out += markdown::details("Why not", rows);
  }
  std::string rows;
  for (const Unchecked& group : unchecked_of(target)) {
    std::string names;
    for (const std::string& name : group.functions)
      names += (names.empty() ? "" : ", ") + markdown::code(name);
    rows += fmt::format("- {} ({}): {}\n", markdown::plain(group.reason), group.functions.size(), names);
  }
  if (!rows.empty()) out += markdown::details("Not checked", rows);
  return out;
}

std::string agreement_markdown(const StudyComparison& comparison, const Glyphs& glyphs) {
  std::string out;
  for (const AgreementBlock& block : agreement_blocks(comparison)) {
    std::vector<std::string> head{markdown::code(block.label)};
    std::string rule = "| :--- |";
    std::vector<std::array<std::string, kAgreementRows.size()>> values;
    for (const auto& [name, agreement] : block.groups) {
      head.push_back(name);
      rule += " ---: |";
      values.push_back(agreement_column(*agreement, glyphs));
    }
    out += markdown::line(head) + rule + "\n";
    for (std::size_t row = 0; row < kAgreementRows.size(); ++row) {
      std::vector<std::string> cells{kAgreementRows[row]};
      for (const auto& column : values) cells.push_back(column[row]);
      out += markdown::line(cells);
    }
    out += '\n';
  }
  return out;
}

}  // namespace

std::string study_terminal(const StudyComparison& comparison, const RenderOptions& options) {
  return Page(comparison, options).render();
}

std::string study_markdown(const StudyComparison& comparison) {
  const Glyphs glyphs = Glyphs::of(true);
  std::string out = fmt::format("**Against {}**, {}. {}\n\n", markdown::plain(comparison.title),
                                markdown::plain(comparison.devices), markdown::plain(comparison.source));
  for (const StudyTarget& target : comparison.targets) {
    out += fmt::format("**{}** ({}): {}\n\n", markdown::code(target.target),
                       target.compiled_only ? "**compiled**" : evidence_of(target),
                       markdown::plain(versions_text(target)));
    out += fmt::format("- with a published latency on {}, {}\n- without host-only, {}\n\n",
                       markdown::plain(device_then(target)), answer_of(target.published, verb_of(target)),
                       answer_of(target.published_without_host_only, verb_of(target)));
    out += totals_markdown(target, glyphs) + "\n" + lines_markdown(target);
  }
  out += agreement_markdown(comparison, glyphs);
  for (const Note& note : study_notes(comparison)) {
    out += fmt::format("- **{}**: {}\n", note.label, markdown::plain(note.text));
  }
  return out;
}

}  // namespace seamark::report
