// The first screen of `seamark report`: what a run found, short enough for a terminal of 24 lines.
#pragma once

#include <string>

#include "seamark/analysis/summary.h"
#include "seamark/report/render/render_options.h"

namespace seamark::report {

// What stands in the commands that the screen names.
struct ScreenPlaces {
  std::string store_flag;  // " --store gpu.db", for a shell; empty: the default store
  bool fixed = false;      // nothing can be run into the store: it ships
  std::string chosen;      // " --run f159 --target torch/lazy", for a shell; empty: all of the latest run
  std::string page;        // the page of this run, where it was written; empty: nowhere
};

// A line per target, the failing functions that code calls most (RenderOptions::findings: how often), what
// was not tested, and where the rest is. Sentences of targets follow their table where the screen has room
// for them.
std::string first_screen(const analysis::Summary& summary, const ScreenPlaces& places,
                         const RenderOptions& options);

}  // namespace seamark::report
