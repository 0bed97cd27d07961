// What a result depends on: the interpreter and its packages, and the machine.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "seamark/base/result.h"
#include "seamark/base/value.h"
#include "seamark/proc/environment_rule.h"
#include "seamark/proc/signals.h"
#include "seamark/target/target_error.h"

namespace seamark::target {

using Variables = std::vector<std::pair<std::string, std::string>>;

// What the machine is: {"cpu":..., "cores":..., "memory_bytes":..., "system":..., "kernel":...,
// "distribution":..., "driver":...}. Never the host's name. Unknown: null.
[[nodiscard]] Value host_facts();

// {"interpreter":..., "python":..., "implementation":..., "packages":["numpy==2.4.6", ...], "system":...,
// "cpu":..., "driver":...}. Starts the interpreter, which needs nothing but its standard library (3.8+). An
// interrupt ends it: kInterrupted.
Result<Value> environment_lock(const std::string& interpreter, const Variables& variables,
                               proc::Signals* signals = nullptr,
                               const proc::EnvironmentRule* inherits = nullptr);

}  // namespace seamark::target
