// What workers, probes and listings get of the user's environment: data/worker_environment.toml.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "seamark/base/result.h"
#include "seamark/proc/environment_rule.h"
#include "seamark/target/lock.h"
#include "seamark/target/target_error.h"

namespace seamark::target {

struct WorkerEnvironment {
  proc::EnvironmentRule rule;
  Variables caches;  // of compilers, below the home folder: variable, and name of a folder in its place

  // kUnreadable, kBadEntry.
  static Result<WorkerEnvironment> load(const std::filesystem::path& file);
  static Result<WorkerEnvironment> parse(std::string_view toml, std::string_view file);
};

}  // namespace seamark::target
