// A whole sample: every framework's functions, ranked and drawn, with what it was drawn from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/model/catalogue.h"
#include "seamark/model/frameworks.h"
#include "seamark/model/sample.h"
#include "seamark/model/usage.h"
#include "seamark/sample/draw.h"

namespace seamark::sample {

struct SampleRequest {
  Frameworks known;
  DrawRequest draw;
  bool all = false;                     // of the catalogue; else what was seen
  std::vector<std::string> frameworks;  // empty: those that the table has in these tiers
  std::vector<UsageTier> tiers = {UsageTier::kResolved};
  std::string usage;  // the table, as users call it
};

// `catalogues`: at most one per framework. kBadRequest: `all` without a catalogue, a remark on a function
// of no chosen framework, and what population_of() and draw() refuse. Id, name and time are left empty.
Result<Sample> make_sample(const UsageTable& usage, const std::vector<Catalogue>& catalogues,
                           const SampleRequest& request);

}  // namespace seamark::sample
