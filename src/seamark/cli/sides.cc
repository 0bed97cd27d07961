#include "seamark/cli/sides.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "seamark/analysis/study.h"
#include "seamark/base/text.h"
#include "seamark/cli/errors.h"
#include "seamark/model/target_name.h"

namespace seamark::cli {
namespace {

constexpr std::size_t kLeastIdDigits = 4;
constexpr std::size_t kMostIdDigits = 36;
constexpr std::size_t kMostIdBytes = 100;  // of a run that was imported
constexpr std::string_view kWhatASideIs =
    "a side is a store (seamark.db), a run of one (seamark.db@1f3a, or 1f3a of the default store), a target "
    "(seamark.db@torch/lazy, torch/lazy), a version (seamark.db@torch==2.13.0) or a published study ({})";

bool is_run(std::string_view text) {
  if (text == "latest" || text == "all") return true;
  return text.size() >= kLeastIdDigits && text.size() <= kMostIdDigits &&
         text.find_first_not_of("0123456789abcdef-") == std::string_view::npos;
}

// Imports are called by names.
bool may_be_imported(std::string_view text) {
  return text.size() <= kMostIdBytes && std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-';
         });
}

bool is_target(std::string_view text, const Frameworks& frameworks) {
  const Result<TargetName> name = TargetName::parse(text);
  return name && frameworks.has(name->framework);
}

Error bad_side(std::string_view label, std::string_view what) {
  return Error(CliError::kUsage, fmt::format("'{}': {}", label, what),
               fmt::format(kWhatASideIs, analysis::kDefaultStudy));
}

// One part between @s. False: it looks like nothing that a side can name.
bool take_part(OperandSpec& spec, std::string_view part, const Frameworks& frameworks, bool behind_at,
               std::string& trouble) {
  const std::size_t equals = part.find("==");
  const auto once = [&](const std::string& slot, std::string_view what) {
    if (!slot.empty()) trouble = fmt::format("it names two {}", what);
  };
  if (equals != std::string_view::npos && frameworks.has(part.substr(0, equals)) &&
      equals + 2 < part.size()) {
    once(spec.version, "versions");
    spec.framework = part.substr(0, equals);
    spec.version = part.substr(equals + 2);
  } else if (is_target(part, frameworks)) {
    once(spec.target, "targets");
    spec.target = part;
  } else if (is_run(part) || (behind_at && may_be_imported(part))) {
    once(spec.run, "runs");
    spec.run = part;
  } else {
    return false;
  }
  return true;
}

Result<OperandSpec> take_parts(OperandSpec spec, std::string_view rest, const Frameworks& frameworks) {
  for (const std::string_view part : split(rest, '@')) {
    std::string trouble;
    if (part.empty()) return bad_side(spec.label, "nothing stands behind an @");
    if (has_glob(part)) return bad_side(spec.label, "a side names one target; use --target for several");
    if (!take_part(spec, part, frameworks, true, trouble)) {
      return bad_side(spec.label, fmt::format("'{}' is neither a run, a target nor a version", part));
    }
    if (!trouble.empty()) return bad_side(spec.label, trouble);
  }
  if (!spec.target.empty() && !spec.version.empty() && !spec.target.starts_with(spec.framework + "/")) {
    return bad_side(spec.label, fmt::format("{} is no target of {}", spec.target, spec.framework));
  }
  return spec;
}

// The longest beginning that is a file, up to the end or an @.
std::optional<std::size_t> file_part(std::string_view text, const OperandWorld& world) {
  std::size_t end = text.size();
  while (end > 0) {
    if (world.is_file(std::string(text.substr(0, end)))) return end;
    end = text.rfind('@', end - 1);
    if (end == std::string_view::npos) break;
  }
  return std::nullopt;
}

}  // namespace

Result<OperandSpec> parse_side(std::string_view text, const OperandWorld& world) {
  OperandSpec spec;
  spec.label = std::string(text);
  if (text.empty()) return bad_side(text, "a side has no name");
  if (world.is_baseline(spec.label)) {
    spec.baseline = spec.label;
    return spec;
  }
  const std::optional<std::size_t> file = file_part(text, world);
  if (file) {
    spec.store = std::string(text.substr(0, *file));
    return *file == text.size() ? spec
                                : take_parts(std::move(spec), text.substr(*file + 1), world.frameworks);
  }
  if (text.front() == '@') return take_parts(std::move(spec), text.substr(1), world.frameworks);
  OperandSpec probe;
  std::string trouble;
  const std::string_view first = text.substr(0, text.find('@'));
  if (take_part(probe, first, world.frameworks, false, trouble) || has_glob(first))
    return take_parts(std::move(spec), text, world.frameworks);
  const bool like_a_file =
      first.find('/') != std::string_view::npos || first.find('.') != std::string_view::npos;
  return bad_side(spec.label, like_a_file ? fmt::format("there is no file '{}'", first)
                                          : "there is no such file, and it is no run, target or version");
}

namespace {

bool has_version(const std::string& full, std::string_view asked) {
  // "2.13.0" also means "2.13.0+cpu" and "2.13.0 (with a bridge)".
  return full == asked || full.starts_with(std::string(asked) + "+") ||
         full.starts_with(std::string(asked) + " ");
}

bool fits(const OperandSpec& spec, const store::StoredTarget& one) {
  if (!spec.target.empty() && one.target.target != spec.target) return false;
  return spec.version.empty() ||
         (one.target.framework == spec.framework && has_version(one.target.framework_version, spec.version));
}

std::vector<std::string> names_that_fit(const OperandSpec& spec,
                                        const std::vector<store::StoredTarget>& targets) {
  std::vector<std::string> names;
  for (const store::StoredTarget& one : targets) {
    if (!fits(spec, one)) continue;
    if (std::find(names.begin(), names.end(), one.target.target) == names.end()) {
      names.push_back(one.target.target);
    }
  }
  return names;
}

Error no_such(const OpenOperand& open, const OperandSpec& spec,
              const std::vector<store::StoredTarget>& targets) {
  std::vector<std::string> known;
  for (const store::StoredTarget& one : targets) {
    std::string name =
        spec.version.empty() ? one.target.target : one.target.framework + "==" + one.target.framework_version;
    if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(std::move(name));
  }
  std::string asked = spec.target;
  if (!spec.version.empty()) asked += (asked.empty() ? "" : " of ") + spec.framework + "==" + spec.version;
  const std::string in = spec.run.empty() ? "" : " in run " + spec.run;
  return Error(CliError::kUnknownName,
               fmt::format("{} holds no results of {}{}", open.store->file().native(), asked, in),
               "it holds: " + (known.empty() ? std::string("nothing") : join(known, ", ")));
}

// The latest run that planned something that fits.
Result<store::RunChoice> run_for(OpenOperand& open, const OperandSpec& spec) {
  if (!spec.run.empty()) return store::RunChoice::parse(spec.run);
  if (spec.target.empty() && spec.version.empty()) return store::RunChoice::parse("latest");
  Result<std::vector<store::RunInfo>> runs = open.store->runs();
  if (!runs) return runs.error();
  const store::RunChoice all = store::RunChoice::parse("all");
  Result<std::vector<store::StoredTarget>> targets = open.store->targets(all);
  if (!targets) return targets.error();
  for (const store::RunInfo& run : *runs) {
    const bool has = std::any_of(targets->begin(), targets->end(), [&](const store::StoredTarget& one) {
      return one.run == run.uuid && one.planned && fits(spec, one);
    });
    if (has) return store::RunChoice::parse(run.uuid);
  }
  return no_such(open, spec, *targets);
}

}  // namespace

analysis::Operand OpenOperand::side() { return {store.get(), run, label, targets, one_target}; }

Result<OpenOperand> open_side(const OperandSpec& spec, const std::string& default_store,
                              const OpenOperand* other) {
  const std::string& file = spec.store.empty() ? default_store : spec.store;
  OpenOperand open{nullptr, {}, {}, {}, spec.label, !spec.target.empty()};
  std::error_code ec;
  if (other != nullptr && std::filesystem::equivalent(file, other->store->file(), ec)) {
    open.store = other->store;
  } else {
    Result<store::Store> opened = store::Store::open(file, store::OpenMode::kRead);
    if (!opened) return opened.error().within(spec.label);
    open.store = std::make_shared<store::Store>(std::move(*opened));
  }
  Result<store::RunChoice> run = run_for(open, spec);
  if (!run) return run.error();
  open.run = std::move(*run);
  Result<std::vector<store::StoredTarget>> targets = open.store->targets(open.run);
  if (!targets) return targets.error().within(spec.label);
  for (const store::StoredTarget& one : *targets) open.known_targets.push_back(one.target.target);
  if (spec.target.empty() && spec.version.empty()) return open;
  open.targets = names_that_fit(spec, *targets);
  if (open.targets.empty()) return no_such(open, spec, *targets);
  return open;
}

Status choose_targets(OpenOperand& before, OpenOperand& after, const std::vector<std::string>& patterns) {
  // A side that names its target chooses it on the other side as well.
  if (before.one_target != after.one_target) {
    (before.one_target ? after : before).targets = (before.one_target ? before : after).targets;
  }
  if (patterns.empty()) return {};
  if (before.one_target || after.one_target) {
    return Error(CliError::kUsage, "--target and a side that names its target exclude each other",
                 "leave out one of them");
  }
  std::vector<std::string> known = before.known_targets;
  known.insert(known.end(), after.known_targets.begin(), after.known_targets.end());
  for (OpenOperand* open : {&before, &after}) {
    const std::vector<std::string> of_version = std::exchange(open->targets, {});
    for (const std::string& name : of_version.empty() ? open->known_targets : of_version) {
      if (any_glob(patterns, name)) open->targets.push_back(name);
    }
    if (open->targets.empty()) open->targets = patterns;  // none of them is there
  }
  for (const std::string& pattern : patterns) {
    const auto named = [&](const std::string& name) { return glob_match(pattern, name); };
    if (std::any_of(known.begin(), known.end(), named)) continue;
    const std::optional<std::string> near = nearest(pattern, known);
    return Error(CliError::kUnknownName, fmt::format("neither side holds a target '{}'", pattern),
                 near ? fmt::format("did you mean '{}'?", *near) : "they hold: " + join(known, ", "));
  }
  return {};
}

}  // namespace seamark::cli
