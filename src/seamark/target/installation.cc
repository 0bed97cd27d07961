#include "seamark/target/installation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "seamark/base/clock.h"
#include "seamark/base/fd.h"
#include "seamark/base/held_dir.h"
#include "seamark/base/text.h"
#include "seamark/target/hardware.h"

namespace seamark::target {
namespace {

constexpr double kVerifySeconds = 300;
constexpr std::size_t kLinesOfPipShown = 12;

// PEP 503, as far as names of packages go.
std::string normal_name(std::string_view name) {
  std::string normal = lower_ascii(name);
  std::replace(normal.begin(), normal.end(), '_', '-');
  std::replace(normal.begin(), normal.end(), '.', '-');
  return normal;
}

std::string last_lines(std::string_view text) {
  const std::string plain = plain_text(text);
  std::vector<std::string_view> lines = split_lines(trim(plain));
  if (lines.size() > kLinesOfPipShown) lines.erase(lines.begin(), lines.end() - kLinesOfPipShown);
  return join(std::span<const std::string_view>(lines), "\n  ");
}

}  // namespace

Variables clean_python_variables() {
  return {{"PYTHONPATH", ""}, {"PYTHONHOME", ""}, {"PYTHONSTARTUP", ""}, {"PYTHONNOUSERSITE", "1"}};
}

Result<std::vector<std::string>> refused_packages(const Value& report,
                                                  const std::vector<std::string>& refuse) {
  const Value* install = report.find("install");
  if (install == nullptr || !install->is_array()) {
    return Error(TargetError::kInstallFailed, "pip's report has no list of what it would install",
                 "update pip to 22.2 or newer");
  }
  std::vector<std::string> found;
  for (const Value& item : install->as_array()) {
    const Value* metadata = item.find("metadata");
    const std::string name = metadata == nullptr ? std::string() : metadata->string_or("name", "");
    const bool bad = std::any_of(refuse.begin(), refuse.end(), [&](const std::string& pattern) {
      return glob_match(normal_name(pattern), normal_name(name));
    });
    if (bad) found.push_back(fmt::format("{}=={}", name, metadata->string_or("version", "?")));
  }
  return found;
}

Status Installation::run() {
  const SystemClock clock;
  const std::int64_t start = clock.monotonic_ns();
  if (Status status = check_system(); !status) return status;
  Result<PythonFacts> base = choose_python();
  if (!base) return base.error();
  base_ = std::move(base.value());
  step(fmt::format("{}: {}; about {} to download, {} on disk, {:.0f} min", recipe_.name, recipe_.summary,
                   format_bytes(static_cast<std::uint64_t>(recipe_.download_mib) << 20),
                   format_bytes(static_cast<std::uint64_t>(recipe_.disk_mib) << 20),
                   std::max(1.0, recipe_.minutes)));
  for (Status (Installation::* const part)() :
       {&Installation::make_venv, &Installation::choose_index, &Installation::install_packages,
        &Installation::verify, &Installation::write_marker}) {
    if (Status status = (this->*part)(); !status) return status;
  }
  step(fmt::format("{}: ready in {} ({})", recipe_.name,
                   format_duration(static_cast<double>(clock.monotonic_ns() - start) * 1e-9),
                   folder_.native()));
  return {};
}

Status Installation::check_system() const {
  const std::string here = system_name();
  if (!recipe_.systems.empty() &&
      std::find(recipe_.systems.begin(), recipe_.systems.end(), here) == recipe_.systems.end()) {
    return Error(TargetError::kUnsupported,
                 fmt::format("the environment '{}' is for {}, this is {}", recipe_.name,
                             join(recipe_.systems, ", "), here),
                 "make an environment yourself and point targets at it with --python");
  }
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(folder_.parent_path(), error);
  const std::uint64_t needed = static_cast<std::uint64_t>(recipe_.disk_mib) << 20;
  if (!error && space.available < needed) {
    return Error(TargetError::kInstallFailed,
                 fmt::format("'{}' needs {}, {} has {} left", recipe_.name, format_bytes(needed),
                             folder_.parent_path().native(), format_bytes(space.available)),
                 "free some space, or set SEAMARK_CACHE to another disk");
  }
  return {};
}

Result<PythonFacts> Installation::choose_python() const {
  if (options_.python.empty()) return python_for(recipe_, options_.signals);
  Result<PythonFacts> facts = question_python(options_.python, options_.signals);
  if (!facts) return facts.error();
  const auto& pythons = recipe_.pythons;
  if (std::find(pythons.begin(), pythons.end(), minor_of(facts->version)) == pythons.end()) {
    return Error(TargetError::kNoPython, fmt::format("'{}' needs Python {}, {} is Python {}", recipe_.name,
                                                     join(pythons, " or "), options_.python, facts->version));
  }
  if (!facts->has_venv) {
    return Error(TargetError::kNoPython, fmt::format("{} has no venv", options_.python),
                 fmt::format("Debian, Ubuntu: apt install python{}-venv", minor_of(facts->version)));
  }
  return facts;
}

Status Installation::make_venv() {
  const std::filesystem::path interpreter = folder_ / "bin" / "python";
  std::error_code error;
  if (std::filesystem::exists(folder_, error)) {
    // What an interrupted installation left; good enough to go on with when pip and Python are the right
    // ones.
    const Result<PythonFacts> facts = question_python(interpreter.native(), options_.signals);
    if (!facts && facts.error().is(TargetError::kInterrupted)) return facts.error();
    if (facts && minor_of(facts->version) == minor_of(base_.version)) {
      const Result<proc::CommandResult> pip = run_python({"-m", "pip", "--version"}, false);
      if (pip && pip->success()) return {};
      if (pip && pip->interrupted) return failure("`pip --version`", *pip);
    }
    std::filesystem::remove_all(folder_, error);
  }
  step(fmt::format("{}: a virtual environment of {} ({})", recipe_.name, base_.executable, base_.version));
  proc::CommandOptions command;
  command.spawn.argv = {base_.executable, "-m", "venv", folder_.native()};
  const Variables variables = clean_python_variables();
  command.spawn.environment.assign(variables.begin(), variables.end());
  command.signals = options_.signals;
  const Result<proc::CommandResult> result = proc::run_command(command);
  if (!result) return Error(TargetError::kInstallFailed, result.error().message());
  return result->success() ? Status() : failure("`python -m venv`", *result);
}

Result<std::vector<std::string>> Installation::would_refuse() {
  Result<HeldDir> scratch = HeldDir::make("pip");
  if (!scratch) return Error(TargetError::kInstallFailed, scratch.error().message());
  const std::filesystem::path report = scratch->path() / "report.json";
  std::vector<std::string> arguments = {"-m",      "pip",      "install",      "--dry-run",
                                        "--quiet", "--report", report.native()};
  arguments.insert(arguments.end(), index_arguments_.begin(), index_arguments_.end());
  const std::vector<std::string> wanted = recipe_.pip_arguments();
  arguments.insert(arguments.end(), wanted.begin(), wanted.end());
  const Result<proc::CommandResult> result = run_python(std::move(arguments), false);
  if (!result) return result.error();
  if (!result->success()) return failure("pip's dry run", *result);
  const Result<std::string> text = read_file(report);
  if (!text) return Error(TargetError::kInstallFailed, text.error().message());
  const Result<Value> document = parse_json(*text);
  if (!document) return Error(TargetError::kInstallFailed, document.error().within("pip's report").message());
  return refused_packages(*document, recipe_.refuse);
}

Status Installation::choose_index() {
  if (recipe_.refuse.empty()) return {};
  step(fmt::format("{}: asking pip what would come", recipe_.name));
  Result<std::vector<std::string>> refused = would_refuse();
  if (refused && !refused->empty() && !recipe_.cpu_index.empty()) {
    step(fmt::format("{}: {} would come; asking {} as well", recipe_.name, refused->front(),
                     recipe_.cpu_index));
    index_arguments_ = {"--extra-index-url", recipe_.cpu_index};
    refused = would_refuse();
  }
  if (!refused) return refused.error();
  if (refused->empty()) return {};
  return Error(TargetError::kRefused,
               fmt::format("'{}' would bring {} packages that it must not: {}", recipe_.name, refused->size(),
                           join(*refused, ", ")),
               "nothing was installed; make the environment yourself and point targets at it with --python");
}

Status Installation::install_packages() {
  step(fmt::format("{}: installing {} packages", recipe_.name, recipe_.packages.size()));
  std::vector<std::string> arguments = {"-m", "pip", "install", "--progress-bar", "off"};
  arguments.insert(arguments.end(), index_arguments_.begin(), index_arguments_.end());
  const std::vector<std::string> wanted = recipe_.pip_arguments();
  arguments.insert(arguments.end(), wanted.begin(), wanted.end());
  const Result<proc::CommandResult> result = run_python(std::move(arguments), true);
  if (!result) return result.error();
  return result->success() ? Status() : failure("pip", *result);
}

Status Installation::verify() {
  step(fmt::format("{}: does it import?", recipe_.name));
  const Result<proc::CommandResult> result = run_python({"-c", recipe_.verify}, false);
  if (!result) return result.error();
  return result->success() ? Status() : failure(fmt::format("`{}`", recipe_.verify), *result);
}

Status Installation::write_marker() {
  const Result<Value> lock =
      environment_lock((folder_ / "bin" / "python").native(), clean_python_variables(), options_.signals);
  if (!lock) return lock.error();
  Value marker;
  marker.set("recipe", recipe_.name);
  marker.set("hash", recipe_.hash());
  marker.set("made", format_utc(SystemClock().unix_us()));
  marker.set("base", base_.executable);
  marker.set("lock", *lock);
  const Status written = write_file(folder_ / kMarkerFile, dump_json_pretty(marker));
  return written ? Status() : Error(TargetError::kInstallFailed, written.error().message());
}

Result<proc::CommandResult> Installation::run_python(std::vector<std::string> arguments, bool show_output) {
  proc::CommandOptions command;
  command.spawn.argv = {(folder_ / "bin" / "python").native()};
  command.spawn.argv.insert(command.spawn.argv.end(), arguments.begin(), arguments.end());
  const Variables variables = clean_python_variables();
  command.spawn.environment.assign(variables.begin(), variables.end());
  // A user's pip settings may choose indexes, but never where we install to.
  for (const char* name : {"PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER"}) {
    command.spawn.environment.emplace_back(name, std::nullopt);
  }
  for (const auto& [name, value] : {std::pair("PIP_REQUIRE_VIRTUALENV", "1"), std::pair("PIP_NO_INPUT", "1"),
                                    std::pair("PIP_DISABLE_PIP_VERSION_CHECK", "1")}) {
    command.spawn.environment.emplace_back(name, value);
  }
  command.signals = options_.signals;
  if (arguments.front() == "-c") command.timeout_s = kVerifySeconds;
  std::string rest;
  if (show_output && options_.on_progress) {
    command.on_output = [&](proc::OutputStream, std::string_view piece) {
      rest += piece;
      for (std::size_t end = rest.find('\n'); end != std::string::npos; end = rest.find('\n')) {
        const std::string line = one_line(std::string_view(rest).substr(0, end));
        rest.erase(0, end + 1);
        if (!line.empty()) options_.on_progress(line, false);
      }
    };
  }
  Result<proc::CommandResult> result = proc::run_command(command);
  if (!result) return Error(TargetError::kInstallFailed, result.error().message());
  return result;
}

Error Installation::failure(std::string_view doing, const proc::CommandResult& result) const {
  if (result.interrupted) {
    return Error(TargetError::kInterrupted, fmt::format("installing '{}' was interrupted", recipe_.name),
                 fmt::format("`seamark targets install {}` goes on with it", recipe_.name));
  }
  const std::string said = last_lines(result.err.empty() ? result.out : result.err);
  return Error(TargetError::kInstallFailed,
               fmt::format("installing '{}': {} {}{}{}", recipe_.name, doing, one_line(result.exit.text()),
                           said.empty() ? "" : "\n  ", said),
               "check the network and pip's configuration (`pip config list`), then install again");
}

void Installation::step(std::string_view text) const {
  if (options_.on_progress) options_.on_progress(text, true);
}

}  // namespace seamark::target
