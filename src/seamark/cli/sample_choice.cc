#include "seamark/cli/sample_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "seamark/catalog/names.h"

namespace seamark::cli {

struct SampleChoice::Framework {
  std::set<std::string, std::less<>> sampled;
  std::optional<Catalogue> catalogue;
  std::optional<catalog::Names> names;                    // borrows the catalogue
  std::unordered_map<std::size_t, std::string> by_index;  // place in the catalogue -> sampled name
};

SampleChoice::SampleChoice(Sample sample, std::vector<Catalogue> catalogues) : sample_(std::move(sample)) {
  for (const SampledFunction& one : sample_.functions) {
    auto& framework = frameworks_[one.framework];
    if (!framework) framework = std::make_unique<Framework>();
    if (one.counts()) framework->sampled.insert(one.function);
  }
  for (Catalogue& catalogue : catalogues) {
    const auto found = frameworks_.find(catalogue.head.framework);
    if (found == frameworks_.end()) continue;
    Framework& framework = *found->second;
    framework.catalogue = std::move(catalogue);
    framework.names.emplace(*framework.catalogue);
    for (const std::string& name : framework.sampled) {
      if (const auto place = framework.names->find(name)) framework.by_index.emplace(*place, name);
    }
  }
}

SampleChoice::SampleChoice(SampleChoice&&) noexcept = default;
SampleChoice::~SampleChoice() = default;

Result<SampleChoice> SampleChoice::load(store::Store& store, std::string_view what) {
  Result<Sample> sample = store.sample(what);
  if (!sample) return sample.error();
  std::vector<Catalogue> catalogues;
  for (const SampleFrame& frame : sample->frames) {
    Result<Catalogue> catalogue = store.catalogue(frame.framework, frame.version);
    if (!catalogue && !frame.version.empty()) catalogue = store.catalogue(frame.framework);
    if (catalogue) {
      catalogues.push_back(std::move(*catalogue));
    } else if (!catalogue.error().is(store::StoreError::kNoSuchCatalogue)) {
      return catalogue.error();
    }
  }
  return SampleChoice(std::move(*sample), std::move(catalogues));
}

std::string SampleChoice::title() const {
  const SampleInfo& info = sample_.info;
  return info.name.empty() ? info.id : fmt::format("{} ({})", info.name, info.id);
}

std::string SampleChoice::sampled_name(std::string_view framework, std::string_view function) const {
  const auto found = frameworks_.find(framework);
  if (found == frameworks_.end()) return {};
  const Framework& known = *found->second;
  if (known.sampled.contains(function)) return std::string(function);
  if (!known.names) return {};
  const std::optional<std::size_t> place = known.names->find(function);
  if (!place) return {};
  const auto sampled = known.by_index.find(*place);
  return sampled == known.by_index.end() ? std::string() : sampled->second;
}

std::vector<CaseInfo> SampleChoice::choose(std::span<const CaseInfo> cases) const {
  std::vector<CaseInfo> chosen;
  std::unordered_map<std::string, bool> known;  // of (framework, function): a function has many cases
  for (const CaseInfo& info : cases) {
    const auto [place, is_new] = known.try_emplace(info.framework + "\n" + info.function, false);
    if (is_new) place->second = !sampled_name(info.framework, info.function).empty();
    if (place->second) chosen.push_back(info);
  }
  return chosen;
}

std::vector<std::string> SampleChoice::without_case(std::string_view framework,
                                                    std::span<const CaseInfo> chosen) const {
  std::set<std::string> present;
  std::set<std::string> asked;
  for (const CaseInfo& info : chosen) {
    if (asked.insert(info.function).second) present.insert(sampled_name(framework, info.function));
  }
  std::vector<std::string> missing;
  for (const SampledFunction& one : sample_.functions) {
    if (one.framework != framework || !one.counts() || one.is_replaced()) continue;
    if (!present.contains(one.function)) missing.push_back(one.function);
  }
  return missing;
}

Status SampleChoice::save(store::Store& into) const {
  for (const auto& [name, framework] : frameworks_) {
    if (!framework->catalogue) continue;
    if (Status saved = into.save_catalogue(*framework->catalogue); !saved) return saved;
  }
  const Result<std::string> id = into.save_sample(sample_);
  return id ? Status() : Status(id.error());
}

Value SampleChoice::to_value(std::span<const CaseInfo> chosen) const {
  Value value;
  value.set("id", sample_.info.id);
  value.set("name", sample_.info.name);
  Value names{Value::Object{}};
  std::set<std::string> asked;
  for (const CaseInfo& info : chosen) {
    if (!asked.insert(info.function).second) continue;
    const std::string sampled = sampled_name(info.framework, info.function);
    if (!sampled.empty() && sampled != info.function) names.set(info.function, sampled);
  }
  value.set("names", std::move(names));
  return value;
}

}  // namespace seamark::cli
