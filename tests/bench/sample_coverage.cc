// How often the 95% intervals of `seamark sample` hold the truth: Markdown for docs/sample.md.
//   seamark_sample_coverage [SAMPLES]
#include <fmt/format.h>

#include <cstdlib>

#include "coverage_simulation.h"

int main(int argc, char** argv) {
  const int samples = argc > 1 ? std::atoi(argv[1]) : 2000;
  if (samples < 1) return 2;
  fmt::print(
      "| failures | seen, never seen, answering | truth | held | width | truth, calls | held | width | "
      "bounds held |\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|\n");
  for (const seamark::sample::Scenario& scenario : seamark::sample::scenarios()) {
    const seamark::sample::Coverage c = seamark::sample::Simulation(scenario).run(samples);
    fmt::print(
        "| {} | {}, {}, {:.0f}% | {:.1f}% | {:.1f}% | {:.0f} | {:.1f}% | {:.1f}% | {:.0f} | {:.1f}% |\n",
        scenario.name, scenario.seen, scenario.never_seen, scenario.answers * 100, c.functions * 100,
        c.held_functions * 100, c.width_functions * 100, c.calls * 100, c.held_calls * 100,
        c.width_calls * 100, c.held_bounds * 100);
  }
}
