#include "seamark/report/build/change_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "figures.h"
#include "golden.h"
#include "seamark/analysis/gate.h"
#include "seamark/base/text.h"
#include "seamark/base/value.h"

namespace seamark::report {
namespace {

using analysis::CaseCell;
using analysis::CaseDelta;
using analysis::Change;
using analysis::ChangeKind;
using analysis::Comparison;
using analysis::PairDelta;
using ::testing::HasSubstr;
using ::testing::Not;

// Script, Markdown, a mention, links, terminal escapes, control characters, what XML forbids, no UTF-8.
const std::string kHostile =
    "<script>alert(1)</script> ]]> \"'&amp; **b** `c` @all #1 [x](https://evil.example) [y](1) {0} | "
    "\x1b[31mred\x1b[0m \x07\x01\xef\xbf\xbe\xef\xbf\xbf \xff\xfe \xe2\x80\xae"
    "end\n::error file=a::owned\n ::warning::owned\n##[error]owned ##vso[task.complete]";

CaseCell passing(Evidence evidence = Evidence::kVerified) {
  CaseCell cell;
  cell.planned = true;
  cell.outcome = Outcome::kPass;
  cell.evidence = evidence;
  return cell;
}

CaseCell failing(Category category, const std::string& message) {
  CaseCell cell;
  cell.planned = true;
  cell.outcome = Outcome::kFail;
  cell.category = category;
  cell.error.edit().type = "RuntimeError";
  cell.error.edit().message = message;
  return cell;
}

analysis::Ratio ratio_of(double before_s, double after_s) {
  analysis::Ratio ratio;
  ratio.baseline_s = before_s;
  ratio.target_s = after_s;
  ratio.ratio = after_s / before_s;
  ratio.interval = analysis::Interval{ratio.ratio * 0.9, ratio.ratio * 1.1};
  ratio.baseline_n = ratio.target_n = 40;
  return ratio;
}

class Maker {
 public:
  explicit Maker(PairDelta& pair) : pair_(pair) {}

  void function(const std::string& name, analysis::FunctionStatus status) {
    analysis::FunctionDelta one;
    one.framework = "torch";
    one.name = name;
    one.status = status;
    pair_.functions.push_back(one);
  }

  Change& changed(ChangeKind kind, const std::string& name, std::optional<CaseCell> before,
                  std::optional<CaseCell> after) {
    CaseDelta& one = unchanged(name, std::move(before), std::move(after));
    one.changed = true;
    Change change;
    change.kind = kind;
    change.target = pair_.after.target;
    change.function = pair_.functions.back().name;
    change.case_name = one.name;
    change.case_index = pair_.cases.size() - 1;
    pair_.changes.push_back(change);
    return pair_.changes.back();
  }

  CaseDelta& unchanged(const std::string& name, std::optional<CaseCell> before,
                       std::optional<CaseCell> after) {
    CaseDelta one;
    one.function = pair_.functions.size() - 1;
    one.name = pair_.functions.back().name + "/" + name;
    one.suite = "curated";
    one.core = true;
    one.before = std::move(before);
    one.after = std::move(after);
    pair_.cases.push_back(std::move(one));
    return pair_.cases.back();
  }

 private:
  PairDelta& pair_;
};

void fill_pair(PairDelta& pair) {
  pair.before.target = pair.after.target = "torch/lazy";
  pair.before.framework_versions = {"2.12.0"};
  pair.after.framework_versions = {"2.13.0"};
  pair.floor = {1.25, "assumed: fewer than 5 cases were timed twice on a side"};
  pair.warm = {{1.02, {}}, analysis::Interval{0.98, 1.06}, 40};
  pair.cold = {{std::nullopt, "no case was timed alike on both sides"}, {}, 0};
  pair.unstable = 1;
  pair.function_counts = {1, 1, 2, 30, 1};
  pair.case_counts = {1, 1, 6, 60, 2};
  pair.not_compared = {{"it ran on neither side", 2}};
  Maker make(pair);
  make.function("torch.add", analysis::FunctionStatus::kChanged);
  make.changed(ChangeKind::kNewFailure, "add[" + kHostile + "]", passing(),
               failing(Category::kType, kHostile + "\nsecond line"));
  Change& slower = make.changed(ChangeKind::kSlower, "add[f32]", passing(), passing());
  slower.ratio = ratio_of(1e-3, 1.8e-3);
  pair.cases.back().warm = slower.ratio;
  make.changed(ChangeKind::kCategoryChanged, "add[i64]", failing(Category::kType, "a"),
               failing(Category::kTimeout, "b"));
  make.function("torch.sub", analysis::FunctionStatus::kChanged);
  Change& expected =
      make.changed(ChangeKind::kNewFailure, "sub[f32]", passing(), failing(Category::kMemory, "oom"));
  expected.expected = pair.cases.back().expected = true;
  expected.expected_comment = pair.cases.back().expected_comment = "known: " + kHostile;
  make.changed(ChangeKind::kNewPass, "sub[i64]", failing(Category::kType, "was broken"), passing());
  make.unchanged("sub[u8]", failing(Category::kType, "as ever"), failing(Category::kType, "as ever"));
  CaseCell skipped;
  skipped.planned = true;
  skipped.outcome = Outcome::kSkip;
  skipped.reason = "no such dtype";
  make.changed(ChangeKind::kNotRun, "sub[bool]", passing(), skipped);
  make.function("torch.gone", analysis::FunctionStatus::kDropped);
  make.unchanged("gone[f32]", passing(), std::nullopt).presence = analysis::Presence::kDropped;
  Change dropped;
  dropped.kind = ChangeKind::kDropped;
  dropped.target = "torch/lazy";
  dropped.function = "torch.gone";
  pair.changes.push_back(dropped);
}

Comparison sample(const std::string& gate = "new-failures,slower,dropped") {
  Comparison comparison;
  analysis::RunFacts run;
  run.info.uuid = "aaaaaaaa-0000-4000-8000-000000000001";
  run.info.started_unix_us = 1'763'722'920'000'000;
  run.info.protocol = "full";
  comparison.before = {"main.db", "main.db", {run}};
  comparison.after = {kHostile, "seamark.db", {run}};
  comparison.rules_version = "0123456789abcdef";
  comparison.pairs.emplace_back();
  fill_pair(comparison.pairs.back());
  Change target;
  target.kind = ChangeKind::kDropped;
  target.target = "torch/cpu+inductor";
  comparison.of_targets.push_back(target);
  comparison.drifts = {{"", "host cpu", "one cpu", kHostile}, {"torch/lazy", "torch", "2.12.0", "2.13.0"}};
  comparison.expectations = {"seamark.expected.toml", 3, 1, 1};
  analysis::apply_gate(comparison, analysis::Gate::parse(gate).value());
  return comparison;
}

RenderOptions plain() {
  RenderOptions options;
  options.width = 80;
  options.tool_version = "0.1.0";
  return options;
}

TEST(ChangeReport, Goldens) {
  const Comparison comparison = sample();
  EXPECT_EQ(comparison.findings, 4);
  expect_golden("changes.txt", render_changes(Format::kTerminal, comparison, plain()));
  expect_golden("changes.md", render_changes(Format::kMarkdown, comparison, plain()));
  expect_golden("changes.json", render_changes(Format::kJson, comparison, plain()));
  expect_golden("changes.junit.xml", render_changes(Format::kJunit, comparison, plain()));
  expect_golden("changes.sarif", render_changes(Format::kSarif, comparison, plain()));
}

std::string outside_of_code(const std::string& markdown) {
  std::string out;
  bool code = false;
  for (const char c : markdown) {
    if (c == '`') code = !code;
    if (!code) out += c;
  }
  return out;
}

TEST(ChangeReport, EveryFigureStandsInEveryRendering) {
  RenderOptions wide = plain();
  wide.width = 2000;
  Comparison comparison = sample();
  comparison.drifts[0].after = "two";
  for (Change& change : comparison.pairs[0].changes) change.case_name = change.function;
  comparison.pairs[0].cases[0].after->error.edit().message = "of 17";
  const Document document = changes_document(comparison, wide);
  EXPECT_EQ(document.sections.size(), 10U);
  std::size_t figures = 0;
  for (const Section& section : document.sections) {
    const std::set<std::string> terminal = figures_of(terminal_text(section, wide));
    EXPECT_EQ(figures_of(markdown_text({.head = {}, .sections = {section}})), terminal) << section.id;
    EXPECT_EQ(figures_of(html_text(section)), terminal) << section.id;
    figures += terminal.size();
  }
  EXPECT_GT(figures, 25U);
}

TEST(ChangeReport, NothingHostileGetsThrough) {
  const Comparison comparison = sample("any");
  EXPECT_THAT(render_changes(Format::kHtml, comparison, plain()), Not(HasSubstr("<script>alert")));
  for (const Format format : {Format::kTerminal, Format::kMarkdown, Format::kJunit}) {
    const std::string text = render_changes(format, comparison, plain());
    EXPECT_TRUE(is_utf8(text));
    EXPECT_EQ(plain_text(text), text)
        << "control characters or escapes in format " << static_cast<int>(format);
  }
  // Code spans hold names as they are; outside of them nothing may mean anything.
  const std::string markdown = outside_of_code(render_changes(Format::kMarkdown, comparison, plain()));
  EXPECT_THAT(markdown, Not(HasSubstr("<script")));
  EXPECT_THAT(markdown, Not(::testing::ContainsRegex("[^\\\\]\\]\\(")));  // a bracket that is not escaped
  EXPECT_THAT(markdown, Not(HasSubstr("@all")));
  const std::string junit = junit_text(changes_findings(comparison));
  EXPECT_THAT(junit, Not(HasSubstr("<script")));
  EXPECT_THAT(junit, Not(HasSubstr("\xef\xbf\xbe")));
  EXPECT_THAT(junit, Not(HasSubstr("\xef\xbf\xbf")));
  for (const std::string_view line : split_lines(junit)) EXPECT_FALSE(trim(line).starts_with("::")) << line;
  EXPECT_THAT(junit, Not(HasSubstr("##[")));
  EXPECT_THAT(junit, Not(HasSubstr("##vso[")));
  const std::string sarif_bytes = sarif_text(changes_findings(comparison), plain());
  EXPECT_THAT(sarif_bytes, Not(HasSubstr("\xef\xbf\xbe")));
  EXPECT_THAT(sarif_bytes, Not(HasSubstr("\xef\xbf\xbf")));
  const Value sarif = parse_json(sarif_text(changes_findings(comparison), plain())).value();
  for (const Value& result : sarif.find("runs")->as_array()[0].find("results")->as_array()) {
    const std::string message = result.find("message")->string_or("text", "");
    EXPECT_FALSE(message.empty());
    EXPECT_THAT(message, Not(HasSubstr("](")));
    EXPECT_THAT(message, Not(HasSubstr("{0}")));
  }
}

TEST(ChangeReport, NoFindingsIsSaid) {
  const Comparison comparison = sample("none");
  EXPECT_THAT(render_changes(Format::kTerminal, comparison, plain()), HasSubstr("no findings (of none)"));
  EXPECT_THAT(junit_text(changes_findings(comparison)), HasSubstr("failures=\"0\""));
  const Value sarif = parse_json(sarif_text(changes_findings(comparison), plain())).value();
  for (const Value& result : sarif.find("runs")->as_array()[0].find("results")->as_array()) {
    EXPECT_NE(result.string_or("level", ""), "error");
  }
}

TEST(ChangeReport, AnEmptyComparisonRenders) {
  Comparison comparison;
  comparison.gate = "none";
  for (const Format format :
       {Format::kTerminal, Format::kMarkdown, Format::kHtml, Format::kJson, Format::kJunit, Format::kSarif}) {
    EXPECT_TRUE(render_changes(format, comparison, plain()).ends_with('\n'));
  }
}

TEST(ChangeReport, MarkdownFitsIntoAComment) {
  Comparison comparison = sample();
  PairDelta& pair = comparison.pairs[0];
  const Change change = pair.changes[0];
  for (int i = 0; i < 3000; ++i) {
    pair.changes.push_back(change);
    pair.changes.back().kind = static_cast<ChangeKind>(i % static_cast<int>(analysis::kChangeKinds));
  }
  const std::string text = render_changes(Format::kMarkdown, comparison, plain());
  EXPECT_LT(text.size(), 65536u);
  EXPECT_THAT(text, HasSubstr("more"));
}

}  // namespace
}  // namespace seamark::report
