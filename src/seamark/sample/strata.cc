#include "seamark/sample/strata.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>

#include "seamark/base/text.h"
#include "seamark/catalog/names.h"
#include "seamark/sample/prng.h"

namespace seamark::sample {
namespace {

bool has(const std::vector<UsageTier>& tiers, UsageTier tier) {
  return std::find(tiers.begin(), tiers.end(), tier) != tiers.end();
}

void add(Counted& sum, const UsageRow& row) {
  sum.calls += row.calls;
  sum.references += row.references;
  // Two names of one function may stand in one file: the sum is the most that it can be.
  sum.files += row.files;
}

void count_frame(FramePopulation& population) {
  for (const Counted& one : population.functions) {
    const bool seen = one.calls > 0 || one.references > 0 || one.files > 0;
    ++(seen ? population.frame.seen : population.frame.never_seen);
    population.frame.calls += one.calls;
  }
}

Status check_tiers(const std::vector<UsageTier>& tiers, const Catalogue* catalogue) {
  if (!has(tiers, UsageTier::kBare)) return {};
  if (tiers.size() > 1) {
    return Error(SampleError::kBadRequest,
                 "the tier bare counts spellings, not functions, and joins no other tier",
                 "give --tier bare alone, or leave it out");
  }
  if (catalogue != nullptr) {
    return Error(SampleError::kBadRequest, "the tier bare counts spellings, which no catalogue knows",
                 "give --tier resolved, or --population seen without --catalogue");
  }
  return {};
}

// A part of it begins with an underscore, as in torch._C; operators (__add__) are public.
bool is_private(std::string_view name) {
  for (const std::string_view part : split(name, '.')) {
    if (part.starts_with('_') && !(part.starts_with("__") && part.ends_with("__"))) return true;
  }
  return false;
}

}  // namespace

std::string_view name_of(Frequency by) {
  return by == Frequency::kCalls ? "calls" : by == Frequency::kUses ? "uses" : "files";
}

std::optional<Frequency> frequency_from(std::string_view name) {
  for (const Frequency by : {Frequency::kCalls, Frequency::kUses, Frequency::kFiles}) {
    if (name == name_of(by)) return by;
  }
  return std::nullopt;
}

std::int64_t Counted::frequency(Frequency by) const {
  return by == Frequency::kCalls ? calls : by == Frequency::kUses ? calls + references : files;
}

Result<FramePopulation> population_of(const UsageTable& usage, std::string_view framework,
                                      const Catalogue* catalogue, const std::vector<UsageTier>& tiers) {
  if (Status checked = check_tiers(tiers, catalogue); !checked) return checked.error();
  FramePopulation population;
  population.frame.framework = framework;
  std::map<std::string, Counted> counted;
  std::optional<catalog::Names> names;
  if (catalogue != nullptr) {
    names.emplace(*catalogue);
    population.frame.version = catalogue->head.version;
    for (const CatalogueFunction& function : catalogue->functions) counted[function.name] = {};
  }
  for (const UsageRow& row : usage.rows) {
    if (row.framework != framework || !has(tiers, row.tier)) continue;
    const std::optional<std::size_t> found = names ? names->find(row.function) : std::nullopt;
    if (names ? !found : is_private(row.function)) {
      ++population.frame.unknown_names;
      population.frame.unknown_calls += row.calls;
      continue;
    }
    add(counted[found ? catalogue->functions[*found].name : row.function], row);
  }
  for (auto& [name, one] : counted) {
    one.function = name;
    population.functions.push_back(std::move(one));
  }
  if (population.functions.empty()) {
    const bool other = std::any_of(usage.rows.begin(), usage.rows.end(),
                                   [&](const UsageRow& row) { return row.framework == framework; });
    return Error(
        SampleError::kBadRequest,
        fmt::format("the usage table has no function of {}{}", framework, other ? " in this tier" : ""),
        other ? "choose another with --tier"
              : "count some source with `seamark usage`, or choose others with --framework");
  }
  count_frame(population);
  return population;
}

Ranking rank_functions(std::vector<Counted> functions, Frequency by, std::uint64_t seed,
                       std::string_view framework) {
  std::sort(functions.begin(), functions.end(),
            [](const Counted& a, const Counted& b) { return a.function < b.function; });
  const auto split = std::stable_partition(functions.begin(), functions.end(),
                                           [&](const Counted& one) { return one.frequency(by) > 0; });
  Ranking ranking;
  ranking.never_seen.assign(split, functions.end());
  functions.erase(split, functions.end());
  ranking.seen = std::move(functions);
  // Two streams: what was never seen moves no tie of what was.
  Pcg32 ties = generator_for(seed, framework, "ties");
  shuffle(std::span(ranking.seen), ties);
  std::stable_sort(ranking.seen.begin(), ranking.seen.end(),
                   [&](const Counted& a, const Counted& b) { return a.frequency(by) > b.frequency(by); });
  return ranking;
}

int decile_of(std::int64_t rank, std::int64_t functions) {
  // Decile d ends with rank floor(d n / 10).
  return static_cast<int>((rank * kDeciles + functions - 1) / functions);
}

}  // namespace seamark::sample
