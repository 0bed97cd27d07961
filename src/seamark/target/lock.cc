#include "seamark/target/lock.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <optional>

#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/proc/memory.h"
#include "seamark/proc/run_command.h"
#include "seamark/target/hardware.h"

namespace seamark::target {
namespace {

constexpr double kListSeconds = 60;

// Works in environments without pip too. Names with their versions as pip's freeze writes them, sorted.
constexpr std::string_view kListPackages = R"(
import sys
if sys.path and sys.path[0] == "":
    del sys.path[0]
import json, platform
from importlib import metadata
found = {}
for item in metadata.distributions():
    name = item.metadata["Name"]
    if name:
        found.setdefault(name.lower().replace("_", "-"), "%s==%s" % (name, item.version))
print(json.dumps({"python": platform.python_version(), "implementation": platform.python_implementation().lower(),
                  "build": " ".join(platform.python_build()), "packages": [found[key] for key in sorted(found)]}))
)";

// The value of the first "NAME : VALUE" line.
std::string field(std::string_view text, std::string_view name, char separator) {
  for (std::string_view line : split_lines(text)) {
    const std::size_t at = line.find(separator);
    if (at != std::string_view::npos && trim(line.substr(0, at)) == name) {
      return one_line(line.substr(at + 1));
    }
  }
  return {};
}

std::string cpu_model() {
  if (const Result<std::string> text = read_file("/proc/cpuinfo", std::size_t{1} << 20)) {
    for (const char* name : {"model name", "Model", "Hardware"}) {
      if (std::string model = field(*text, name, ':'); !model.empty()) return model;
    }
  }
  proc::CommandOptions options;  // macOS
  options.spawn.argv = {"/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"};
  options.timeout_s = 5;
  const Result<proc::CommandResult> result = proc::run_command(options);
  return result && result->success() ? one_line(result->out) : std::string();
}

std::string distribution() {
  for (const char* file : {"/etc/os-release", "/usr/lib/os-release"}) {
    const Result<std::string> text = read_file(file, std::size_t{1} << 16);
    if (!text) continue;
    std::string name = field(*text, "PRETTY_NAME", '=');
    if (name.size() > 2 && name.front() == '"' && name.back() == '"') return name.substr(1, name.size() - 2);
    return name;
  }
  return {};
}

std::string driver() {
  if (const Result<std::string> text = read_file("/proc/driver/nvidia/version", 4096)) {
    const std::vector<std::string_view> lines = split_lines(*text);
    if (!lines.empty()) return one_line(lines.front());
  }
  if (const Result<std::string> text = read_file("/sys/module/amdgpu/version", 4096)) {
    return "amdgpu " + one_line(*text);
  }
  return {};
}

}  // namespace

Value host_facts() {
  Value facts;
  facts.set("cpu", text_or_null(cpu_model()));
  facts.set("cores", static_cast<std::int64_t>(proc::usable_cpus()));
  const std::optional<std::int64_t> memory = proc::physical_memory_bytes();
  facts.set("memory_bytes", memory ? Value(*memory) : Value());
  facts.set("system", system_name());
  utsname name = {};
  facts.set("kernel", ::uname(&name) == 0 ? Value(std::string(name.release)) : Value());
  facts.set("distribution", text_or_null(distribution()));
  facts.set("driver", text_or_null(driver()));
  return facts;
}

Result<Value> environment_lock(const std::string& interpreter, const Variables& variables,
                               proc::Signals* signals, const proc::EnvironmentRule* inherits) {
  proc::CommandOptions options;
  options.spawn.argv = {interpreter, "-c", std::string(kListPackages)};
  options.spawn.inherits = inherits;
  options.spawn.environment.assign(variables.begin(), variables.end());
  options.timeout_s = kListSeconds;
  options.signals = signals;
  const Result<proc::CommandResult> result = proc::run_command(options);
  if (!result) return Error(TargetError::kNoPython, result.error().message());
  if (result->interrupted) {
    return Error(TargetError::kInterrupted,
                 fmt::format("listing the packages of {} was interrupted", interpreter));
  }
  if (!result->success()) {
    return Error(TargetError::kNoPython,
                 fmt::format("{} cannot list its packages: it {}", interpreter, one_line(result->text())));
  }
  const std::vector<std::string_view> lines = split_lines(trim(result->out));
  const Result<Value> answer = parse_json(lines.empty() ? std::string_view() : lines.back());
  if (!answer || !answer->is_object()) {
    return Error(TargetError::kNoPython, fmt::format("{} cannot list its packages", interpreter));
  }
  Value lock = *answer;
  lock.set("interpreter", interpreter);
  const Value host = host_facts();
  for (const char* key : {"system", "cpu", "driver"}) {
    if (const Value* value = host.find(key)) lock.set(key, *value);
  }
  return lock;
}

}  // namespace seamark::target
