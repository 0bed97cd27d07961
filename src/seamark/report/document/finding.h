// What a verb checked and what it found, before any format: JUnit and SARIF are renderings of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seamark/base/value.h"
#include "seamark/report/render/render_options.h"

namespace seamark::report {

// A kind of finding.
struct FindingRule {
  std::string id;  // "new-failure"
  std::string description;
  std::string level;  // error, warning, note: where a finding has no other
};

// Where in a text; columns count characters. Lines and columns from 1; the end lies behind it.
struct FilePlace {
  std::string path;  // empty: in no file
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  std::uint32_t end_line = 1;
  std::uint32_t end_column = 1;
  std::string inside;  // "cell 3, line 2", where columns are none of the file's; empty: they are
};

// Texts are plain and may be anything: each renderer makes them harmless.
struct Finding {
  std::string rule;    // id of a rule
  std::string level;   // error, warning, note; empty: an improvement, which SARIF leaves out
  bool fails = false;  // the verb ends with findings because of it
  std::string place;   // "torch.add on torch/cpu"; empty: the text says it
  std::string text;    // one line
  std::string target;
  std::string function;            // empty: of the whole target
  std::string case_name;           // empty: of the whole function
  std::string baseline_state;      // new, unchanged, updated, absent; empty: not said
  std::string fingerprint_salt;    // tells apart what has the same rule and place
  std::string suppressed_because;  // empty: not suppressed
  FilePlace file;
};

// One thing that was looked at. It fails where one of its findings does.
struct Check {
  std::string group;  // "torch/cpu.torch.add"
  std::string name;
  std::vector<std::size_t> findings;              // places in the list of its suite
  std::pair<std::string, std::string> no_answer;  // type and reason, where it neither passes nor fails
  std::string error;                              // what it said, where it fails; may have lines
};

struct CheckSuite {
  std::string name;
  std::string timestamp;  // ISO 8601; empty: unknown
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<Check> checks;
  std::vector<Finding> findings;  // those of no check are left out of JUnit
};

struct Findings {
  std::string name;  // "seamark compare"
  std::vector<FindingRule> rules;
  std::vector<CheckSuite> suites;  // one with neither checks nor properties is left out of JUnit
  Value properties;                // an object; of the run in SARIF
};

// JUnit XML as pytest and nextest write it: well-formed whatever the texts hold.
std::string junit_text(const Findings& findings);
// SARIF 2.1.0. Locations are places in files where findings have them, else logical: a target, a function, a
// case.
std::string sarif_text(const Findings& findings, const RenderOptions& options);

}  // namespace seamark::report
