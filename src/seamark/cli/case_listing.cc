#include "seamark/cli/case_listing.h"

#include <unordered_set>

#include "seamark/agent/commands.h"
#include "seamark/cli/errors.h"

namespace seamark::cli {
namespace {

// The agent's own words of what is wrong with a suite; the rest of the message says which Python was asked.
Error suite_error(const Error& error) {
  if (!error.is(agent::AgentError::kFailed)) return error;
  const std::string_view marker = "code 2: ";
  const std::size_t at = error.message().find(marker);
  if (at == std::string::npos) return error;
  return Error(CliError::kUnknownName, error.message().substr(at + marker.size()),
               "name another with --suite");
}

}  // namespace

Result<std::span<const CaseInfo>> CaseListing::of(const target::TargetEntry& entry,
                                                  const target::Interpreter& interpreter) {
  const Key key(entry.parts.framework, interpreter.path);
  auto found = listed_.find(key);
  if (found == listed_.end()) {
    Result<std::vector<CaseInfo>> cases = agent::list_cases(
        agent_program(context_, entry, interpreter, signals_), suites_, entry.parts.framework);
    if (!cases) return suite_error(cases.error());
    found = listed_.emplace(key, std::move(cases.value())).first;
    order_.push_back(key);
  }
  return std::span<const CaseInfo>(found->second);
}

std::vector<CaseInfo> CaseListing::all() const {
  std::vector<CaseInfo> merged;
  std::unordered_set<std::string_view> seen;
  for (const Key& key : order_) {
    for (const CaseInfo& info : listed_.at(key)) {
      if (seen.insert(info.name).second) merged.push_back(info);
    }
  }
  return merged;
}

}  // namespace seamark::cli
