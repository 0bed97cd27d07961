#include "seamark/audit/audit_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "seamark/base/text.h"
#include "seamark/report/render/number_text.h"

namespace seamark::audit {
namespace {

using Align = report::Column::Align;
using report::Document;
using report::Section;
using report::TextTable;
using report::Tone;

constexpr std::size_t kWorst = 5;
constexpr std::ptrdiff_t kScreenLines = 24;
constexpr std::size_t kMostPlaces = 100;  // of one rule or function in a report

bool is_open(const Item& item) { return item.suppressed_because.empty(); }

Tone tone_of(Answer answer) {
  switch (answer) {
    case Answer::kPasses:
      return Tone::kGood;
    case Answer::kFails:
      return Tone::kBad;
    case Answer::kPartly:
    case Answer::kPrecision:
      return Tone::kPartial;
    case Answer::kHost:
      return Tone::kHost;
    case Answer::kSlow:
      return Tone::kSlow;
    case Answer::kCompiles:
      return Tone::kCompiled;
    default:
      return Tone::kDim;
  }
}

Tone tone_of(Level level) {
  return level == Level::kError ? Tone::kBad : level == Level::kWarning ? Tone::kPartial : Tone::kDim;
}

// A rule or a function at a line once, however often it holds there; in their order.
std::vector<const Item*> open_places(const Audit& audit) {
  std::vector<const Item*> places;
  std::set<std::tuple<std::string_view, std::string_view, std::uint32_t>> of_line;
  std::string_view path;
  for (const Item& item : audit.items) {
    if (item.path != path) of_line.clear();
    path = item.path;
    if (is_open(item) && of_line.emplace(item.id, item.function, item.line).second) places.push_back(&item);
  }
  return places;
}

// Places of one rule or function.
struct Group {
  const Item* first = nullptr;  // outside of tests where there is one
  std::vector<const Item*> items;
};

// The worst first: by what happens, whether it is in tests alone, how many places there are.
std::vector<Group> groups_of(const Audit& audit) {
  std::map<std::pair<std::string_view, std::string_view>, Group> by_key;
  for (const Item* item : open_places(audit)) {
    Group& group = by_key[{item->id, item->function}];
    if (group.first == nullptr || (group.first->in_tests && !item->in_tests)) group.first = item;
    group.items.push_back(item);
  }
  std::vector<Group> groups;
  for (auto& [key, group] : by_key) groups.push_back(std::move(group));
  const auto key = [](const Group& group) {
    return std::tuple(group.first->in_tests, group.first->rank,
                      -static_cast<std::int64_t>(group.items.size()), std::string_view(group.first->id),
                      std::string_view(group.first->function));
  };
  std::sort(groups.begin(), groups.end(), [&](const Group& a, const Group& b) { return key(a) < key(b); });
  return groups;
}

struct Tally {
  std::int64_t calls = 0;
  std::int64_t functions = 0;
};

std::map<Answer, Tally> tally_of(const Audit& audit) {
  std::map<Answer, Tally> tally;
  for (std::size_t i = 0; i < audit.project.functions.size(); ++i) {
    Tally& one = tally[audit.answers.functions[i].answer];
    one.calls += audit.project.functions[i].calls;
    if (audit.project.functions[i].calls > 0) ++one.functions;
  }
  return tally;
}

std::int64_t calls_of(const std::map<Answer, Tally>& tally, std::initializer_list<Answer> answers) {
  std::int64_t calls = 0;
  for (const Answer answer : answers) {
    const auto found = tally.find(answer);
    if (found != tally.end()) calls += found->second.calls;
  }
  return calls;
}

std::string targets_text(const Audit& audit) {
  std::vector<std::string> names;
  for (const auto& [framework, target] : audit.answers.targets) {
    if (!target.empty() && std::find(names.begin(), names.end(), target) == names.end())
      names.push_back(target);
  }
  return names.empty() ? audit.move.to : join(names, ", ");
}

std::string loss_place(const usage::Loss& loss) {
  return loss.file + (loss.line == 0 ? "" : fmt::format(":{}", loss.line));
}

// What a manager reads: three lines.
void add_head(Document& document, const Audit& audit, const report::Glyphs& glyphs) {
  const std::map<Answer, Tally> tally = tally_of(audit);
  std::int64_t calls = 0;
  for (const auto& [answer, one] : tally) {
    calls += one.calls;
  }
  const std::int64_t functions = std::count_if(audit.project.functions.begin(), audit.project.functions.end(),
                                               [](const FunctionUse& use) { return use.calls > 0; });
  const Project& project = audit.project;
  document.head.push_back(
      {"to " + targets_text(audit),
       fmt::format("{} {} of Python, {} with {}: {} of {}", glyphs.dot, report::plural(project.read, "file"),
                   report::count_text(project.with_framework),
                   project.frameworks.empty() ? "no framework" : join(project.frameworks, ", "),
                   report::plural(calls, "call"), report::plural(functions, "function")),
       Tone::kStrong});
  std::vector<std::string> unasked;
  for (const auto& [framework, target] : audit.answers.targets) {
    if (!audit.answers.asked.contains(framework)) unasked.push_back(framework);
  }
  if (!unasked.empty()) {
    document.head.push_back(
        {{},
         fmt::format("nothing of {} was run on {}: rules and what is declared alone answer",
                     join(unasked, ", "), audit.move.to),
         Tone::kDim});
  }
  const auto share = [&](std::string_view what, std::initializer_list<Answer> answers) {
    const std::int64_t some = calls_of(tally, answers);
    return some == 0 ? std::string() : fmt::format("{} {}", report::percent_text(some, calls, glyphs), what);
  };
  std::vector<std::string> shares = {share("fail at least in part", {Answer::kFails, Answer::kPartly}),
                                     share("work, but on the host, slowly or less exactly",
                                           {Answer::kHost, Answer::kPrecision, Answer::kSlow}),
                                     share("work", {Answer::kPasses}),
                                     share("compile, and nothing was executed", {Answer::kCompiles}),
                                     share("need no device", {Answer::kNoWork}),
                                     share("are only declared", {Answer::kDeclared}),
                                     share("are not known", {Answer::kUnknown})};
  std::erase(shares, std::string());
  if (!shares.empty()) document.head.push_back({"calls", join(shares, "; "), Tone::kStrong});
  std::map<std::size_t, std::int64_t> effects;
  std::map<Effort, std::int64_t> efforts;
  std::set<std::string> functions_to_mend;
  const std::int64_t suppressed =
      std::count_if(audit.items.begin(), audit.items.end(), [](const Item& item) { return !is_open(item); });
  for (const Item* item : open_places(audit)) {
    if (item->function.empty()) {
      ++effects[item->rank];
      ++efforts[item->effort];
    } else if (item->level == Level::kError && functions_to_mend.insert(item->function).second) {
      ++efforts[item->effort];
    }
  }
  std::vector<std::string> parts;
  for (const auto& [rank, count] : effects)
    parts.push_back(
        fmt::format("{} {}", report::count_text(count), meaning_of(static_cast<Effect>(rank + 1))));
  document.head.push_back(
      {"places",
       (parts.empty() ? std::string("none that a rule names")
                      : join(parts, ", ") + " (by rules that no table of functions shows)") +
           (suppressed == 0 ? "" : fmt::format("; {} suppressed", report::count_text(suppressed))),
       Tone::kStrong});
  if (project.lost > 0) {
    const usage::Loss& first = project.losses.front();
    document.head.push_back({"not read",
                             fmt::format("{}, or in part: {}{}", report::plural(project.lost, "file"),
                                         loss_place(first), project.lost > 1 ? ", ..." : ""),
                             Tone::kPartial});
  }
  if (!audit.traced.empty()) document.head.push_back({"traced", audit.traced, Tone::kStrong});
  document.head.push_back(
      {"effort",
       fmt::format("{} of minutes, {} of hours, {} to rewrite", report::count_text(efforts[Effort::kMinutes]),
                   report::count_text(efforts[Effort::kHours]),
                   report::count_text(efforts[Effort::kRewrite])),
       Tone::kStrong});
}

std::string group_name(const Group& group) {
  return group.first->function.empty() ? group.first->id : group.first->function;
}

// "fails on torch/xla: NotImplementedError: ...", or a rule's title.
std::string what_of(const Item& item) {
  if (item.function.empty()) return item.title;
  return item.title.substr(item.function.size() + 1) + (item.why.empty() ? "" : ": " + item.why);
}

// How much of what to do is told.
struct Advice {
  std::size_t told = kWorst;   // of so many
  std::size_t whole = kWorst;  // of so many in full, of the others on a line
};

Section worst_of(const std::vector<Group>& groups, const Advice& advice,
                 const report::RenderOptions& options) {
  TextTable table({{.head = "first place", .elastic = 18, .keep_end = true},
                   {.head = "rule, function", .elastic = 14, .keep_end = true},
                   {.head = "places", .align = Align::kRight},
                   {.head = "what", .elastic = 24}});
  for (std::size_t i = 0; i < std::min(kWorst, groups.size()); ++i) {
    const Item& item = *groups[i].first;
    table.add_row({place_of(item),
                   {group_name(groups[i]), tone_of(item.level)},
                   report::count_text(static_cast<std::int64_t>(groups[i].items.size())),
                   what_of(item)});
    if (!item.fix.empty() && i < advice.told)
      table.add_note(i < advice.whole ? item.fix : ellipsize(item.fix, report::usable_width(options) - 6));
  }
  Section worst;
  if (!table.empty()) worst.blocks.emplace_back(std::move(table));
  return worst;
}

// What is called most of what there is a result of a device; empty: nothing.
std::string most_called(const Audit& audit) {
  const FunctionUse* most = nullptr;
  for (std::size_t i = 0; i < audit.project.functions.size(); ++i) {
    const FunctionUse& use = audit.project.functions[i];
    const FunctionAnswer& answer = audit.answers.functions[i];
    const bool answered = !answer.origin.empty() && answer.answer != Answer::kNoWork;
    if (answered && use.calls > 0 && (most == nullptr || use.calls > most->calls)) most = &use;
  }
  return most == nullptr ? std::string() : most->name;
}

Section next_of(const Audit& audit, const std::vector<Group>& groups, bool full) {
  report::Remarks remarks;
  if (!audit.run_command.empty()) remarks.list.push_back({"the rest", audit.run_command, Tone::kStrong});
  if (!audit.known.empty())
    remarks.list.push_back({"measured", "--to " + join(audit.known, ", "), Tone::kStrong});
  std::vector<std::string> pages;
  const Item* first = groups.empty() ? nullptr : groups.front().first;
  const bool has_rule = first != nullptr && find_rule(audit.rules, first->id) != nullptr;
  if (has_rule) pages.push_back("seamark explain " + first->id);
  const std::string function = first != nullptr && !has_rule ? first->function : most_called(audit);
  if (!function.empty()) pages.push_back(fmt::format("seamark show {} --to {}", function, audit.move.to));
  if (!pages.empty()) remarks.list.push_back({"why", join(pages, "; "), Tone::kStrong});
  if (!full && !audit.items.empty())
    remarks.list.push_back({"each place", "the same with --full", Tone::kStrong});
  Section next;
  if (!remarks.list.empty()) next.blocks.emplace_back(std::move(remarks));
  return next;
}

// --- with --full

Section answers_section(const Audit& audit) {
  TextTable table({{.head = "answer"},
                   {.head = "functions", .align = Align::kRight},
                   {.head = "calls", .align = Align::kRight}});
  for (const auto& [answer, one] : tally_of(audit)) {
    table.add_row({{std::string(meaning_of(answer)), tone_of(answer)},
                   report::count_text(one.functions),
                   report::count_text(one.calls)});
  }
  Section section{
      .id = "answers", .heading = "What the functions do there", .note = {}, .blocks = {}, .folded = false};
  if (!table.empty()) section.blocks.emplace_back(std::move(table));
  for (const std::string& origin : audit.origins) section.say("Results: " + origin + ".");
  return section;
}

Section places_section(const std::vector<Group>& groups) {
  Section section{.id = "places",
                  .heading = "Places",
                  .note = "the worst first; in tests, examples and benchmarks one level lower",
                  .blocks = {},
                  .folded = false};
  for (const Group& group : groups) {
    const Item& first = *group.first;
    report::Verbatim lines;
    const std::string count = report::plural(static_cast<std::int64_t>(group.items.size()), "place");
    lines.lines.push_back(
        {.indent = 0,
         .spans = {{group_name(group), tone_of(first.level)}, {" " + what_of(first) + " (" + count + ")"}}});
    if (first.function.empty())
      lines.lines.push_back({.indent = 2, .spans = {{"why: " + first.why, Tone::kDim}}});
    if (!first.fix.empty())
      lines.lines.push_back({.indent = 2, .spans = {{"fix: " + first.fix, Tone::kDim}}});
    if (!first.rests_on.empty())
      lines.lines.push_back({.indent = 2, .spans = {{"rests on: " + first.rests_on, Tone::kDim}}});
    for (std::size_t i = 0; i < std::min(kMostPlaces, group.items.size()); ++i) {
      const Item& item = *group.items[i];
      lines.lines.push_back({.indent = 2, .spans = {{place_of(item)}, {"  " + item.code, Tone::kDim}}});
    }
    if (group.items.size() > kMostPlaces)
      lines.lines.push_back({.indent = 2, .spans = {{"and more: --format json has all", Tone::kDim}}});
    section.blocks.emplace_back(std::move(lines));
  }
  return section;
}

Section functions_section(const Audit& audit, const report::Glyphs& glyphs) {
  TextTable table({{.head = "function", .elastic = 24, .keep_end = true},
                   {.head = "calls", .align = Align::kRight},
                   {.head = "answer"},
                   {.head = "evidence", .optional = 1},
                   {.head = "of it", .optional = 2, .elastic = 20}});
  for (std::size_t i = 0; i < audit.project.functions.size(); ++i) {
    const FunctionUse& use = audit.project.functions[i];
    const FunctionAnswer& answer = audit.answers.functions[i];
    table.add_row({use.name,
                   report::count_text(use.calls),
                   {std::string(meaning_of(answer.answer)), tone_of(answer.answer)},
                   answer.evidence.empty() ? glyphs.none : answer.evidence,
                   answer.says + (answer.fails_before ? " (where it comes from too)" : "")});
  }
  Section section{.id = "functions", .heading = "Functions", .note = {}, .blocks = {}, .folded = true};
  if (!table.empty()) section.blocks.emplace_back(std::move(table));
  return section;
}

Section losses_section(const Project& project) {
  report::Items items;
  for (const usage::Loss& loss : project.losses) items.texts.push_back(loss_place(loss) + ": " + loss.what);
  Section section{.id = "losses", .heading = "Not read", .note = {}, .blocks = {}, .folded = false};
  if (!items.texts.empty()) section.blocks.emplace_back(std::move(items));
  return section;
}

}  // namespace

Document audit_document(const Audit& audit, bool full, const report::RenderOptions& options) {
  const report::Glyphs glyphs = report::Glyphs::of(options.unicode);
  const std::vector<Group> groups = groups_of(audit);
  const auto screen = [&](const Advice& advice) {
    Document document;
    add_head(document, audit, glyphs);
    document.add(worst_of(groups, advice, options));
    document.add(next_of(audit, groups, full));
    return document;
  };
  Advice advice;
  Document document = screen(advice);
  if (!full) {
    const auto is_long = [&] {
      const std::string text = terminal_text(document, options);
      return std::count(text.begin(), text.end(), '\n') > kScreenLines;
    };
    while (advice.told > 0 && is_long()) {
      --(advice.whole > 0 ? advice.whole : advice.told);
      document = screen(advice);
    }
    return document;
  }
  document.add(answers_section(audit));
  document.add(places_section(groups));
  document.add(functions_section(audit, glyphs));
  document.add(losses_section(audit.project));
  return document;
}

Document rule_document(const Rule& rule) {
  Document document;
  document.head.push_back({rule.id, rule.title, Tone::kStrong});
  Section facts;
  report::Remarks remarks;
  remarks.list = {
      {"happens", std::string(meaning_of(rule.effect)) + ": " + rule.why},
      {"where", join(rule.targets, " ")},
      {"what to do", rule.fix},
      {"effort", std::string(name_of(rule.effort))},
      {"rests on", rule.rests_on()},
      {"source", rule.source},
      {"to leave it", rule.proof == Proof::kTrace ? "--ignore " + rule.id
                                                  : fmt::format("# seamark: ignore[{}] reason", rule.id)}};
  if (const std::string again = rule.show_command(); !again.empty())
    remarks.list.insert(remarks.list.end() - 2, {"again", again});
  facts.blocks.emplace_back(std::move(remarks));
  document.add(std::move(facts));
  const auto examples = [&](std::string heading, const std::vector<std::string>& texts) {
    Section section;
    section.heading = std::move(heading);
    for (const std::string& text : texts) {
      report::Verbatim lines;
      for (const std::string_view line : split_lines(trim(text)))
        lines.lines.push_back({.indent = 2, .spans = {{std::string(line)}}});
      section.blocks.emplace_back(std::move(lines));
    }
    document.add(std::move(section));
  };
  examples("Found", rule.bad);
  examples("Not found", rule.good);
  return document;
}

Document rules_document(std::span<const Rule> rules) {
  TextTable table({{.head = "rule"},
                   {.head = "what the code does", .elastic = 30},
                   {.head = "what happens"},
                   {.head = "fix", .optional = 1},
                   {.head = "rests on", .optional = 2}});
  for (const Rule& rule : rules) {
    table.add_row({rule.id, rule.title, std::string(meaning_of(rule.effect)),
                   std::string(name_of(rule.fix_class)), std::string(name_of(rule.proof))});
  }
  Section section;
  section.blocks.emplace_back(std::move(table));
  Document document;
  document.add(std::move(section));
  return document;
}

}  // namespace seamark::audit
