// The few lines that end a run.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "seamark/analysis/summary.h"
#include "seamark/cli/terminal.h"
#include "seamark/run/supervisor.h"
#include "seamark/store/records.h"

namespace seamark::cli {

struct RunEnd {
  std::string store;  // as the user named it
  bool interrupted = false;
  run::RunCounts counts;
  double wall_s = 0;
  double cpu_s = 0;
  std::string subset_note;
  std::string full_command;
  std::vector<std::pair<std::string, std::size_t>> errors;  // reasons with counts, the most frequent first
};

// A line per target, what it took, and the next command to type.
std::string run_summary(const analysis::Summary& summary, const RunEnd& end, const Terminal& terminal);

}  // namespace seamark::cli
