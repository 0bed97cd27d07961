// `seamark catalog`: every function of a framework, what a version changed, what the suites cover.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "seamark/agent/agent_error.h"
#include "seamark/base/fd.h"
#include "seamark/base/text.h"
#include "seamark/catalog/gather.h"
#include "seamark/catalog/rows.h"
#include "seamark/cli/case_listing.h"
#include "seamark/cli/catalog_text.h"
#include "seamark/cli/context.h"
#include "seamark/cli/errors.h"
#include "seamark/cli/rendering.h"
#include "seamark/cli/store_writing.h"
#include "seamark/store/store.h"
#include "seamark/target/python_search.h"

namespace seamark::cli {
namespace {

using target::TargetEntry;

Result<Format> catalogue_format(const CatalogCommand& command) {
  return choose_format(command.format, command.output,
                       {Format::kTerminal, Format::kJson, Format::kJsonl, Format::kCsv});
}

// One target per framework and interpreter.
struct Walkable {
  const TargetEntry* entry = nullptr;
  target::Interpreter interpreter;
};

class CatalogSession {
 public:
  CatalogSession(Context& context, const CatalogCommand& command, Settings settings)
      : context_(context),
        command_(command),
        settings_(std::move(settings)),
        doctor_(doctor_of(context_, settings_)),
        line_(STDERR_FILENO, context.err, clock_) {}

  Result<ExitCode> run() {
    const Result<Format> format = catalogue_format(command_);
    if (!format) return format.error();
    if (command_.coverage && *format == Format::kJsonl) {
      return Error(CliError::kUsage, "a coverage has no JSON lines", "say --format json or --format csv");
    }
    if (Status status = choose(); !status) return status.error();
    Result<store::Store> store = open_for_writing(context_, settings_.store);
    if (!store) return store.error();
    if (Status status = collect(*store); !status) return status.error();
    return command_.coverage ? print_coverage(*store, *format) : print_catalogues(*format);
  }

 private:
  [[nodiscard]] std::filesystem::path data() const { return context_.home / "data" / "catalog"; }

  // Without --target: the baseline of each framework that has rules.
  Status choose() {
    std::vector<std::string> wanted = settings_.targets;
    const bool asked = !wanted.empty();
    if (!asked) wanted = baselines_with(context_, "catalog");
    const auto entries = context_.registry.select(wanted);
    if (!entries) return entries.error();
    std::set<std::pair<std::string, std::string>> seen;
    for (const TargetEntry* entry : *entries) {
      const std::optional<target::Interpreter> found = doctor_.interpreter_for(*entry);
      if (!found || !target::find_program(found->path)) {
        missing_.push_back(fmt::format("{}: there is no Python for it here", entry->name));
        continue;
      }
      if (seen.emplace(entry->parts.framework, found->path).second) walkable_.push_back({entry, *found});
    }
    if (!walkable_.empty()) return {};
    return Error(CliError::kEnvironment, join(missing_, "\n  "),
                 fmt::format("`{}`, or name one with --python",
                             install_command(context_, baselines_with(context_, "catalog"))));
  }

  Status collect(store::Store& store) {
    std::optional<Error> first;
    for (const Walkable& one : walkable_) {
      Result<catalog::Rules> rules = catalog::Rules::load(data(), one.entry->parts.framework);
      if (!rules) return rules.error();
      Result<Catalogue> catalogue = obtain(store, one, *rules);
      if (catalogue) {
        listed_by_.push_back(one);
        walked_.push_back({std::move(*catalogue), std::move(*rules)});
        continue;
      }
      const bool elsewhere = catalogue.error().is(agent::AgentError::kFailed);  // not this framework's Python
      if (!elsewhere) return catalogue.error();
      missing_.push_back(fmt::format("{}: {}", one.entry->name, catalogue.error().message()));
      if (!first) first = catalogue.error();
    }
    if (walked_.empty() && first)
      return Error(CliError::kEnvironment, first->message(), "see `seamark targets`");
    if (!context_.common.quiet) {
      for (const std::string& note : missing_) line_.print(note);
    }
    return {};
  }

  // A coverage takes the stored catalogue, when there is one; everything else walks.
  Result<Catalogue> obtain(store::Store& store, const Walkable& one, const catalog::Rules& rules) {
    if (command_.coverage && !command_.refresh && settings_.python.empty()) {
      Result<Catalogue> stored = store.catalogue(rules.framework);
      if (stored && stored->head.rule_version == rules.rule_version) return stored;
      if (!stored && !stored.error().is(store::StoreError::kNoSuchCatalogue)) return stored.error();
    }
    if (!context_.common.quiet) line_.show(fmt::format("walking the modules of {} ...", rules.framework));
    const agent::AgentProgram program = {one.interpreter.path, context_.boot().native(),
                                         target::Doctor::worker_variables(*one.entry, one.interpreter)};
    Result<Catalogue> catalogue = catalog::gather(program, rules, clock_.unix_us());
    line_.clear();
    if (!catalogue) return catalogue.error();
    if (Status saved = store.save_catalogue(*catalogue); !saved) return saved.error();
    return catalogue;
  }

  Result<ExitCode> print_catalogues(Format format) {
    std::string text;
    if (format == Format::kTerminal)
      text = catalogue_text(walked_, render_options(context_, command_.output));
    if (format == Format::kJson) text = catalogue_json(walked_);
    if (format == Format::kCsv) text = catalogue_csv(walked_);
    if (format == Format::kJsonl) {
      if (walked_.size() != 1) {
        return Error(CliError::kUsage, "JSON lines hold one catalogue", "choose one with --target");
      }
      text = catalog::encode_rows(walked_.front().catalogue);
    }
    if (Status status = write_output(text, command_.output); !status) return status.error();
    return ExitCode::kDone;
  }

  Result<ExitCode> print_coverage(store::Store& store, Format format) {
    const Result<std::vector<store::FunctionEvidence>> evidence = store.function_evidence();
    if (!evidence) return evidence.error();
    std::vector<CoveredCatalogue> covered;
    for (std::size_t i = 0; i < walked_.size(); ++i) {
      const WalkedCatalogue& one = walked_[i];
      CoveredCatalogue result;
      const std::vector<CaseInfo> cases = list(one.rules, listed_by_[i], result.not_listed);
      result.coverage = catalog::cover(one.catalogue, one.rules, cases, *evidence);
      result.frozen = frozen_note(one.catalogue, one.rules);
      covered.push_back(std::move(result));
    }
    const std::string text = format == Format::kJson ? coverage_json(covered)
                             : format == Format::kCsv
                                 ? coverage_csv(covered)
                                 : coverage_text(covered, render_options(context_, command_.output));
    if (Status status = write_output(text, command_.output); !status) return status.error();
    return ExitCode::kDone;
  }

  // Each suite by itself: one that cannot be listed here hides no other.
  std::vector<CaseInfo> list(const catalog::Rules& rules, const Walkable& one,
                             std::vector<std::string>& notes) {
    std::vector<CaseInfo> cases;
    for (const std::string& suite : rules.suites) {
      if (!context_.common.quiet) line_.show(fmt::format("listing {} of {} ...", suite, rules.framework));
      const std::vector<std::string> suites = {suite};
      CaseListing listing(context_, suites);
      const auto listed = listing.of(*one.entry, one.interpreter);
      line_.clear();
      if (!listed) {
        notes.push_back(fmt::format("suite {} cannot be listed: {}", suite, listed.error().message()));
        continue;
      }
      cases.insert(cases.end(), listed->begin(), listed->end());
    }
    return cases;
  }

  Context& context_;
  const CatalogCommand& command_;
  Settings settings_;
  target::Doctor doctor_;
  SystemClock clock_;
  LiveLine line_;
  std::vector<Walkable> walkable_;
  std::vector<Walkable> listed_by_;  // parallel to walked_
  std::vector<WalkedCatalogue> walked_;
  std::vector<std::string> missing_;
};

// A file of JSON lines; or FRAMEWORK==VERSION, FRAMEWORK or VERSION of a catalogue in the store.
Result<Catalogue> find_catalogue(const Settings& settings, const std::string& what) {
  std::error_code error;
  if (std::filesystem::is_regular_file(what, error)) {
    const Result<std::string> text = read_file(what);
    if (!text) return text.error();
    Result<Catalogue> catalogue = catalog::decode_rows(*text);
    if (!catalogue) return catalogue.error().within(what);
    return catalogue;
  }
  Result<store::Store> store = store::Store::open(settings.store, store::OpenMode::kRead);
  if (!store) {
    return Error(CliError::kUsage,
                 fmt::format("'{}' is no file, and there is no store to look for it: {}", what,
                             store.error().message()),
                 "give files that `seamark catalog --format jsonl -o FILE` wrote, or a store with --store");
  }
  const Result<std::vector<CatalogueHead>> heads = store->catalogues();
  if (!heads) return heads.error();
  std::vector<const CatalogueHead*> found;
  std::vector<std::string> names;
  for (const CatalogueHead& head : *heads) {
    const std::string name = head.framework + "==" + head.version;
    names.push_back(name);
    if (what == name || what == head.version) found.push_back(&head);
  }
  if (found.size() == 1) return store->catalogue(found.front()->framework, found.front()->version);
  return Error(
      CliError::kUnknownName,
      fmt::format("'{}' is no file and {} in {}", what,
                  found.empty() ? "no catalogue" : "the version of several catalogues", settings.store),
      names.empty() ? "`seamark catalog` makes one" : "there is: " + join(names, ", "));
}

Result<ExitCode> run_diff(Context& context, const CatalogCommand& command, const Settings& settings) {
  const Result<Format> format = catalogue_format(command);
  if (!format) return format.error();
  if (*format == Format::kJsonl) {
    return Error(CliError::kUsage, "a difference has no JSON lines", "say --format json or --format csv");
  }
  const Result<Catalogue> before = find_catalogue(settings, command.diff.at(0));
  if (!before) return before.error();
  const Result<Catalogue> after = find_catalogue(settings, command.diff.at(1));
  if (!after) return after.error();
  if (before->head.framework != after->head.framework) {
    return Error(CliError::kUsage,
                 fmt::format("{} cannot be compared with {}", before->head.framework, after->head.framework));
  }
  const catalog::CatalogueDiff diff = catalog::diff(*before, *after);
  const std::string text = *format == Format::kJson  ? diff_json(before->head, after->head, diff)
                           : *format == Format::kCsv ? diff_csv(diff)
                                                     : diff_text(before->head, after->head, diff,
                                                                 render_options(context, command.output));
  if (Status status = write_output(text, command.output); !status) return status.error();
  return ExitCode::kDone;
}

}  // namespace

Result<ExitCode> run_catalog(Context& context, const CatalogCommand& command) {
  Settings settings = context.settings;
  settings.targets.clear();  // a config's choice of what to run is no choice of what to walk
  if (Status status = apply_selection(settings, command.selection); !status) return status.error();
  if (!command.diff.empty()) return run_diff(context, command, settings);
  if (command.declared) return run_declared(context, command, std::move(settings));
  return CatalogSession(context, command, std::move(settings)).run();
}

}  // namespace seamark::cli
