#include "seamark/agent/commands.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "seamark/agent/session.h"
#include "seamark/base/held_dir.h"
#include "seamark/base/text.h"
#include "seamark/proc/run_command.h"

namespace seamark::agent {
namespace {

constexpr std::size_t kMaxCaseLine = std::size_t{64} << 10;
constexpr std::size_t kMaxStderrShown = 2000;

std::string tail_of(std::string_view text) {
  const std::string plain = plain_text(text);
  std::string_view shown = trim(plain);
  if (shown.size() > kMaxStderrShown) shown.remove_prefix(shown.size() - kMaxStderrShown);
  return repair_utf8(shown);
}

// The agent's stdout, when it did what it was asked.
Result<std::string> ask(const AgentProgram& program, std::string_view what,
                        std::vector<std::string> arguments, std::chrono::milliseconds deadline) {
  proc::CommandOptions options;
  options.spawn.argv = {program.interpreter, program.boot};
  for (std::string& argument : arguments) options.spawn.argv.push_back(std::move(argument));
  options.spawn.inherits = program.inherits;
  options.spawn.environment.assign(program.environment.begin(), program.environment.end());
  options.timeout_s = std::chrono::duration<double>(deadline).count();
  options.signals = program.signals;
  const Result<HeldDir> work = HeldDir::make("agent");  // without one, temporary files go to the usual place
  if (work) options.spawn.environment.emplace_back("SEAMARK_WORK_DIR", work->path().native());
  Result<proc::CommandResult> result = proc::run_command(options);
  if (!result) return start_error(program.interpreter, result.error());
  if (result->interrupted) return Error(AgentError::kInterrupted, fmt::format("`{}` was interrupted", what));
  if (result->timed_out) {
    return Error(AgentError::kTimeout,
                 fmt::format("`{}` of {} gave no answer within {} s: {}", what, program.interpreter,
                             options.timeout_s, tail_of(result->err)));
  }
  if (!result->exit.success()) {
    return Error(AgentError::kFailed, fmt::format("`{}` of {} {}: {}", what, program.interpreter,
                                                  result->exit.text(), tail_of(result->err)));
  }
  if (result->out_truncated) {
    return Error(AgentError::kBadOutput,
                 fmt::format("`{}` of {} printed without end", what, program.interpreter));
  }
  return std::move(result->out);
}

void add_suites(std::vector<std::string>& arguments, std::span<const std::string> suites) {
  for (const std::string& suite : suites) {
    arguments.emplace_back("--suite");
    arguments.push_back(suite);
  }
}

Error bad_case(std::string_view what, std::string_view line) {
  return Error(AgentError::kBadOutput,
               fmt::format("a listed case {}: {}", what, one_line(line.substr(0, 200))));
}

}  // namespace

Result<std::vector<CaseInfo>> list_cases(const AgentProgram& program, std::span<const std::string> suites,
                                         std::string_view framework, std::chrono::milliseconds deadline) {
  std::vector<std::string> arguments = {"list"};
  add_suites(arguments, suites);
  if (!framework.empty()) arguments.insert(arguments.end(), {"--framework", std::string(framework)});
  Result<std::string> out = ask(program, "list", std::move(arguments), deadline);
  if (!out) return out.error();
  std::vector<CaseInfo> cases;
  for (std::string_view line : split_lines(*out)) {
    if (trim(line).empty()) continue;
    Result<CaseInfo> one = case_from_json(line);
    if (!one) return one.error();
    cases.push_back(std::move(*one));
  }
  return cases;
}

Result<std::string> script(const AgentProgram& program, std::span<const std::string> suites,
                           const std::string& case_name, const Value& target,
                           std::chrono::milliseconds deadline) {
  std::vector<std::string> arguments = {"script"};
  add_suites(arguments, suites);
  arguments.insert(arguments.end(), {"--case", case_name, "--target", dump_json(target)});
  return ask(program, "script", std::move(arguments), deadline);
}

Result<std::string> catalog_rows(const AgentProgram& program, const Value& rules,
                                 std::chrono::milliseconds deadline) {
  return ask(program, "catalog", {"catalog", "--rules", dump_json(rules)}, deadline);
}

Result<std::string> declared_rows(const AgentProgram& program, std::span<const std::string> suites,
                                  const Value& target, std::chrono::milliseconds deadline) {
  std::vector<std::string> arguments = {"declared", "--target", dump_json(target)};
  add_suites(arguments, suites);
  return ask(program, "declared", std::move(arguments), deadline);
}

Result<CaseInfo> case_from_json(std::string_view line) {
  const Result<Value> parsed = parse_json(line, {.max_bytes = kMaxCaseLine, .max_depth = kMaxDepth});
  if (!parsed) return bad_case("is no JSON", line);
  if (!parsed->is_object()) return bad_case("is no JSON object", line);
  CaseInfo info;
  std::string wrong;
  const auto text = [&](const char* key, bool required) {
    const Value* value = parsed->find(key);
    const bool absent = value == nullptr || value->is_null();
    if (wrong.empty() &&
        (absent ? required : !value->is_string() || (required && value->as_string().empty()))) {
      wrong = fmt::format("lacks a string '{}'", key);
    }
    return absent || !value->is_string() ? std::string() : value->as_string();
  };
  const auto flag = [&](const char* key) {
    const Value* value = parsed->find(key);
    if (value == nullptr || value->is_null()) return false;
    if (!value->is_bool() && wrong.empty()) wrong = fmt::format("has a '{}' that is not true or false", key);
    return value->is_bool() && value->as_bool();
  };
  info.name = text("name", true);
  info.function = text("function", true);
  info.framework = text("framework", true);
  info.suite = text("suite", true);
  info.hash = text("hash", true);
  info.dtype = text("dtype", false);
  info.shape = text("shape", false);
  info.core = flag("core");
  info.quick = flag("quick");
  info.host_only = flag("host_only");
  info.grad = flag("grad");
  info.large = flag("large");
  if (const Value* timeout = parsed->find("timeout_s"); timeout != nullptr && !timeout->is_null()) {
    // As in the registry and the settings; what is far beyond would overflow the clock.
    if (!timeout->is_number() || timeout->as_number() < 0 || timeout->as_number() > kMostTimeoutSeconds)
      wrong = "has a 'timeout_s' that is no time";
    if (wrong.empty()) info.timeout_s = timeout->as_number();
  }
  if (const Value* params = parsed->find("params"); params != nullptr && !params->is_null()) {
    if (!params->is_object()) wrong = "has 'params' that are no object";
    info.params = *params;
  }
  if (!wrong.empty()) return bad_case(wrong, line);
  return info;
}

}  // namespace seamark::agent
