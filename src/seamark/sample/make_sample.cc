#include "seamark/sample/make_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "seamark/base/text.h"
#include "seamark/catalog/names.h"
#include "seamark/model/target_name.h"
#include "seamark/sample/prng.h"
#include "seamark/sample/strata.h"
#include "seamark/sample/usage_file.h"

namespace seamark::sample {
namespace {

bool has(const std::vector<std::string>& texts, std::string_view text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

// In one order, whatever that of the flags and rows.
std::vector<std::string> frameworks_of(const UsageTable& usage, const SampleRequest& request) {
  std::set<std::string> chosen(request.frameworks.begin(), request.frameworks.end());
  if (chosen.empty()) {
    for (const UsageRow& row : usage.rows) {
      const auto& tiers = request.tiers;
      if (std::find(tiers.begin(), tiers.end(), row.tier) != tiers.end()) chosen.insert(row.framework);
    }
  }
  return {chosen.begin(), chosen.end()};
}

// Bare names say no framework: they belong to the only one that is chosen.
Result<std::string> framework_of_remark(const Remark& remark, const std::vector<std::string>& chosen,
                                        const Frameworks& known) {
  std::string framework = known.of(remark.function);
  if (framework.empty()) framework = remark.function.substr(0, remark.function.find('.'));
  if (has(chosen, framework)) return framework;
  if (remark.function.find('.') == std::string::npos && chosen.size() == 1) return chosen.front();
  return Error(SampleError::kBadRequest,
               fmt::format("'{}' is a function of none of the frameworks here", remark.function),
               fmt::format("there is {}; names are whole, such as torch.nn.Linear", join(chosen, ", ")));
}

Result<std::vector<Remark>> remarks_of(const std::vector<Remark>& all, const std::string& framework,
                                       const std::vector<std::string>& chosen, const Frameworks& known) {
  std::vector<Remark> own;
  for (const Remark& one : all) {
    const Result<std::string> of = framework_of_remark(one, chosen, known);
    if (!of) return of.error();
    if (*of == framework) own.push_back(one);
  }
  return own;
}

const Catalogue* find(const std::vector<Catalogue>& catalogues, const std::string& framework) {
  const auto found = std::find_if(catalogues.begin(), catalogues.end(),
                                  [&](const Catalogue& one) { return one.head.framework == framework; });
  return found == catalogues.end() ? nullptr : &*found;
}

// The population has functions under their canonical names; users may know them by another.
void use_canonical_names(std::vector<Remark>& remarks, const Catalogue& catalogue) {
  if (remarks.empty()) return;
  const catalog::Names names(catalogue);
  for (Remark& one : remarks) {
    if (const auto index = names.find(one.function)) one.function = catalogue.functions[*index].name;
  }
}

Value remarks_value(const std::vector<Remark>& remarks) {
  Value list{Value::Array{}};
  for (const Remark& one : remarks) list.push(one.function + ":" + one.reason);
  return list;
}

SampleInfo info_of(const SampleRequest& request, const std::vector<std::string>& frameworks) {
  SampleInfo info;
  info.seed = request.draw.seed;
  info.generator = kGenerator;
  info.procedure = procedure_text(request.draw);
  info.population = request.all ? "all" : "seen";
  info.frequency = name_of(request.draw.by);
  info.usage = request.usage;
  std::vector<std::string> tiers;
  for (const UsageTier tier : request.tiers) tiers.emplace_back(name_of(tier));
  info.parameters.set("top", request.draw.top);
  info.parameters.set("per_decile", request.draw.per_decile);
  info.parameters.set("never_seen", request.draw.never_seen);
  info.parameters.set("tiers", text_list(tiers));
  info.parameters.set("frameworks", text_list(frameworks));
  info.parameters.set("exclude", remarks_value(request.draw.exclude));
  info.parameters.set("replace", remarks_value(request.draw.replace));
  return info;
}

Result<FramePopulation> population(const UsageTable& usage, const std::string& framework,
                                   const Catalogue* catalogue, const SampleRequest& request) {
  if (request.all && catalogue == nullptr) {
    return Error(SampleError::kBadRequest,
                 fmt::format("--population all needs a catalogue of {}, and there is none", framework),
                 fmt::format("`seamark catalog --target {}/cpu` makes one in the store; or name a file with "
                             "--catalogue",
                             framework));
  }
  return population_of(usage, framework, catalogue, request.tiers);
}

}  // namespace

Result<Sample> make_sample(const UsageTable& usage, const std::vector<Catalogue>& catalogues,
                           const SampleRequest& request) {
  const std::vector<std::string> frameworks = frameworks_of(usage, request);
  if (frameworks.empty()) {
    return Error(SampleError::kBadRequest, fmt::format("{} counts no function in this tier", request.usage),
                 "choose another with --tier, or another table with --usage");
  }
  const bool bare = request.tiers == std::vector{UsageTier::kBare} && !request.all;
  Sample sample;
  sample.info = info_of(request, frameworks);
  for (const std::string& framework : frameworks) {
    // Spellings are counted as they are, whatever catalogue the store happens to have.
    const Catalogue* catalogue = bare ? nullptr : find(catalogues, framework);
    Result<FramePopulation> counted = population(usage, framework, catalogue, request);
    if (!counted) return counted.error();
    DrawRequest wanted = request.draw;
    for (auto [all, own] : {std::pair{&request.draw.exclude, &wanted.exclude},
                            std::pair{&request.draw.replace, &wanted.replace}}) {
      Result<std::vector<Remark>> remarks = remarks_of(*all, framework, frameworks, request.known);
      if (!remarks) return remarks.error();
      *own = std::move(*remarks);
      if (catalogue != nullptr) use_canonical_names(*own, *catalogue);
    }
    const Ranking ranking = rank_functions(std::move(counted->functions), wanted.by, wanted.seed, framework);
    // By this frequency, which a reference alone may not raise.
    counted->frame.seen = static_cast<std::int64_t>(ranking.seen.size());
    counted->frame.never_seen = static_cast<std::int64_t>(ranking.never_seen.size());
    Result<FrameworkDraw> drawn = draw(ranking, framework, wanted);
    if (!drawn) return drawn.error();
    sample.frames.push_back(std::move(counted->frame));
    std::move(drawn->strata.begin(), drawn->strata.end(), std::back_inserter(sample.strata));
    std::move(drawn->functions.begin(), drawn->functions.end(), std::back_inserter(sample.functions));
  }
  return sample;
}

}  // namespace seamark::sample
