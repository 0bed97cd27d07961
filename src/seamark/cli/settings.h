// What a command works with: built-in values, then seamark.toml, then SEAMARK_*, then flags. The keys are
// in docs/configuration.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/cli/options.h"
#include "seamark/target/doctor.h"
#include "seamark/target/registry.h"

namespace seamark::cli {

struct Settings {
  std::filesystem::path config_file;   // empty: there was none
  std::vector<std::string> untrusted;  // its keys that were not used
  std::string store = "seamark.db";
  std::vector<std::string> targets;  // names and globs; empty: all usable
  std::vector<std::string> suites = {"curated"};
  std::vector<target::OwnPython> python;  // the first that fits is taken
  std::string protocol = "full";
  std::optional<double> timeout_s;  // nullopt: each target's own
  std::int64_t seed = 0;
  int jobs = 0;  // 0: the usable cores
  std::string cases = "all";
  std::vector<std::string> pass_env;  // names of variables that workers get besides the listed ones
  std::string time;                   // empty: core, or first where cases is quick

  [[nodiscard]] std::string time_or_default() const {
    if (!time.empty()) return time;
    return cases == "quick" ? "first" : "core";
  }
};

using Lookup = std::function<std::optional<std::string>(std::string_view)>;  // of environment variables

// The file that applies: --config, SEAMARK_CONFIG, or the first seamark.toml in `folder` or above; nullopt
// for none. A named file that is not there is kUsage.
Result<std::optional<std::filesystem::path>> find_config(const CommonOptions& common,
                                                         const std::filesystem::path& folder,
                                                         const Lookup& variables);

// Of any regular file, at most 1 MiB. kUsage.
Result<std::string> read_config(const std::filesystem::path& file);

// Adds a config's targets to the registry. Paths in it are relative to its folder. kBadField with a line
// each: file, line, what was expected. One that is not trusted says nothing of what is executed or imported:
// such keys are among Settings::untrusted, and not read.
Status apply_config(Settings& settings, target::Registry& registry, std::string_view toml,
                    const std::filesystem::path& file, bool trusted = true);

// SEAMARK_STORE, SEAMARK_TARGETS, SEAMARK_SUITES, SEAMARK_TARGET_PYTHON, SEAMARK_PROTOCOL, SEAMARK_TIMEOUT,
// SEAMARK_SEED, SEAMARK_JOBS, SEAMARK_CASES, SEAMARK_TIME, SEAMARK_PASS_ENV. kUsage names the variable.
Status apply_variables(Settings& settings, const Lookup& variables);

// What `seamark run` was told of the settings; nullopt: nothing.
struct RunFlags {
  Selection selection;
  std::optional<std::string> protocol;  // paper, full
  std::optional<double> timeout_s;
  std::optional<std::int64_t> seed;
  std::optional<std::int64_t> jobs;
  std::optional<std::string> cases;  // all, core, quick
  std::optional<std::string> time;   // all, core, first, none
  bool no_timing = false;
  std::vector<std::string> pass_env;
};

// Paths are relative to the working folder. kUsage.
Status apply_selection(Settings& settings, const Selection& selection);
Status apply_run(Settings& settings, const RunFlags& flags);

}  // namespace seamark::cli
