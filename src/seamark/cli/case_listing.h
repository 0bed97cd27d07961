// The cases of suites, as the interpreters that will run them list them.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/cli/context.h"
#include "seamark/model/case_info.h"
#include "seamark/target/registry.h"

namespace seamark::cli {

// An automatic suite takes its cases from the framework of the interpreter that lists it, so every pair of
// interpreter and framework is asked, once.
class CaseListing {
 public:
  // All are borrowed and outlive it. `signals`, when given: an interrupt ends the listing.
  CaseListing(const Context& context, const std::vector<std::string>& suites,
              proc::Signals* signals = nullptr)
      : context_(context), suites_(suites), signals_(signals) {}

  // The cases of the target's framework, in the order of the suites; valid as long as the listing is.
  // kUnknownName where a suite cannot be used (what it says is the agent's own text), else what
  // agent::list_cases says.
  Result<std::span<const CaseInfo>> of(const target::TargetEntry& entry,
                                       const target::Interpreter& interpreter);

  // What was listed so far: each framework's cases, those of its further interpreters only where new by name.
  [[nodiscard]] std::vector<CaseInfo> all() const;

 private:
  const Context& context_;
  const std::vector<std::string>& suites_;
  proc::Signals* signals_;
  using Key = std::pair<std::string, std::string>;  // framework, interpreter
  std::map<Key, std::vector<CaseInfo>> listed_;
  std::vector<Key> order_;
};

}  // namespace seamark::cli
