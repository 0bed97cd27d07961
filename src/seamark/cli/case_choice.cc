#include "seamark/cli/case_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "seamark/base/text.h"
#include "seamark/cli/errors.h"

namespace seamark::cli {
namespace {

bool is_wanted(const CaseInfo& info, const CaseChoice& choice) {
  const auto names_it = [&](const std::string& pattern) { return glob_match(pattern, info.function); };
  if (!choice.functions.empty() && std::none_of(choice.functions.begin(), choice.functions.end(), names_it)) {
    return false;
  }
  return choice.case_glob.empty() || glob_match(choice.case_glob, info.name);
}

}  // namespace

std::vector<CaseInfo> choose_cases(std::span<const CaseInfo> all, std::string_view framework, bool quick,
                                   const CaseChoice& choice) {
  std::vector<CaseInfo> chosen;
  for (const CaseInfo& info : all) {
    const bool of_set = choice.cases == "all"    ? true
                        : choice.cases == "core" ? info.core
                        : quick                  ? info.quick
                                                 : info.core;
    if (info.framework == framework && of_set && is_wanted(info, choice)) chosen.push_back(info);
  }
  return chosen;
}

bool is_timed(const CaseInfo& info, std::string_view time) {
  if (time == "all") return true;
  if (time == "core") return info.core;
  return time == "first" && info.quick && !info.grad;
}

std::vector<std::string> functions_of(std::span<const CaseInfo> cases) {
  std::vector<std::string> names;
  std::unordered_set<std::string_view> seen;
  for (const CaseInfo& info : cases) {
    if (seen.insert(info.function).second) names.push_back(info.function);
  }
  return names;
}

Status check_names(std::span<const CaseInfo> all, const CaseChoice& choice) {
  const auto unknown = [](const std::string& pattern, const std::vector<std::string>& names,
                          const std::string& message) {
    const std::optional<std::string> near = has_glob(pattern) ? std::nullopt : nearest(pattern, names);
    return Error(CliError::kUnknownName, message,
                 near ? fmt::format("did you mean '{}'?", *near) : "`seamark run --list` prints all cases");
  };
  const auto any = [](const std::string& pattern, const std::vector<std::string>& names) {
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return glob_match(pattern, name); });
  };
  const std::vector<std::string> functions = functions_of(all);
  for (const std::string& pattern : choice.functions) {
    if (any(pattern, functions)) continue;
    return unknown(pattern, functions,
                   has_glob(pattern) ? fmt::format("no function with a case here matches '{}'", pattern)
                                     : fmt::format("there is no case of a function '{}' here", pattern));
  }
  if (choice.case_glob.empty()) return {};
  std::vector<std::string> names;
  for (const CaseInfo& info : all) names.push_back(info.name);
  if (any(choice.case_glob, names)) return {};
  return unknown(choice.case_glob, names, fmt::format("no case matches '{}'", choice.case_glob));
}

}  // namespace seamark::cli
