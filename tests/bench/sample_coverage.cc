// How often the 95% intervals of `seamark sample` hold the truth: the figures of docs/sample.md, as Markdown.
//   seamark_sample_coverage [SAMPLES]
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "coverage_simulation.h"

int main(int argc, char** argv) {
  const int samples = argc > 1 ? std::atoi(argv[1]) : 2000;
  if (samples < 1) return 2;
  fmt::print(
      "| failures | 425 seen | 1,078 seen | 1,078 seen, 1,820 never | 425 seen, 80% answer |\n"
      "|---|---|---|---|---|\n");
  std::string before;
  for (const seamark::sample::Scenario& scenario : seamark::sample::scenarios()) {
    if (scenario.name != before) fmt::print("{}| {} ", before.empty() ? "" : "|\n", scenario.name);
    before = scenario.name;
    const seamark::sample::Coverage c = seamark::sample::Simulation(scenario).run(samples);
    fmt::print("| {:.1f} / {:.1f} ({:.0f}, {:.0f}) ", c.held_functions * 100, c.held_calls * 100,
               c.width_functions * 100, c.width_calls * 100);
  }
  fmt::print("|\n");
}
