// What `seamark compare` was told.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "seamark/cli/options.h"

namespace seamark::cli {

class CompareCommand final : public Command {
 public:
  explicit CompareCommand(Options& options);
  Result<ExitCode> run(Context& context) const override;

  Selection selection;
  std::vector<std::string> sides;  // none or two: before, after
  std::string with;                // a published study
  std::string run_choice;          // with a study
  std::string fail_on;             // empty: as by default
  std::string expected;            // a file; empty: seamark.expected.toml where there is one
  bool update_expected = false;
  std::optional<double> noise_floor;
  std::string format;
  std::string output;  // empty or "-": standard output
};

}  // namespace seamark::cli
