// The study's draw: the most frequent functions, and some of each tenth at random.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/model/sample.h"
#include "seamark/sample/sample_error.h"
#include "seamark/sample/strata.h"

namespace seamark::sample {

// A function with a reason, as users give it.
struct Remark {
  std::string function;
  std::string reason;
};
// "FUNCTION:REASON", both not empty; kBadRequest.
Result<Remark> parse_remark(std::string_view text);

struct DrawRequest {
  std::uint64_t seed = 0;
  std::int64_t top = 20;
  std::int64_t per_decile = 5;
  std::int64_t never_seen = 0;  // 0: the population is what was seen
  Frequency by = Frequency::kCalls;
  std::vector<Remark> exclude;
  std::vector<Remark> replace;
};

// One framework's part of a sample.
struct FrameworkDraw {
  std::vector<SampleStratum> strata;
  std::vector<SampledFunction> functions;
};

// Every decile (and what was never seen) is shuffled once, and taken from the front:
// - Excluded functions keep rank and decile and are passed over; the next in rank joins the top.
// - Each decile gives `per_decile`; those of them that are in the top are overlaps and are dropped.
// - For each replaced function (the top's, then the decile's, in order) the next of its decile is taken that
//   is not in the top. It may be replaced in its turn.
// What is not in the top is so a simple random sample of what its decile holds beside the top.
// kBadRequest: an exclusion that the population lacks, a replacement of what was not drawn, a name twice.
// Remarks on other frameworks' functions must be left out by the caller.
Result<FrameworkDraw> draw(const Ranking& ranking, std::string_view framework, const DrawRequest& request);

// "the 20 most frequent and 5 at random of each tenth by calls; ...", for people.
std::string procedure_text(const DrawRequest& request);

}  // namespace seamark::sample
