// Which cases of the suites a target runs, and which of them are timed. Pure.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/model/case_info.h"

namespace seamark::cli {

// Of those that come with Seamark: study, today, or all (of the suites).
struct ShippedSample {
  std::string name;
  std::vector<std::string> functions;  // of all frameworks, sorted; empty: all
};

struct CaseChoice {
  std::vector<std::string> functions;  // globs; empty: all
  std::string case_glob;               // empty: all
  std::string cases = "all";           // all, core, quick
  std::string time = "core";           // all, core, first, none
  std::optional<ShippedSample> sample = std::nullopt;
};

[[nodiscard]] bool is_shipped_sample(std::string_view name);
// `data`: the folder that ships.
Result<ShippedSample> shipped_sample(const std::filesystem::path& data, std::string_view name);
// Functions of the sample that none of the cases is of, sorted.
[[nodiscard]] std::vector<std::string> sampled_without_case(const ShippedSample& sample,
                                                            std::span<const CaseInfo> all);

// In the order of the suites. `quick`: of the target; a quick run then takes the quick cases, else the core
// cases.
[[nodiscard]] std::vector<CaseInfo> choose_cases(std::span<const CaseInfo> all, std::string_view framework,
                                                 bool quick, const CaseChoice& choice);

[[nodiscard]] bool is_timed(const CaseInfo& info, std::string_view time);

// The globs of functions that match none of the cases' functions.
std::vector<std::string> unmatched(std::span<const CaseInfo> all, const CaseChoice& choice);

// That nothing here has a case of the function, with the nearest of the names.
Error no_case_of(const std::string& pattern, std::span<const std::string> names);

// Every glob of functions and the glob of cases matches something; kUnknownName with the nearest name
// otherwise.
Status check_names(std::span<const CaseInfo> all, const CaseChoice& choice);

// Names of functions, each once, in order.
[[nodiscard]] std::vector<std::string> functions_of(std::span<const CaseInfo> cases);

}  // namespace seamark::cli
