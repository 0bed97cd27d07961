// What measured results say of the functions that a project uses, on the device that it is to move to.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/analysis/summary.h"
#include "seamark/audit/project.h"

namespace seamark::audit {

// Worst first, as reports list them.
enum class Answer : std::uint8_t {
  kFails = 1,
  kPartly = 2,     // some of its cases fail: of a dtype, with a gradient, of a shape
  kHost = 3,       // passes, but on the host
  kPrecision = 4,  // right at the highest precision alone
  kSlow = 5,       // by the measured ratio to the framework's own baseline
  kUnknown = 6,    // nobody asked: never drawn as "no"
  kDeclared = 7,   // the framework names a kernel, or names none; nothing was run
  kCompiles = 8,   // an executable was made, and not executed
  kPasses = 9,
  kNoWork = 10,  // touches no device
};
inline constexpr int kLastAnswer = 10;
[[nodiscard]] std::string_view name_of(Answer answer);     // fails, partly, on-host, precision, slow, ...
[[nodiscard]] std::string_view meaning_of(Answer answer);  // "fails", "fails in part", "passes on the host"
// Whether code that works elsewhere does not there, or not as it should.
[[nodiscard]] constexpr bool is_finding(Answer answer) { return answer <= Answer::kSlow; }

struct FunctionAnswer {
  Answer answer = Answer::kUnknown;
  std::string says;           // what fails, the error, how slow: one line; may be empty
  std::string category;       // of a failure; empty: none
  std::string case_name;      // that shows it; empty: none
  std::string evidence;       // executed, verified, compiled, declared; empty: none
  std::string origin;         // of the results; empty: there are none
  bool fails_before = false;  // on the device that it comes from too
};

// Results in the order in which they are asked.
struct Results {
  const analysis::Summary* summary = nullptr;
  std::string origin;  // "seamark.db", "measured by Seamark, 2026-11-25"
};

struct Move {
  std::string to;    // a device or a target
  std::string from;  // likewise; empty: not said
};

struct Answers {
  std::map<std::string, std::string>
      targets;                            // by framework: which target answers, or would; "" where none does
  std::set<std::string> asked;            // frameworks whose target has results
  std::vector<FunctionAnswer> functions;  // of Project::functions
};

// The targets of a framework that stand for `to`, those with the most results first.
[[nodiscard]] std::vector<std::string> candidates(std::span<const Results> results,
                                                  const std::string& framework, const std::string& to);
[[nodiscard]] Answers answers_for(const Project& project, std::span<const Results> results, const Move& move);

// The frameworks for whose target a rule's finding matters; none where the rule does not concern the move, or
// holds already on the device that the project comes from.
[[nodiscard]] std::set<std::string> concerned_frameworks(const Rule& rule, const Move& move,
                                                         const Answers& answers);

}  // namespace seamark::audit
