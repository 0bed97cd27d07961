// More machines than this one: Seamark's commands as tasks of a Ray cluster. What is run and how often it is
// tried again is decided here; python/seamark_helper/ray_tasks.py starts it and brings back the files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/base/value.h"
#include "seamark/cli/context.h"

namespace seamark::cli {

// A store that a task leaves, in its commands.
constexpr std::string_view kPart = "{part}";
// What became of a task, in its last resort: a line of why, and the end of what it had printed.
constexpr std::string_view kWhy = "{why}";

struct EngineTask {
  std::string name;                                // "slice 3/12 of torch/cpu"
  std::vector<std::vector<std::string>> commands;  // of seamark, one after the other
  std::vector<std::string> last_resort;            // once more, instead, where its workers died; empty: none
  Value resources;                                 // object: what Ray calls them, and how much
};

// What comes of tasks, as it comes.
struct EngineEvents {
  // The file of a task that ended; it is removed after the call. An error ends everything.
  std::function<Status(std::size_t task, const std::filesystem::path& part)> take;
  std::function<void(std::size_t ended, std::size_t running)> progress;
  std::function<void(std::string_view line)> tell;  // a line for the user
};

struct EngineOptions {
  std::string address;      // of a cluster, or auto; empty: one that this machine has for as long as it takes
  double patience_s = 120;  // how long a task waits for a node that can run it, and may be silent on one
  std::filesystem::path seed;  // the store that each part begins as; empty: none
};

// True: it was interrupted. kEnvironment where there is no Ray, or no cluster.
Result<bool> run_tasks(const Context& context, const EngineOptions& options,
                       const std::vector<EngineTask>& tasks, const EngineEvents& events,
                       proc::Signals& signals);

// What a task of the target takes: its own `resources`, else those of its hardware; a processor besides.
[[nodiscard]] Value engine_resources(const Context& context, const target::TargetEntry& entry);

}  // namespace seamark::cli
