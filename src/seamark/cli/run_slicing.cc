#include "seamark/cli/run_slicing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

#include "seamark/base/text.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/version.h"

namespace seamark::cli {
namespace {

constexpr std::size_t kLongestJob = 60;

std::string plan_hash(const std::vector<CaseInfo>& cases) {
  std::string all;
  for (const CaseInfo& info : cases) all += fmt::format("{}\n{}\n", info.name, info.hash);
  return to_hex(fnv1a64(all));
}

std::string draw_part() {
  std::random_device device;
  std::array<std::uint8_t, 8> bytes{};
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(device());
  return to_hex(bytes);
}

}  // namespace

Result<Slice> slice_named(std::string_view flag) {
  if (const std::optional<Slice> slice = parse_slice(flag)) return *slice;
  return Error(CliError::kUsage, fmt::format("--slice {}: there is no such part", flag),
               "say I/N with I from 1 to N, e.g. 3/64");
}

store::SlicedRun cut(std::vector<RunTargetPlan>& targets, const Slice& slice) {
  store::SlicedRun out;
  const std::string part = draw_part();
  for (RunTargetPlan& wanted : targets) {
    out.slices.push_back({wanted.standing.target->name, slice, plan_hash(wanted.cases), part});
    std::map<std::string, std::size_t, std::less<>> position;
    for (const std::string& function : functions_of(wanted.cases))
      position.emplace(function, position.size());
    std::erase_if(wanted.cases,
                  [&](const CaseInfo& info) { return !slice.takes(position.at(info.function)); });
  }
  return out;
}

std::int64_t slices_for(std::span<const CaseInfo> cases, std::span<const double> seconds, double most_s) {
  std::map<std::string, std::size_t, std::less<>> position;
  std::vector<double> functions;  // seconds of each, in order
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto [known, added] = position.try_emplace(cases[i].function, position.size());
    if (added) functions.push_back(0);
    functions[known->second] += seconds[i];
  }
  const auto most = static_cast<std::int64_t>(functions.size());
  for (std::int64_t count = 1; count < most; ++count) {
    std::vector<double> slices(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < functions.size(); ++i) slices[i % slices.size()] += functions[i];
    if (*std::max_element(slices.begin(), slices.end()) <= most_s) return count;
  }
  return std::max<std::int64_t>(most, 1);
}

std::string sliced_id(const RunRequest& request, const Slice& slice, const std::vector<std::string>& asked) {
  Value what = request.to_value();
  what.set("targets", text_list(asked));
  what.set("slices", slice.count);
  what.set("protocol", request.protocol);
  what.set("seed", request.seed);
  what.set("seamark", version());
  return "slices-" + to_hex(fnv1a64(dump_json(what)));
}

std::string without_slice(std::string_view as_typed) {
  std::string command(as_typed);
  for (const std::string_view flag : {" --slice", " --job", " --store", " -s"}) {
    const std::size_t at =
        std::min(command.find(fmt::format("{} ", flag)), command.find(fmt::format("{}=", flag)));
    if (at == std::string::npos) continue;
    const std::size_t end = command.find(' ', at + flag.size() + 1);
    command.erase(at, end == std::string::npos ? end : end - at);
  }
  return command;
}

bool is_job(std::string_view name) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= kLongestJob && std::all_of(name.begin(), name.end(), good);
}

}  // namespace seamark::cli
