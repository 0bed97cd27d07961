// Makes one environment, step by step. Internal to the room: Environments::install() holds the lock.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/base/value.h"
#include "seamark/proc/run_command.h"
#include "seamark/target/environment.h"
#include "seamark/target/lock.h"
#include "seamark/target/python_search.h"
#include "seamark/target/recipe.h"

namespace seamark::target {

inline constexpr std::string_view kMarkerFile = "seamark-environment.json";

// What a clean interpreter of ours must not inherit from the user's shell. Empty is as good as unset.
[[nodiscard]] Variables clean_python_variables();

// The names of packages in a pip report (`pip install --report`) that a glob of `refuse` matches, as
// NAME==VERSION, compared in pip's normal form (small letters, '-').
[[nodiscard]] Result<std::vector<std::string>> refused_packages(const Value& report,
                                                                const std::vector<std::string>& refuse);

class Installation {
 public:
  // All are borrowed.
  Installation(const Recipe& recipe, std::filesystem::path folder, const InstallOptions& options)
      : recipe_(recipe), folder_(std::move(folder)), options_(options) {}

  Status run();

 private:
  Status check_system() const;
  Result<PythonFacts> choose_python() const;
  Status make_venv();
  Result<std::vector<std::string>> would_refuse();  // by pip's dry run with the present indexes
  Status choose_index();
  Status install_packages();
  Status verify();
  Status write_marker();

  Result<proc::CommandResult> run_python(std::vector<std::string> arguments, bool show_output);
  Error failure(std::string_view doing, const proc::CommandResult& result) const;
  void step(std::string_view text) const;

  const Recipe& recipe_;
  std::filesystem::path folder_;
  const InstallOptions& options_;
  PythonFacts base_;
  std::vector<std::string> index_arguments_;
};

}  // namespace seamark::target
