// `seamark import`: what the tests of others said, into the store.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "seamark/analysis/study.h"
#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/cli/context.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/kept.h"
#include "seamark/cli/shipped_usage.h"
#include "seamark/cli/store_writing.h"
#include "seamark/cli/verbs.h"
#include "seamark/interop/import.h"
#include "seamark/model/target_name.h"
#include "seamark/report/render/number_text.h"
#include "seamark/store/store.h"

namespace seamark::cli {
namespace {

using interop::ExternalForm;
using interop::Imported;
using interop::ImportFile;

constexpr std::size_t kListed = 10;

Result<std::string> read_input(const std::string& name) {
  if (name != "-") {
    Result<std::string> text = read_file(name, interop::kMostFileBytes);
    if (!text) {
      return Error(interop::InteropError::kUnreadable, text.error().message(),
                   "give a file that can be read, or - for standard input");
    }
    return text;
  }
  std::string text;
  while (true) {
    const Result<ReadState> state = read_available(STDIN_FILENO, text);
    if (!state) return state.error().within("standard input");
    if (*state == ReadState::kEnd) return text;
    if (text.size() > interop::kMostFileBytes) {
      return Error(interop::InteropError::kBadInput,
                   fmt::format("standard input: more than {} MiB", interop::kMostFileBytes >> 20));
    }
  }
}

class ImportCommand final : public Command {
 public:
  explicit ImportCommand(Options& options) {
    options
        .argument("FILE", files,
                  "Reports of pytest-json-report, JUnit XML, times of operations, JSON lines of `seamark "
                  "export`; - is standard input")
        .required();
    options.targets(selection, "Where the tests ran, e.g. torch/cuda-t4");
    options.value("--run", run_name, "NAME",
                  "What to call the run; a run of that name is added to (default: named after the content)");
    options.value("--map", map, "CSV", "Which tests are of which function: NODEID-GLOB,FUNCTION[,FRAMEWORK]");
    options
        .value("--format", format, "FORMAT",
               "pytest-json, timings, junit or seamark-jsonl (default: as the files look)")
        .one_of({"pytest-json", "timings", "junit", "seamark-jsonl"});
    options.flag("--strict", strict, "Import nothing when anything cannot be read");
    options.store(selection);
  }

  Result<ExitCode> run(Context& context) const override;

  Selection selection;             // the store, and at most one target
  std::vector<std::string> files;  // "-": standard input
  std::string run_name;            // empty: after the content
  std::string map;                 // a CSV
  std::string format;              // empty: detect
  bool strict = false;
};

class ImportSession {
 public:
  ImportSession(Context& context, const ImportCommand& command, Settings settings)
      : context_(context), command_(command), settings_(std::move(settings)) {}

  Result<ExitCode> run() {
    if (Status fits = check_request(); !fits) return fits.error();
    if (Status read = read_files(); !read) return read.error();
    const auto exports = std::count_if(files_.begin(), files_.end(), [](const ImportFile& file) {
      return file.form == ExternalForm::kSeamarkJsonl;
    });
    if (exports == 0) return import_tests();
    if (std::cmp_less(exports, files_.size())) {
      return Error(CliError::kUsage, "an export of Seamark and reports of tests are not imported together",
                   "import the export by itself: it says its runs and targets");
    }
    if (!command_.selection.targets.empty() || !command_.run_name.empty()) {
      return Error(CliError::kUsage, "an export of Seamark says its runs and targets itself",
                   "leave out --target and --run");
    }
    return import_exports();
  }

 private:
  void say(std::string_view text) { (void)write_all(STDERR_FILENO, plain_text(text) + "\n"); }
  void note(std::string_view text) {
    if (!context_.common.quiet) say(text);
  }

  Status check_request() {
    if (command_.selection.targets.size() > 1)
      return Error(CliError::kUsage, "the files of one import are of one target", "give one --target");
    if (std::count(command_.files.begin(), command_.files.end(), "-") > 1)
      return Error(CliError::kUsage, "standard input can be read once", "give - once");
    if (!command_.run_name.empty() && !interop::is_run_name(command_.run_name)) {
      return Error(CliError::kUsage, fmt::format("'{}' is no name for a run", command_.run_name),
                   "letters, digits, '.', '_' and '-', at most 40, and neither latest nor all");
    }
    if (command_.selection.targets.empty()) return {};
    const Result<TargetName> name = TargetName::parse(command_.selection.targets.front());
    if (!name) return name.error();
    if (!context_.registry.frameworks().has(name->framework)) {
      return Error(
          CliError::kUsage,
          fmt::format("'{}' is no target of {}", name->str(), context_.registry.frameworks().listed()),
          "FRAMEWORK/DEVICE, e.g. torch/cuda-t4");
    }
    const auto modes = split(name->mode, '+');
    if (std::find(modes.begin(), modes.end(), "aot") != modes.end()) {
      return Error(CliError::kUsage, fmt::format("{} only compiles: tests do not run there", name->str()),
                   "name the device that the tests ran on, e.g. jax/tpu-v3");
    }
    target_ = name->str();
    return {};
  }

  Status read_files() {
    for (const std::string& name : command_.files) {
      Result<std::string> text = read_input(name);
      if (!text) return text.error();
      ImportFile file;
      file.name = name == "-" ? "standard input" : name;
      file.text = std::move(*text);
      if (!command_.format.empty()) {
        file.form = *interop::form_from(command_.format);  // the command line knows no others
      } else {
        const Result<ExternalForm> form = interop::detect_form(file.text, file.name);
        if (!form) return form.error();
        file.form = *form;
      }
      files_.push_back(std::move(file));
    }
    return {};
  }

  // --- reports of tests

  Result<ExitCode> import_tests() {
    if (target_.empty()) {
      return Error(CliError::kUsage, "these results do not say which target they are of",
                   "say it with --target, e.g. --target torch/cuda-t4");
    }
    const Result<interop::ImportRules> rules = interop::ImportRules::load(
        context_.home / "data" / "import" / "rules.toml", context_.registry.frameworks());
    if (!rules) return rules.error();
    std::vector<interop::MapRow> rows;
    if (!command_.map.empty()) {
      Result<std::string> csv = read_input(command_.map);
      if (!csv) return csv.error();
      auto parsed = interop::parse_map(*csv, command_.map, context_.registry.frameworks());
      if (!parsed) return parsed.error();
      rows = std::move(*parsed);
    }
    Result<std::optional<store::Store>> store = existing_store();
    if (!store) return store.error();
    interop::KnownFunctions known(target_.substr(0, target_.find('/')), *rules);
    if (Status added = add_known(*store, known); !added) return added.error();
    std::optional<interop::RunBefore> before;
    if (!command_.run_name.empty() && *store) {
      auto found = interop::find_run(**store, command_.run_name);
      if (!found) return found.error();
      before = std::move(*found);
    }
    const interop::FunctionMap functions(known, *rules, rows);
    Result<Imported> imported = interop::import_tests(files_, request(), functions, *rules, before);
    if (!imported) return imported.error();
    store->reset();
    return save(*imported);
  }

  // A store is made only when there is something to put into it.
  Result<std::optional<store::Store>> existing_store() {
    Result<store::Store> store = store::Store::open(settings_.store, store::OpenMode::kRead);
    if (store) return std::optional(std::move(*store));
    if (store.error().is(store::StoreError::kMissing)) return std::optional<store::Store>();
    return store.error();
  }

  [[nodiscard]] interop::ImportRequest request() const {
    return {target_, command_.run_name, context_.as_typed, SystemClock().unix_us()};
  }

  // The catalogue of the store, or else what ships: functions that code calls, and those of the study.
  Status add_known(std::optional<store::Store>& store, interop::KnownFunctions& known) {
    Result<Catalogue> catalogue =
        store ? store->catalogue(known.framework())
              : Result<Catalogue>(Error(store::StoreError::kNoSuchCatalogue, "there is no store"));
    if (catalogue) {
      for (const CatalogueFunction& one : catalogue->functions) {
        if (one.kind == "module") continue;
        known.add(one.name, one.name);
        for (const std::string& alias : one.aliases) known.add(alias, one.name);
        for (const std::string& alias : one.deprecated_aliases) known.add(alias, one.name);
      }
      return {};
    }
    if (!catalogue.error().is(store::StoreError::kNoSuchCatalogue)) return catalogue.error();
    const Result<UsageFile> usage = read_usage_file(context_, shipped_usage(context_));
    if (!usage) return usage.error();
    for (const UsageRow& row : usage->table.rows) {
      if (row.framework == known.framework() && row.tier == UsageTier::kResolved)
        known.add(row.function, row.function);
    }
    const Result<analysis::Study> study =
        analysis::Study::load(context_.baselines(), analysis::kDefaultStudy);
    if (!study) return study.error();
    for (const analysis::StudyFunction& one : study->functions()) {
      if (one.framework == known.framework() && !one.name_today.empty())
        known.add(one.name_today, one.name_today);
    }
    note(
        fmt::format("no catalogue of {}: names are looked up among {} functions that are often called; "
                    "`seamark catalog` makes one",
                    known.framework(), known.size()));
    return {};
  }

  // --- exports

  Result<ExitCode> import_exports() {
    Imported all;
    for (const ImportFile& file : files_) {
      Result<Imported> one = interop::import_export(file, request());
      if (!one) return one.error();
      all.tests += one->tests;
      all.functions = std::max(all.functions, one->functions);
      std::move(one->losses.begin(), one->losses.end(), std::back_inserter(all.losses));
      std::move(one->runs.begin(), one->runs.end(), std::back_inserter(all.runs));
    }
    return save(all);
  }

  // --- the end

  Result<ExitCode> save(const Imported& imported) {
    if (command_.strict && !imported.losses.empty()) {
      const interop::ExternalLoss& loss = imported.losses.front();
      return Error(interop::InteropError::kLost, fmt::format("{}: {}", loss.place, loss.what),
                   "mend it, or leave out --strict: what is whole is imported then");
    }
    for (const std::string& what : imported.repeated) note(fmt::format("{} is in the store already", what));
    for (const std::string& text : imported.notes) note(text);
    say_others(imported);
    say_unmapped(imported);
    if (imported.runs.empty()) return nothing(imported);
    Result<store::Store> store = open_for_writing(context_, settings_.store);
    if (!store) return store.error();
    const Result<std::vector<store::SavedRun>> saved = store->save_runs(imported.runs);
    if (!saved) return saved.error();
    if (Status told = say_saved(*store, imported, *saved); !told) return told.error();
    const ExitCode read = say_losses(imported);
    const bool refused =
        std::any_of(saved->begin(), saved->end(), [](const auto& one) { return !one.conflict.empty(); });
    return refused ? ExitCode::kEnvironment : read;
  }

  Result<ExitCode> nothing(const Imported& imported) {
    if (!imported.repeated.empty()) {
      note("nothing is added");
      return say_losses(imported);
    }
    (void)say_losses(imported);
    if (imported.tests == 0 && !imported.losses.empty()) return ExitCode::kEnvironment;
    if (imported.tests > 0 && others_of(imported) == imported.tests) {
      return Error(CliError::kNothing,
                   fmt::format("{} another device than {}",
                               imported.tests == 1
                                   ? "1 test names"
                                   : fmt::format("all {} name", report::plural(imported.tests, "test")),
                               target_),
                   "name the device that the tests ran on with --target");
    }
    return Error(CliError::kNothing,
                 imported.tests == 0 ? "there is no test in what was given"
                                     : fmt::format("none of {} is of a function that is known",
                                                   report::plural(imported.tests, "test")),
                 "say with --map FILE.csv whose they are, a line each: NODEID-GLOB,FUNCTION");
  }

  static std::int64_t others_of(const Imported& imported) {
    std::int64_t count = 0;
    for (const auto& [device, tests] : imported.other_devices) count += tests;
    return count;
  }

  // One file may hold the tests of several devices.
  void say_others(const Imported& imported) {
    if (imported.other_devices.empty()) return;
    std::vector<std::string> devices;
    for (const auto& [device, tests] : imported.other_devices)
      devices.push_back(fmt::format("{} {}", device, report::count_text(tests)));
    const std::int64_t count = others_of(imported);
    note(fmt::format("{} left out: {} another device than {} ({}), e.g. {}", report::plural(count, "test"),
                     count == 1 ? "it names" : "they name", target_, join(devices, ", "),
                     imported.other_device_test));
  }

  void say_unmapped(const Imported& imported) {
    if (imported.left_out > 0)
      note(fmt::format("{} left out, as {} says", report::plural(imported.left_out, "test"), command_.map));
    if (imported.unmapped.empty()) return;
    say(fmt::format("{} of {} of no function that is known:",
                    report::count_text(static_cast<std::int64_t>(imported.unmapped.size())),
                    report::plural(imported.tests, "test")));
    // Repeats and parameters of one test are one line.
    std::vector<std::pair<const interop::Unmapped*, std::int64_t>> lines;
    std::map<std::string_view, std::size_t> place;
    for (const interop::Unmapped& one : imported.unmapped) {
      const std::string_view test = std::string_view(one.test).substr(0, one.test.find('['));
      const auto [at, is_new] = place.try_emplace(test, lines.size());
      if (is_new) lines.emplace_back(&one, 0);
      ++lines[at->second].second;
    }
    for (std::size_t i = 0; i < std::min(kListed, lines.size()); ++i) {
      const auto [one, times] = lines[i];
      const std::string more =
          times == 1 ? std::string() : fmt::format(" and {} like it", report::count_text(times - 1));
      say(fmt::format("  {}{}: {}", one->test, more, one->reason));
    }
    if (lines.size() > kListed) {
      say(fmt::format("  and {} more",
                      report::count_text(static_cast<std::int64_t>(lines.size() - kListed))));
    }
    say("  say whose they are with --map FILE.csv, a line each: NODEID-GLOB,FUNCTION");
  }

  Status say_saved(store::Store& store, const Imported& imported, const std::vector<store::SavedRun>& saved) {
    for (std::size_t i = 0; i < saved.size(); ++i) {
      const store::RunBundle& run = imported.runs[i];
      if (!saved[i].conflict.empty()) {
        say(fmt::format("run {} is refused, {} has another of that id: {}", run.info.uuid, settings_.store,
                        saved[i].conflict));
        continue;
      }
      say_kept(saved[i].kept, settings_.store);
      if (saved[i].added == 0 && !saved[i].is_new) {
        note(fmt::format("run {} is in the store already: nothing is added", run.info.uuid));
        continue;
      }
      const std::string known = saved[i].known == 0
                                    ? std::string()
                                    : fmt::format(" ({} were there)", report::count_text(saved[i].known));
      note(fmt::format("{}{} of {} into {} run {} of {}", report::plural(saved[i].added, "result"), known,
                       report::plural(imported.functions, "function"), saved[i].is_new ? "the new" : "the",
                       run.info.uuid, settings_.store));
      if (Status told = warn_of_own(store, run); !told) return told;
    }
    return {};
  }

  // Joined by --run all, one's own attempts and imported ones would count together.
  Status warn_of_own(store::Store& store, const store::RunBundle& whole) {
    const Result<std::vector<store::RunInfo>> runs = store.runs();
    if (!runs) return runs.error();
    for (const store::RunInfo& run : *runs) {
      if (run.options.bool_or("imported", false)) continue;
      const auto targets = store.targets({store::RunChoice::Kind::kOne, run.uuid});
      if (!targets) return targets.error();
      for (const store::StoredTarget& one : *targets) {
        if (one.target.target != whole.targets.front().target) continue;
        note(
            fmt::format("the store holds runs of Seamark on {} too: `--run all` counts both; choose one with "
                        "--run, or keep imports in a store of their own",
                        one.target.target));
        return {};
      }
    }
    return {};
  }

  ExitCode say_losses(const Imported& imported) {
    for (std::size_t i = 0; i < std::min(kListed, imported.losses.size()); ++i)
      say(fmt::format("lost: {}: {}", imported.losses[i].place, imported.losses[i].what));
    if (imported.losses.size() > kListed)
      say(fmt::format("lost: {} more",
                      report::count_text(static_cast<std::int64_t>(imported.losses.size() - kListed))));
    return imported.losses.empty() ? ExitCode::kDone : ExitCode::kEnvironment;
  }

  Context& context_;
  const ImportCommand& command_;
  Settings settings_;
  std::string target_;
  std::vector<ImportFile> files_;
};

Result<ExitCode> ImportCommand::run(Context& context) const {
  Result<Settings> settings = settings_for(context, selection);
  if (!settings) return settings.error();
  return ImportSession(context, *this, std::move(*settings)).run();
}

}  // namespace

Verb import_verb() {
  return {"import", "Take in what tests of others said: pytest, JUnit, timings, an export",
          "Examples:\n"
          "  seamark import report.json --target torch/cuda-t4\n"
          "  seamark import report.json times-*.json --target torch/tpu-v3 --run study\n"
          "  seamark import junit.xml --target jax/cuda --map functions.csv\n"
          "  seamark import attempts.jsonl",
          make_command<ImportCommand>};
}

}  // namespace seamark::cli
