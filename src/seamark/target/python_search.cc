#include "seamark/target/python_search.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "seamark/base/home.h"
#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/proc/run_command.h"

namespace seamark::target {
namespace {

constexpr double kAnswerSeconds = 30;

// Any Python 3 can read it; one JSON object on the last line.
constexpr std::string_view kQuestion = R"(
import json, os, platform, sys, sysconfig
def has(name):
    try:
        __import__(name)
        return True
    except Exception:
        return False
include = sysconfig.get_path("include") or ""
print(json.dumps({
    "executable": sys.executable, "version": platform.python_version(),
    "implementation": platform.python_implementation().lower(),
    "venv": has("venv") and has("ensurepip"),
    "headers": os.path.exists(os.path.join(include, "Python.h")),
    "is_venv": sys.prefix != getattr(sys, "base_prefix", sys.prefix)}))
)";

bool is_program(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

std::string last_line(std::string_view text) {
  const std::vector<std::string_view> lines = split_lines(trim(text));
  return lines.empty() ? std::string() : one_line(lines.back());
}

}  // namespace

Result<PythonFacts> question_python(const std::string& interpreter, proc::Signals* signals) {
  proc::CommandOptions options;
  options.spawn.argv = {interpreter, "-c", std::string(kQuestion)};
  options.timeout_s = kAnswerSeconds;
  options.signals = signals;
  const Result<proc::CommandResult> result = proc::run_command(options);
  const std::string_view remedy = "give the path of a Python 3.8 or newer";
  if (!result) return Error(TargetError::kNoPython, result.error().message(), std::string(remedy));
  if (result->interrupted) {
    return Error(TargetError::kInterrupted, fmt::format("asking {} was interrupted", interpreter));
  }
  if (!result->success()) {
    return Error(
        TargetError::kNoPython,
        fmt::format("{} does not answer as a Python does: it {}", interpreter, one_line(result->text())),
        std::string(remedy));
  }
  const Result<Value> answer = parse_json(last_line(result->out));
  if (!answer || answer->string_or("version", "").empty()) {
    return Error(TargetError::kNoPython, fmt::format("{} does not answer as a Python does", interpreter),
                 std::string(remedy));
  }
  PythonFacts facts;
  facts.executable = answer->string_or("executable", interpreter);
  facts.version = answer->string_or("version", "");
  facts.implementation = answer->string_or("implementation", "");
  facts.has_venv = answer->bool_or("venv", false);
  facts.has_headers = answer->bool_or("headers", false);
  facts.is_venv = answer->bool_or("is_venv", false);
  return facts;
}

std::string seamark_python() {
  if (const std::optional<std::string> named = environment_variable("SEAMARK_PYTHON")) return *named;
  // PREFIX/lib/python3.N/site-packages/seamark/_bin/seamark
  const std::filesystem::path package = executable_path().parent_path().parent_path();
  const std::filesystem::path site = package.parent_path();
  if (package.filename() == "seamark" && site.filename() == "site-packages") {
    const std::filesystem::path python = site.parent_path().parent_path().parent_path() / "bin" / "python3";
    std::error_code error;
    if (std::filesystem::exists(python, error)) return python.string();
  }
  return "python3";
}

std::string minor_of(std::string_view version) {
  const std::vector<std::string_view> parts = split(version, '.');
  if (parts.size() < 2) return std::string(version);
  return fmt::format("{}.{}", parts[0], parts[1]);
}

std::optional<std::string> find_program(std::string_view name) {
  if (name.empty()) return std::nullopt;
  std::error_code error;
  if (name.find('/') != std::string_view::npos) {
    const std::filesystem::path path = std::filesystem::absolute(std::filesystem::path(name), error);
    return is_program(path) ? std::optional(path.native()) : std::nullopt;
  }
  const std::string folders = environment_variable("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
  for (std::string_view folder : split(folders, ':')) {
    const std::filesystem::path path =
        std::filesystem::absolute(std::filesystem::path(folder.empty() ? "." : folder) / name, error);
    if (is_program(path)) return path.native();
  }
  return std::nullopt;
}

Result<PythonFacts> python_for(const Recipe& recipe, proc::Signals* signals) {
  std::vector<std::string> names;
  names.reserve(names.size() + recipe.pythons.size());
  for (const std::string& version : recipe.pythons) names.push_back("python" + version);
  names.emplace_back("python3");
  names.emplace_back("python");
  // A version manager's shim may answer for nothing, so the system's own folders are looked at as well.
  for (const std::string& version : recipe.pythons) names.push_back("/usr/bin/python" + version);

  std::string tried;
  std::optional<PythonFacts> second_best;
  for (const std::string& name : names) {
    const std::optional<std::string> path = find_program(name);
    if (!path) continue;
    const Result<PythonFacts> facts = question_python(*path, signals);
    if (!facts && facts.error().is(TargetError::kInterrupted)) return facts.error();
    std::string why_not;
    if (!facts) {
      why_not = facts.error().message();
    } else if (std::find(recipe.pythons.begin(), recipe.pythons.end(), minor_of(facts->version)) ==
               recipe.pythons.end()) {
      why_not = fmt::format("is Python {}", facts->version);
    } else if (facts->implementation != "cpython") {
      why_not = fmt::format("is {}", facts->implementation);
    } else if (!facts->has_venv) {
      why_not = fmt::format("Python {} without venv (Debian, Ubuntu: apt install python{}-venv)",
                            facts->version, minor_of(facts->version));
    } else if (recipe.prefer_headers && !facts->has_headers) {
      if (!second_best) second_best = *facts;
      continue;
    } else {
      return *facts;
    }
    tried += fmt::format("\n  {}: {}", *path, why_not);
  }
  if (second_best) return *second_best;
  return Error(
      TargetError::kNoPython,
      fmt::format("the environment '{}' needs Python {}, and none on PATH will do{}", recipe.name,
                  join(recipe.pythons, " or "), tried.empty() ? ": there is no Python" : ":" + tried),
      fmt::format("install one (Debian, Ubuntu: apt install python{0} python{0}-venv), or name one with "
                  "--python",
                  recipe.pythons.front()));
}

}  // namespace seamark::target
