#include "seamark/audit/rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <system_error>

#include "seamark/base/config.h"
#include "seamark/base/fd.h"
#include "seamark/base/text.h"

namespace seamark::audit {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> kEffects = {"silent", "fails", "drift", "slow", "fades"};
constexpr std::array<std::string_view, 5> kEffectMeanings = {
    "wrong in silence", "failing", "with other numbers", "slow", "deprecated or without effect"};
constexpr std::array<std::string_view, 3> kFixes = {"safe", "suggested", "none"};
constexpr std::array<std::string_view, 3> kEfforts = {"minutes", "hours", "rewrite"};
constexpr std::array<std::string_view, 4> kProofs = {"case", "join", "trace", "source"};
constexpr std::array<std::string_view, 4> kProofMeanings = {
    "a case of Seamark's shows it", "measured results of the function", "the program's own calls, traced",
    "the code alone, and a source"};

template <class E, std::size_t N>
std::string_view text_of(const std::array<std::string_view, N>& names, E value) {
  return names.at(static_cast<std::size_t>(value) - 1);
}

template <class E, std::size_t N>
E choice(TableReader& table, std::string_view key, const std::array<std::string_view, N>& names) {
  const std::string name = table.need_string(key);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<E>(found - names.begin() + 1);
  if (!name.empty()) {
    table.problem(key, fmt::format("'{}' is none of: {}", name,
                                   join(std::vector<std::string_view>(names.begin(), names.end()), ", ")));
  }
  return static_cast<E>(1);
}

std::vector<Pattern> patterns(TableReader& table, std::string_view key) {
  std::vector<Pattern> out;
  for (const std::string& text : table.strings(key)) {
    Result<Pattern> pattern = Pattern::parse(text);
    if (pattern) {
      out.push_back(std::move(*pattern));
    } else {
      table.problem(key, pattern.error().message());
    }
  }
  return out;
}

void check_contexts(TableReader& table, std::string_view key, const std::vector<std::string>& contexts) {
  for (const std::string& one : contexts) {
    const auto begins = [&](std::string_view with) {
      return one.starts_with(with) && one.size() > with.size();
    };
    if (one != "loop" && one != "host" && !begins("def ") && !begins("class ") && !begins("with ") &&
        !begins("if ") && !begins("call ") && !begins("@"))
      table.problem(key,
                    fmt::format("'{}' is none of: loop, host, def NAME, class NAME, with NAME, if WORD, call "
                                "NAME, @NAME, @NAME(WORD)",
                                one));
  }
}

// That the case is of the rule, and its target one that the rule concerns. Whether there is such a case, and
// shows it: tests/python/test_audit_proof.py.
void check_proof(TableReader& table, const Rule& rule) {
  if (rule.proof != Proof::kCase) {
    const bool traced = rule.proof == Proof::kTrace;
    if ((!rule.shown_by.empty() && !traced) || !rule.shown_on.empty() || !rule.shown_says.empty())
      table.problem("proof", "`shown_by`, `shown_on` and `shown_says` are of a rule with the proof \"case\"");
    return;
  }
  if (rule.shown_by.find(fmt::format(".rules.{}/", rule.id)) == std::string::npos)
    table.problem("shown_by", fmt::format("'{}' is no case of this rule (FRAMEWORK.rules.{}/...)",
                                          rule.shown_by, rule.id));
  if (!rule.concerns(rule.shown_on))
    table.problem("shown_on", fmt::format("'{}' is no target that the rule concerns", rule.shown_on));
  if (rule.shown_says.empty()) table.problem("shown_says", "say what the case says there");
}

Rule read_rule(TableReader& table) {
  Rule rule;
  rule.id = table.need_string("id");
  rule.title = table.need_string("title");
  rule.why = table.need_string("why");
  rule.fix = table.need_string("fix");
  rule.effect = choice<Effect>(table, "effect", kEffects);
  rule.fix_class = choice<FixClass>(table, "class", kFixes);
  rule.effort = choice<Effort>(table, "effort", kEfforts);
  rule.proof = choice<Proof>(table, "proof", kProofs);
  rule.shown_by = table.string("shown_by");
  rule.shown_on = table.string("shown_on");
  rule.shown_says = table.string("shown_says");
  rule.source = table.need_string("source");
  rule.targets = table.strings("targets");
  rule.imports = table.strings("imports");
  rule.match = patterns(table, "match");
  rule.functions = patterns(table, "functions");
  bool known = true;
  for (const auto* several : {&rule.match, &rule.functions}) {
    for (const Pattern& pattern : *several) known = pattern.add_needed(rule.needed) && known;
  }
  if (!known) rule.needed.clear();
  rule.unless = patterns(table, "unless");
  rule.earlier = patterns(table, "earlier");
  rule.between = patterns(table, "between");
  rule.later = patterns(table, "later");
  rule.also = patterns(table, "also");
  rule.missing = patterns(table, "missing");
  const std::string scope =
      table.choice("scope", "function", {"function", "loop", "file", "branch", "class"});
  rule.scope = scope == "file"     ? Scope::kFile
               : scope == "loop"   ? Scope::kLoop
               : scope == "branch" ? Scope::kBranch
               : scope == "class"  ? Scope::kClass
                                   : Scope::kFunction;
  rule.inside = table.strings("inside");
  rule.outside = table.strings("outside");
  rule.guards = table.boolean("guards", true);
  rule.of_device = table.boolean("of_device", false);
  rule.files = table.strings("files");
  rule.lines = table.strings("lines");
  rule.bad = table.strings("bad");
  rule.good = table.strings("good");
  check_contexts(table, "inside", rule.inside);
  check_contexts(table, "outside", rule.outside);
  const bool traced = rule.proof == Proof::kTrace;
  if (traced != (rule.match.empty() && rule.functions.empty() && rule.lines.empty()))
    table.problem("id", traced
                            ? "a trace finds what rests on it: leave out `match`, `functions` and `lines`"
                            : "the rule finds nothing: give it `match`, `functions`, or `files` and `lines`");
  if (!rule.functions.empty() && rule.inside.empty())
    table.problem("functions", "these hold in any function, others `inside`: give it `inside`");
  if (rule.earlier.empty() && !rule.between.empty())
    table.problem("between", "it stands between a match of `earlier` and the match: give it `earlier`");
  if (rule.lines.empty() != rule.files.empty()) table.problem("id", "`files` and `lines` go together");
  if (!traced && (rule.bad.empty() || rule.good.empty()))
    table.problem("id", "a rule has an example that must be found (`bad`), and one that must not (`good`)");
  if (rule.targets.empty()) table.problem("id", "the rule concerns no target: give it `targets`");
  check_proof(table, rule);
  table.finish();
  return rule;
}

}  // namespace

std::string_view name_of(FixClass fix) { return text_of(kFixes, fix); }
std::string_view name_of(Effort effort) { return text_of(kEfforts, effort); }
std::string_view name_of(Proof proof) { return text_of(kProofs, proof); }
std::string_view meaning_of(Effect effect) { return text_of(kEffectMeanings, effect); }
std::string_view meaning_of(Proof proof) { return text_of(kProofMeanings, proof); }

bool Rule::concerns(std::string_view target) const {
  bool in = false;
  for (const std::string& glob : targets) {
    if (glob.starts_with('!')) {
      if (glob_match(std::string_view(glob).substr(1), target)) return false;
    } else {
      in = in || glob_match(glob, target);
    }
  }
  return in;
}

std::string Rule::rests_on() const {
  if (proof != Proof::kCase)
    return std::string(meaning_of(proof)) + (shown_by.empty() ? std::string() : ": " + shown_by);
  return fmt::format("{}, {} on {}: {}", meaning_of(proof), shown_by, shown_on, shown_says);
}

std::string Rule::show_command() const {
  if (proof != Proof::kCase) return {};
  return fmt::format("seamark run --suite rules --target {} --case '{}/*'", shown_on,
                     shown_by.substr(0, shown_by.find('/')));
}

Result<std::vector<Rule>> parse_rules(std::string_view toml, std::string_view file) {
  Result<Value> document = parse_toml(toml, file);
  if (!document) return Error(AuditError::kBadRule, document.error().message(), document.error().remedy());
  Problems problems(file);
  TableReader top(*document, problems);
  std::vector<Rule> rules;
  for (TableReader& table : top.tables("rule")) rules.push_back(read_rule(table));
  top.finish();
  if (Status status = problems.status(); !status)
    return Error(AuditError::kBadRule, status.error().message(), status.error().remedy());
  return rules;
}

Result<std::vector<Rule>> load_rules(const fs::path& folder) {
  constexpr std::size_t kLargest = std::size_t{4} << 20;
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".toml") files.push_back(at->path());
  }
  if (error || files.empty()) {
    return Error(AuditError::kUnreadable, fmt::format("there are no rules in {}", folder.native()),
                 "is the installation whole?");
  }
  std::sort(files.begin(), files.end());
  std::vector<Rule> rules;
  for (const fs::path& file : files) {
    const Result<std::string> text = read_file(file, kLargest);
    if (!text) return Error(AuditError::kUnreadable, text.error().message());
    Result<std::vector<Rule>> some = parse_rules(*text, file.filename().native());
    if (!some) return some.error();
    std::move(some->begin(), some->end(), std::back_inserter(rules));
  }
  std::sort(rules.begin(), rules.end(), [](const Rule& a, const Rule& b) { return a.id < b.id; });
  for (std::size_t i = 1; i < rules.size(); ++i) {
    if (rules[i].id == rules[i - 1].id)
      return Error(AuditError::kBadRule,
                   fmt::format("{}: two rules have the id '{}'", folder.native(), rules[i].id));
  }
  return rules;
}

const Rule* find_rule(std::span<const Rule> rules, std::string_view id) {
  const auto found =
      std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) { return rule.id == id; });
  return found == rules.end() ? nullptr : &*found;
}

}  // namespace seamark::audit
