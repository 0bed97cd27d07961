#include "seamark/analysis/expected.h"

#include <fmt/format.h>

#include <algorithm>

#include "seamark/analysis/expected_match.h"
#include "seamark/base/config.h"
#include "seamark/base/text.h"
#include "seamark/model/verdict.h"

namespace seamark::analysis {

namespace {

constexpr std::int64_t kVersion = 1;
constexpr std::string_view kDefaultSuite = "curated";

std::vector<std::string> category_names() {
  std::vector<std::string> names;
  for (const Category category : all_categories()) names.emplace_back(name_of(category));
  return names;
}

void read_category(TableReader& reader, Expectation& entry) {
  const std::optional<std::string> name = reader.maybe_string("category");
  if (!name) return;
  entry.category = category_from(*name);
  if (entry.category) return;
  const std::vector<std::string> names = category_names();
  const std::optional<std::string> near = nearest(*name, names);
  reader.problem("category", fmt::format("there is no category '{}'; {}", *name,
                                         near ? fmt::format("did you mean '{}'?", *near)
                                              : "it is one of " + join(names, ", ")));
}

Expectation read_entry(TableReader& reader) {
  Expectation entry;
  entry.line = reader.line();
  entry.target = reader.need_string("target");
  entry.function = reader.string("function");
  entry.case_name = reader.string("case");
  entry.flaky = reader.boolean("flaky", false);
  entry.suite = reader.string("suite");
  entry.reason = reader.string("reason");
  read_category(reader, entry);
  if (entry.function.empty() == entry.case_name.empty()) {
    reader.problem(entry.function.empty() ? "function" : "case",
                   "an entry names either a function or a case; say which fails");
  }
  reader.finish();
  return entry;
}

bool fits(std::string_view pattern, std::string_view name) {
  return pattern == name || (has_glob(pattern) && glob_match(pattern, name));
}

// What an expectation can excuse.
bool can_be_expected(ChangeKind kind) {
  return kind == ChangeKind::kNewFailure || kind == ChangeKind::kAddedFailure ||
         kind == ChangeKind::kCategoryChanged || kind == ChangeKind::kFlaky;
}

// A whole function's failure is expected where each of its failing cases is.
bool all_expected(const PairDelta& pair, std::size_t function) {
  return std::all_of(pair.cases.begin(), pair.cases.end(), [&](const CaseDelta& one) {
    return one.function != function || !one.after || !failed(one.after->outcome) || one.expected;
  });
}

void mark_changes(PairDelta& pair) {
  for (Change& change : pair.changes) {
    if (!change.case_index || !can_be_expected(change.kind)) continue;
    const CaseDelta& one = pair.cases[*change.case_index];
    change.expected = one.expected && (!change.case_name.empty() || all_expected(pair, one.function));
    if (change.expected) change.expected_comment = one.expected_comment;
  }
}

void mark_cases(PairDelta& pair, const std::vector<Expectation>& entries) {
  for (CaseDelta& one : pair.cases) {
    if (!one.after || !failed(one.after->outcome)) continue;
    for (const Expectation& entry : entries) {
      if (!entry.speaks_of(pair.target(), pair.functions[one.function].name, one.name)) continue;
      if (entry.category && one.after->category != entry.category) continue;
      one.expected = true;
      one.expected_comment = entry.reason;
      break;
    }
  }
}

Change change_of(const Expectation& entry, ChangeKind kind, const std::string& target) {
  Change change;
  change.kind = kind;
  change.target = target;
  change.function = entry.function;
  change.case_name = entry.case_name;
  change.expected_comment = entry.reason;
  return change;
}

void tell(Comparison& comparison, const std::string& file, const Expectation& entry,
          const ExpectationStatus& standing) {
  const std::string where = fmt::format("{}:{}", file, entry.line);
  if (standing.fate == Fate::kStale) {
    Change change = change_of(entry, ChangeKind::kStale, entry.target);
    change.detail = fmt::format("{}: no such {} there; remove the entry", where,
                                entry.case_name.empty() ? "function" : "case");
    comparison.of_targets.push_back(std::move(change));
  }
  if (standing.fate != Fate::kUnexpectedPass) return;
  for (const std::size_t index : standing.pairs) {
    PairDelta& pair = comparison.pairs[index];
    Change change = change_of(entry, ChangeKind::kUnexpectedPass, pair.target());
    change.detail = fmt::format("{} expects {}", where,
                                entry.category ? std::string(name_of(*entry.category)) : "a failure");
    pair.changes.push_back(std::move(change));
    sort_changes(pair.changes);
  }
}

}  // namespace

bool Expectation::speaks_of(std::string_view on_target, std::string_view of_function,
                            std::string_view of_case) const {
  return fits(target, on_target) &&
         (function.empty() ? fits(case_name, of_case) : fits(function, of_function));
}

Result<Expectations> Expectations::parse(std::string_view toml, std::string_view file) {
  const Result<Value> document = parse_toml(toml, file);
  if (!document) {
    return Error(DocumentError::kSyntax, document.error().message(),
                 "mend the line, or remove the file and write it anew with --update-expected");
  }
  Expectations out;
  out.file_ = std::string(file);
  out.text_ = std::string(toml);
  Problems problems(file);
  TableReader top(*document, problems);
  top.integer("version", kVersion, {.min = kVersion, .max = kVersion});
  for (TableReader& reader : top.tables("expected")) out.entries_.push_back(read_entry(reader));
  top.finish();
  if (Status status = problems.status(); !status) return status.error();
  return out;
}

namespace {

// The selection of a run, as `seamark run` keeps it. Other stores say nothing: all was asked for.
bool asked_for_all(const RunFacts& run, bool of_cases) {
  const Value& options = run.info.options;
  const Value* functions = options.find("functions");
  const Value* sample = options.find("sample");
  const bool some = functions != nullptr && functions->is_array() && !functions->as_array().empty();
  if (some || !options.string_or("case", "").empty() || (sample != nullptr && !sample->is_null()))
    return false;
  return !of_cases || options.string_or("cases", "all") == "all";
}

// Would it have cases in this pair, were it still there?
bool would_be_there(const Comparison& comparison, const PairDelta& pair, const Expectation& entry) {
  const std::string& suite = entry.suite.empty() ? std::string(kDefaultSuite) : entry.suite;
  const bool of_suite = std::any_of(pair.cases.begin(), pair.cases.end(),
                                    [&](const CaseDelta& one) { return one.after && one.suite == suite; });
  const auto& runs = comparison.after.runs;
  return of_suite && std::any_of(runs.begin(), runs.end(), [&](const RunFacts& run) {
           return asked_for_all(run, !entry.case_name.empty());
         });
}

Fate fate_of(const Expectation& entry, const ExpectationStatus& standing, bool judged, bool all_ran) {
  if (standing.pairs.empty()) return judged ? Fate::kStale : Fate::kNotJudged;
  if (!standing.failing.empty()) {
    const bool as_said =
        std::any_of(standing.failing.begin(), standing.failing.end(), [&](const FailingCase& one) {
          return !entry.category || one.delta->after->category == entry.category;
        });
    return as_said ? Fate::kHolds : Fate::kOtherCategory;
  }
  if (entry.flaky) return Fate::kHolds;
  return all_ran ? Fate::kUnexpectedPass : Fate::kNotJudged;
}

}  // namespace

ExpectationStatus standing_of(const Comparison& comparison, const Expectation& entry) {
  ExpectationStatus standing;
  bool judged = false;
  bool all_ran = true;
  for (std::size_t p = 0; p < comparison.pairs.size(); ++p) {
    const PairDelta& pair = comparison.pairs[p];
    if (!fits(entry.target, pair.target())) continue;
    judged = judged || would_be_there(comparison, pair, entry);
    bool here = false;
    for (const CaseDelta& one : pair.cases) {
      const std::string& function = pair.functions[one.function].name;
      if (!one.after || !entry.speaks_of(pair.target(), function, one.name)) continue;
      here = true;
      all_ran = all_ran && was_run(one.after->outcome);
      if (failed(one.after->outcome)) standing.failing.push_back({p, &one});
    }
    if (here) standing.pairs.push_back(p);
  }
  standing.fate = fate_of(entry, standing, judged, all_ran);
  return standing;
}

void apply_expectations(Comparison& comparison, const Expectations& expectations) {
  for (PairDelta& pair : comparison.pairs) {
    mark_cases(pair, expectations.entries());
    mark_changes(pair);
  }
  ExpectationFacts& facts = comparison.expectations;
  facts.file = expectations.file();
  for (const Expectation& entry : expectations.entries()) {
    const ExpectationStatus standing = standing_of(comparison, entry);
    ++facts.entries;
    if (standing.fate == Fate::kHolds) ++facts.matched;
    if (standing.fate == Fate::kNotJudged) ++facts.not_judged;
    tell(comparison, expectations.file(), entry, standing);
  }
  sort_changes(comparison.of_targets);
}

}  // namespace seamark::analysis
