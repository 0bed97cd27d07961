// What pytest-json-report writes.
#include <fmt/format.h>

#include <cmath>

#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/interop/external_readers.h"

namespace seamark::interop {

namespace {

constexpr std::size_t kMostNotesOfCollection = 3;
constexpr double kMostCreated = 4e9;  // seconds since 1970: the year 2096

// A text, or what pytest writes in its place: ["file", line, "Skipped: why"].
std::string text_of(const Value* value) {
  if (value == nullptr || value->is_null()) return {};
  if (value->is_string()) return value->as_string();
  if (value->is_array() && value->as_array().size() == 3 && value->as_array()[2].is_string())
    return value->as_array()[2].as_string();
  return {};
}

// "('/x/test_a.py', 3, 'Skipped: no device')", as pytest-json-report writes the tuple of a skip.
std::string skip_reason(std::string_view text) {
  const std::size_t at = text.find("Skipped: ");
  if (at == std::string::npos) return bounded_name(text);
  std::string_view reason = text.substr(at + 9);
  if (text.starts_with('(') && reason.size() >= 2 && reason.ends_with(')')) reason.remove_suffix(2);
  return bounded_name(reason);
}

class Reader {
 public:
  Reader(std::string_view file, const ImportRules& rules) : file_(file), rules_(rules) {}

  Result<ExternalFile> read(const Value& report) {
    const Value* tests = report.find("tests");
    if (tests == nullptr || !tests->is_array()) {
      return Error(InteropError::kBadInput, fmt::format("{}: it has no list 'tests'", file_),
                   "write it with pytest --json-report (not --json-report-omit=tests), or say --format");
    }
    const double created = report.number_or("created", 0);
    if (created > 0 && created < kMostCreated)
      out_.started_unix_us = static_cast<std::int64_t>(created * 1e6);
    for (std::size_t i = 0; i < tests->as_array().size(); ++i) {
      place_ = fmt::format("{}: tests[{}]", file_, i);
      add(tests->as_array()[i]);
    }
    note_collection(report);
    return std::move(out_);
  }

 private:
  void lose(std::string what) { out_.losses.push_back({place_, std::move(what)}); }

  void add(const Value& entry) {
    if (!entry.is_object()) return lose(fmt::format("expected a table, found {}", entry.type_name()));
    const Value* node = entry.find("nodeid");
    if (node == nullptr || !node->is_string() || trim(node->as_string()).empty())
      return lose("it has no 'nodeid'");
    const Value* outcome = entry.find("outcome");
    if (outcome == nullptr || !outcome->is_string()) return lose("it has no 'outcome'");
    ExternalTest test;
    test.id = bounded_name(node->as_string());
    test.name = TestName::of_node(test.id);
    if (!read_durations(entry, test)) return;
    if (!read_outcome(entry, outcome->as_string(), test)) return;
    out_.tests.push_back(std::move(test));
  }

  bool read_durations(const Value& entry, ExternalTest& test) {
    for (const char* stage : {"setup", "call", "teardown"}) {
      const Value* part = entry.find(stage);
      if (part == nullptr || part->is_null()) continue;
      if (!part->is_object()) {
        lose(fmt::format("'{}' is {}, not a table", stage, part->type_name()));
        return false;
      }
      const Value* duration = part->find("duration");
      if (duration == nullptr || duration->is_null()) continue;
      if (!duration->is_number() || !std::isfinite(duration->as_number()) || duration->as_number() < 0) {
        lose(fmt::format("the duration of its {} is no time", stage));
        return false;
      }
      test.wall_s += duration->as_number();
    }
    return true;
  }

  // The representation and the crash message of a stage; of older forms, of the test itself.
  static std::string longrepr_of(const Value& entry, const char* stage) {
    const Value* part = entry.find(stage);
    std::string text = part == nullptr ? std::string() : text_of(part->find("longrepr"));
    return text.empty() ? text_of(entry.find("longrepr")) : text;
  }

  static std::string crash_of(const Value& entry, const char* stage) {
    const Value* part = entry.find(stage);
    const Value* crash = part == nullptr ? nullptr : part->find("crash");
    return crash == nullptr ? std::string() : crash->string_or("message", "");
  }

  static bool failed_in(const Value& entry, const char* stage) {
    const Value* part = entry.find(stage);
    return part != nullptr && part->string_or("outcome", "") == "failed";
  }

  bool read_outcome(const Value& entry, const std::string& outcome, ExternalTest& test) {
    const std::string longrepr = longrepr_of(entry, "call");
    if (outcome == "passed") {
      test.outcome = Outcome::kPass;
    } else if (outcome == "failed" || outcome == "rerun") {
      // Strict: it passed where it was not expected to.
      if (longrepr.starts_with("[XPASS(strict)]")) {
        test.attributes.emplace_back("unexpected-pass");
        return true;
      }
      tell_failure(test, "call", crash_of(entry, "call"), longrepr, rules_);
    } else if (outcome == "xpassed") {
      test.attributes.emplace_back("unexpected-pass");
    } else if (outcome == "xfailed") {
      read_expected(entry, longrepr, test);
    } else if (outcome == "skipped") {
      test.outcome = Outcome::kSkip;
      const std::string setup = longrepr_of(entry, "setup");
      test.reason = skip_reason(setup.empty() ? longrepr : setup);
      if (test.reason.empty()) test.reason = "skipped by the test";
    } else if (outcome == "error") {
      const bool setup = failed_in(entry, "setup") || !failed_in(entry, "teardown");
      const char* stage = setup ? "setup" : "teardown";
      test.outcome = Outcome::kError;
      const std::string crash = crash_of(entry, stage);
      test.reason = bounded_name(
          fmt::format("the test's {} failed: {}", stage, crash.empty() ? longrepr_of(entry, stage) : crash));
    } else {
      lose(fmt::format("'{}' is no outcome", bounded_name(outcome)));
      return false;
    }
    return true;
  }

  void read_expected(const Value& entry, const std::string& longrepr, ExternalTest& test) {
    const bool ran = entry.find("call") != nullptr;
    if (!ran) {
      test.outcome = Outcome::kSkip;
      test.reason = "expected to fail, and not run";
      return;
    }
    test.attributes.emplace_back("expected-failure");
    tell_failure(test, "call", crash_of(entry, "call"), longrepr, rules_);
  }

  // Files whose tests are not here.
  void note_collection(const Value& report) {
    const Value* collectors = report.find("collectors");
    if (collectors == nullptr || !collectors->is_array()) return;
    std::vector<std::string> names;
    std::size_t count = 0;
    for (const Value& one : collectors->as_array()) {
      if (!one.is_object() || one.string_or("outcome", "") != "failed") continue;
      if (++count <= kMostNotesOfCollection) names.push_back(bounded_name(one.string_or("nodeid", "?")));
    }
    if (count == 0) return;
    out_.notes.push_back(
        fmt::format("{}: pytest could not collect {} of its files, whose tests are not here: {}{}", file_,
                    count, join(names, ", "), count > names.size() ? ", ..." : ""));
  }

  std::string file_;
  const ImportRules& rules_;
  std::string place_;
  ExternalFile out_;
};

}  // namespace

Result<ExternalFile> read_pytest_json(std::string_view text, std::string_view file,
                                      const ImportRules& rules) {
  const Result<Value> report = parse_json(text, {.max_bytes = kMostFileBytes, .max_depth = 64});
  if (!report)
    return Error(InteropError::kBadInput, fmt::format("{}: {}", file, report.error().message()),
                 "a report that was cut short, or is of another form: see --format");
  return Reader(file, rules).read(*report);
}

}  // namespace seamark::interop
