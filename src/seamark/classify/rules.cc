#include "seamark/classify/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <cstring>
#include <set>
#include <utility>

#include "seamark/base/config.h"
#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/base/value.h"

namespace seamark::classify {

namespace {

// A text that hundreds of parts are looked for in. Which bytes stand side by side in it is noted first: most
// parts have two that do not, and need no search.
class Haystack {
 public:
  explicit Haystack(std::string_view text) : text_(text) {
    for (std::size_t i = 1; i < text.size(); ++i) pairs_.set(pair(text, i));
  }
  // Linear in the text whatever it holds (memmem is two-way search).
  [[nodiscard]] bool contains(std::string_view part) const {
    for (std::size_t i = 1; i < part.size(); ++i) {
      if (!pairs_.test(pair(part, i))) return false;
    }
    return memmem(text_.data(), text_.size(), part.data(), part.size()) != nullptr;
  }

 private:
  static std::size_t pair(std::string_view text, std::size_t i) {
    return static_cast<unsigned char>(text[i - 1]) * 256U + static_cast<unsigned char>(text[i]);
  }
  std::string_view text_;
  std::bitset<65536> pairs_;
};

bool one_of(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool type_matches(const std::vector<std::string>& types, std::string_view type) {
  if (types.empty()) return true;
  const std::string_view last = type.substr(type.rfind('.') + 1);  // npos + 1 is 0
  return std::any_of(types.begin(), types.end(),
                     [&](const std::string& one) { return one == type || one == last; });
}

constexpr std::string_view kFamily = "{family}";
constexpr std::string_view kBridgeStage = "bridge";

struct Subject {
  std::string_view framework;
  Outcome outcome;
  std::string_view mode;    // of the target; empty: it has none, or is not known
  std::string_view family;  // of the target; empty: not known
  std::string_view stage;
  std::string_view type;
  const Haystack& text;
  bool any_stage = false;
  bool any_type = false;

  // Whether the text holds `part`, with {family} in it as the target's device.
  [[nodiscard]] bool holds(std::string_view part) const {
    const std::size_t at = part.find(kFamily);
    if (at == std::string_view::npos) return text.contains(part);
    return !family.empty() &&
           text.contains(fmt::format("{}{}{}", part.substr(0, at), family, part.substr(at + kFamily.size())));
  }
};

bool matches(const Rule& rule, const Subject& subject) {
  if (rule.framework != "*" && rule.framework != subject.framework) return false;
  if (rule.outcome.value_or(Outcome::kFail) != subject.outcome) return false;
  if (!subject.any_stage && !rule.stage.empty() && rule.stage != subject.stage) return false;
  if (!rule.modes.empty() && !one_of(rule.modes, subject.mode)) return false;
  if (!rule.families.empty() && !one_of(rule.families, subject.family)) return false;
  if (!subject.any_type && !type_matches(rule.types, subject.type)) return false;
  const auto in_text = [&](const std::string& part) { return subject.holds(part); };
  if (!std::all_of(rule.all.begin(), rule.all.end(), in_text)) return false;
  for (const auto* group : {&rule.any, &rule.with}) {
    if (!group->empty() && std::none_of(group->begin(), group->end(), in_text)) return false;
  }
  return std::none_of(rule.none.begin(), rule.none.end(), in_text);
}

std::string_view mode_of(std::string_view target) {
  const std::size_t plus = target.find('+');
  return plus == std::string_view::npos ? std::string_view() : target.substr(plus + 1);
}

std::string_view family_of(std::string_view target) {
  const std::size_t slash = target.find('/');
  if (slash == std::string_view::npos) return {};
  const std::string_view device = target.substr(slash + 1);
  return device.substr(0, device.find_first_of("-+"));
}

// --- operators

// Of operators' names: aten::sort.stable, random_gamma, XlaSvd.
bool of_a_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == ':' || c == '-';
}

// What stands before and behind the name in a pattern; nullopt: it has no place for one, or no text.
std::optional<std::pair<std::string_view, std::string_view>> around_name(std::string_view pattern) {
  constexpr std::string_view kPlace = "{}";
  const std::size_t at = pattern.find(kPlace);
  if (at == std::string_view::npos || pattern.size() == kPlace.size()) return std::nullopt;
  return std::pair{pattern.substr(0, at), pattern.substr(at + kPlace.size())};
}

// The name that ends before `end`; the one that begins at `begin`, without what ends a sentence.
std::string_view name_before(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && of_a_name(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}
std::string_view name_at(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() && of_a_name(text[end])) ++end;
  while (end > begin && (text[end - 1] == '.' || text[end - 1] == ':')) --end;
  return text.substr(begin, end - begin);
}

void add_operators(std::string_view pattern, std::string_view text, std::vector<std::string>& found) {
  constexpr std::string_view kComma = ", ";
  const auto [before, behind] = *around_name(pattern);
  if (before.empty()) {
    for (std::size_t at = 0; (at = text.find(behind, at)) != std::string_view::npos; at += behind.size())
      found.emplace_back(name_before(text, at));
    return;
  }
  for (std::size_t at = 0; (at = text.find(before, at)) != std::string_view::npos;) {
    at += before.size();
    std::vector<std::string_view> names{name_at(text, at)};
    at += names.back().size();
    while (!names.back().empty() && text.substr(at).starts_with(kComma)) {
      names.push_back(name_at(text, at + kComma.size()));
      at += kComma.size() + names.back().size();
    }
    if (text.substr(at).starts_with(behind)) found.insert(found.end(), names.begin(), names.end());
  }
}

Category category_of(TableReader& table) {
  const std::string name = table.need_string("category");
  const std::optional<Category> category = category_from(name);
  if (!name.empty() && (!category || *category == Category::kUnclassified)) {
    table.problem("category", fmt::format("'{}' is no category that a rule can give", name));
  }
  return category.value_or(Category::kUnclassified);
}

Rule read_rule(TableReader& table) {
  Rule rule;
  rule.id = table.need_string("id");
  rule.framework = table.string("framework", "*");
  rule.priority = static_cast<int>(table.integer("priority", 50, {.min = 0, .max = 100}));
  rule.types = table.strings("type");
  rule.all = table.strings("all");
  rule.any = table.strings("any");
  rule.with = table.strings("with");
  rule.none = table.strings("none");
  rule.stage = table.string("stage");
  rule.modes = table.strings("modes");
  rule.families = table.strings("families");
  const std::string outcome = table.choice("outcome", "fail", {"fail", "crash"});
  rule.outcome = outcome_from(outcome);
  rule.category = category_of(table);
  rule.operators = table.strings("operators");
  rule.example = table.need_string("example");
  rule.example_type = table.string("example_type");
  rule.example_stage = table.string("example_stage", rule.stage);
  rule.source = table.need_string("source");
  rule.advice = table.string("advice");
  // That a process died on a target of some mode says enough; that something failed there does not.
  const bool asks_enough = rule.outcome == Outcome::kCrash && !rule.modes.empty();
  if (rule.types.empty() && rule.all.empty() && rule.any.empty() && !asks_enough) {
    table.problem("id", "the rule would match everything: give it a type, all or any");
  }
  if (!rule.with.empty() && rule.any.empty()) table.problem("with", "it stands beside any, which is missing");
  for (const std::string& family : rule.families) {
    if (family.find_first_of("/-+") != std::string::npos)
      table.problem("families",
                    fmt::format("'{}' is no family: cuda, without framework or generation", family));
  }
  for (const auto* list :
       {&rule.types, &rule.all, &rule.any, &rule.with, &rule.none, &rule.modes, &rule.families}) {
    if (std::find(list->begin(), list->end(), "") != list->end())
      table.problem("id", "an empty text matches everything");
  }
  for (const std::string& pattern : rule.operators) {
    if (!around_name(pattern))
      table.problem("operators",
                    fmt::format("'{}' does not say what stands around a name: text, and {{}}", pattern));
  }
  table.finish();
  return rule;
}

Result<std::vector<Rule>> read_rules(std::string_view toml, std::string_view file) {
  Result<Value> document = parse_toml(toml, file);
  if (!document) return Error(ClassifyError::kBadRule, document.error().message(), document.error().remedy());
  Problems problems(file);
  TableReader top(*document, problems);
  std::vector<Rule> rules;
  for (TableReader& table : top.tables("rule")) rules.push_back(read_rule(table));
  top.finish();
  if (Status status = problems.status(); !status) {
    return Error(ClassifyError::kBadRule, status.error().message(), status.error().remedy());
  }
  return rules;
}

std::string hash_of(const std::vector<Rule>& rules) {
  std::string content;
  for (const Rule& rule : rules) {
    content += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", rule.id, rule.framework, rule.priority, rule.stage,
                           name_of(rule.outcome.value_or(Outcome::kFail)), name_of(rule.category));
    for (const auto* list : {&rule.types, &rule.all, &rule.any, &rule.with, &rule.none, &rule.modes,
                             &rule.families, &rule.operators}) {
      for (const std::string& text : *list) content += fmt::format("{}:{}\n", text.size(), text);
      content += ";\n";
    }
  }
  return to_hex(fnv1a64(content));
}

Status put_in_order(std::vector<Rule>& rules, std::string_view where) {
  std::set<std::string_view> ids;
  for (const Rule& rule : rules) {
    if (!ids.insert(rule.id).second) {
      return Error(ClassifyError::kBadRule, fmt::format("{}: two rules have the id '{}'", where, rule.id));
    }
  }
  std::stable_sort(rules.begin(), rules.end(),
                   [](const Rule& a, const Rule& b) { return a.priority > b.priority; });
  return {};
}

}  // namespace

Result<RuleSet> RuleSet::parse(std::string_view toml, std::string_view file) {
  Result<std::vector<Rule>> rules = read_rules(toml, file);
  if (!rules) return rules.error();
  if (Status status = put_in_order(*rules, file); !status) return status.error();
  RuleSet set;
  set.rules_ = std::move(*rules);
  set.version_ = hash_of(set.rules_);
  return set;
}

Result<RuleSet> RuleSet::load(const std::filesystem::path& folder) {
  std::error_code ec;
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) {
    if (it->path().extension() == ".toml") files.push_back(it->path());
  }
  if (ec || files.empty()) {
    return Error(
        ClassifyError::kUnreadable,
        fmt::format("{}: no classification rules{}", folder.string(), ec ? " (" + ec.message() + ")" : ""),
        "the installation is not complete; set SEAMARK_HOME or install again");
  }
  std::sort(files.begin(), files.end());
  RuleSet set;
  for (const std::filesystem::path& file : files) {
    Result<std::string> text = read_file(file);
    if (!text) return Error(ClassifyError::kUnreadable, text.error().message());
    Result<std::vector<Rule>> rules = read_rules(*text, file.string());
    if (!rules) return rules.error();
    set.rules_.insert(set.rules_.end(), rules->begin(), rules->end());
  }
  if (Status status = put_in_order(set.rules_, folder.string()); !status) return status.error();
  set.version_ = hash_of(set.rules_);
  return set;
}

std::optional<Classification> RuleSet::classify(const Attempt& attempt) const {
  switch (attempt.outcome) {
    case Outcome::kPass:
    case Outcome::kSkip:
    case Outcome::kError:
    case Outcome::kFlaky:
      return std::nullopt;
    case Outcome::kTimeout:
      return Classification{Category::kTimeout, "outcome:timeout"};
    case Outcome::kFail:
    case Outcome::kCrash:
      break;
  }
  const Failure none;
  const Failure& failure = attempt.failure ? *attempt.failure : none;
  if (attempt.outcome == Outcome::kFail && failure.stage == "compare") {
    if (failure.precision_rerun == "pass")
      return Classification{Category::kFloatPrecision, "compare:precise-rerun-passes"};
    return Classification{Category::kWrongResult, "compare"};
  }
  // The device's compiler has not seen the program: a text says nothing of the device there, unless a rule
  // knows it from there.
  const bool in_bridge = attempt.outcome == Outcome::kFail && failure.stage == kBridgeStage;
  // What a dying process says stands in its output.
  std::string text = failure.message;
  if (attempt.outcome == Outcome::kCrash) text += '\n' + attempt.capture;
  const std::string_view target = attempt.target;
  const Haystack haystack(text);
  const Subject subject{.framework = target.substr(0, target.find('/')),
                        .outcome = attempt.outcome,
                        .mode = mode_of(target),
                        .family = family_of(target),
                        .stage = failure.stage,
                        .type = failure.type,
                        .text = haystack};
  for (const Rule& rule : rules_) {
    if (in_bridge && rule.stage != kBridgeStage) continue;
    if (matches(rule, subject)) return Classification{rule.category, rule.id};
  }
  if (in_bridge) return Classification{Category::kBridge, "bridge"};
  if (attempt.outcome == Outcome::kCrash) {
    if (failure.stage == "compile" || failure.stage == "lower")
      return Classification{Category::kCompilerCrash, "outcome:crash-of-a-compiler"};
    return Classification{Category::kCrash, "outcome:crash"};
  }
  return Classification{};
}

std::vector<std::string> RuleSet::operators(std::string_view rule, std::string_view message) const {
  const auto by = std::find_if(rules_.begin(), rules_.end(), [&](const Rule& one) { return one.id == rule; });
  std::vector<std::string> found;
  if (by == rules_.end()) return found;
  for (const std::string& pattern : by->operators) add_operators(pattern, message, found);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::erase(found, "");
  return found;
}

const Rule* RuleSet::match(const ErrorText& error) const {
  const Haystack haystack(error.message);
  const Subject subject{.framework = error.framework,
                        .outcome = error.died ? Outcome::kCrash : Outcome::kFail,
                        .mode = {},
                        .family = {},
                        .stage = {},
                        .type = error.type,
                        .text = haystack,
                        .any_stage = true,
                        .any_type = error.any_type};
  const auto found = std::find_if(rules_.begin(), rules_.end(), [&](const Rule& rule) {
    // Without its type a rule that asks for nothing else would match any text.
    const bool asks_for_text = !rule.all.empty() || !rule.any.empty();
    return (asks_for_text || !error.any_type) && matches(rule, subject);
  });
  return found == rules_.end() ? nullptr : &*found;
}

}  // namespace seamark::classify
