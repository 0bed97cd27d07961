#include "seamark/cli/case_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>

#include "seamark/base/csv.h"
#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/cli/errors.h"

namespace seamark::cli {
namespace {

bool is_wanted(const CaseInfo& info, const CaseChoice& choice) {
  if (choice.sample && !choice.sample->functions.empty()) {
    const std::vector<std::string>& sampled = choice.sample->functions;
    if (!std::binary_search(sampled.begin(), sampled.end(), info.function)) return false;
  }
  if (!choice.functions.empty() && !any_glob(choice.functions, info.function)) return false;
  return choice.case_glob.empty() || glob_match(choice.case_glob, info.name);
}

struct Shipped {
  std::string_view name;
  std::string_view file;  // empty: no list
  std::string_view column;
};
constexpr std::array kShipped = {
    Shipped{"study", "baselines/grand-illusion/functions.csv", "name_today"},
    Shipped{"today", "samples/today.csv", "function"},
    Shipped{"all", {}, {}},
};

}  // namespace

bool is_shipped_sample(std::string_view name) {
  return std::any_of(kShipped.begin(), kShipped.end(), [&](const Shipped& one) { return one.name == name; });
}

Result<ShippedSample> shipped_sample(const std::filesystem::path& data, std::string_view name) {
  const auto* one = std::find_if(kShipped.begin(), kShipped.end(),
                                 [&](const Shipped& known) { return known.name == name; });
  ShippedSample sample{std::string(name), {}};
  if (one == kShipped.end() || one->file.empty()) return sample;
  const std::filesystem::path file = data / one->file;
  const Result<std::string> text = read_file(file);
  if (!text) return text.error();
  const Result<std::vector<std::vector<std::string>>> rows = parse_csv(*text, file.native());
  if (!rows) return rows.error();
  for (const std::vector<std::string>& row : *rows) {
    const auto& head = rows->front();
    const auto column =
        static_cast<std::size_t>(std::find(head.begin(), head.end(), one->column) - head.begin());
    if (&row != &head && column < row.size() && !row[column].empty()) sample.functions.push_back(row[column]);
  }
  if (sample.functions.empty())
    return Error(CliError::kEnvironment, fmt::format("{} names no function", file.native()),
                 "install Seamark again");
  std::sort(sample.functions.begin(), sample.functions.end());
  return sample;
}

std::vector<std::string> sampled_without_case(const ShippedSample& sample, std::span<const CaseInfo> all) {
  std::unordered_set<std::string_view> present;
  for (const CaseInfo& info : all) present.insert(info.function);
  std::vector<std::string> missing;
  for (const std::string& function : sample.functions) {
    if (!present.contains(function)) missing.push_back(function);
  }
  return missing;
}

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
  if (time == "core") return info.core || info.large;
  return time == "first" && (info.large || (info.quick && !info.grad));
}

std::vector<std::string> functions_of(std::span<const CaseInfo> cases) {
  std::vector<std::string> names;
  std::unordered_set<std::string_view> seen;
  for (const CaseInfo& info : cases) {
    if (seen.insert(info.function).second) names.push_back(info.function);
  }
  return names;
}

std::vector<std::string> unmatched(std::span<const CaseInfo> all, const CaseChoice& choice) {
  std::vector<std::string> out = choice.functions;
  std::erase_if(out, [&](const std::string& pattern) {
    return std::any_of(all.begin(), all.end(),
                       [&](const CaseInfo& info) { return glob_match(pattern, info.function); });
  });
  return out;
}

namespace {

Error unknown_name(const std::string& pattern, std::span<const std::string> names,
                   const std::string& message) {
  const std::optional<std::string> near = has_glob(pattern) ? std::nullopt : nearest(pattern, names);
  return Error(CliError::kUnknownName, message,
               near ? fmt::format("did you mean '{}'?", *near) : "`seamark run --list` prints all cases");
}

}  // namespace

Error no_case_of(const std::string& pattern, std::span<const std::string> names) {
  return unknown_name(pattern, names,
                      has_glob(pattern) ? fmt::format("no function with a case here matches '{}'", pattern)
                                        : fmt::format("there is no case of a function '{}' here", pattern));
}

Status check_names(std::span<const CaseInfo> all, const CaseChoice& choice) {
  for (const std::string& pattern : unmatched(all, choice)) return no_case_of(pattern, functions_of(all));
  if (choice.case_glob.empty()) return {};
  std::vector<std::string> names;
  for (const CaseInfo& info : all) names.push_back(info.name);
  if (std::any_of(names.begin(), names.end(),
                  [&](const std::string& name) { return glob_match(choice.case_glob, name); }))
    return {};
  return unknown_name(choice.case_glob, names, fmt::format("no case matches '{}'", choice.case_glob));
}

}  // namespace seamark::cli
