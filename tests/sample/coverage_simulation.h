// Draws many samples of a population whose failures are known, and counts how often the intervals hold the
// truth. Used by coverage_test.cc and by tests/bench/sample_coverage.cc, which prints docs/sample.md's
// figures.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "sample_makers.h"
#include "seamark/analysis/answers.h"
#include "seamark/analysis/estimator.h"
#include "seamark/sample/draw.h"
#include "seamark/sample/prng.h"
#include "seamark/sample/strata.h"

namespace seamark::sample {

struct Scenario {
  std::string name;
  int seen = 425;
  int never_seen = 0;  // functions
  double answers = 1;  // share of the sample that answers, by chance
  // The probability with which the function at this place of the ranking (0 to 1; never seen: 1) fails.
  double (*failure)(double place, bool never_seen) = nullptr;
};

struct Coverage {
  double functions = 0;  // true share that fails
  double calls = 0;
  double held_functions = 0;  // share of the samples whose interval holds it
  double held_calls = 0;
  double held_bounds = 0;      // of lowest to highest, in the worse of the two measures
  double width_functions = 0;  // mean
  double width_calls = 0;
  double mean_functions = 0;  // of the estimates
  double mean_calls = 0;
  int silent = 0;  // samples without a value: nothing of a stratum answered
};

inline double unit(Pcg32& generator) { return generator.next() / 4294967296.0; }

class Simulation {
 public:
  explicit Simulation(const Scenario& scenario) : scenario_(scenario) {
    std::vector<Counted> functions;
    for (int i = 0; i < scenario.seen; ++i) {
      functions.push_back({.function = fmt::format("torch.s{:05}", i),
                           .calls = 1 + static_cast<std::int64_t>(1e6 / std::pow(i + 1, 1.3))});
    }
    for (int i = 0; i < scenario.never_seen; ++i)
      functions.push_back({.function = fmt::format("torch.u{:05}", i)});
    ranking_ = rank_functions(functions, Frequency::kCalls, 0, "torch");
    choose_failures();
  }

  Coverage run(int samples) {
    int held[4] = {};
    int valued = 0;
    for (int i = 0; i < samples; ++i) {
      const analysis::DesignEstimate estimated = one(static_cast<std::uint64_t>(i));
      const analysis::ShareEstimate& f = estimated.of_functions;
      const analysis::ShareEstimate& c = estimated.of_size;
      const double slack = 1e-12;
      held[2] += f.lowest - slack <= out_.functions && out_.functions <= f.highest + slack ? 1 : 0;
      held[3] += c.lowest - slack <= out_.calls && out_.calls <= c.highest + slack ? 1 : 0;
      if (!f.value || !c.value) {
        ++out_.silent;
        continue;
      }
      ++valued;
      held[0] += *f.low - slack <= out_.functions && out_.functions <= *f.high + slack ? 1 : 0;
      held[1] += *c.low - slack <= out_.calls && out_.calls <= *c.high + slack ? 1 : 0;
      out_.width_functions += *f.high - *f.low;
      out_.width_calls += *c.high - *c.low;
      out_.mean_functions += *f.value;
      out_.mean_calls += *c.value;
    }
    for (double* sum : {&out_.width_functions, &out_.width_calls, &out_.mean_functions, &out_.mean_calls}) {
      *sum /= valued;
    }
    out_.held_functions = static_cast<double>(held[0]) / valued;
    out_.held_calls = static_cast<double>(held[1]) / valued;
    out_.held_bounds = static_cast<double>(std::min(held[2], held[3])) / samples;
    return out_;
  }

 private:
  void choose_failures() {
    Pcg32 generator = generator_for(1, "simulation", scenario_.name);
    double calls = 0;
    double failed_calls = 0;
    double failed = 0;
    const auto add = [&](const Counted& one, double place, bool never_seen) {
      const bool fails = unit(generator) < scenario_.failure(place, never_seen);
      if (fails) failing_.insert(one.function);
      failed += fails ? 1 : 0;
      calls += static_cast<double>(one.calls);
      failed_calls += fails ? static_cast<double>(one.calls) : 0;
    };
    for (std::size_t i = 0; i < ranking_.seen.size(); ++i) {
      add(ranking_.seen[i], static_cast<double>(i) / static_cast<double>(ranking_.seen.size()), false);
    }
    for (const Counted& one : ranking_.never_seen) add(one, 1, true);
    out_.functions = failed / (scenario_.seen + scenario_.never_seen);
    out_.calls = failed_calls / calls;
  }

  analysis::DesignEstimate one(std::uint64_t seed) {
    DrawRequest request;
    request.seed = seed;
    request.never_seen = scenario_.never_seen > 0 ? 5 : 0;
    const FrameworkDraw drawn = must(draw(ranking_, "torch", request));
    Pcg32 silence = generator_for(seed, "simulation", "silence");
    using analysis::Answer;
    return analysis::design_estimate(
        analysis::outcomes_of(drawn.strata, drawn.functions, "torch", [&](const SampledFunction& function) {
          if (scenario_.answers < 1 && unit(silence) >= scenario_.answers) return Answer::kNone;
          return failing_.contains(function.function) ? Answer::kFail : Answer::kPass;
        }));
  }

  Scenario scenario_;
  Ranking ranking_;
  std::set<std::string> failing_;
  Coverage out_;
};

// Sizes are those of the study: 425 functions of JAX and 1,078 of PyTorch were seen.
inline std::vector<Scenario> scenarios() {
  using Rate = double (*)(double, bool);
  struct Pattern {
    const char* name;
    Rate rate;
  };
  const Pattern patterns[] = {
      {"1% everywhere", [](double, bool) { return 0.01; }},
      {"3% everywhere", [](double, bool) { return 0.03; }},
      {"10% everywhere", [](double, bool) { return 0.1; }},
      {"30% everywhere", [](double, bool) { return 0.3; }},
      {"60% everywhere", [](double, bool) { return 0.6; }},
      {"95% everywhere", [](double, bool) { return 0.95; }},
      {"rare ones fail", [](double place, bool) { return place * place * place; }},
      {"frequent ones fail", [](double place, bool) { return std::exp(-8 * place); }},
      {"one tenth, all of it", [](double place, bool) { return place >= 0.5 && place < 0.6 ? 1.0 : 0.0; }},
      {"one tenth, 5% of it", [](double place, bool) { return place >= 0.5 && place < 0.6 ? 0.05 : 0.0; }},
      {"every other tenth",
       [](double place, bool) { return static_cast<int>(place * 10) % 2 == 1 ? 0.9 : 0.0; }},
      {"never seen ones, 20%", [](double, bool never_seen) { return never_seen ? 0.2 : 0.02; }},
  };
  std::vector<Scenario> all;
  for (const Pattern& pattern : patterns) {
    all.push_back({pattern.name, 425, 0, 1, pattern.rate});
    all.push_back({pattern.name, 1078, 0, 1, pattern.rate});
    all.push_back({pattern.name, 1078, 1820, 1, pattern.rate});
    all.push_back({pattern.name, 425, 0, 0.8, pattern.rate});
  }
  return all;
}

}  // namespace seamark::sample
