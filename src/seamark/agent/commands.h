// One-shot commands of the agent: start the interpreter, read one answer, done.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seamark/agent/agent_error.h"
#include "seamark/base/result.h"
#include "seamark/base/value.h"
#include "seamark/model/case_info.h"
#include "seamark/proc/environment_rule.h"
#include "seamark/proc/signals.h"

namespace seamark::agent {

// How to start the agent: `interpreter boot ...` with these variables on top of our environment. `signals`,
// when given: an interrupt ends it, which is kInterrupted.
struct AgentProgram {
  std::string interpreter;  // path of the user's Python
  std::string boot;         // path of seamark_agent/boot.py
  std::vector<std::pair<std::string, std::string>> environment;
  proc::Signals* signals = nullptr;
  const proc::EnvironmentRule* inherits = nullptr;  // of our environment; null: all
};

// All of these: kInterpreterMissing, kStartFailed, kFailed (with the end of its stderr), kTimeout,
// kBadOutput.

// The cases of these suites (names or paths) for one framework ("": all), in their order. Only automatic
// suites need the framework, and may take their time to look through it.
Result<std::vector<CaseInfo>> list_cases(const AgentProgram& program, std::span<const std::string> suites,
                                         std::string_view framework = {},
                                         std::chrono::milliseconds deadline = std::chrono::seconds(300));

// A standalone reproducer of one case.
Result<std::string> script(const AgentProgram& program, std::span<const std::string> suites,
                           const std::string& case_name, const Value& target,
                           std::chrono::milliseconds deadline = std::chrono::seconds(60));

// The rows of a catalogue, as the agent printed them. `rules` is data/catalog/FRAMEWORK.toml.
Result<std::string> catalog_rows(const AgentProgram& program, const Value& rules,
                                 std::chrono::milliseconds deadline = std::chrono::seconds(600));

// The rows of `declared` (docs/wire.md), as the agent printed them. `target`: plain CPU execution. The cases
// run one after another, each in a process of its own.
Result<std::string> declared_rows(const AgentProgram& program, std::span<const std::string> suites,
                                  const Value& target,
                                  std::chrono::milliseconds deadline = std::chrono::seconds(1800));

// One line of `list`; strict. kBadOutput.
Result<CaseInfo> case_from_json(std::string_view line);

}  // namespace seamark::agent
