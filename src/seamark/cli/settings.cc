#include "seamark/cli/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "seamark/base/config.h"
#include "seamark/base/fd.h"
#include "seamark/base/home.h"
#include "seamark/base/input_file.h"
#include "seamark/base/text.h"
#include "seamark/cli/errors.h"
#include "seamark/model/case_info.h"

namespace seamark::cli {
namespace {

constexpr std::size_t kMostConfigBytes = std::size_t{1} << 20;
constexpr std::int64_t kMostJobs = 256;
constexpr std::int64_t kMostSeed = std::int64_t{1} << 53;

bool is_suite_path(std::string_view suite) {
  suite = suite.substr(0, suite.find('?'));  // the options of an automatic suite
  return suite.find('/') != std::string_view::npos || suite.ends_with(".py") || suite.ends_with(".json");
}

// A name without '/' is looked for on PATH, so it is no path.
std::string in_folder(const std::string& path, const std::filesystem::path& folder) {
  return (folder / path).lexically_normal().native();
}

std::vector<std::string> resolved_suites(std::vector<std::string> suites,
                                         const std::filesystem::path& folder) {
  for (std::string& suite : suites) {
    if (is_suite_path(suite)) suite = in_folder(suite, folder);
  }
  return suites;
}

std::string resolved_python(std::string path, const std::filesystem::path& folder) {
  if (path.starts_with("~/")) {
    if (const auto home = environment_variable("HOME")) path = *home + path.substr(1);
  }
  return path.find('/') == std::string::npos ? path : in_folder(path, folder);
}

// "PATH" or "TARGET=PATH". A target has a '/' before the '='; a path with '=' in it starts with '/' or '.'.
target::OwnPython own_python(const std::string& text, std::string_view origin,
                             const std::filesystem::path& folder) {
  const std::size_t equals = text.find('=');
  const bool has_target = equals != std::string::npos && equals > 0 && text.front() != '/' &&
                          text.front() != '.' && text.front() != '~';
  if (!has_target) return {"*", resolved_python(text, folder), std::string(origin)};
  return {text.substr(0, equals), resolved_python(text.substr(equals + 1), folder), std::string(origin)};
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> found;
  const std::string spaced = replace_all(text, ",", " ");
  for (std::string_view word : split_words(spaced)) found.emplace_back(word);
  return found;
}

std::filesystem::path working_folder() {
  std::error_code error;
  return std::filesystem::current_path(error);
}

void read_python(Settings& settings, TableReader& top, const std::filesystem::path& file) {
  const auto add = [&](const std::string& pattern, const std::string& path) {
    settings.python.push_back({pattern, resolved_python(path, file.parent_path()), file.filename().native()});
  };
  const Value* python = top.any("python");
  if (python == nullptr) return;
  if (python->is_string()) return add("*", python->as_string());
  for (const auto& [pattern, path] : top.string_map("python")) add(pattern, path);
}

// The names of suites are those of shipped ones; a file is imported.
void read_suites(Settings& settings, TableReader& top, const std::filesystem::path& folder, bool trusted) {
  if (!top.has("suites")) return;
  std::vector<std::string> suites = top.strings("suites");
  if (trusted || std::none_of(suites.begin(), suites.end(), is_suite_path)) {
    settings.suites = resolved_suites(std::move(suites), folder);
  } else {
    settings.untrusted.emplace_back("suites");
  }
}

// One SEAMARK_* variable.
class Variable {
 public:
  Variable(const Lookup& lookup, std::string name) : name_(std::move(name)), value_(lookup(name_)) {}
  [[nodiscard]] bool given() const { return value_.has_value(); }
  [[nodiscard]] const std::string& text() const { return *value_; }
  [[nodiscard]] Error bad(std::string_view expected) const {
    return Error(CliError::kUsage,
                 fmt::format("{}: expected {}, got '{}'", name_, expected, one_line(*value_)));
  }

  Status integer(std::int64_t min, std::int64_t max, std::int64_t& out) const {
    if (!given()) return {};
    const std::optional<std::int64_t> number = parse_int(*value_);
    if (!number || *number < min || *number > max)
      return bad(fmt::format("a number from {} to {}", min, max));
    out = *number;
    return {};
  }

  Status choice(std::initializer_list<std::string_view> allowed, std::string& out) const {
    if (!given()) return {};
    if (std::find(allowed.begin(), allowed.end(), *value_) == allowed.end()) {
      const std::vector<std::string_view> names(allowed);
      return bad("one of " + join(std::span<const std::string_view>(names), ", "));
    }
    out = *value_;
    return {};
  }

 private:
  std::string name_;
  std::optional<std::string> value_;
};

}  // namespace

Result<std::optional<std::filesystem::path>> find_config(const CommonOptions& common,
                                                         const std::filesystem::path& folder,
                                                         const Lookup& variables) {
  using Found = std::optional<std::filesystem::path>;
  if (common.no_config) return Found();
  const std::optional<std::string> named = common.config ? common.config : variables("SEAMARK_CONFIG");
  std::error_code error;
  if (named) {
    const std::filesystem::path file = folder / *named;
    if (std::filesystem::is_regular_file(file, error)) return Found(file);
    const std::string_view kind = irregular_kind(std::filesystem::status(file, error).type());
    return Error(CliError::kUsage,
                 kind.empty() ? fmt::format("there is no config file {}", *named)
                              : fmt::format("{} is {}, no config file", *named, kind),
                 common.config ? "correct --config" : "correct or unset SEAMARK_CONFIG");
  }
  for (std::filesystem::path at = folder;; at = at.parent_path()) {
    if (std::filesystem::is_regular_file(at / "seamark.toml", error)) return Found(at / "seamark.toml");
    if (at == at.parent_path()) return Found();
  }
}

Result<std::string> read_config(const std::filesystem::path& file) {
  Result<std::string> text = read_file(file, kMostConfigBytes);
  if (!text) return Error(CliError::kUsage, text.error().message(), text.error().remedy());
  return text;
}

Status apply_config(Settings& settings, target::Registry& registry, std::string_view toml,
                    const std::filesystem::path& file, bool trusted) {
  const Result<Value> document = parse_toml(toml, file.native());
  if (!document) {
    return Error(CliError::kUsage, document.error().message(), fmt::format("correct {}", file.native()));
  }
  const std::filesystem::path folder = file.parent_path();
  Problems problems(file.native());
  TableReader top(*document, problems);
  settings.config_file = file;
  if (const auto store = top.maybe_string("store")) settings.store = in_folder(*store, folder);
  if (top.has("targets")) settings.targets = top.strings("targets");
  read_suites(settings, top, folder, trusted);
  settings.protocol = top.choice("protocol", settings.protocol, {"full", "paper"});
  if (const auto timeout = top.maybe_number("timeout_s")) {
    settings.timeout_s = timeout;
    if (!(*timeout > 0) || *timeout > kMostTimeoutSeconds) {
      top.problem("timeout_s", "expected seconds above 0 and at most 1000000");
    }
  }
  settings.seed = top.integer("seed", settings.seed, {.min = 0, .max = kMostSeed});
  settings.jobs = static_cast<int>(top.integer("jobs", settings.jobs, {.min = 1, .max = kMostJobs}));
  settings.cases = top.choice("cases", settings.cases, {"all", "core", "quick"});
  settings.time = top.choice("time", settings.time, {"all", "core", "first", "none"});
  if (trusted) {
    read_python(settings, top, file);
    registry.extend(top, problems, std::filesystem::absolute(file).parent_path());
  } else {
    for (const char* key : {"python", "target", "hardware"}) {
      if (top.any(key) != nullptr) settings.untrusted.emplace_back(key);
    }
  }
  top.finish();
  return problems.status();
}

Status apply_variables(Settings& settings, const Lookup& variables) {
  const std::filesystem::path folder = working_folder();
  if (const Variable store(variables, "SEAMARK_STORE"); store.given()) settings.store = store.text();
  if (const Variable targets(variables, "SEAMARK_TARGETS"); targets.given())
    settings.targets = words(targets.text());
  if (const Variable suites(variables, "SEAMARK_SUITES"); suites.given())
    settings.suites = resolved_suites(words(suites.text()), folder);
  if (const Variable python(variables, "SEAMARK_TARGET_PYTHON"); python.given()) {
    settings.python.insert(settings.python.begin(),
                           own_python(python.text(), "SEAMARK_TARGET_PYTHON", folder));
  }
  if (const Variable named(variables, "SEAMARK_PASS_ENV"); named.given())
    settings.pass_env = words(named.text());
  if (const Variable timeout(variables, "SEAMARK_TIMEOUT"); timeout.given()) {
    settings.timeout_s = parse_double(timeout.text());
    if (!settings.timeout_s || !(*settings.timeout_s > 0) || *settings.timeout_s > kMostTimeoutSeconds) {
      return timeout.bad("seconds above 0 and at most 1000000");
    }
  }
  std::int64_t jobs = settings.jobs;
  const Status results[] = {
      Variable(variables, "SEAMARK_PROTOCOL").choice({"full", "paper"}, settings.protocol),
      Variable(variables, "SEAMARK_SEED").integer(0, kMostSeed, settings.seed),
      Variable(variables, "SEAMARK_JOBS").integer(1, kMostJobs, jobs),
      Variable(variables, "SEAMARK_CASES").choice({"all", "core", "quick"}, settings.cases),
      Variable(variables, "SEAMARK_TIME").choice({"all", "core", "first", "none"}, settings.time)};
  settings.jobs = static_cast<int>(jobs);
  for (const Status& result : results) {
    if (!result) return result;
  }
  return {};
}

Status apply_selection(Settings& settings, const Selection& selection) {
  const std::filesystem::path folder = working_folder();
  if (selection.store) settings.store = *selection.store;
  if (!selection.targets.empty()) settings.targets = selection.targets;
  if (!selection.suites.empty()) settings.suites = resolved_suites(selection.suites, folder);
  std::vector<target::OwnPython> own;
  own.reserve(selection.python.size());
  for (const std::string& text : selection.python) own.push_back(own_python(text, "--python", folder));
  // One for some targets goes before one for all.
  std::stable_partition(own.begin(), own.end(),
                        [](const target::OwnPython& one) { return one.pattern != "*"; });
  settings.python.insert(settings.python.begin(), own.begin(), own.end());
  if (settings.store.empty())
    return Error(CliError::kUsage, "the store's name is empty", "name a file with --store");
  return {};
}

Status apply_run(Settings& settings, const RunFlags& flags) {
  if (Status status = apply_selection(settings, flags.selection); !status) return status;
  settings.pass_env.insert(settings.pass_env.end(), flags.pass_env.begin(), flags.pass_env.end());
  if (flags.protocol) settings.protocol = *flags.protocol;
  if (flags.timeout_s) settings.timeout_s = flags.timeout_s;
  if (flags.seed) settings.seed = *flags.seed;
  if (flags.jobs) settings.jobs = static_cast<int>(*flags.jobs);
  if (flags.cases) settings.cases = *flags.cases;
  if (flags.time) settings.time = *flags.time;
  if (flags.no_timing) {
    if (flags.time && *flags.time != "none") {
      return Error(CliError::kUsage,
                   fmt::format("--no-timing and --time {} contradict each other", *flags.time));
    }
    settings.time = "none";
  }
  return {};
}

}  // namespace seamark::cli
