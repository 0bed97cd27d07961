// `seamark targets`: what is usable here, why not, and what would make it so.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "seamark/base/text.h"
#include "seamark/base/value.h"
#include "seamark/cli/context.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/version.h"
#include "seamark/proc/signals.h"

namespace seamark::cli {
namespace {

using target::Standing;

constexpr std::size_t kMostDevice = 44;

Value text_or_null(const std::string& text) { return text.empty() ? Value() : Value(text); }

Value as_json(const Standing& standing) {
  Value item;
  item.set("target", standing.target->name);
  item.set("summary", standing.target->summary);
  item.set("usable", standing.usable);
  item.set("reason", text_or_null(standing.reason));
  item.set("remedy", text_or_null(standing.remedy));
  item.set("device", text_or_null(standing.device));
  item.set("framework", standing.target->parts.framework);
  item.set("framework_version", text_or_null(standing.framework_version));
  item.set("python", text_or_null(standing.python));
  item.set("interpreter", standing.interpreter ? Value(standing.interpreter->path) : Value());
  item.set("interpreter_from", standing.interpreter ? Value(standing.interpreter->origin) : Value());
  Value environments{Value::Array{}};
  for (const std::string& name : standing.target->environments) environments.push(name);
  item.set("environments", std::move(environments));
  item.set("evidence", name_of(standing.target->evidence));
  item.set("worker", name_of(standing.target->worker));
  item.set("quick", standing.target->quick);
  item.set("baseline", standing.target->baseline);
  item.set("lock", standing.lock);
  return item;
}

std::string document(const std::vector<Standing>& standings) {
  Value list{Value::Array{}};
  for (const Standing& standing : standings) list.push(as_json(standing));
  Value top;
  top.set("schema", "seamark-targets/1");
  top.set("seamark", version());
  top.set("targets", std::move(list));
  return dump_json_pretty(top);
}

std::string styled(const Terminal& terminal, std::string_view style, std::string_view text) {
  return terminal.color ? fmt::format("\x1b[{}m{}\x1b[0m", style, text) : std::string(text);
}

std::string table(const std::vector<Standing>& standings, const Terminal& terminal) {
  std::size_t name_width = 6;
  std::size_t version_width = 7;
  for (const Standing& standing : standings) {
    name_width = std::max(name_width, standing.target->name.size());
    if (standing.usable) version_width = std::max(version_width, standing.framework_version.size());
  }
  std::string out;
  std::size_t usable = 0;
  for (const Standing& standing : standings) {
    const std::string name = pad_right(standing.target->name, name_width);
    if (standing.usable) {
      ++usable;
      out += fmt::format("{} {}  {}  {}  {}\n", styled(terminal, "32", "yes"), name,
                         pad_right(standing.framework_version, version_width),
                         pad_right(ellipsize(standing.device, kMostDevice), kMostDevice),
                         styled(terminal, "2", standing.interpreter->origin));
      continue;
    }
    out += fmt::format("{} {}  {}\n", styled(terminal, "31", "no "), name, standing.reason);
    if (!standing.remedy.empty()) {
      out += fmt::format("    {}  {}\n", std::string(name_width, ' '),
                         styled(terminal, "2", "-> " + standing.remedy));
    }
  }
  out += fmt::format("\n{} of {} targets usable here\n", usable, standings.size());
  return out;
}

// The environments that would make more targets usable, for one command to type.
std::string advice(const std::vector<Standing>& standings) {
  std::vector<std::string> names;
  for (const Standing& standing : standings) {
    const std::string& name = standing.to_install;
    if (name.empty()) continue;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names.empty() ? std::string() : fmt::format("next: seamark targets install {}\n", join(names, " "));
}

}  // namespace

Result<ExitCode> run_targets(Context& context, const TargetsCommand& command) {
  Settings settings = context.settings;
  settings.targets.clear();  // a config's choice of what to run is no choice of what to list
  if (Status status = apply_selection(settings, command.selection); !status) return status.error();
  const auto targets = context.registry.select(settings.targets);
  if (!targets) return targets.error();
  proc::Signals signals;
  const SystemClock clock;
  LiveLine line(STDERR_FILENO, context.err, clock);
  const std::vector<Standing> standings =
      examine(context, settings, *targets, command.refresh, line, &signals);
  if (signals.interrupts() > 0) return ExitCode::kInterrupted;
  const std::string text =
      command.json ? document(standings) : table(standings, context.out) + advice(standings);
  if (Status status = print_out(text); !status) return status.error();
  return ExitCode::kDone;
}

}  // namespace seamark::cli
