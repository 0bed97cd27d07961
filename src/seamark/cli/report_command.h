// What `seamark report` was told.
#pragma once

#include <string>
#include <vector>

#include "seamark/cli/options.h"

namespace seamark::cli {

class ReportCommand final : public Command {
 public:
  explicit ReportCommand(Options& options);
  Result<ExitCode> run(Context& context) const override;

  Selection selection;
  std::string run_choice;
  std::string format;
  std::string output;  // empty or "-": standard output
  bool full = false;   // on a terminal: everything
  std::string baseline;
  bool tables = false;                   // the study's tables and figures
  std::string pair;                      // "A:B", devices of these
  std::vector<std::string> generations;  // "OLD:NEW"
  std::vector<std::string> only;         // globs of table-1, figure-4, headlines, to-do
  std::string usage;                     // a corpus of the store; empty: the shipped counts
  std::string rule;                      // "study", "seamark"; empty: each exhibit its own
  double slow_factor = 10;               // of intolerable latency
  std::string theme;                     // "light", "dark": of drawings; empty: light
};

}  // namespace seamark::cli
