// Tests of other tools, read from one file, before they become attempts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/interop/interop_error.h"
#include "seamark/model/attempt.h"

namespace seamark::interop {

enum class ExternalForm : std::uint8_t {
  kPytestJson = 1,    // pytest-json-report
  kTimings = 2,       // {"file.py:test": {"operations": [s, ...], "test_time": s}}
  kJunit = 3,         // JUnit XML
  kSeamarkJsonl = 4,  // what `seamark export --format jsonl` writes
};
std::string_view name_of(ExternalForm form);  // pytest-json, timings, junit, seamark-jsonl
std::optional<ExternalForm> form_from(std::string_view name);
// By the first bytes that are no white space; kBadInput when they are of no form.
Result<ExternalForm> detect_form(std::string_view text, std::string_view file);

// The parts of a test's name, whatever runner wrote it.
struct TestName {
  std::vector<std::string> parts;  // folders, file without .py, classes, function
  std::size_t file = 0;            // which part is the file
  std::string parameters;          // between the brackets; empty: none

  // "tests/test_a.py::TestB::test_c[1-2]" or "test_a.py:test_c".
  static TestName of_node(std::string_view id);
  // JUnit's: a class name with dots, a name, and a file where it says one.
  static TestName of_junit(std::string_view classname, std::string_view name, std::string_view file);

  [[nodiscard]] std::string key() const;        // tests.test_a.TestB.test_c[1-2]
  [[nodiscard]] std::string short_key() const;  // test_a.test_c[1-2]: what a timing file knows of it
};

struct ExternalTest {
  std::string id;  // as the file says it, on one line
  TestName name;
  bool timing = false;  // times of operations, and no outcome
  Outcome outcome = Outcome::kPass;
  std::string reason;  // of a skip or an error
  std::optional<Failure> failure;
  std::vector<std::string> attributes;  // expected-failure, unexpected-pass
  double wall_s = 0;
  std::vector<double> operations;  // seconds, of a timing
};

// What could not be read, and where.
struct ExternalLoss {
  std::string place;  // "report.json: tests[3]"
  std::string what;
};

struct ExternalFile {
  std::vector<ExternalTest> tests;
  std::vector<ExternalLoss> losses;
  std::vector<std::string> notes;    // what is no loss, but should be known
  std::int64_t started_unix_us = 0;  // 0: it does not say
};

// Texts of others are cut to these.
inline constexpr std::size_t kMostNameBytes = 400;
inline constexpr std::size_t kMostMessageBytes = std::size_t{16} << 10;
inline constexpr std::size_t kMostTraceBytes = std::size_t{64} << 10;
inline constexpr std::size_t kMostFileBytes = std::size_t{256} << 20;

// As classes do in Python.
bool begins_upper(std::string_view text);
// One line of valid UTF-8, at most kMostNameBytes; a longer one ends in a hash of the whole.
std::string bounded_name(std::string_view text);
std::string bounded_text(std::string_view text, std::size_t most);

}  // namespace seamark::interop
