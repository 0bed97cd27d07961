#include "seamark/report/terminal_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "seamark/base/text.h"
#include "seamark/report/derive.h"
#include "seamark/report/text_table.h"

namespace seamark::report {

using analysis::CategoryCount;
using analysis::RatioRow;
using analysis::Summary;
using analysis::TargetCategories;
using analysis::TargetRatios;
using Align = Column::Align;

namespace {

std::string short_head(Category category) {
  switch (category) {
    case Category::kType:
      return "type";
    case Category::kNotImplemented:
      return "not\nimplem.";
    case Category::kTimeout:
      return "time-\nout";
    case Category::kMemory:
      return "memory";
    case Category::kFloatPrecision:
      return "float\nprec.";
    case Category::kCrash:
      return "crash";
    case Category::kWrongResult:
      return "wrong\nresult";
    case Category::kDynamicShape:
      return "dynamic\nshape";
    case Category::kRemoved:
      return "removed";
    case Category::kMissingDependency:
      return "missing\ndepend.";
    case Category::kCompilerCrash:
      return "compiler\ncrash";
    case Category::kBridge:
      return "bridge";
    case Category::kUnclassified:
      return "unclas-\nsified";
  }
  return "?";
}

bool is_compiled_only(const Summary& summary, const std::string& target) {
  return std::any_of(summary.targets.begin(), summary.targets.end(), [&](const analysis::TargetRow& row) {
    return row.target == target && row.compiled_only;
  });
}

// Categories that occur, in their own order, with the number of functions over all targets.
std::map<Category, int> present(const Summary& summary) {
  std::map<Category, int> totals;
  for (const TargetCategories& target : summary.categories) {
    for (const CategoryCount& count : target.categories) {
      if (count.functions > 0) totals[count.category] += count.functions;
    }
  }
  return totals;
}

TextTable category_matrix(const Summary& summary, const std::vector<Category>& shown, bool has_other) {
  std::vector<Column> columns{{"target"}, {"evidence"}};
  for (const Category category : shown) columns.push_back({short_head(category), Align::kRight});
  if (has_other) columns.push_back({"other", Align::kRight});
  columns.push_back({"un-\nansw.", Align::kRight});
  columns.push_back({"on\nref", Align::kRight});
  TextTable table(std::move(columns));
  for (const TargetCategories& target : summary.categories) {
    const bool compiled = is_compiled_only(summary, target.target);
    std::vector<Cell> cells{one_line(target.target),
                            {compiled ? "compiled" : "executed", compiled ? Tone::kCompiled : Tone::kPlain}};
    std::map<Category, int> counts;
    int other = 0;
    std::int64_t reference = 0;
    int unanswered = 0;
    for (const CategoryCount& count : target.categories) {
      counts[count.category] += count.functions;
      reference += count.fails_on_reference;
      unanswered += count.unanswered;
      if (std::find(shown.begin(), shown.end(), count.category) == shown.end()) other += count.functions;
    }
    auto cell = [](std::int64_t count, Tone tone) {
      return Cell(count_text(count), count ? tone : Tone::kDim);
    };
    for (const Category category : shown) cells.push_back(cell(counts[category], Tone::kBad));
    if (has_other) cells.push_back(cell(other, Tone::kBad));
    cells.push_back(cell(unanswered, Tone::kPlain));
    cells.push_back(cell(reference, Tone::kPlain));
    table.add_row(std::move(cells));
  }
  return table;
}

// The matrix with as many categories as fit; the rarest go into "other".
std::string fitted_matrix(const Summary& summary, const RenderOptions& options) {
  const std::map<Category, int> totals = present(summary);
  std::vector<Category> shown;
  shown.reserve(totals.size());
  for (const auto& [category, functions] : totals) shown.push_back(category);
  TextTable table = category_matrix(summary, shown, false);
  while (!table.fits(options) && !shown.empty()) {
    shown.erase(std::min_element(shown.begin(), shown.end(), [&](Category a, Category b) {
      return totals.at(a) != totals.at(b) ? totals.at(a) < totals.at(b) : a > b;
    }));
    table = category_matrix(summary, shown, true);
  }
  return table.render(options);
}

std::string example_table(const Summary& summary, const RenderOptions& options) {
  TextTable table({{"target"},
                   {"category"},
                   {"func-\ntions", Align::kRight},
                   {"un-\nansw.", Align::kRight},
                   {"cases", Align::kRight},
                   {"for example", Align::kLeft, 0, 16}});
  for (const TargetCategories& target : summary.categories) {
    bool first = true;
    for (const CategoryCount& count : target.categories) {
      if (count.cases == 0 && count.functions == 0 && count.unanswered == 0) continue;
      std::string examples;
      for (const std::string& name : count.examples)
        examples += (examples.empty() ? "" : ", ") + one_line(name);
      table.add_row({first ? one_line(target.target) : std::string(),
                     {std::string(name_of(count.category)), Tone::kBad},
                     count_text(count.functions),
                     count_text(count.unanswered),
                     count_text(count.cases),
                     examples});
      first = false;
    }
  }
  return table.empty() ? std::string() : "\n" + table.render(options);
}

std::string bracketed(const std::optional<analysis::Interval>& interval, const Glyphs& glyphs) {
  return interval ? " [" + interval_text(interval, glyphs, {}) + "]" : std::string();
}

std::string baseline_line(const TargetRatios& ratios, const Summary& summary, const Glyphs& glyphs) {
  std::string text = fmt::format("{} against {}", one_line(ratios.target), one_line(ratios.baseline));
  for (const analysis::TargetRow& row : summary.targets) {
    if (row.target != ratios.target) continue;
    if (row.median_ratio_warm.value) {
      text += fmt::format(": warm, median {}{} over {}", ratio_text(*row.median_ratio_warm.value, glyphs),
                          bracketed(row.median_ratio_warm_interval, glyphs), plural(row.ratios_warm, "case"));
    }
    if (row.median_ratio_cold.value) {
      text += fmt::format("; cold, median {}{} over {}", ratio_text(*row.median_ratio_cold.value, glyphs),
                          bracketed(row.median_ratio_cold_interval, glyphs), plural(row.ratios_cold, "case"));
    }
  }
  return text;
}

void add_picks(TextTable& table, const std::vector<RatioPick>& picks, const Glyphs& glyphs) {
  for (const RatioPick& pick : picks) {
    bool first = true;
    for (const RatioRow* row : pick.rows) {
      const analysis::Ratio& ratio = row->ratio;
      const Tone tone = ratio.slow ? Tone::kSlow : Tone::kStrong;
      table.add_row({{first ? pick.label : std::string(), Tone::kDim},
                     one_line(row->function),
                     {case_part(row->case_name, row->function), Tone::kDim},
                     seconds_text(ratio.target_s, glyphs),
                     seconds_text(ratio.baseline_s, glyphs),
                     {ratio_text(ratio.ratio, glyphs), tone},
                     {interval_text(ratio.interval, glyphs, glyphs.none), Tone::kDim},
                     {ratio_remark(ratio), tone == Tone::kSlow ? tone : Tone::kDim}});
      first = false;
    }
  }
}

}  // namespace

std::string case_part(const std::string& case_name, const std::string& function) {
  const std::string name = one_line(case_name);
  const std::string prefix = one_line(function) + "/";
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

std::string ratio_remark(const analysis::Ratio& ratio) {
  std::string text = ratio.slow ? "slow" : "";
  if (ratio.noisy) text += text.empty() ? "noisy" : ", noisy";
  return text;
}

std::vector<RatioPick> ratio_picks(const std::vector<RatioRow>& slowest, const std::vector<RatioRow>& fastest,
                                   int rows) {
  const auto limit = static_cast<std::size_t>(std::max(1, rows));
  std::vector<RatioPick> picks;
  if (slowest.empty()) return picks;
  const std::string kind = one_line(slowest.front().kind);
  auto take = [&](const std::vector<RatioRow>& from, std::size_t n, const char* what) {
    RatioPick pick{kind + what, {}};
    for (std::size_t i = 0; i < std::min(n, from.size()); ++i) pick.rows.push_back(&from[i]);
    if (!pick.rows.empty()) picks.push_back(std::move(pick));
  };
  if (slowest.size() <= 2 * limit) {
    take(slowest, 2 * limit, ", all");
  } else {
    take(slowest, limit, ", slowest");
    take(fastest, limit, ", fastest");
  }
  return picks;
}

std::string failure_section(const Summary& summary, const RenderOptions& options, const Glyphs&) {
  std::string out =
      section_heading("FAILURES BY CATEGORY",
                      "Functions by the most frequent category among their failing core cases. "
                      "In no other column: unansw., functions whose failures say nothing of the "
                      "device; on ref, failing cases that fail the same way on the reference.",
                      options);
  const bool any =
      std::any_of(summary.categories.begin(), summary.categories.end(), [](const TargetCategories& one) {
        return std::any_of(one.categories.begin(), one.categories.end(), [](const CategoryCount& count) {
          return count.cases > 0 || count.functions > 0 || count.unanswered > 0;
        });
      });
  if (!any) return out + "  " + wrapped(no_failures_text(summary), usable_width(options), "  ", 2);
  return out + fitted_matrix(summary, options) + example_table(summary, options);
}

std::string ratio_section(const Summary& summary, const RenderOptions& options, const Glyphs& glyphs) {
  std::string out = section_heading("SLOWEST AND FASTEST AGAINST THE BASELINE",
                                    "Per function its most extreme case; above 1 is slower. warm: median in "
                                    "steady state; cold: the first call, "
                                    "tracing and compiling included. Intervals cover at least 95%.",
                                    options);
  TextTable table({{""},
                   {"function", Align::kLeft, 0, 16, true},
                   {"case", Align::kLeft, 2, 12},
                   {"target", Align::kRight},
                   {"baseline", Align::kRight},
                   {"ratio", Align::kRight},
                   {"95%", Align::kRight, 1},
                   {""}});
  std::string without;
  for (const TargetRatios& ratios : summary.ratios) {
    if (ratios.warm.empty() && ratios.cold.empty()) {
      const bool compiled = is_compiled_only(summary, ratios.target);
      const std::string why = compiled                ? "compiled only, nothing was executed"
                              : ratios.reason.empty() ? "no case was timed on both sides"
                                                      : one_line(ratios.reason);
      without += "  " + wrapped(fmt::format("{}: no ratios ({})", one_line(ratios.target), why),
                                usable_width(options), "    ", 2);
      continue;
    }
    table.add_section(baseline_line(ratios, summary, glyphs), Tone::kStrong);
    add_picks(table, ratio_picks(ratios.warm, ratios.warm_fastest, options.rows), glyphs);
    add_picks(table, ratio_picks(ratios.cold, ratios.cold_fastest, options.rows), glyphs);
  }
  if (!table.empty()) out += table.render(options);
  if (table.empty() && without.empty()) out += "  No target has another as its baseline.\n";
  if (!table.empty() && !without.empty()) out += '\n';
  return out + without;
}

}  // namespace seamark::report
