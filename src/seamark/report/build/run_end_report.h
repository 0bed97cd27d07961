// The few lines that end a run.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "seamark/analysis/summary.h"
#include "seamark/report/document/document.h"

namespace seamark::report {

struct RunEnd {
  std::string store;  // as the user named it
  bool interrupted = false;
  std::string engine;  // " --engine ray --address A", with which it goes on; empty: on this machine
  std::size_t cases = 0;
  std::size_t settled = 0;  // of them
  double wall_s = 0;
  std::optional<double> cpu_s;  // none: other machines took it
  std::string subset_note;
  std::string full_command;
  std::vector<std::pair<std::string, std::size_t>> errors;  // reasons with counts, the most frequent first
};

// What became of each target, what it took, and the next command to type.
[[nodiscard]] Document run_end_document(const analysis::Summary& summary, const RunEnd& end);

}  // namespace seamark::report
